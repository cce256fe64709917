import { interactionOf, type PactFile } from './pact-file.ts';
import { type Provider, produce } from './provider.ts';
import type { Mismatch } from './verification.ts';

/** A change to what the provider produces, to see whether a pact notices it. Changes lose nothing of the original. */
export interface Tampering {
  readonly what: string;
  /** Steps to the place that changes. */
  readonly at: readonly string[];
  readonly change: (produced: unknown) => unknown;
}

type Container = Record<string, unknown> | unknown[];

/** Takes a field or an element away. `path` has dots between its steps: `0.params.update`. */
export function without(path: string): Tampering {
  return edited(`without ${path}`, path, (container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  });
}

/** Without the element of a list that equals a value. */
export function withoutValue(path: string, value: string): Tampering {
  return edited(`${path} without ${value}`, path, (container, key) => {
    const list = child(container, key);
    if (!Array.isArray(list) || !list.includes(value)) throw new Error(`${path} has no ${value}`);
    list.splice(list.indexOf(value), 1);
  });
}

/** Another value at a place that there is. */
export function instead(path: string, value: unknown): Tampering {
  return edited(`${path} is ${JSON.stringify(value)}`, path, (container, key) => {
    Object.assign(container, { [key]: value });
  });
}

/** One thing more: a field of an object, or an element at the end of a list. */
export function more(path: string, key: string, value: unknown): Tampering {
  return edited(`${path} has ${key} too`, path, (container, last) => {
    const target = child(container, last);
    if (Array.isArray(target)) target.push(value);
    else Object.assign(target, { [key]: value });
  });
}

/** Any change of the whole. */
export function changed<Produced>(what: string, change: (produced: Produced) => unknown): Tampering {
  return { what, at: [], change: (produced) => change(structuredClone(produced) as Produced) };
}

/** Descriptions of interactions and how to tamper with what is produced for them. */
export type Tamperings = Readonly<Record<string, readonly Tampering[]>>;

/** Name of the copy of an interaction that gets to see a tampering. */
export function copyOf(description: string, { what }: Tampering): string {
  return `${description} [${what}]`;
}

/** A pact with one copy of an interaction for each tampering with it. A copy has no state: its original had one. */
export function tamperedPact(pact: PactFile, tamperings: Tamperings): PactFile {
  const interactions = Object.entries(tamperings).flatMap(([description, list]) => {
    const { providerStates: _, ...rest } = interactionOf(pact, description);
    return list.map((tampering) => ({ ...rest, providerStates: [], description: copyOf(description, tampering) }));
  });
  return { ...pact, interactions };
}

/** Producers for such a pact: what the provider produces for an interaction, once, with each tampering. */
export function tamperedMessages(provider: Provider, pact: PactFile, tamperings: Tamperings): Provider['messages'] {
  const messages = Object.entries(tamperings).flatMap(([description, list]) => {
    let produced: Promise<unknown> | null = null;
    const original = (): Promise<unknown> => {
      produced ??= produce(provider, interactionOf(pact, description));
      return produced;
    };
    return list.map((tampering): [string, Provider['messages'][string]] => [
      copyOf(description, tampering),
      async () => tampering.change(await original()),
    ]);
  });
  return Object.fromEntries(messages);
}

/** Whether a mismatch is about the place of a tampering: at it, above it or below it. */
export function isAbout({ path }: Mismatch, { at }: Tampering): boolean {
  if (path === null) return false;
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '' && step !== '$');
  return steps.slice(0, at.length).every((step, index) => step === at[index]);
}

function edited(what: string, path: string, edit: (container: Container, key: string) => void): Tampering {
  const at = path === '' ? [] : path.split('.');
  return {
    what,
    at,
    change: (produced) => {
      // The root stands in a list, so that it has a container as everything else.
      const root = [structuredClone(produced)];
      let container: Container = root;
      let key = '0';
      for (const step of at) {
        container = child(container, key);
        key = step;
      }
      if (!(key in container)) throw new Error(`There is no ${path}`);
      edit(container, key);
      return root[0];
    },
  };
}

function child(container: Container, key: string): Container {
  const value = (container as Record<string, unknown>)[key];
  if (typeof value !== 'object' || value === null) throw new Error(`${key} holds nothing`);
  return value as Container;
}
