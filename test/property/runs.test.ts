import { expect, test } from 'vitest';
import { propertyRuns, propertyTimeout, runs } from './runs.ts';

test('PROPERTY_RUNS sets how often a property is tried, and its time limit', () => {
  expect(propertyRuns({})).toBe(2000);
  expect(propertyRuns({ PROPERTY_RUNS: '' })).toBe(2000);
  expect(propertyRuns({ PROPERTY_RUNS: '20000' })).toBe(20_000);
  expect(propertyTimeout({})).toBe(60_000);
  expect(propertyTimeout({ PROPERTY_RUNS: '20000' })).toBe(600_000);
  expect(propertyTimeout({ PROPERTY_RUNS: '10' })).toBe(60_000);
  expect(runs(2).numRuns).toBe(2 * runs().numRuns);
});

test.each(['many', '0', '-1', '1.5'])('PROPERTY_RUNS=%s is refused', (value) => {
  expect(() => propertyRuns({ PROPERTY_RUNS: value })).toThrow('PROPERTY_RUNS is no positive number');
});
