import { expect } from 'vitest';
import type { AirCapability, ClientProfile } from '../../../src/domain/client/client-profile.ts';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import type { ServerRequestRef } from '../../../src/domain/interaction/approval-request.ts';
import type { ThreadEvent, TurnStatus } from '../../../src/domain/thread/thread-event.ts';
import type { ThreadItem } from '../../../src/domain/thread/thread-item.ts';
import type { CodexCall, FakeCodex, HeldCall } from '../../support/fake-codex.ts';
import type { LabReplacements } from '../../support/session-lab.ts';
import { command, events, message, profile, SessionLab } from '../../support/session-lab.ts';

export const versions = [1, 2] as const;
export type Version = (typeof versions)[number];

/** AIR with these capabilities. */
export function air(...capabilities: AirCapability[]): Partial<ClientProfile> {
  return { air: { capabilities: new Set(capabilities) } };
}

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

/** What the user does, in a script of events. */
class RaceClient {
  readonly #lab: SessionLab;
  /** How closes ended. */
  readonly closed: string[] = [];

  constructor(lab: SessionLab) {
    this.#lab = lab;
  }

  prompts(text = 'hello', reportId: string | null = null): string {
    return this.#lab.prompt(text, reportId);
  }

  steers(text = 'more', promptRequired = false): string {
    return this.#lab.steer(text, promptRequired);
  }

  /** `session/cancel`. */
  cancels(): void {
    this.#lab.actor.cancel();
  }

  /** `$/cancel_request` of the prompt. */
  cancelsRequest(promptId: string): void {
    this.#lab.actor.cancelPrompt(promptId);
  }

  /** `session/close`. */
  closes(): void {
    this.#lab.actor.close().then(
      () => this.closed.push('closed'),
      (error: unknown) => this.closed.push(error instanceof Error ? error.message : String(error)),
    );
  }

  answers(askId: number, optionId: string): void {
    this.#lab.actor.answerAsk(askId, { type: 'selected', optionId });
  }
}

/** What Codex does: answers in the order of its calls, and events. Answers have arrived when the promise resolves. */
class RaceCodex {
  readonly #lab: SessionLab;
  readonly #version: Version;

  constructor(lab: SessionLab, version: Version) {
    this.#lab = lab;
    this.#version = version;
    const manual = ['startTurn', 'compact', 'review', 'setGoal', 'steer', 'interrupt', 'collaborationMode'] as const;
    for (const method of manual) this.fake.manual.add(method);
  }

  get fake(): FakeCodex {
    return this.#lab.codex;
  }

  /** Waits until Codex was asked so often. */
  asked(method: CodexCall['method'], times = 1): Promise<void> {
    return this.fake.called(method, times);
  }

  count(method: CodexCall['method']): number {
    return this.fake.of(method).length;
  }

  /** Ids of the turns that Codex was told to stop. */
  get told(): string[] {
    return this.fake.of('interrupt').map(({ turnId }) => turnId);
  }

  names(turnId: string): Promise<void> {
    return this.#answer(this.fake.heldStarts, { turnId });
  }

  refusesStart(reason = 'no'): Promise<void> {
    return this.#refuse(this.fake.heldStarts, reason);
  }

  takesReview(turnId: string): Promise<void> {
    return this.#answer(this.fake.heldReviews, { turnId });
  }

