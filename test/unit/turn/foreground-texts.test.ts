import { describe, expect, test } from 'vitest';
import { Foreground } from '../../../src/domain/turn/foreground.ts';

function begun(): Foreground {
  const foreground = new Foreground();
  foreground.began();
  return foreground;
}

describe('texts that get no end', () => {
  test('S3.92 S3.93 a text that runs keeps the session running beside a wait', () => {
    const foreground = begun();
    foreground.textRuns('t', 'm1');
    foreground.itemRuns('t', 'c1');
    expect(foreground.waitOpened(1, 'c1')).toBeNull();
    expect(foreground.activity).toBe('running');
  });

  test('S3.92 S3.93 one that was given up does not', () => {
    const foreground = begun();
    foreground.textRuns('t', 'm1');
    expect(foreground.textsCut()).toBeNull();
    foreground.itemRuns('t', 'c1');
    expect(foreground.waitOpened(1, 'c1')).toBe('requires_action');
  });

  test('S3.93 the wait may be open already', () => {
    const foreground = begun();
    foreground.itemRuns('t', 'c1');
    foreground.waitOpened(1, 'c1');
    expect(foreground.textRuns('t', 'm1')).toBe('running');
    expect(foreground.textsCut()).toBe('requires_action');
  });

  test('S3.92 what runs and is no text goes on', () => {
    const foreground = begun();
    foreground.itemRuns('t', 'c1');
    foreground.itemRuns('t', 'c2');
    foreground.textRuns('t', 'm1');
    foreground.textsCut();
    expect(foreground.waitOpened(1, 'c1')).toBeNull();
    expect(foreground.itemEnded('c2')).toBe('requires_action');
  });

  test('S3.97 nothing of it outlives its work', () => {
    const foreground = begun();
    foreground.textRuns('t', 'm1');
    foreground.ended(false);
    expect(foreground.textRuns('t', 'm2')).toBeNull();
    foreground.began();
    foreground.itemRuns('t', 'c1');
    expect(foreground.waitOpened(1, 'c1')).toBe('requires_action');
  });
});
