import { token } from './service-identifier.ts';

/** Wall clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Local time minus UTC at a moment, in minutes; for times that people read. */
  minutesAheadOfUtc(at: number): number;
}

/** Timers; the only way the core waits. */
export interface Scheduler {
  /** Runs the action once after the delay in milliseconds; returns the function that cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** Fresh identifiers. */
export interface Ids {
  uuid(): string;
}

/** Log with levels; context must hold no secrets, and known secret keys are redacted anyway (S1.34). */
export interface Log {
  debug(message: string, context?: Readonly<Record<string, unknown>>): void;
  info(message: string, context?: Readonly<Record<string, unknown>>): void;
  warn(message: string, context?: Readonly<Record<string, unknown>>): void;
  error(message: string, context?: Readonly<Record<string, unknown>>): void;
}

/** The user's browser. */
export interface Browser {
  /** Rejects when no browser could be opened, so that the address can be shown in another way (S1.163). */
  open(url: string): Promise<void>;
}

/** The terminal that the agent runs in, if there is one: its stderr. */
export interface Terminal {
  tell(text: string): void;
}

export const Clock = token<Clock>('Clock');
export const Scheduler = token<Scheduler>('Scheduler');
export const Ids = token<Ids>('Ids');
export const Log = token<Log>('Log');
export const Browser = token<Browser>('Browser');
export const Terminal = token<Terminal>('Terminal');
