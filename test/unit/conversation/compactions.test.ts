import { describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { command } from '../../support/session-lab.ts';
import { ConversationLab, completed, failure, started } from './conversation-lab.ts';

const item = { type: 'compaction', id: 'c' } as const;
const compacted: ThreadEvent = { type: 'compacted', turnId: 't' };
const inProgress = { type: 'compaction', compactionId: 'c', status: 'in_progress', error: null, reported: true };
const done = { ...inProgress, status: 'completed' };

describe('a compaction item', () => {
  test('S3.166 S3.167 is in progress from its start to its completion', () => {
    const lab = new ConversationLab().handle(started(item));
    expect(lab.take()).toEqual([inProgress]);
    expect(lab.handle(completed(item)).end().take()).toEqual([done]);
  });

  test('S3.166 S4.135 a second start and a second end are dropped', () => {
    const lab = new ConversationLab().handle(started(item), started(item), completed(item), completed(item));
    lab.handle(started(item), compacted, failure('t', 'late')).end('t', { status: 'failed', error: 'late' });
    expect(lab.take()).toEqual([inProgress, done]);
  });

  test('S3.166 S3.168 the completion of an item without start is shown alone', () => {
    const lab = new ConversationLab().handle(completed(item), compacted, started(item));
    expect(lab.take()).toEqual([{ ...done, reported: false }]);
  });

  test('S3.166 two in one turn each have their end', () => {
    const second = { type: 'compaction', id: 'd' } as const;
    const lab = new ConversationLab().handle(started(item), completed(item), started(second)).end();
    expect(lab.take().map((update) => update.type === 'compaction' && [update.compactionId, update.status])).toEqual([
      ['c', 'in_progress'],
      ['c', 'completed'],
      ['d', 'in_progress'],
      ['d', 'failed'],
    ]);
  });
});

test('S3.170 S3.166 the reason of a failure is freed from the JSON around it', () => {
  const body = JSON.stringify({ error: { message: 'Too long', type: 'scripted', code: null } });
  const failed = { ...inProgress, status: 'failed', error: 'Too long' };
  expect(new ConversationLab().handle(started(item), failure('t', body)).take()).toEqual([inProgress, failed]);
  const ended = new ConversationLab().handle(started(item)).end('t', { status: 'failed', error: body });
  expect(ended.take()).toEqual([inProgress, failed]);
});

describe('thread/compacted', () => {
  test('S3.166 S3.168 alone is a compaction of its own, done at once, and one in a turn', () => {
    const lab = new ConversationLab().handle(compacted, compacted).end();
    expect(lab.take()).toEqual([{ ...done, compactionId: 'compaction:t', reported: false }]);
  });

  test.each([
    ['ends it, and its own completion tells nothing more', [compacted, completed(item)]],
    ['tells nothing after its completion', [completed(item), compacted]],
  ])('S3.166 S3.168 with an item in the turn it %s', (_, events) => {
    const lab = new ConversationLab().handle(started(item), ...events).end();
    lab.handle(compacted);
    expect(lab.take()).toEqual([inProgress, done]);
  });

  test('S4.135 before the item: the completion of the item belongs to it', () => {
    const lab = new ConversationLab().handle(compacted, completed(item)).end();
    expect(lab.take()).toEqual([{ ...done, compactionId: 'compaction:t', reported: false }]);
  });

  test('S3.166 of another turn leaves the item alone', () => {
    const lab = new ConversationLab().handle(started(item), { type: 'compacted', turnId: 'u' });
    expect(lab.take()).toEqual([inProgress, { ...done, compactionId: 'compaction:u', reported: false }]);
    expect(lab.handle(completed(item)).take()).toEqual([done]);
  });
});

describe('a compaction that does not complete', () => {
  const ends = [
    ['interrupted', null, 'cancelled', null],
    ['cancelled', 'whatever', 'cancelled', null],
    ['failed', 'quota', 'failed', 'quota'],
    ['failed', null, 'failed', 'Codex ended the turn before compaction completed.'],
    ['completed', null, 'failed', 'Codex ended the turn before compaction completed.'],
    ['lost', null, 'failed', 'Connection to Codex was lost.'],
  ] as const;

  test.each(ends)('S3.166 S3.167 in a turn that ends as %s (%s) is %s', (status, reason, expected, error) => {
    const lab = new ConversationLab().handle(started(item)).end('u', { status, error: reason });
    expect(lab.take()).toEqual([inProgress]);
    const all = status === 'lost' ? null : 't';
    expect(lab.end(all, { status, error: reason }).take()).toEqual([{ ...inProgress, status: expected, error }]);
    expect(lab.handle(completed(item), compacted).end('t', { status }).take()).toEqual([]);
  });

  test('S3.166 fails with an error that Codex does not retry, and only of its own turn', () => {
    const lab = new ConversationLab().handle(started(item), failure('t', 'again', true), failure('u', 'other'));
    expect(lab.take()).toEqual([inProgress]);
    lab.handle(failure('t', 'no room')).end('t', { status: 'failed', error: 'no room' });
    expect(lab.take()).toEqual([{ ...inProgress, status: 'failed', error: 'no room' }]);
  });

  test('S4.135 ends before anything else of its turn', () => {
    const lab = new ConversationLab().handle(started(command('x', { processId: null })), started(item));
    lab.take();
    lab.end('t', { status: 'interrupted' });
    expect(lab.take().map(({ type }) => type)).toEqual(['compaction', 'toolAborted']);
  });
});
