import { describe, expect, test } from 'vitest';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import { TurnErrors } from '../../../src/domain/session/turn-errors.ts';
import { profile, silentLog } from '../../support/session-lab.ts';

function error(turnId: string, willRetry = false) {
  return { type: 'error', turnId, error: { message: 'broken', info: null, details: null }, willRetry } as const;
}

function lab() {
  const shown: ConversationUpdate[] = [];
  const warned: string[] = [];
  const log = { ...silentLog, warn: (message: string) => warned.push(message) };
  const errors = new TurnErrors(profile(), (update) => shown.push(update), log);
  const words = () => shown.map((update) => update.type === 'turnError' && `${update.scope} ${update.turnId}`);
  return { errors, words, warned };
}

describe('errors of turns', () => {
  test('S3.171 a failure is told once, by its event or by the end', () => {
    const { errors, words } = lab();
    errors.tell(error('t'), 't');
    errors.tell(error('t'), 't');
    errors.tellFailure({ type: 'failed', failure: { type: 'turn', turnId: 't', error: null } }, true, null);
    errors.tellFailure({ type: 'failed', failure: { type: 'turn', turnId: 'u', error: null } }, true, null);
    expect(words()).toEqual(['fatal t', 'fatal u']);
  });

  test('S3.131 S3.174 of another turn or of none, and each retry, are told for what they are', () => {
    const { errors, words } = lab();
    errors.tell(error('u'), 't');
    errors.tell(error('t'), null);
    errors.tell(error('t', true), 't');
    errors.tell(error('t', true), 't');
    errors.tell(error('t'), 't');
    expect(words()).toEqual(['other u', 'other t', 'retry t', 'retry t', 'fatal t']);
  });

  test('S3.173 what comes before the id of the turn waits for it', () => {
    const { errors, words, warned } = lab();
    errors.hold(error('t', true));
    errors.hold(error('t'));
    errors.hold(error('u'));
    expect(words()).toEqual([]);
    errors.release('t');
    errors.drop();
    expect([words(), warned]).toEqual([['retry t', 'fatal t', 'other u'], []]);
  });

  test('S3.173 a command that ended without a turn: told for the session', () => {
    const { errors, words } = lab();
    errors.hold(error('t'));
    errors.releaseToSession();
    errors.release('t');
    expect(words()).toEqual(['other t']);
  });

  test('S3.171 S3.56 a turn has failed as soon as Codex said so, also before its id is known; a retry is no failure', () => {
    const { errors } = lab();
    errors.hold(error('held'));
    errors.hold(error('retried', true));
    errors.tell(error('told'), 'told');
    errors.tell(error('other'), 'told');
    expect(['held', 'retried', 'told', 'other'].map((turnId) => errors.failed(turnId))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    errors.release('held');
    expect(errors.failed('held')).toBe(true);
  });

  test('S3.173 otherwise it is dropped, with a log', () => {
    const { errors, words, warned } = lab();
    errors.hold(error('t'));
    errors.drop();
    errors.release('t');
    expect([words(), warned]).toEqual([[], ['An error of Codex belongs to no turn and was not shown']]);
  });
});
