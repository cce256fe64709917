import { describe, test } from 'vitest';
import { machine, replay, session } from '../../property/turns/replay.ts';
import type { Setup } from '../../property/turns/script.ts';
import type { Step } from '../../property/turns/steps.ts';

/*
 * Interleavings that random runs found; each was a fault once (`npm run test:soak` prints such scripts). What a run must
 * hold to is checked when it is played to its end.
 */

const v1: Setup = { protocol: 1, air: false };
const v2: Setup = { protocol: 2, air: false };

const scripts: readonly { readonly name: string; readonly setup: Setup; readonly steps: readonly Step[] }[] = [
  {
    name: 'S3.59 S3.110 the cancel of a /compact that waits for Codex leaves the compaction of the one before alone',
    setup: v2,
    steps: [
      ['prompt', 5], // client sends p1 "/compact"
      ['agentTurn', 0], // Codex begins the agent turn t1
      ['answer', 0], // over: the wait for Codex
      ['answer', 0], // Codex answers thread/compact/start
      ['advance', 1], // Codex ends t1: interrupted
      ['prompt', 5], // client sends p2 "/compact"
      ['tick', 13], // 2100 ms pass
      ['cancelPrompt', 0], // client cancels the request of p2
    ],
  },
  {
    name: 'S3.57 a cancel of the session reaches a turn of Codex that began before the goal was taken',
    setup: v1,
    steps: [
      ['prompt', 8], // client sends p1 "/goal ship p1"
      ['answer', 0], // over: the wait for Codex
      ['agentTurn', 1], // Codex begins the agent turn t1
      ['cancel', 0],
      ['answer', 0], // Codex answers thread/goal/set
    ],
  },
  {
    name: 'S3.57 the same when Codex refuses to resume a goal',
    setup: v2,
    steps: [
      ['prompt', 10], // client sends p1 "/goal resume"
      ['answer', 0], // over: the wait for Codex
      ['agentTurn', 1], // Codex begins the agent turn t1
      ['cancel', 0],
      ['answer', 0], // Codex answers thread/goal/set with an error
    ],
  },
  {
    name: 'S3.57 the same when the turn of the prompt is over before its start is answered',
    setup: v1,
    steps: [
      ['prompt', 0], // client sends p1 "hello p1"
      ['answer', 0], // over: the wait for Codex
      ['take', 0], // Codex takes turn/start
      ['advance', 0], // Codex begins the prompt turn t1
      ['advance', 0], // Codex records the message in t1
      ['advance', 0], // Codex ends t1: completed
      ['agentTurn', 1], // Codex begins the agent turn t2; all is told
      ['cancel', 0],
      ['answer', 0], // Codex answers turn/start with t1
    ],
  },
  {
    name: 'S3.57 the same when the goal was taken, and reported after that turn had begun',
    setup: v1,
    steps: [
      ['prompt', 8], // client sends p1 "/goal ship p1"
      ['answer', 0], // over: the wait for Codex
      ['agentTurn', 0], // Codex begins the agent turn t1
      ['answer', 0], // Codex answers thread/goal/set
      ['hear', 10], // told: thread active, turn t1 started, goal active
      ['cancel', 0],
    ],
  },
  {
    name: 'S3.54 S3.110 a turn that ended before the compaction began in it was another: the cancel stops the compaction',
    setup: v1,
    steps: [
      ['agentTurn', 0], // Codex begins the agent turn t1
      ['fail', 0], // Codex ends t1: failed
      ['prompt', 5], // client sends p1 "/compact"
      ['agentTurn', 0], // Codex begins the agent turn t2
      ['answer', 0], // over: the wait for Codex
      ['advance', 1], // Codex ends t2: completed; all is told
      ['cancelPrompt', 0], // client cancels the request of p1
      ['answer', 0], // Codex answers thread/compact/start
    ],
  },
  {
    name: 'S3.57 S3.110 the compaction behind another turn was cancelled: the turn of a goal after it goes on',
    setup: v1,
    steps: [
      ['goal', 0], // client changes the goal: set (g1)
      ['answer', 0], // over: the wait for Codex
      ['prompt', 5], // client sends p1 "/compact"
      ['answer', 7], // over: the wait for Codex
      ['cancelPrompt', 0], // client cancels the request of p1
      ['answer', 0], // Codex answers thread/goal/set
      ['advance', 0], // Codex begins the goal turn t1
      ['take', 0], // Codex takes thread/compact/start
      ['hear', 19], // told: goal active, turn t1 started
      ['advance', 1], // Codex ends t1: interrupted
      ['advance', 1], // Codex begins the compact turn t2
      ['answer', 0], // Codex answers thread/compact/start
    ],
  },
  {
    name: 'S3.57 S8.66 a cancel for a turn that had no name yet is not for one of the next process',
    setup: v1,
    steps: [
      ['prompt', 8], // client sends p1 "/goal ship p1"
      ['answer', 0], // over: the wait for Codex
      ['answer', 0], // Codex answers thread/goal/set
      ['advance', 1], // Codex begins the goal turn t1
      ['advance', 1], // Codex ends t1: completed
      ['advance', 16], // Codex begins the goal turn t2; told: thread active
      ['cancel', 0],
      ['die', 0],
      ['goal', 0], // client changes the goal: set (g1)
      ['answer', 0], // over: the wait for Codex
      ['answer', 0], // Codex answers thread/resume
      ['answer', 0], // Codex answers thread/goal/set
    ],
  },
  {
    name: 'S3.61 S3.62 a review and the turn beside it are stopped as one: then the review is told by itself',
    setup: v1,
    steps: [
      ['prompt', 8], // client sends p1 "/goal ship p1"
      ['answer', 0], // over: the wait for Codex
      ['answer', 0], // Codex answers thread/goal/set
      ['advance', 1], // Codex begins the goal turn t1
      ['advance', 1], // Codex ends t1: completed
      ['advance', 0], // Codex begins the goal turn t2
      ['prompt', 6], // client sends p2 "/review look p2"
      ['advance', 0], // Codex ends t2: completed
      ['answer', 0], // over: the wait for Codex
      ['advance', 0], // Codex begins the goal turn t3
      ['text', 5], // Codex speaks; all is told
      ['answer', 0], // Codex answers review/start with t4
      ['cancel', 0],
      ['answer', 3], // Codex refuses to interrupt t4: it found t3
      ['answer', 0], // Codex answers turn/interrupt (t3)
    ],
  },
  {
    name: 'S3.57 S3.114 a cancel that stopped a turn from before the review goes on to the review',
    setup: v1,
    steps: [
      ['prompt', 6], // client sends p1 "/review look p1"
      ['answer', 0], // over: the wait for Codex
      ['agentTurn', 1], // Codex begins the agent turn t1
      ['cancel', 0],
      ['answer', 0], // Codex answers review/start with t2
      ['answer', 0], // Codex answers turn/interrupt (t1)
      ['advance', 1], // Codex ends t1: interrupted
      ['advance', 1], // Codex enters the review t2
    ],
  },
  {
    name: 'S12.5 S3.114 the question of a turn from before the review is withdrawn, though its end was never told',
    setup: v2,
    steps: [
      ['prompt', 6], // client sends p1 "/review look p1"
      ['answer', 0], // over: the wait for Codex
      ['agentTurn', 0], // Codex begins the agent turn t1
      ['question', 0], // Codex asks a question and goes on
      ['answer', 0], // Codex answers review/start with t2
      ['finish', 4], // Codex ends t1; told: the question, thread idle
      ['lose', 0], // never told: turn t1 completed
    ],
  },
  {
    name: 'S3.77 S3.96 a turn that began after a review failed, before the review was answered, is shown as running',
    setup: v2,
    steps: [
      ['prompt', 6], // client sends p1 "/review look p1"
      ['answer', 0], // over: the wait for Codex
      ['take', 0], // Codex takes review/start
      ['advance', 0], // Codex enters the review t1
      ['advance', 0], // Codex begins the review turn t1c
      ['fail', 0], // Codex ends t1: failed
      ['agentTurn', 1], // Codex begins the agent turn t2
      ['text', 0],
      ['answer', 0], // Codex answers review/start with t1
    ],
  },
];

