import type { CodexClientInfo, CodexFeed, CodexLifecycle } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { AccountService } from '../account/account-service.ts';
import type { ClientProfile } from '../client/client-profile.ts';

/** The one client of this process: introduces it to Codex and follows the login (S1.105, S1.189). */
export class ConnectionService {
  readonly #lifecycle: CodexLifecycle;
  readonly #accounts: AccountService;
  readonly #agent: CodexClientInfo;
  readonly #log: Log;

  constructor(
    ports: { readonly lifecycle: CodexLifecycle; readonly feed: CodexFeed; readonly log: Log },
    accounts: AccountService,
    agent: CodexClientInfo,
  ) {
    this.#lifecycle = ports.lifecycle;
    this.#accounts = accounts;
    this.#agent = agent;
    this.#log = ports.log;
    ports.feed.onGlobal((event) => {
      if (event.type === 'accountChanged') this.#followLogin(accounts.accountChanged());
    });
  }

  /** Fields that the client did not give fall back to our own, one by one (S1.78). */
  async initialize(profile: ClientProfile): Promise<void> {
    const { name, title, version } = profile.info;
    await this.#lifecycle.introduce({
      name: name ?? this.#agent.name,
      title: title ?? this.#agent.title,
      version: version ?? this.#agent.version,
    });
  }

  initialized(): void {
    this.#followLogin(this.#accounts.announce());
  }

  #followLogin(read: Promise<void>): void {
    read.catch((error: unknown) => this.#log.warn('The login status could not be read', { reason: String(error) }));
  }
}
