/**
 * The order of a round. What ran just before leaves its traces (caches, a busy disk): in a fixed cycle, one of two
 * identical commands looked a tenth slower. So rounds run forwards and backwards in turn, and every second one begins
 * further on: six rounds of three commands hold every order once.
 */
export function inOrder<T>(contenders: readonly T[], round: number): readonly T[] {
  const first = (round >> 1) % contenders.length;
  const forwards = [...contenders.slice(first), ...contenders.slice(0, first)];
  return round % 2 === 0 ? forwards : forwards.reverse();
}
