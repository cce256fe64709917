import type { ClientChannel, OpenUrlAsk } from '../../ports/outbound/client-channel.ts';
import type { ChatGptLoginKind, CodexAccounts, PendingLogin } from '../../ports/outbound/codex-runtime.ts';
import type { Browser, Terminal } from '../../ports/outbound/system.ts';
import { AgentError } from '../errors/agent-error.ts';
import { accountFailure } from './account-failure.ts';

export interface ChatGptLoginPorts {
  readonly accounts: CodexAccounts;
  readonly channel: ClientChannel;
  readonly browser: Browser;
  readonly terminal: Terminal;
}

/** Who asked for the login. */
export interface LoginClient {
  /** JSON-RPC id of the request; `undefined` for a login that the agent runs by itself. */
  readonly requestId: number | string | null | undefined;
  readonly supportsUrls: boolean;
}

type End = 'aborted' | 'declined' | 'failed' | 'succeeded' | 'unsuccessful';

/** Signs in to ChatGPT: in the browser, or on any device with a one-time code (S1 sections 10.3 and 10.4). */
export class ChatGptLogin {
  readonly #ports: ChatGptLoginPorts;

  constructor(ports: ChatGptLoginPorts) {
    this.#ports = ports;
  }

  /** Resolves when the user is signed in. Rejects with `authRequired`, `cancelled` or what Codex failed with. */
  async run(kind: ChatGptLoginKind, client: LoginClient, signal: AbortSignal): Promise<void> {
    if (kind === 'deviceCode' && !canAsk(client)) {
      throw AgentError.invalidRequest('Device code authentication requires URL elicitation support');
    }
    if (await this.#isSignedIn()) return;
    throwIfAborted(signal);
    const login = await this.#ports.accounts.startChatGptLogin(kind);
    const ask = await this.#show(kind, login, client);
    const end = await ended(login, ask, signal).catch((error: unknown) => {
      this.#closeAsk(login, ask, 'unsuccessful');
      throw error;
    });
    this.#closeAsk(login, ask, end);
    if (end === 'succeeded') return;
    if (end !== 'unsuccessful') await login.cancel();
    if (end === 'aborted') throw new AgentError('cancelled', 'Request cancelled');
    const methodId = kind === 'browser' ? 'chat-gpt' : 'chat-gpt-device-code';
    throw new AgentError('authRequired', 'Sign-in did not complete', { methodId });
  }

  /** A login that works, or whose state nobody can tell now, needs no new one (S1.160). */
  async #isSignedIn(): Promise<boolean> {
    try {
      const { account } = await this.#ports.accounts.read(true);
      return account?.type === 'chatgpt';
    } catch (error) {
      switch (accountFailure(error)) {
        case 'unavailable':
          return true;
        case 'authFailed':
          return false;
        case 'other':
          throw error;
      }
    }
  }

  /** Without a browser the client shows the address, or else the terminal does (S1.163, C056). */
  async #show(kind: ChatGptLoginKind, login: PendingLogin, client: LoginClient): Promise<OpenUrlAsk | null> {
    const { browser, channel, terminal } = this.#ports;
    if (kind === 'browser') {
      try {
        await browser.open(login.url);
        return null;
      } catch {
        if (!canAsk(client)) {
          terminal.tell(`Sign in to ChatGPT by opening this address in a browser:\n${login.url}\n`);
          return null;
        }
      }
    }
    const message =
      login.userCode === null ? 'Sign in to ChatGPT' : `Sign in to ChatGPT and enter this code: ${login.userCode}`;
    return channel.askUrl({
      requestId: client.requestId ?? null,
      elicitationId: login.loginId,
      url: login.url,
      message,
    });
  }

  /** What the client still shows is closed: withdrawn if it is unanswered, and told complete once (S1.167, S1.168). */
  #closeAsk(login: PendingLogin, ask: OpenUrlAsk | null, end: End): void {
    if (ask === null || end === 'declined' || end === 'failed') return;
    ask.withdraw();
    this.#ports.channel.completeUrl(login.loginId);
  }
}

function canAsk(client: LoginClient): boolean {
  return client.supportsUrls && client.requestId !== undefined;
}

/** What ends the wait first. An accepted ask only means that the page was opened. */
function ended(login: PendingLogin, ask: OpenUrlAsk | null, signal: AbortSignal): Promise<End> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    login.completed.then(({ success }) => resolve(success ? 'succeeded' : 'unsuccessful'), reject);
    void ask?.answered.then((answer) => {
      if (answer !== 'accepted') resolve(answer);
    });
  });
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new AgentError('cancelled', 'Request cancelled');
}
