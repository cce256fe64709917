import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from './runs.ts';
import { AnyRun, anyInput } from './turns/any-input.ts';
import { Play } from './turns/play.ts';
import { machine } from './turns/replay.ts';
import { randomRun, randomSteps } from './turns/steps.ts';

const protocol = fc.constantFrom(1 as const, 2 as const);

describe('S3.210 S3.233 the turn machine over random interleavings', () => {
  test('S3.210 every prompt is answered once, every work has one idle, and the lane is never stuck', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, randomRun(60, { without: ['lose'] }), async (version, steps) => {
        const play = new Play({ protocol: version, air: false }, machine);
        await play.all(steps);
        await play.finish();
      }),
      runs(2),
    );
  });

  test('S3.210 S3.73 a close at any moment ends everything, and a session that is opened again is not touched', async () => {
    await fc.assert(
      fc.asyncProperty(
        protocol,
        randomRun(40, { without: ['lose'] }),
        randomSteps(25, { without: ['lose'], also: { close: 1, reopen: 8 } }),
        async (version, before, after) => {
          const play = new Play({ protocol: version, air: false }, machine);
          await play.all([...before, ['close', 0], ...after]);
          await play.finish();
        },
      ),
      runs(2),
    );
  });

  test('S3.210 whatever comes in whatever order, a prompt is answered once, and a close ends everything', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 60, size: 'max' }), (inputs) => {
        const run = new AnyRun();
        for (const input of inputs) run.input(input);
        run.close();
        expect(run.faults, run.log.join('\n')).toEqual([]);
      }),
      runs(2),
    );
  });
});
