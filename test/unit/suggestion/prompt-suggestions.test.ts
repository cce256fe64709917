import { describe, expect, it } from 'vitest';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { AnsweredPrompt } from '../../../src/domain/suggestion/prompt-suggestions.ts';
import { PromptSuggestions } from '../../../src/domain/suggestion/prompt-suggestions.ts';
import { suggestionPrompt } from '../../../src/domain/suggestion/suggestion-prompt.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { profile } from '../../support/session-lab.ts';
import { FakeSession } from '../title/fake-session.ts';

const air = { capabilities: new Set<never>() };

class SuggestionLab {
  readonly session: FakeSession;
  readonly codex = new FakeCodex();
  readonly suggestions: PromptSuggestions;

  constructor(client: ClientProfile = profile({ air }), allowed = true) {
    this.codex.manual.add('sample');
    this.session = new FakeSession(client);
    this.suggestions = new PromptSuggestions(this.session, this.codex.sampling, allowed);
  }

  promptEnded(over: Partial<AnsweredPrompt> = {}): void {
    this.suggestions.promptEnded({ ordinary: true, turnId: 'turn-1', status: 'completed', planMode: false, ...over });
  }

  async modelSays(suggestion: string | null): Promise<void> {
    await this.modelReplies(JSON.stringify({ suggestion }));
  }

  async modelReplies(reply: string | null | Error): Promise<void> {
    const held = this.codex.heldSamples.shift();
    if (reply instanceof Error) held?.reject(reply);
    else held?.resolve(reply);
    await this.session.turnOver();
  }

  /** A prompt with its suggestion, from the beginning. */
  async suggested(text: string, turnId = 'turn-1'): Promise<void> {
    this.suggestions.promptAdmitted();
    this.suggestions.turnStarted();
    this.promptEnded({ turnId });
    await this.modelSays(text);
  }

  get shown(): readonly (readonly string[])[] {
    return this.session.shown.map((update) => (update.type === 'suggestions' ? update.texts : [update.type]));
  }

  get asked(): readonly string[] {
    return this.codex.of('sample').map((call) => call.turnId);
  }
}

describe('when the model is asked', () => {
  it.each([
    ['v1', 1],
    ['v2', 2],
  ] as const)('S3.194 after a completed ordinary prompt of AIR %s', async (_name, protocol) => {
    const lab = new SuggestionLab(profile({ air, protocol }));
    lab.promptEnded({ turnId: 'turn-7' });
    expect(lab.codex.of('sample')).toEqual([{ method: 'sample', turnId: 'turn-7', prompt: suggestionPrompt }]);
    await lab.modelSays('Run the tests');
    expect(lab.session.shown).toEqual([{ type: 'suggestions', texts: ['Run the tests'] }]);
  });

  it.each<[string, Partial<AnsweredPrompt>]>([
    ['S3.194 not after a command', { ordinary: false }],
    ['S3.194 not in plan mode', { planMode: true }],
    ['S3.194 not after a failed turn', { status: 'failed' }],
    ['S3.194 not after an interrupted turn', { status: 'interrupted' }],
    ['S3.194 not when Codex did not tell how it ended', { status: null }],
    ['S3.194 not without a turn', { turnId: null }],
  ])('%s', (_name, over) => {
    const lab = new SuggestionLab();
    lab.promptEnded(over);
    expect(lab.asked).toEqual([]);
    expect(lab.shown).toEqual([]);
  });

  it('S3.194 not when the environment turns it off', () => {
    const lab = new SuggestionLab(profile({ air }), false);
    lab.promptEnded();
    expect(lab.asked).toEqual([]);
  });

  it('S3.195 not for a client that is not AIR', () => {
    const lab = new SuggestionLab(profile());
    lab.promptEnded();
    expect(lab.asked).toEqual([]);
  });
});

