import { writeFileSync } from 'node:fs';
import { constants, cpus, loadavg } from 'node:os';
import { currentSurroundings, locateCodex } from '../../src/adapters/codex-app-server/codex-executable.ts';
import { offlineHome } from '../demo/environment.ts';
import { agentEntry } from '../support/build-agent.ts';
import { createWorkspace } from '../support/codex-home.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { METRICS, type Sample } from './metrics.ts';
import { BenchError, type BenchOptions, parseOptions, USAGE } from './options.ts';
import { inOrder } from './order.ts';
import { findAgent } from './process-tree.ts';
import { type Comparison, medians, type Series, table } from './report.ts';
import { run, SHUTDOWN_LIMIT_MS } from './run.ts';
import { AcpSubject, AppServerSubject, type Subject, type SubjectStart } from './subjects.ts';

/*
 * `npm run bench`: how fast the built agent is, how much it adds to Codex, and how it compares with another agent.
 * Commands take turns, run by run, so that a busy moment of the machine hits all of them. Nothing is asserted.
 */

/** The first run of `npx` may have much to download. */
const DOWNLOAD_LIMIT_MS = 600_000;

/** What must not stay behind when the bench is stopped. */
const leftovers = new Set<() => void>();

interface Contender {
  readonly command: readonly string[];
  readonly start: (start: SubjectStart) => Subject;
  readonly env: Readonly<Record<string, string>>;
  title: string;
  readonly samples: Sample[];
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(USAGE);
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped(signal));
  const { command, args, env } = locateCodex(null, currentSurroundings(process.env));
  const codexEnv = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  // A launcher script has no single path that CODEX_PATH could name.
  if (options.sameCodex && args.length > 0)
    throw new BenchError('--same-codex needs the native Codex of this platform');
  const agentEnv: Record<string, string> = options.sameCodex ? { CODEX_PATH: command } : {};
  const ours = contender(options.agent ?? [process.execPath, agentEntry], acp, agentEnv);
  const notes: string[] = [];
  const theirs = options.vs === null ? null : contender(await resolvePeer(options.vs, notes), acp, agentEnv);
  if (theirs !== null && !options.sameCodex) notes.push('Each agent starts the Codex that it brings along.');
  const bare = contender([command, ...args, 'app-server'], (start) => new AppServerSubject(start), codexEnv);
  await measure(theirs === null ? [ours, bare] : [ours, theirs, bare], options);
  const comparison: Comparison = {
    ours: series(ours),
    theirs: theirs === null ? null : series(theirs),
    bare: { ...series(bare), heading: `${bare.title} alone` },
  };
  report(comparison, options, notes);
}

const acp = (start: SubjectStart): Subject => new AcpSubject(start);

function contender(
  command: readonly string[],
  start: Contender['start'],
  env: Readonly<Record<string, string>>,
): Contender {
  return { command, start, env, title: command.join(' '), samples: [] };
}

/** Round 0 warms up caches and is thrown away. */
async function measure(contenders: readonly Contender[], options: BenchOptions): Promise<void> {
  for (let round = 0; round <= options.runs; round += 1) {
    for (const each of inOrder(contenders, round)) {
      progress(`${round === 0 ? 'warm-up' : `run ${round} of ${options.runs}`}: ${each.title}`);
      const sample = await measureOnce(each, options);
      if (round > 0) each.samples.push(sample);
    }
  }
  progress('');
}

/** A server, a home and a workspace of its own for every run: no run finds what another left. */
async function measureOnce(contender: Contender, options: BenchOptions): Promise<Sample> {
  return inFreshHome(async (server, homeEnv) => {
    const workspace = createWorkspace({ 'README.md': 'Bench\n' });
    leftovers.add(workspace.dispose);
    try {
      const env = { ...process.env, ...homeEnv, ...contender.env };
      const start = () => contender.start({ command: contender.command, env, cwd: process.cwd() });
      const { title, sample } = await run({ start, server, cwd: workspace.path, groups: options.groups });
      contender.title = title;
      return sample;
    } finally {
      leftovers.delete(workspace.dispose);
      workspace.dispose();
    }
  });
}

/** `npx` is a start of its own: it runs once, and what it started is then measured directly. */
async function resolvePeer(command: readonly string[], notes: string[]): Promise<readonly string[]> {
  if (!/(^|[\\/])npx(\.cmd)?$/.test(command[0] ?? '')) return command;
  progress(`resolving: ${command.join(' ')}`);
  return inFreshHome(async (_server, homeEnv) => {
    const subject = new AcpSubject({ command, env: { ...process.env, ...homeEnv }, cwd: process.cwd() });
    try {
      await subject.initialize(DOWNLOAD_LIMIT_MS);
      const agent = findAgent(subject.client.child.pid ?? 0);
      if (agent === null || agent.command.length < 2) {
        notes.push('The start of npx is part of the start of the other agent.');
        return command;
      }
      const direct = [agent.executable, ...agent.command.slice(1)];
      notes.push(`npx was run once; measured is what it started: ${direct.join(' ')}`);
      return direct;
    } finally {
      await subject.client.end(SHUTDOWN_LIMIT_MS);
    }
  });
}

async function inFreshHome<T>(
  work: (server: ModelServer, env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const server = await startModelServer();
  const home = offlineHome(server.baseUrl);
  leftovers.add(home.dispose);
  try {
    return await work(server, home.env);
  } finally {
    leftovers.delete(home.dispose);
    await server.close();
    home.dispose();
  }
}

/** Agents end by themselves when their input closes with this process. */
function stopped(signal: NodeJS.Signals): never {
  for (const dispose of leftovers) dispose();
  process.exit(128 + constants.signals[signal]);
}

function series({ title, samples }: Contender): Series {
  return { heading: title, samples };
}

function report(comparison: Comparison, options: BenchOptions, notes: readonly string[]): void {
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} processors`;
  const load = loadavg().map((value) => value.toFixed(1));
  process.stdout.write(`${table(distinct(comparison), options.groups)}\n\n`);
  process.stdout.write(`Medians of ${options.runs} runs (smallest–largest). ${machine}, load ${load.join(' ')}.\n`);
  for (const note of notes) process.stdout.write(`${note}\n`);
  if (options.json !== null)
    writeFileSync(options.json, `${JSON.stringify(record(comparison, options, notes), null, 2)}\n`);
}

/** Two agents with the same name are told apart. */
function distinct(comparison: Comparison): Comparison {
  const { ours, theirs } = comparison;
  return {
    ...comparison,
    ours: { ...ours, heading: `ours: ${ours.heading}` },
    theirs: theirs === null ? null : { ...theirs, heading: `theirs: ${theirs.heading}` },
  };
}

function record(comparison: Comparison, options: BenchOptions, notes: readonly string[]): object {
  const part = (part: Series | null) =>
    part === null ? null : { title: part.heading, medians: medians(part), runs: part.samples };
  return {
    at: new Date().toISOString(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processors: cpus().map(({ model }) => model),
    load: loadavg(),
    runs: options.runs,
    sameCodex: options.sameCodex,
    notes,
    units: Object.fromEntries(METRICS.map(({ name, unit }) => [name, unit])),
    ours: part(comparison.ours),
    theirs: part(comparison.theirs),
    bare: part(comparison.bare),
  };
}

/** On stderr: stdout holds the result only. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof BenchError ? '' : '\nThe bench failed: '}${message}\n`);
  process.exitCode = 1;
});
