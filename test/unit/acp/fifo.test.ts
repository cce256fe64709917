import { expect, it } from 'vitest';
import { Fifo } from '../../../src/adapters/acp/fifo.ts';

it('Fifo keeps the order over many pushes and shifts', () => {
  const fifo = new Fifo<number>();
  const out: (number | undefined)[] = [];
  for (let next = 0; next < 6000; next += 1) {
    fifo.push(next);
    if (next % 3 === 0) out.push(fifo.shift());
  }
  expect(fifo.length).toBe(4000);
  expect(fifo.peek()).toBe(2000);
  while (fifo.length > 0) out.push(fifo.shift());
  expect(out).toEqual(Array.from({ length: 6000 }, (_, index) => index));
  expect(fifo.shift()).toBeUndefined();
  fifo.push(1);
  fifo.clear();
  expect([fifo.length, fifo.peek()]).toEqual([0, undefined]);
});
