import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodexLostError } from '../../src/domain/errors/agent-error.ts';
import { Foreground } from '../../src/domain/turn/foreground.ts';
import { transition } from '../../src/domain/turn/turn-machine.ts';
import { idleTurnState, type TurnEffect, type TurnInput, type TurnState } from '../../src/domain/turn/turn-state.ts';
import { runs } from './runs.ts';

/**
 * A model of Codex and a client around the turn machine. Each step picks one thing that can happen now; the picks come
 * from fast-check, so every interleaving of client commands, Codex events, answers, timers and crashes can occur.
 */
class World {
  state: TurnState = idleTurnState;
  readonly log: string[] = [];
  readonly answers = new Map<string, number>();
  readonly prompts = new Set<string>();
  readonly foreground = new Foreground();
  visible: ('idle' | 'running')[] = [];
  asks = 0;
  closes = 0;
  closed = 0;
  framesAfterClose = 0;
  /** Work that Codex and the timers still owe us an answer for. */
  readonly pending: (() => void)[] = [];
  readonly timers = new Map<string, () => void>();
  #turns = 0;
  #prompts = 0;
  /** Turns that run in Codex: registered or not yet. */
  running: { id: string; registered: boolean; interrupted: boolean }[] = [];
  landing: { promptId: string; turnId: string }[] = [];
  ended = new Set<string>();

  input(input: TurnInput): void {
    this.log.push(JSON.stringify(input));
    const { state, effects } = transition(this.state, input);
    this.state = state;
    for (const effect of effects) this.#run(effect);
  }

  newPrompt(): void {
    this.#prompts += 1;
    const promptId = `p${this.#prompts}`;
    this.prompts.add(promptId);
    this.input({ type: 'prompt', promptId, kind: 'turn', report: false });
  }

  agentTurn(): void {
    if (this.running.length > 0) return;
    const id = this.#newTurn();
    this.#register(id);
  }

  register(): void {
    const turn = this.running.find((candidate) => !candidate.registered);
    if (turn !== undefined) this.#register(turn.id);
  }

  land(): void {
    const next = this.landing.shift();
    if (next !== undefined && this.running.some((turn) => turn.id === next.turnId && turn.registered)) {
      this.input({ type: 'landed', promptId: next.promptId });
    }
  }

  complete(status: 'completed' | 'failed' | 'interrupted'): void {
    const turn = this.running.find((candidate) => candidate.registered);
    if (turn === undefined) return;
    this.running = this.running.filter((candidate) => candidate !== turn);
    this.ended.add(turn.id);
    this.input({
      type: 'turnCompleted',
      turnId: turn.id,
      status: turn.interrupted ? 'interrupted' : status,
      error: null,
    });
  }

  activity(): void {
    const turn = this.running.find((candidate) => candidate.registered);
    if (turn !== undefined) this.input({ type: 'activity', turnId: turn.id });
  }

  ask(): void {
    if (this.state.work.phase === 'closing' || this.state.work.phase === 'closed') return;
    if (this.running.some((turn) => turn.registered)) this.asks += 1;
  }

  crash(): void {
    this.running = [];
    this.landing = [];
    const cause = new CodexLostError('gone', { exitCode: 1, signal: null, restartable: true });
    this.input({ type: 'lost', cause });
    // Answers of the dead process arrive as failures, later.
  }

  answer(index: number): void {
    const action = this.pending.splice(index % Math.max(1, this.pending.length), 1)[0];
    action?.();
  }

  tick(): void {
    const [name] = this.timers.keys();
    if (name === undefined) return;
    const fire = this.timers.get(name);
    this.timers.delete(name);
    fire?.();
  }

  /** Lets everything that is under way come to its end, without new commands. */
  settle(): void {
    for (let guard = 0; guard < 500; guard += 1) {
      if (this.pending.length > 0) this.answer(0);
      else if (this.running.some((turn) => !turn.registered)) this.register();
      else if (this.running.length > 0) this.complete('completed');
      else if (this.timers.size > 0) this.tick();
      else return;
    }
    throw new Error('the machine does not come to rest');
  }

