import type { ItemStatus } from '../thread/thread-item.ts';

/** Status of a tool call; `pending` only while the user is asked about it. */
export type ToolStatus = 'completed' | 'failed' | 'in_progress' | 'pending';

/** Status of an item that starts (S4.52). */
export function startStatus(status: ItemStatus): ToolStatus {
  return status === 'inProgress' ? 'in_progress' : endStatus(status);
}

/** Status of an item that ended: everything but success is a failure (S4.52). */
export function endStatus(status: ItemStatus): ToolStatus {
  return status === 'completed' ? 'completed' : 'failed';
}
