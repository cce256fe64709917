import { describe, expect, test } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import {
  isUpdate,
  type Json,
  type LabPrompt,
  type LabSession,
  type PromptEnd,
  withAgent,
} from '../../support/integration.ts';
import { runCommand, type Scripted, type TextItem, text } from '../../support/model-replies.ts';
import type { RecordedRequest } from '../../support/model-server.ts';
import { conversationScript, describeStep, type Interruption, type Moment, type Step } from './conversation-script.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText, openToolCalls } from './tool-view.ts';

/** `CONVERSATION_SEED` plays another conversation. */
const seed = Number(process.env['CONVERSATION_SEED'] ?? 20_260_731);
const prompts = 50;
/** The number of the prompt behind them. */
const last = 999;

/** A prompt of the script, and what the client knows about it. */
interface Told {
  readonly step: Step;
  readonly prompt: LabPrompt;
  /** Steers that were sent before it. */
  readonly steersBefore: number;
  /** A cancel may have ended it, or a permission that was not given (S5.16, S5.18). */
  stopped: boolean;
  /** A steer may have cut off what the model was saying. */
  steered: boolean;
  end: PromptEnd | null;
}

interface Steer {
  readonly name: string;
  readonly promptRequired: boolean;
  /** A cancel came before its turn was certainly over. */
  stopped: boolean;
  /** `injected`, …; `error <code>` */
  outcome: string | null;
}

/** Everything that the model says names the prompt or the steer that it answers: `<7>`, `<s3>`. */
function say(name: string): TextItem {
  return text('', { deltas: [`<${name}>a `, `<${name}>b `, `<${name}>c `], delayMs: 15 });
}

/** Plays the script; what happens is not known before, so it only sends and keeps what the client may rely on. */
class Conversation {
  readonly told: Told[] = [];
  readonly steers: Steer[] = [];
  readonly commands: { readonly command: EndlessCommand; readonly told: Told }[] = [];
  readonly #session: LabSession;
  readonly #called = new Set<string>();
  readonly #asks = new Map<number, Frame>();
  readonly #steering: Promise<unknown>[] = [];
  /** So many steers are certainly over, with the turns that they began: a prompt behind them has ended. */
  #over = 0;

  constructor(session: LabSession) {
    this.#session = session;
    session.modelWith((request) => this.#reply(request));
    session.lab.client.onRequest = (frame) => this.#permission(frame);
  }

  async play(script: readonly Step[]): Promise<void> {
    for (const step of script) {
      await this.#play(step);
      if (!step.settles) continue;
      await this.#settle();
      if (step.idleSteer !== null) this.#steer(step.idleSteer === 'promptRequired');
    }
    await this.#settle();
  }

  async #play(step: Step): Promise<void> {
    const { lab } = this.#session;
    const at = (moment: Moment): Interruption[] => step.interruptions.filter((one) => one.moment === moment);
    const told = lab.together(() => {
      const sent = this.#prompt(step);
      for (const one of at('together')) this.#interrupt(sent, one);
      return sent;
    });
    for (const moment of ['asked', 'shown'] as const) {
      for (const one of at(moment)) {
        await (moment === 'asked' ? this.#asked(told) : this.#shown(told));
        this.#interrupt(told, one);
      }
    }
    if (step.kind === 'ask' && step.answer === 'late') await this.#answerLate(told);
    // A v2 prompt cannot be stopped by its request once it is recorded; what never ends must be stopped all the same.
    if (step.kind === 'endless' && step.interruptions.at(-1)?.type !== 'cancel') this.#cancel();
  }

  #prompt(step: Step): Told {
    const prompt = this.#session.prompt(promptText(step));
    const told: Told = { step, prompt, steersBefore: this.steers.length, stopped: false, steered: false, end: null };
    const known = (end: PromptEnd): void => {
      told.end = end;
    };
    // A prompt without an end fails the test where it is waited for.
    prompt.ended.then(known, () => undefined);
    this.told.push(told);
    return told;
  }

