import type { Step } from './steps.ts';

/** Who plays, so that a script can be played again. */
export interface Setup {
  readonly protocol: 1 | 2;
  /** The client is AIR, which is told more. */
  readonly air: boolean;
}

/** One step of a run: who did what, in words, and what the client saw of it. */
export interface ScriptLine {
  readonly step: Step;
  readonly text: string;
  readonly saw: readonly string[];
}

/**
 * A run as a piece of a test: each step with, behind it, who did what and what the client saw. `replay` of play.ts plays
 * it again.
 */
export function printScript({ protocol, air }: Setup, lines: readonly ScriptLine[]): string {
  const steps = lines.map(({ step: [name, n] }) => `['${name}', ${n}],`);
  const width = Math.max(0, ...steps.map((step) => step.length));
  const printed = lines.map(({ text, saw }, index) => {
    const seen = saw.length === 0 ? '' : ` | client sees: ${saw.join(', ')}`;
    return `  ${(steps[index] ?? '').padEnd(width)} // ${text}${seen}`;
  });
  return [`await replay({ protocol: ${protocol}, air: ${air} }, [`, ...printed, ']);'].join('\n');
}
