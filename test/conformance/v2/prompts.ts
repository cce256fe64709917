import { expect } from 'vitest';
import { applyPatch, failure, hold, runCommand, text } from '../../support/model-replies.ts';
import type { Lab } from '../lab.ts';
import type { Section } from '../row.ts';
import { exercise } from '../rows/exercise.ts';
import { expectNextPromptWorks } from '../rows/extra.ts';
import { takesAudioOrRefusesIt, takesForeignMeta, takesImages, takesLinks, takesResources } from '../rows/prompts.ts';
import { unknownSession } from '../rows/wire.ts';
import { cancelledInEveryPhase, isAgentText, phases } from '../rows/work.ts';
import { type Session, select } from '../session.ts';

const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'error'];

/** States of the session in order, `idle` with its stop reason. */
function statesOf(session: Session, from = 0): readonly string[] {
  return session
    .states(from)
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
}

/** Kills the app-server below an agent of its own while the model streams; the session works again afterwards. */
async function survivesLossOfCodex(lab: Lab): Promise<readonly string[]> {
  const agent = await lab.started();
  const { session, turn } = await phases['while the model streams'](lab, agent);
  agent.killCodex();
  const { stopReason, error } = await turn.ended();
  expect([stopReason, error.code]).toEqual(['error', 1001]);
  const states = statesOf(session);
  await expectNextPromptWorks(session);
  await agent.stop();
  return states;
}

