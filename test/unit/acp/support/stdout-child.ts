import { Outbox } from '../../../../src/adapters/acp/outbox.ts';
import { openStdout } from '../../../../src/adapters/acp/stdout-stream.ts';

/**
 * Writes more than any pipe holds, counts timer ticks while nobody reads, reports them to its parent, and ends when all
 * was read. Its argument says how many bytes to write.
 */
const size = Number(process.argv[2]);
const overhead = `${JSON.stringify({ text: '' })}\n`.length;
const outbox = new Outbox(openStdout(), { broken: () => process.exit(1), fault: () => process.exit(2) });
outbox.enqueue({ text: 'x'.repeat(size - overhead) }, null);

let ticks = 0;
const timer = setInterval(() => {
  ticks += 1;
  if (ticks < 5) return;
  clearInterval(timer);
  process.send?.({ ticks, pending: outbox.pendingBytes });
}, 5);

await outbox.drained();
process.disconnect();
