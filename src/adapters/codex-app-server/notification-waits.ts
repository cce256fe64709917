import type { CodexLostError } from '../../domain/errors/agent-error.ts';
import type { GlobalNotifications } from './protocol.ts';

/** A notification that is waited for. */
export interface NotificationWait<T> {
  /** Fails when the app-server is lost (S1.84). */
  readonly arrived: Promise<T>;
  /** Stops waiting: the promise never settles. */
  cancel(): void;
}

interface Wait {
  readonly method: string;
  readonly take: (params: unknown) => boolean;
  readonly fail: (cause: CodexLostError) => void;
}

/**
 * Waits for notifications that belong to no thread. A wait is begun before the request that causes the notification is
 * sent, because the notification may come before the response (S1.156).
 */
export class NotificationWaits {
  readonly #waits = new Set<Wait>();

  expect<M extends keyof GlobalNotifications>(
    method: M,
    matches: (params: GlobalNotifications[M]) => boolean,
  ): NotificationWait<GlobalNotifications[M]> {
    let wait: Wait | null = null;
    const arrived = new Promise<GlobalNotifications[M]>((resolve, reject) => {
      const take = (params: unknown): boolean => {
        // The params of a method have the type that the protocol gives them.
        const typed = params as GlobalNotifications[M];
        if (!matches(typed)) return false;
        resolve(typed);
        return true;
      };
      wait = { method, take, fail: reject };
      this.#waits.add(wait);
    });
    // Whoever began the wait may have failed for another reason.
    arrived.catch(() => {});
    return {
      arrived,
      cancel: () => {
        if (wait !== null) this.#waits.delete(wait);
      },
    };
  }

  onNotification(method: string, params: unknown): void {
    for (const wait of [...this.#waits]) {
      if (wait.method === method && wait.take(params)) this.#waits.delete(wait);
    }
  }

  onLost(cause: CodexLostError): void {
    const waits = [...this.#waits];
    this.#waits.clear();
    for (const wait of waits) wait.fail(cause);
  }
}