/** Table 3.4, without the rows about all of the output. */
export const prompts: Section = {
  title: '3.4 prompts, states, permissions',
  rows: [
    {
      id: 'ACP-PROMPT-201',
      tier: 'capability',
      requirement: 'the prompt is answered with a non-empty `messageId` and no `stopReason`, while the turn goes on',
      async run(lab) {
        const session = await lab.session();
        const gate = hold();
        const turn = session.prompt(text('Some words here.').pauseAt(gate));
        const answer = await turn.answer();
        expect(answer.messageId).toMatch(/\S/);
        expect(answer).not.toHaveProperty('stopReason');
        gate.open();
        await turn.ended();
      },
    },
    {
      id: 'ACP-PROMPT-203',
      tier: 'capability',
      requirement: 'the user message with that id is sent, no later than the idle update of the turn',
      async run(lab) {
        const { session, turn, end } = await exercise(lab);
        const { messageId } = await turn.answer();
        const isEcho = ({ params }: { params?: { update?: { sessionUpdate: string; messageId?: string } } }): boolean =>
          /^user_message(_chunk)?$/.test(params?.update?.sessionUpdate ?? '') &&
          params?.update?.messageId === messageId;
        const at = session.agent.received.findIndex(isEcho);
        expect(at).toBeGreaterThanOrEqual(turn.from);
        expect(at).toBeLessThan(end.at);
      },
    },
    {
      id: 'ACP-PROMPT-205',
      tier: 'capability',
      requirement: 'every update of a turn fits the schema and names the session',
      async run(lab) {
        const { session, turn } = await exercise(lab);
        expect(session.updates(turn.from).length).toBeGreaterThan(10);
        expect(session.agent.foreignUpdates()).toEqual([]);
        expect(session.agent.violations).toEqual([]);
      },
    },
    takesLinks,
    takesImages,
    takesAudioOrRefusesIt,
    takesResources,
    {
      id: 'ACP-STATE-201',
      tier: 'capability',
      requirement: '`running` comes before the idle update that carries a stop reason',
      async run(lab) {
        const { session, turn } = await exercise(lab);
        const states = statesOf(session, turn.from);
        expect(states[0]).toBe('running');
        expect(states.at(-1)).toBe('idle end_turn');
      },
    },
    {
      id: 'ACP-STATE-202',
      tier: 'capability',
      requirement: '`running` is followed by `idle`: end, failure, cancel, close, loss of the app-server',
      async run(lab) {
        const failing = await lab.session();
        await failing.prompt(failure(400)).ended();
        expect(statesOf(failing)).toEqual(['running', 'idle error']);
        for (const { phase, session } of await cancelledInEveryPhase(lab)) {
          const states = statesOf(session);
          expect([phase, states.filter((state) => state === 'running').length > 0]).toEqual([phase, true]);
          expect([phase, states.findLast((state) => state.startsWith('idle'))]).not.toEqual([phase, undefined]);
        }
        const { session, turn } = await phases['while the model streams'](lab);
        await session.close();
        await turn.ended();
        expect(statesOf(session)).toEqual(['running', 'idle cancelled']);
        expect(await survivesLossOfCodex(lab)).toEqual(['running', 'idle error']);
      },
    },
    {
      id: 'ACP-STATE-203',
      tier: 'capability',
      requirement:
        'that idle update has a known stop reason or one that starts with `_`; `error` has a code and a message',
      async run(lab) {
        await exercise(lab);
        const session = await lab.session();
        const { stopReason, error } = await session.prompt(failure(400)).ended();
        expect(stopReason).toBe('error');
        expect(error).toEqual({ code: expect.any(Number), message: expect.stringMatching(/\S/) });
        for (const agent of lab.agents) {
          const states = new Map<string, string>();
          for (const { params } of agent.received) {
            const { sessionUpdate, state, stopReason: reason } = params?.update ?? {};
            if (sessionUpdate !== 'state_update') continue;
            const before = states.get(params.sessionId) ?? 'idle';
            states.set(params.sessionId, state);
            // Told again when a client opens the session, it ends nothing (S10.34).
            if (state !== 'idle' || (before === 'idle' && reason === undefined)) continue;
            expect(reason).toSatisfy((value: string) => stopReasons.includes(value) || value.startsWith('_'));
          }
        }
      },
    },
    takesForeignMeta,
    {
      id: 'ACP-PERM-201',
      tier: 'capability',
      requirement:
        'a permission request names its session, has a title and options with unique ids; the turn ends after the answer',
      async run(lab) {
        const { workspace } = await lab.base();
        const session = await lab.session();
        await session.setOption('mode', 'read-only');
        const patch = applyPatch('*** Add File: asked-patch.txt\n+new\n');
        const command = runCommand('echo x > asked-command.txt', { escalate: 'Please.' });
        expect((await session.prompt(patch, command, text('Done.')).ended()).stopReason).toBe('end_turn');
        session.onPermission = (request) => select(request, 'reject_once');
        const refused = runCommand('echo x > refused-command.txt', { escalate: 'Please.' });
        expect(['end_turn', 'cancelled']).toContain((await session.prompt(refused, text('Done.')).ended()).stopReason);
        const files = ['asked-patch.txt', 'asked-command.txt', 'refused-command.txt'];
        expect(files.map((name) => workspace.exists(name))).toEqual([true, true, false]);
        const isAsk = ({ method }: { method?: string }): boolean => method === 'session/request_permission';
        const asks = (await lab.main()).received.filter(isAsk).map(({ params }) => params);
        expect(asks.filter(({ sessionId }) => sessionId === session.id)).toHaveLength(3);
        for (const { title, sessionId, options } of asks) {
          expect(title).toMatch(/\S/);
          expect(sessionId).toMatch(/\S/);
          expect(options.length).toBeGreaterThan(0);
          const ids = options.map(({ optionId }: { optionId: string }) => optionId);
          expect(ids).toEqual([...new Set(ids)]);
          for (const { optionId, name, kind } of options)
            for (const value of [optionId, name, kind]) expect(value).toMatch(/\S/);
        }
      },
    },
    {
      id: 'ACP-INFO-CONCURRENT-201',
      tier: 'informational',
      requirement: 'a second prompt during a turn is held and runs as a turn of its own (S3.36)',
      async run(lab, note) {
        const session = await lab.session();
        const gate = hold();
        const first = session.prompt(text('The first answer.').pauseAt(gate));
        await session.update(isAgentText, 'the first words');
        const second = session.prompt(text('The second answer.'));
        gate.open();
        const [one, two] = await Promise.all([first.ended(), second.ended()]);
        note(`${one.stopReason} at ${one.at}, ${two.stopReason} at ${two.at}`);
        expect(statesOf(session)).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
        expect(session.text()).toBe('The first answer.The second answer.');
      },
    },
    unknownSession,
  ],
};
