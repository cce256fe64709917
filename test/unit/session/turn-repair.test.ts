import { describe, expect, test } from 'vitest';
import { events, SessionLab } from '../../support/session-lab.ts';

async function running(): Promise<SessionLab> {
  const lab = new SessionLab();
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  return lab;
}

const idle = { type: 'threadStatus', status: { type: 'idle' } } as const;
const active = { type: 'threadStatus', status: { type: 'active', activeFlags: [] } } as const;

describe('S12.5 C003 a completion that never comes', () => {
  test('an idle thread and 2 s later: the recorded outcome ends the turn', async () => {
    const lab = await running();
    lab.codex.records.set('turn-1', { status: 'completed', error: null });
    lab.emit(idle);
    lab.clock.advance(1999);
    expect(lab.codex.of('readTurn')).toHaveLength(0);
    lab.clock.advance(1);
    await lab.turnOver();
    expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
    expect(lab.clock.waiting).toBe(0);
  });

  test('a recorded failure is told as one', async () => {
    const lab = await running();
    lab.codex.records.set('turn-1', { status: 'failed', error: { message: 'quota', info: null, details: null } });
    lab.emit({ type: 'threadStatus', status: { type: 'systemError' } });
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words.slice(-3)).toEqual(['error:fatal quota', 'ended p1 failed:turn', 'idle:failed']);
  });

  test('nothing recorded: it ends as the witness says', async () => {
    const lab = await running();
    lab.emit(idle);
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
  });

  test.each([
    ['the thread is idle', () => idle],
    ['Codex begins another turn', () => events.started('turn-2')],
  ])('C007 nothing recorded of a turn that failed: it ends as its error says, when %s', async (_witness, witness) => {
    const lab = await running();
    const error = { message: 'quota', info: null, details: null };
    lab.emit({ type: 'error', turnId: 'turn-1', error, willRetry: false }, witness());
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words.filter((word) => /quota|ended/.test(word))).toEqual(['error:fatal quota', 'ended p1 failed:turn']);
  });

  test('the completion comes in time: nothing is read', async () => {
    const lab = await running();
    lab.emit(idle, events.completed('turn-1'));
    lab.clock.advance(10_000);
    expect(lab.codex.of('readTurn')).toHaveLength(0);
    expect(lab.clock.waiting).toBe(0);
  });

  test('the thread works again: the witness meant something else', async () => {
    const lab = await running();
    lab.emit(idle, active);
    lab.clock.advance(10_000);
    expect(lab.codex.of('readTurn')).toHaveLength(0);
  });

  describe('the thread came to rest before the start was answered', () => {
    async function starting(): Promise<{ lab: SessionLab; answer: () => Promise<void> }> {
      const lab = new SessionLab();
      lab.codex.manual.add('startTurn');
      const promptId = lab.prompt();
      await lab.codex.called('startTurn');
      lab.emit(active, events.started('turn-1'), events.landed('turn-1', promptId));
      const answer = async (): Promise<void> => {
        lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
        await lab.turnOver();
      };
      return { lab, answer };
    }

    test('2 s after the answer the recorded outcome ends the turn', async () => {
      const { lab, answer } = await starting();
      lab.emit(idle);
      lab.clock.advance(10_000);
      expect(lab.codex.of('readTurn')).toHaveLength(0);
      await answer();
      lab.codex.records.set('turn-1', { status: 'failed', error: { message: 'quota', info: null, details: null } });
      lab.clock.advance(2000);
      await lab.turnOver();
      expect(lab.words.slice(-3)).toEqual(['error:fatal quota', 'ended p1 failed:turn', 'idle:failed']);
      expect(lab.clock.waiting).toBe(0);
    });

    test('the completion came as well, or work was seen after the rest: nothing is read', async () => {
      const ended = await starting();
      ended.lab.emit(events.completed('turn-1'), idle);
      await ended.answer();
      expect(ended.lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
      const works = await starting();
      works.lab.emit(idle, active);
      await works.answer();
      for (const { lab } of [ended, works]) {
        lab.clock.advance(10_000);
        expect(lab.codex.of('readTurn')).toHaveLength(0);
      }
    });
  });

  test('the record says that the turn runs: it goes on', async () => {
    const lab = await running();
    lab.codex.records.set('turn-1', { status: 'inProgress', error: null });
    lab.emit(idle);
    lab.clock.advance(2000);
    await lab.turnOver();
    lab.emit(events.completed('turn-1'));
    expect(lab.words.slice(-2)).toEqual(['ended p1 done', 'idle:done']);
  });

  test('silence is no witness: a slow turn is never cut off', async () => {
    const lab = await running();
    lab.clock.advance(3_600_000);
    await lab.turnOver();
    expect(lab.codex.of('readTurn')).toHaveLength(0);
    expect(lab.words.at(-1)).toBe('inserted p1');
  });

  test('a late completion of a turn that was ended shows nothing', async () => {
    const lab = await running();
    lab.emit(idle);
    lab.clock.advance(2000);
    await lab.turnOver();
    const shown = lab.words.length;
    lab.emit(events.completed('turn-1'));
    expect(lab.words).toHaveLength(shown);
  });
});

