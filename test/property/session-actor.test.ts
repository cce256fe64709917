import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../src/domain/errors/agent-error.ts';
import { command, events, message, profile, SessionLab } from '../support/session-lab.ts';
import { runs } from './runs.ts';

/**
 * The whole session core over a fake Codex that behaves like the real one (S3 section 1): starts answer before the turn
 * is registered, interrupts are refused until then, a start beside a running turn joins it, commands ask.
 */
class Play {
  readonly lab: SessionLab;
  readonly prompts: string[] = [];
  readonly script: string[] = [];
  turn: { id: string; registered: boolean; interrupted: boolean; item: number; open: string[] } | null = null;
  landing: string[] = [];
  asks: number[] = [];
  closing: Promise<void> | null = null;
  #turns = 0;

  readonly protocol: 1 | 2;

  constructor(protocol: 1 | 2) {
    this.protocol = protocol;
    this.lab = new SessionLab(profile({ protocol }));
    for (const method of ['interrupt', 'startTurn'] as const) this.lab.codex.manual.add(method);
  }

  async do(step: string): Promise<void> {
    this.script.push(step);
    const { lab, turn } = this;
    switch (step) {
      case 'prompt':
        if (!lab.actor.closing) this.prompts.push(lab.prompt());
        break;
      case 'cancel':
        lab.actor.cancel();
        break;
      case 'cancelPrompt': {
        const last = this.prompts.at(-1);
        if (last !== undefined) lab.actor.cancelPrompt(last);
        break;
      }
      case 'close':
        this.closing ??= lab.actor.close();
        break;
      case 'answerStart':
        this.#answerStart();
        break;
      case 'refuseStart':
        lab.codex.heldStarts.shift()?.reject(new CodexRequestError(-32600, 'refused'));
        break;
      case 'answerInterrupt':
        this.#answerInterrupt();
        break;
      case 'register':
        if (turn !== null && !turn.registered) {
          turn.registered = true;
          lab.emit(events.started(turn.id));
        }
        break;
      case 'land': {
        const promptId = this.landing.shift();
        if (promptId !== undefined && turn?.registered === true) lab.emit(events.landed(turn.id, promptId));
        break;
      }
      case 'agentTurn':
        if (turn === null) {
          this.#newTurn();
          await this.do('register');
        }
        break;
      case 'item':
        if (turn?.registered === true) {
          turn.item += 1;
          const id = `${turn.id}-c${turn.item}`;
          turn.open.push(id);
          lab.emit(events.itemStarted(turn.id, command(id, { processId: null })));
        }
        break;
      case 'endItem': {
        const id = turn?.open.shift();
        if (turn !== null && id !== undefined) {
          lab.emit(events.itemCompleted(turn.id, command(id, { status: 'completed', exitCode: 0 })));
        }
        break;
      }
      case 'text':
        if (turn?.registered === true) {
          turn.item += 1;
          const id = `${turn.id}-m${turn.item}`;
          lab.emit(events.delta(turn.id, 'text', id), events.itemCompleted(turn.id, message(id, 'text')));
        }
        break;
      case 'ask': {
        const [itemId] = turn?.open ?? [];
        if (turn?.registered === true && itemId !== undefined) {
          lab.codex.request(lab.threadId, {
            type: 'commandApproval',
            turnId: turn.id,
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
          this.asks.push(this.asks.length + 1);
        }
        break;
      }
      case 'allow':
        lab.actor.answerAsk(Math.max(1, this.asks.length), { type: 'selected', optionId: 'allow_once' });
        break;
      case 'complete':
      case 'fail':
        this.#complete(step === 'fail' ? 'failed' : 'completed');
        break;
      case 'crash':
        this.turn = null;
        this.landing = [];
        lab.codex.crash();
        break;
      case 'tick':
        lab.clock.advance(400);
        break;
      default:
        throw new Error(`unknown step ${step}`);
    }
    await lab.turnOver();
  }

  /** Everything that is under way comes to its end. */
  async settle(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      if (this.lab.codex.heldStarts.length > 0) await this.do('answerStart');
      else if (this.lab.codex.heldInterrupts.length > 0) await this.do('answerInterrupt');
      else if (this.turn !== null && !this.turn.registered) await this.do('register');
      else if (this.turn !== null) await this.do('complete');
      else if (this.lab.clock.waiting > 0) this.lab.clock.advance(5000);
      else return;
      await this.lab.turnOver();
    }
    throw new Error(`does not come to rest:\n${this.script.join('\n')}`);
  }

  #newTurn(): void {
    this.#turns += 1;
    this.turn = { id: `t${this.#turns}`, registered: false, interrupted: false, item: 0, open: [] };
  }

