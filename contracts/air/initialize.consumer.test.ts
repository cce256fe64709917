import { MatchersV3 } from '@pact-foundation/pact';
import { afterAll, describe, expect, test } from 'vitest';
import { profiles } from '../../test/support/profiles.ts';
import { howToPublish } from '../support/consumer-pact.ts';
import { air, airPact, answer, request } from './air-frames.ts';
import { readOffer } from './air-reader.ts';

const { arrayContaining, eachKeyMatches, eachLike, regex } = MatchersV3;
const pact = airPact('initialize');
afterAll(() => pact.dispose());

const given = { name: 'the agent has started', params: {} };
const steering = { supported: true };
const goal = {
  version: 1,
  controlMethod: '_session/goal',
  actions: arrayContaining('set', 'pause', 'resume', 'clear'),
};

/** An AIR client that declares nothing but typed failures. */
const oldAir = {
  protocolVersion: 1,
  clientInfo: { name: 'JetBrains AIR', version: '1.0.0' },
  clientCapabilities: { _meta: { jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } } } },
};

/** A list without certain names; whatever else it holds is not our business. */
function without(...names: readonly string[]): object {
  return eachLike(regex(`^(?!(${names.join('|')})$).+$`, 'sessionFailure'));
}

describe('what AIR relies on in the answer to initialize', () => {
  test('S11.1 v1: the extensions of AIR', () =>
    pact.answered(
      {
        about: 'AIR on v1',
        given,
        request: request(1, 'initialize', profiles.airV1),
        answer: answer(1, {
          protocolVersion: 1,
          _meta: {
            ...air({
              goal,
              capabilities: arrayContaining(
                'sessionFailure',
                'diffPatch',
                'agentFileChangeReport',
                'nativeSubagentSessions',
                'asyncTasks',
                'recommendedValue',
                'rawInputRendering',
                'planContentDelta',
                'codexHooks',
                'sessionIndex',
              ),
            }),
            steering,
          },
        }),
      },
      (frame) =>
        expect(readOffer(frame)).toMatchObject({
          protocolVersion: 1,
          goal: { method: '_session/goal' },
          steering: true,
        }),
    ));

  test('S11.1 v2: the extensions of AIR', () =>
    pact.answered(
      {
        about: 'AIR on v2',
        given,
        request: request(1, 'initialize', profiles.airV2),
        answer: answer(1, {
          protocolVersion: 2,
          _meta: {
            ...air({
              goal,
              capabilities: arrayContaining(
                'sessionFailure',
                'agentFileChangeReport',
                'nativeSubagentSessions',
                'asyncTasks',
                'recommendedValue',
                'sessionIndex',
              ),
            }),
            steering,
          },
        }),
      },
      (frame) =>
        expect(readOffer(frame)).toMatchObject({
          protocolVersion: 2,
          goal: { method: '_session/goal' },
          steering: true,
        }),
    ));

  test('S11.40 v2: nothing that v2 has a standard for', () =>
    pact.answered(
      {
        about: 'AIR on v2 is not offered what v2 has a standard for',
        given,
        request: request(1, 'initialize', profiles.airV2),
        answer: answer(1, {
          _meta: air({ capabilities: without('rawInputRendering', 'planContentDelta', 'diffPatch') }),
        }),
      },
      (frame) => expect(frame.result._meta.jetbrains.air.capabilities).not.toContain('diffPatch'),
    ));

  test('S11.1 no session index for a client that does not know it', () =>
    pact.answered(
      {
        about: 'AIR without a session index is not offered one',
        given,
        request: request(1, 'initialize', oldAir),
        answer: answer(1, { _meta: air({ capabilities: without('sessionIndex') }) }),
      },
      (frame) => expect(frame.result._meta.jetbrains.air.capabilities).not.toContain('sessionIndex'),
    ));

  test.each([
    { version: 1, profile: profiles.plainV1 },
    { version: 2, profile: profiles.plainV2 },
  ])('S11.1, S11.2 v$version: nothing of AIR for other clients', ({ version, profile }) =>
    pact.answered(
      {
        about: `a client that is not AIR on v${version}`,
        given,
        request: request(1, 'initialize', profile),
        answer: answer(1, {
          protocolVersion: version,
          _meta: eachKeyMatches({ steering }, regex('^(?!(jetbrains|goal)$).+$', 'steering')),
        }),
      },
      (frame) => expect(() => readOffer(frame)).toThrow(),
    ),
  );

  test('is what contracts/pacts says', () => {
    const { written, published } = pact.compare();
    expect(written, howToPublish).toEqual(published);
  });
});
