import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Screen } from './screen.ts';

interface Option {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** `session/request_permission` of v1, and of v2 where the tool call is the subject. */
export interface PermissionRequest {
  readonly title?: string;
  readonly description?: string;
  readonly options: readonly Option[];
  readonly toolCall?: PermissionToolCall;
  readonly subject?: { readonly toolCall?: PermissionToolCall };
}

interface PermissionToolCall {
  readonly title?: string;
  readonly kind?: string;
  readonly locations?: readonly { readonly path: string }[];
}

/** How long a person gets to read the question before the demo answers it. */
const READING_MS = 1200;

export interface Answering {
  readonly screen: Screen;
  /** The person decides; else the demo allows it once. */
  readonly interactive: boolean;
  /** Allow nothing but edits when nobody can be asked: the request comes from a real model. */
  readonly careful: boolean;
  readonly placeOf: (path: string) => string;
}

/** Shows the question, decides, shows the decision, and returns the result for the agent. */
export async function answerPermission(request: PermissionRequest, how: Answering): Promise<object> {
  const { screen, placeOf } = how;
  const { style } = screen;
  const call = request.subject?.toolCall ?? request.toolCall ?? {};
  const places = (call.locations ?? []).map(({ path }) => placeOf(path)).join(', ');
  const question = request.title ?? `${call.title ?? 'Go on'}?`;
  screen.line('asks', `${style.bold(question)} ${style.dim(places)}`.trimEnd(), style.yellow);
  if (request.description !== undefined) screen.line('', request.description);
  request.options.forEach(({ name }, index) => {
    screen.line('', `${style.dim(`${index + 1}.`)} ${name}`);
  });
  const chosen = how.interactive ? await askPerson(request.options) : await decide(request.options, call, how);
  screen.line('answer', style.yellow(chosen.name), style.green);
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}

async function decide(options: readonly Option[], call: PermissionToolCall, how: Answering): Promise<Option> {
  if (how.screen.live) await delay(READING_MS);
  const allowed = !how.careful || call.kind === 'edit';
  return pick(options, allowed ? 'allow_once' : 'reject_once');
}

async function askPerson(options: readonly Option[]): Promise<Option> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = await terminal.question(`        Your answer [1-${options.length}]: `);
      const option = options[Number(answer.trim()) - 1];
      if (option !== undefined) return option;
    }
  } finally {
    terminal.close();
  }
}

function pick(options: readonly Option[], kind: string): Option {
  const option = options.find((candidate) => candidate.kind === kind) ?? options.at(-1);
  if (option === undefined) throw new Error('The agent asked for a permission and offered no answer');
  return option;
}
