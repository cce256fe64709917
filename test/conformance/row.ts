import type { Lab } from './lab.ts';

/** How much a row weighs (S10.1): the last kind is ours. */
export type Tier = 'mandatory' | 'capability' | 'advisory' | 'informational' | 'extra';

interface Requirement {
  /** The id of the public test kit; `ACP-X-…` are ours. */
  readonly id: string;
  readonly tier: Tier;
  readonly requirement: string;
}

/** Tells what was seen, for rows where the protocol leaves it open. */
export type Note = (text: string) => void;

/** A requirement that is checked at once. */
export interface CheckedRow extends Requirement {
  run(lab: Lab, note: Note): Promise<void> | void;
}

/**
 * A requirement about silence (S10.5). `event` brings the agent into the situation; the function that it returns judges
 * what came in the quiet period after it. All quiet rows of a section share one such period.
 */
export interface QuietRow extends Requirement {
  event(lab: Lab): Promise<(note: Note) => Promise<void> | void>;
}

/** A requirement that cannot be checked yet, or never, for the reason given. */
export interface PendingRow extends Requirement {
  readonly pending: string;
}

export type Row = CheckedRow | QuietRow | PendingRow;

/** A part of a table of the conformance specification. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** What later issues bring. */
export const later = {
  load: 'session/load comes with the replay issue (spec part 06)',
  replay: '`replayFrom` of session/resume comes with the replay issue (spec part 06)',
  list: 'session/list comes with the session index issue (spec part 09)',
  remove: 'session/delete comes with the session index issue (spec part 09)',
} as const;
