import type { ThreadEvent } from '../thread/thread-event.ts';
import type { Input } from '../turn/turn-state.ts';

/**
 * The start of a turn as the machine sees it. In the session's own thread a turn that works for another one is a
 * reviewer's: items and end carry the id of the other, only an interrupt needs its own (S3.114).
 */
export function startedTurn(event: Extract<ThreadEvent, { type: 'turnStarted' }>): Input<'turnStarted'> {
  const { type, turnId, rootId } = event;
  return rootId === undefined ? { type, turnId } : { type, turnId: rootId, startedId: turnId };
}
