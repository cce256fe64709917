import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { SessionContext } from '../../../src/domain/feature/session-context.ts';
import type { SessionSettings } from '../../../src/domain/settings/session-settings.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { profile } from '../../support/session-lab.ts';
import { settings } from '../settings/settings-facts.ts';

/** What a feature has of its session: shown updates are recorded, time is fake, a closed session drops everything. */
export class FakeSession implements SessionContext {
  readonly sessionId = 'thread-1';
  readonly profile: ClientProfile;
  readonly clock = new FakeClock();
  readonly shown: ConversationUpdate[] = [];
  closed = false;

  constructor(client: ClientProfile = profile()) {
    this.profile = client;
  }

  settings(): SessionSettings {
    return settings();
  }

  show(update: ConversationUpdate): void {
    if (!this.closed) this.shown.push(update);
  }

  settle<Result>(work: Promise<Result>, then: (result: Result) => void, failed: (error: Error) => void): void {
    work.then(
      (result) => {
        if (!this.closed) then(result);
      },
      (error: Error) => {
        if (!this.closed) failed(error);
      },
    );
  }

  after(ms: number, action: () => void): () => void {
    return this.clock.after(ms, () => {
      if (!this.closed) action();
    });
  }

  /** Lets promises that are already settled run their course; no time passes. */
  async turnOver(): Promise<void> {
    for (let index = 0; index < 20; index += 1) await Promise.resolve();
  }
}