  #newTurn(): string {
    this.#turns += 1;
    const id = `t${this.#turns}`;
    this.running.push({ id, registered: false, interrupted: false });
    return id;
  }

  #register(id: string): void {
    const turn = this.running.find((candidate) => candidate.id === id);
    if (turn === undefined) return;
    turn.registered = true;
    this.input({ type: 'turnStarted', turnId: id });
  }

  #frame(): void {
    if (this.closed > 0) this.framesAfterClose += 1;
  }

  #run(effect: TurnEffect): void {
    switch (effect.type) {
      case 'prepare':
        this.pending.push(() => this.input({ type: 'ready', attempt: effect.attempt }));
        return;
      case 'start':
        this.pending.push(() => {
          const joined = this.running.find((turn) => turn.registered);
          const turnId = joined?.id ?? this.#newTurn();
          this.landing.push({ promptId: effect.promptId, turnId });
          this.input({ type: 'accepted', attempt: effect.attempt, turnId });
        });
        return;
      case 'interrupt':
        this.pending.push(() => {
          const { turnId } = effect;
          const turn = this.running.find((candidate) => candidate.registered);
          if (turn?.id === turnId) {
            turn.interrupted = true;
            this.input({ type: 'interrupted', turnId });
          } else if (turn === undefined) {
            this.input({ type: 'notInterrupted', turnId, refusal: { type: 'unregistered' } });
          } else {
            const refusal = { type: 'mismatch', expected: turnId, found: turn.id } as const;
            this.input({ type: 'notInterrupted', turnId, refusal });
          }
        });
        return;
      case 'wait':
        this.timers.set(effect.timer, () => this.input({ type: 'timer', timer: effect.timer }));
        return;
      case 'stopWaiting':
        this.timers.delete(effect.timer);
        return;
      case 'withdrawAsks':
        this.asks = 0;
        return;
      case 'began':
        if (this.foreground.began() !== null) {
          this.visible.push('running');
          this.#frame();
        }
        return;
      case 'inserted':
        expect(this.answers.get(effect.promptId) ?? 0).toBe(0);
        this.#frame();
        return;
      case 'turnOver':
      case 'runLocal':
      case 'abortLocal':
      case 'reviewPlan':
      case 'leavePlanMode':
      case 'startPlan':
      case 'report':
        return;
      case 'endPrompt':
        this.answers.set(effect.promptId, (this.answers.get(effect.promptId) ?? 0) + 1);
        return;
      case 'idle':
        if (this.foreground.ended()) {
          this.visible.push('idle');
          this.#frame();
        }
        return;
      case 'release':
        this.pending.push(() => this.input({ type: 'released' }));
        return;
      case 'closed':
        this.closed += 1;
        return;
      case 'closeFailed':
        return;
    }
  }
}

type Step =
  | { readonly name: 'answer'; readonly index: number }
  | { readonly name: 'complete'; readonly status: 'completed' | 'failed' | 'interrupted' }
  | {
      readonly name:
        | 'activity'
        | 'agentTurn'
        | 'ask'
        | 'cancel'
        | 'cancelPrompt'
        | 'crash'
        | 'land'
        | 'prompt'
        | 'register'
        | 'tick';
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ name: fc.constant('answer' as const), index: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant('complete' as const),
      status: fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ name: 'prompt' as const }) },
  { weight: 4, arbitrary: fc.constant({ name: 'register' as const }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(['land', 'cancel', 'cancelPrompt', 'agentTurn', 'tick'] as const))
      .map((name) => ({ name })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...(['activity', 'ask', 'crash'] as const)).map((name) => ({ name })) },
);

function play(world: World, action: Step): void {
  switch (action.name) {
    case 'answer':
      return world.answer(action.index);
    case 'complete':
      return world.complete(action.status);
    case 'prompt':
      return world.newPrompt();
    case 'register':
      return world.register();
    case 'land':
      return world.land();
    case 'cancel':
      return world.input({ type: 'cancel' });
    case 'cancelPrompt': {
      const [promptId] = [...world.prompts].filter((id) => !world.answers.has(id));
      if (promptId !== undefined) world.input({ type: 'cancelPrompt', promptId, by: 'request' });
      return;
    }
    case 'agentTurn':
      return world.agentTurn();
    case 'tick':
      return world.tick();
    case 'activity':
      return world.activity();
    case 'ask':
      return world.ask();
    case 'crash':
      return world.crash();
  }
}

function checkEnd(world: World): void {
  for (const promptId of world.prompts) {
    expect(world.answers.get(promptId), `answers of ${promptId}`).toBe(1);
  }
  const running = world.visible.filter((state) => state === 'running').length;
  const idle = world.visible.filter((state) => state === 'idle').length;
  expect(idle, 'one idle per running').toBe(running);
  world.visible.forEach((state, index) => {
    expect(state, 'running and idle alternate').toBe(index % 2 === 0 ? 'running' : 'idle');
  });
  expect(world.framesAfterClose, 'no frame after close').toBe(0);
  expect(world.timers.size, 'no timer left').toBe(0);
}

describe('S3.210 invariants of the turn machine over random interleavings', () => {
  test('every prompt is answered once and every running has one idle', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const world = new World();
        for (const action of steps) play(world, action);
        world.settle();
        checkEnd(world);
        expect(world.state.work.phase).toBe('idle');
        expect(world.state.queue).toEqual([]);
      }),
      runs(2),
    );
  });

  test('a close at any moment ends everything and nothing follows it', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30, size: 'max' }),
        fc.array(step, { maxLength: 15, size: 'max' }),
        (before, after) => {
          const world = new World();
          for (const action of before) play(world, action);
          world.input({ type: 'close' });
          expect(world.asks, 'no wait survives a close').toBe(0);
          for (const action of after) play(world, action);
          world.settle();
          checkEnd(world);
          expect(world.closed).toBe(1);
          expect(world.state.work.phase).toBe('closed');
        },
      ),
      runs(2),
    );
  });

  test('a cancel ends what ran, and a prompt after it runs', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const world = new World();
        for (const action of steps) play(world, action);
        world.input({ type: 'cancel' });
        expect(world.asks, 'no wait survives a cancel').toBe(0);
        world.newPrompt();
        world.settle();
        checkEnd(world);
        expect(world.state.work.phase).toBe('idle');
      }),
      runs(),
    );
  });
});
