import type { AvailableCommand } from './available-command.ts';

/** A skill as Codex lists it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly enabled: boolean;
}

/** Built-in commands, in the order shown (S2.116). */
const builtInCommands: readonly AvailableCommand[] = [
  {
    name: 'plan',
    description: 'Turn plan mode on.',
    hint: null,
    action: {
      kind: 'setConfigOption',
      configId: 'collaboration_mode',
      value: 'plan',
      resetValue: 'default',
      presentation: 'state',
    },
  },
  { name: 'mcp', description: 'Show the status of the MCP servers, or reconnect them.', hint: '[reconnect]' },
  { name: 'skills', description: 'List available skills.', hint: null },
  { name: 'status', description: 'Display session configuration and token usage.', hint: null },
  {
    name: 'review',
    description: 'Review uncommitted changes, or review with custom instructions.',
    hint: 'optional review instructions',
  },
  { name: 'review-branch', description: 'Review changes relative to a base branch.', hint: 'branch name' },
  { name: 'review-commit', description: 'Review a specific commit.', hint: 'commit sha' },
  { name: 'compact', description: 'Summarize conversation to avoid hitting the context limit.', hint: null },
  {
    name: 'goal',
    description: 'Set a goal to keep pursuing.',
    hint: '[<objective>|clear|pause|resume]',
    action: { kind: 'prefixPrompt', presentation: 'state' },
  },
  { name: 'rename', description: 'Rename the current session.', hint: 'new name' },
  {
    name: 'logout',
    description: 'Sign out of Codex. This option is available when you are logged in via ChatGPT.',
    hint: null,
  },
];

/** Skills that need a user interface that we cannot offer (S2.143). */
const unsupportedSkills: ReadonlySet<string> = new Set(['visualize:visualize']);

/** The complete command list of a session: the built-ins, then its skills (S2.116, S2.132). */
export function availableCommands(skills: readonly ListedSkill[]): readonly AvailableCommand[] {
  return [...builtInCommands, ...usableSkills(skills).map(skillCommand)];
}

/** Skills that the user can call: enabled and supported, the first one of each name (S2.134, S2.143, C022). */
export function usableSkills<Skill extends ListedSkill>(skills: readonly Skill[]): readonly Skill[] {
  const names = new Set<string>();
  return skills.filter(({ name, enabled }) => {
    if (!enabled || unsupportedSkills.has(name) || names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** Equal lists are not told twice (S2.138). Entries are plain data that this file writes in one key order. */
export function commandsDiffer(one: readonly AvailableCommand[], other: readonly AvailableCommand[]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function skillCommand({ name, description, path }: ListedSkill): AvailableCommand {
  return { name: `$${name}`, description, hint: null, skillPath: path };
}
