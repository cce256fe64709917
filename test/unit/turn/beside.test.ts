import { describe, expect, test } from 'vitest';
import { interruptDelays } from '../../../src/domain/turn/interrupt.ts';
import { awaitsActivity } from '../../../src/domain/turn/turn-state.ts';
import { events, SessionLab } from '../../support/session-lab.ts';
import { TurnLab, unregistered } from '../../support/turn-lab.ts';

/** Phases of work beside which the agent turn `a1` runs. */
const besides: Readonly<Record<string, () => TurnLab>> = {
  prep: () => {
    const lab = new TurnLab().agent();
    lab.prompt('compact');
    lab.ready();
    return lab;
  },
  starting: () => new TurnLab().agent().starting(),
  local: () => new TurnLab().agent().local(),
  planReview: () => {
    const lab = new TurnLab().planReview();
    lab.started('a1');
    return lab;
  },
  draining: () => {
    const lab = new TurnLab().draining();
    lab.started('a1');
    return lab;
  },
  running: () => {
    const lab = new TurnLab().running();
    lab.started('a1');
    return lab;
  },
};

describe('S12.5 a later turn begins: the agent turn before it is over, even without its completion', () => {
  for (const [phase, make] of Object.entries(besides)) {
    test(`beside ${phase}`, () => {
      const lab = make();
      expect(lab.started('a2')[0]).toBe('turnOver a1 completed');
      expect(lab.phase).toBe(phase);
      expect(lab.started('a2')).toEqual(phase === 'starting' ? ['began'] : []);
    });
  }

  test('ours begins while the start is on its way: one idle for the agent turn, and none of it is left', () => {
    const lab = new TurnLab().agent().starting();
    expect(lab.started('t1')).toEqual(['turnOver a1 completed', 'idle done', 'began']);
    expect(lab.accepted('t1')).toEqual(['began']);
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1', other: null });
    lab.completed('t1');
    expect(lab.phase).toBe('idle');
  });

  test('ours begins after its start was answered', () => {
    const lab = new TurnLab().agent().starting();
    lab.accepted('t1');
    expect(lab.work).toMatchObject({ other: { turnId: 'a1' } });
    expect(lab.started('t1')).toEqual(['turnOver a1 completed']);
    lab.completed('t1');
    expect(lab.phase).toBe('idle');
  });

  test('the completion comes in time: the agent turn ends as it says', () => {
    const lab = new TurnLab().agent().starting();
    lab.accepted('t1');
    expect(lab.completed('a1', 'failed')).toEqual(['turnOver a1 failed']);
    expect(lab.started('t1')).toEqual([]);
  });

  test('S3.111 C003 a compaction after a prompt whose agent turn got no completion does not wait for it', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'));
    const promptId = lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId), events.completed('turn-1'));
    expect(lab.words.slice(-2)).toEqual([`ended ${promptId} done`, 'idle:done']);
    lab.prompt('/compact');
    await lab.codex.called('compact');
    expect(lab.codex.of('compact')).toHaveLength(1);
  });
});

describe('S12.5 R2 a turn of Codex begins before ours', () => {
  test('it is no sign that ours is over: the prompt goes on until there is one', async () => {
    const lab = new SessionLab();
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('agent-1'));
    lab.clock.advance(60_000);
    await lab.turnOver();
    expect(lab.words).toEqual(['running']);
    lab.emit(events.completed('agent-1'), events.started('turn-1'), events.landed('turn-1', 'p1'));
    lab.emit(events.completed('turn-1'));
    expect(lab.words).toEqual(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']);
    expect(lab.clock.waiting).toBe(0);
  });

  test('ours never begins: the idle thread ends it', async () => {
    const lab = new SessionLab();
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('agent-1'), { type: 'threadStatus', status: { type: 'idle' } });
    lab.emit(events.completed('agent-1'));
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.words).toEqual(['running', 'threadStatus', 'ended p1 done', 'idle:done']);
  });

  test('a later turn while ours was registered: two seconds later ours is looked up', async () => {
    const lab = new SessionLab();
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.started('agent-1'));
    lab.clock.advance(2000);
    await lab.turnOver();
    expect(lab.codex.of('readTurn').map(({ turnId }) => turnId)).toEqual(['turn-1']);
    expect(lab.words).toEqual(['running', 'ended p1 done', 'idle:done', 'running']);
  });
});

describe('an agent turn that is being stopped', () => {
  for (const [phase, make] of Object.entries(besides).filter(([name]) => name !== 'starting')) {
    test(`S3.60 its start is told twice beside ${phase}: it is still being stopped`, () => {
      const lab = make();
      // A cancel ends prep, local work and a plan review: the turn goes on alone.
      lab.cancel();
      expect(lab.started('a1')).toEqual([]);
      expect(lab.completed('a1')[0]).toBe('turnOver a1 cancelled');
    });
  }

  test('S3.65 its retries are used up: an item tries once more, in every phase', () => {
    const starts: readonly (() => TurnLab)[] = [
      () => new TurnLab().agent(),
      () => new TurnLab().agent().starting(),
      () => {
        const lab = new TurnLab().draining();
        lab.started('a1');
        return lab;
      },
      () => {
        const lab = new TurnLab().running();
        lab.started('a1');
        return lab;
      },
    ];
    for (const lab of starts.map((make) => make())) {
      lab.cancel();
      for (const _ of interruptDelays) {
        lab.notInterrupted('a1', unregistered);
        lab.timer('interrupt');
      }
      expect(awaitsActivity(lab.work), lab.phase).toBe(false);
      lab.notInterrupted('a1', unregistered);
      expect(awaitsActivity(lab.work), lab.phase).toBe(true);
      expect(lab.active('other'), lab.phase).toEqual([]);
      expect(lab.active('a1'), lab.phase).toEqual(['interrupt a1']);
    }
    const prep = new TurnLab().agent();
    prep.cancel();
    prep.prompt();
    for (const _ of interruptDelays) {
      prep.notInterrupted('a1', unregistered);
      prep.timer('interrupt');
    }
    prep.notInterrupted('a1', unregistered);
    expect(awaitsActivity(prep.work)).toBe(true);
    expect(prep.active('a1')).toEqual(['interrupt a1']);
  });

  test('S3.63 ours ends while both wait to be told again: the retry of the other stays', () => {
    const lab = new TurnLab().agent().starting();
    lab.accepted('t1');
    lab.cancel();
    lab.notInterrupted('t1', unregistered);
    lab.notInterrupted('a1', unregistered);
    expect(lab.completed('t1', 'interrupted')).not.toContain('stopWaiting interrupt');
    expect(lab.phase).toBe('agent');
    expect(lab.timer('interrupt')).toEqual(['interrupt a1']);
  });
});
