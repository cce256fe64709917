import { describe, expect, test } from 'vitest';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { RaceLab, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const ended = ['ended p1 done', 'idle:done'];
const over = 'no active turn to steer';

/** What Codex was sent for steers, and for turns of their own. */
function sent({ codex }: RaceLab): { steers: string[]; turns: string[] } {
  const text = (input: readonly { readonly type: string }[]): string =>
    input.map((part) => ('text' in part ? String(part.text) : part.type)).join();
  return {
    steers: codex.fake.of('steer').map(({ params }) => text(params.input)),
    turns: codex.fake.of('startTurn').map(({ params }) => text(params.input)),
  };
}

describe.each(versions)('R16 S3.143 a steer against the end of its turn, v%i', (version) => {
  test('R16 the end first, with opt-in: the client keeps the text, nothing is sent', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    codex.ends('turn-1');
    client.steers('more', true);
    await race.settled();
    expect(lab.steered).toEqual(['s1 promptRequired']);
    expect(sent(race)).toEqual({ steers: [], turns: ['hello'] });
    await race.nextPromptCompletes();
  });

  test('R16 the end first, without opt-in: a turn of its own', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    codex.ends('turn-1');
    client.steers('more');
    await codex.asked('startTurn', 2);
    expect(lab.steered).toEqual([]);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands('s1', 'turn-2');
    codex.ends('turn-2');
    await race.settled();
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    expect(sent(race)).toEqual({ steers: [], turns: ['hello', 'more'] });
    expect(race.shown()).toEqual(
      race.visible([...begun, ...ended, 'running', 'user message-s1', 'inserted s1', 'ended s1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test.each(['before', 'after'] as const)(
    'R16 Codex refuses it and tells the end %s that, with opt-in: the text goes nowhere else',
    async (order) => {
      const race = new RaceLab(version);
      const { client, codex, lab } = race;
      await race.runs('turn-1');
      client.steers('more', true);
      if (order === 'before') codex.ends('turn-1');
      await codex.refusesSteer(over);
      if (order === 'after') codex.ends('turn-1');
      await race.settled();
      expect(lab.steered).toEqual(['s1 promptRequired']);
      expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello'] });
      expect(race.shown()).toEqual(race.visible([...begun, ...ended]));
      await race.nextPromptCompletes();
    },
  );

  test.each(['before', 'after'] as const)(
    'R16 Codex refuses it and tells the end %s that, without opt-in: one turn of its own after the end',
    async (order) => {
      const race = new RaceLab(version);
      const { client, codex, lab } = race;
      await race.runs('turn-1');
      client.steers('more');
      if (order === 'before') codex.ends('turn-1');
      await codex.refusesSteer(over);
      if (order === 'after') codex.ends('turn-1');
      await codex.asked('startTurn', 2);
      await codex.names('turn-2');
      codex.begins('turn-2');
      codex.lands('s1', 'turn-2');
      codex.ends('turn-2');
      await race.settled();
      expect(lab.steered).toEqual(['s1 startedNewTurn']);
      expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello', 'more'] });
      const own = ['running', 'user message-s1', 'inserted s1', 'ended s1 done', 'idle:done'];
      expect(race.shown()).toEqual(race.visible([...begun, ...ended, ...own]));
      await race.nextPromptCompletes();
    },
  );

  test('R16 Codex names the turn that runs now: it is asked once more, there', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    codex.ends('turn-1');
    codex.begins('agent-1');
    await codex.refusesSteer('expected active turn id `turn-1` but found `agent-1`');
    await codex.takesSteer('agent-1');
    codex.records('message-s1', 'agent-1');
    codex.ends('agent-1');
    await race.settled();
    expect(lab.steered).toEqual(['s1 injected']);
    expect(codex.fake.of('steer').map(({ params }) => params.turnId)).toEqual(['turn-1', 'agent-1']);
    expect(race.shown()).toEqual(race.visible([...begun, ...ended, 'running', 'user message-s1', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R16 S3.141 two of them: the second goes into the turn that the first got', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    client.steers('and more', true);
    codex.ends('turn-1');
    await codex.refusesSteer(over);
    await codex.asked('startTurn', 2);
    expect(lab.steered).toEqual([]);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands('s1', 'turn-2');
    await codex.takesSteer('turn-2');
    codex.records('message-s2', 'turn-2');
    codex.ends('turn-2');
    await race.settled();
    expect(lab.steered).toEqual(['s1 startedNewTurn', 's2 injected']);
    expect(sent(race)).toEqual({ steers: ['more', 'and more'], turns: ['hello', 'more'] });
    await race.nextPromptCompletes();
  });

  test('R16 S3.141 two of them, and the turn that the first got never begins: the second goes on without it', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    client.steers('and more', true);
    codex.ends('turn-1');
    await codex.refusesSteer(over);
    await codex.asked('startTurn', 2);
    await codex.refusesStart('No');
    await race.settled();
    expect(lab.steered).toEqual(['s1 No', 's2 promptRequired']);
    await race.nextPromptCompletes();
  });

  test('R16 a review refuses it: failed, and nothing is sent again', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.begins('C', 'P');
    client.steers('more');
    await codex.refusesSteer('cannot steer a review turn');
    codex.ends('P');
    await race.settled();
    expect(lab.steered).toEqual(['s1 failed']);
    expect(sent(race)).toEqual({ steers: ['more'], turns: [] });
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R17 S3.142 a steer against a start, v%i', (version) => {
  test('R17 S3.130 a plan was approved and Codex leaves plan mode: it goes into the turn that carries the plan out', async () => {
    const race = new RaceLab(version, { planUpdates: true });
    const { client, codex, lab } = race;
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    await race.runs('plan-turn');
    codex.completesItem({ type: 'plan', id: 'plan-1', text: '1. Fix it' }, 'plan-turn');
    codex.ends('plan-turn');
    client.answers(1, 'implement_plan');
    client.steers('more', true);
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    await codex.takesSteer('turn-2');
    codex.records('message-s1', 'turn-2');
    codex.ends('turn-2');
    await race.settled();
    expect(lab.steered).toEqual(['s1 injected']);
    await race.nextPromptCompletes();
  });

  test.each([
    ['before the answer', 0],
    ['between the answer and the first sign of the turn', 1],
    ['once the turn runs', 2],
  ] as const)('R17 the steer comes %s: it is injected when the turn can take it', async (_when, at) => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    if (at === 0) client.steers('more', true);
    await codex.names('turn-1');
    if (at === 1) client.steers('more', true);
    expect(codex.count('steer')).toBe(0);
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    if (at === 2) client.steers('more', true);
    await codex.takesSteer('turn-1');
    codex.records('message-s1', 'turn-1');
    codex.ends('turn-1');
    expect(lab.steered).toEqual(['s1 injected']);
    expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello'] });
    expect(race.shown()).toEqual(race.visible([...begun, 'user message-s1', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R17 the start is refused: the steer is left without a turn', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.steers('more', true);
    await codex.refusesStart();
    expect(lab.steered).toEqual(['s1 promptRequired']);
    expect(race.shown()).toEqual(['ended p1 failed:refused']);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R18 S3.146 a steer that Codex took against the end of its turn, v%i', (version) => {
  test('R18 it lands first: shown, no notice', async () => {
    const race = new RaceLab(version, { notices: true });
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    await codex.takesSteer('turn-1');
    codex.records('message-s1', 'turn-1');
    codex.ends('turn-1');
    expect(lab.steered).toEqual(['s1 injected']);
    expect(race.shown()).toEqual(race.visible([...begun, 'user message-s1', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R18 the turn ends first: Codex dropped it, and the user is told', async () => {
    const race = new RaceLab(version, { notices: true });
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    await codex.takesSteer('turn-1');
    codex.ends('turn-1');
    codex.records('message-s1', 'turn-1');
    expect(lab.steered).toEqual(['s1 injected']);
    expect(race.shown().filter((word) => word === 'user message-s1')).toEqual([]);
    expect(race.shown()).toEqual(race.visible([...begun, 'notice', ...ended]));
    expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello'] });
    await race.nextPromptCompletes();
  });

  test('R18 C011 the turn ends before the answer that Codex took it: the client keeps the text', async () => {
    const race = new RaceLab(version, { notices: true });
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more', true);
    codex.ends('turn-1');
    await codex.takesSteer('turn-1');
    expect(lab.steered).toEqual(['s1 promptRequired']);
    expect(race.shown()).toEqual(race.visible([...begun, ...ended]));
    await race.nextPromptCompletes();
  });

  test('R18 it lands before the answer that Codex took it, and the turn ends before that, too', async () => {
    const race = new RaceLab(version, { notices: true });
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more', true);
    codex.records('message-s1', 'turn-1');
    codex.ends('turn-1');
    await codex.takesSteer('turn-1');
    expect(lab.steered).toEqual(['s1 injected']);
    expect(race.shown()).toEqual(race.visible([...begun, 'user message-s1', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R18 without notices the user hears nothing', async () => {
    const race = new RaceLab(version, { notices: false });
    const { client, codex } = race;
    await race.runs('turn-1');
    client.steers('more');
    await codex.takesSteer('turn-1');
    codex.ends('turn-1');
    expect(race.shown()).toEqual(race.visible([...begun, ...ended]));
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R19 S3.144 a steer without a turn against prompts that wait, v%i', (version) => {
  /** A local command that works until Codex lists the skills. */
  async function local(race: RaceLab): Promise<void> {
    race.codex.fake.manual.add('listSkills');
    race.client.prompts('/skills');
    await race.codex.asked('listSkills');
  }

  /** Every turn that the lane starts, one after the other. */
  async function drain(race: RaceLab, turns: number): Promise<void> {
    race.codex.fake.heldSkills.shift()?.resolve([]);
    race.codex.fake.manual.delete('listSkills');
    for (let turn = 1; turn <= turns; turn += 1) {
      await race.codex.asked('startTurn', turn);
      await race.codex.names(`turn-${turn}`);
      race.codex.begins(`turn-${turn}`);
      race.codex.ends(`turn-${turn}`);
    }
    await race.settled();
  }

  test('R19 between two prompts: between their turns', async () => {
    const race = new RaceLab(version);
    const { client, lab } = race;
    await local(race);
    client.prompts('before');
    client.steers('more');
    client.prompts('after');
    await drain(race, 3);
    expect(sent(race)).toEqual({ steers: [], turns: ['before', 'more', 'after'] });
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    await race.nextPromptCompletes();
  });

  test('R19 before a prompt: before its turn', async () => {
    const race = new RaceLab(version);
    const { client, lab } = race;
    await local(race);
    client.steers('more');
    client.prompts('after');
    await drain(race, 2);
    expect(sent(race)).toEqual({ steers: [], turns: ['more', 'after'] });
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    await race.nextPromptCompletes();
  });

  test('R19 S3.144 cancelled while it waits: it starts nothing', async () => {
    const race = new RaceLab(version);
    const { client, lab } = race;
    await local(race);
    client.steers('more');
    client.cancels();
    await race.settled();
    expect(lab.steered).toEqual(['s1 Session thread-1 was cancelled before the steering turn started']);
    expect(sent(race)).toEqual({ steers: [], turns: [] });
    await race.nextPromptCompletes();
  });

  test('R19 S3.144 closed while it waits: it starts nothing', async () => {
    const race = new RaceLab(version);
    const { client, lab } = race;
    await local(race);
    client.steers('more');
    client.closes();
    await race.settled();
    expect(lab.steered).toEqual(['s1 Session thread-1 is closing']);
    expect(client.closed).toEqual(['closed']);
    expect(sent(race)).toEqual({ steers: [], turns: [] });
  });
});

describe.each(versions)('a steer against a loss, a cancel and a close, v%i', (version) => {
  test.each([true, false])('S8.67 Codex dies: it fails, and the text is not sent again (opt-in %s)', async (optIn) => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more', optIn);
    await codex.dies();
    expect(lab.steered).toEqual([expect.stringMatching(/^s1 The Codex app-server exited/)]);
    expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello'] });
    await race.nextPromptCompletes();
  });

  test('S3.144 one that waits when Codex dies was not sent: it has its turn in the next process', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.steers('more');
    await codex.dies();
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands('s1', 'turn-2');
    codex.ends('turn-2');
    await race.settled();
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    expect(sent(race)).toEqual({ steers: [], turns: ['hello', 'more'] });
    await race.nextPromptCompletes();
  });

  test('R16 S3.144 a cancel, then Codex refuses it: nothing new is started for it', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    client.cancels();
    await codex.refusesSteer(over);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(lab.steered).toEqual(['s1 Session thread-1 was cancelled before the steering turn started']);
    expect(sent(race)).toEqual({ steers: ['more'], turns: ['hello'] });
    await race.nextPromptCompletes();
  });

  test('R16 a cancel, and Codex took it before: injected', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    client.cancels();
    codex.records('message-s1', 'turn-1');
    await codex.takesSteer('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(lab.steered).toEqual(['s1 injected']);
    await race.nextPromptCompletes();
  });

  test('R16 S3.54 a steer after the cancel: a turn of its own after the end', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.cancels();
    client.steers('more');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands('s1', 'turn-2');
    codex.ends('turn-2');
    await race.settled();
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    expect(sent(race)).toEqual({ steers: [], turns: ['hello', 'more'] });
    await race.nextPromptCompletes();
  });

  test('R16 S3.67 a close: it is refused, whatever Codex answers', async () => {
    const race = new RaceLab(version);
    const { client, codex, lab } = race;
    await race.runs('turn-1');
    client.steers('more');
    client.closes();
    await codex.takesSteer('turn-1');
    codex.records('message-s1', 'turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(lab.steered).toEqual(['s1 Session thread-1 is closing']);
    expect(client.closed).toEqual(['closed']);
    expect(race.shown().at(-1)).toBe('endSession');
  });
});
