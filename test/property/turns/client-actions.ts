import { isOutsideCodex } from './codex-calls.ts';
import type { Play } from './play.ts';
import type { ClientStep } from './steps.ts';
import { promptKinds, promptText } from './subject.ts';
import { wantPromptStopped, wantSessionStopped } from './unwanted.ts';

/** What the client does in a step; says it in words, or `null` when it cannot be done now. */
export const clientActions: Readonly<Record<ClientStep, (play: Play, n: number) => string | null>> = {
  prompt: (play, n) => {
    const kind = promptKinds[n % promptKinds.length] ?? 'text';
    if (play.now.closed || play.now.subject.session?.reloading === true) return null;
    play.counters.prompt += 1;
    const promptId = `p${play.counters.prompt}`;
    play.now.prompts.set(promptId, { promptId, kind, inserted: false, ended: false });
    play.now.subject.prompt(promptId, kind);
    return `client sends ${promptId} "${promptText(kind, promptId)}"${kind === 'report' ? ' and wants a report' : ''}`;
  },
  steer: (play, n) => {
    const { session } = play.now.subject;
    if (session === null || session.reloading || play.now.closed) return null;
    play.counters.steer += 1;
    const name = `s${play.counters.steer}`;
    session.steer(name, n % 2 === 1);
    return `client steers ${name}${n % 2 === 1 ? ', and keeps it when nothing runs' : ''}`;
  },
  cancel: (play) => {
    if (play.now.closed) return null;
    if (!play.now.closing) wantSessionStopped(play, 'cancel');
    play.now.subject.cancel();
    return 'client cancels the session';
  },
  cancelPrompt: (play, n) => {
    const open = [...play.now.prompts.values()].filter(({ ended }) => !ended);
    const prompt = open[n % Math.max(1, open.length)];
    if (prompt === undefined) return null;
    if (!prompt.inserted || play.setup.protocol === 1) wantPromptStopped(play, prompt);
    play.now.subject.cancelPrompt(prompt.promptId);
    return `client cancels the request of ${prompt.promptId}`;
  },
  allow: (play, n) => answerAsk(play, n, true),
  reject: (play, n) => answerAsk(play, n, false),
  approve: (play, n) => decidePlan(play, n, true),
  keep: (play, n) => decidePlan(play, n, false),
  fill: (play, n) => {
    const { session } = play.now.subject;
    const askId = pick([...play.now.openForms], play.now.forms, n);
    if (session === null || askId === undefined) return null;
    play.now.openForms.delete(askId);
    session.answerForm(askId, n % 4 !== 3);
    return n % 4 !== 3 ? `client answers form ${askId}` : `client declines form ${askId}`;
  },
  setting: (play, n) => {
    const { session } = play.now.subject;
    if (session === null || session.reloading || play.now.closed) return null;
    session.changeSetting(n);
    return 'client changes a setting';
  },
  planMode: (play, n) => {
    const { session } = play.now.subject;
    if (session?.reloading === true || play.now.closed) return null;
    const on = n % 4 !== 3;
    play.counters.mode += 1;
    if (session === null) play.codex.planMode = on;
    else session.setPlanMode(`mode ${play.counters.mode}`, on);
    return on ? 'client turns plan mode on' : 'client turns plan mode off';
  },
  goal: (play, n) => {
    const { session } = play.now.subject;
    if (session === null || session.reloading || play.now.closed) return null;
    play.counters.goal += 1;
    const name = `g${play.counters.goal}`;
    session.controlGoal(name, n);
    return `client changes the goal: ${['set', 'pause', 'resume', 'clear'][n % 4]} (${name})`;
  },
  reload: (play) => {
    const { session } = play.now.subject;
    if (session === null || play.now.closed) return null;
    play.counters.reload += 1;
    session.changeInstructions(`r${play.counters.reload}`);
    return `client sets the session up with other instructions (r${play.counters.reload})`;
  },
  close: (play) => {
    if (play.now.closed) return null;
    play.counters.close += 1;
    if (!play.now.closing) wantSessionStopped(play, 'close');
    play.now.closing = true;
    play.codex.closing = true;
    play.now.subject.close(`close ${play.counters.close}`);
    return 'client closes the session';
  },
  /** A thread is opened again once it is quiet: what a new session makes of a turn that runs is no matter of turns. */
  reopen: (play) => {
    const { codex, now } = play;
    if (!now.closed || codex.turn !== null || codex.next !== null || codex.pipe.length > 0) return null;
    if (codex.open.some(({ call }) => !isOutsideCodex(call))) return null;
    codex.loaded = true;
    codex.subscribed = true;
    codex.closing = false;
    play.reopen();
    return 'client opens the thread again';
  },
};

/** Open ones first; now and then one that is settled already: its answer crossed the withdrawal. */
function pick<Item>(open: readonly Item[], every: readonly Item[], n: number): Item | undefined {
  return n % 7 === 6 || open.length === 0 ? every[n % Math.max(1, every.length)] : open[n % open.length];
}

function answerAsk(play: Play, n: number, allowed: boolean): string | null {
  const { session } = play.now.subject;
  const { asks, openAsks } = play.now;
  const every = asks.filter(({ plan }) => !plan).map(({ askId }) => askId);
  const askId = pick(
    every.filter((id) => openAsks.has(id)),
    every,
    n,
  );
  if (session === null || askId === undefined) return null;
  if (openAsks.delete(askId)) play.now.answeredAsks.add(askId);
  session.answerAsk(askId, allowed);
  return `client ${allowed ? 'allows' : 'rejects'} ask ${askId}`;
}

function decidePlan(play: Play, n: number, approved: boolean): string | null {
  const { asks, openAsks } = play.now;
  const every = asks.filter(({ plan }) => plan).map(({ askId }) => askId);
  const askId = pick(
    every.filter((id) => openAsks.has(id)),
    every,
    n,
  );
  if (askId === undefined) return null;
  if (openAsks.delete(askId)) play.now.answeredAsks.add(askId);
  play.now.subject.decidePlan(askId, approved);
  return `client ${approved ? 'approves' : 'does not approve'} the plan (ask ${askId})`;
}
