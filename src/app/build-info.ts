import { readFileSync } from 'node:fs';

/** Set by `scripts/build.mjs`; absent when the sources run unbundled. */
declare const __AGENT_NAME__: string | undefined;
declare const __AGENT_VERSION__: string | undefined;

/** Who we are: name and version of the package. */
export interface BuildInfo {
  readonly name: string;
  readonly version: string;
}

export const buildInfo: BuildInfo =
  typeof __AGENT_NAME__ === 'string' && typeof __AGENT_VERSION__ === 'string'
    ? { name: __AGENT_NAME__, version: __AGENT_VERSION__ }
    : readPackage();

function readPackage(): BuildInfo {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { name, version } = JSON.parse(text) as BuildInfo;
  return { name, version };
}
