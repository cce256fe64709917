import { turnOver } from './ending.ts';
import { unansweredStart } from './prep.ts';
import { step } from './steps.ts';
import type { Completion, Running, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';

/*
 * The turn of a compaction is the first that begins after the request (S3.110). The next turn of a goal can get in
 * between: Codex starts it at the same moment, and cuts it off for the compaction (S3.8).
 */

/** The compaction follows a turn that was cut off; it is not waited for without end (S12.5). */
export const compactionFollows: TurnEffect = { type: 'wait', timer: 'compaction', ms: 1000 };

/** The turn of the compaction among those that began since the request; `null` while it is not known. */
export function compactionTurn({ started, completed }: Starting): string | null {
  return started.find((turnId) => completed.get(turnId)?.status !== 'interrupted') ?? null;
}

/**
 * The turn was cut off before a compaction began in it: it was another one. A cancelled prompt does not wait for its
 * compaction: should one follow all the same, it is a turn of Codex that can be cancelled.
 */
export function isCutOff(work: Running, { status }: Completion): boolean {
  return work.kind === 'compact' && !work.compacting && work.cancelled === null && status === 'interrupted';
}

/** The prompt goes back to waiting for its turn. */
export function awaitCompaction(state: TurnState, work: Running): TurnStep {
  const { promptId, kind, report, attempt, turnId, inserted, second, other } = work;
  const effects: TurnEffect[] = [turnOver(turnId, { status: 'interrupted', error: null }, false)];
  const next: Starting = {
    ...unansweredStart,
    promptId,
    kind,
    report,
    attempt,
    agent: null,
    inserted,
    second,
    accepted: true,
    goal: null,
    cutOff: true,
    started: other === null ? [] : [other.turnId],
  };
  return step(state, next, [...effects, compactionFollows]);
}
