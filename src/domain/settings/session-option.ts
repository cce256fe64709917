/** Access class of a mode, shown to AIR (S2.62). */
export type ModeKind = 'auto_review' | 'full_access' | 'standard';

export interface OptionValue {
  readonly value: string;
  readonly name: string;
  /** Absent and `null` differ on the wire (S2.76). */
  readonly description?: string | null;
  readonly modeKind?: ModeKind;
}

export interface OptionGroup {
  readonly id: string;
  readonly name: string;
  readonly values: readonly OptionValue[];
}

interface OptionBase {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
}

/** A config option of a session in no version's shape; presenters add version keys and AIR metadata (S2.72). */
export type SessionOption =
  | (OptionBase & {
      readonly type: 'select';
      readonly current: string;
      /** Flat values, or groups when permission profiles exist (S2.75). */
      readonly values: readonly OptionValue[] | readonly OptionGroup[];
      readonly grouped: boolean;
      /** Shown to AIR clients with `recommendedValue` (S2.79). */
      readonly recommended: string | null;
    })
  | (OptionBase & {
      readonly type: 'switch';
      readonly current: boolean;
      readonly on: OptionValue;
      readonly off: OptionValue;
    });

export interface ModeOption {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: ModeKind | null;
}

/** What a client is told about a session's settings (S2.38). */
export interface SettingsView {
  readonly options: readonly SessionOption[];
  readonly modes: { readonly available: readonly ModeOption[]; readonly current: string };
  /** Legacy v1 model list (S2.101). */
  readonly models: {
    readonly available: readonly { readonly modelId: string; readonly name: string; readonly description: string }[];
    readonly current: string;
  };
}
