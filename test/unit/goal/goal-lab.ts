import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { SessionContext } from '../../../src/domain/feature/session-context.ts';
import type { Goal, GoalChange } from '../../../src/domain/goal/goal.ts';
import { GoalTracker } from '../../../src/domain/session/goal-tracker.ts';
import type { CodexGoals } from '../../../src/ports/outbound/codex-features.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { profile, silentLog } from '../../support/session-lab.ts';

export function goal(overrides: Partial<Goal> = {}): Goal {
  return {
    objective: 'Fix the build',
    status: 'active',
    tokenBudget: null,
    tokensUsed: 0,
    timeUsedSeconds: 0,
    createdAt: 1,
    updatedAt: 1,
    ...overrides,
  };
}

/** A goal tracker over a fake Codex, with what the client is shown. */
export class GoalLab {
  readonly codex = new FakeCodex();
  readonly clock = new FakeClock();
  readonly shown: (Goal | null)[] = [];
  readonly logged: string[] = [];
  readonly tracker: GoalTracker;
  #closed = false;

  constructor(client: ClientProfile = profile({ air: { capabilities: new Set() } }), goals?: CodexGoals) {
    const context: SessionContext = {
      sessionId: 'thread-1',
      profile: client,
      settings: () => {
        throw new Error('A goal needs no settings');
      },
      show: (update: ConversationUpdate) => {
        if (update.type === 'goal') this.shown.push(update.goal);
      },
      settle: (work, then, failed) => {
        work.then(
          (result) => {
            if (!this.#closed) then(result);
          },
          (error: unknown) => {
            if (!this.#closed) failed(error instanceof Error ? error : new Error(String(error)));
          },
        );
      },
      after: (ms, action) => this.clock.after(ms, action),
    };
    const log = { ...silentLog, info: (message: string) => this.logged.push(message) };
    this.tracker = new GoalTracker(context, goals ?? this.codex.goals, log);
  }

  close(): void {
    this.#closed = true;
    this.tracker.close();
  }

  /** Starts a change; the word is how it stands: `waiting`, `done`, or why it failed. */
  control(change: GoalChange): { word: string } {
    const state = { word: 'waiting' };
    this.tracker.control(change).then(
      () => {
        state.word = 'done';
      },
      (error: unknown) => {
        state.word = error instanceof Error ? error.message : String(error);
      },
    );
    return state;
  }

  /** Lets promises that are already settled run their course. */
  async settled(): Promise<void> {
    for (let index = 0; index < 10; index += 1) await Promise.resolve();
  }
}
