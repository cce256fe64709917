import type { TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

const none: readonly TurnEffect[] = [];

/** A step to other work. */
export function step(state: TurnState, work: Work, effects: readonly TurnEffect[] = none): TurnStep {
  return { state: { ...state, work }, effects };
}

/** The input means nothing here. */
export function ignored(state: TurnState): TurnStep {
  return { state, effects: none };
}
