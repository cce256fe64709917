import { METRICS, type Metric, type MetricName, type Sample, type Unit } from './metrics.ts';
import type { Group } from './options.ts';
import { median } from './statistics.ts';

/** All runs of one command. */
export interface Series {
  readonly heading: string;
  readonly samples: readonly Sample[];
}

export interface Comparison {
  readonly ours: Series;
  readonly theirs: Series | null;
  /** Codex without an agent. */
  readonly bare: Series;
}

interface Row {
  readonly label: string;
  readonly ours: string;
  readonly theirs: string;
  readonly ratio: string;
  readonly bare: string;
}

const GAP = '   ';
const nothing = 'n/a';

/** The table for people: medians, with the smallest and the largest value of our runs and theirs. */
export function table(comparison: Comparison, groups: ReadonlySet<Group>): string {
  const { ours, theirs, bare } = comparison;
  const heading: Row = {
    label: '',
    ours: ours.heading,
    theirs: theirs?.heading ?? '',
    ratio: 'ours/theirs',
    bare: bare.heading,
  };
  const rows = METRICS.filter(({ group }) => groups.has(group)).flatMap((metric) => [
    row(comparison, metric),
    ...(metric.group === 'latency' ? [addedRow(comparison, metric)] : []),
  ]);
  const columns: (keyof Row)[] =
    theirs === null ? ['label', 'ours', 'bare'] : ['label', 'ours', 'theirs', 'ratio', 'bare'];
  const widths = columns.map((column) => Math.max(...[heading, ...rows].map((line) => line[column].length)));
  const lines = [heading, ...rows].map((line) =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0;
        return column === 'label' ? line[column].padEnd(width) : line[column].padStart(width);
      })
      .join(GAP)
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join(GAP));
  return lines.join('\n');
}

/** Medians by name, for the file. */
export function medians({ samples }: Series): Sample {
  const result: Sample = {};
  for (const { name } of METRICS) {
    const value = middle(samples, name);
    if (value !== null) result[name] = value;
  }
  return result;
}

function row({ ours, theirs, bare }: Comparison, metric: Metric & { readonly name: MetricName }): Row {
  const { name, label, unit } = metric;
  const [our, their] = [middle(ours.samples, name), middle(theirs?.samples ?? [], name)];
  return {
    label,
    ours: withRange(ours, name, unit),
    theirs: theirs === null ? '' : withRange(theirs, name, unit),
    ratio: unit === 'per s' || unit === 'count' ? '' : ratio(our, their),
    bare: show(middle(bare.samples, name), unit, ''),
  };
}

/** What an agent adds to the latency that Codex has by itself. */
function addedRow({ ours, theirs, bare }: Comparison, metric: Metric & { readonly name: MetricName }): Row {
  const { name, unit } = metric;
  const base = middle(bare.samples, name);
  const added = (series: Series | null): number | null => {
    const own = middle(series?.samples ?? [], name);
    return own === null || base === null ? null : own - base;
  };
  const [our, their] = [added(ours), added(theirs)];
  return {
    label: '… of that, added by the agent',
    ours: show(our, unit),
    theirs: theirs === null ? '' : show(their, unit),
    ratio: our !== null && our > 0 && their !== null && their > 0 ? ratio(our, their) : '',
    bare: '',
  };
}

function middle(samples: readonly Sample[], name: MetricName): number | null {
  const values = valuesOf(samples, name);
  return values.length === 0 ? null : median(values);
}

function valuesOf(samples: readonly Sample[], name: MetricName): number[] {
  return samples.flatMap((sample) => sample[name] ?? []);
}

function withRange({ samples }: Series, name: MetricName, unit: Unit): string {
  const values = valuesOf(samples, name);
  if (values.length < 2) return show(middle(samples, name), unit);
  const range = `${number(Math.min(...values), unit)}–${number(Math.max(...values), unit)}`;
  return `${show(middle(samples, name), unit)} (${range})`;
}

function ratio(ours: number | null, theirs: number | null): string {
  return ours === null || theirs === null || theirs === 0 ? '' : (ours / theirs).toFixed(2);
}

function show(value: number | null, unit: Unit, absent = nothing): string {
  if (value === null) return absent;
  return unit === 'count' || unit === 'per s' ? number(value, unit) : `${number(value, unit)} ${unit}`;
}

function number(value: number, unit: Unit): string {
  if (unit === 'ms' && Math.abs(value) < 10) return value.toFixed(2);
  return Math.round(value).toLocaleString('en-US');
}
