import { describe, expect, test } from 'vitest';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { command, events, profile, SessionLab } from '../../support/session-lab.ts';

/** A session whose turn `turn-1` runs. */
async function running(): Promise<SessionLab> {
  const lab = new SessionLab(profile({ protocol: 1, planUpdates: true }));
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  return lab;
}

const compacting: ThreadEvent = { type: 'itemStarted', turnId: 'turn-1', item: { type: 'compaction', id: 'c' } };
const broken = { message: 'no room', info: null, details: null };

function ofType<Type extends ConversationUpdate['type']>(lab: SessionLab, type: Type) {
  return lab.channel.shown
    .map((shown) => (shown.kind === 'update' ? shown.update : null))
    .filter((update): update is Extract<ConversationUpdate, { type: Type }> => update?.type === type);
}

function ends(lab: SessionLab): (string | null)[][] {
  return ofType(lab, 'compaction')
    .slice(1)
    .map(({ status, error }) => [status, error]);
}

describe('what a turn leaves open', () => {
  test('S3.166 S3.54 a cancelled compaction is cancelled, whatever Codex says of its turn', async () => {
    for (const status of ['interrupted', 'failed', 'completed'] as const) {
      const lab = await running();
      lab.emit(compacting);
      lab.actor.cancel();
      await lab.turnOver();
      lab.emit(events.completed('turn-1', status, 'whatever'));
      expect(ends(lab)).toEqual([['cancelled', null]]);
      expect(lab.words.at(-1)).toBe('ended p1 cancelled');
    }
  });

  test('S3.166 S4.135 a compaction fails with the error of its turn, told before the error', async () => {
    const lab = await running();
    lab.emit(compacting, { type: 'error', turnId: 'turn-1', error: broken, willRetry: false });
    lab.emit(events.completed('turn-1', 'failed', 'no room'));
    expect(ends(lab)).toEqual([['failed', 'no room']]);
    expect(lab.words.slice(-3)).toEqual(['compaction', 'error:fatal no room', 'ended p1 failed:turn']);
  });

  test('S3.166 a failed turn without an error event gives its reason', async () => {
    const lab = await running();
    lab.emit(compacting, events.completed('turn-1', 'failed', 'no room'));
    expect(ends(lab)).toEqual([['failed', 'no room']]);
  });

  test('S3.166 a compaction fails with the app-server, or is cancelled when it was being stopped', async () => {
    const lab = await running();
    lab.emit(compacting);
    lab.codex.crash();
    expect(ends(lab)).toEqual([['failed', 'Connection to Codex was lost.']]);
    const stopped = await running();
    stopped.emit(compacting);
    stopped.actor.cancel();
    stopped.codex.crash();
    expect(ends(stopped)).toEqual([['cancelled', null]]);
  });

  test('S3.55 C001 a command of a cancelled turn is ended, also when the turn completed all the same', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('x')));
    lab.actor.cancel();
    await lab.turnOver();
    lab.emit(events.completed('turn-1'));
    lab.clock.advance(1000);
    await lab.turnOver();
    expect(lab.codex.of('terminate')).toHaveLength(1);
    expect(lab.words.slice(-2)).toEqual(['toolAborted x', 'ended p1 cancelled']);
  });

  test('S3.127 S3.78 a plan is told after 150 ms, and the rest of it before the turn ends', async () => {
    const lab = await running();
    const delta = (text: string): ThreadEvent => ({ type: 'planDelta', turnId: 'turn-1', itemId: 'p', delta: text });
    lab.emit(delta('a'), delta('b'));
    lab.clock.advance(149);
    expect(ofType(lab, 'planText')).toEqual([]);
    lab.clock.advance(1);
    lab.emit(delta('c'), events.completed('turn-1', 'failed', 'broken'));
    expect(ofType(lab, 'planText').map(({ text, appended }) => [text, appended])).toEqual([
      ['ab', 'ab'],
      ['abc', 'c'],
    ]);
    expect(lab.words.slice(-3)).toEqual(['planText', 'error:fatal broken', 'ended p1 failed:turn']);
    lab.clock.advance(1000);
    expect(ofType(lab, 'planText')).toHaveLength(2);
  });

  test('S3.56 the two texts of a stopped review are not shown', async () => {
    const lab = await running();
    const advice = 'Review was interrupted. Please re-run /review and wait for it to complete.';
    const exited = { type: 'reviewExited', id: 'x', text: 'Reviewer failed to output a response.' } as const;
    lab.actor.cancel();
    await lab.turnOver();
    lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: exited });
    lab.emit(
      events.itemCompleted('turn-1', { type: 'agentMessage', id: 'm', text: advice, phase: null, hidden: false }),
    );
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(ofType(lab, 'agentText')).toEqual([]);
    expect(lab.words.at(-1)).toBe('ended p1 cancelled');
  });

  test('S3.128 S3.77 a plan turn that ended before its start was answered is reviewed, whatever ended after it', async () => {
    const lab = new SessionLab(profile({ protocol: 1, planUpdates: true }));
    lab.codex.manual.add('startTurn');
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    lab.prompt();
    await lab.codex.called('startTurn');
    const plan = { type: 'plan', id: 'p', text: 'Do it' } as const;
    lab.emit(events.started('turn-1'), { type: 'itemCompleted', turnId: 'turn-1', item: plan });
    lab.emit(events.completed('turn-1'), events.started('agent-1'), events.completed('agent-1'));
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
    expect(lab.words.at(-1)).toBe('ask 1');
  });
});
