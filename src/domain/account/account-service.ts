import type { AuthStatus, ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { AccountState, CodexAccounts, CodexCatalog, CodexLifecycle } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { ProviderRouting } from '../provider/provider-routing.ts';
import { accountFailure } from './account-failure.ts';
import { accountStatus, gatewayStatus, providerStatus } from './auth-status.ts';
import type { ChatGptLoginPorts, LoginClient } from './chatgpt-login.ts';
import { ChatGptLogin } from './chatgpt-login.ts';
import type { LoginRequest } from './login-request.ts';

export interface AccountPorts extends ChatGptLoginPorts {
  readonly lifecycle: CodexLifecycle;
  readonly accounts: CodexAccounts;
  readonly catalog: CodexCatalog;
  readonly channel: ClientChannel;
  readonly log: Log;
}

/**
 * The login of the agent: what it is, whether an operation needs one, signing in and out (S1 sections 10 and 11).
 * Logins and logouts run one at a time in arrival order (S1.148).
 */
export class AccountService {
  readonly #ports: AccountPorts;
  readonly #routing: ProviderRouting;
  readonly #defaultLogin: (() => LoginRequest) | null;
  readonly #chatGpt: ChatGptLogin;
  #queue: Promise<unknown> = Promise.resolve();
  /** The login that waits for the user; a later login or a logout ends it (S12.9). */
  #waiting: AbortController | null = null;
  #published: string | null = null;

  constructor(ports: AccountPorts, routing: ProviderRouting, defaultLogin: (() => LoginRequest) | null) {
    this.#ports = ports;
    this.#routing = routing;
    this.#defaultLogin = defaultLogin;
    this.#chatGpt = new ChatGptLogin(ports);
  }

  /**
   * Makes sure that there is a login before a session is opened (S1.190, S1.191). Returns the account state when it
   * was read. Throws `authRequired` when the user has to sign in.
   */
  async ensureLogin(): Promise<AccountState | null> {
    if (this.#routing.gateway !== null) return null;
    const state = await this.#readForLogin();
    if (state !== 'loginNeeded') {
      if (state !== null) this.#publishInBackground(state);
      return state;
    }
    if (this.#defaultLogin === null) throw new AgentError('authRequired', 'Authentication required');
    await this.login(this.#defaultLogin(), { requestId: undefined, supportsUrls: false }, neverAborted);
    return this.#routing.gateway === null ? this.#ports.accounts.read() : null;
  }

  /**
   * Signs in. `signal` is the client's cancel: the request then ends at once with `cancelled`, whatever Codex still does
   * (S1.148, S1.231). A login that completed in Codex at that moment stays and is published (S1.232).
   */
  login(request: LoginRequest, client: LoginClient, signal: AbortSignal): Promise<void> {
    this.#waiting?.abort();
    const running = new AbortController();
    const abort = (): void => running.abort();
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const work = this.#inTurn(async () => {
      throwIfCancelled(running.signal);
      if (request.type === 'chatgpt') this.#waiting = running;
      try {
        await this.#ports.lifecycle.ready();
        throwIfCancelled(running.signal);
        await this.#signIn(request, client, running.signal);
      } finally {
        if (this.#waiting === running) this.#waiting = null;
      }
    });
    return Promise.race([work, cancellation(running.signal)]);
  }

  async #signIn(request: LoginRequest, client: LoginClient, signal: AbortSignal): Promise<void> {
    switch (request.type) {
      case 'apiKey':
        await this.#loginWithApiKey(request.apiKey);
        return this.#signedIn();
      case 'chatgpt':
        await this.#chatGpt.run(request.kind, client, signal);
        return this.#signedIn();
      case 'gateway':
        this.#routing.gateway = request.routing;
        return this.#publish(gatewayStatus(request.routing.name));
    }
  }

  /** A login with Codex itself ends a gateway, once it succeeded (S1.149, S8.124). */
  async #signedIn(): Promise<void> {
    this.#routing.gateway = null;
    await this.#publishCurrent(await this.#ports.accounts.read());
  }

  /** Signs out of Codex and of a gateway that a login set (S1.175, S1.177). */
  logout(): Promise<void> {
    this.#waiting?.abort();
    return this.#inTurn(async () => {
      await this.#ports.lifecycle.ready();
      await this.#ports.accounts.logout();
      this.#routing.gateway = null;
      await this.#publishCurrent(await this.#ports.accounts.read());
    });
  }

  /** First push, after the client has the answer to `initialize` (S1.188). A failed read pushes nothing. */
  async announce(): Promise<void> {
    try {
      if (this.#routing.gateway !== null) return this.#publish(gatewayStatus(this.#routing.gateway.name));
      await this.#publishCurrent(null);
    } catch (error) {
      if (accountFailure(error) === 'authFailed') this.#publish(accountStatus(null));
      else this.#ports.log.debug('The login could not be read', { reason: String(error) });
    }
  }

  /** The login changed outside, for example in another client (S1.189). */
  async accountChanged(): Promise<void> {
    if (this.#routing.gateway === null) await this.announce();
  }

  /** Publishes the status in force; `account` saves the read when it is known. */
  async #publishCurrent(account: AccountState | null): Promise<void> {
    const current = await this.#statusOfCodex(account);
    // A client may have signed in to a gateway while Codex was asked.
    const { gateway } = this.#routing;
    this.#publish(gateway === null ? current : gatewayStatus(gateway.name));
  }

  async #statusOfCodex(account: AccountState | null): Promise<AuthStatus> {
    const provider = await this.#configuredProvider();
    if (provider !== null && provider !== 'openai') return providerStatus(provider);
    return accountStatus((account ?? (await this.#ports.accounts.read())).account);
  }

  /** A push never delays or fails the operation that caused it (S1.189). */
  #publishInBackground(account: AccountState): void {
    this.#publishCurrent(account).catch((error: unknown) => {
      this.#ports.log.debug('The login status could not be pushed', { reason: String(error) });
    });
  }

  async #configuredProvider(): Promise<string | null> {
    return this.#routing.providerId ?? (await this.#ports.catalog.config(null)).modelProvider;
  }

  /** Equal statuses are not repeated; the first one always goes out (S1.189). */
  #publish(status: AuthStatus): void {
    const text = JSON.stringify(status);
    if (text === this.#published) return;
    this.#published = text;
    this.#ports.channel.authStatus(status);
  }

  async #readForLogin(): Promise<AccountState | 'loginNeeded' | null> {
    try {
      const state = await this.#ports.accounts.read();
      return state.requiresLogin && state.account === null ? 'loginNeeded' : state;
    } catch (error) {
      switch (accountFailure(error)) {
        case 'authFailed':
          return 'loginNeeded';
        case 'unavailable':
          return null;
        case 'other':
          throw error;
      }
    }
  }

  /** Without a key, a working API-key login of Codex is good enough (S12.9). */
  async #loginWithApiKey(apiKey: string | null): Promise<void> {
    const { accounts } = this.#ports;
    if (apiKey === null) {
      const { account } = await accounts.read();
      if (account?.type === 'apiKey') return;
      throw new AgentError('internal', 'CODEX_API_KEY or OPENAI_API_KEY is not set', {
        envVars: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
      });
    }
    const { success } = await accounts.loginWithApiKey(apiKey);
    if (!success) throw new AgentError('authRequired', 'Sign-in did not complete', { methodId: 'api-key' });
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(action);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

const neverAborted = new AbortController().signal;

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new AgentError('cancelled', 'Request cancelled');
}

/** Rejects when the signal aborts; never resolves. */
function cancellation(signal: AbortSignal): Promise<never> {
  const rejection = new Promise<never>((_resolve, reject) => {
    const cancel = (): void => reject(new AgentError('cancelled', 'Request cancelled'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  rejection.catch(() => undefined);
  return rejection;
}
