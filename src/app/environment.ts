import * as z from 'zod';
import { secretsIn } from '../adapters/system/redaction.ts';
import { isSecretKey } from '../adapters/system/secret-text.ts';

/** An ACP `authenticate` request that runs by itself when an operation needs a login (S1.13, S1.190). */
export interface DefaultAuthRequest {
  readonly methodId: AuthMethodId;
  /** `_meta` of the request; may hold secrets. */
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/** The login methods that we know (S1.140-S1.143). */
const AUTH_METHOD_IDS = ['api-key', 'chat-gpt', 'chat-gpt-device-code', 'gateway'] as const;
export type AuthMethodId = (typeof AUTH_METHOD_IDS)[number];

/** What the environment says; read once, at start (S1 section 2). API keys are read at each login instead. */
export interface Environment {
  /** `CODEX_PATH` as given; `null`: the bundled Codex (S1.10). */
  readonly codexPath: string | null;
  /** `CODEX_CONFIG` without `hooks` (S1.11). */
  readonly codexConfig: Readonly<Record<string, unknown>>;
  /** `CODEX_CONFIG.hooks`, any value, for the startup arguments; `null`: not present (S1.67). */
  readonly hooks: { readonly value: unknown } | null;
  /** `MODEL_PROVIDER`: the provider of new threads (S1.12). */
  readonly modelProvider: string | null;
  /** The provider of the startup arguments: `MODEL_PROVIDER`, else `CODEX_CONFIG.model_provider` (S1.68). */
  readonly startupProvider: string | null;
  readonly defaultAuthRequest: DefaultAuthRequest | null;
  /** `NO_BROWSER` (S1.16). */
  readonly noBrowser: boolean;
  /** `INITIAL_AGENT_MODE`; which ids exist is known when a session opens (S1.17). */
  readonly initialMode: string | null;
  /** `APP_SERVER_LOGS` (S1.18). */
  readonly logDirectory: string | null;
  readonly crashLimit: number;
  readonly crashWindowMs: number;
  /** `CODEX_ACP_PROMPT_SUGGESTIONS` (S1.21). */
  readonly promptSuggestions: boolean;
  /** `DISABLE_MCP_CONFIG_FILTERING` turns it off (S1.22). */
  readonly mcpConfigFiltering: boolean;
  /** Values that were ignored as S1 section 2 says, one line each, for the log. */
  readonly ignored: readonly string[];
}

/** A setting that cannot be understood. The message is one line, names the variable and repeats nothing of its value. */
export class EnvironmentError extends Error {
  /** How the process ends, before any work. */
  static readonly exitCode = 2;

  constructor(message: string) {
    super(message);
    this.name = 'EnvironmentError';
  }
}

/** Throws `EnvironmentError` for a value that cannot be understood (C060). */
export function parseEnvironment(env: NodeJS.ProcessEnv): Environment {
  const parsed = EnvironmentSchema.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new EnvironmentError(parsed.error.issues.map(issueText).join('; '));
}

/** The key for an `api-key` login without one in the request: `CODEX_API_KEY`, then `OPENAI_API_KEY` (S1.14, S1.15). */
export function apiKeyFromEnvironment(env: NodeJS.ProcessEnv): string | null {
  return env['CODEX_API_KEY']?.trim() || env['OPENAI_API_KEY']?.trim() || null;
}

/** Texts of the environment that must never be shown, for the log: keys, tokens, header values (S1.34). */
export function secretsOfEnvironment(env: NodeJS.ProcessEnv, environment: Environment): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => (value && isSecretKey(name) ? [value.trim()] : []));
  const { codexConfig, hooks, defaultAuthRequest } = environment;
  return [...new Set([...variables, ...secretsIn([codexConfig, hooks, defaultAuthRequest])])];
}

const nonBlank = z.string().refine((text) => text.trim() !== '', 'expected a text that is not blank');

/** Checks what we read ourselves; the rest is for Codex to judge. */
const CodexConfig = z.looseObject({
  model: nonBlank.nullish(),
  model_reasoning_effort: nonBlank.nullish(),
  model_provider: nonBlank.nullish(),
  model_providers: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
});

const text = z.string().optional();

/** Blank counts as unset. */
const trimmed = text.transform((value) => value?.trim() || null);

/** The value of a JSON text; blank and `null` count as unset. */
const json = text.transform((value, context): unknown => {
  if (value === undefined || value.trim() === '') return null;
  try {
    return JSON.parse(value);
  } catch (error) {
    context.issues.push({ code: 'custom', input: value, message: jsonProblem(error) });
    return z.NEVER;
  }
});

/** A parsed value and, when it was replaced by the default, why. */
interface Setting<T> {
  readonly value: T;
  readonly ignored: string | null;
}

/** A number that is not usable gives the default; a text that is no number stops the start (S1.19, S1.20). */
function numberOr(standard: number, isUsable: (value: number) => boolean, requirement: string) {
  return text.transform((value, context): Setting<number> => {
    if (value === undefined || value.trim() === '') return { value: standard, ignored: null };
    const number = Number(value);
    if (Number.isNaN(number)) {
      context.issues.push({ code: 'custom', input: value, message: 'it is not a number' });
      return z.NEVER;
    }
    if (isUsable(number)) return { value: number, ignored: null };
    return { value: standard, ignored: `must be ${requirement}; using the default ${standard}` };
  });
}

