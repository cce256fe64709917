import { randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/outbound/system.ts';

/** Random UUIDs (version 4). */
export class RandomIds implements Ids {
  uuid(): string {
    return randomUUID();
  }
}
