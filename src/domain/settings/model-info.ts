/** A model that Codex offers (S2.76, S2.77, S2.83). Efforts are open strings. */
export interface ModelInfo {
  readonly id: string;
  readonly model: string;
  readonly displayName: string;
  readonly description: string;
  readonly efforts: readonly { readonly effort: string; readonly description: string }[];
  readonly defaultEffort: string;
  readonly inputModalities: readonly string[];
  /** Fast mode: an old speed tier `fast`, or a service tier `priority` or `fast` (S2.83). */
  readonly supportsFast: boolean;
  readonly isDefault: boolean;
}
