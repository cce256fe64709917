import type {
  AdditionalPermissions,
  CommandApproval,
  FileChangeApproval,
  PermissionEntry,
} from '../interaction/approval-request.ts';
import type { ApprovalSubject } from '../interaction/permission-ask.ts';
import type { CommandAction, CommandItem, FileChangeItem } from '../thread/thread-item.ts';
import { commandTitle, commandToolName } from './command-title.ts';
import { exactCommand } from './shell-wrapper.ts';

/** `short` is the form of AIR on v1, which says nothing about a call again that it knows (S5.40, S5.43). */
export type PermissionForm = 'short' | 'standard';

/** What a permission request for an action of Codex says, in no version's shape. */
export interface PermissionReport {
  /** Title of the question (S5.33). */
  readonly question: string;
  /** Why Codex asks. */
  readonly reason: string | null;
  readonly toolCallId: string;
  readonly name: string | null;
  readonly kind: 'edit' | 'execute';
  /** Kind and status are said too; not for a running call of an AIR v1 client (S5.40). */
  readonly pending: boolean;
  readonly title: string;
  readonly rawInput: Readonly<Record<string, unknown>>;
  /** Paths as Codex wrote them, without repeats. */
  readonly paths: readonly string[];
  /** Directory that relative paths belong to; `null` is the session's. */
  readonly cwd: string | null;
  /** Texts that the client has to show beside what it shows of the call already (S5.34b, S5.44). */
  readonly notes: readonly string[];
}

/** Facts of a permission request for a command or a file change (S5 sections 4, 5 and 7). */
export function permissionReport(subject: ApprovalSubject, form: PermissionForm): PermissionReport {
  return subject.type === 'command'
    ? commandReport(subject.approval, subject.item, form)
    : fileChangeReport(subject.approval, subject.item, form);
}

function commandReport(approval: CommandApproval, item: CommandItem | null, form: PermissionForm): PermissionReport {
  const { network, additionalPermissions } = approval;
  const input = approval.kind === 'writeStdin';
  const started = item !== null || input;
  const grantedPaths = permissionPaths(additionalPermissions);
  const paths = form === 'short' && started ? grantedPaths : [...actionPaths(approval.actions), ...grantedPaths];
  const text = permissionText(additionalPermissions);
  return {
    question:
      network !== null ? 'Allow network access?' : input ? 'Send input to the running command?' : 'Run command?',
    reason: trimmed(approval.reason),
    toolCallId: approval.itemId,
    name: item === null ? null : commandToolName(item.source),
    kind: 'execute',
    pending: form === 'standard' || !started,
    title: commandQuestionTitle(approval, item, form),
    rawInput: commandInput(approval),
    paths: [...new Set(paths)],
    cwd: approval.cwd ?? item?.cwd ?? null,
    notes: [
      ...(network === null ? [] : [`${network.protocol} access to ${network.host}`]),
      ...(text === '' ? [] : [text]),
    ],
  };
}

function fileChangeReport(
  approval: FileChangeApproval,
  item: FileChangeItem | null,
  form: PermissionForm,
): PermissionReport {
  return {
    question: 'Make edits?',
    reason: trimmed(approval.reason),
    toolCallId: approval.itemId,
    name: null,
    kind: 'edit',
    pending: form === 'standard' || item === null,
    title: form === 'short' ? 'Editing files' : 'Edit files',
    // A grant for a whole directory must be visible (S5.90).
    rawInput: approval.grantRoot === null ? {} : { grantRoot: approval.grantRoot },
    paths: [...new Set((item?.changes ?? []).map((change) => change.path))],
    cwd: null,
    notes: [],
  };
}

/** Title of the tool call in a question about a command (S5.43, S5.53). */
function commandQuestionTitle(approval: CommandApproval, item: CommandItem | null, form: PermissionForm): string {
  const { network } = approval;
  if (network !== null) return `${network.protocol} network access to ${network.host}`;
  if (item !== null) return commandTitle(item) || 'Run command';
  const command = exactCommand(approval.command ?? '');
  if (form === 'standard' && command !== '' && approval.kind !== 'writeStdin') return command;
  return approval.kind === 'writeStdin' ? 'Run command' : genericTitle(approval.actions);
}

function genericTitle(actions: readonly CommandAction[]): string {
  switch (actions[0]?.type) {
    case 'read':
      return actions.length === 1 ? 'Read file' : 'Run command with file reads';
    case 'listFiles':
      return 'List files';
    case 'search':
      return 'Search files';
    case 'unknown':
    case undefined:
      return 'Run command';
  }
}

/** Parameters of a command that the user has to see (S5.42). Input for a running command stays as received (S5.53). */
function commandInput(approval: CommandApproval): Record<string, unknown> {
  const { command, cwd, network, additionalPermissions, environmentId } = approval;
  const shown = command === null || approval.kind === 'writeStdin' ? command : exactCommand(command);
  const web = network !== null && (network.protocol === 'http' || network.protocol === 'https');
  return {
    ...(shown === null ? {} : { command: shown }),
    ...(cwd === null ? {} : { cwd }),
    ...(web ? { url: `${network.protocol}://${network.host}` } : {}),
    ...(additionalPermissions === null ? {} : { additionalPermissions }),
    // The command runs elsewhere.
    ...(environmentId === null || environmentId === 'local' ? {} : { environmentId }),
  };
}

function actionPaths(actions: readonly CommandAction[]): string[] {
  return actions.flatMap((action) => (action.type === 'unknown' || action.path === null ? [] : [action.path]));
}

/** Paths of extra permissions (S5.57). */
function permissionPaths(permissions: AdditionalPermissions | null): string[] {
  const files = permissions?.fileSystem ?? null;
  const entries = (files?.entries ?? []).flatMap(({ path }) => (path.type === 'path' ? [path.path] : []));
  return [...(files?.read ?? []), ...(files?.write ?? []), ...entries];
}

/** Extra permissions in words, one a line, with the access that each path gets (S5.58). */
function permissionText(permissions: AdditionalPermissions | null): string {
  const network = permissions?.network?.enabled ?? null;
  const files = permissions?.fileSystem ?? null;
  const lines = [
    ...(network === null ? [] : [network ? 'Enable network access' : 'Disable network access']),
    ...(files?.read ?? []).map((path) => `read ${path}`),
    ...(files?.write ?? []).map((path) => `write ${path}`),
    ...(files?.entries ?? []).map(entryText),
  ];
  return lines.join('\n');
}

function entryText({ access, path }: PermissionEntry): string {
  switch (path.type) {
    case 'path':
      return `${access} ${path.path}`;
    case 'glob_pattern':
      return `${access} filesystem pattern ${path.pattern}`;
    case 'special':
      return `${access} Codex filesystem scope ${JSON.stringify(path.value)}`;
  }
}

function trimmed(text: string | null): string | null {
  const shown = text?.trim() ?? '';
  return shown === '' ? null : shown;
}
