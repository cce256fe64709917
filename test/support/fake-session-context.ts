import type { ClientProfile } from '../../src/domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../src/domain/conversation/conversation-update.ts';
import type { SessionContext } from '../../src/domain/feature/session-context.ts';
import { initialSettings, type SessionSettings } from '../../src/domain/settings/session-settings.ts';
import type { Workspace } from '../../src/domain/workspace/workspace.ts';
import { FakeClock } from './fake-clock.ts';
import { fakeModel } from './fake-codex.ts';
import { profile as clientProfile } from './session-lab.ts';

/** The settings of a new session in these directories. */
export function settingsWith(workspace: Workspace): SessionSettings {
  return initialSettings({
    open: { model: 'gpt-test', effort: 'low', serviceTier: null, activeProfileId: null },
    models: [fakeModel],
    profiles: [],
    config: { approvalPolicy: null, approvalsReviewer: null },
    initialModeId: null,
    workspace,
    accountIsApiKey: false,
  });
}

/** A session around one feature: records what is shown; results settle as microtasks, timers by the clock. */
export class FakeSessionContext implements SessionContext {
  readonly sessionId = 'thread-1';
  readonly clock = new FakeClock();
  readonly profile: ClientProfile;
  readonly shown: ConversationUpdate[] = [];
  current: SessionSettings;
  #open = true;

  constructor(overrides: Partial<ClientProfile> = {}, workspace: Workspace = { cwd: '/w', additionalDirectories: [] }) {
    this.profile = clientProfile(overrides);
    this.current = settingsWith(workspace);
  }

  settings(): SessionSettings {
    return this.current;
  }

  show(update: ConversationUpdate): void {
    if (this.#open) this.shown.push(update);
  }

  settle<Result>(work: Promise<Result>, then: (result: Result) => void, failed: (error: Error) => void): void {
    void work.then(
      (result) => {
        if (this.#open) then(result);
      },
      (error: unknown) => {
        if (this.#open) failed(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }

  after(ms: number, action: () => void): () => void {
    return this.clock.after(ms, () => {
      if (this.#open) action();
    });
  }

  /** The session is closed: nothing comes back and nothing is shown any more. */
  close(): void {
    this.#open = false;
  }

  /** Texts of the agent, in order. */
  get texts(): string[] {
    return this.shown.flatMap((update) => (update.type === 'agentText' ? [update.text] : []));
  }

  /** Lets promises that are already settled run their course; no time passes. */
  async turnOver(): Promise<void> {
    for (let index = 0; index < 20; index += 1) await Promise.resolve();
  }
}