describe('S12.6 a cancel is bounded', () => {
  test('an interrupt that was answered but brings no end: the record ends it', async () => {
    const lab = await running();
    lab.actor.cancel();
    await lab.turnOver();
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
    expect(lab.codex.of('replace')).toHaveLength(0);
  });

  test('an interrupt without an answer: read after 5 s, replaced after 5 s more, other prompts go on', async () => {
    const lab = await running();
    lab.codex.manual.add('interrupt');
    lab.codex.manual.add('readTurn');
    lab.actor.cancel();
    const next = lab.prompt('after');
    lab.clock.advance(5000);
    expect(lab.codex.of('readTurn')).toHaveLength(1);
    lab.clock.advance(4999);
    expect(lab.codex.of('replace')).toHaveLength(0);
    lab.clock.advance(1);
    expect(lab.codex.of('replace')).toHaveLength(1);
    expect(lab.words).toContain('ended p1 cancelled');
    lab.codex.manual.clear();
    await lab.codex.called('startTurn', 2);
    await lab.turnOver();
    lab.emit(events.started('turn-2'), events.landed('turn-2', next), events.completed('turn-2'));
    expect(lab.words.slice(-2)).toEqual(['ended p2 done', 'idle:done']);
    expect(lab.codex.of('resumeThread')).toHaveLength(1);
  });

  test('Codex goes on with the turn: interrupted again, and replaced in the end', async () => {
    const lab = await running();
    lab.codex.records.set('turn-1', { status: 'inProgress', error: null });
    lab.actor.cancel();
    await lab.turnOver();
    for (let round = 0; round < 3; round += 1) {
      lab.clock.advance(5000);
      await lab.turnOver();
    }
    expect(lab.codex.of('interrupt').length).toBeGreaterThan(1);
    expect(lab.codex.of('replace')).toHaveLength(1);
    expect(lab.words.at(-1)).toBe('idle:cancelled');
  });

  test('a start without an answer: replaced 10 s after the cancel', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.actor.cancel();
    lab.clock.advance(9999);
    expect(lab.codex.of('replace')).toHaveLength(0);
    lab.clock.advance(1);
    expect(lab.codex.of('replace')).toHaveLength(1);
    expect(lab.words).toEqual(['ended p1 cancelled']);
    expect(lab.clock.waiting).toBe(0);
  });

  test('a start that is answered late is interrupted, with its own limit', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.actor.cancel();
    lab.clock.advance(9000);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.codex.called('interrupt');
    await lab.turnOver();
    lab.clock.advance(1500);
    expect(lab.codex.of('replace')).toHaveLength(0);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(lab.words.at(-1)).toBe('idle:cancelled');
    expect(lab.clock.waiting).toBe(0);
  });

  test('a turn of Codex itself is bounded, too', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'));
    lab.actor.cancel();
    await lab.turnOver();
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words).toEqual(['running', 'idle:cancelled']);
  });

  /** A review `turn-1` whose reviewer began as `child`. */
  async function reviewing(): Promise<SessionLab> {
    const lab = new SessionLab();
    lab.prompt('/review');
    await lab.codex.called('review');
    await lab.turnOver();
    lab.emit(events.started('child', 'turn-1'));
    return lab;
  }

  test('S3.114 the interrupt of a review was answered: the review itself is looked up, and ends', async () => {
    const lab = await reviewing();
    lab.actor.cancel();
    await lab.turnOver();
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.codex.of('readTurn').map(({ turnId }) => turnId)).toEqual(['turn-1']);
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
    expect(lab.clock.waiting).toBe(0);
  });

  test('S3.114 a review that goes on is interrupted again with the id of its child', async () => {
    const lab = await reviewing();
    lab.codex.records.set('turn-1', { status: 'inProgress', error: null });
    lab.actor.cancel();
    await lab.turnOver();
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['child', 'child']);
  });

  test('S3.2 the turn ended before its interrupt was answered: there is nothing to look up', async () => {
    const lab = await running();
    lab.codex.manual.add('interrupt');
    lab.actor.cancel();
    lab.emit(events.completed('turn-1', 'interrupted'));
    lab.codex.heldInterrupts.shift()?.resolve();
    await lab.turnOver();
    expect(lab.clock.waiting).toBe(0);
    lab.clock.advance(60_000);
    expect(lab.codex.of('readTurn')).toEqual([]);
  });

  test('S12.5 a cancel while Codex is asked about a turn that seemed over, and no answer: replaced', async () => {
    const lab = await running();
    lab.codex.manual.add('interrupt');
    lab.codex.manual.add('readTurn');
    lab.emit(idle);
    lab.clock.advance(2000);
    lab.actor.cancel();
    lab.clock.advance(5000);
    expect(lab.codex.of('replace')).toHaveLength(1);
    expect(lab.words.slice(-2)).toEqual(['ended p1 cancelled', 'idle:cancelled']);
  });

  test('S12.5 the same, and it turns out to run: it is told again, and stays bounded', async () => {
    const lab = await running();
    lab.codex.records.set('turn-1', { status: 'inProgress', error: null });
    lab.codex.manual.add('interrupt');
    lab.emit(idle);
    lab.actor.cancel();
    for (let round = 0; round < 3; round += 1) {
      lab.clock.advance(5000);
      await lab.turnOver();
    }
    expect(lab.codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['turn-1', 'turn-1', 'turn-1']);
    expect(lab.codex.of('replace')).toHaveLength(1);
    expect(lab.words.at(-1)).toBe('idle:cancelled');
  });
});
