import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { events, SessionLab } from '../../support/session-lab.ts';

/** How Codex refuses an interrupt (S3.2). */
const nothingRuns = new CodexRequestError(-32600, 'no active turn to interrupt');
const found = (expected: string, running: string): CodexRequestError =>
  new CodexRequestError(-32600, `expected active turn id ${expected} but found ${running}`);

function interrupts(lab: SessionLab): string[] {
  return lab.codex.of('interrupt').map(({ turnId }) => turnId);
}

/** The last interrupt is refused; the next one, if any, is sent within the longest delay. */
async function refuse(lab: SessionLab, error: Error): Promise<void> {
  lab.codex.heldInterrupts.shift()?.reject(error);
  await lab.turnOver();
  lab.clock.advance(400);
  await lab.turnOver();
}

/** Prompt 1 ran as turn-1, prompt 2 was answered with turn-2, which Codex has not registered. */
async function freshTurn(): Promise<SessionLab> {
  const lab = new SessionLab();
  lab.codex.manual.add('interrupt');
  lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', 'p1'), events.completed('turn-1'));
  lab.prompt();
  await lab.codex.called('startTurn', 2);
  await lab.turnOver();
  return lab;
}

describe('S3.61 R4 Codex refuses to interrupt a fresh turn', () => {
  test('S3.61 with the name of the one that has just ended: ours is asked for again, never that one', async () => {
    const lab = await freshTurn();
    lab.actor.cancel();
    await refuse(lab, found('turn-2', 'turn-1'));
    await refuse(lab, nothingRuns);
    expect(interrupts(lab)).toEqual(['turn-2', 'turn-2', 'turn-2']);
    lab.codex.heldInterrupts.shift()?.resolve();
    lab.emit(events.completed('turn-2', 'interrupted'));
    expect(lab.words.slice(-2)).toEqual(['ended p2 cancelled', 'idle:cancelled']);
  });

  test('S3.61 with the name of a turn that runs: that one is interrupted next', async () => {
    const lab = await freshTurn();
    lab.actor.cancel();
    await refuse(lab, found('turn-2', 'other'));
    expect(interrupts(lab)).toEqual(['turn-2', 'other']);
  });

  test('S3.61 the turn that was named is over by then: the next attempt is for ours again', async () => {
    const lab = await freshTurn();
    lab.actor.cancel();
    await refuse(lab, found('turn-2', 'other'));
    await refuse(lab, nothingRuns);
    expect(interrupts(lab)).toEqual(['turn-2', 'other', 'turn-2']);
  });

  test('S3.61 S3.68 the same at close: the turn does not run on unseen', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('interrupt');
    lab.codex.manual.add('startTurn');
    lab.emit(events.started('agent-1'));
    lab.prompt();
    await lab.codex.called('startTurn');
    const closed = lab.actor.close();
    // Its end is dropped from what the client sees, not from what the session knows.
    lab.emit(events.completed('agent-1', 'interrupted'));
    lab.codex.heldInterrupts.shift()?.resolve();
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
    await lab.codex.called('interrupt', 2);
    await refuse(lab, found('turn-1', 'agent-1'));
    expect(interrupts(lab)).toEqual(['agent-1', 'turn-1', 'turn-1']);
    lab.codex.heldInterrupts.shift()?.resolve();
    lab.emit(events.completed('turn-1', 'interrupted'));
    await closed;
    expect(lab.words.at(-1)).toBe('endSession');
  });

  test('S3.68 R11 a start that Codex answers after the close: its turn is told until Codex knows it, and nothing is shown', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    const closed = lab.actor.close();
    lab.clock.advance(5000);
    await closed;
    const shown = lab.words.length;
    lab.codex.manual.add('interrupt');
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
    await lab.codex.called('interrupt');
    await refuse(lab, nothingRuns);
    expect(interrupts(lab)).toEqual(['turn-1', 'turn-1']);
    lab.codex.heldInterrupts.shift()?.resolve();
    await lab.turnOver();
    expect(lab.clock.waiting).toBe(0);
    expect(lab.words).toHaveLength(shown);
  });
});
