import { describe, expect, test } from 'vitest';
import type { ThreadEvent, TurnError } from '../../../src/domain/thread/thread-event.ts';
import { command, events } from '../../support/session-lab.ts';
import { clientNames, v2Names, type WireLab, wireLab } from '../../support/wire-lab.ts';
import { commandApproval } from '../interaction/approvals.ts';

/*
 * A turn of Codex runs, and work of the user that does not join it: what the turn does, waits for and dies of stays
 * visible.
 */

const broken: TurnError = { message: 'Goal broke', info: 'serverOverloaded', details: null };
const failure: ThreadEvent = { type: 'error', turnId: 'goal-1', error: broken, willRetry: false };
const failed: ThreadEvent = { type: 'turnCompleted', turnId: 'goal-1', status: 'failed', error: broken };
const runs = (itemId: string): ThreadEvent => events.itemStarted('goal-1', command(itemId));
const ends = (itemId: string): ThreadEvent =>
  events.itemCompleted('goal-1', command(itemId, { status: 'completed', exitCode: 0 }));

function ask(lab: WireLab, itemId: string): void {
  lab.emit(runs(itemId));
  lab.codex.request(lab.sessionId, commandApproval({ turnId: 'goal-1', itemId }));
}

const states = async (lab: WireLab): Promise<string[]> =>
  (await lab.news()).filter((word) => /^(idle|running|requires)/.test(word));

describe.each(v2Names)('%s', (name) => {
  test('S3.92 S3.93 S3.111 a compaction waits for the turn: its items still count', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'));
    lab.prompt('/compact');
    expect(await states(lab)).toEqual(['running']);
    lab.emit(runs('c0'));
    ask(lab, 'c1');
    expect(await states(lab)).toEqual([]);
    lab.emit(ends('c0'));
    expect(await states(lab)).toEqual(['requires_action']);
    lab.emit(runs('c2'));
    expect(await states(lab)).toEqual(['running']);
  });

  test('S3.93 S3.94 S3.33 it waits for the user: a local command does not hide that', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'));
    ask(lab, 'c1');
    expect((await states(lab)).at(-1)).toBe('requires_action');
    lab.prompt('/skills');
    expect(await states(lab)).toEqual(['idle end_turn', 'requires_action']);
    lab.answer('c1', 'allow_once');
    expect(await states(lab)).toEqual(['running']);
    lab.emit(ends('c1'), events.completed('goal-1'));
    expect(await states(lab)).toEqual(['idle end_turn']);
  });

  test('S3.97 S3.33 what it did is forgotten when it ends behind a local command', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('listSkills');
    lab.emit(events.started('goal-1'), runs('c1'));
    lab.prompt('/skills');
    await lab.settle();
    lab.emit(events.completed('goal-1'), events.started('goal-2'));
    lab.codex.heldSkills.at(-1)?.resolve([]);
    await lab.news();
    lab.emit(events.itemStarted('goal-2', command('c2')));
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'goal-2', itemId: 'c2' }));
    expect(await states(lab)).toEqual(['requires_action']);
  });

  test('S3.43 S3.98 it ends while a start is on its way, and the start is refused: its end is told', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.emit(events.started('goal-1'));
    lab.prompt('hi');
    await lab.codex.called('startTurn');
    lab.emit(events.completed('goal-1'));
    lab.codex.heldStarts[0]?.reject(new Error('no'));
    const words = await lab.words();
    expect(words.filter((word) => /^(idle|running|p1)/.test(word))).toEqual([
      'running',
      'idle end_turn',
      'p1 error -32603 Internal error',
    ]);
  });
});

describe.each(['airV1', 'airV2'] as const)('%s', (name) => {
  test('S3.131 C007 it fails while a local command works: its failure is told', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('listSkills');
    lab.emit(events.started('goal-1'));
    lab.prompt('/skills');
    await lab.settle();
    lab.mark();
    lab.emit(failure, failed);
    await lab.settle();
    const records = lab.updates.map(({ _meta }) => _meta?.jetbrains?.air?.sessionFailure);
    expect(records).toMatchObject([{ id: 'goal-1:error', title: 'Goal broke', severity: 'error' }]);
    lab.codex.heldSkills.at(-1)?.resolve([]);
    expect((await lab.words()).at(-1)).toMatch(/end_turn/);
  });
});

describe.each(clientNames)('%s', (name) => {
  test('S3.173 S3.174 its errors are not held back for a goal that waits for its own turn', async () => {
    const lab = await wireLab(name);
    lab.emit({ type: 'threadStatus', status: { type: 'active', activeFlags: [] } }, events.started('goal-1'));
    lab.prompt('/goal do it');
    await lab.news();
    lab.emit({ type: 'error', turnId: 'goal-1', error: broken, willRetry: true });
    expect(await lab.news()).toHaveLength(1);
    lab.emit(failure, failed);
    expect(await lab.news()).not.toEqual([]);
    lab.emit(events.started('goal-2'));
    expect((await lab.news()).filter((word) => /info|text|notice/.test(word))).toEqual([]);
  });
});
