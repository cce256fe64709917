import type { CodexSampling } from '../../ports/outbound/codex-features.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { TurnStatus } from '../thread/thread-event.ts';
import { suggestionPrompt } from './suggestion-prompt.ts';
import { suggestionOf } from './suggestion-reply.ts';

/** A prompt that is over. */
export interface AnsweredPrompt {
  /** It asked for a turn with its text; no command. */
  readonly ordinary: boolean;
  /** Its last turn; `null` when none was named. */
  readonly turnId: string | null;
  /** How that turn ended; `null` when Codex did not tell. */
  readonly status: TurnStatus | null;
  /** It ran in plan mode. */
  readonly planMode: boolean;
}

/** What AIR offers the user to say next, asked of the model after a turn (S3.194, S3.195). */
export class PromptSuggestions {
  readonly #context: SessionContext;
  readonly #sampling: Pick<CodexSampling, 'sample'>;
  readonly #enabled: boolean;
  #held: string | null = null;
  /** Counts what happened; the reply to a request of an older count is dropped (R34). */
  #epoch = 0;

  /** `allowed` is what the environment says (S1.21); only AIR gets suggestions. */
  constructor(context: SessionContext, sampling: Pick<CodexSampling, 'sample'>, allowed: boolean) {
    this.#context = context;
    this.#sampling = sampling;
    this.#enabled = allowed && context.profile.air !== null;
  }

  /** A prompt has the lane: what was suggested before it is over (S3.39, S3.195). */
  promptAdmitted(): void {
    this.#epoch += 1;
    this.#publish(null);
  }

  /** A turn began, whoever started it: a reply about an older one is late (R34). */
  turnStarted(): void {
    this.#epoch += 1;
  }

  /** Asks for a suggestion; it never delays the end of the prompt (S11.16). */
  promptEnded({ ordinary, turnId, status, planMode }: AnsweredPrompt): void {
    if (!this.#enabled || !ordinary || turnId === null || status !== 'completed' || planMode) return;
    this.#epoch += 1;
    const epoch = this.#epoch;
    this.#context.settle(
      this.#sampling.sample({ threadId: this.#context.sessionId, turnId, prompt: suggestionPrompt }),
      (reply) => {
        if (epoch === this.#epoch) this.#publish(suggestionOf(reply));
      },
      // Also when Codex says that the turn is not the latest any more: a suggestion is not worth an error.
      () => undefined,
    );
  }

  /** The session is closed: nothing is taken back and nothing comes any more (S3.195, S3.73). */
  close(): void {
    this.#epoch += 1;
    this.#held = null;
  }

  #publish(suggestion: string | null): void {
    if (suggestion === this.#held) return;
    this.#held = suggestion;
    this.#context.show({ type: 'suggestions', texts: suggestion === null ? [] : [suggestion] });
  }
}
