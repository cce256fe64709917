/** What the process was asked to do (S1 section 1). */
export type Command =
  | {
      readonly type: 'serve';
      /** Arguments without a meaning; clients pass some, so they do not prevent the start (S1.4). */
      readonly ignored: readonly string[];
    }
  | { readonly type: 'version' }
  | { readonly type: 'help' }
  | { readonly type: 'cli'; readonly args: readonly string[] };

/**
 * Reads the arguments after the script name. A subcommand is only the first argument, and everything after it belongs
 * to the subcommand, so that `codex-acp cli --version` asks Codex (S1.2).
 */
export function parseCommandLine(argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  if (first === 'cli') return { type: 'cli', args: rest };
  const flag = argv.find((argument) => Object.hasOwn(FLAGS, argument));
  return FLAGS[flag ?? ''] ?? { type: 'serve', ignored: argv };
}

const FLAGS: Readonly<Record<string, Command>> = {
  '--version': { type: 'version' },
  '-V': { type: 'version' },
  '--help': { type: 'help' },
  '-h': { type: 'help' },
};
