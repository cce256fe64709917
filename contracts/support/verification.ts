import { fork } from 'node:child_process';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Where and how a frame differs from what the pact says; `path` is `null` when there was no frame to look at. */
export interface Mismatch {
  readonly path: string | null;
  readonly text: string;
}

/** Mismatches of each interaction by its description; none when the provider keeps the contract. */
export type Verification = Readonly<Record<string, readonly Mismatch[]>>;

/** The report of the native verifier, as far as we read it. */
interface Report {
  readonly errors: readonly {
    readonly interaction: string;
    readonly mismatch:
      | { readonly type: 'mismatches'; readonly mismatches: readonly { path: string; mismatch: string }[] }
      | { readonly type: 'error'; readonly message: string };
  }[];
  readonly interactionResults: readonly { readonly description: string; readonly result: string }[];
}

/** A verifier that hangs is stopped. */
const deadline = 45_000;

/** Verifies pact files with the provider that a module exports as `provider`. */
export async function verifyPacts(pacts: readonly string[], module: URL): Promise<Verification> {
  const program = fileURLToPath(new URL('verify-pacts.ts', import.meta.url));
  const child = fork(program, [module.href, ...pacts], {
    execArgv: ['--import', 'tsx'],
    env: quiet(process.env),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: deadline,
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const report = await new Promise<string>((resolve, reject) => {
    child.on('message', (message) => resolve(String(message)));
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`The verification ended with code ${code} and no report: ${errors}`)));
  });
  // Anything else is the reason why there was no verification.
  if (!report.startsWith('{')) throw new Error(report);
  return verification(JSON.parse(report));
}

/**
 * The verifier talks to its parent process alone. It reports its use to its makers unless told not to, and reads the
 * certificates of the machine for each of its requests unless there are none.
 */
function quiet({ SSL_CERT_DIR: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PACT_DO_NOT_TRACK: 'true', SSL_CERT_FILE: devNull };
}

function verification({ errors, interactionResults }: Report): Verification {
  return Object.fromEntries(
    interactionResults.map(({ description, result }) => {
      // The verifier names interactions with the pact and their state in front.
      const own = errors.filter(({ interaction }) => interaction.endsWith(` - ${description}`));
      const mismatches = own.flatMap(({ mismatch }): readonly Mismatch[] =>
        mismatch.type === 'error'
          ? [{ path: null, text: mismatch.message }]
          : mismatch.mismatches.map(({ path, mismatch: text }) => ({ path, text })),
      );
      const unexplained = result !== 'OK' && mismatches.length === 0;
      return [description, unexplained ? [{ path: null, text: result }] : mismatches];
    }),
  );
}
