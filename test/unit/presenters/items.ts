import type { CommandApproval, FileChangeApproval } from '../../../src/domain/interaction/approval-request.ts';
import type { ApprovalSubject, PermissionAsk } from '../../../src/domain/interaction/permission-ask.ts';
import type {
  CommandItem,
  FileChange,
  FileChangeItem,
  ImageViewItem,
  McpToolItem,
  WebSearchItem,
} from '../../../src/domain/thread/thread-item.ts';
import { session } from './flow.ts';

/** A running terminal command `npm test`. */
export function command(more: Partial<CommandItem> = {}): CommandItem {
  return {
    type: 'command',
    id: 'c1',
    command: "/bin/bash -lc 'npm test'",
    cwd: '/w',
    processId: null,
    source: 'unifiedExecStartup',
    status: 'inProgress',
    actions: [{ type: 'unknown', command: 'npm test' }],
    output: null,
    exitCode: null,
    ...more,
  };
}

/** The same command when it ended well. */
export function ended(more: Partial<CommandItem> = {}): CommandItem {
  return command({ status: 'completed', output: 'ok 1\n', exitCode: 0, ...more });
}

export function change(more: Partial<FileChange> = {}): FileChange {
  return { path: '/w/a.ts', kind: 'update', movePath: null, diff: '@@ -1 +1 @@\n-x\n+y\n', ...more };
}

export function fileChange(more: Partial<FileChangeItem> = {}): FileChangeItem {
  return { type: 'fileChange', id: 'p1', changes: [change()], status: 'inProgress', ...more };
}

export function mcpTool(more: Partial<McpToolItem> = {}): McpToolItem {
  return {
    type: 'mcpTool',
    id: 'm1',
    server: 'docs',
    tool: 'search',
    arguments: { q: 'x' },
    status: 'inProgress',
    result: null,
    error: null,
    ...more,
  };
}

export function webSearch(more: Partial<WebSearchItem> = {}): WebSearchItem {
  return { type: 'webSearch', id: 'w1', query: 'acp', action: null, ...more };
}

export function imageView(more: Partial<ImageViewItem> = {}): ImageViewItem {
  return { type: 'imageView', id: 'i1', path: '/w/a.png', ...more };
}

export function commandApproval(more: Partial<CommandApproval> = {}): CommandApproval {
  return {
    type: 'commandApproval',
    turnId: 't1',
    itemId: 'c1',
    approvalId: null,
    kind: 'command',
    reason: null,
    command: "/bin/bash -lc 'npm test'",
    cwd: '/w',
    environmentId: null,
    actions: [{ type: 'unknown', command: 'npm test' }],
    network: null,
    additionalPermissions: null,
    proposedExecpolicyAmendment: null,
    proposedNetworkAmendments: [],
    availableDecisions: null,
    ...more,
  };
}

export function fileApproval(more: Partial<FileChangeApproval> = {}): FileChangeApproval {
  return { type: 'fileChangeApproval', turnId: 't1', itemId: 'p1', reason: null, grantRoot: null, ...more };
}

export function ask(subject: ApprovalSubject): PermissionAsk {
  return {
    askId: 1,
    sessionId: session,
    subject,
    options: [
      {
        optionId: 'allow_once',
        name: 'Yes, proceed',
        kind: 'allow_once',
        answer: { type: 'commandApproval', decision: 'accept' },
      },
      {
        optionId: 'cancel',
        name: 'No, and tell Codex what to do differently',
        kind: 'reject_once',
        answer: { type: 'commandApproval', decision: 'cancel' },
      },
    ],
  };
}
