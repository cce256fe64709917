/** One of the answers that a question offers. */
export interface FormChoice {
  readonly value: string;
  /** What it means; empty when the value says it all. */
  readonly description: string;
}

/** A question that is answered with a choice, in the user's own words, or both (S5.107, S5.108). */
export interface QuestionField {
  readonly type: 'question';
  /** Names the answer in the form; unique among all keys of the form, notes included. */
  readonly key: string;
  readonly title: string;
  /** Shown beside the title; empty when there is nothing more to say. */
  readonly description: string;
  /** Empty for a question without choices. */
  readonly choices: readonly FormChoice[];
  /** The user may answer something that is not among the choices. */
  readonly other: boolean;
  /** Key of the free text beside the choices; `null` when the question has none. */
  readonly noteKey: string | null;
  readonly secret: boolean;
  readonly required: boolean;
}

/** A field of a form, told apart by `type`. */
export type FormField = QuestionField;

/**
 * How the asker waits. `async`: nothing is held up by the form (S3.153). `blocking`: Codex waits, at most the time in
 * milliseconds when there is one (S5.106).
 */
export type FormDelivery =
  | { readonly type: 'async' }
  | { readonly type: 'blocking'; readonly autoResolutionMs: number | null };

/** A form that the user is asked to fill in; only for a client that supports it (`profile.elicitation.form`). */
export interface FormAsk {
  /** Unique in the process among all asks, permissions included; correlates answer and withdrawal (S5.15). */
  readonly askId: number;
  readonly sessionId: string;
  /** The tool call that waits for the answer; `null` when there is none. */
  readonly itemId: string | null;
  readonly message: string;
  readonly fields: readonly FormField[];
  readonly delivery: FormDelivery;
}

/**
 * What the client said to a form. `values` holds what came for the keys of the form, as it came: whoever asked checks
 * each value (S5.87, S5.109). `failed` is an error, or an answer that says neither yes nor no.
 */
export type FormAnswer =
  | { readonly type: 'accepted'; readonly values: ReadonlyMap<string, unknown> }
  | { readonly type: 'declined' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly reason: string };

/** Every key that an answer to the form may carry. */
export function formKeys(fields: readonly FormField[]): string[] {
  return fields.flatMap(({ key, noteKey }) => (noteKey === null ? [key] : [key, noteKey]));
}
