import fc from 'fast-check';
import { describe, test } from 'vitest';
import { runs } from './runs.ts';
import { Play } from './turns/play.ts';
import { session } from './turns/replay.ts';
import { randomRun, randomSteps } from './turns/steps.ts';

describe('S3.210 S3.233 architecture 3.6: a session over random interleavings', () => {
  for (const protocol of [1, 2] as const) {
    test(`S3.210 v${protocol}: each prompt, steer, tool call and question ends exactly once`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.boolean(), randomRun(60), async (air, steps) => {
          const play = new Play({ protocol, air }, session);
          await play.all(steps);
          await play.finish();
        }),
        runs(),
      );
    });

    test(`S3.210 S3.67 S3.73 v${protocol}: nothing is shown once a close has ended, also when the thread is opened again`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          randomRun(40),
          randomSteps(25, { also: { close: 1, reopen: 8 } }),
          async (air, before, after) => {
            const play = new Play({ protocol, air }, session);
            await play.all([...before, ['close', 0], ...after]);
            await play.finish();
          },
        ),
        runs(),
      );
    });
  }
});
