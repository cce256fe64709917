import { describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { command, compaction, events, message, profile, SessionLab } from '../../support/session-lab.ts';

const done = { status: 'completed', exitCode: 0, processId: null } as const;
const compacting: ThreadEvent = { type: 'itemStarted', turnId: 'turn-1', item: { type: 'compaction', id: 'k' } };

/** A session whose turn `turn-1` was ended without its completion: the interrupt was answered, nothing is recorded. */
async function endedByWitness(protocol: 1 | 2 = 2): Promise<SessionLab> {
  const lab = new SessionLab(profile({ protocol }));
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  lab.actor.cancel();
  await lab.turnOver();
  lab.clock.advance(2000);
  await lab.turnOver();
  expect(lab.words.at(-1)).toBe(protocol === 2 ? 'idle:cancelled' : 'ended p1 cancelled');
  return lab;
}

async function ended(): Promise<SessionLab> {
  const lab = new SessionLab();
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId), events.completed('turn-1'));
  return lab;
}

describe('events of a turn that is over', () => {
  test.each([1, 2] as const)('C008 S3.80 S12.5 v%i: nothing is opened that nobody would close', async (protocol) => {
    const lab = await endedByWitness(protocol);
    const shown = lab.words.length;
    lab.emit(events.itemStarted('turn-1', command('c1')), compacting, events.completed('turn-1', 'interrupted'));
    expect(lab.words.slice(shown)).toEqual([]);
  });

  test('C008 S3.80 S12.5 what ends late is shown whole, once', async () => {
    const lab = await endedByWitness();
    const shown = lab.words.length;
    lab.emit(
      events.itemStarted('turn-1', command('c1')),
      { type: 'commandOutput', turnId: 'turn-1', itemId: 'c1', delta: 'partly' },
      events.itemCompleted('turn-1', command('c1', { ...done, output: 'all of it' })),
      events.itemCompleted('turn-1', command('c1', { ...done, output: 'all of it' })),
    );
    expect(lab.words.slice(shown)).toEqual(['toolEnded c1']);
    expect(lab.channel.shown.at(-1)).toMatchObject({
      update: { type: 'toolEnded', started: false, item: { status: 'completed', output: 'all of it' } },
    });
  });

  test('S3.80 text is shown as it comes', async () => {
    const lab = await ended();
    const shown = lab.words.length;
    lab.emit(events.delta('turn-1', 'late'), events.itemCompleted('turn-1', message('m1', 'late')));
    expect(lab.words.slice(shown)).toEqual(['text late']);
  });

  test('S3.81 S3.96 a start that is told after the end begins no turn of Codex', async () => {
    const lab = await ended();
    const shown = lab.words.length;
    lab.emit(events.started('turn-1'));
    expect(lab.words.slice(shown)).toEqual([]);
  });

  test('S3.110 a late item is not taken for the turn of a compaction', async () => {
    const lab = await ended();
    lab.prompt('/compact');
    await lab.codex.called('compact');
    await lab.turnOver();
    lab.emit(events.itemStarted('turn-1', command('c1')), events.started('turn-2'), events.completed('turn-1'));
    expect(lab.words.at(-1)).not.toMatch(/^idle/);
    lab.emit(events.itemStarted('turn-2', compaction), events.completed('turn-2'));
    expect(lab.words.slice(-2)).toEqual(['ended p2 done', 'idle:done']);
  });

  test('S3.92 S3.93 a late item does not keep the next prompt from requiring action', async () => {
    const lab = await ended();
    lab.codex.manual.add('startTurn');
    const second = lab.prompt('second');
    await lab.codex.called('startTurn', 2);
    await lab.turnOver();
    lab.emit({ type: 'threadStatus', status: { type: 'active', activeFlags: [] } });
    lab.emit({ type: 'commandOutput', turnId: 'turn-1', itemId: 'old', delta: 'of a background command' });
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-2' });
    await lab.turnOver();
    lab.emit(events.started('turn-2'), events.landed('turn-2', second), events.itemStarted('turn-2', command('c1')));
    lab.codex.request(lab.threadId, {
      type: 'fileChangeApproval',
      turnId: 'turn-2',
      itemId: 'c1',
      reason: null,
      grantRoot: null,
    });
    expect(lab.words).toContain('requires_action');
  });
});

describe('texts that Codex begins and does not end', () => {
  const exited: ThreadEvent = {
    type: 'itemCompleted',
    turnId: 'turn-1',
    item: { type: 'reviewExited', id: 'x', text: 'Fine.' },
  };
  const steered: ThreadEvent = {
    type: 'itemStarted',
    turnId: 'turn-1',
    item: { type: 'userMessage', id: 'u', clientId: null },
  };

  test.each([
    ['input lands in the turn', steered],
    ['the review is over', exited],
  ])('S3.92 S3.93 S3.5 S3.9 when %s they no longer count as running', async (_, cut) => {
    const lab = new SessionLab();
    const promptId = lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId), events.delta('turn-1', 'Half a'));
    lab.emit({ type: 'reasoningDelta', turnId: 'turn-1', itemId: 'r1', delta: 'Hm' });
    lab.emit(cut, events.itemStarted('turn-1', command('c1')));
    lab.codex.request(lab.threadId, {
      type: 'fileChangeApproval',
      turnId: 'turn-1',
      itemId: 'c1',
      reason: null,
      grantRoot: null,
    });
    expect(lab.words.slice(-3)).toEqual(['toolStarted c1', 'requires_action', 'ask 1']);
  });

  test('S3.92 S3.93 input of another turn cuts nothing', async () => {
    const lab = new SessionLab();
    const promptId = lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId), events.delta('turn-1', 'Half a'));
    lab.emit({ ...steered, turnId: 'turn-0' }, events.itemStarted('turn-1', command('c1')));
    lab.codex.request(lab.threadId, {
      type: 'fileChangeApproval',
      turnId: 'turn-1',
      itemId: 'c1',
      reason: null,
      grantRoot: null,
    });
    expect(lab.words).not.toContain('requires_action');
  });
});