  #answerStart(): void {
    const held = this.lab.codex.heldStarts.shift();
    if (held === undefined) return;
    const call = this.lab.codex.of('startTurn').at(-1);
    if (this.turn === null || !this.turn.registered) this.#newTurn();
    const promptId = call?.params.clientMessageId?.replace('message-', '');
    if (promptId !== undefined) this.landing.push(promptId);
    if (this.turn !== null) held.resolve({ turnId: this.turn.id });
  }

  #answerInterrupt(): void {
    const held = this.lab.codex.heldInterrupts.shift();
    if (held === undefined) return;
    if (this.turn === null || !this.turn.registered) {
      held.reject(new CodexRequestError(-32600, 'no active turn to interrupt'));
      return;
    }
    this.turn.interrupted = true;
    held.resolve();
  }

  #complete(status: 'completed' | 'failed'): void {
    const { turn } = this;
    if (turn === null || !turn.registered) return;
    this.turn = null;
    this.lab.emit(events.completed(turn.id, turn.interrupted ? 'interrupted' : status, 'reason'));
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('prompt', 'answerStart', 'register', 'land', 'complete') },
    { weight: 3, arbitrary: fc.constantFrom('item', 'endItem', 'text', 'ask', 'allow', 'answerInterrupt') },
    { weight: 2, arbitrary: fc.constantFrom('cancel', 'cancelPrompt', 'agentTurn', 'fail', 'tick') },
    { weight: 1, arbitrary: fc.constantFrom('crash', 'refuseStart') },
  ),
  { maxLength: 40, size: 'max' },
);

/** Scripts that once failed, run before the random ones. */
const examples: [string[]][] = [
  // S12.5: the turn is ended without its completion, and Codex goes on telling about it.
  [['prompt', 'cancel', 'answerStart', 'register', 'answerInterrupt', ...Array(5).fill('tick'), 'item', 'complete']],
];

function check(play: Play): void {
  const { words } = play.lab;
  const context = `${play.script.join(' ')}\n${words.join('\n')}`;
  for (const promptId of play.prompts) {
    expect(
      words.filter((word) => word.startsWith(`ended ${promptId} `)),
      `answers of ${promptId}: ${context}`,
    ).toHaveLength(1);
    const ended = words.findIndex((word) => word.startsWith(`ended ${promptId} `));
    const late = words
      .slice(ended + 1)
      .filter((word) => word === `inserted ${promptId}` || word === `user message-${promptId}`);
    expect(late, `frames of ${promptId} after its end: ${context}`).toEqual([]);
  }
  if (play.protocol === 1) expect(words.filter((word) => word === 'running' || word.startsWith('idle:'))).toEqual([]);
  let visible = false;
  for (const [index, state] of words.entries()) {
    if (state.startsWith('idle:')) {
      // S3.43, R24: the end of Codex is told even when nothing of its prompt had been visible.
      const withCodex = state === 'idle:failed' && words[index - 1]?.endsWith(' failed:lost') === true;
      expect(visible || withCodex, `idle without running: ${context}`).toBe(true);
      visible = false;
    } else if (state === 'running' || state === 'requires_action') visible = true;
  }
  expect(visible, `ends idle: ${context}`).toBe(false);
  const opened = words
    .filter((word) => word.startsWith('toolStarted '))
    .map((word) => word.slice('toolStarted '.length));
  for (const id of opened) {
    const ends = words.filter((word) => word === `toolEnded ${id}` || word === `toolAborted ${id}`);
    expect(ends, `tool call ${id} ends once: ${context}`).toHaveLength(1);
  }
  expect(play.lab.codex.of('answer'), `each question has one answer: ${context}`).toHaveLength(play.asks.length);
  expect(play.lab.clock.waiting, `no timer is left: ${context}`).toBe(0);
}

/** Frames between a turn's end and the next beginning belong to nobody: there must be none (S3.96). */
function checkNothingAfterIdle(play: Play): void {
  let idle = true;
  for (const word of play.lab.words) {
    if (word.startsWith('idle:')) idle = true;
    else if (word === 'running') idle = false;
    else if (/^(text|toolStarted|requires_action|ask|output)/.test(word)) {
      expect(idle, `${word} while idle:\n${play.script.join(' ')}\n${play.lab.words.join('\n')}`).toBe(false);
    }
  }
}

describe('architecture 3.6: the session core over random interleavings', () => {
  for (const protocol of [1, 2] as const) {
    test(`v${protocol}: each prompt, tool call and question ends exactly once`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const play = new Play(protocol);
          for (const step of script) await play.do(step);
          await play.settle();
          check(play);
          if (protocol === 2) checkNothingAfterIdle(play);
        }),
        { ...runs(), examples },
      );
    });

    test(`v${protocol}: nothing is shown once a close has ended`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (before, after) => {
          const play = new Play(protocol);
          for (const step of before) await play.do(step);
          await play.do('close');
          for (const step of after.slice(0, 10)) await play.do(step);
          await play.settle();
          await play.closing;
          const shown = play.lab.words.length;
          play.lab.emit(events.started('late'), events.delta('late', 'late'), events.completed('late'));
          expect(play.lab.words).toHaveLength(shown);
          expect(play.lab.words.at(-1)).toBe('endSession');
          check(play);
        }),
        runs(),
      );
    });
  }
});
