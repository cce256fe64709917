import { describe, expect, test } from 'vitest';
import { CodexLostError } from '../../../src/domain/errors/agent-error.ts';
import { codexInput, parsePrompt } from '../../../src/domain/prompt/prompt-mapping.ts';
import { steerPrompt } from '../../../src/domain/session/session-steering.ts';
import type { ModelInfo } from '../../../src/domain/settings/model-info.ts';
import type { SessionSettings } from '../../../src/domain/settings/session-settings.ts';
import { fakeModel } from '../../support/fake-codex.ts';
import { events, profile, SessionLab } from '../../support/session-lab.ts';

const cause = new CodexLostError('It died.', { exitCode: 1, signal: null, restartable: true });
const lostText = 'text Connection to Codex was lost.';

/** A steer without a running turn, whose own turn was asked for; `answer` is the answer of Codex. */
async function steered(protocol: 1 | 2): Promise<{ lab: SessionLab; answer: () => Promise<void> }> {
  const lab = new SessionLab(profile({ protocol }));
  lab.codex.manual.add('startTurn');
  lab.steer('Turn left');
  await lab.codex.called('startTurn');
  const answer = async (): Promise<void> => {
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
  };
  return { lab, answer };
}

describe.each([1, 2] as const)('the turn of a steer on v%i', (protocol) => {
  test('S3.144 Codex dies in it: nothing but a text can tell', async () => {
    const { lab, answer } = await steered(protocol);
    await answer();
    lab.emit(events.started('turn-1'));
    lab.actor.onLost(cause);
    await lab.turnOver();
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    expect(lab.words.filter((word) => word.startsWith('text'))).toEqual([lostText]);
    const idle = lab.channel.shown.find(({ kind, ...shown }) => JSON.stringify(shown).includes('"idle"'));
    expect(idle).toMatchObject({ update: { ending: { unanswered: true } } });
  });

  test.each([
    ['failed', 'error:fatal It broke.'],
    ['interrupted', null],
  ] as const)('S3.141 S3.144 R3 it is over before its start is answered, %s: it ran', async (status, told) => {
    const { lab, answer } = await steered(protocol);
    const reason = status === 'failed' ? 'It broke.' : undefined;
    lab.emit(events.started('turn-1'), events.landed('turn-1', 's1'), events.completed('turn-1', status, reason));
    await answer();
    expect(lab.steered).toEqual(['s1 startedNewTurn']);
    expect(lab.words.filter((word) => word.startsWith('error'))).toEqual(told === null ? [] : [told]);
  });

  test('S3.144 Codex dies before it began: the answer to the steer tells', async () => {
    const { lab } = await steered(protocol);
    lab.actor.onLost(cause);
    await lab.turnOver();
    expect(lab.steered).toEqual(['s1 It died.']);
    expect(lab.words.filter((word) => word.startsWith('text'))).toEqual([]);
  });
});

describe('S3.25 S3.140 an image that is steered', () => {
  const blind: ModelInfo = { ...fakeModel, id: 'gpt-blind', model: 'gpt-blind', inputModalities: ['text'] };
  const select = (model: string) => (settings: SessionSettings) => ({ ...settings, models: [fakeModel, blind], model });

  /** A steer with an image, and what became of it. */
  async function steers(lab: SessionLab, promptRequired = true): Promise<string> {
    const blocks = parsePrompt([{ type: 'image', data: 'AA==', mimeType: 'image/png' }]);
    const content = { blocks, input: codexInput(blocks), hasImage: true };
    const steered = lab.actor.steer(steerPrompt('s1', 'message-s1', content), promptRequired);
    const told = steered.catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    await lab.turnOver();
    return told;
  }

  test.each([
    ['gpt-test', 'gpt-blind', 'injected'],
    ['gpt-blind', 'gpt-test', 'The current model does not support image input'],
  ])('S3.25 the turn runs with %s, the next with %s: %s', async (now, next, outcome) => {
    const lab = new SessionLab(profile());
    lab.actor.changeSettings(select(now));
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'));
    lab.actor.changeSettings(select(next));
    const told = steers(lab);
    expect(await told).toBe(outcome);
  });

  test.each([
    [false, 'The current model does not support image input'],
    // The client keeps it, and hears why it cannot be sent when it sends it.
    [true, 'promptRequired'],
  ])('S3.25 S3.141 nothing runs: the model of the next turn counts, idleBehavior %s', async (opted, outcome) => {
    const lab = new SessionLab(profile());
    lab.actor.changeSettings(select('gpt-blind'));
    expect(await steers(lab, opted)).toBe(outcome);
  });
});

test('S3.45 S3.103 Codex dies in a prompt of v1: its answer tells, and no text', async () => {
  const lab = new SessionLab(profile({ protocol: 1 }));
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  lab.actor.onLost(cause);
  expect(lab.words.filter((word) => word.startsWith('text'))).toEqual([]);
});