  #interrupt(told: Told, one: Interruption): void {
    switch (one.type) {
      case 'cancel':
        return this.#cancel();
      case 'cancelRequest':
        told.stopped = true;
        return told.prompt.cancelRequest();
      case 'steer':
        return this.#steer(one.promptRequired);
    }
  }

  #cancel(): void {
    for (const told of this.told) if (told.end === null) told.stopped = true;
    for (const steer of this.steers.slice(this.#over)) steer.stopped = true;
    this.#session.cancel();
  }

  #steer(promptRequired: boolean): void {
    const { lab, id } = this.#session;
    const name = `s${this.steers.length + 1}`;
    const steer: Steer = { name, promptRequired, stopped: false, outcome: null };
    this.steers.push(steer);
    for (const told of this.told) if (told.end === null) told.steered = true;
    const params = {
      sessionId: id,
      prompt: [{ type: 'text', text: `#${name} steer` }],
      ...(promptRequired ? { _meta: { steering: { idleBehavior: 'promptRequired' } } } : {}),
    };
    const settled = lab.request('_session/steering', params).then(
      ({ outcome }: Json) => outcome,
      ({ code }: Json) => `error ${code}`,
    );
    this.#steering.push(
      settled.then((outcome) => {
        steer.outcome = outcome;
      }),
    );
  }

  /** Everything that has an answer has it. */
  async #settle(): Promise<void> {
    const behind = this.told.at(-1)?.steersBefore ?? 0;
    await Promise.all(this.told.map(({ prompt }) => prompt.ended));
    await Promise.all(this.#steering);
    this.#over = behind;
  }

  /** The model was asked for the prompt, or the prompt is over. */
  async #asked({ step, prompt }: Told): Promise<void> {
    const { server } = this.#session.lab;
    const name = String(step.number);
    const asked = server.waitForRequest((request) => nameIn(request) === name).catch(() => undefined);
    await Promise.race([asked, prompt.ended]);
  }

  /** Something of the prompt was shown, or it is over. */
  async #shown({ step, prompt }: Told): Promise<void> {
    const { client } = this.#session.lab;
    const shows = (frame: Frame): boolean => JSON.stringify(frame.params ?? null).includes(markOf(step));
    await Promise.race([client.waitFor(shows, prompt.from), prompt.ended]);
  }

  #reply(request: RecordedRequest): Scripted {
    const name = nameIn(request);
    const told = this.told.find(({ step }) => String(step.number) === name);
    if (told === undefined || this.#called.has(name)) return say(name);
    this.#called.add(name);
    switch (told.step.kind) {
      case 'command':
        return runCommand(`echo '<${name}>'`);
      case 'ask':
        return runCommand(`echo '<${name}>' > asked`, { escalate: `May I do <${name}>?` });
      case 'endless': {
        // Outside the sandbox: Codex 0.171 loses a command that is ended while its sandbox is being set up.
        const command = new EndlessCommand({ escalate: `May I run <${name}>?` });
        this.commands.push({ command, told });
        return command.call;
      }
      default:
        return say(name);
    }
  }

  /** Answers a permission request as its prompt says; `undefined` leaves it open. */
  #permission(frame: Frame): unknown {
    const number = Number(/<(\d+)>/.exec(JSON.stringify(frame.params))?.[1]);
    const told = this.told.find(({ step }) => step.number === number);
    if (told === undefined) throw new Error(`A permission request of no prompt: ${JSON.stringify(frame)}`);
    const { options } = frame.params;
    const select = (kind: string): unknown => {
      const { optionId } = options.find((option: Json) => option.kind === kind);
      return { outcome: { outcome: 'selected', optionId } };
    };
    if (told.step.kind === 'endless') return select('allow_once');
    switch (told.step.answer) {
      case 'allow':
        return select('allow_once');
      case 'reject':
        told.stopped = true;
        return select('reject_once');
      case 'cancelled':
        told.stopped = true;
        return { outcome: { outcome: 'cancelled' } };
      case 'error':
        told.stopped = true;
        this.#session.lab.client.send({ jsonrpc: '2.0', id: frame.id, error: { code: -32603, message: 'No dialog' } });
        return;
      case 'late':
        this.#asks.set(number, frame);
        return;
    }
  }

  /** Answers after everything else; the request may have been withdrawn meanwhile. */
  async #answerLate({ step, prompt }: Told): Promise<void> {
    const { client } = this.#session.lab;
    const asks = ({ method, params }: Frame): boolean =>
      method === 'session/request_permission' && JSON.stringify(params).includes(markOf(step));
    await Promise.race([client.waitFor(asks, prompt.from), prompt.ended]);
    const frame = this.#asks.get(step.number);
    if (frame?.id === undefined || frame.id === null) return;
    const { optionId } = frame.params.options.find((option: Json) => option.kind === 'allow_once');
    client.answer(frame.id, { outcome: { outcome: 'selected', optionId } });
  }
}

