import { expect } from 'vitest';
import { failure, hold, text } from '../../support/model-replies.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';
import type { Session, Turn } from '../session.ts';
import { exercise } from './exercise.ts';
import { isAgentText, phases } from './work.ts';

/* Rules of ours that both versions share (section 4). */

export const wideTurnFits: CheckedRow = {
  id: 'ACP-X-SCHEMA',
  tier: 'extra',
  requirement:
    'a turn with thought, plan, command, patch, failing command and permission fits the schema; its tool calls end',
  async run(lab) {
    const { workspace, model } = await lab.base();
    const { session, end } = await exercise(lab);
    expect(end.stopReason).toBe('end_turn');
    expect(model.scriptErrors).toEqual([]);
    expect(session.agent.violations).toEqual([]);
    const updates = session.updates();
    const calls = updates.filter(({ sessionUpdate }) => /^tool_call(_update)?$/.test(sessionUpdate));
    const last = new Map(calls.filter(({ status }) => status).map(({ toolCallId, status }) => [toolCallId, status]));
    const statuses = [...last.values()];
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(statuses.length);
    expect(statuses.length).toBeGreaterThanOrEqual(5);
    expect(statuses).toSatisfy((all: string[]) => all.every((status) => ['completed', 'failed'].includes(status)));
    const kinds = updates.map(({ sessionUpdate }) => sessionUpdate);
    const plan = lab.version === 1 ? 'plan' : 'plan_update';
    expect(kinds).toEqual(expect.arrayContaining(['agent_thought_chunk', plan, 'agent_message_chunk', 'usage_update']));
    expect(workspace.read('notes.txt')).toBe('one\n2\n');
    expect(workspace.read('added.txt')).toBe('new\n');
    expect(workspace.read('asked.txt')).toBe('asked\n');
  },
};

const refusalText = 'The scripted model does not like this.';

/** A turn that the model refuses; the prompt after it works. */
export async function failTurn(
  lab: Lab,
): Promise<{ readonly session: Session; readonly turn: Turn; readonly shown: () => string }> {
  const session = await lab.session();
  const body = { error: { message: refusalText, type: 'invalid_request_error', code: 'bad', param: null } };
  const turn = session.prompt(failure(400, body));
  return { session, turn, shown: () => session.text(turn.from) };
}

/** What a user reads of a failure: the model's words, not its JSON. */
export function expectReadable(message: string): void {
  expect(message).toContain(refusalText);
  expect(message).not.toMatch(/[{}]/);
}

export async function expectNextPromptWorks(session: Session): Promise<void> {
  const next = session.prompt(text('Works again.'));
  expect((await next.ended()).stopReason).toBe('end_turn');
  expect(session.text(next.from)).toBe('Works again.');
}

export const sessionsDoNotMix: CheckedRow = {
  id: 'ACP-X-TWOSESSIONS',
  tier: 'extra',
  requirement: 'two sessions prompted at once do not mix',
  async run(lab) {
    const sessions = await Promise.all([lab.session(), lab.session()]);
    const gates = sessions.map(() => hold());
    const words = ['apples', 'pears'];
    const turns = sessions.map((session, index) => {
      const answer = text(`only ${words[index]} here`);
      return session.prompt(answer.pauseAt(gates[index] ?? hold()));
    });
    await Promise.all(sessions.map((session) => session.update(isAgentText, 'the first half')));
    for (const gate of gates) gate.open();
    const ends = await Promise.all(turns.map((turn) => turn.ended()));
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(['end_turn', 'end_turn']);
    expect(sessions.map((session) => session.text())).toEqual(words.map((word) => `only ${word} here`));
  },
};

export const endOfInputEndsCommands: CheckedRow = {
  id: 'ACP-X-EOF',
  tier: 'extra',
  requirement: 'stdin closing during a running command ends the agent and everything below it',
  async run(lab, note) {
    const agent = await lab.started();
    const { gone } = await phases['while a command runs'](lab, agent);
    const { afterMs } = await agent.within(agent.stop(), 'the exit of the agent');
    note(`exit after ${Math.round(afterMs)} ms`);
    await (await lab.main()).within(gone, 'the end of the command');
  },
};
