/*
 * The actions of a long conversation, made from a seed: the same seed makes the same actions, whatever Codex does with
 * them. How they interleave with the turns is up to the machine.
 */

/** What a prompt makes the agent do. */
export type PromptKind = 'ask' | 'command' | 'compact' | 'endless' | 'review' | 'status' | 'text';

/** When something is done about a prompt: with it in one write, once the model is asked, once something is shown. */
export type Moment = 'asked' | 'shown' | 'together';

/** How a permission request of the prompt is answered. `late`: after everything else that is done about the prompt. */
export type PermissionAnswer = 'allow' | 'cancelled' | 'error' | 'late' | 'reject';

export type Interruption =
  | { readonly type: 'cancel' | 'cancelRequest'; readonly moment: Moment }
  | { readonly type: 'steer'; readonly moment: Moment; readonly promptRequired: boolean };

/** One prompt and what is done about it. */
export interface Step {
  readonly number: number;
  readonly kind: PromptKind;
  readonly answer: PermissionAnswer;
  readonly interruptions: readonly Interruption[];
  /** The next step begins when everything sent so far has ended. */
  readonly settles: boolean;
  /** A steer while nothing runs, after everything has ended. */
  readonly idleSteer: 'promptRequired' | 'startsTurn' | null;
}

/** Prompts that may wait for one another. */
const maxOpen = 4;

export function conversationScript(seed: number, prompts: number): Step[] {
  const random = new Random(seed);
  const steps: Step[] = [];
  let open = 0;
  for (let number = 1; number <= prompts; number += 1) {
    const kind = random.weighted({ text: 20, ask: 7, command: 6, endless: 5, status: 4, compact: 4, review: 4 });
    open += 1;
    const settles = open >= maxOpen || number === prompts || random.chance(0.45);
    if (settles) open = 0;
    const idle = settles && random.chance(0.2) ? random.of(['promptRequired', 'startsTurn'] as const) : null;
    steps.push({
      number,
      kind,
      answer: random.of(['allow', 'allow', 'reject', 'cancelled', 'error', 'late'] as const),
      interruptions: interruptions(random, kind),
      settles,
      idleSteer: idle,
    });
  }
  return steps;
}

/** What the test prints when it fails. */
export function describeStep(step: Step): string {
  const { number, kind, answer, settles, idleSteer } = step;
  const parts = step.interruptions.map((one) => {
    const how = one.type === 'steer' && one.promptRequired ? ' (promptRequired)' : '';
    return `${one.type}${how} ${one.moment}`;
  });
  if (kind === 'ask') parts.unshift(`answer ${answer}`);
  if (settles) parts.push('settle');
  if (idleSteer !== null) parts.push(`idle steer ${idleSteer}`);
  return `#${number} ${kind}: ${parts.join(', ') || 'go on'}`;
}

function interruptions(random: Random, kind: PromptKind): Interruption[] {
  const made: Interruption[] = [];
  const moment = (): Moment => random.of(['asked', 'shown', 'together'] as const);
  if (random.chance(0.3)) made.push({ type: 'steer', moment: moment(), promptRequired: random.chance(0.5) });
  if (random.chance(0.15)) made.push({ type: 'cancelRequest', moment: moment() });
  // Nothing else ends such a command.
  if (kind === 'endless' || random.chance(0.2)) made.push({ type: 'cancel', moment: moment() });
  return made;
}

/** Small, fast and the same everywhere (mulberry32). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  of<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as [Name, ...Name[]];
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[0];
  }
}
