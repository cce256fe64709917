import type { CodexSampling } from '../../ports/outbound/codex-features.ts';
import type { CodexThreads } from '../../ports/outbound/codex-runtime.ts';
import { sessionTitle } from '../conversation/session-title.ts';
import { AgentError, CodexLostError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import { titleModel } from './title-model.ts';
import { generatedTitle, titleSource } from './title-text.ts';

/**
 * Where the title of a session comes from (S9.131). `fallback` is the text of the first prompt; `explicit` was given by
 * the user; `unknown` is that of a resumed thread. Only `unset` and `fallback` may be replaced by a generated one.
 */
export type TitleOrigin = 'explicit' | 'fallback' | 'generated' | 'unknown' | 'unset';

/** The title of a session as it is opened. */
export interface InitialTitle {
  readonly origin: TitleOrigin;
  /** Title that the client was told when the session opened; absent when it was told none. */
  readonly shown?: string | null;
}

/** A prompt that is over. */
export interface EndedPrompt {
  /** It asked for a turn with its text; no command. */
  readonly ordinary: boolean;
  /** Codex recorded it. */
  readonly inserted: boolean;
  /** It was neither cancelled nor did it fail. */
  readonly normal: boolean;
  /** Its text blocks. */
  readonly texts: readonly string[];
}

export interface SessionTitlesPorts {
  readonly threads: Pick<CodexThreads, 'setName'>;
  readonly sampling: Pick<CodexSampling, 'title'>;
}

/** How long Codex has to report a name that it took, in milliseconds (S3.191, S2.124). */
const echoLimitMs = 5000;

/** The generated title, which a session gets once (S3.191). `open`: it can be made at the next end of a prompt. */
type Generation =
  | { readonly phase: 'open' }
  | { readonly phase: 'sampling' }
  | { readonly phase: 'writing' }
  /** Codex took the title and has yet to report it. */
  | { readonly phase: 'written'; readonly stopWaiting: () => void }
  | { readonly phase: 'done' };

/** A rename by the user; they are written one after another (S9.122). */
interface Rename {
  readonly name: string;
  readonly title: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  state: 'waiting' | 'writing' | 'written';
  /** The client was told the title. */
  told: boolean;
  stopWaiting: () => void;
}

/**
 * The title of a session: which one the client is shown, the fallback from the first prompt, the generated one, and
 * renames by the user, which win over both from the moment they arrive (S3.190 to S3.193, S9.122 to S9.126).
 */
export class SessionTitles {
  readonly #context: SessionContext;
  readonly #ports: SessionTitlesPorts;
  readonly #canTitle: () => boolean;
  readonly #generationWaits = new Set<() => void>();
  #origin: TitleOrigin;
  #shown: string | null | undefined;
  #generation: Generation = { phase: 'open' };
  /** Text of the first prompt that a title can be made from; a second attempt uses it again. */
  #source = '';
  /** Generated title that went to Codex and was not reported back yet. */
  #unreported: string | null = null;
  /** Generated title that Codex reported while a rename was under way. */
  #heldBack: string | null = null;
  #renames: Rename[] = [];
  #closed = false;

  /** `canTitle` tells whether the provider in force serves the title model, see `servesTitleModel` (S3.193). */
  constructor(context: SessionContext, ports: SessionTitlesPorts, initial: InitialTitle, canTitle: () => boolean) {
    this.#context = context;
    this.#ports = ports;
    this.#origin = initial.origin;
    this.#shown = initial.shown === undefined ? undefined : sessionTitle(initial.shown);
    this.#canTitle = canTitle;
  }

  /** What the client was told last; `null` when there is no title. */
  get shown(): string | null {
    return this.#shown ?? null;
  }

  /** For the session when it is opened again on this connection: a title that was given stays given (S9.124). */
  get origin(): TitleOrigin {
    return this.#origin;
  }

  /** A generated title is being made or on its way to the client. */
  get generating(): boolean {
    const { phase } = this.#generation;
    return phase === 'sampling' || phase === 'writing' || phase === 'written';
  }

  /** Resolves when no title is being generated, after the limit in milliseconds at the latest (S3.192, S9.132). */
  whenGenerated(limitMs: number): Promise<void> {
    if (!this.generating) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        stopTimer();
        this.#generationWaits.delete(over);
        resolve();
      };
      const stopTimer = this.#context.after(limitMs, over);
      this.#generationWaits.add(over);
    });
  }

  /** Shows the fallback title and starts to generate one, when the session has no better one (S3.190, S3.191). */
  promptEnded(prompt: EndedPrompt): void {
    if (!prompt.ordinary || !prompt.normal) return;
    if (this.#source === '') this.#source = titleSource(prompt.texts);
    if (prompt.inserted) this.#fallBack(sessionTitle(prompt.texts.join(' ')));
    this.#generate();
  }

  /** Codex reports the name of the thread: the echo of one that we wrote, or another one (S4.91, S9.125). */
  named(name: string | null): void {
    const title = sessionTitle(name);
    const rename = this.#renames[0];
    if (rename !== undefined && rename.state !== 'waiting' && rename.title === title) return this.#renameEchoed(rename);
    if (title !== null && title === this.#unreported) return this.#generatedEchoed(title);
    this.#origin = 'explicit';
    this.#tell(title);
  }

  /**
   * Renames the session (S2.124, S9.120). Resolves once the client was told; rejects with `invalidParams` for a blank
   * title, with the error of Codex when it refuses, with `cancelled` when the session is closed first.
   */
  rename(name: string): Promise<void> {
    const title = sessionTitle(name);
    if (title === null) {
      const { sessionId } = this.#context;
      return Promise.reject(AgentError.invalidParams('title must be a non-empty string', { sessionId }));
    }
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const rename: Rename = {
        name,
        title,
        resolve,
        reject,
        state: 'waiting',
        told: false,
        stopWaiting: () => undefined,
      };
      this.#renames.push(rename);
      this.#writeNext();
    });
  }

  /**
   * The app-server process was replaced: nothing that it was asked for will be reported any more. A title that was
   * under way may be generated again after the next prompt (S3.192).
   */
  codexReplaced(): void {
    const { phase } = this.#generation;
    this.#unreported = null;
    if (this.generating) this.#generationOver({ phase: phase === 'written' ? 'done' : 'open' });
    const rename = this.#renames[0];
    if (rename?.state === 'written') this.#renameEchoed(rename);
  }

  /** The session is closed: nothing of it is shown or written any more (S3.73, S9.161). */
  close(): void {
    this.#closed = true;
    this.#generationOver({ phase: 'done' });
    for (const rename of this.#renames.splice(0)) {
      rename.stopWaiting();
      rename.reject(closedError());
    }
  }

  #fallBack(title: string | null): void {
    if (this.#origin !== 'unset' || this.#renames.length > 0 || title === null) return;
    this.#origin = 'fallback';
    this.#tell(title);
  }

  #generate(): void {
    if (this.#generation.phase !== 'open' || this.#source === '' || !this.#replaceable() || !this.#canTitle()) return;
    const sampling: Generation = { phase: 'sampling' };
    this.#generation = sampling;
    const { cwd } = this.#context.settings().workspace;
    this.#context.settle(
      this.#ports.sampling.title({ cwd, text: this.#source, model: titleModel }),
      (answer) => {
        if (this.#generation === sampling) this.#generated(generatedTitle(answer));
      },
      (error) => {
        if (this.#generation === sampling) this.#generationOver({ phase: isLost(error) ? 'open' : 'done' });
      },
    );
  }

  /** A title that a rename has overtaken is dropped; should the rename fail, it can be made again (S9.123, S9.126). */
  #generated(title: string | null): void {
    if (title === null) return this.#generationOver({ phase: 'done' });
    if (!this.#replaceable()) return this.#generationOver({ phase: 'open' });
    const writing: Generation = { phase: 'writing' };
    this.#generation = writing;
    this.#unreported = title;
    this.#context.settle(
      this.#ports.threads.setName(this.#context.sessionId, title),
      () => {
        if (this.#generation === writing) this.#generatedWritten();
      },
      (error) => {
        if (this.#generation !== writing) return;
        this.#unreported = null;
        this.#generationOver({ phase: isLost(error) ? 'open' : 'done' });
      },
    );
  }

  #generatedWritten(): void {
    if (this.#origin !== 'explicit') this.#origin = 'generated';
    if (this.#unreported === null || this.#renames.length > 0) return this.#generationOver({ phase: 'done' });
    const stopWaiting = this.#context.after(echoLimitMs, () => this.#generationOver({ phase: 'done' }));
    this.#generation = { phase: 'written', stopWaiting };
  }

  #generatedEchoed(title: string): void {
    this.#unreported = null;
    if (this.#renames.length > 0) this.#heldBack = title;
    else this.#showGenerated(title);
    if (this.#generation.phase === 'written') this.#generationOver({ phase: 'done' });
  }

  /** A name that the user gave meanwhile stays (S4.91). */
  #showGenerated(title: string): void {
    if (this.#origin === 'explicit') return;
    this.#origin = 'generated';
    this.#tell(title);
  }

  #generationOver(next: { readonly phase: 'done' | 'open' }): void {
    if (this.#generation.phase === 'written') this.#generation.stopWaiting();
    this.#generation = next;
    for (const over of [...this.#generationWaits]) over();
    this.#writeNext();
  }

  /** A generated title may be written: nobody named the session, and nobody is about to. */
  #replaceable(): boolean {
    return (this.#origin === 'unset' || this.#origin === 'fallback') && this.#renames.length === 0;
  }

  /** A generated title that is being written comes first, so that the rename is what remains (S9.123). */
  #writeNext(): void {
    const rename = this.#renames[0];
    if (this.#closed || rename === undefined || rename.state !== 'waiting') return;
    if (this.#generation.phase === 'writing') return;
    rename.state = 'writing';
    this.#context.settle(
      this.#ports.threads.setName(this.#context.sessionId, rename.name),
      () => this.#renameWritten(rename),
      (error) => this.#renameFailed(rename, error),
    );
  }

  #renameWritten(rename: Rename): void {
    this.#origin = 'explicit';
    rename.state = 'written';
    if (rename.told) return this.#renameDone(rename);
    rename.stopWaiting = this.#context.after(echoLimitMs, () => this.#renameTold(rename));
  }

  /** Codex reports names in the order in which it took them, so no generated one comes after this (S9.125). */
  #renameEchoed(rename: Rename): void {
    this.#origin = 'explicit';
    this.#unreported = null;
    this.#renameTold(rename);
  }

  #renameTold(rename: Rename): void {
    rename.told = true;
    this.#tell(rename.title);
    if (rename.state === 'written') this.#renameDone(rename);
  }

  #renameDone(rename: Rename): void {
    rename.stopWaiting();
    this.#renames = this.#renames.filter((other) => other !== rename);
    rename.resolve();
    this.#writeNext();
  }

  /** The title is what it was before; a generated one that had to wait for this rename is shown after all (S9.126). */
  #renameFailed(rename: Rename, error: Error): void {
    this.#renames = this.#renames.filter((other) => other !== rename);
    rename.reject(error);
    if (this.#renames.length === 0 && this.#heldBack !== null) {
      this.#showGenerated(this.#heldBack);
      this.#heldBack = null;
    }
    this.#writeNext();
  }

  /** An echo of what the client sees already is not repeated (S2.124, S9.124). */
  #tell(title: string | null): void {
    if (title === this.#shown) return;
    this.#shown = title;
    this.#context.show({ type: 'title', title });
  }
}

function isLost(error: Error): boolean {
  return error instanceof CodexLostError;
}

function closedError(): AgentError {
  return new AgentError('cancelled', 'The session was closed before it was renamed');
}
