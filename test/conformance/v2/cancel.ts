import { expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import type { QuietRow, Section } from '../row.ts';
import { expectNextPromptWorks } from '../rows/extra.ts';
import { cancelledAtOnce, cancelledInEveryPhase, phases } from '../rows/work.ts';

const knownStopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'error'];

const nothingFollowsIdle: QuietRow = {
  id: 'ACP-CANCEL-202',
  tier: 'capability',
  requirement: 'no state update and nothing of the cancelled work comes after that idle update, in every phase',
  async event(lab) {
    const cancelled = await cancelledInEveryPhase(lab);
    return () => {
      for (const { phase, session, end } of cancelled) {
        expect([phase, session.agent.about(session.id, end.at + 1)]).toEqual([phase, []]);
      }
    };
  },
};

const cancelIsNotAnswered: QuietRow = {
  id: 'ACP-CANCEL-205',
  tier: 'capability',
  requirement: 'the notification gets no response',
  async event(lab) {
    const { session, turn } = await phases['while the model streams'](lab);
    const from = session.agent.now;
    session.cancel();
    await turn.ended();
    return () => expect(session.agent.strays(from)).toEqual([]);
  },
};

const idleCancelIsSilent: QuietRow = {
  id: 'ACP-INFO-CANCEL-201',
  tier: 'informational',
  requirement: 'cancel of an unknown or idle session causes nothing',
  async event(lab) {
    const untouched = await lab.session();
    const prompted = await lab.session();
    await prompted.prompt(text('Done.')).ended();
    // The title that Codex makes comes after the end, and would come without the cancel too.
    await prompted.update(({ title }) => title === 'Scripted title', 'the generated title');
    const from = untouched.agent.now;
    for (const session of [untouched, prompted]) session.cancel();
    untouched.agent.notify('session/cancel', { sessionId: 'a-session-nobody-opened' });
    return (note) => {
      const seen = [untouched, prompted].flatMap(({ id }) => untouched.agent.about(id, from));
      note(`${seen.length} messages`);
      expect(seen).toEqual([]);
    };
  },
};

/** Table 3.5. */
export const cancel: Section = {
  title: '3.5 cancellation',
  rows: [
    {
      id: 'ACP-CANCEL-201',
      tier: 'capability',
      requirement: 'session/cancel during work leads to idle and `cancelled` in every phase; the next prompt works',
      async run(lab, note) {
        for (const { phase, session, end, gone } of await cancelledInEveryPhase(lab)) {
          expect([phase, end.stopReason]).toEqual([phase, 'cancelled']);
          await session.agent.within(gone, 'the end of the command');
          await expectNextPromptWorks(session);
        }
        // Right behind the prompt: it is refused when it was not accepted yet (S3.43), and what was seen of it ends.
        const { session, turn } = await cancelledAtOnce(lab);
        const accepted = await turn.answer().then(
          () => turn.ended(),
          () => null,
        );
        if (accepted === null) expect((await session.refused(turn)).code).toBe(-32800);
        else expect(accepted.stopReason).toBe('cancelled');
        note(
          accepted === null ? 'right behind the prompt: refused' : 'right behind the prompt: accepted and cancelled',
        );
        await expectNextPromptWorks(session);
        const states = session.states().map(({ state, stopReason }) => stopReason ?? state);
        const ended = accepted !== null || states.length > 2 ? ['running', 'cancelled'] : [];
        expect(states).toEqual([...ended, 'running', 'end_turn']);
      },
    },
    nothingFollowsIdle,
    {
      id: 'ACP-CANCEL-203',
      tier: 'capability',
      requirement:
        'never an error on an accepted prompt, never another stop reason, no error object on the idle update',
      async run(lab) {
        for (const { phase, turn, end } of await cancelledInEveryPhase(lab)) {
          expect([phase, await turn.answer()]).toEqual([phase, { messageId: expect.stringMatching(/\S/) }]);
          expect([phase, knownStopReasons.includes(end.stopReason), end.error]).toEqual([phase, false, undefined]);
        }
      },
    },
    {
      id: 'ACP-CANCEL-204',
      tier: 'informational',
      requirement: 'the connection to the model closes and the command ends soon after the cancel',
      async run(lab, note) {
        const { model } = await lab.base();
        const streaming = await phases['while the model streams'](lab);
        const request = model.requests.find(({ threadId }) => threadId === streaming.session.id);
        const sent = performance.now();
        streaming.session.cancel();
        expect(await streaming.session.agent.within(request?.finished ?? Promise.reject(), 'the model is let go')).toBe(
          'gone',
        );
        note(`model let go after ${Math.round(performance.now() - sent)} ms`);
        const running = await phases['while a command runs'](lab);
        const cancelled = performance.now();
        running.session.cancel();
        await running.session.agent.within(running.gone, 'the end of the command');
        note(`command gone after ${Math.round(performance.now() - cancelled)} ms`);
        await Promise.all([streaming.turn.ended(), running.turn.ended()]);
      },
    },
    cancelIsNotAnswered,
    {
      id: 'ACP-CANCEL-206',
      tier: 'capability',
      requirement: 'works with `sessionId` alone and with `_meta`',
      async run(lab) {
        for (const more of [{}, { _meta: null }, { _meta: { 'example.com/own': { any: 'thing' } } }]) {
          const { session, turn } = await phases['while the model streams'](lab);
          session.cancel(more);
          expect((await turn.ended()).stopReason).toBe('cancelled');
        }
      },
    },
    {
      id: 'ACP-CANCEL-207',
      tier: 'capability',
      requirement: 'no invented stop reason',
      async run(lab) {
        for (const { phase, session, turn } of await cancelledInEveryPhase(lab)) {
          const reasons = session.states(turn.from).flatMap(({ stopReason }) => stopReason ?? []);
          expect([phase, reasons[0]]).toEqual([phase, 'cancelled']);
        }
      },
    },
    {
      id: 'ACP-CANCEL-208',
      tier: 'capability',
      requirement: 'session/close during work: final updates, idle with `cancelled`, then the response',
      async run(lab) {
        for (const phase of [
          'while the model streams',
          'while a command runs',
          'while a permission is pending',
        ] as const) {
          const { session, turn } = await phases[phase](lab);
          expect(await session.close()).toEqual({});
          const closedAt = session.agent.now - 1;
          const { stopReason, at } = await turn.ended();
          expect([phase, stopReason]).toEqual([phase, 'cancelled']);
          expect(at).toBeLessThan(closedAt);
          expect(session.states().at(-1)).toMatchObject({ state: 'idle', stopReason: 'cancelled' });
        }
      },
    },
    idleCancelIsSilent,
    {
      id: 'ACP-INFO-CANCEL-202',
      tier: 'informational',
      requirement: 'a pending permission request is withdrawn with `$/cancel_request` before the idle update',
      async run(lab, note) {
        const pending = (await cancelledInEveryPhase(lab)).find(
          ({ phase }) => phase === 'while a permission is pending',
        );
        if (pending === undefined) throw new Error('No turn was cancelled while a permission was pending');
        const { session, turn, end } = pending;
        const ask = await session.permission(turn.from);
        const messages = session.agent.received.slice(turn.from, end.at);
        const withdrawn = messages.filter(({ method }) => method === '$/cancel_request').map(({ params }) => params);
        note(JSON.stringify(withdrawn));
        expect(withdrawn).toContainEqual({ requestId: ask.id });
      },
    },
  ],
};
