import { describe, expect, test } from 'vitest';
import { Mailbox } from '../../../src/domain/session/mailbox.ts';
import { events, profile, SessionLab } from '../../support/session-lab.ts';

describe('the mailbox of a session', () => {
  test('S3.75 inputs are handled one after another, also those that are posted meanwhile', () => {
    const seen: string[] = [];
    const mailbox = new Mailbox<string>(
      (input) => {
        seen.push(`${input} begins`);
        if (input === 'a') {
          mailbox.post('b');
          mailbox.post('c');
        }
        seen.push(`${input} ends`);
      },
      () => undefined,
    );
    mailbox.post('a');
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('S3.75 one that fails is told, and those behind it are handled', () => {
    const seen: string[] = [];
    const mailbox = new Mailbox<string>(
      (input) => {
        if (input === 'first') for (const next of ['bad', 'good']) mailbox.post(next);
        if (input === 'bad') throw new Error('broken');
        seen.push(input);
      },
      (input, error) => seen.push(`${input}: ${String(error)}`),
    );
    mailbox.post('first');
    mailbox.post('last');
    expect(seen).toEqual(['first', 'bad: Error: broken', 'good', 'last']);
  });

  test('S3.75 S5.16 a request of Codex that cannot be handled is refused, and the turn goes on', async () => {
    const lab = new SessionLab(profile());
    const promptId = lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
    lab.channel.ask = () => {
      throw new Error('no channel');
    };
    const ref = lab.codex.request(lab.threadId, {
      type: 'fileChangeApproval',
      turnId: 'turn-1',
      itemId: 'x',
      reason: null,
      grantRoot: null,
    });
    expect(lab.codex.of('answer')).toEqual([
      { method: 'answer', ref, answer: { type: 'fileChangeApproval', decision: 'cancel' } },
    ]);
    lab.emit(events.completed('turn-1'));
    expect(lab.words).toContain('ended p1 done');
  });
});
