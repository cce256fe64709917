import { expect } from 'vitest';
import { dropConnection, failure, functionCall, incomplete, text } from '../../support/model-replies.ts';
import type { QuietRow, Section } from '../row.ts';
import { exercise } from '../rows/exercise.ts';
import { expectNextPromptWorks } from '../rows/extra.ts';
import { takesAudioOrRefusesIt, takesForeignMeta, takesImages, takesLinks, takesResources } from '../rows/prompts.ts';
import { extensionRequestsAreAnswered } from '../rows/wire.ts';
import { cancelledAtOnce, cancelledInEveryPhase } from '../rows/work.ts';

const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'];

const nothingFollowsCancel: QuietRow = {
  id: 'ACP-CANCEL-002',
  tier: 'mandatory',
  requirement: 'all updates of the cancelled session come before the prompt response, in every phase',
  async event(lab) {
    const atOnce = await cancelledAtOnce(lab);
    const end = await atOnce.turn.ended();
    const cancelled = [...(await cancelledInEveryPhase(lab)), { ...atOnce, end, phase: 'right behind the prompt' }];
    return () => {
      for (const { phase, session, end } of cancelled) {
        expect([phase, session.agent.about(session.id, end.at + 1)]).toEqual([phase, []]);
      }
    };
  },
};

/** Table 2.4, without the rows about all of the output. */
export const prompts: Section = {
  title: '2.4 prompts, cancellation, extensions',
  rows: [
    {
      id: 'ACP-PROMPT-001',
      tier: 'mandatory',
      requirement: 'a text prompt ends with one of the five stop reasons, also when the turn fails',
      async run(lab, note) {
        const session = await lab.session();
        const endings = {
          text: [text('Done.')],
          'model refuses': [failure(400)],
          'broken stream': [dropConnection(text('Half')), dropConnection(text('Half'))],
          'cut answer': [incomplete('max_output_tokens', text('Half'))],
        };
        for (const [name, replies] of Object.entries(endings)) {
          const { stopReason } = await session.prompt(...replies).ended();
          note(`${name}: ${stopReason}`);
          expect(stopReasons).toContain(stopReason);
        }
      },
    },
    {
      id: 'ACP-PROMPT-002',
      tier: 'mandatory',
      requirement:
        'each update of a turn fits the schema and names the prompted session, also when agents work below it',
      async run(lab) {
        const { session: wide, turn } = await exercise(lab);
        const helped = await lab.session();
        const spawn = functionCall('collaboration.spawn_agent', { task_name: 'helper', message: 'Help.' });
        const wait = functionCall('collaboration.wait_agent', { timeout_ms: 20_000 });
        await helped.prompt(spawn, wait, text('Both are done.')).ended();
        const { model } = await lab.base();
        expect(model.scriptErrors).toEqual([]);
        expect(helped.text()).toBe('Both are done.');
        expect(wide.updates(turn.from).length).toBeGreaterThan(10);
        expect(wide.agent.foreignUpdates()).toEqual([]);
        expect(wide.agent.violations).toEqual([]);
      },
    },
    takesLinks,
    takesImages,
    takesAudioOrRefusesIt,
    takesResources,
    {
      id: 'ACP-CANCEL-001',
      tier: 'mandatory',
      requirement: 'session/cancel makes the prompt end with `cancelled` in every phase; the next prompt works',
      async run(lab) {
        for (const { phase, session, end, gone } of await cancelledInEveryPhase(lab)) {
          expect([phase, end.stopReason]).toEqual([phase, 'cancelled']);
          await session.agent.within(gone, 'the end of the command');
          await expectNextPromptWorks(session);
        }
        const { session, turn } = await cancelledAtOnce(lab);
        expect((await turn.ended()).stopReason).toBe('cancelled');
        await expectNextPromptWorks(session);
      },
    },
    nothingFollowsCancel,
    extensionRequestsAreAnswered,
    takesForeignMeta,
  ],
};
