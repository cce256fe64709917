import fc from 'fast-check';

/** What the client does. `n` picks among several, or a variant. */
export const clientSteps = [
  'prompt',
  'steer',
  'cancel',
  'cancelPrompt',
  'allow',
  'reject',
  'approve',
  'keep',
  'fill',
  'setting',
  'planMode',
  'goal',
  'reload',
  'close',
  'reopen',
] as const;

/** What Codex and the clock do. */
export const codexSteps = [
  'answer',
  'take',
  'refuse',
  'advance',
  'hear',
  'finish',
  'fail',
  'agentTurn',
  'command',
  'endCommand',
  'text',
  'plan',
  'question',
  'ask',
  'diff',
  'retry',
  'usage',
  'again',
  'lose',
  'die',
  'tick',
] as const;

export type ClientStep = (typeof clientSteps)[number];
export type CodexStep = (typeof codexSteps)[number];

/** One thing that happens, with a number that picks which or how. */
export type Step = readonly [ClientStep | CodexStep, number];

type Weights = Readonly<Partial<Record<ClientStep | CodexStep, number>>>;

/** How often each step is tried; most do nothing when their time has not come. */
const weights: Weights = {
  answer: 30,
  advance: 24,
  prompt: 8,
  take: 6,
  hear: 6,
  steer: 4,
  cancel: 2,
  cancelPrompt: 2,
  allow: 5,
  reject: 3,
  approve: 6,
  keep: 2,
  fill: 4,
  setting: 1,
  planMode: 2,
  goal: 2,
  reload: 3,
  refuse: 2,
  finish: 3,
  fail: 2,
  agentTurn: 3,
  command: 6,
  endCommand: 4,
  text: 4,
  plan: 8,
  question: 3,
  ask: 8,
  diff: 3,
  retry: 2,
  usage: 2,
  again: 4,
  lose: 8,
  die: 1,
  tick: 5,
};

/** How a run begins: so it comes at once to where it would come by chance only now and then. */
const running: readonly Step[] = [
  ['answer', 0],
  ['answer', 0],
  ['advance', 1],
  ['advance', 1],
];
const openings: readonly (readonly Step[])[] = [
  [],
  [['prompt', 0], ...running],
  [['prompt', 0], ...running, ['command', 2], ['ask', 0]],
  [['prompt', 0], ...running, ['command', 1], ['question', 1], ['steer', 0]],
  // A plan that is reviewed, and its second turn.
  [['planMode', 0], ['answer', 0], ['prompt', 0], ...running, ['plan', 1], ['advance', 1]],
  [
    ['planMode', 0],
    ['answer', 0],
    ['prompt', 3],
    ...running,
    ['plan', 1],
    ['advance', 1],
    ['approve', 0],
    ['answer', 1],
  ],
  // A report that waits for the disk.
  [['prompt', 3], ...running, ['diff', 1], ['advance', 1]],
  [
    ['agentTurn', 1],
    ['command', 2],
    ['prompt', 0],
    ['answer', 0],
  ],
  [['prompt', 5], ...running],
  [['prompt', 6], ...running],
  [['prompt', 8], ...running],
  [
    ['goal', 0],
    ['answer', 0],
    ['advance', 1],
    ['advance', 1],
  ],
  [
    ['prompt', 11],
    ['answer', 0],
    ['prompt', 0],
    ['steer', 1],
  ],
  // Other instructions: up to the request by which the thread is let go of, and that by which it is loaded.
  [
    ['reload', 0],
    ['answer', 0],
    ['answer', 0],
  ],
  [
    ['reload', 0],
    ['answer', 0],
    ['answer', 0],
    ['take', 0],
    ['answer', 0],
  ],
];

/** An opening and random steps. */
export function randomRun(maxLength: number, left?: Parameters<typeof randomSteps>[1]): fc.Arbitrary<Step[]> {
  return fc
    .tuple(fc.constantFrom(...openings), randomSteps(maxLength, left))
    .map(([opening, steps]) => [...opening, ...steps]);
}

/** A list of random steps. `without` leaves some out, `also` adds some. */
export function randomSteps(
  maxLength: number,
  { without = [], also = {} }: { without?: readonly Step[0][]; also?: Weights } = {},
): fc.Arbitrary<Step[]> {
  const offered = Object.entries({ ...weights, ...also }).filter(([name]) => !without.some((left) => left === name));
  const names = offered.flatMap(([name, weight]) => {
    const known = [...clientSteps, ...codexSteps].find((step) => step === name);
    return known === undefined ? [] : [{ weight, arbitrary: fc.constant(known) }];
  });
  return fc.array(fc.tuple(fc.oneof(...names), fc.nat(19)), { maxLength, size: 'max' });
}
