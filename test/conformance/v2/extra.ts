import { expect } from 'vitest';
import { failure, hold, text } from '../../support/model-replies.ts';
import type { QuietRow, Section } from '../row.ts';
import { exercise } from '../rows/exercise.ts';
import {
  endOfInputEndsCommands,
  expectNextPromptWorks,
  expectReadable,
  failTurn,
  sessionsDoNotMix,
  wideTurnFits,
} from '../rows/extra.ts';
import { everything } from '../rows/overall.ts';
import { resume, withHistory } from '../rows/resume.ts';
import { isAgentText, phases } from '../rows/work.ts';

const closeAnswersHeldPrompts: QuietRow = {
  id: 'ACP-X-CLOSEQUEUE',
  tier: 'extra',
  requirement:
    'session/close answers held prompts with -32800, reports idle before its response, and nothing follows it',
  async event(lab) {
    const { session, turn } = await phases['while the model streams'](lab);
    const held = [session.prompt(text('Never.')), session.prompt(text('Never.'))];
    const closed = await session.close();
    const closedAt = session.agent.now - 1;
    const end = await turn.ended();
    const refusals = await Promise.all(held.map((prompt) => session.refused(prompt)));
    return () => {
      expect(refusals.map(({ code }) => code)).toEqual([-32800, -32800]);
      expect([end.stopReason, closed]).toEqual(['cancelled', {}]);
      expect(end.at).toBeLessThan(closedAt);
      expect(session.agent.about(session.id, closedAt)).toEqual([]);
    };
  },
};

const oneIdlePerTurn: QuietRow = {
  id: 'ACP-X-IDLEBODY',
  tier: 'extra',
  requirement: 'exactly one idle update with a stop reason per turn: long, short, failed and cancelled ones',
  async event(lab) {
    const { session: long } = await exercise(lab);
    const { session, turn } = await phases['while a command runs'](lab);
    session.cancel();
    await turn.ended();
    for (const replies of [[text('One.')], [failure(400)], [text('Two.')]]) await session.prompt(...replies).ended();
    return () => {
      const idle = [long, session].map((one) => one.states().flatMap(({ stopReason }) => stopReason ?? []));
      expect(idle).toEqual([['end_turn'], ['cancelled', 'end_turn', 'error', 'end_turn']]);
    };
  },
};

