import { firstBytes, isLargerThan, lastBytes, utf8Size } from './utf8-size.ts';

const wholeLimit = 1024 * 1024;
const endLimit = 512 * 1024;

/**
 * The output of a finished command for a client without terminals (S12.1): whole up to 1 MiB; above, the first and the
 * last 512 KiB with a line between them that tells how much is missing.
 */
export function finalOutput(output: string): string {
  if (!isLargerThan(output, wholeLimit)) return output;
  const head = firstBytes(output, endLimit);
  const tail = lastBytes(output, endLimit);
  const omitted = utf8Size(output) - utf8Size(head) - utf8Size(tail);
  const lineBreak = head.endsWith('\n') ? '' : '\n';
  return `${head}${lineBreak}[${omitted} bytes of output left out]\n${tail}`;
}
