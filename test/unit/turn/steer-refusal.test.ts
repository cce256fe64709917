import { expect, it } from 'vitest';
import { CodexLostError, CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { steerRefusal } from '../../../src/domain/turn/steer-refusal.ts';

const refused = (message: string, data?: unknown) => steerRefusal(new CodexRequestError(-32600, message, data));

it('S3.3 S3.143 no turn runs', () => {
  expect(refused('no active turn to steer')).toEqual({ type: 'noActiveTurn' });
});

it('S3.3 S3.143 another turn runs; steering puts the ids in backticks, interrupting does not', () => {
  const mismatch = { type: 'mismatch', expected: '01a2-A', found: '01a2-B' };
  expect(refused('expected active turn id `01a2-A` but found `01a2-B`')).toEqual(mismatch);
  expect(refused('expected active turn id 01a2-A but found 01a2-B')).toEqual(mismatch);
});

it.each([
  ['cannot steer a review turn', { codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'review' } } }],
  ['cannot steer a compact turn', { codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'compact' } } }],
  ['input must not be empty', undefined],
  ['expected active turn id', undefined],
])('S3.3 S3.143 anything else that Codex answers: %s', (message, data) => {
  expect(refused(message, data)).toEqual({ type: 'other' });
});

it('S3.143 S8.67 an error that Codex did not answer', () => {
  const lost = new CodexLostError('no active turn to steer', { exitCode: 1, signal: null, restartable: true });
  expect(steerRefusal(lost)).toEqual({ type: 'lost', cause: lost });
  expect(steerRefusal(new Error('no active turn to steer'))).toEqual({ type: 'other' });
  expect(steerRefusal(null)).toEqual({ type: 'other' });
});
