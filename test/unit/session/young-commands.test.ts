import { describe, expect, test } from 'vitest';
import { command, events, SessionLab } from '../../support/session-lab.ts';

/*
 * A sandboxed command whose process is ended while the sandbox is set up stays behind, and Codex forgets it: the facts are
 * in test/integration/codex-facts/young-commands.test.ts. So a command is ended once it runs (C001).
 */

async function running(): Promise<SessionLab> {
  const lab = new SessionLab();
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  return lab;
}

async function cancel(lab: SessionLab): Promise<void> {
  lab.actor.cancel();
  await lab.turnOver();
  lab.emit(events.completed('turn-1', 'interrupted'));
  await lab.turnOver();
}

function ended(lab: SessionLab): string[] {
  return lab.codex.of('terminate').map(({ processId }) => processId);
}

const output = (itemId: string) => ({ type: 'commandOutput', turnId: 'turn-1', itemId, delta: 'ready\n' }) as const;

describe('C001 C063 S3.57 a command of a cancelled turn', () => {
  test('C001 has just begun: it is ended when it is a second old; the prompt ends at once', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })));
    lab.clock.advance(400);
    await cancel(lab);
    expect(lab.words.slice(-3)).toEqual(['toolAborted c1', 'ended p1 cancelled', 'idle:cancelled']);
    lab.clock.advance(599);
    await lab.turnOver();
    expect(ended(lab)).toEqual([]);
    lab.clock.advance(1);
    await lab.turnOver();
    expect(ended(lab)).toEqual(['one']);
  });

  test('C001 has shown output: it is ended at once', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })), output('c1'));
    await cancel(lab);
    expect(ended(lab)).toEqual(['one']);
  });

  test('C001 has run for a second: it is ended at once', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })));
    lab.clock.advance(1000);
    lab.emit(events.itemStarted('turn-1', command('c2', { processId: 'two' })));
    await cancel(lab);
    expect(ended(lab)).toEqual(['one']);
    lab.clock.advance(1000);
    await lab.turnOver();
    expect(ended(lab)).toEqual(['one', 'two']);
  });

  test('C001 is over: nothing is ended', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')), events.itemCompleted('turn-1', command('c1')));
    await cancel(lab);
    lab.clock.advance(1000);
    await lab.turnOver();
    expect(ended(lab)).toEqual([]);
  });

  test('C001 a command of the next turn is left alone', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })));
    await cancel(lab);
    lab.prompt('next');
    await lab.codex.called('startTurn', 2);
    await lab.turnOver();
    lab.emit(events.started('turn-2'), events.itemStarted('turn-2', command('c2', { processId: 'two' })));
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(ended(lab)).toEqual(['one']);
  });

  test('C001 Codex is lost meanwhile: nothing is left to do', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })));
    await cancel(lab);
    lab.codex.crash();
    lab.clock.advance(1000);
    await lab.turnOver();
    expect(lab.words.at(-1)).toBe('idle:cancelled');
  });

  test('S3.67 S3.97 a close waits for it, and ends it once', async () => {
    const lab = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: 'one' })));
    await cancel(lab);
    lab.codex.terminals = [
      { itemId: 'c1', processId: 'one' },
      { itemId: 'old', processId: 'zero' },
    ];
    const closed = lab.actor.close();
    await lab.turnOver();
    expect([ended(lab), lab.codex.of('unsubscribe')]).toEqual([['zero'], []]);
    lab.clock.advance(1000);
    await closed;
    expect([ended(lab), lab.codex.of('unsubscribe').length]).toEqual([['zero', 'one'], 1]);
  });
});
