import { describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { events, profile, SessionLab } from '../../support/session-lab.ts';

const compacting: ThreadEvent = { type: 'itemStarted', turnId: 'compaction', item: { type: 'compaction', id: 'c' } };
const compacted: ThreadEvent = { type: 'itemCompleted', turnId: 'compaction', item: { type: 'compaction', id: 'c' } };

/** The next turn of a goal, which Codex begins as it takes the request, and cuts off. */
const cutOff = [events.started('goal'), events.completed('goal', 'interrupted')];

/** `/compact` whose request was sent; `answer` is the answer of Codex. */
async function compact(): Promise<{ lab: SessionLab; answer: () => Promise<void> }> {
  const lab = new SessionLab(profile({ protocol: 2 }));
  lab.codex.manual.add('compact');
  lab.prompt('/compact');
  await lab.codex.called('compact');
  const answer = async (): Promise<void> => {
    lab.codex.heldCompacts[0]?.resolve();
    await lab.turnOver();
  };
  return { lab, answer };
}

const begun = ['running', 'user message-p1', 'inserted p1'];

describe('a turn of a goal that begins before the compaction and is cut off by it', () => {
  test.each(['before', 'after'])(
    'S3.110 S3.8 %s the answer to the request: the compaction is the next one',
    async (when) => {
      const { lab, answer } = await compact();
      if (when === 'after') await answer();
      lab.emit(...cutOff);
      if (when === 'before') await answer();
      lab.emit(events.started('compaction'), compacting, compacted);
      expect([...lab.words].sort()).toEqual([...begun, 'compaction', 'compaction'].sort());
      lab.emit(events.completed('compaction'));
      expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
      expect(lab.clock.waiting).toBe(0);
    },
  );

  test('S3.110 all of it before the answer', async () => {
    const { lab, answer } = await compact();
    lab.emit(...cutOff, events.started('compaction'), compacting, compacted, events.completed('compaction'));
    await answer();
    expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
  });

  test.each(['before', 'after'])(
    'S3.110 it ends by itself %s the answer: the compaction is the next one, a prompt waits for it',
    async (when) => {
      const { lab, answer } = await compact();
      if (when === 'after') await answer();
      lab.emit(events.started('goal'), events.completed('goal'));
      if (when === 'before') await answer();
      lab.prompt('next');
      await lab.turnOver();
      expect(lab.codex.of('startTurn')).toEqual([]);
      lab.emit(events.started('compaction'), compacting, compacted, events.completed('compaction'));
      expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
      await lab.codex.called('startTurn');
    },
  );

  test.each([
    ['session/cancel', 'cancelled'],
    ['nothing', 'done'],
  ])('S12.5 it ends by itself, %s follows and no compaction: the prompt ends %s', async (what, outcome) => {
    const { lab, answer } = await compact();
    await answer();
    lab.emit(events.started('goal'), events.completed('goal'));
    if (what === 'session/cancel') lab.actor.cancel();
    await lab.turnOver();
    expect(lab.words).toEqual(begun);
    lab.clock.advance(1000);
    expect(lab.words.slice(-2)).toEqual([`ended p1 ${outcome}`, `idle:${outcome}`]);
    expect(lab.clock.waiting).toBe(0);
  });

  test('S3.54 S3.110 a cancel that ended it stops the compaction, too', async () => {
    const { lab, answer } = await compact();
    await answer();
    lab.emit(events.started('goal'));
    lab.actor.cancel();
    await lab.turnOver();
    lab.emit(events.completed('goal', 'interrupted'), events.started('compaction'), compacting);
    await lab.turnOver();
    expect(lab.codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['goal', 'compaction']);
    lab.emit(events.completed('compaction', 'interrupted'));
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
  });

  test('S3.54 a cancel after it stops the compaction', async () => {
    const { lab, answer } = await compact();
    await answer();
    lab.emit(...cutOff, events.started('compaction'), compacting);
    lab.actor.cancel();
    await lab.turnOver();
    expect(lab.codex.calls.at(-1)).toMatchObject({ method: 'interrupt', turnId: 'compaction' });
    lab.emit(events.completed('compaction', 'interrupted'));
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
  });

  test.each(['before', 'after'])('S12.5 %s the answer, and no compaction follows: the prompt ends', async (when) => {
    const { lab, answer } = await compact();
    if (when === 'after') await answer();
    lab.emit(...cutOff);
    if (when === 'before') await answer();
    lab.clock.advance(999);
    expect(lab.words).toEqual(begun);
    lab.clock.advance(1);
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
  });
});

test('S3.110 S3.54 a compaction that somebody else interrupts ends its prompt at once', async () => {
  const { lab, answer } = await compact();
  await answer();
  lab.emit(events.started('compaction'), compacting, events.completed('compaction', 'interrupted'));
  expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
});
