import { createCodexHome } from '../support/codex-home.ts';
import { DemoError } from './options.ts';

/** Variables of the user that would make the agent behave differently; blank counts as unset. */
const NEUTRAL: Readonly<Record<string, string>> = {
  APP_SERVER_LOGS: '',
  CODEX_API_KEY: '',
  CODEX_CONFIG: '',
  CODEX_PATH: '',
  DEFAULT_AUTH_REQUEST: '',
  MODEL_PROVIDER: '',
  OPENAI_API_KEY: '',
  // No login page opens by itself.
  NO_BROWSER: '1',
  // Files are edited after a permission only: there is something to see, and a live model cannot surprise.
  INITIAL_AGENT_MODE: 'read-only',
};

export interface DemoHome {
  readonly env: Readonly<Record<string, string>>;
  dispose(): void;
}

/** A home whose Codex knows the scripted model only. */
export function offlineHome(baseUrl: string): DemoHome {
  const home = createCodexHome({ baseUrl });
  // A proxy would not find the model server of this machine.
  const direct = [process.env.NO_PROXY ?? process.env.no_proxy ?? '', '127.0.0.1'].filter(Boolean).join(',');
  return { env: { ...NEUTRAL, ...home.env, NO_PROXY: direct, no_proxy: direct }, dispose: home.dispose };
}

/** A home for the real model; the key never reaches a file of it. */
export function liveHome(): DemoHome {
  const home = createCodexHome({
    baseUrl: 'http://127.0.0.1:9/v1',
    defaultProvider: false,
    extraToml: 'cli_auth_credentials_store = "ephemeral"',
  });
  return { env: { ...home.env, ...NEUTRAL }, dispose: home.dispose };
}

export function liveKey(env: NodeJS.ProcessEnv): string {
  const key = env.CODEX_API_KEY?.trim() || env.OPENAI_API_KEY?.trim();
  if (key) return key;
  throw new DemoError(
    '--live needs an API key of OpenAI: set CODEX_API_KEY or OPENAI_API_KEY.\n' +
      'Without --live the demo needs no key and no network.',
  );
}
