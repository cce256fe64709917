import type { SessionContext } from '../feature/session-context.ts';
import { takesImages } from '../settings/session-settings.ts';
import type { Work } from '../turn/turn-state.ts';
import type { PromptLedger } from './prompt-ledger.ts';
import type { TurnRunner } from './turn-runner.ts';

export interface TurnModelsParts {
  readonly context: SessionContext;
  readonly prompts: PromptLedger;
  readonly runner: TurnRunner;
  readonly work: () => Work;
}

/** With which model a turn runs, whatever was chosen since it began (S3.25). */
export class TurnModels {
  readonly #parts: TurnModelsParts;
  /** The turn that began last, with the model that the thread had then. */
  #begun: { readonly turnId: string; readonly model: string } | null = null;

  constructor(parts: TurnModelsParts) {
    this.#parts = parts;
  }

  /** A turn began, perhaps one that no start of ours brought settings to. */
  began(turnId: string): void {
    const { runner } = this.#parts;
    this.#begun = { turnId, model: (runner.told ?? runner.settings).model };
  }

  takesImages(turnId: string): boolean {
    return takesImages(this.#parts.context.settings(), this.#modelOf(turnId) ?? undefined);
  }

  #modelOf(turnId: string): string | null {
    const { prompts, work } = this.#parts;
    const now = work();
    const own = now.phase === 'running' && now.turnId === turnId && !now.adopted;
    if (own && prompts.admitted !== null) return prompts.admitted.policy.model;
    return this.#begun?.turnId === turnId ? this.#begun.model : null;
  }
}
