import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import type { OpenCall } from './codex-calls.ts';
import { isOutsideCodex } from './codex-calls.ts';
import type { CodexModel } from './codex-model.ts';
import type { Turn } from './codex-turn.ts';
import { eventInWords, isRegular, told } from './codex-turn.ts';
import type { Play } from './play.ts';
import type { CodexStep } from './steps.ts';

/** Milliseconds of a tick. */
const ticks = [30, 220, 700, 2100, 5100];

/** So long an event may be on its way, in milliseconds. */
const longestDelay = 1000;

/** So long a close waits at least for what it has to stop, in milliseconds (S3.61). */
const closePatience = 700;

/** The number of a tick that ends with the next timer. */
export const toNextTimer = 19;

/** What Codex or the clock does in a step; says it in words, or `null` when it cannot happen now. */
export const codexActions: Readonly<Record<CodexStep, (play: Play, n: number) => string | null>> = {
  answer: ({ codex }, n) => {
    const open = codex.open[n % Math.max(1, codex.open.length)];
    const words = open === undefined || isOutsideCodex(open.call) ? 'over:' : 'Codex answers';
    return prefixed(words, open, (asked) => codex.answer(asked, n));
  },
  take: ({ codex }, n) => {
    const waiting = codex.open.filter(({ result }) => result === null);
    return prefixed('Codex takes', waiting[n % Math.max(1, waiting.length)], (open) => codex.take(open, n));
  },
  /** The machine alone cannot know that a turn goes on which Codex would not interrupt: the watch does (S12.6). */
  refuse: ({ codex, now }, n) => {
    const waiting = codex.open.filter(
      ({ call: { method }, result }) =>
        result === null && method !== 'readTurn' && (method !== 'interrupt' || now.subject.session !== null),
    );
    const open = waiting[n % Math.max(1, waiting.length)];
    const turn = open?.call.method === 'interrupt' ? codex.turns.get(open.call.turnId) : undefined;
    if (turn !== undefined) turn.stubborn = true;
    // An interrupt that fails does not hold up a close (S3.70), not even for the turn that it would have led to.
    for (const left of turn !== undefined && now.closing ? [turn, codex.next] : [])
      if (left !== null) left.unwanted = 'may';
    return prefixed('Codex refuses', open, (refused) => codex.refuse(refused, 'refused'));
  },
  advance: (play, n) => begunWhileClosing(play, heard(play.codex, play.codex.advance(), n)),
  hear: ({ codex }, n) => {
    const events = codex.hear(n >= 10 ? codex.pipe.length : 1);
    return events.length === 0 ? null : `told: ${events.map(eventInWords).join(', ')}`;
  },
  finish: ({ codex }, n) => heard(codex, codex.finish('completed'), n),
  fail: ({ codex }, n) => heard(codex, codex.finish('failed'), n),
  agentTurn: (play, n) => begunWhileClosing(play, heard(play.codex, play.codex.agentTurn(), n)),
  command: ({ codex }, n) =>
    ofTurn(codex, n, 'runs a command', (turn) => {
      if (turn.kind === 'compact') return null;
      const id = newItem(turn, 'command');
      (n % 4 === 1 ? turn.background : turn.commands).push(id);
      return [told.commandStarted(turn.id, id, n % 4 === 1 ? `process-${id}` : null)];
    }),
  /** A command in the background may end long after its turn. */
  endCommand: ({ codex }, n) => {
    const turns = [...new Set(codex.turns.values())].filter(
      (turn) => turn === codex.turn || turn.background.length > 0,
    );
    const turn = turns[n % Math.max(1, turns.length)];
    const id = (turn === codex.turn ? turn?.commands.shift() : undefined) ?? turn?.background.shift();
    if (turn === undefined || id === undefined) return null;
    codex.tell(told.commandEnded(turn.id, id));
    return heard(codex, `ends ${id}`, n);
  },
  text: ({ codex }, n) =>
    ofTurn(codex, n, 'speaks', (turn) => {
      if (turn.kind === 'compact') return null;
      const id = newItem(turn, 'message');
      const delta: ThreadEvent = { type: 'messageDelta', turnId: turn.id, itemId: id, delta: 'Hello' };
      const whole = { type: 'agentMessage', id, text: 'Hello.', phase: null, hidden: false } as const;
      return n % 3 === 2 ? [delta] : [delta, { type: 'itemCompleted', turnId: turn.id, item: whole }];
    }),
  plan: ({ codex }, n) =>
    ofTurn(codex, n, 'proposes a plan', (turn) => {
      if (!codex.planMode || turn.planned || !isRegular(turn)) return null;
      turn.planned = true;
      const id = newItem(turn, 'plan');
      return [
        { type: 'planDelta', turnId: turn.id, itemId: id, delta: '1. Dig' },
        { type: 'itemCompleted', turnId: turn.id, item: { type: 'plan', id, text: '1. Dig' } },
      ];
    }),
  question: ({ codex }, n) =>
    ofTurn(codex, n, 'asks a question and goes on', (turn) => {
      if (!isRegular(turn)) return null;
      const id = newItem(turn, 'question');
      const questions = [{ title: 'Which?', options: ['this', 'that'] }];
      return told.item(turn.id, { type: 'agentMessage', id, text: 'Which?', phase: null, hidden: false, questions });
    }),
  ask: ({ codex, now }, n) => {
    // Nobody would hear of it.
    if (!codex.subscribed) return null;
    const over = [...now.overAt.keys()].at(-1);
    if (n % 6 === 5 && over !== undefined) return askFor(codex, over, `${over}-late`, null);
    const { turn } = codex;
    const [command] = turn?.commands ?? [];
    if (turn === null || command === undefined || turn.stopped) return null;
    return askFor(codex, turn.id, command, turn);
  },
  diff: ({ codex }, n) =>
    ofTurn(codex, n, 'changes a file', (turn) => {
      const diff = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n';
      return isRegular(turn) ? [{ type: 'diffUpdated', turnId: turn.id, diff }] : null;
    }),
  retry: ({ codex }, n) => ofTurn(codex, n, 'asks the model again', (turn) => [told.retry(turn.id)]),
  usage: ({ codex }, n) =>
    ofTurn(codex, n, 'tells of the goal', () => {
      const { goal } = codex;
      if (goal === null) return null;
      codex.goal = { ...goal, tokensUsed: goal.tokensUsed + 1, updatedAt: goal.updatedAt + 1 };
      return [{ type: 'goalUpdated', goal: codex.goal }];
    }),
  again: ({ codex }, n) => {
    const event = codex.heard.at(-1 - (n % 4));
    if (event === undefined || !mayRepeat(codex, event)) return null;
    codex.hearer?.onEvent(event);
    return `told again: ${eventInWords(event)}`;
  },
  lose: ({ codex }) => {
    const [event] = codex.pipe;
    const before = codex.heard.at(-1);
    const witnessed = before?.type === 'threadStatus' && before.status.type !== 'active';
    if (event?.type !== 'turnCompleted' || !witnessed || !codex.witnessed) return null;
    codex.pipe.shift();
    return `never told: ${eventInWords(event)}`;
  },
  die: (play) => {
    if (play.now.closed) return null;
    play.codex.die();
    return 'Codex dies';
  },
  tick: (play, n) => {
    const { clock, now, codex } = play;
    const next = clock.untilNext;
    if (next === null) return null;
    const ms = n === toNextTimer ? next : (ticks[n % ticks.length] ?? 0);
    if (now.closing && !now.closed) now.closingFor += ms;
    // Nobody waits for a turn without a name that begins this late (S3.119).
    if (codex.next !== null) codex.nextFor += ms;
    if (codex.next !== null && codex.nextFor > closePatience) codex.next.unwanted = 'may';
    // A Codex that is this slow does not hold up the close (S3.70).
    if (now.closingFor > closePatience) {
      for (const unwanted of [...codex.turns.values(), ...codex.open]) unwanted.unwanted = 'may';
    }
    // Nothing is that long on its way.
    const events = ms > longestDelay ? codex.hear(codex.pipe.length) : [];
    clock.advance(ms);
    return `${events.length === 0 ? '' : `told: ${events.map(eventInWords).join(', ')}; `}${ms} ms pass`;
  },
};

