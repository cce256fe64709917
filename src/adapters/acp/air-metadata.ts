import { isJsonObject, type JsonObject } from './json-rpc.ts';

/** Version of the metadata that AIR reads. */
const airVersion = 1;

/** The `_meta` of a protocol object. */
export type Meta = Record<string, unknown>;

/**
 * Adds AIR metadata to a `_meta`: `jetbrains.air` with its version. Other namespaces, other `jetbrains` keys and AIR keys
 * that the payload does not name stay. Only for clients whose profile has `air` (S4.6).
 */
export function airMeta(payload: object, existing?: JsonObject | null): Meta {
  const jetbrains = existing?.jetbrains;
  const air = isJsonObject(jetbrains) ? jetbrains.air : undefined;
  return {
    ...existing,
    jetbrains: {
      ...(isJsonObject(jetbrains) ? jetbrains : {}),
      air: { ...(isJsonObject(air) ? air : {}), ...payload, version: airVersion },
    },
  };
}
