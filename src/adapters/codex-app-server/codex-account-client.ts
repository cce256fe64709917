import { CodexRequestError } from '../../domain/errors/agent-error.ts';
import type {
  AccountState,
  ChatGptLoginKind,
  CodexAccount,
  CodexAccounts,
  PendingLogin,
} from '../../ports/outbound/codex-runtime.ts';
import type { Log, Scheduler } from '../../ports/outbound/system.ts';
import type { NotificationWaits } from './notification-waits.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';

/** The account changed while Codex looked it up: the next read tells (S1.173). */
const ACCOUNT_CHANGED = 'account changed during workspace routing discovery';
const READS = 3;
const LOGOUT_LIMIT_MS = 2000;

/** The login of the running app-server. */
export class CodexAccountClient implements CodexAccounts {
  readonly #call: CallCodex;
  readonly #waits: NotificationWaits;
  readonly #scheduler: Scheduler;
  readonly #log: Log;

  constructor(call: CallCodex, waits: NotificationWaits, scheduler: Scheduler, log: Log) {
    this.#call = call;
    this.#waits = waits;
    this.#scheduler = scheduler;
    this.#log = log;
  }

  async read(refresh = false): Promise<AccountState> {
    for (let left = READS - 1; ; left -= 1) {
      try {
        const { account, requiresOpenaiAuth } = await this.#call('account/read', { refreshToken: refresh });
        return { account: account === null ? null : accountOf(account), requiresLogin: requiresOpenaiAuth };
      } catch (error) {
        if (left === 0 || !(error instanceof CodexRequestError) || error.message !== ACCOUNT_CHANGED) throw error;
      }
    }
  }

  /** S1.156. */
  async loginWithApiKey(apiKey: string): Promise<{ readonly success: boolean }> {
    const completion = this.#waits.expect('account/login/completed', ({ loginId }) => (loginId ?? null) === null);
    try {
      await this.#call('account/login/start', { type: 'apiKey', apiKey });
      const { success } = await completion.arrived;
      return { success: success === true };
    } finally {
      completion.cancel();
    }
  }

  /** Completions may come before the answer that names the login, so all of them are watched from the start (S1.161). */
  async startChatGptLogin(kind: ChatGptLoginKind): Promise<PendingLogin> {
    const early: wire.AccountLoginCompletedNotification[] = [];
    let isOurs = (completed: wire.AccountLoginCompletedNotification): boolean => {
      early.push(completed);
      return false;
    };
    const completion = this.#waits.expect('account/login/completed', (completed) => isOurs(completed));
    try {
      const answer = await this.#call('account/login/start', {
        type: kind === 'browser' ? 'chatgpt' : 'chatgptDeviceCode',
      });
      if (answer.type === 'apiKey') throw new Error('Codex answered the ChatGPT login with another one');
      const { loginId } = answer;
      isOurs = (completed) => completed.loginId === loginId;
      const known = early.find(isOurs);
      const completed = known === undefined ? completion.arrived : Promise.resolve(known);
      return {
        loginId,
        url: answer.type === 'chatgpt' ? answer.authUrl : answer.verificationUrl,
        userCode: answer.type === 'chatgpt' ? null : answer.userCode,
        completed: completed.then(({ success }) => ({ success: success === true })),
        cancel: () => this.#cancelLogin(loginId, completion),
      };
    } catch (error) {
      completion.cancel();
      throw error;
    }
  }

  async #cancelLogin(loginId: string, completion: { cancel(): void }): Promise<void> {
    completion.cancel();
    try {
      await this.#call('account/login/cancel', { loginId });
    } catch (exception) {
      this.#log.warn('The sign-in could not be cancelled in Codex', { exception });
    }
  }

  /** The logout itself is done with the answer; only its echo is waited for (S1.176). */
  async logout(): Promise<void> {
    const update = this.#waits.expect('account/updated', () => true);
    let cancelTimer = (): void => {};
    try {
      await this.#call('account/logout', undefined);
      const timeLimit = new Promise<void>((resolve) => {
        cancelTimer = this.#scheduler.after(LOGOUT_LIMIT_MS, resolve);
      });
      await Promise.race([update.arrived.catch(() => {}), timeLimit]);
    } finally {
      cancelTimer();
      update.cancel();
    }
  }
}

function accountOf(account: wire.Account): CodexAccount {
  switch (account.type) {
    case 'apiKey':
      return { type: 'apiKey' };
    case 'chatgpt':
      return { type: 'chatgpt', email: account.email ?? null, plan: account.planType ?? null };
    case 'amazonBedrock':
      return { type: 'external', name: 'AWS Bedrock' };
    case 'gcp':
      return { type: 'external', name: 'Google Cloud' };
    default:
      return { type: 'external', name: (account as { readonly type: string }).type };
  }
}
