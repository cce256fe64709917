import type { Group } from './options.ts';

export type Unit = 'ms' | 'MB' | 'per s' | 'count';

export interface Metric {
  readonly name: string;
  readonly group: Group;
  readonly label: string;
  readonly unit: Unit;
}

/** Deltas of the latency turn, and the time between two of them: a fast model, not a flood. */
export const PACED_DELTAS = { count: 400, delayMs: 5 } as const;
/** Deltas of the throughput turn, as fast as Codex takes them. */
export const FLOOD_DELTAS = 20_000;

const flood = FLOOD_DELTAS.toLocaleString('en-US');

/** Everything that is measured in a run, in the order of the table. */
export const METRICS = [
  { name: 'initialize', group: 'start', label: 'start to initialize response', unit: 'ms' },
  { name: 'sessionNew', group: 'session', label: 'session/new', unit: 'ms' },
  { name: 'startToSession', group: 'session', label: 'start to open session', unit: 'ms' },
  { name: 'startProcessor', group: 'session', label: 'processor time of the agent for that', unit: 'ms' },
  { name: 'firstText', group: 'text', label: 'prompt to first text', unit: 'ms' },
  { name: 'latencyMedian', group: 'latency', label: 'latency of a delta, median', unit: 'ms' },
  { name: 'latencyP99', group: 'latency', label: 'latency of a delta, p99', unit: 'ms' },
  { name: 'flood', group: 'throughput', label: `${flood} deltas`, unit: 'ms' },
  { name: 'deltasPerSecond', group: 'throughput', label: 'deltas per second', unit: 'per s' },
  { name: 'floodProcessor', group: 'throughput', label: 'processor time of the agent for them', unit: 'ms' },
  { name: 'floodUpdates', group: 'throughput', label: 'updates that carried them', unit: 'count' },
  { name: 'memoryText', group: 'memory', label: 'memory after a text turn', unit: 'MB' },
  { name: 'memoryFlood', group: 'memory', label: `memory after ${flood} deltas`, unit: 'MB' },
  { name: 'memoryHelpers', group: 'memory', label: '… with its helper processes', unit: 'MB' },
  { name: 'shutdown', group: 'shutdown', label: 'shutdown', unit: 'ms' },
] as const satisfies readonly Metric[];

export type MetricName = (typeof METRICS)[number]['name'];

/** What one run measured; what could not be measured is absent. */
export type Sample = Partial<Record<MetricName, number>>;
