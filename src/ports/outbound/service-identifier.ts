import type { ServiceIdentifier } from 'inversify';

/** A dependency-injection token that carries the type of its port; it stands beside the port that it names. */
export function token<Port>(name: string): ServiceIdentifier<Port> {
  return Symbol.for(`codex-acp/${name}`);
}
