import type { CommandAction, CommandItem, CommandSource } from '../thread/thread-item.ts';
import { withoutShellWrapper } from './shell-wrapper.ts';

/** An action that Codex recognised. */
export type PlainAction = Exclude<CommandAction, { readonly type: 'unknown' }>;

/**
 * The one recognised action of a plain command, which is shown without a terminal; `null` for a terminal command, that
 * is one with no action, with several, or with one that is unknown (S4.37).
 */
export function plainAction(actions: readonly CommandAction[]): PlainAction | null {
  const [action, ...others] = actions;
  return action === undefined || others.length > 0 || action.type === 'unknown' ? null : action;
}

/** The command of a terminal command as Codex runs it, with its shell (S4.39). */
export function commandLine(item: CommandItem): string {
  const [action, ...others] = item.actions;
  return action !== undefined && others.length === 0 && action.type === 'unknown' ? action.command : item.command;
}

/** Title of a command's tool call (S4.38). */
export function commandTitle(item: CommandItem): string {
  const action = plainAction(item.actions);
  return action === null ? withoutShellWrapper(commandLine(item)) : actionTitle(action);
}

export function actionTitle(action: PlainAction): string {
  switch (action.type) {
    case 'read':
      return `Read file '${action.path}'`;
    case 'listFiles':
      return action.path === null ? 'List files' : `List files in '${action.path}'`;
    case 'search':
      if (action.query === null) return action.path === null ? 'Search' : `Search in '${action.path}'`;
      return `Search for '${action.query}'${action.path === null ? '' : ` in ${action.path}`}`;
  }
}

/** ACP tool kind of a command (S4.38). */
export function commandKind(item: CommandItem): 'execute' | 'read' | 'search' {
  const action = plainAction(item.actions);
  if (action === null) return 'execute';
  return action.type === 'search' ? 'search' : 'read';
}

/** Name of the Codex tool that ran a command, if there is one (S4.40). */
export function commandToolName(source: CommandSource): 'exec_command' | 'write_stdin' | null {
  switch (source) {
    case 'unifiedExecStartup':
      return 'exec_command';
    case 'unifiedExecInteraction':
      return 'write_stdin';
    case 'agent':
    case 'userShell':
      return null;
  }
}
