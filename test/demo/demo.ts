import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentProcess, startAgent } from '../support/agent-process.ts';
import { createWorkspace, type Workspace } from '../support/codex-home.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type ConversationResult, converse } from './conversation.ts';
import { type DemoHome, liveHome, liveKey, offlineHome } from './environment.ts';
import { DemoError, type DemoOptions, parseOptions, USAGE } from './options.ts';
import { Screen } from './screen.ts';
import { BROKEN_FILE, FILES, PROMPT, scriptedModel } from './script.ts';
import { Transcript } from './transcript.ts';

/*
 * `npm run demo`: a small ACP client starts the built agent as a child process and has one conversation with it. The
 * Codex behind the agent is the real one; the model is a script on this machine, unless `--live` is given.
 */

/** The demo takes about ten seconds; a slow machine gets more, a hanging one an end. */
const OFFLINE_LIMIT_MS = 90_000;
const LIVE_LIMIT_MS = 15 * 60_000;
/** After the end of its input the agent has 10 s itself. */
const STOP_LIMIT_MS = 12_000;

const screen = new Screen(process.stdout, process.env);
const { style } = screen;
const cleanup: (() => Promise<void> | void)[] = [];
let stoppedBy: NodeJS.Signals | null = null;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(USAGE);
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stopped(signal));
  try {
    await demonstrate(options);
  } catch (error) {
    const refused = options.live && /authentication required/i.test(messageOf(error));
    throw refused ? new DemoError('OpenAI refused the key of CODEX_API_KEY or OPENAI_API_KEY.') : error;
  } finally {
    await cleanUp();
  }
}

async function demonstrate({ version, live }: DemoOptions): Promise<void> {
  const startedAt = performance.now();
  const apiKey = live ? liveKey(process.env) : null;
  const server = live ? null : await scriptedServer();
  const home = keep(server === null ? liveHome() : offlineHome(server.baseUrl));
  const workspace = keep(createWorkspace(FILES));
  screen.line(style.bold('codex-acp demo'), '');
  const model = live ? 'the real model' : 'a scripted model on this machine';
  screen.line(style.dim(`ACP v${version} over stdio, the real Codex behind it, ${model}.`), '');
  screen.gap();

  const agent = startAgent({ env: home.env, version, cwd: workspace.path });
  cleanup.push(() => end(agent));
  const transcript = new Transcript(screen, workspace.path);
  const limit = new AbortController();
  const result = await Promise.race([
    converse({
      client: agent.client,
      screen,
      transcript,
      version,
      workspace: workspace.path,
      prompt: PROMPT,
      apiKey,
      interactive: live && screen.live && process.stdin.isTTY,
    }),
    goneTooEarly(agent),
    hanging(live ? LIVE_LIMIT_MS : OFFLINE_LIMIT_MS, agent, limit.signal),
  ]).finally(() => limit.abort());

  const stoppingAt = performance.now();
  const exit = await Promise.race([agent.stop(), delay(STOP_LIMIT_MS, null, { ref: false })]);
  const shutdown = performance.now() - stoppingAt;
  check(exit !== null, 'the agent did not end when its input ended');
  check(exit?.code === 0, `the agent ended with ${String(exit?.code ?? exit?.signal)}`);
  check(result.stopReason === 'end_turn', `the turn ended with ${result.stopReason}: ${result.error ?? ''}`);
  check(agent.violations.length === 0, `a frame breaks the ACP schema: ${agent.violations[0]}`);
  if (server !== null) checkStory(server, workspace, transcript, result);

  const frames = `${agent.client.received.length} frames, all valid ACP v${version}`;
  screen.line('done', [result.stopReason, result.usage, frames].filter(Boolean).join(' · '), style.green);
  const times = { ...result.times, shutdown, 'in all': performance.now() - startedAt };
  screen.line('times', Object.entries(times).map(timeText).join(' · '), style.dim);
}

async function scriptedServer(): Promise<ModelServer> {
  const server = await startModelServer();
  cleanup.push(() => server.close());
  server.respondWith(scriptedModel(screen.live ? 35 : 5));
  return server;
}

/** The offline conversation has one right end. */
function checkStory(
  server: ModelServer,
  workspace: Workspace,
  transcript: Transcript,
  result: ConversationResult,
): void {
  const [scriptError] = server.scriptErrors;
  if (scriptError !== undefined) throw scriptError;
  check(transcript.answer.includes('All three checks pass.'), 'the answer did not arrive');
  check(transcript.commandOutput.includes('FAIL  trims the name'), 'the output of the command did not arrive');
  check(result.permissions > 0, 'nobody asked for a permission');
  check(transcript.edits === 1, 'the edit was not reported');
  check(workspace.read(BROKEN_FILE).includes("name = 'you'"), `${BROKEN_FILE} was not edited`);
  check(transcript.exitCodes.at(-1) === 0, 'the checks do not pass after the edit');
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

async function goneTooEarly(agent: AgentProcess): Promise<never> {
  const { code, signal } = await agent.exited;
  throw new Error(`the agent ended with ${String(code ?? signal)} in the middle\n${agent.stderr()}`.trimEnd());
}

async function hanging(ms: number, agent: AgentProcess, signal: AbortSignal): Promise<never> {
  await delay(ms, undefined, { signal });
  const last = agent.client.received.at(-1);
  const seen = last === undefined ? 'nothing' : JSON.stringify(last).slice(0, 300);
  throw new Error(`it was not over after ${ms / 1000} s; the last frame: ${seen}\n${agent.stderr()}`.trimEnd());
}

/** Its input ends first, so that the agent can end Codex; an agent that does not listen is killed. */
async function end(agent: AgentProcess): Promise<void> {
  if (agent.child.exitCode !== null || agent.child.signalCode !== null) return;
  agent.client.end();
  const ended = await Promise.race([agent.exited, delay(STOP_LIMIT_MS, null, { ref: false })]);
  if (ended === null) agent.child.kill('SIGKILL');
}

function keep<T extends DemoHome | Workspace>(folder: T): T {
  cleanup.push(() => folder.dispose());
  return folder;
}

/** Last made, first removed; a step that fails does not keep the others from running. */
async function cleanUp(): Promise<void> {
  for (let step = cleanup.pop(); step !== undefined; step = cleanup.pop()) {
    try {
      await step();
    } catch (error) {
      process.stderr.write(`The demo could not clean up: ${messageOf(error)}\n`);
    }
  }
}

async function stopped(signal: NodeJS.Signals): Promise<never> {
  stoppedBy = signal;
  screen.end();
  process.stderr.write(`Stopped by ${signal}.\n`);
  await cleanUp();
  process.exit(128 + constants.signals[signal]);
}

function timeText([name, ms]: [string, number]): string {
  return ms < 1000 ? `${name} ${Math.round(ms)} ms` : `${name} ${(ms / 1000).toFixed(1)} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
  // What fails now fails because of the stop.
  if (stoppedBy !== null) return;
  screen.end();
  const start = error instanceof DemoError ? '' : `${style.red('The demo failed:')} `;
  process.stderr.write(`${start}${messageOf(error)}\n`);
  process.exitCode = 1;
});
