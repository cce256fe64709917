import type { FakeClock } from '../../support/fake-clock.ts';
import type { CodexModel } from './codex-model.ts';
import type { Setup } from './script.ts';

/** What a prompt asks for; `report` is text with the wish for a report of changed files. */
export const promptKinds = [
  'text',
  'text',
  'text',
  'report',
  'text',
  'compact',
  'review',
  'review-branch',
  'goal',
  'text',
  'resume',
  'skills',
  'plan',
  'pause',
  'clear',
  'rename',
  'usage',
  'text',
  'report',
  'status',
] as const;

export type PromptKind = (typeof promptKinds)[number];

/** The text that asks for it; `name` finds its way to Codex. */
export function promptText(kind: PromptKind, name: string): string {
  switch (kind) {
    case 'text':
    case 'report':
      return `hello ${name}`;
    case 'review':
      return `/review look ${name}`;
    case 'review-branch':
      return `/review-branch ${name}`;
    case 'goal':
      return `/goal ship ${name}`;
    case 'resume':
    case 'pause':
    case 'clear':
      return `/goal ${kind}`;
    case 'rename':
      return `/rename ${name}`;
    case 'usage':
      return '/plan now';
    case 'compact':
    case 'plan':
    case 'skills':
    case 'status':
      return `/${kind}`;
  }
}

/** What the client does to a session. */
export interface Subject {
  /** What the client saw, in the words of words.ts. */
  readonly seen: readonly string[];
  /** Calls that were made in the name of a client which waits for an answer, with what came back. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** The state is at rest: nothing runs and nothing waits. `null` when it cannot be told. */
  readonly rest: { readonly phase: string; readonly queue: number } | null;
  prompt(promptId: string, kind: PromptKind): void;
  cancel(): void;
  cancelPrompt(promptId: string): void;
  /** Its end is told with `answers`. */
  close(name: string): void;
  decidePlan(askId: number, approved: boolean): void;
  /** Only of a whole session; `null` for the turn machine alone. */
  readonly session: SessionCommands | null;
  /** Lets everything that is already known come through. */
  flush(): Promise<void> | void;
}

export interface SessionCommands {
  steer(name: string, promptRequired: boolean): void;
  answerAsk(askId: number, allowed: boolean): void;
  answerForm(askId: number, filled: boolean): void;
  changeSetting(variant: number): void;
  setPlanMode(name: string, on: boolean): void;
  /** The mode that the client is shown. */
  readonly planMode: boolean;
  controlGoal(name: string, variant: number): void;
  /** Sets the session up again with other instructions (S2.53). */
  changeInstructions(name: string): void;
  /** That is under way: nothing but a cancel or a close reaches the session (S2.57). */
  readonly reloading: boolean;
}

/** Makes a session of the thread; each time it is opened, a new one. */
export type SubjectFactory = (setup: Setup, codex: CodexModel, clock: FakeClock) => Subject;
