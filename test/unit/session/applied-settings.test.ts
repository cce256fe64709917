import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { changeMode } from '../../../src/domain/settings/change-option.ts';
import type { TurnPolicy } from '../../../src/domain/settings/turn-policy.ts';
import { compaction, events, SessionLab } from '../../support/session-lab.ts';

/** Settings that Codex was sent apart from a turn, by their sandbox. */
function applied(lab: SessionLab): string[] {
  return lab.codex.of('applyPolicy').map(({ policy }) => sandboxOf(policy));
}

function sandboxOf({ access }: TurnPolicy): string {
  return access.type === 'sandbox' ? access.sandbox.type : access.profileId;
}

/** Names of the calls that begin work, in order. */
function order(lab: SessionLab): string[] {
  const named = ['applyPolicy', 'compact', 'resumeThread', 'review', 'setGoal', 'startTurn'];
  return lab.codex.calls.map(({ method }) => method).filter((method) => named.includes(method));
}

function setMode(lab: SessionLab, mode: string): void {
  lab.actor.changeSettings((settings) => changeMode(settings, mode));
}

/** Runs `/compact` to its end; `turn` is the turn that Codex makes of it. */
async function compact(lab: SessionLab, turn: string): Promise<void> {
  const times = lab.codex.of('compact').length + 1;
  lab.prompt('/compact');
  await lab.codex.called('compact', times);
  await lab.turnOver();
  lab.emit(events.started(turn), events.itemStarted(turn, compaction), events.completed(turn));
  await lab.turnOver();
}

/** Runs an ordinary prompt to its end. */
async function ask(lab: SessionLab, turn: string): Promise<void> {
  const times = lab.codex.of('startTurn').length + 1;
  const promptId = lab.prompt('hello');
  await lab.codex.called('startTurn', times);
  await lab.turnOver();
  lab.emit(events.started(turn), events.landed(turn, promptId), events.completed(turn));
  await lab.turnOver();
}

describe('S2.63 settings of turns that no turn/start begins', () => {
  test('S2.63 a fresh session sends them before its first `/compact`, and not again while they stay', async () => {
    const lab = new SessionLab();
    await compact(lab, 'compact-1');
    await compact(lab, 'compact-2');
    expect(order(lab)).toEqual(['applyPolicy', 'compact', 'compact']);
    expect(applied(lab)).toEqual(['workspaceWrite']);
    expect(lab.codex.of('applyPolicy')[0]?.policy).toMatchObject({
      approvalPolicy: 'on-request',
      approvalsReviewer: 'auto_review',
      model: 'gpt-test',
      effort: 'low',
    });
  });

  test('S2.63 a change is sent before the next one, once', async () => {
    const lab = new SessionLab();
    await compact(lab, 'compact-1');
    setMode(lab, 'read-only');
    await compact(lab, 'compact-2');
    await compact(lab, 'compact-3');
    expect(applied(lab)).toEqual(['workspaceWrite', 'readOnly']);
    expect(order(lab)).toEqual(['applyPolicy', 'compact', 'applyPolicy', 'compact', 'compact']);
  });

  test('S2.63 a turn/start brings them along: nothing is sent after it until they change', async () => {
    const lab = new SessionLab();
    await ask(lab, 'turn-1');
    await compact(lab, 'compact-2');
    expect(applied(lab)).toEqual([]);
    setMode(lab, 'agent-full-access');
    await compact(lab, 'compact-3');
    expect(applied(lab)).toEqual(['dangerFullAccess']);
    // The prompt brings what is known already; the change after it counts again.
    await ask(lab, 'turn-2');
    setMode(lab, 'read-only');
    await compact(lab, 'compact-5');
    expect(applied(lab)).toEqual(['dangerFullAccess', 'readOnly']);
  });

  test('S2.63 a turn/start that Codex refused brought nothing along', async () => {
    const lab = new SessionLab();
    await compact(lab, 'compact-1');
    setMode(lab, 'read-only');
    lab.codex.manual.add('startTurn');
    lab.prompt('hello');
    await lab.codex.called('startTurn');
    lab.codex.heldStarts[0]?.reject(new CodexRequestError(-32600, 'no'));
    await lab.turnOver();
    await compact(lab, 'compact-2');
    expect(applied(lab)).toEqual(['workspaceWrite', 'readOnly']);
  });

  test('S2.63 S3.39 a process that replaces a lost one gets them again, after it loaded the thread', async () => {
    const lab = new SessionLab();
    await compact(lab, 'compact-1');
    lab.codex.crash();
    await compact(lab, 'compact-2');
    expect(order(lab)).toEqual(['applyPolicy', 'compact', 'resumeThread', 'applyPolicy', 'compact']);
    expect(applied(lab)).toEqual(['workspaceWrite', 'workspaceWrite']);
  });

  test('S2.63 S3.113 S3.118 before a review and before the first `/goal` of a fresh session', async () => {
    const reviewed = new SessionLab();
    reviewed.prompt('/review');
    await reviewed.codex.called('review');
    expect(order(reviewed)).toEqual(['applyPolicy', 'review']);
    const pursued = new SessionLab();
    setMode(pursued, 'agent-full-access');
    pursued.prompt('/goal Dig');
    await pursued.codex.called('setGoal');
    expect(order(pursued)).toEqual(['applyPolicy', 'setGoal']);
    expect(applied(pursued)).toEqual(['dangerFullAccess']);
  });

  test('S2.63 S3.122 before a goal is set or resumed by the client, not before it is paused or cleared', async () => {
    const lab = new SessionLab();
    await lab.actor.controlGoal({ action: 'pause' });
    expect(order(lab)).toEqual(['setGoal']);
    await lab.actor.controlGoal({ action: 'set', objective: 'Dig' });
    await lab.actor.controlGoal({ action: 'resume' });
    setMode(lab, 'read-only');
    await lab.actor.controlGoal({ action: 'resume' });
    expect(order(lab)).toEqual(['setGoal', 'applyPolicy', 'setGoal', 'setGoal', 'applyPolicy', 'setGoal']);
    expect(applied(lab)).toEqual(['workspaceWrite', 'readOnly']);
  });

  test.each(['set', 'resume', 'pause', 'clear'] as const)(
    'S3.122 S8.27 a goal is changed (%s) only after a lost process was replaced and has the thread',
    async (action) => {
      const lab = new SessionLab();
      lab.codex.crash();
      void lab.actor.controlGoal(action === 'set' ? { action, objective: 'Dig' } : { action });
      await lab.codex.called(action === 'clear' ? 'clearGoal' : 'setGoal');
      const startsTurn = action === 'set' || action === 'resume';
      const change = action === 'clear' ? 'clearGoal' : 'setGoal';
      const calls = lab.codex.calls.map(({ method }) => method).filter((method) => method !== 'useSkillRoots');
      expect(calls).toEqual(['resumeThread', ...(startsTurn ? ['applyPolicy'] : []), change]);
    },
  );

  test('S2.63 S12.7 the settings of a command are those of its admission', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('ready');
    lab.prompt('/compact');
    setMode(lab, 'read-only');
    lab.codex.heldReady[0]?.resolve();
    await lab.codex.called('compact');
    expect(applied(lab)).toEqual(['workspaceWrite']);
  });
});
