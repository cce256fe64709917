import type { GatewayRouting } from '../../domain/provider/routing.ts';
import { providerDefinition } from '../../domain/provider/routing.ts';
import { toToml } from './toml.ts';

/** Where the configuration of a new app-server comes from (S1.67, S1.68). */
export interface StartupSettings {
  /** `hooks` of `CODEX_CONFIG`; `undefined` when there is none. */
  readonly hooks: unknown;
  /** `MODEL_PROVIDER`, else `model_provider` of `CODEX_CONFIG`. */
  readonly providerId: string | null;
  /** `model_providers` of `CODEX_CONFIG`. */
  readonly providers: Readonly<Record<string, unknown>>;
  /** Set at runtime by the client; wins over the others. */
  readonly gateway: GatewayRouting | null;
}

/** What a new app-server gets on its command line and in its environment. */
export interface StartupOverrides {
  readonly args: readonly string[];
  /** Values that must not be seen on a command line, by variable name. */
  readonly env: Readonly<Record<string, string>>;
}

const VARIABLE_PREFIX = 'CODEX_ACP_PROVIDER_HEADER_';

/**
 * `-c` pairs in the order `hooks`, `model_provider`, `model_providers.<id>` (S1.66, S8.73).
 *
 * @throws when a definition cannot be passed because of the id of its provider (S1.69)
 */
export function startupOverrides(settings: StartupSettings): StartupOverrides {
  const args: string[] = [];
  let env: Readonly<Record<string, string>> = {};
  if (settings.hooks !== undefined) args.push('-c', `hooks=${toToml(settings.hooks)}`);
  const id = settings.gateway?.providerId ?? settings.providerId;
  if (id !== null) {
    args.push('-c', `model_provider=${toToml(id)}`);
    const definition =
      settings.gateway !== null
        ? providerDefinition(settings.gateway)
        : Object.hasOwn(settings.providers, id)
          ? settings.providers[id]
          : undefined;
    if (definition !== undefined && definition !== null) {
      if (/[.=\s]/.test(id)) {
        throw new Error(
          `The model provider id ${JSON.stringify(id)} cannot be used: a provider that is defined in CODEX_CONFIG ` +
            'must have an id without dots, equals signs and white space. Rename the provider.',
        );
      }
      const safe = moveSecretsToEnvironment(definition);
      env = safe.env;
      args.push('-c', `model_providers.${id}=${toToml(safe.definition)}`);
    }
  }
  return { args, env };
}

/**
 * Header values and the bearer token go through environment variables, the only other place where Codex reads them
 * from (S8.74, S1.68). What Codex takes from its configuration alone, such as `query_params`, stays where it is.
 */
function moveSecretsToEnvironment(
  definition: unknown,
): Pick<StartupOverrides, 'env'> & { readonly definition: unknown } {
  if (!isRecord(definition)) return { env: {}, definition };
  const env: Record<string, string> = {};
  const toVariable = (value: string): string => {
    const name = `${VARIABLE_PREFIX}${Object.keys(env).length}`;
    env[name] = value;
    return name;
  };
  const { http_headers: headers, experimental_bearer_token: token, ...rest } = definition;
  const safe: Record<string, unknown> = { ...rest };
  if (isRecord(headers)) {
    const references: Record<string, unknown> = isRecord(rest.env_http_headers) ? { ...rest.env_http_headers } : {};
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string') references[name] = toVariable(value);
    }
    if (Object.keys(references).length > 0) safe.env_http_headers = references;
  }
  // Codex prefers `env_key` to the token, so that a definition with both does not need the token.
  if (typeof token === 'string' && typeof rest.env_key !== 'string') safe.env_key = toVariable(token);
  return { env, definition: safe };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
