import type { BuildInfo } from './build-info.ts';

/** The line of `--version` (S1.2). */
export function versionText({ name, version }: BuildInfo): string {
  return `${name} ${version}\n`;
}

/** The text of `--help` (S1.3): what works, nothing planned. */
export function usageText({ name, version }: BuildInfo): string {
  return `${name} ${version}: OpenAI Codex as an agent for editors that speak the Agent Client Protocol (ACP)

Usage:
  codex-acp                    serve ACP on stdin and stdout; editors start it this way
  codex-acp cli [arguments]    run the Codex command line that belongs to this agent

Options:
  -h, --help       show this text
  -V, --version    show name and version

Environment:
  CODEX_PATH                              Codex executable; default: the one of this package
  CODEX_CONFIG                            JSON object with Codex configuration for every session
  MODEL_PROVIDER                          id of the model provider; wins over CODEX_CONFIG.model_provider
  DEFAULT_AUTH_REQUEST                    JSON of the login to run when one is needed, e.g. {"methodId":"api-key"}
  CODEX_API_KEY, OPENAI_API_KEY           key for the api-key login, the first one that is set
  NO_BROWSER                              any value: do not offer the login in the browser
  INITIAL_AGENT_MODE                      read-only, workspace-write, agent, agent-full-access or a permission profile
  APP_SERVER_LOGS                         folder for the log file app-server.log
  CODEX_ACP_APP_SERVER_CRASH_LIMIT        crashes of Codex until it is not started again; default 5
  CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS    time in which they are counted; default 300000
  CODEX_ACP_PROMPT_SUGGESTIONS            false: AIR gets no suggestion of what to say next
  DISABLE_MCP_CONFIG_FILTERING            true: keep MCP servers of the client that Codex is configured with, too

A value that cannot be understood ends the start with exit code 2. Everything else in the environment reaches Codex.
`;
}
