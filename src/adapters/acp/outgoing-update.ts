/**
 * What a presenter hands to the wire for one `session/update`. A `chunk` may be merged with the chunk before it when
 * both carry the same key and nothing of the session stands between them (S4.14, S4.15); everything else is a whole
 * update. `Update` is the SDK type of the presenter's protocol version.
 */
export type OutgoingUpdate<Update extends object = object> =
  | { readonly kind: 'update'; readonly update: Update }
  | {
      readonly kind: 'chunk';
      /** Names item and channel, and everything else in the frame but the text. */
      readonly key: string;
      readonly text: string;
      /** Builds the update for a merged text; pure. */
      readonly build: (text: string) => Update;
    };

/** This client is shown nothing. */
export const nothing: readonly never[] = [];

/** One whole update. */
export function whole<Update extends object>(update: Update): readonly OutgoingUpdate<Update>[] {
  return [{ kind: 'update', update }];
}