function prefixed(words: string, open: OpenCall | undefined, act: (open: OpenCall) => string | null): string | null {
  const text = open === undefined ? null : act(open);
  return text === null ? null : `${words} ${text}`;
}

/** What Codex did; mostly we hear of all of it at once, now and then of one event only, or of nothing yet. */
function heard(codex: CodexModel, text: string | null, n: number): string | null {
  if (text === null) return null;
  const count = n % 4 === 0 ? n % 3 : codex.pipe.length;
  const events = codex.hear(count);
  return `Codex ${text}${events.length === 0 ? '' : `; told: ${events.map(eventInWords).join(', ')}`}`;
}

function ofTurn(
  codex: CodexModel,
  n: number,
  text: string,
  tell: (turn: Turn) => readonly ThreadEvent[] | null,
): string | null {
  return codex.tellOf(tell) ? heard(codex, text, n) : null;
}

function newItem(turn: Turn, what: string): string {
  turn.items += 1;
  return `${turn.id}-${what}${turn.items}`;
}

function askFor(codex: CodexModel, turnId: string, itemId: string, turn: Turn | null): string {
  codex.ask(
    {
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
    },
    turn,
  );
  return `Codex asks about ${itemId}`;
}

/** Of a turn that is over only its end comes twice; nothing comes twice of what a new one begins with. */
function mayRepeat(codex: CodexModel, event: ThreadEvent): boolean {
  switch (event.type) {
    case 'turnCompleted':
    case 'goalUpdated':
    case 'goalCleared':
      return true;
    case 'turnStarted':
    case 'itemStarted':
    case 'itemCompleted':
    case 'error':
      return codex.turn !== null && codex.turns.get(event.turnId) === codex.turn;
    default:
      return false;
  }
}

/** What begins while a session is being closed may be stopped, also when the close is over by then (S3.68). */
function begunWhileClosing<Words>({ codex, now }: Play, words: Words): Words {
  if (now.closing && codex.turn?.unwanted === 'no') codex.turn.unwanted = 'may';
  return words;
}
