import { describe, expect, test } from 'vitest';
import { events, profile, SessionLab } from '../../support/session-lab.ts';

function control(lab: SessionLab, action: 'clear' | 'pause' | 'resume'): { readonly told: string[] } {
  const told: string[] = [];
  lab.actor.controlGoal({ action }).then(
    () => told.push('done'),
    (error: Error) => told.push(error.message),
  );
  return { told };
}

describe('goal control beside whatever runs', () => {
  test('S3.122 S3.123 is answered when Codex took it, while a prompt of the session runs on', async () => {
    const lab = new SessionLab(profile());
    const promptId = lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
    const { told } = control(lab, 'pause');
    await lab.turnOver();
    expect(told).toEqual(['done']);
    expect(lab.codex.of('setGoal')).toMatchObject([{ status: 'paused' }]);
    expect(lab.words.filter((word) => word.startsWith('ended'))).toEqual([]);
  });

  test('S2.63 S3.122 what starts a turn brings the settings of the session, once', async () => {
    const lab = new SessionLab(profile());
    control(lab, 'resume');
    await lab.turnOver();
    control(lab, 'resume');
    await lab.turnOver();
    control(lab, 'pause');
    await lab.turnOver();
    expect(lab.codex.of('applyPolicy')).toHaveLength(1);
    expect(lab.codex.calls.map(({ method }) => method).filter((method) => method !== 'useSkillRoots')).toEqual([
      'applyPolicy',
      'setGoal',
      'setGoal',
      'setGoal',
    ]);
  });

  test('S2.63 S12.8 S3.122 settings that the client changes meanwhile are told before the goal', async () => {
    const lab = new SessionLab(profile());
    lab.codex.manual.add('applyPolicy');
    const { told } = control(lab, 'resume');
    await lab.codex.called('applyPolicy');
    lab.actor.changeSettings((settings) => ({ ...settings, mode: 'read-only' }));
    lab.codex.heldPolicies[0]?.resolve();
    await lab.turnOver();
    expect(lab.codex.of('setGoal')).toEqual([]);
    lab.codex.heldPolicies[1]?.resolve();
    await lab.turnOver();
    expect(told).toEqual(['done']);
    expect(lab.codex.of('setGoal')).toHaveLength(1);
    const sandbox = { type: 'readOnly', networkAccess: false };
    expect(lab.codex.of('applyPolicy')[1]?.policy.access).toEqual({ type: 'sandbox', sandbox });
  });

  test('S3.122 C062 after the app-server died the thread is loaded again first', async () => {
    const lab = new SessionLab(profile());
    lab.codex.crash();
    const { told } = control(lab, 'resume');
    await lab.turnOver();
    expect(told).toEqual(['done']);
    const calls = lab.codex.calls.map(({ method }) => method);
    expect(calls.indexOf('resumeThread')).toBeLessThan(calls.indexOf('setGoal'));
  });

  test('S3.67 a closing session refuses it, and one that waits for its thread is not left open', async () => {
    const lab = new SessionLab(profile());
    lab.codex.manual.add('ready');
    const waiting = control(lab, 'resume');
    await lab.turnOver();
    const closed = lab.actor.close();
    const late = control(lab, 'pause');
    await closed;
    await lab.turnOver();
    expect(late.told).toEqual(['Session thread-1 is closing']);
    expect(waiting.told).toEqual(['Session thread-1 is closing']);
    expect(lab.codex.of('setGoal')).toEqual([]);
  });
});
