import type { CodexTurns } from '../../ports/outbound/codex-runtime.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import { steerRefusal } from '../turn/steer-refusal.ts';
import type { SteerEffect, SteerInput, SteerState } from '../turn/steering.ts';
import { noSteers, steer, steerTarget } from '../turn/steering.ts';
import type { Work } from '../turn/turn-state.ts';
import type { PromptEnding } from '../turn/work-ending.ts';
import { closingError } from './closing-error.ts';
import type { Echoes } from './echoes.ts';
import type { PromptWork } from './prompt-work.ts';
import { imageRefused } from './session-work.ts';
import type { SteerOutcome } from './steer-request.ts';
import type { TurnModels } from './turn-models.ts';

/** A steer with the text in all its forms, and who waits to hear what became of it. */
export interface OpenSteer {
  readonly prompt: PromptWork;
  readonly promptRequired: boolean;
  readonly resolve: (outcome: SteerOutcome) => void;
  readonly reject: (error: Error) => void;
}

export interface SessionSteeringParts {
  readonly context: SessionContext;
  readonly turns: CodexTurns;
  readonly echoes: Echoes;
  readonly models: TurnModels;
  readonly work: () => Work;
  /** Gives a steer without a turn its place in the lane (S3.144). */
  readonly enqueue: (prompt: PromptWork) => void;
}

/** Steers of one session: carries out what `steer` decides, and answers each once (S3 section 9). */
export class SessionSteering {
  readonly #parts: SessionSteeringParts;
  readonly #open = new Map<string, OpenSteer>();
  #state: SteerState = noSteers;

  constructor(parts: SessionSteeringParts) {
    this.#parts = parts;
  }

  /** Somebody waits to hear what became of a steer. */
  get busy(): boolean {
    return this.#open.size > 0;
  }

  /** Takes a steer; its prompt's id names it. */
  take(steering: OpenSteer): void {
    const { promptId } = steering.prompt;
    this.#open.set(promptId, steering);
    this.#input({ type: 'steer', steer: { steerId: promptId, promptRequired: steering.promptRequired } });
  }

  /** The work of the session may have changed. */
  workChanged(): void {
    const work = this.#parts.work();
    if (this.#open.size === 0) return;
    if (work.phase === 'running') this.#started(work.promptId);
    const { current } = this.#state;
    if (current === null) return;
    const { steerId } = current.steer;
    this.#input(current.phase === 'own' && !this.#open.has(steerId) ? { type: 'begun', steerId } : { type: 'work' });
  }

  /** `session/cancel` (S3.144). */
  cancel(): void {
    this.#input({ type: 'cancel' });
  }

  /**
   * The turn that a steer was started with ended, or never began. One that ran may be over before Codex answered its
   * start: its failure is told like that of any turn (S3.144).
   */
  promptEnded(promptId: string, { outcome, reason }: PromptEnding, ran: boolean): void {
    const open = this.#close(promptId);
    if (open === undefined) return;
    if (ran) return open.resolve('startedNewTurn');
    const { sessionId } = this.#parts.context;
    switch (outcome.type) {
      case 'done':
        return open.resolve('startedNewTurn');
      case 'cancelled':
        return open.reject(reason === 'sessionCancelled' ? cancelledBeforeStart(sessionId) : closingError(sessionId));
      case 'failed':
        return open.reject(failureError(outcome.failure));
    }
  }

  #started(promptId: string): void {
    this.#close(promptId)?.resolve('startedNewTurn');
  }

  #input(input: SteerInput): void {
    const { state, effects } = steer(this.#state, input, steerTarget(this.#parts.work()));
    this.#state = state;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: SteerEffect): void {
    const { steerId } = effect;
    switch (effect.type) {
      case 'send':
        return this.#send(steerId, effect.turnId);
      case 'settle':
        return this.#close(steerId)?.resolve(effect.outcome);
      case 'newTurn': {
        const open = this.#open.get(steerId);
        return open === undefined ? undefined : this.#parts.enqueue(open.prompt);
      }
      case 'refuse': {
        const { sessionId } = this.#parts.context;
        return this.#close(steerId)?.reject(refusedSteer(sessionId, effect.reason));
      }
      case 'lose':
        return this.#close(steerId)?.reject(effect.cause);
    }
  }

  #send(steerId: string, turnId: string): void {
    const open = this.#open.get(steerId);
    if (open === undefined) return;
    const { context, turns, echoes, models } = this.#parts;
    const { messageId, blocks, input, hasImage } = open.prompt;
    // Only now it is known which turn it goes into (S3.25).
    if (hasImage && !models.takesImages(turnId)) {
      return this.#input({ type: 'refused', steerId, refusal: { type: 'image' } });
    }
    echoes.expect(messageId, { turnId, blocks, lost: () => this.#lost() });
    context.settle(
      turns.steer({ threadId: context.sessionId, turnId, input, clientMessageId: messageId }),
      () => {
        // The turn ended before it took the text: Codex has dropped it, so it was not injected (R18, C011).
        if (echoes.taken(messageId)) this.#input({ type: 'taken', steerId });
        else this.#input({ type: 'refused', steerId, refusal: { type: 'noActiveTurn' } });
      },
      (error) => {
        echoes.forget(messageId);
        this.#input({ type: 'refused', steerId, refusal: steerRefusal(error) });
      },
    );
  }

  /** Codex dropped a text that it had taken: the user has to send it again (S3.146). */
  #lost(): void {
    const { context } = this.#parts;
    if (!context.profile.notices) return;
    const description = 'Codex finished before it read your message. Send it again if it still matters.';
    const notice = { severity: 'warning', title: 'Message not sent', description, fallback: null } as const;
    context.show({ type: 'notice', notice });
  }

  /** The session is closed, or was being closed and stays open: nobody is left without an answer (S3.71). */
  close(): void {
    this.#state = noSteers;
    const { sessionId } = this.#parts.context;
    for (const steerId of [...this.#open.keys()]) this.#close(steerId)?.reject(closingError(sessionId));
  }

  #close(steerId: string): OpenSteer | undefined {
    const open = this.#open.get(steerId);
    this.#open.delete(steerId);
    return open;
  }
}

/** A steer as a prompt without a request. */
export function steerPrompt(
  promptId: string,
  messageId: string,
  content: Pick<PromptWork, 'blocks' | 'hasImage' | 'input'>,
): PromptWork {
  return {
    ...content,
    promptId,
    requested: false,
    messageId,
    task: { type: 'turn' },
    ignoredBlocks: 0,
    reportId: null,
  };
}

function refusedSteer(sessionId: string, reason: Extract<SteerEffect, { type: 'refuse' }>['reason']): AgentError {
  switch (reason) {
    case 'cancelled':
      return cancelledBeforeStart(sessionId);
    case 'closing':
      return closingError(sessionId);
    case 'image':
      return imageRefused();
  }
}

function cancelledBeforeStart(sessionId: string): AgentError {
  return refusal(`Session ${sessionId} was cancelled before the steering turn started`);
}

/** Clients look for the text in the message or in the data (S3.25). */
function refusal(text: string): AgentError {
  return AgentError.invalidRequest(text, text);
}

function failureError(failure: Extract<PromptEnding['outcome'], { type: 'failed' }>['failure']): Error {
  switch (failure.type) {
    case 'turn':
      return new AgentError('internal', failure.error?.message ?? 'The steering turn failed.');
    case 'lost':
      return failure.cause;
    case 'refused':
      return failure.error;
  }
}
