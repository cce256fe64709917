import { stopRetrying, turnOver } from './ending.ts';
import { unansweredStart } from './prep.ts';
import { step } from './steps.ts';
import type { Completion, Running, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';

/*
 * The turn of a compaction is the first that begins after the request (S3.110). The next turn of a goal can get in
 * between: Codex starts it at the same moment, and cuts it off for the compaction (S3.8). What tells them apart is the
 * item of the compaction, which begins before its turn can end in any way.
 */

/** The compaction follows a turn that was not it; it is not waited for without end (S12.5). */
export const compactionFollows: TurnEffect = { type: 'wait', timer: 'compaction', ms: 1000 };

/** The turn of the compaction among those that began since the request; `null` while it is not known. */
export function compactionTurn({ started, completed, compacting }: Starting): string | null {
  const fits = (turnId: string): boolean => {
    const status = completed.get(turnId)?.status;
    return status === undefined || status === 'failed' || compacting.includes(turnId);
  };
  return started.find(fits) ?? null;
}

/** A turn that its item was seen in, and one that follows a turn that was not it. */
export function compactsIn({ compacting, cutOff, started }: Starting, turnId: string): boolean {
  return cutOff !== null || compacting.includes(turnId) || started.indexOf(turnId) > 0;
}

/** The turn ended before a compaction began in it: it was another one. A failure is told as that of the compaction. */
export function isCutOff(work: Running, { status }: Completion): boolean {
  return work.kind === 'compact' && !work.compacting && status !== 'failed';
}

/** The prompt goes back to waiting for its turn. */
export function awaitCompaction(state: TurnState, work: Running, { status, error }: Completion): TurnStep {
  const { promptId, kind, report, attempt, turnId, inserted, second, other, cancelled } = work;
  const effects: TurnEffect[] = [turnOver(turnId, { status, error }, cancelled !== null)];
  stopRetrying(work, effects);
  const next: Starting = {
    ...unansweredStart,
    promptId,
    kind,
    report,
    attempt,
    agent: null,
    cancelled,
    inserted,
    second,
    accepted: true,
    goal: null,
    cutOff: { status, error },
    started: other === null ? [] : [other.turnId],
  };
  return step(state, next, [...effects, compactionFollows]);
}