test('S3.61 S3.62 a turn that a refused interrupt named is not asked for once it is over', async () => {
  const play = await replay(v2, [
    ['agentTurn', 1], // Codex begins the agent turn t1; all is told
    ['prompt', 0], // client sends p1 "hello p1"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers turn/start (p1) with t1
    ['advance', 0], // Codex records the message in t1
    ['advance', 16], // Codex ends t1; told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['agentTurn', 0], // Codex begins the agent turn t2
    ['cancel', 0],
    ['hear', 19], // told: turn t2 started
    ['answer', 0], // Codex answers turn/interrupt (t1) with the name of t2
    ['advance', 1], // Codex ends t2: completed
  ]);
  await play.finish();
});

test('S12.5 C003 the end of a turn is lost while a goal is being set: the next prompts run', async () => {
  const play = await replay(v1, [
    ['prompt', 0], // client sends p1 "hello p1"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers turn/start (p1) with t1
    ['advance', 1], // Codex begins the prompt turn t1
    ['advance', 1], // Codex records the message in t1
    ['prompt', 8], // client sends p2 "/goal ship p2"
    ['advance', 1], // Codex ends t1: completed
    ['prompt', 5], // client sends p3 "/compact"
    ['answer', 0], // Codex answers skills/list
    ['answer', 0], // over: the wait for Codex
    ['agentTurn', 0], // Codex begins the agent turn t2
    ['advance', 16], // Codex ends t2; told: thread idle
    ['lose', 0], // never told: turn t2 completed
  ]);
  await play.finish();
});

