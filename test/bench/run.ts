import { setTimeout as delay } from 'node:timers/promises';
import { deltaStream } from '../support/model-replies.ts';
import type { ModelServer } from '../support/model-server.ts';
import { FLOOD_DELTAS, PACED_DELTAS, type Sample } from './metrics.ts';
import type { Group } from './options.ts';
import { findAgent, processorMilliseconds, residentMegabytes, residentWithHelpers } from './process-tree.ts';
import { median, quantile } from './statistics.ts';
import type { ReceivedText, Subject } from './subjects.ts';

/** Before a measurement: what the agent does behind a turn (titles, lists) shall be over. */
const QUIET_MS = 400;
/** Deltas of the text turn. */
const SHORT_DELTAS = 20;
export const SHUTDOWN_LIMIT_MS = 15_000;

export interface RunSetting {
  readonly start: () => Subject;
  readonly server: ModelServer;
  readonly cwd: string;
  readonly groups: ReadonlySet<Group>;
}

export interface RunResult {
  readonly title: string;
  readonly sample: Sample;
}

/** The whole life of one process, with everything that is measured in it. */
export async function run({ start, server, cwd, groups }: RunSetting): Promise<RunResult> {
  const subject = start();
  const { client } = subject;
  const sample: Sample = {};
  try {
    await subject.initialize();
    sample.initialize = performance.now() - client.startedAt;
    const openingAt = performance.now();
    await subject.openSession(cwd);
    sample.sessionNew = performance.now() - openingAt;
    sample.startToSession = performance.now() - client.startedAt;
    const agent = findAgent(client.child.pid ?? 0)?.pid ?? null;
    assign(sample, 'startProcessor', agent === null ? null : processorMilliseconds(agent));
    if (wants(groups, 'text', 'latency', 'throughput', 'memory')) await textTurn(subject, server, agent, sample);
    if (wants(groups, 'latency')) await pacedTurn(subject, server, sample);
    if (wants(groups, 'throughput', 'memory')) await floodTurn(subject, server, agent, sample);
    await delay(QUIET_MS);
    const endingAt = performance.now();
    await client.end(SHUTDOWN_LIMIT_MS);
    sample.shutdown = performance.now() - endingAt;
  } finally {
    await client.end(0);
  }
  return { title: subject.title, sample };
}

function wants(groups: ReadonlySet<Group>, ...names: readonly Group[]): boolean {
  return names.some((name) => groups.has(name));
}

async function textTurn(subject: Subject, server: ModelServer, agent: number | null, sample: Sample): Promise<void> {
  server.script(deltaStream({ count: SHORT_DELTAS }));
  const promptedAt = performance.now();
  await subject.turn('Say something short.');
  const [first] = pair(subject, subject.takeText(), server, SHORT_DELTAS);
  if (first !== undefined) sample.firstText = first.receivedAt - promptedAt;
  await delay(QUIET_MS);
  assign(sample, 'memoryText', agent === null ? null : residentMegabytes(agent));
}

async function pacedTurn(subject: Subject, server: ModelServer, sample: Sample): Promise<void> {
  server.script(deltaStream(PACED_DELTAS));
  await subject.turn('Count slowly.');
  const deltas = pair(subject, subject.takeText(), server, PACED_DELTAS.count);
  const latencies = deltas.map(({ sentAt, receivedAt }) => receivedAt - sentAt);
  sample.latencyMedian = median(latencies);
  sample.latencyP99 = quantile(latencies, 0.99);
}

async function floodTurn(subject: Subject, server: ModelServer, agent: number | null, sample: Sample): Promise<void> {
  await delay(QUIET_MS);
  server.script(deltaStream({ count: FLOOD_DELTAS }));
  const usedBefore = agent === null ? null : processorMilliseconds(agent);
  await subject.turn('Count fast.');
  const usedAfter = agent === null ? null : processorMilliseconds(agent);
  const received = subject.takeText();
  const deltas = pair(subject, received, server, FLOOD_DELTAS);
  sample.flood = (deltas.at(-1)?.receivedAt ?? 0) - (deltas[0]?.sentAt ?? 0);
  sample.deltasPerSecond = FLOOD_DELTAS / (sample.flood / 1000);
  sample.floodUpdates = received.filter(({ deltas: numbers }) => numbers.length > 0).length;
  if (usedBefore !== null && usedAfter !== null) sample.floodProcessor = usedAfter - usedBefore;
  await delay(QUIET_MS);
  if (agent === null) return;
  assign(sample, 'memoryFlood', residentMegabytes(agent));
  assign(sample, 'memoryHelpers', residentWithHelpers(agent));
}

interface Delta {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * Each delta of the last turn, in order, with the time when the model server wrote it. One that is lost or out of order
 * ends the bench: times of less work are no times.
 */
function pair(
  subject: Subject,
  received: readonly ReceivedText[],
  server: ModelServer,
  count: number,
): readonly Delta[] {
  const sent = new Map(server.turnRequests.at(-1)?.deltas.map(({ seq, at }) => [seq, at]));
  const deltas = received.flatMap(({ at, deltas: numbers }) => numbers.map((number) => ({ number, receivedAt: at })));
  if (deltas.length !== count) throw subject.client.problem(`${deltas.length} of ${count} deltas arrived`);
  if (deltas.some(({ number }, index) => number !== index)) throw subject.client.problem('deltas came out of order');
  return deltas.map(({ number, receivedAt }) => ({ sentAt: sent.get(number) ?? Number.NaN, receivedAt }));
}

function assign(sample: Sample, name: keyof Sample, value: number | null): void {
  if (value !== null) sample[name] = value;
}
