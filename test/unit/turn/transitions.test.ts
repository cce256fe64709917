import { describe, expect, test } from 'vitest';
import { refusedOtherwise, TurnLab, unregistered } from '../../support/turn-lab.ts';

describe('the transitions of S3 section 14', () => {
  test('S3.36 T1 Idle, a prompt: it has the lane and is made ready', () => {
    const lab = new TurnLab();
    expect(lab.prompt()).toEqual(['prepare p1#1']);
    expect(lab.phase).toBe('prep');
    expect(lab.prompt()).toEqual([]);
    expect(lab.waiting).toEqual(['p2']);
  });

  test('S3.39a T2 Agent, a prompt: the agent turn goes on beside it, and an ordinary prompt is started', () => {
    const lab = new TurnLab().agent();
    expect(lab.prompt()).toEqual(['prepare p1#1']);
    expect(lab.work).toMatchObject({ phase: 'prep', agent: { turnId: 'a1', stop: null } });
    expect(lab.ready()).toEqual(['start p1#1']);
    expect(lab.work).toMatchObject({ phase: 'starting', agent: { turnId: 'a1' } });
  });

  for (const kind of ['compact', 'review'] as const) {
    test(`S3.111 S3.117 T2 Agent, a ${kind}: it waits for the end of the agent turn`, () => {
      const lab = new TurnLab().agent();
      lab.prompt(kind);
      expect(lab.ready()).toEqual([]);
      expect(lab.phase).toBe('prep');
      expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done', 'start p1#1']);
      expect(lab.phase).toBe('starting');
    });

    test(`S3.111 S3.117 T2 a ${kind} that is made ready after the agent turn starts at once`, () => {
      const lab = new TurnLab().agent();
      lab.prompt(kind);
      expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
      expect(lab.ready()).toEqual(['start p1#1']);
    });
  }

  test('S3.33 T3 Prep, ready, a local command: it is shown and works', () => {
    const lab = new TurnLab();
    lab.prompt('local');
    expect(lab.ready()).toEqual(['inserted p1', 'began', 'runLocal p1#1']);
    expect(lab.phase).toBe('local');
  });

  test('S3.111 T3 a local command does not wait for an agent turn', () => {
    const lab = new TurnLab().agent();
    lab.prompt('local');
    expect(lab.ready()).toEqual(['inserted p1', 'began', 'runLocal p1#1']);
  });

  test('S3.39 T4 Prep, ready, turn work: the start request is sent', () => {
    for (const kind of ['turn', 'compact', 'review', 'goal'] as const) {
      const lab = new TurnLab();
      lab.prompt(kind);
      expect(lab.ready()).toEqual(['start p1#1']);
      expect(lab.phase).toBe('starting');
    }
  });

  test('S3.39 T5 Prep, cancel: it ends at once and nothing is sent to Codex', () => {
    const lab = new TurnLab();
    lab.prompt();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'end p1 cancelled sessionCancelled']);
    expect(lab.phase).toBe('idle');
    expect(lab.ready(1)).toEqual([]);
    expect(lab.phase).toBe('idle');
  });

  test('S3.59 T5 Prep, `$/cancel_request`: it ends at once, and the next prompt has the lane', () => {
    for (const by of ['request', 'session'] as const) {
      const lab = new TurnLab();
      lab.prompt();
      lab.prompt();
      expect(lab.cancelPrompt('p1', by)).toEqual(['end p1 cancelled requestCancelled', 'prepare p2#2']);
      expect(lab.phase).toBe('prep');
    }
  });

  test('S3.43 T6 Prep, not ready: the prompt fails without a state', () => {
    const lab = new TurnLab();
    lab.prompt();
    expect(lab.notReady()).toEqual(['end p1 failed:refused']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.43 T6 beside an agent turn that turn goes on', () => {
    const lab = new TurnLab().agent();
    lab.prompt();
    expect(lab.notReady()).toEqual(['end p1 failed:refused', 'began']);
    expect(lab.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
  });

  test('S3.33 T7 Local, done: end and idle', () => {
    const lab = new TurnLab().local();
    expect(lab.send({ type: 'localDone', attempt: 1 })).toEqual(['end p1 done inserted', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.45 T7 Local, failed: end and idle tell it', () => {
    const lab = new TurnLab().local();
    const error = new Error('no');
    expect(lab.send({ type: 'localFailed', attempt: 1, error })).toEqual([
      'end p1 failed:refused inserted',
      'idle failed:refused',
    ]);
  });

  test('S3.54 T8 Local, cancel: it is given up, cancelled', () => {
    const lab = new TurnLab().local();
    expect(lab.cancel()).toEqual([
      'withdrawAsks',
      'abortLocal',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
    expect(lab.phase).toBe('idle');
    expect(lab.send({ type: 'localDone', attempt: 1 })).toEqual([]);
  });

  test('S3.59 T8 Local, `$/cancel_request`: cancelled on v1, without effect on v2', () => {
    const lab = new TurnLab().local();
    expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
    expect(lab.phase).toBe('local');
    expect(lab.cancelPrompt('p1', 'session')).toEqual([
      'withdrawAsks',
      'abortLocal',
      'end p1 cancelled requestCancelled inserted',
      'idle cancelled',
    ]);
  });

  test('S3.42 T9 Starting, answered with a new id: work is seen, the turn is not registered', () => {
    const lab = new TurnLab().starting();
    expect(lab.accepted('t1')).toEqual(['began']);
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1', registered: false, adopted: false });
  });

  test('S3.47 R2 T10 Starting, answered with the id of the agent turn: the prompt joins it', () => {
    const lab = new TurnLab().agent().starting();
    expect(lab.accepted('a1')).toEqual(['began']);
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 'a1', registered: true, adopted: true, other: null });
    lab.landed('p1');
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'end p1 done inserted', 'idle done']);
  });

  test('S3.43 T11 Starting, refused: the prompt fails, and nothing was visible', () => {
    const lab = new TurnLab().starting();
    expect(lab.refused()).toEqual(['end p1 failed:refused', 'idle failed:refused']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.43 T11 refused beside an agent turn: no idle, that turn is the work', () => {
    const lab = new TurnLab().agent().starting();
    expect(lab.refused()).toEqual(['end p1 failed:refused', 'began']);
    expect(lab.phase).toBe('agent');
  });

  test('S3.43 T11 refused after a turn of Codex began: that turn is the work', () => {
    for (const kind of ['turn', 'compact', 'goal'] as const) {
      const lab = new TurnLab().starting(kind);
      expect(lab.started('a1')).toEqual(['began']);
      const effects = lab.refused().filter((effect) => effect !== 'stopWaiting goal');
      expect(effects).toEqual(['end p1 failed:refused', 'began']);
      expect(lab.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
      expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
    }
  });

  test('S3.43 T11 refused after such a turn began and ended: one idle for both', () => {
    const lab = new TurnLab().starting('compact');
    lab.started('a1');
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed']);
    expect(lab.refused()).toEqual(['end p1 failed:refused', 'idle failed:refused']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.54 T12 Starting, cancel: the turn is interrupted when its id arrives', () => {
    const lab = new TurnLab().starting();
    expect(lab.cancel()).toEqual(['withdrawAsks']);
    expect(lab.phase).toBe('starting');
    expect(lab.accepted('t1')).toEqual(['began', 'interrupt t1']);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled sessionCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.59 T12 Starting, `$/cancel_request`: the same, and its message is not shown any more', () => {
    const lab = new TurnLab().starting();
    expect(lab.cancelPrompt('p1', 'request')).toEqual(['withdrawAsks']);
    expect(lab.landed('p1')).toEqual([]);
    expect(lab.accepted('t1')).toEqual(['began', 'interrupt t1']);
    expect(lab.landed('p1')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled requestCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.65 T13 Registering, `turn/started` or the first item: the turn is registered', () => {
    const started = new TurnLab().registering();
    expect(started.started('t1')).toEqual([]);
    expect(started.work).toMatchObject({ registered: true, startedId: 't1' });
    const active = new TurnLab().registering();
    expect(active.active('t1')).toEqual([]);
    expect(active.work).toMatchObject({ registered: true, startedId: null });
    const other = new TurnLab().registering();
    expect(other.active('t0')).toEqual([]);
    expect(other.work).toMatchObject({ registered: false });
  });

  test('S3.61 R4 T14 Registering, cancel: interrupted, with retries', () => {
    const lab = new TurnLab().registering();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt t1']);
    expect(lab.notInterrupted('t1', unregistered)).toEqual(['wait interrupt 25']);
    expect(lab.timer('interrupt')).toEqual(['interrupt t1']);
    expect(lab.interrupted('t1')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled sessionCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.77 R3 T15 Starting, the completion of the id: kept until the answer names it', () => {
    const lab = new TurnLab().starting();
    lab.started('t1');
    expect(lab.completed('t1')).toEqual(['turnOver t1 completed']);
    expect(lab.phase).toBe('starting');
    expect(lab.accepted('t1')).toEqual(['began', 'turnOver t1 completed', 'end p1 done', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.98 T15 Registering and Running, the completion: the work ends as Codex says', () => {
    const outcomes = { completed: 'done', failed: 'failed:turn', interrupted: 'cancelled' } as const;
    for (const status of ['completed', 'failed', 'interrupted'] as const) {
      const outcome = outcomes[status];
      const registering = new TurnLab().registering();
      expect(registering.completed('t1', status)).toEqual([
        `turnOver t1 ${status}`,
        `end p1 ${outcome}`,
        `idle ${outcome}`,
      ]);
      const running = new TurnLab().running();
      expect(running.completed('t1', status)).toEqual([
        `turnOver t1 ${status}`,
        `end p1 ${outcome} inserted`,
        `idle ${outcome}`,
      ]);
    }
  });

  test('S3.51 T18 Running, cancel: waits are withdrawn, the queue is rejected, the turn is interrupted', () => {
    const lab = new TurnLab().running();
    lab.prompt();
    lab.prompt();
    expect(lab.cancel()).toEqual([
      'withdrawAsks',
      'end p2 cancelled sessionCancelled',
      'end p3 cancelled sessionCancelled',
      'interrupt t1',
    ]);
    expect(lab.work).toMatchObject({ phase: 'running', cancelled: 'session' });
  });

  test('S3.55 T19 Stopping, the completion with any status: cancelled', () => {
    for (const status of ['completed', 'failed', 'interrupted'] as const) {
      const lab = new TurnLab().running();
      lab.cancel();
      const end = status === 'interrupted' ? 'interrupted' : 'cancelled';
      expect(lab.completed('t1', status, true)).toEqual([
        `turnOver t1 ${end}`,
        'end p1 cancelled sessionCancelled inserted',
        'idle cancelled',
      ]);
    }
  });

  test('S3.128 T20 completed with a plan: the user is asked, and nothing ends', () => {
    const lab = new TurnLab().running();
    expect(lab.completed('t1', 'completed', true)).toEqual(['turnOver t1 completed', 'reviewPlan p1 t1']);
    expect(lab.work).toMatchObject({ phase: 'planReview', step: 'asking' });
  });

  test('S3.128 T20 a turn with a plan that did not complete is not reviewed', () => {
    for (const status of ['failed', 'interrupted'] as const) {
      const lab = new TurnLab().running();
      lab.completed('t1', status, true);
      expect(lab.phase).toBe('idle');
    }
  });

  test('S3.78 S3.197 T21 the report comes before the end, and then the next prompt', () => {
    const lab = new TurnLab().running('t1', true);
    lab.prompt();
    expect(lab.completed('t1')).toEqual(['turnOver t1 completed', 'report p1 normal']);
    expect(lab.phase).toBe('draining');
    expect(lab.send({ type: 'reported', attempt: 1 })).toEqual(['end p1 done inserted', 'idle done', 'prepare p2#2']);
    expect(lab.phase).toBe('prep');
  });

  test('S3.198 T21 the report is told how the work ended', () => {
    const failed = new TurnLab().running('t1', true);
    expect(failed.completed('t1', 'failed')).toContain('report p1 failed');
    const cancelled = new TurnLab().running('t1', true);
    cancelled.cancel();
    expect(cancelled.completed('t1')).toContain('report p1 cancelled');
    expect(cancelled.send({ type: 'reported', attempt: 1 })).toEqual([
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
    const lost = new TurnLab().running('t1', true);
    expect(lost.lost()).toContain('report p1 failed');
  });

  test('S3.130 T22 Review, approved: plan mode is left first, then the second turn runs in the same workflow', () => {
    const lab = new TurnLab().planReview();
    expect(lab.send({ type: 'planApproved' })).toEqual(['leavePlanMode #2']);
    expect(lab.work).toMatchObject({ phase: 'planReview', step: 'switching' });
    expect(lab.send({ type: 'modeSwitched', attempt: 2 })).toEqual(['startPlan p1#2']);
    expect(lab.phase).toBe('starting');
    expect(lab.accepted('t2')).toEqual(['began']);
    lab.started('t2');
    expect(lab.completed('t2')).toEqual(['turnOver t2 completed', 'end p1 done inserted', 'idle done']);
  });

  test('S3.130 T22 Codex does not leave plan mode: the prompt fails', () => {
    const lab = new TurnLab().switching();
    const error = new Error('no');
    expect(lab.send({ type: 'modeNotSwitched', attempt: 2, error })).toEqual([
      'end p1 failed:refused inserted',
      'idle failed:refused',
    ]);
  });

  test('S3.130 S3.115 the second turn is an ordinary one, whatever the first was', () => {
    const lab = new TurnLab().reviewing();
    lab.completed('P', 'completed', true);
    lab.send({ type: 'planApproved' });
    lab.send({ type: 'modeSwitched', attempt: 2 });
    lab.accepted('t2');
    lab.started('t2');
    expect(lab.failed('t2')).toEqual([]);
    lab.started('a1');
    expect(lab.work).toMatchObject({ startedId: 't2', other: { turnId: 'a1' } });
    expect(lab.completed('t2', 'failed').slice(1, 3)).toEqual(['end p1 failed:turn inserted', 'idle failed:turn']);
  });

  test('S3.130 a plan of the second turn is not reviewed again', () => {
    const lab = new TurnLab().switching();
    lab.send({ type: 'modeSwitched', attempt: 2 });
    lab.accepted('t2');
    expect(lab.completed('t2', 'completed', true)).toEqual([
      'turnOver t2 completed',
      'end p1 done inserted',
      'idle done',
    ]);
  });

  test('S3.130 R21 a goal continuation begins between the turns: the workflow follows the id of the answer', () => {
    const joined = new TurnLab().switching();
    expect(joined.started('a1')).toEqual([]);
    joined.send({ type: 'modeSwitched', attempt: 2 });
    joined.accepted('a1');
    expect(joined.work).toMatchObject({ phase: 'running', turnId: 'a1', adopted: true, second: true });
    const beside = new TurnLab().switching();
    beside.started('a1');
    beside.send({ type: 'modeSwitched', attempt: 2 });
    beside.completed('a1');
    beside.accepted('t2');
    expect(beside.work).toMatchObject({ phase: 'running', turnId: 't2', adopted: false, other: null });
    expect(beside.completed('t2').slice(-2)).toEqual(['end p1 done inserted', 'idle done']);
    expect(beside.phase).toBe('idle');
  });

  test('S3.129 T23 Review, rejected: the work is done', () => {
    const lab = new TurnLab().planReview();
    expect(lab.send({ type: 'planKept' })).toEqual(['end p1 done inserted', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.130 T24 Review, cancel: withdrawn, no second turn, cancelled', () => {
    for (const lab of [new TurnLab().planReview(), new TurnLab().switching()]) {
      expect(lab.cancel()).toEqual(['withdrawAsks', 'end p1 cancelled sessionCancelled inserted', 'idle cancelled']);
      expect(lab.send({ type: 'modeSwitched', attempt: 2 })).toEqual([]);
      expect(lab.send({ type: 'planApproved' })).toEqual([]);
      expect(lab.phase).toBe('idle');
    }
  });

  test('S3.59 T24 Review, `$/cancel_request`: cancelled on v1, without effect on v2', () => {
    for (const lab of [new TurnLab().planReview(), new TurnLab().switching()]) {
      expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
      expect(lab.phase).toBe('planReview');
      expect(lab.cancelPrompt('p1', 'session')).toEqual([
        'withdrawAsks',
        'end p1 cancelled requestCancelled inserted',
        'idle cancelled',
      ]);
    }
  });

  test('S3.59 T24 `$/cancel_request` on v2 before Codex recorded the prompt: cancelled', () => {
    const lab = new TurnLab().registering();
    lab.completed('t1', 'completed', true);
    expect(lab.cancelPrompt('p1', 'request')).toEqual([
      'withdrawAsks',
      'end p1 cancelled requestCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.81 T25 Idle, a turn of Codex begins', () => {
    const lab = new TurnLab();
    expect(lab.started('a1')).toEqual(['began']);
    expect(lab.phase).toBe('agent');
  });

  test('S3.96 S3.98 T26 Agent, its completion: an idle of its own', () => {
    const outcomes = { completed: 'done', failed: 'failed:turn', interrupted: 'cancelled' } as const;
    for (const status of ['completed', 'failed', 'interrupted'] as const) {
      const lab = new TurnLab().agent();
      expect(lab.completed('a1', status)).toEqual([`turnOver a1 ${status}`, `idle ${outcomes[status]}`]);
      expect(lab.phase).toBe('idle');
    }
  });

  test('S3.96 T26 between two agent turns there is an idle', () => {
    const lab = new TurnLab().agent();
    expect([...lab.completed('a1'), ...lab.started('a2')]).toEqual(['turnOver a1 completed', 'idle done', 'began']);
    const lostCompletion = new TurnLab().agent();
    expect(lostCompletion.started('a2')).toEqual(['turnOver a1 completed', 'idle done', 'began']);
  });

  test('S3.57 T27 Agent, cancel: withdrawn, interrupted with retry; T26 follows', () => {
    const lab = new TurnLab().agent();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
    expect(lab.phase).toBe('agent');
    expect(lab.notInterrupted('a1', unregistered)).toEqual(['wait interrupt 25']);
    expect(lab.timer('interrupt')).toEqual(['interrupt a1']);
    expect(lab.completed('a1', 'failed')).toEqual(['turnOver a1 cancelled', 'idle cancelled']);
  });

  test('S3.103 T28 T29 Agent, lost: everything is closed, then idle', () => {
    const lab = new TurnLab().agent();
    expect(lab.lost()).toEqual(['stopWaiting interrupt', 'withdrawAsks', 'turnOver all lost', 'idle failed:lost']);
    expect(lab.phase).toBe('idle');
  });

  test('R24 R26 T28 T29 Starting and Running, lost: the prompt fails, or is cancelled if that was seen', () => {
    for (const make of [() => new TurnLab().starting(), () => new TurnLab().registering()]) {
      const lab = make();
      expect(lab.lost()).toEqual([
        'stopWaiting interrupt',
        'withdrawAsks',
        'turnOver all lost',
        'end p1 failed:lost',
        'idle failed:lost',
      ]);
      expect(lab.phase).toBe('idle');
      const stopped = make();
      stopped.cancel();
      expect(stopped.lost()).toEqual([
        'stopWaiting interrupt',
        'withdrawAsks',
        'turnOver all cancelled',
        'end p1 cancelled sessionCancelled',
        'idle cancelled',
      ]);
    }
  });

  test('R27 T28 T29 Review, lost: withdrawn and failed', () => {
    for (const lab of [new TurnLab().planReview(), new TurnLab().switching()]) {
      expect(lab.lost()).toEqual([
        'stopWaiting interrupt',
        'withdrawAsks',
        'turnOver all lost',
        'end p1 failed:lost inserted',
        'idle failed:lost',
      ]);
      expect(lab.phase).toBe('idle');
    }
  });

  test('T28 what the dead process answers later changes nothing', () => {
    const lab = new TurnLab().starting();
    lab.lost();
    expect(lab.refused()).toEqual([]);
    expect(lab.accepted('t1', undefined, 1)).toEqual([]);
    expect(lab.notInterrupted('t1', refusedOtherwise)).toEqual([]);
    expect(lab.phase).toBe('idle');
  });

  test('S3.67 T30 T31 any, close: the session is closing, and closed when Codex let go', () => {
    const lab = new TurnLab();
    expect(lab.close()).toEqual(['withdrawAsks', 'release', 'wait close 5000']);
    expect(lab.phase).toBe('closing');
    expect(lab.send({ type: 'released' })).toEqual([
      'stopWaiting interrupt',
      'stopWaiting close',
      'turnOver all cancelled',
      'idle cancelled',
      'closed',
    ]);
    expect(lab.phase).toBe('closed');
  });

  test('S3.71 T32 Closing, Codex refuses: the session stays open and takes prompts', () => {
    const lab = new TurnLab().releasing();
    expect(lab.send({ type: 'notReleased', error: new Error('no') })).toEqual([
      'stopWaiting close',
      'turnOver all cancelled',
      'idle cancelled',
      'closeFailed no',
    ]);
    expect(lab.phase).toBe('idle');
    expect(lab.prompt()).toEqual(['prepare p1#1']);
  });

  test('S3.96 T33 Review, a turn of Codex begins: its state waits for the end of the work', () => {
    const lab = new TurnLab().planReview();
    expect(lab.started('a1')).toEqual([]);
    expect(lab.phase).toBe('planReview');
    expect(lab.send({ type: 'planKept' })).toEqual(['end p1 done inserted', 'idle done', 'began']);
    expect(lab.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
  });

  test('S3.96 T33 such a turn that ends within the work has no idle of its own', () => {
    for (const lab of [new TurnLab().planReview(), new TurnLab().draining(), new TurnLab().local()]) {
      expect(lab.started('a1')).toEqual([]);
      expect(lab.completed('a1')).toEqual(['turnOver a1 completed']);
    }
  });

  test('S3.96 T33 Draining: the agent turn becomes the work after the idle, and a waiting prompt has the lane', () => {
    const lab = new TurnLab().draining();
    lab.prompt();
    lab.started('a1');
    expect(lab.send({ type: 'reported', attempt: 1 })).toEqual([
      'end p1 done inserted',
      'idle done',
      'began',
      'prepare p2#2',
    ]);
    expect(lab.work).toMatchObject({ phase: 'prep', promptId: 'p2', agent: { turnId: 'a1' } });
  });

  test('S3.96 T33 Running: a turn that began beside ours becomes the work after it', () => {
    const lab = new TurnLab().running();
    expect(lab.started('a1')).toEqual([]);
    expect(lab.completed('t1')).toEqual(['turnOver t1 completed', 'end p1 done inserted', 'idle done', 'began']);
    expect(lab.phase).toBe('agent');
  });
});
