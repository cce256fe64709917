import { describe, expect, test } from 'vitest';
import { Foreground } from '../../../src/domain/turn/foreground.ts';

function busy(): Foreground {
  const foreground = new Foreground();
  expect(foreground.began()).toBe('running');
  return foreground;
}

describe('S3 section 7: the foreground of a v2 session', () => {
  test('S3.90 S3.91 it starts idle, and the same state is not told twice', () => {
    const foreground = new Foreground();
    expect(foreground.activity).toBe('idle');
    expect(foreground.began()).toBe('running');
    expect(foreground.began()).toBeNull();
  });

  test('S3.93 T16 a wait on the only item: requires_action', () => {
    const foreground = busy();
    expect(foreground.itemRuns('t', 'c1')).toBeNull();
    expect(foreground.waitOpened(1, 'c1')).toBe('requires_action');
    expect(foreground.activity).toBe('requires_action');
  });

  test('S3.93 a second runnable item keeps running; when it ends, the wait is all that is left', () => {
    const foreground = busy();
    foreground.itemRuns('t', 'c1');
    foreground.itemRuns('t', 'c2');
    expect(foreground.waitOpened(1, 'c1')).toBeNull();
    expect(foreground.itemEnded('c2')).toBe('requires_action');
  });

  test('S3.93 T17 a runnable item begins while all else waits: running', () => {
    const foreground = busy();
    foreground.itemRuns('t', 'c1');
    foreground.waitOpened(1, 'c1');
    expect(foreground.itemRuns('t', 'c2')).toBe('running');
  });

  test('S3.92 S5.145 a delta counts as the start of its item, the same item once', () => {
    const foreground = busy();
    foreground.waitOpened(1, null);
    expect(foreground.itemRuns('t', 'm1')).toBe('running');
    expect(foreground.itemRuns('t', 'm1')).toBeNull();
  });

  test('S3.93 S5.146 T17 one of two waits is answered: its item can run; the last: running', () => {
    const foreground = busy();
    foreground.waitOpened(1, null);
    foreground.waitOpened(2, 'c1');
    foreground.itemRuns('t', 'c1');
    expect(foreground.activity).toBe('requires_action');
    expect(foreground.waitAnswered(1)).toBeNull();
    expect(foreground.waitAnswered(2)).toBe('running');
  });

  test('S3.93 S5.144 a wait without an item: running comes with the next evidence of work', () => {
    const foreground = busy();
    expect(foreground.waitOpened(1, null)).toBe('requires_action');
    expect(foreground.workSeen()).toBeNull();
    expect(foreground.waitAnswered(1)).toBeNull();
    expect(foreground.workSeen()).toBe('running');
    expect(foreground.workSeen()).toBeNull();
  });

  test('S3.93 answers and ends of things that are not tracked change nothing', () => {
    const foreground = busy();
    foreground.waitOpened(1, null);
    expect(foreground.waitAnswered(2)).toBeNull();
    expect(foreground.itemEnded('c1')).toBeNull();
    expect(foreground.activity).toBe('requires_action');
  });

  test('S3.94 an idle session has no waits and no items', () => {
    const foreground = new Foreground();
    expect(foreground.waitOpened(1, 'c1')).toBeNull();
    expect(foreground.itemRuns('t', 'c1')).toBeNull();
    expect(foreground.workSeen()).toBeNull();
    expect(foreground.began()).toBe('running');
    expect(foreground.waitAnswered(1)).toBeNull();
    expect(foreground.waitOpened(2, null)).toBe('requires_action');
  });

  test('S3.95 S5.150 a withdrawn wait does not tell running, and neither does its late answer', () => {
    const foreground = busy();
    foreground.itemRuns('t', 'c1');
    foreground.waitOpened(1, 'c1');
    foreground.waitWithdrawn(1);
    expect(foreground.activity).toBe('requires_action');
    expect(foreground.waitAnswered(1)).toBeNull();
    expect(foreground.ended(false)).toBe(true);
  });

  test('S3.33 S3.93 S3.97 work ends that an agent turn ran beside: that goes on as it stands', () => {
    const foreground = busy();
    foreground.itemRuns('agent', 'c1');
    foreground.waitOpened(1, 'c1');
    expect(foreground.ended(true)).toBe(true);
    expect(foreground.activity).toBe('idle');
    expect(foreground.began()).toBe('requires_action');
    foreground.itemRuns('agent', 'c2');
    expect(foreground.ended(true)).toBe(true);
    expect(foreground.began()).toBe('running');
  });

  test('S3.92 S3.97 of a turn that is over nothing runs, what another does goes on', () => {
    const foreground = busy();
    foreground.itemRuns('over', 'c1');
    foreground.textRuns('over', 'm1');
    foreground.itemRuns('agent', 'c2');
    foreground.turnOver('over');
    expect(foreground.waitOpened(1, null)).toBeNull();
    foreground.turnOver(null);
    expect(foreground.waitOpened(2, null)).toBe('requires_action');
  });

  test('S3.96 S3.97 the end is due once, and clears both sets', () => {
    const foreground = busy();
    foreground.itemRuns('t', 'c1');
    foreground.waitOpened(1, 'c1');
    expect(foreground.ended(false)).toBe(true);
    expect(foreground.ended(false)).toBe(false);
    expect(foreground.waitAnswered(1)).toBeNull();
    expect(foreground.began()).toBe('running');
    expect(foreground.waitOpened(2, 'c2')).toBe('requires_action');
  });
});
