import type { SessionSettings } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import { turnPolicy } from '../settings/turn-policy-of.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';
import type { WorkUsage } from '../turn/work-ending.ts';
import type { UsageMeter } from '../usage/usage-meter.ts';
import { beginUsage, endUsage, observeUsage, usageMeter, workTokens } from '../usage/usage-meter.ts';
import type { PromptWork } from './prompt-work.ts';

/** A prompt that was admitted, with the settings that it runs with (S12.7). */
export interface AdmittedPrompt {
  readonly prompt: PromptWork;
  readonly policy: TurnPolicy;
}

/** The prompts of a session while they wait and run, and what they used. */
export class PromptLedger {
  readonly #prompts = new Map<string, PromptWork>();
  #admitted: AdmittedPrompt | null = null;
  #usage: UsageMeter;
  #lastReport: Extract<ThreadEvent, { type: 'tokenUsage' }> | null = null;
  #lastUsage: WorkUsage | null = null;

  constructor(thread: 'loaded' | 'new') {
    this.#usage = usageMeter(thread);
  }

  /** Last report of Codex about the thread's tokens, for `/status` (S2.121). */
  get lastReport(): Extract<ThreadEvent, { type: 'tokenUsage' }> | null {
    return this.#lastReport;
  }

  /** The prompt that holds the lane. */
  get admitted(): AdmittedPrompt | null {
    return this.#admitted;
  }

  /** Usage of the prompt that ended last, for the `idle` that follows it (S3.97). */
  get lastUsage(): WorkUsage | null {
    return this.#lastUsage;
  }

  add(prompt: PromptWork): void {
    this.#prompts.set(prompt.promptId, prompt);
  }

  get(promptId: string): PromptWork | undefined {
    return this.#prompts.get(promptId);
  }

  /** The prompt has the lane: its settings are fixed now (S12.7), and its usage counts from here (S3.161). */
  admit(promptId: string, settings: SessionSettings): AdmittedPrompt | null {
    const prompt = this.#prompts.get(promptId);
    if (prompt === undefined) return null;
    this.#admitted = { prompt, policy: turnPolicy(settings) };
    this.#usage = beginUsage(this.#usage);
    return this.#admitted;
  }

  /** Takes notice of an event of the thread (S3.161). */
  observe(event: ThreadEvent): void {
    if (event.type === 'tokenUsage') this.#lastReport = event;
    this.#usage = observeUsage(this.#usage, event);
  }

  /** The prompt is over; returns what it used, or `null` when it never had the lane. */
  end(promptId: string): WorkUsage | null {
    this.#prompts.delete(promptId);
    if (this.#admitted?.prompt.promptId !== promptId) return null;
    const local = this.#admitted.prompt.task.type === 'local';
    // A local command used nothing, whatever a turn beside it did (S3.163).
    this.#lastUsage = { tokens: local ? null : workTokens(this.#usage), model: this.#admitted.policy.model };
    this.#usage = endUsage(this.#usage);
    this.#admitted = null;
    return this.#lastUsage;
  }
}