/** Section 4: rules of ours that hold on v2. */
export const extra: Section = {
  title: '4. rules of ours',
  rows: [
    wideTurnFits,
    {
      id: 'ACP-X-CANCELREQ',
      tier: 'extra',
      requirement:
        '`$/cancel_request` for a prompt does nothing after its insertion; the session takes the next prompt',
      async run(lab) {
        const session = await lab.session();
        const gate = hold();
        const turn = session.prompt(text('All of this is said.').pauseAt(gate));
        await turn.answer();
        await session.update(isAgentText, 'the first words');
        session.agent.notify('$/cancel_request', { requestId: turn.requestId });
        gate.open();
        expect((await turn.ended()).stopReason).toBe('end_turn');
        expect(session.text()).toBe('All of this is said.');
        await expectNextPromptWorks(session);
      },
    },
    {
      id: 'ACP-X-FAILTURN',
      tier: 'extra',
      requirement:
        'a turn that the model refuses ends with `error` and a message a user can read; the next prompt works',
      async run(lab) {
        const { session, turn } = await failTurn(lab);
        const { stopReason, error } = await turn.ended();
        expect(stopReason).toBe('error');
        expectReadable(error.message);
        await expectNextPromptWorks(session);
      },
    },
    sessionsDoNotMix,
    endOfInputEndsCommands,
    {
      id: 'ACP-X-QUEUE',
      tier: 'extra',
      requirement: 'session/cancel answers held prompts with -32800, and they never run (S3.52)',
      async run(lab) {
        const { session, turn } = await phases['while the model streams'](lab);
        const held = [session.prompt(text('Never.')), session.prompt(text('Never.'))];
        session.cancel();
        expect((await turn.ended()).stopReason).toBe('cancelled');
        const refusals = await Promise.all(held.map((prompt) => session.refused(prompt)));
        expect(refusals.map(({ code }) => code)).toEqual([-32800, -32800]);
        await expectNextPromptWorks(session);
        const { model } = await lab.base();
        expect(model.requests.filter(({ threadId }) => threadId === session.id)).toHaveLength(2);
      },
    },
    closeAnswersHeldPrompts,
    {
      id: 'ACP-X-SNAPSHOT',
      tier: 'extra',
      // After the replay, once there is one.
      requirement: 'session/resume sends the state that holds as its last update before the response',
      async run(lab) {
        const idle = await withHistory(lab);
        const { session: running } = await phases['while a command runs'](lab);
        const { session: asking } = await phases['while a permission is pending'](lab);
        const states = [
          [idle, 'idle'],
          [running, 'running'],
          [asking, 'requires_action'],
        ] as const;
        for (const [session, state] of states) {
          const { before } = await resume(lab, session);
          expect(before.at(-1)).toEqual({ sessionUpdate: 'state_update', state });
          expect(before.filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toHaveLength(1);
          await session.close();
        }
        const { before } = await resume(lab, idle);
        expect(before.at(-1)).toEqual({ sessionUpdate: 'state_update', state: 'idle' });
      },
    },
    {
      id: 'ACP-X-REPLAYFROM',
      tier: 'extra',
      requirement: 'an unknown `replayFrom.type` is refused with -32602',
      async run(lab) {
        const { id: sessionId, agent } = await lab.session();
        const { workspace } = await lab.base();
        const params = { sessionId, cwd: workspace.path, replayFrom: { type: 'somewhere' } };
        expect(await agent.refusal('session/resume', params)).toBe(-32602);
      },
    },
    {
      id: 'ACP-X-BACKGROUND',
      tier: 'extra',
      requirement: 'a session that reports `background` does so on every state update of it',
      async run(lab) {
        const states = (await everything(lab)).filter(({ params }) => params?.update?.sessionUpdate === 'state_update');
        const reports = new Map<string, Set<boolean>>();
        for (const { params } of states) {
          const kinds = reports.get(params.sessionId) ?? new Set();
          reports.set(params.sessionId, kinds.add('background' in params.update));
        }
        expect(reports.size).toBeGreaterThan(0);
        for (const [sessionId, kinds] of reports) expect([sessionId, kinds.size]).toEqual([sessionId, 1]);
      },
    },
    oneIdlePerTurn,
    {
      id: 'ACP-X-TOOLCANCEL',
      tier: 'extra',
      requirement: 'tool_call/cancel of a call that does not offer it gets -32602, because none does (S1.98)',
      async run(lab) {
        const { session } = await exercise(lab);
        const calls = session.updates().flatMap(({ toolCallId }) => toolCallId ?? []);
        for (const toolCallId of ['no-such-call', calls[0]]) {
          expect(await session.agent.refusal('tool_call/cancel', { sessionId: session.id, toolCallId })).toBe(-32602);
        }
      },
    },
    {
      id: 'ACP-X-TERMCANCEL',
      tier: 'extra',
      requirement: 'terminal/cancel of a terminal that does not offer it gets -32602, because none does (S1.98)',
      async run(lab) {
        const { session } = await exercise(lab);
        const terminals = session.updates().flatMap(({ terminalId }) => terminalId ?? []);
        for (const terminalId of ['no-such-terminal', terminals[0]]) {
          expect(await session.agent.refusal('terminal/cancel', { sessionId: session.id, terminalId })).toBe(-32602);
        }
      },
    },
    {
      id: 'ACP-X-NULLID',
      tier: 'extra',
      requirement: 'a request with `id: null` or with a fraction gets -32600 with `id: null` and does not run',
      async run(lab) {
        const session = await lab.session();
        const prompt = (id: number | null): string => {
          const params = {
            sessionId: session.id,
            prompt: [{ type: 'text', text: lab.script(session.id, [text('Never.')]) }],
          };
          return JSON.stringify({ jsonrpc: '2.0', id, method: 'session/prompt', params });
        };
        const refused = await session.agent.refusals([prompt(null), prompt(1.5)]);
        expect(refused.map(({ error }) => error?.code)).toEqual([-32600, -32600]);
        await expectNextPromptWorks(session);
        const { model } = await lab.base();
        expect(model.requests.filter(({ threadId }) => threadId === session.id)).toHaveLength(1);
      },
    },
    {
      id: 'ACP-X-CLOSEGONE',
      tier: 'extra',
      requirement: 'closing an unknown or closed session succeeds or answers -32002, whatever its id looks like',
      async run(lab) {
        const session = await lab.session();
        await session.close();
        const ids = [session.id, '01a22d7d-f0b3-7a60-807f-c92cbeab2068', 'never-created-session', '', '漢字 "🙂"'];
        for (const sessionId of ids) {
          expect([0, -32002]).toContain(await session.agent.refusal('session/close', { sessionId }));
        }
      },
    },
  ],
};