test('S12.5 S3.115 a turn from before a review that cannot begin leaves no tool call open, though its end was lost', async () => {
  const play = await replay(v1, [
    ['goal', 0], // client changes the goal: set (g1)
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers thread/goal/set
    ['prompt', 7], // client sends p1 "/review-branch p1"
    ['answer', 0], // over: the wait for Codex
    ['advance', 0], // Codex begins the goal turn t1
    ['command', 0], // Codex runs a command
    ['answer', 0], // Codex answers review/start with t2
    ['finish', 4], // Codex ends t1: completed; told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['advance', 1], // Codex gives the review up
  ]);
  await play.finish();
});

test('S12.5 S3.114 a turn that begins behind a review whose end was lost runs beside it, and closes what it opened', async () => {
  const play = await replay(v2, [
    ['prompt', 6], // client sends p1 "/review look p1"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers review/start with t1
    ['advance', 1], // Codex enters the review t1
    ['advance', 1], // Codex begins the review turn t1c
    ['advance', 1], // Codex has reviewed in t1
    ['advance', 0], // Codex ends t1
    ['hear', 0], // told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['tick', 13], // 2100 ms pass
    ['agentTurn', 0], // Codex begins the agent turn t2
    ['command', 0], // Codex runs a command
    ['hear', 19], // told: turn t2 started, its command starts
    ['answer', 0], // Codex answers the read of t1
  ]);
  await play.finish();
});

test('S12.5 the record of a turn was read before its end, which was lost: it is read again', async () => {
  const play = await replay(v2, [
    ['prompt', 5], // client sends p1 "/compact"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers thread/compact/start
    ['advance', 1], // Codex begins the compact turn t1
    ['advance', 1], // Codex begins to compact in t1
    ['advance', 1], // Codex has compacted in t1
    ['tick', 13], // 2100 ms pass
    ['take', 0], // Codex takes the read of t1
    ['advance', 4], // Codex ends t1; told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['answer', 0], // Codex answers the read of t1: it runs
  ]);
  await play.finish();
});

test.each([v1, v2])(
  'S2.25 S2.56 C008 a command whose end was told while nobody listened ends with its turn, %j',
  async (setup) => {
    const play = await replay(setup, [
      ['reload', 0], // client sets the session up with other instructions (r1)
      ['answer', 0], // Codex answers thread/read
      ['answer', 0], // Codex answers thread/turns/list
      ['agentTurn', 0], // Codex begins the agent turn t1
      ['command', 5], // Codex runs a command; all is told
      ['answer', 0], // Codex answers thread/unsubscribe
      ['endCommand', 0], // Codex ends the command
      ['hear', 19], // nobody listens
      ['answer', 0], // Codex answers thread/resume
    ]);
    await play.finish();
  },
);