function promptText({ number, kind }: Step): string {
  switch (kind) {
    case 'compact':
      return '/compact';
    case 'status':
      return '/status';
    case 'review':
      return `/review #${number} the tone`;
    case 'ask':
    case 'command':
    case 'endless':
    case 'text':
      return `#${number} ${kind}`;
  }
}

/** A piece of what is shown of a prompt and of nothing else that may run at the time. */
function markOf({ number, kind }: Step): string {
  return kind === 'endless' ? 'sleep 600.' : kind === 'compact' || kind === 'status' ? '"agent_' : `<${number}>`;
}

/** The prompt or steer that the model is asked about. */
function nameIn({ lastUserText }: RecordedRequest): string {
  return /#(s?\d+)/.exec(lastUserText)?.[1] ?? 'none';
}

/**
 * Position of the last frame that shows something of this name: its text, or the tool calls that bear it. A steer leaves
 * a command that the model had just called to the background; it may go on with its tool call after the turn (C008).
 */
function lastFrameOf(session: LabSession, name: string, steered: boolean): number {
  const calls = new Set<string>();
  let last = -1;
  session.lab.client.received.forEach((frame, position) => {
    if (frame.params?.sessionId !== session.id || frame.params.update?.sessionUpdate === 'session_info_update') return;
    const call = frame.params.update?.toolCallId ?? frame.params.update?.terminalId;
    if (steered && call !== undefined) return;
    const bears = JSON.stringify(frame.params).includes(`<${name}>`);
    if (bears && call !== undefined) calls.add(call);
    if (bears || calls.has(call)) last = position;
  });
  return last;
}

/** v2: positions of each `running` and of the `idle` that follows it. */
function works(session: LabSession): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  session.lab.client.received.forEach((frame, position) => {
    if (!isUpdate(frame, session.id) || frame.params.update.sessionUpdate !== 'state_update') return;
    const { state } = frame.params.update;
    const open = found.at(-1);
    if (state === 'idle') {
      expect(open?.to, `idle without running at ${position}`).toBe(-1);
      if (open !== undefined) open.to = position;
    } else if (open === undefined || open.to >= 0) {
      expect(state, `work begins at ${position}`).toBe('running');
      found.push({ from: position, to: -1 });
    }
  });
  return found;
}