  refusesReview(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldReviews, reason);
  }

  refusesCompact(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldCompacts, reason);
  }

  refusesGoal(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldGoals, reason);
  }

  takesCompact(): Promise<void> {
    return this.#answer(this.fake.heldCompacts, undefined);
  }

  takesGoal(taken: Goal): Promise<void> {
    return this.#answer(this.fake.heldGoals, taken);
  }

  takesSteer(turnId: string): Promise<void> {
    return this.#answer(this.fake.heldSteers, { turnId });
  }

  refusesSteer(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldSteers, reason);
  }

  takesInterrupt(): Promise<void> {
    return this.#answer(this.fake.heldInterrupts, undefined);
  }

  refusesInterrupt(reason = 'no active turn to interrupt'): Promise<void> {
    return this.#refuse(this.fake.heldInterrupts, reason);
  }

  leavesPlanMode(): Promise<void> {
    return this.#answer(this.fake.heldModes, undefined);
  }

  staysInPlanMode(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldModes, reason);
  }

  isReady(): Promise<void> {
    return this.#answer(this.fake.heldReady, undefined);
  }

  isNotReady(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldReady, reason);
  }

  /** The thread is loaded in the new process. */
  reloads(): Promise<void> {
    return this.#answer(this.fake.heldResumes, this.fake.openThread(this.#lab.threadId));
  }

  releases(): Promise<void> {
    return this.#answer(this.fake.heldUnsubscribes, undefined);
  }

  refusesRelease(reason: string): Promise<void> {
    return this.#refuse(this.fake.heldUnsubscribes, reason);
  }

  readsGoal(read: Goal | null): Promise<void> {
    return this.#answer(this.fake.heldGoalReads, read);
  }

  /** `rootId`: the review whose reviewer this turn is. */
  begins(turnId: string, rootId?: string): void {
    this.tells(events.started(turnId, rootId));
  }

  /** The user message of the prompt is recorded; v1 gives it no id. */
  lands(promptId: string, turnId: string): void {
    const clientId = this.#version === 1 ? null : `message-${promptId}`;
    this.tells({ type: 'itemStarted', turnId, item: { type: 'userMessage', id: `user-${promptId}`, clientId } });
  }

  /** Any other user message, as that of a steer. */
  records(clientId: string, turnId: string): void {
    this.tells({ type: 'itemStarted', turnId, item: { type: 'userMessage', id: `user-${clientId}`, clientId } });
  }

  says(text: string, turnId: string, itemId = `m-${turnId}`): void {
    this.tells(events.delta(turnId, text, itemId), events.itemCompleted(turnId, message(itemId, text)));
  }

  /** A command begins and Codex asks whether it may run it. */
  asksPermission(itemId: string, turnId: string): ServerRequestRef {
    this.tells(events.itemStarted(turnId, command(itemId, { processId: null })));
    return this.fake.request(this.#lab.threadId, {
      type: 'commandApproval',
      turnId,
      itemId,
      approvalId: null,
      kind: 'command',
      reason: null,
      command: 'x',
      cwd: '/w',
      environmentId: null,
      actions: [],
      network: null,
      additionalPermissions: null,
      proposedExecpolicyAmendment: null,
      proposedNetworkAmendments: [],
      availableDecisions: null,
    });
  }

  completesItem(item: ThreadItem, turnId: string): void {
    this.tells({ type: 'itemCompleted', turnId, item });
  }

  startsItem(item: ThreadItem, turnId: string): void {
    this.tells({ type: 'itemStarted', turnId, item });
  }

  fails(reason: string, turnId: string): void {
    const error = { message: reason, info: null, details: null };
    this.tells({ type: 'error', turnId, error, willRetry: false });
  }

  ends(turnId: string, status: Exclude<TurnStatus, 'inProgress'> = 'completed', reason?: string): void {
    this.tells(events.completed(turnId, status, reason));
  }

  becomes(status: 'active' | 'idle' | 'systemError'): void {
    const told = status === 'active' ? ({ type: status, activeFlags: [] } as const) : ({ type: status } as const);
    this.tells({ type: 'threadStatus', status: told });
  }

  reports(of: Goal): void {
    this.tells({ type: 'goalUpdated', goal: of });
  }

  tells(...told: ThreadEvent[]): void {
    this.#lab.emit(...told);
  }

  async dies(): Promise<void> {
    this.fake.crash();
    await this.#lab.turnOver();
  }

  #answer<Result>(held: HeldCall<Result>[], result: Result): Promise<void> {
    this.#next(held).resolve(result);
    return this.#lab.turnOver();
  }

  #refuse(held: HeldCall<never>[], reason: string): Promise<void> {
    this.#next(held).reject(new CodexRequestError(-32600, reason));
    return this.#lab.turnOver();
  }

  #next<Result>(held: HeldCall<Result>[]): HeldCall<Result> {
    const next = held.shift();
    if (next === undefined) throw new Error('Codex was not asked');
    return next;
  }
}

/** One session in which a test decides what comes first: the client, an answer of Codex or an event of Codex. */
export class RaceLab {
  readonly lab: SessionLab;
  readonly client: RaceClient;
  readonly codex: RaceCodex;
  readonly #version: Version;

  constructor(version: Version, overrides: Partial<ClientProfile> = {}, replaced: LabReplacements = {}) {
    this.#version = version;
    this.lab = new SessionLab(profile({ protocol: version, ...overrides }), replaced);
    this.client = new RaceClient(this.lab);
    this.codex = new RaceCodex(this.lab, version);
  }

  /** Time passes. */
  async passes(ms: number): Promise<void> {
    this.lab.clock.advance(ms);
    await this.lab.turnOver();
  }

  /** Answers that were given have arrived. */
  settled(): Promise<void> {
    return this.lab.turnOver();
  }

  /** A prompt whose turn runs and has recorded it. */
  async runs(turnId = 'turn-1', text = 'hello'): Promise<string> {
    const promptId = this.client.prompts(text);
    await this.codex.asked('startTurn', this.codex.count('startTurn') + 1);
    await this.codex.names(turnId);
    this.codex.begins(turnId);
    this.codex.lands(promptId, turnId);
    return promptId;
  }

  /** What the client was shown from a place on, without what its version is not told. */
  shown(from = 0): string[] {
    return this.visible(this.lab.words).slice(from);
  }

  /** How much was shown until now. */
  get place(): number {
    return this.shown().length;
  }

  /** A v1 client has no state and sees no prompt of its own. */
  visible(words: readonly string[]): string[] {
    return words.filter(
      (word) => this.#version === 2 || !/^(running|requires_action|idle:|user |inserted )/.test(word),
    );
  }

  /** S3.233: the lane is free, and a prompt runs from its start to its end. */
  async nextPromptCompletes(): Promise<void> {
    const from = this.place;
    const turnId = `next-${this.codex.count('startTurn')}`;
    const promptId = await this.runs(turnId, 'next');
    this.codex.says('done', turnId);
    this.codex.ends(turnId);
    const told = ['running', `user message-${promptId}`, `inserted ${promptId}`, 'text done'];
    expect(this.shown(from)).toEqual(this.visible([...told, `ended ${promptId} done`, 'idle:done']));
    await this.settled();
    expect(this.lab.clock.waiting).toBe(0);
  }
}
