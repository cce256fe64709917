import { MatchersV3 } from '@pact-foundation/pact';
import { afterAll, describe, expect, test } from 'vitest';
import { howToPublish } from '../support/consumer-pact.ts';
import { air, airPact, answer, request } from './air-frames.ts';
import { readSession } from './air-reader.ts';

const { arrayContaining, eachLike, string } = MatchersV3;
const pact = airPact('session setup');
afterAll(() => pact.dispose());

const newSession = request(2, 'session/new', { cwd: '/w', mcpServers: [] });
const comment =
  'A recommended value is one of the values of its option. On v1, a mode has the same kind in modes and in configOptions.';

const kinds = {
  'read-only': 'standard',
  'workspace-write': 'standard',
  agent: 'auto_review',
  'agent-full-access': 'full_access',
};

/** The modes that AIR knows, each with its kind; there may be others. */
function modes(key: 'id' | 'value'): object {
  return arrayContaining(
    ...Object.entries(kinds).map(([id, kind]) => ({ [key]: id, name: string(id), _meta: air({ kind }) })),
  );
}

/** The options that AIR reads; there may be others. `key` is what the protocol version calls an option's id. */
function options(key: 'configId' | 'id'): object {
  const recommending = (id: string, value: string): object => ({
    [key]: id,
    type: 'select',
    currentValue: string(value),
    options: eachLike({ value: string(value), name: string(value) }),
    _meta: air({ recommendedValue: string(value) }),
  });
  return arrayContaining(
    { [key]: 'mode', type: 'select', currentValue: string('agent'), options: modes('value') },
    recommending('model', 'gpt-test'),
    recommending('reasoning_effort', 'low'),
  );
}

describe('what AIR relies on in the answer to session/new', () => {
  test('S11.8, S11.9 v1: recommended values and kinds of modes', () =>
    pact.answered(
      {
        about: 'AIR on v1 opens a session',
        given: { name: 'AIR has introduced itself', params: { protocolVersion: 1 } },
        comment,
        request: newSession,
        answer: answer(2, {
          sessionId: string('thread-1'),
          configOptions: options('id'),
          modes: { currentModeId: string('agent'), availableModes: modes('id') },
        }),
      },
      (frame) =>
        expect(readSession(frame)).toEqual({
          sessionId: 'thread-1',
          modes: kinds,
          recommended: { model: 'gpt-test', effort: 'low' },
        }),
    ));

  test('S11.8, S11.9 v2: recommended values and kinds of modes', () =>
    pact.answered(
      {
        about: 'AIR on v2 opens a session',
        given: { name: 'AIR has introduced itself', params: { protocolVersion: 2 } },
        comment,
        request: newSession,
        answer: answer(2, { sessionId: string('thread-1'), configOptions: options('configId') }),
      },
      (frame) =>
        expect(readSession(frame)).toEqual({
          sessionId: 'thread-1',
          modes: kinds,
          recommended: { model: 'gpt-test', effort: 'low' },
        }),
    ));

  test('is what contracts/pacts says', () => {
    const { written, published } = pact.compare();
    expect(written, howToPublish).toEqual(published);
  });
});