/** v2: the texts of the user that were shown, with their positions. */
function userTexts(session: LabSession): { name: string; position: number }[] {
  return session.lab.client.received.flatMap((frame, position) => {
    if (!isUpdate(frame, session.id) || frame.params.update.sessionUpdate !== 'user_message_chunk') return [];
    const { text: shown } = frame.params.update.content;
    return [{ name: /#(s?\d+)/.exec(shown)?.[1] ?? shown, position }];
  });
}

/** What holds for every interleaving. */
async function check(session: LabSession, { told, steers, commands }: Conversation): Promise<void> {
  const { version, server } = session.lab;
  for (const { step, end, stopped, steered } of told) {
    const name = describeStep(step);
    const outcomes = stopped ? ['end_turn', 'cancelled', ...(version === 2 ? ['rejected'] : [])] : ['end_turn'];
    expect(outcomes, name).toContain(end?.outcome);
    if (end?.outcome === 'rejected') expect(end.error?.code, name).toBe(-32800);
    else expect(end?.error, name).toBeNull();
    // Nothing of a prompt comes after its end.
    expect(lastFrameOf(session, String(step.number), steered), name).toBeLessThan(end?.position ?? 0);
    if (step.kind === 'text' && !stopped && !steered) {
      const shown = session.lab.client.text(session.id);
      const said = ['a', 'b', 'c'].map((part) => shown.split(`<${step.number}>${part} `).length - 1);
      expect(said, name).toEqual([1, 1, 1]);
    }
  }
  const heard = new Set(session.requests.flatMap((request) => request.userTexts));
  for (const { name, promptRequired, stopped, outcome } of steers) {
    const idle = promptRequired ? 'promptRequired' : 'startedNewTurn';
    const outcomes = ['injected', 'failed', idle, ...(stopped ? ['error -32600'] : [])];
    expect(outcomes, name).toContain(outcome);
    // The host keeps what was not taken: it must not reach the model as well (C011).
    if (outcome === 'promptRequired' || outcome === 'failed') expect(heard.has(`#${name} steer`), name).toBe(false);
  }
  expect(openToolCalls(session.updates())).toEqual([]);
  if (version === 2) checkStates(session, told, steers);
  // Codex is at rest: no model request is open, its thread is idle, no process is left.
  for (const request of session.requests) expect(['sent', 'gone']).toContain(await request.finished);
  expect(server.requests.length).toBeGreaterThan(0);
  const statuses = session.updates().flatMap((update) => update._meta?.codex?.threadStatus ?? []);
  expect(statuses.at(-1)).toEqual({ type: 'idle' });
  // A command that a steer left in the background runs until the session is closed (S3.67).
  for (const { command, told } of commands) if (!told.steered) await command.gone();
  await session.close();
  for (const { command } of commands) await command.gone();
}

function checkStates(session: LabSession, told: readonly Told[], steers: readonly Steer[]): void {
  const found = works(session);
  expect(found.at(-1)?.to, 'the last work has an end').toBeGreaterThan(0);
  const shown = userTexts(session);
  const begun = told.filter(({ end }) => end?.outcome !== 'rejected');
  const local = begun.filter(({ step }) => step.kind === 'compact' || step.kind === 'status').length;
  // Each prompt that was answered is shown once, each other one never.
  const numbers = begun.filter(({ step }) => step.kind !== 'compact' && step.kind !== 'status');
  const names = shown.map(({ name }) => name).filter((name) => /^\d+$/.test(name));
  expect(names).toEqual([...numbers.map(({ step }) => step.number), last].map(String));
  expect(shown.filter(({ name }) => name.startsWith('/'))).toHaveLength(local);
  // A work has one prompt at most; what a prompt shows lies in its work.
  for (const { from, to } of found) {
    const within = shown.filter(({ name, position }) => position > from && position < to && !/^[s/]/.test(name));
    expect(within.length, `prompts from ${from} to ${to}`).toBeLessThanOrEqual(1);
    const [only] = within;
    if (only !== undefined) {
      const steered = told.some(({ step, steered }) => steered && String(step.number) === only.name);
      expect(lastFrameOf(session, only.name, steered), `#${only.name}`).toBeLessThan(to);
    }
  }
  for (const { name, position } of shown) {
    // A local command is shown right before its `running` (S3.33).
    const index = found.findIndex(({ to }) => position < to);
    expect(index, `${name} lies in a work`).toBeGreaterThanOrEqual(0);
    expect(position, `${name} lies in a work`).toBeGreaterThan(found[index - 1]?.to ?? -1);
  }
  // One work for each prompt that was answered and each steer that began a turn; a rejected prompt may have one.
  const own = begun.length + 1 + steers.filter(({ outcome }) => outcome === 'startedNewTurn').length;
  const perhaps = told.length - begun.length + steers.filter(({ outcome }) => outcome === 'error -32600').length;
  expect(found.length).toBeGreaterThanOrEqual(own);
  expect(found.length).toBeLessThanOrEqual(own + perhaps);
  // A steer is shown once when it lands; of one that was taken and did not land the user is told (S3.145, S3.146).
  let lost = 0;
  for (const { name, outcome, stopped } of steers) {
    const times = shown.filter((one) => one.name === name).length;
    expect(times, name).toBeLessThanOrEqual(1);
    if (outcome === 'injected' && times === 0) lost += 1;
    if (outcome === 'startedNewTurn' && !stopped) expect(times, name).toBe(1);
    if (outcome === 'promptRequired' || outcome === 'failed') expect(times, name).toBe(0);
  }
  expect(session.updates().filter(({ title }) => title === 'Message not sent')).toHaveLength(lost);
}

describe('a conversation of fifty prompts that are cancelled, steered, queued and asked about', () => {
  test.each([1, 2] as const)(
    'v%i: C002 C008 C010 C011 S3.60 S3.96 S3.210 S3.233 each ends once, in order, and leaves nothing behind',
    { timeout: 180_000 },
    (version) =>
      withAgent(
        { version, env: { INITIAL_AGENT_MODE: 'workspace-write' }, files: { 'a.txt': 'one\n' } },
        async (_, session) => {
          const script = conversationScript(seed, prompts);
          const conversation = new Conversation(session);
          try {
            await conversation.play(script);
            const end = await session.prompt(`#${last} last`).ended;
            expect(end.outcome).toBe('end_turn');
            expect(messageText(end.updates)).toMatch(/<999>a <999>b <999>c $/);
            await check(session, conversation);
          } catch (error) {
            if (!(error instanceof Error)) throw error;
            const steers = conversation.steers.map(({ name, outcome }) => `${name} ${outcome}`);
            error.message += `\n\nSeed ${seed}:\n${script.map(describeStep).join('\n')}\n${steers.join(', ')}`;
            throw error;
          }
        },
      ),
  );
});
