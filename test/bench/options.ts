import { parseArgs } from 'node:util';

/** What a run does; `--only` takes these names. */
export const GROUPS = ['start', 'session', 'text', 'latency', 'throughput', 'memory', 'shutdown'] as const;
export type Group = (typeof GROUPS)[number];

export interface BenchOptions {
  /** Measured runs of each command; one more comes first and is thrown away. */
  readonly runs: number;
  readonly groups: ReadonlySet<Group>;
  /** Command of the agent to compare with; `null`: none. */
  readonly vs: readonly string[] | null;
  /** Command of our agent; `null`: the built one. */
  readonly agent: readonly string[] | null;
  /** Both agents use our Codex instead of the one that each brings along. */
  readonly sameCodex: boolean;
  /** File for all numbers. */
  readonly json: string | null;
}

/** Something the user can put right; shown without a stack. */
export class BenchError extends Error {}

export const USAGE = `Usage: npm run bench [-- OPTIONS]

Measures the built agent with the real Codex and a scripted model on this machine. test/bench/README.md says what each
number means.

  --vs "COMMAND"    compare with another ACP agent, run by run
  --same-codex      both agents start our Codex (CODEX_PATH); default: each its own
  --runs N          measured runs of each command, after one that is thrown away (default 6)
  --only NAME,...   ${GROUPS.join(', ')}
  --agent "COMMAND" measure this command as ours, e.g. an older build
  --json FILE       write all numbers to a file
  --help            this text
`;

/** `null` asks for the usage text. */
export function parseOptions(args: readonly string[]): BenchOptions | null {
  const values = parse(args);
  if (values.help === true) return null;
  const runs = Number(values.runs ?? '6');
  if (!Number.isInteger(runs) || runs < 1) throw new BenchError('--runs takes a whole number above 0');
  return {
    runs,
    groups: groupsOf(values.only),
    vs: values.vs === undefined ? null : splitCommand(values.vs),
    agent: values.agent === undefined ? null : splitCommand(values.agent),
    sameCodex: values['same-codex'] === true,
    json: values.json ?? null,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        vs: { type: 'string' },
        agent: { type: 'string' },
        'same-codex': { type: 'boolean' },
        runs: { type: 'string' },
        only: { type: 'string', multiple: true },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function groupsOf(only: readonly string[] | undefined): ReadonlySet<Group> {
  const names = (only ?? []).flatMap((value) => value.split(','));
  const unknown = names.find((name) => !GROUPS.some((group) => group === name));
  if (unknown !== undefined) throw new BenchError(`--only takes ${GROUPS.join(', ')}, not "${unknown}"`);
  return new Set(names.length === 0 ? GROUPS : GROUPS.filter((group) => names.includes(group)));
}

/** Words of a command line; quotes keep a word together. */
export function splitCommand(line: string): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  if (words.length === 0) throw new BenchError('The command is empty');
  return words;
}
