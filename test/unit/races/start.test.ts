import { describe, expect, test } from 'vitest';
import { RaceLab, versions } from './race-lab.ts';

describe.each(versions)('races around the start of a turn, v%i', (version) => {
  test('R1 two prompts at once: the second starts after the last frame of the first', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts('first');
    const p2 = client.prompts('second');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    expect(codex.count('startTurn')).toBe(1);
    codex.says('one', 'turn-1');
    codex.ends('turn-1');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.says('two', 'turn-2');
    codex.ends('turn-2');
    expect(race.shown()).toEqual(
      race.visible([
        'running',
        'user message-p1',
        'inserted p1',
        'text one',
        'ended p1 done',
        'idle:done',
        'running',
        'user message-p2',
        'inserted p2',
        'text two',
        'ended p2 done',
        'idle:done',
      ]),
    );
    expect(codex.fake.of('startTurn').map(({ params }) => params.input)).toEqual([
      [{ type: 'text', text: 'first' }],
      [{ type: 'text', text: 'second' }],
    ]);
  });

  test('R1 a prompt in the same moment as the end of the one before waits for nothing', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    codex.ends('turn-1');
    const p2 = client.prompts('second');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-2');
    const second = ['running', 'user message-p2', 'inserted p2', 'ended p2 done', 'idle:done'];
    const first = ['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done'];
    expect(race.shown()).toEqual(race.visible([...first, ...second]));
  });

  test('R2 the agent turn began before the request: the prompt joins it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    const p1 = client.prompts();
    await codex.asked('startTurn');
    await codex.names('agent-1');
    codex.lands(p1, 'agent-1');
    codex.says('both', 'agent-1');
    codex.ends('agent-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', 'text both', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test('R2 the agent turn begins after the request and is what the answer names: it counts as the prompt’s own', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.begins('agent-1');
    codex.lands(p1, 'agent-1');
    await codex.names('agent-1');
    codex.says('both', 'agent-1');
    codex.ends('agent-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', 'text both', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test('R2 the agent turn begins and ends before the answer that names another: its end is not the prompt’s', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.begins('agent-1');
    codex.ends('agent-1');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    expect(race.shown()).toEqual(race.visible(['running', 'user message-p1', 'inserted p1']));
    codex.ends('turn-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test('R2 the known agent turn ends before the answer that names another: an idle of its own', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.ends('agent-1');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.ends('turn-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'idle:done', 'running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test('R2 the known agent turn ends before the answer that names it: the prompt ends with it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.lands(p1, 'agent-1');
    codex.ends('agent-1');
    await codex.names('agent-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test.each([
    ['completed', 'done', []],
    ['interrupted', 'cancelled', []],
    ['failed', 'failed', ['error:fatal broken']],
  ] as const)('R3 the completion (%s) comes before the answer', async (status, outcome, told) => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.ends('turn-1', status, status === 'failed' ? 'broken' : undefined);
    expect(race.shown()).toEqual(race.visible(['running', 'user message-p1', 'inserted p1']));
    await codex.names('turn-1');
    const ended = outcome === 'failed' ? 'ended p1 failed:turn' : `ended p1 ${outcome}`;
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', ...told, ended, `idle:${outcome}`]),
    );
    await race.nextPromptCompletes();
  });

  test('R3 everything of the turn comes after the answer', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.ends('turn-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']),
    );
  });

  test('R31 a mode that changes while the prompt waits for the lane applies to it', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.prompts('second');
    lab.actor.changeSettings((settings) => ({ ...settings, mode: 'read-only' }));
    codex.ends('turn-1');
    await codex.asked('startTurn', 2);
    const policies = codex.fake.of('startTurn').map(({ params }) => params.policy.access);
    expect(policies).toMatchObject([{ sandbox: { type: 'workspaceWrite' } }, { sandbox: { type: 'readOnly' } }]);
  });

  test('R31 S12.7 a model that changes once the prompt has the lane does not', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.prompts('second');
    codex.ends('turn-1');
    lab.actor.changeSettings((settings) => ({ ...settings, mode: 'read-only' }));
    await codex.asked('startTurn', 2);
    const policies = codex.fake.of('startTurn').map(({ params }) => params.policy.access);
    expect(policies).toMatchObject([{ sandbox: { type: 'workspaceWrite' } }, { sandbox: { type: 'workspaceWrite' } }]);
  });
});
