import { CodexLostError, CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import type { TurnRecord } from '../../../src/ports/outbound/codex-runtime.ts';

/** What the session asks of Codex, or of the disk. `name` is the prompt or steer that a call is for, as far as it tells. */
export type Call =
  | { readonly method: 'start'; readonly name: string; readonly clientId: string | null }
  | { readonly method: 'compact' }
  | { readonly method: 'review'; readonly name: string; readonly broken: boolean }
  | { readonly method: 'interrupt'; readonly turnId: string }
  | { readonly method: 'steer'; readonly name: string; readonly turnId: string; readonly clientId: string }
  /** `prompted`: it is the start of a prompt, not a change beside the lane. */
  | {
      readonly method: 'setGoal';
      readonly objective: string | null;
      readonly status: 'active' | 'paused';
      readonly prompted: boolean;
    }
  | { readonly method: 'setMode'; readonly mode: string }
  | { readonly method: 'readTurn'; readonly turnId: string }
  | { readonly method: 'setName'; readonly title: string }
  | { readonly method: 'clearGoal' | 'disk' | 'local' | 'ready' | 'resume' | 'sample' | 'skills' | 'unsubscribe' }
  | { readonly method: 'readThread' | 'runningTurn' };

/** Everything that an answer may carry; a call reads what it asked for. */
export interface Answer {
  readonly turnId: string | null;
  readonly goal: Goal | null;
  readonly cleared: boolean;
  readonly record: TurnRecord | null;
  /** How the thread stands. */
  readonly status: 'active' | 'idle' | 'notLoaded';
}

export const done: Answer = { turnId: null, goal: null, cleared: false, record: null, status: 'idle' };

/** Whether a turn shall be stopped: nobody said so, it may be, or the client waits for it. */
export type Unwanted = 'may' | 'must' | 'no';

/** A call that was not answered. */
export interface OpenCall {
  readonly call: Call;
  readonly answered: (result: Answer | Error) => void;
  /** `null` until Codex took it. */
  result: Answer | Error | null;
  unwanted: Unwanted;
  /** Only its own turn is unwanted, not one that it joins (S3.59). */
  alone: boolean;
  /** How much the session had heard when it made the call. */
  readonly heard: number;
}

/** Calls that do not go to Codex: they outlive its process. */
export function isOutsideCodex({ method }: Call): boolean {
  return method === 'disk' || method === 'local' || method === 'ready';
}

/** Calls that begin a turn, which Codex does one after the other. */
export function startsTurn({ method }: Call): boolean {
  return method === 'start' || method === 'compact' || method === 'review';
}

export function lost(): CodexLostError {
  return new CodexLostError('The app-server died.', { exitCode: 1, signal: null, restartable: true });
}

export function refusal(message: string): CodexRequestError {
  return new CodexRequestError(-32600, message);
}

/** A call in words, for the script of a run. */
export function inWords(call: Call): string {
  switch (call.method) {
    case 'start':
      return `turn/start (${call.name})`;
    case 'review':
      return `review/start (${call.name})`;
    case 'compact':
      return 'thread/compact/start';
    case 'interrupt':
      return `turn/interrupt (${call.turnId})`;
    case 'steer':
      return `turn/steer (${call.name} into ${call.turnId})`;
    case 'setGoal':
      return `thread/goal/set (${call.status}${call.objective === null ? '' : ` "${call.objective}"`})`;
    case 'clearGoal':
      return 'thread/goal/clear';
    case 'setMode':
      return `the change to ${call.mode} mode`;
    case 'readTurn':
      return `the read of ${call.turnId}`;
    case 'setName':
      return `the rename to "${call.title}"`;
    case 'disk':
      return 'the look at the disk';
    case 'local':
      return 'the work of the local command';
    case 'ready':
      return 'the wait for Codex';
    case 'readThread':
      return 'thread/read';
    case 'runningTurn':
      return 'thread/turns/list';
    case 'resume':
      return 'thread/resume';
    case 'sample':
      return 'thread/sample';
    case 'skills':
      return 'skills/list';
    case 'unsubscribe':
      return 'thread/unsubscribe';
  }
}
