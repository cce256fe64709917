import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Frame } from '../../test/support/acp-client.ts';
import { profiles } from '../../test/support/profiles.ts';
import { interactionOf, pactPath, readPact } from '../support/pact-file.ts';
import { produce } from '../support/provider.ts';
import { copyOf, isAbout, type Tampering, type Tamperings, tamperedPact } from '../support/tampering.ts';
import { type Verification, verifyPacts } from '../support/verification.ts';
import { provider } from './air-provider.ts';
import { readOffer, readSession, readTurn } from './air-reader.ts';
import { breaking, harmless } from './air-tamperings.ts';
import { introduced, runTurn } from './situations.ts';

const path = pactPath('air', provider.name);
const pact = readPact(path);
const descriptions = pact.interactions.map(({ description }) => description);

/** Mismatches of every interaction, and of its copies with tampered frames. */
let verified: Verification = {};

beforeAll(async () => {
  const parent = fileURLToPath(new URL('../.tmp/', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const dir = mkdtempSync(join(parent, 'tampered-'));
  const tampered = join(dir, 'tampered.json');
  const interactions = [breaking, harmless].flatMap((tamperings) => tamperedPact(pact, tamperings).interactions);
  writeFileSync(tampered, JSON.stringify({ ...pact, interactions }));
  try {
    verified = await verifyPacts([path, tampered], new URL('tampered-provider.ts', import.meta.url));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}, 60_000);

describe('the agent keeps the contract with AIR', () => {
  test.each(descriptions)('%s', (description) => expect(verified[description]).toEqual([]));

  test('every interaction belongs to a consumer test, and every producer to an interaction', () => {
    const files = descriptions.map(
      (description) => `${description.split(':')[0]?.replaceAll(' ', '-')}.consumer.test.ts`,
    );
    expect(files.filter((file) => !existsSync(new URL(file, import.meta.url)))).toEqual([]);
    expect(Object.keys(provider.messages).sort()).toEqual(descriptions);
  });
});

describe('AIR can read what the agent sends', () => {
  const produced = (description: string): Promise<unknown> => produce(provider, interactionOf(pact, description));

  test.each([1, 2])('S11.1 v%i: the offer', async (version) => {
    const frame = (await produced(`initialize: AIR on v${version}`)) as Frame;
    expect(readOffer(frame)).toMatchObject({ protocolVersion: version, steering: true });
  });

  test.each([1, 2])('S11.8, S11.9 v%i: a recommended value is offered, a mode has one kind', async (version) => {
    const frame = (await produced(`session setup: AIR on v${version} opens a session`)) as Frame;
    expect(readSession(frame).recommended).toEqual({ model: 'gpt-test', effort: 'low' });
  });

  test.each([1, 2])('S11.52 v%i: the answer names the message of the echo', async (version) => {
    const frames = (await produced(`text turn: AIR on v${version}`)) as readonly Frame[];
    expect(readTurn(frames).promptId !== null).toBe(version === 2);
  });
});

describe('other clients', () => {
  const turn = {
    sessionId: 'thread-1',
    prompt: 'Say hello',
    messageId: 'message-1',
    phase: 'final_answer',
    deltas: ['Hello'],
  } as const;

  test.each(['plainV1', 'zedV1', 'plainV2'] as const)('S11.2 %s: nothing under jetbrains', async (name) => {
    const agent = await introduced(profiles[name]);
    await runTurn(agent, { ...turn, deltas: [...turn.deltas] });
    expect(agent.client.text('thread-1')).toBe('Hello');
    expect(JSON.stringify(agent.client.received)).not.toContain('jetbrains');
  });
});

describe('the contract', () => {
  const copies = (tamperings: Tamperings): readonly (readonly [string, Tampering])[] =>
    Object.entries(tamperings).flatMap(([description, list]) =>
      list.map((tampering) => [copyOf(description, tampering), tampering] as const),
    );
  test('has a tampering with every interaction', () => expect(Object.keys(breaking).sort()).toEqual(descriptions));

  test.each(copies(breaking))('notices %s', (copy, tampering) => {
    const mismatches = verified[copy] ?? [];
    expect(
      mismatches.filter((mismatch) => isAbout(mismatch, tampering)),
      JSON.stringify(mismatches),
    ).not.toEqual([]);
  });

  test.each(copies(harmless))('does not mind %s', (copy) => expect(verified[copy]).toEqual([]));
});