describe('what is shown', () => {
  it('S3.39 S3.195 the next prompt takes the suggestion back, once', async () => {
    const lab = new SuggestionLab();
    await lab.suggested('Run the tests');
    lab.suggestions.promptAdmitted();
    lab.suggestions.promptAdmitted();
    expect(lab.shown).toEqual([['Run the tests'], []]);
  });

  it('S3.195 only changes: nothing is cleared where nothing is held', async () => {
    const lab = new SuggestionLab();
    lab.suggestions.promptAdmitted();
    lab.promptEnded();
    await lab.modelSays(null);
    lab.suggestions.promptAdmitted();
    expect(lab.shown).toEqual([]);
  });

  it('S3.195 only changes: the same suggestion again is not repeated', async () => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    await lab.modelSays('Run the tests');
    lab.promptEnded({ turnId: 'turn-2' });
    await lab.modelSays('Run the tests');
    lab.promptEnded({ turnId: 'turn-3' });
    await lab.modelSays('Commit it');
    expect(lab.shown).toEqual([['Run the tests'], ['Commit it']]);
  });

  it.each([
    ['S3.195 null', '{"suggestion":null}'],
    ['S3.195 an empty text', '{"suggestion":" "}'],
    ['S3.195 an empty reply', ''],
    ['S3.195 no reply', null],
    ['S3.195 no JSON', 'Run the tests'],
    ['S3.195 several lines', JSON.stringify({ suggestion: 'a\nb' })],
    ['S3.195 more than 240 characters', JSON.stringify({ suggestion: 'x'.repeat(241) })],
  ])('%s clears what is held', async (_name, reply) => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    await lab.modelSays('Run the tests');
    lab.promptEnded({ turnId: 'turn-2' });
    await lab.modelReplies(reply);
    expect(lab.shown).toEqual([['Run the tests'], []]);
  });

  it.each([
    ['S3.195 a failed request publishes nothing', 'the model is overloaded'],
    ['S3.195 a turn that is not the latest any more is ignored', 'sample source turn must be the latest finished turn'],
  ])('%s', async (_name, message) => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    await lab.modelSays('Run the tests');
    lab.promptEnded({ turnId: 'turn-2' });
    await lab.modelReplies(new CodexRequestError(-32600, message));
    expect(lab.shown).toEqual([['Run the tests']]);
  });

  it('S3.195 the loss of the app-server publishes nothing; the next prompt is asked about again', async () => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    lab.codex.crash();
    await lab.session.turnOver();
    expect(lab.shown).toEqual([]);
    await lab.suggested('Run the tests', 'turn-2');
    expect(lab.shown).toEqual([['Run the tests']]);
  });
});

describe('late replies', () => {
  it('S3.195 R34 a reply after a newer prompt is dropped', async () => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    lab.suggestions.promptAdmitted();
    await lab.modelSays('Old');
    expect(lab.shown).toEqual([]);
  });

  it('R34 a reply after a turn that Codex began by itself is dropped', async () => {
    const lab = new SuggestionLab();
    lab.promptEnded();
    lab.suggestions.turnStarted();
    await lab.modelSays('Old');
    expect(lab.shown).toEqual([]);
  });

  it('R34 of two requests only the newer counts, whichever reply comes first', async () => {
    const lab = new SuggestionLab();
    lab.promptEnded({ turnId: 'turn-1' });
    lab.suggestions.promptAdmitted();
    lab.promptEnded({ turnId: 'turn-2' });
    lab.codex.heldSamples.reverse();
    await lab.modelSays('New');
    await lab.modelSays('Old');
    expect(lab.asked).toEqual(['turn-1', 'turn-2']);
    expect(lab.shown).toEqual([['New']]);
  });

  it('S3.195 S3.73 close takes nothing back and drops the pending reply', async () => {
    const lab = new SuggestionLab();
    await lab.suggested('Run the tests');
    lab.promptEnded({ turnId: 'turn-2' });
    lab.suggestions.close();
    await lab.modelSays('Late');
    expect(lab.shown).toEqual([['Run the tests']]);
  });
});
