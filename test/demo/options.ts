import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly version: 1 | 2;
  /** Use the real model instead of the scripted one. */
  readonly live: boolean;
}

/** Something the user can put right; shown without a stack. */
export class DemoError extends Error {}

export const USAGE = `Usage: npm run demo [-- --v1] [-- --live]

One conversation with the agent, printed as it happens. Needs no network and no key.

  --v1     speak ACP v1 (default: v2)
  --live   use the real model of OpenAI, with the key of CODEX_API_KEY or OPENAI_API_KEY
  --help   this text
`;

/** `null` asks for the usage text. */
export function parseOptions(args: readonly string[]): DemoOptions | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        v1: { type: 'boolean', default: false },
        live: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values.help ? null : { version: values.v1 ? 1 : 2, live: values.live };
  } catch (error) {
    throw new DemoError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