test('S2.25 S2.56 a turn that began after a reload had failed altogether is known before its text', async () => {
  const play = await replay(v2, [
    ['reload', 0], // client sets the session up with other instructions (r1)
    ['answer', 0], // Codex answers thread/read
    ['answer', 0], // Codex answers thread/turns/list
    ['answer', 0], // Codex answers thread/unsubscribe
    ['refuse', 0], // Codex refuses thread/resume
    ['refuse', 0], // Codex refuses thread/resume
    ['steer', 0], // client steers s1
    ['agentTurn', 5], // Codex begins the agent turn t1
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers thread/resume
    ['text', 0], // Codex speaks
    ['hear', 19],
  ]);
  await play.finish();
});

test('C008 S2.56 the end of a command that outlived its turn is not told during a reload: its tool call is closed', async () => {
  const play = await replay(v1, [
    ['goal', 0], // client changes the goal: set (g1)
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers thread/goal/set
    ['reload', 0], // client sets the session up with other instructions (r1)
    ['answer', 0], // Codex answers thread/read
    ['answer', 0], // Codex answers thread/turns/list
    ['advance', 0], // Codex begins the goal turn t1
    ['command', 5], // Codex runs a command; all is told
    ['advance', 0], // Codex ends t1
    ['advance', 0], // Codex begins the goal turn t2
    ['advance', 0], // Codex ends t2; the end of t1 is told
    ['endCommand', 0], // Codex ends the command
    ['answer', 0], // Codex answers thread/unsubscribe
    ['hear', 19], // nobody listens
    ['answer', 0], // Codex answers thread/resume
  ]);
  await play.finish();
});

test('S2.25 S3.59 a turn that was found after a reload is one that a prompt joins', async () => {
  const play = await replay(v2, [
    ['reload', 0], // client sets the session up with other instructions (r1)
    ['answer', 0], // Codex answers thread/read
    ['answer', 0], // Codex answers thread/turns/list
    ['take', 0], // Codex takes thread/unsubscribe
    ['answer', 0], // Codex answers thread/unsubscribe
    ['agentTurn', 5], // Codex begins the agent turn t1
    ['answer', 0], // Codex answers thread/resume
    ['answer', 0], // Codex answers thread/turns/list with t1
    ['prompt', 0], // client sends p1 "hello p1"
    ['answer', 0], // over: the wait for Codex
    ['cancelPrompt', 0], // client cancels the request of p1
    ['answer', 0], // Codex answers turn/start (p1) with t1
  ]);
  await play.finish();
});

test('S3.67 S12.5 the end of a review is lost: a close stops the turn that runs by now', async () => {
  const play = await replay(v1, [
    ['prompt', 6], // client sends p1 "/review look p1"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers review/start (p1) with t1
    ['advance', 1], // Codex enters the review t1
    ['advance', 1], // Codex begins the review turn t1c
    ['advance', 1], // Codex has reviewed in t1
    ['advance', 4], // Codex ends t1: completed; told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['agentTurn', 1], // Codex begins the agent turn t2
    ['close', 0], // client closes the session
    ['refuse', 0], // Codex refuses turn/interrupt with the error "refused"
    ['answer', 0], // Codex answers thread/unsubscribe
    ['advance', 1], // Codex ends t2: completed
    ['reopen', 0], // client opens the thread again
  ]);
  await play.finish();
});

test('S12.5 C003 the ends of two turns are lost, one after the other: both are looked at, the next prompt runs', async () => {
  const play = await replay(v2, [
    ['prompt', 0], // client sends p1 "hello p1"
    ['answer', 0], // over: the wait for Codex
    ['answer', 0], // Codex answers turn/start (p1) with t1
    ['advance', 1], // Codex begins the prompt turn t1
    ['advance', 1], // Codex records the message in t1
    ['prompt', 5], // client sends p2 "/compact"
    ['advance', 16], // Codex ends t1; told: thread idle
    ['lose', 0], // never told: turn t1 completed
    ['agentTurn', 0], // Codex begins the agent turn t2
    ['advance', 16], // Codex ends t2; told: thread idle
    ['lose', 0], // never told: turn t2 completed
    ['tick', 19], // 2000 ms pass
  ]);
  await play.finish();
});

describe.each([
  ['the whole session', session],
  ['the turn machine alone', machine],
] as const)('%s', (_name, subject) => {
  test.each(scripts)('$name', async ({ setup, steps }) => {
    const play = await replay(setup, steps, subject);
    await play.finish();
  });
});
