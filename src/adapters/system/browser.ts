import type { Scheduler } from '../../ports/outbound/system.ts';

/** How long an opener may take to report a failure; one that still runs then is taken for the browser itself. */
const VERDICT_MS = 3_000;

/** The part of a started opener process (`xdg-open`, `open`, PowerShell) that tells how it went. */
export interface Opener {
  readonly exitCode: number | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number | null) => void): unknown;
}

export type LaunchOpener = (url: string) => Promise<Opener>;

/** Opens web pages in the default browser of the user (S1.161). */
export class SystemBrowser {
  readonly #scheduler: Scheduler;
  readonly #launch: LaunchOpener;

  constructor(scheduler: Scheduler, launch: LaunchOpener = launchDefaultOpener) {
    this.#scheduler = scheduler;
    this.#launch = launch;
  }

  /** Rejects with a readable error when no browser could be opened, so that the caller can show the address (S1.163). */
  async open(url: string): Promise<void> {
    if (!isWebAddress(url)) throw new Error('Only http and https addresses are opened in a browser');
    let opener: Opener;
    try {
      opener = await this.#launch(url);
    } catch (error) {
      throw browserFailure(error instanceof Error ? error.message : String(error), error);
    }
    await this.#verdict(opener);
  }

  #verdict(opener: Opener): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#scheduler.after(VERDICT_MS, resolve);
      const end = (code: number | null): void => {
        cancel();
        if (code === 0) resolve();
        else reject(browserFailure(code === null ? 'the opener was killed' : `the opener ended with code ${code}`));
      };
      opener.on('error', (error) => {
        cancel();
        reject(browserFailure(error.message, error));
      });
      opener.on('exit', end);
      if (opener.exitCode !== null) end(opener.exitCode);
    });
  }
}

/** `open` costs start-up time and is needed by few processes, so it is loaded with the first page. */
async function launchDefaultOpener(url: string): Promise<Opener> {
  const { default: open } = await import('open');
  return open(url);
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

function browserFailure(reason: string, cause?: unknown): Error {
  return new Error(`The browser could not be opened: ${reason}`, cause === undefined ? {} : { cause });
}
