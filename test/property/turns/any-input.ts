import fc from 'fast-check';
import { CodexLostError } from '../../../src/domain/errors/agent-error.ts';
import { transition } from '../../../src/domain/turn/turn-machine.ts';
import type { TurnEffect, TurnInput, TurnState, WorkKind } from '../../../src/domain/turn/turn-state.ts';
import { idleTurnState } from '../../../src/domain/turn/turn-state.ts';

/*
 * Inputs in any order, also such as no Codex sends: doubled, late, out of place, with the ids of other turns. Nothing is
 * known of what happens then, but a prompt is answered once and a close ends everything.
 */

const turnId = fc.constantFrom('t1', 't2', 't3', 't4');
/** Counted back from the newest attempt. */
const attempt = fc.nat(2);
const workKinds: readonly WorkKind[] = ['turn', 'turn', 'local', 'compact', 'review', 'goal'];
const error = new Error('refused');
const cause = new CodexLostError('gone', { exitCode: 1, signal: null, restartable: true });

/** What an input is made of, before the machine's attempts are known. `place`: which prompt. */
export type AnyInput = (attempts: number, place: (back: number) => string) => TurnInput;

const ofTurn = (input: (turnId: string) => TurnInput): fc.Arbitrary<AnyInput> => turnId.map((id) => () => input(id));
const ofAttempt = (input: (attempt: number) => TurnInput): fc.Arbitrary<AnyInput> =>
  attempt.map((back) => (attempts) => input(attempts - back));
const plain = (...inputs: TurnInput[]): fc.Arbitrary<AnyInput> =>
  fc.constantFrom(...inputs).map((input) => () => input);

const promptInput: fc.Arbitrary<AnyInput> = fc
  .tuple(fc.constantFrom(...workKinds), fc.boolean())
  .map(([kind, report]) => (_attempts, place) => ({ type: 'prompt', promptId: place(-1), kind, report }));

/** Any input. */
export const anyInput: fc.Arbitrary<AnyInput> = fc.oneof(
  { weight: 4, arbitrary: promptInput },
  {
    weight: 6,
    arbitrary: ofAttempt((number) => ({ type: 'ready', attempt: number })),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(attempt, fc.option(turnId), fc.constantFrom('a', 'b')).map(
      ([back, id, goalKey]): AnyInput =>
        (attempts) => ({
          type: 'accepted',
          attempt: attempts - back,
          turnId: id,
          goalKey,
        }),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.oneof(
      ofTurn((id) => ({ type: 'turnStarted', turnId: id })),
      fc
        .tuple(turnId, fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const), fc.boolean())
        .map(
          ([id, status, plan]): AnyInput =>
            () => ({ type: 'turnCompleted', turnId: id, status, error: null, plan }),
        ),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.oneof(
      ofTurn((id) => ({ type: 'activity', turnId: id })),
      ofTurn((id) => ({ type: 'reviewing', turnId: id })),
      ofTurn((id) => ({ type: 'compacting', turnId: id })),
      ofTurn((id) => ({ type: 'turnFailed', turnId: id, error: { message: 'no', info: null, details: null } })),
      ofTurn((id) => ({ type: 'interrupted', turnId: id })),
      ofTurn((id) => ({ type: 'notInterrupted', turnId: id, refusal: { type: 'unregistered' } })),
      fc.tuple(turnId, turnId).map(
        ([expected, found]): AnyInput =>
          () => ({
            type: 'notInterrupted',
            turnId: expected,
            refusal: { type: 'mismatch', expected, found },
          }),
      ),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.oneof(
      plain({ type: 'planApproved' }, { type: 'planKept' }, { type: 'threadActive' }, { type: 'threadIdle' }),
      plain({ type: 'timer', timer: 'interrupt' }, { type: 'timer', timer: 'goal' }, { type: 'timer', timer: 'close' }),
      plain({ type: 'goalUpdated', key: 'a' }, { type: 'goalUpdated', key: 'b' }, { type: 'released' }),
      plain({ type: 'notReleased', error }, { type: 'reload' }, { type: 'reloaded' }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      ofAttempt((number) => ({ type: 'refused', attempt: number, error })),
      ofAttempt((number) => ({ type: 'notReady', attempt: number, error })),
      ofAttempt((number) => ({ type: 'localDone', attempt: number })),
      ofAttempt((number) => ({ type: 'localFailed', attempt: number, error })),
      ofAttempt((number) => ({ type: 'modeSwitched', attempt: number })),
      ofAttempt((number) => ({ type: 'modeNotSwitched', attempt: number, error })),
      ofAttempt((number) => ({ type: 'reported', attempt: number })),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      plain({ type: 'cancel' }),
      fc.nat(3).map(
        (back): AnyInput =>
          (_attempts, place) => ({ type: 'landed', promptId: place(back) }),
      ),
      fc.tuple(fc.nat(3), fc.constantFrom('request' as const, 'session' as const)).map(
        ([back, by]): AnyInput =>
          (_attempts, place) => ({
            type: 'cancelPrompt',
            promptId: place(back),
            by,
          }),
      ),
    ),
  },
  { weight: 1, arbitrary: plain({ type: 'lost', cause }, { type: 'close' }) },
);

/** The machine with such inputs; `log` is what came and what it led to, one line each. */
export class AnyRun {
  readonly log: string[] = [];
  readonly faults: string[] = [];
  readonly #prompts: string[] = [];
  readonly #ended = new Set<string>();
  readonly #inserted = new Set<string>();
  #state: TurnState = idleTurnState;

  input(make: AnyInput): void {
    this.#step(make(this.#state.attempts, (back) => this.#place(back)));
  }

  /** Closes the session, with everything that the close may wait for. */
  close(): void {
    this.#step({ type: 'close' });
    for (let round = 0; round < 10 && this.#state.work.phase !== 'closed'; round += 1) {
      this.#step({ type: 'timer', timer: 'close' });
      this.#step({ type: 'released' });
    }
    if (this.#state.work.phase !== 'closed') this.faults.push(`is ${this.#state.work.phase} after the close`);
    if (this.#state.queue.length > 0) this.faults.push('the queue is not empty');
    for (const promptId of this.#prompts) {
      if (!this.#ended.has(promptId)) this.faults.push(`${promptId} is not answered`);
    }
  }

  #place(back: number): string {
    if (back < 0) this.#prompts.push(`p${this.#prompts.length + 1}`);
    return this.#prompts.at(-1 - Math.max(0, back)) ?? 'p0';
  }

  #step(input: TurnInput): void {
    const { state, effects } = transition(this.#state, input);
    this.#state = state;
    this.log.push(`${JSON.stringify(input)} -> ${state.work.phase}: ${effects.map(({ type }) => type).join(', ')}`);
    for (const effect of effects) this.#check(effect);
  }

  #check(effect: TurnEffect): void {
    if (effect.type === 'endPrompt') {
      if (this.#ended.has(effect.promptId)) this.faults.push(`${effect.promptId} is answered twice`);
      this.#ended.add(effect.promptId);
    }
    if (effect.type !== 'inserted') return;
    if (this.#ended.has(effect.promptId)) this.faults.push(`${effect.promptId} is inserted after its answer`);
    if (this.#inserted.has(effect.promptId)) this.faults.push(`${effect.promptId} is inserted twice`);
    this.#inserted.add(effect.promptId);
  }
}
