import { expect, test } from 'vitest';
import { transition } from '../../../src/domain/turn/turn-machine.ts';
import { MachineSubject } from '../../property/turns/machine-subject.ts';
import { Play } from '../../property/turns/play.ts';
import { replay } from '../../property/turns/replay.ts';
import { printScript } from '../../property/turns/script.ts';
import type { SubjectFactory } from '../../property/turns/subject.ts';

/** A machine that is broken on purpose: what it stopped never becomes idle. */
const broken: typeof transition = (state, input) => {
  const { effects, ...step } = transition(state, input);
  return {
    ...step,
    effects: effects.filter((effect) => effect.type !== 'idle' || effect.outcome.type !== 'cancelled'),
  };
};

const brokenMachine: SubjectFactory = ({ protocol }, codex, clock) =>
  new MachineSubject(protocol, codex, clock, broken);

const cancelled = [
  ['prompt', 0],
  ['answer', 0],
  ['cancelPrompt', 0],
  ['answer', 0],
  ['advance', 1],
] as const;

test('S3.210 a run that breaks an invariant is reported with all that happened, step by step', async () => {
  const play = await new Play({ protocol: 2, air: false }, brokenMachine).all(cancelled);
  const told = await play.finish().then(
    () => '',
    (error: Error) => error.message,
  );
  expect(told.split('\n').slice(0, 9)).toEqual([
    'p2 is inserted before the idle of p1',
    '',
    'await replay({ protocol: 2, air: false }, [',
    `  ['prompt', 0],       // client sends p1 "hello p1"`,
    `  ['answer', 0],       // over: the wait for Codex`,
    `  ['cancelPrompt', 0], // client cancels the request of p1`,
    `  ['answer', 0],       // Codex answers turn/start (p1) with t1 | client sees: running`,
    `  ['advance', 1],      // Codex begins the prompt turn t1; told: thread active, turn t1 started`,
    `  ['answer', 0],       // Codex answers turn/interrupt (t1)`,
  ]);
});

test('what a run printed can be played again', async () => {
  const play = await replay({ protocol: 2, air: true }, cancelled);
  const again = await replay(
    play.setup,
    play.script.map(({ step }) => step),
  );
  expect(printScript(again.setup, again.script)).toBe(printScript(play.setup, play.script));
  await again.finish();
});
