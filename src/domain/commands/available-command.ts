/** One entry of the command list (S2.116, S2.132). Names are without the leading slash. */
export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  /** What to type behind the name; `null` for a command without argument. */
  readonly hint: string | null;
  /** What AIR does with the command besides sending it (S2.117). */
  readonly action?: Readonly<Record<string, unknown>>;
  /** Absolute path of the skill's SKILL.md; AIR only (S2.132). */
  readonly skillPath?: string;
}
