import { describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { events, message, profile, SessionLab } from '../../support/session-lab.ts';

/** What Codex says by itself when a reviewer comes to nothing (S3.9). */
const canned: ThreadEvent[] = [
  {
    type: 'itemCompleted',
    turnId: 'turn-1',
    item: { type: 'reviewExited', id: 'r', text: 'Reviewer failed to output a response.' },
  },
  events.itemCompleted(
    'turn-1',
    message('m', 'Review was interrupted. Please re-run /review and wait for it to complete.'),
  ),
];

const entered: ThreadEvent = {
  type: 'itemStarted',
  turnId: 'turn-1',
  item: { type: 'reviewEntered', id: 'e', text: 'current changes' },
};

/** The command is shown as a message of the user, whatever becomes of it. */
const begun = ['user message-p1', 'inserted p1'];

function error(willRetry = false): ThreadEvent {
  return { type: 'error', turnId: 'turn-1', error: { message: 'broken', info: null, details: null }, willRetry };
}

/** A review whose request was sent; `answer` is the answer of Codex. */
async function reviewing(): Promise<{ lab: SessionLab; answer: () => Promise<void> }> {
  const lab = new SessionLab(profile({ protocol: 1 }));
  lab.codex.manual.add('review');
  lab.prompt('/review');
  await lab.codex.called('review');
  const answer = async (): Promise<void> => {
    lab.codex.heldReviews[0]?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
  };
  return { lab, answer };
}

describe('a reviewer that fails', () => {
  test('S3.56 S3.171 its failure is told, and not the texts of Codex that it was interrupted', async () => {
    const { lab, answer } = await reviewing();
    await answer();
    lab.emit(
      entered,
      events.started('child', 'turn-1'),
      error(),
      ...canned,
      events.completed('turn-1', 'failed', 'broken'),
    );
    expect(lab.words).toEqual([...begun, 'error:fatal broken', 'ended p1 failed:turn']);
  });

  test('S3.56 S3.173 the same when all of it comes before the answer to the start', async () => {
    const { lab, answer } = await reviewing();
    lab.emit(
      entered,
      events.started('child', 'turn-1'),
      error(),
      ...canned,
      events.completed('turn-1', 'failed', 'broken'),
    );
    await answer();
    expect(lab.words).toEqual([...begun, 'error:fatal broken', 'ended p1 failed:turn']);
  });

  test('S3.56 an error that Codex retries explains nothing: the texts are shown', async () => {
    const { lab, answer } = await reviewing();
    await answer();
    lab.emit(entered, events.started('child', 'turn-1'), error(true), ...canned, events.completed('turn-1'));
    expect(lab.words).toEqual([
      ...begun,
      'error:retry broken',
      'text Reviewer failed to output a response.',
      'text Review was interrupted. Please re-run /review and wait for it to complete.',
      'ended p1 done',
    ]);
  });
});

describe('S3.115 the next turn fails as a review that could not begin', () => {
  /** A review that could not begin; the start of the next prompt is sent. */
  async function afterReview(): Promise<{ lab: SessionLab; answer: () => Promise<void> }> {
    const { lab, answer } = await reviewing();
    await answer();
    lab.emit(error());
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.channel.shown.splice(0);
    return {
      lab,
      answer: async () => {
        lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-2' });
        await lab.turnOver();
      },
    };
  }

  const failed = events.completed('turn-2', 'failed', 'broken');
  const ownError = { ...error(), turnId: 'turn-2' } as ThreadEvent;

  test('S3.115 a Codex before 0.171 repeats it: the turn went well', async () => {
    const { lab, answer } = await afterReview();
    await answer();
    lab.emit(events.started('turn-2'), failed);
    expect(lab.words).toEqual(['ended p2 done']);
  });

  test('S3.115 with an error of its own it failed', async () => {
    const { lab, answer } = await afterReview();
    await answer();
    lab.emit(events.started('turn-2'), ownError, failed);
    expect(lab.words).toEqual(['error:fatal broken', 'ended p2 failed:turn']);
  });

  test('S3.115 R3 S3.173 also when all of it comes before the answer to its start', async () => {
    const { lab, answer } = await afterReview();
    lab.emit(events.started('turn-2'), ownError, failed);
    await answer();
    expect(lab.words).toEqual(['error:fatal broken', 'ended p2 failed:turn']);
  });
});