const authRequest = json.transform((value): Setting<DefaultAuthRequest | null> => {
  if (value === null) return { value: null, ignored: null };
  if (typeof value !== 'object' || !('methodId' in value)) return { value: null, ignored: 'it has no methodId' };
  const methodId = AUTH_METHOD_IDS.find((id) => id === value.methodId);
  if (methodId === undefined)
    return { value: null, ignored: `its methodId is not one of ${AUTH_METHOD_IDS.join(', ')}` };
  const meta = '_meta' in value && isObject(value._meta) ? value._meta : null;
  return { value: { methodId, meta }, ignored: null };
});

const EnvironmentSchema = z
  .object({
    CODEX_PATH: text.transform((value) => value || null),
    CODEX_CONFIG: json.pipe(CodexConfig.nullable()),
    MODEL_PROVIDER: trimmed,
    DEFAULT_AUTH_REQUEST: authRequest,
    NO_BROWSER: text.transform((value) => value !== undefined && value !== ''),
    INITIAL_AGENT_MODE: trimmed,
    APP_SERVER_LOGS: text.transform((value) => (value?.trim() ? value : null)),
    CODEX_ACP_APP_SERVER_CRASH_LIMIT: numberOr(
      5,
      (value) => Number.isInteger(value) && value > 0,
      'a whole number above 0',
    ),
    CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS: numberOr(
      300_000,
      (value) => Number.isFinite(value) && value > 0,
      'a number above 0',
    ),
    CODEX_ACP_PROMPT_SUGGESTIONS: text.transform((value) => value?.trim().toLowerCase() !== 'false'),
    DISABLE_MCP_CONFIG_FILTERING: text.transform((value) => value !== 'true'),
  })
  .transform((values, context): Environment => {
    const { hooks, ...codexConfig } = values.CODEX_CONFIG ?? {};
    const { DEFAULT_AUTH_REQUEST, CODEX_ACP_APP_SERVER_CRASH_LIMIT, CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS } = values;
    const startupProvider = values.MODEL_PROVIDER ?? codexConfig.model_provider ?? null;
    if (
      startupProvider !== null &&
      /[.=]/.test(startupProvider) &&
      Object.hasOwn(codexConfig.model_providers ?? {}, startupProvider)
    ) {
      // `-c model_providers.<id>=…` cannot express such an id (S1.69).
      context.issues.push({
        code: 'custom',
        input: startupProvider,
        path: [values.MODEL_PROVIDER === null ? 'CODEX_CONFIG' : 'MODEL_PROVIDER'],
        message: 'the id of a provider that CODEX_CONFIG defines must not contain "." or "="',
      });
    }
    return {
      codexPath: values.CODEX_PATH,
      codexConfig,
      hooks: values.CODEX_CONFIG !== null && 'hooks' in values.CODEX_CONFIG ? { value: hooks } : null,
      modelProvider: values.MODEL_PROVIDER,
      startupProvider,
      defaultAuthRequest: DEFAULT_AUTH_REQUEST.value,
      noBrowser: values.NO_BROWSER,
      initialMode: values.INITIAL_AGENT_MODE,
      logDirectory: values.APP_SERVER_LOGS,
      crashLimit: CODEX_ACP_APP_SERVER_CRASH_LIMIT.value,
      crashWindowMs: CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS.value,
      promptSuggestions: values.CODEX_ACP_PROMPT_SUGGESTIONS,
      mcpConfigFiltering: values.DISABLE_MCP_CONFIG_FILTERING,
      ignored: ignoredTexts({
        DEFAULT_AUTH_REQUEST,
        CODEX_ACP_APP_SERVER_CRASH_LIMIT,
        CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS,
      }),
    };
  });

function ignoredTexts(settings: Readonly<Record<string, Setting<unknown>>>): string[] {
  return Object.entries(settings).flatMap(([name, { ignored }]) =>
    ignored === null ? [] : [`${name} is ignored: ${ignored}`],
  );
}

/** What a variable must be, where the name alone does not say it. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  CODEX_CONFIG: 'must be a JSON object',
  DEFAULT_AUTH_REQUEST: 'must be a JSON object with a methodId',
  CODEX_ACP_APP_SERVER_CRASH_LIMIT: 'must be a whole number above 0',
  CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS: 'must be a number above 0',
};

function issueText({ path, message }: { path: PropertyKey[]; message: string }): string {
  const [name = '', ...members] = path.map(String);
  const reason = message.replace(/^Invalid input: /, '');
  // Names of members are the user's, so they may hold anything.
  const where = members.length === 0 ? '' : `${members.join('.').replace(/\p{Cc}/gu, ' ')}: `;
  return `${name} ${REQUIREMENTS[name] ?? 'is not usable'}: ${where}${reason}`;
}

/** V8 repeats the text around the error, which may be a secret, so only the position is taken from its message. */
function jsonProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Unexpected end')) return 'the JSON text ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  return `it is not valid JSON${position === undefined ? '' : ` (at position ${position})`}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
