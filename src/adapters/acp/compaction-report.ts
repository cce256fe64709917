import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';

export type CompactionReport = Extract<ConversationUpdate, { readonly type: 'compaction' }>;

/** `compaction_update`, the same on both versions (S3.166, S4.134). */
export interface CompactionUpdateFrame {
  sessionUpdate: 'compaction_update';
  compactionId: string;
  status: CompactionReport['status'];
  error?: string;
}

export function compactionUpdate({ compactionId, status, error }: CompactionReport): CompactionUpdateFrame {
  return { sessionUpdate: 'compaction_update', compactionId, status, ...(error === null ? {} : { error }) };
}

/** The report says that Codex works on: it began or finished a compaction. An end without success proves nothing. */
export function isCompactionProgress({ status }: CompactionReport): boolean {
  switch (status) {
    case 'in_progress':
    case 'completed':
      return true;
    case 'failed':
    case 'cancelled':
      return false;
  }
}
