import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RandomIds } from '../../../src/adapters/system/random-ids.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemScheduler } from '../../../src/adapters/system/system-scheduler.ts';

describe('timers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('run once after their delay', () => {
    const action = vi.fn();
    new SystemScheduler().after(100, action);
    vi.advanceTimersByTime(99);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(action).toHaveBeenCalledTimes(1);
  });

  test('can be cancelled', () => {
    const action = vi.fn();
    new SystemScheduler().after(100, action)();
    vi.advanceTimersByTime(1_000);
    expect(action).not.toHaveBeenCalled();
  });

  test('longer than Node can wait do not run at once', () => {
    const action = vi.fn();
    const days = 24 * 60 * 60 * 1_000;
    const cancel = new SystemScheduler().after(60 * days, action);
    vi.advanceTimersByTime(59 * days);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(days);
    expect(action).toHaveBeenCalledTimes(1);
    cancel();
  });
});

test.each([
  [true, 1],
  [false, 0],
])('S1.51 keepsProcessAlive %s', (keepsProcessAlive, timers) => {
  const alive = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = alive();
  const cancel = new SystemScheduler({ keepsProcessAlive }).after(10_000, () => {});
  expect(alive() - before).toBe(timers);
  cancel();
});

test('the clock is the wall clock, and ids are fresh', () => {
  expect(Math.abs(new SystemClock().now() - Date.now())).toBeLessThan(1_000);
  const ids = new RandomIds();
  expect(ids.uuid()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(ids.uuid()).not.toBe(ids.uuid());
});
