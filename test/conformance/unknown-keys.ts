import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AcpVersion } from '../support/acp-schema.ts';

/*
 * ACP-SCHEMA-002: keys of the agent's messages that the schema does not have, at every depth. The schema itself allows
 * them; own data belongs under `_meta`.
 */

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly 'x-method'?: string;
  readonly 'x-side'?: string;
}

/** A place in the schema: a pointer for ajv, and what stands there. */
interface Place {
  readonly pointer: string;
  readonly schema: Schema;
}

interface Shape {
  /** Keys that the value may have, with the places of their schemas. */
  readonly keys: Map<string, Place[]>;
  readonly items: Place[];
  /** Any other key is allowed too. */
  open: boolean;
}

/** Unknown keys of one message, as `<type>: <path>`. Extension methods are free. */
export function unknownKeys(version: AcpVersion, frame: unknown, method: string | undefined): readonly string[] {
  if (!isObject(frame) || method === undefined || method.startsWith('_')) return [];
  const book = bookOf(version);
  const isResponse = frame.method === undefined;
  const suffix = isResponse ? 'Response' : frame.id === undefined ? 'Notification' : 'Request';
  const value = isResponse ? frame.result : frame.params;
  const name = book.typeOf(method, isResponse ? 'agent' : 'client', suffix);
  return name === undefined || value === undefined ? [] : book.unknown(name, value);
}

class Book {
  readonly #name: string;
  readonly #schema: Schema;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(version: AcpVersion) {
    const path = `../../node_modules/@agentclientprotocol/sdk/schema/v${version}/schema.unstable.json`;
    this.#name = `v${version}`;
    this.#schema = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    this.#ajv.addSchema({ ...this.#schema, $id: this.#name });
  }

  typeOf(method: string, side: string, suffix: string): string | undefined {
    const types = Object.entries(this.#schema.$defs ?? {});
    return types.find(
      ([name, type]) =>
        type['x-method'] === method && [side, 'protocol'].includes(type['x-side'] ?? '') && name.endsWith(suffix),
    )?.[0];
  }

  unknown(type: string, value: unknown): readonly string[] {
    const found: string[] = [];
    this.#walk([this.#place(`#/$defs/${type}`)], value, `${type}:`, found);
    return found;
  }

  #walk(places: readonly Place[], value: unknown, path: string, found: string[]): void {
    const shape: Shape = { keys: new Map(), items: [], open: false };
    for (const place of places) this.#describe(place, value, shape);
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(shape.items, item, `${path}[]`, found);
    } else if (isObject(value) && shape.keys.size > 0) {
      for (const [key, child] of Object.entries(value)) {
        const known = shape.keys.get(key);
        const inside = path.endsWith(':') ? `${path} ${key}` : `${path}.${key}`;
        if (known !== undefined) this.#walk(known, child, inside, found);
        else if (!shape.open) found.push(inside);
      }
    }
  }

  #describe(place: Place, value: unknown, shape: Shape): void {
    const { pointer, schema } = place;
    if (schema.$ref !== undefined) this.#describe(this.#place(schema.$ref), value, shape);
    for (const [index, part] of (schema.allOf ?? []).entries()) {
      this.#describe({ pointer: `${pointer}/allOf/${index}`, schema: part }, value, shape);
    }
    for (const choice of ['anyOf', 'oneOf'] as const) {
      for (const [index, part] of (schema[choice] ?? []).entries()) {
        const branch = { pointer: `${pointer}/${choice}/${index}`, schema: part };
        if (this.#fits(branch, value)) this.#describe(branch, value, shape);
      }
    }
    for (const [key, child] of Object.entries(schema.properties ?? {})) {
      const known = shape.keys.get(key) ?? [];
      shape.keys.set(key, [...known, { pointer: `${pointer}/properties/${escaped(key)}`, schema: child }]);
    }
    if (schema.items !== undefined) shape.items.push({ pointer: `${pointer}/items`, schema: schema.items });
    if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) shape.open = true;
  }

  #fits({ pointer }: Place, value: unknown): boolean {
    const reference = `${this.#name}${pointer}`;
    const validate = this.#ajv.getSchema(reference) ?? this.#ajv.compile({ $ref: reference });
    return validate(value) === true;
  }

  #place(pointer: string): Place {
    const schema = this.#schema.$defs?.[pointer.slice('#/$defs/'.length)];
    if (schema === undefined) throw new Error(`The schema has no ${pointer}`);
    return { pointer, schema };
  }
}

const books = new Map<AcpVersion, Book>();

function bookOf(version: AcpVersion): Book {
  const book = books.get(version) ?? new Book(version);
  books.set(version, book);
  return book;
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
