/**
 * A block of a prompt as the core needs it. `raw` is the block as the client sent it, for the echo on v2 (S4.32).
 */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string; readonly raw: unknown }
  | {
      readonly type: 'image';
      readonly data: string;
      readonly mimeType: string;
      readonly uri: string | null;
      readonly raw: unknown;
    }
  | { readonly type: 'resourceLink'; readonly uri: string; readonly name: string; readonly raw: unknown }
  | { readonly type: 'textResource'; readonly uri: string; readonly text: string; readonly raw: unknown }
  | {
      readonly type: 'blobResource';
      readonly uri: string;
      readonly blob: string;
      readonly mimeType: string | null;
      readonly raw: unknown;
    };

/** One input of a Codex turn (S3 table 2.2). */
export type CodexInput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string };
