/** How long after its goal was taken the turn of a goal may take to begin, in milliseconds (S3.119). */
export const goalTurnLimitMs = 1000;

/**
 * Finds the turn of a goal: the first that begins after Codex reported the goal as it was set (S3.119). The report may
 * come before the answer to the request, and so may the turn.
 */
export interface GoalStart {
  /** Names the goal that Codex answered with; `null` before the answer. */
  readonly wanted: string | null;
  /** Reported goals, with the number of turns that had begun before each. */
  readonly reports: ReadonlyMap<string, number>;
}

export const goalAsked: GoalStart = { wanted: null, reports: new Map() };

/** Codex took the goal. */
export function goalTaken(start: GoalStart, key: string): GoalStart {
  return { ...start, wanted: key };
}

/** Codex reported a goal after so many turns had begun; the first report of a goal counts. */
export function goalReported(start: GoalStart, key: string, turns: number): GoalStart {
  if (start.reports.has(key)) return start;
  return { ...start, reports: new Map(start.reports).set(key, turns) };
}

/** The goal was taken and reported: the next turn is its turn. */
export function goalMatched(start: GoalStart): boolean {
  return start.wanted !== null && start.reports.has(start.wanted);
}

/** The goal's turn among those that began since the request; `null` while it is not known. */
export function goalTurn(start: GoalStart, started: readonly string[]): string | null {
  if (start.wanted === null) return null;
  const before = start.reports.get(start.wanted);
  return before === undefined ? null : (started[before] ?? null);
}
