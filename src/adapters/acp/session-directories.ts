/** Working directories of the open sessions, for presenters that make paths absolute (S4.42). */
export class SessionDirectories {
  readonly #directories = new Map<string, string>();

  set(sessionId: string, cwd: string): void {
    this.#directories.set(sessionId, cwd);
  }

  of(sessionId: string): string {
    return this.#directories.get(sessionId) ?? '';
  }
}
