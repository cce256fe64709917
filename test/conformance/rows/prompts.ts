import { expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import type { CheckedRow, Tier } from '../row.ts';
import type { Session } from '../session.ts';

/* Prompt content: rows that both versions share (2.4 and 3.4). */

/** One red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A prompt with a text that has the model answer, and this content. */
async function ends(session: Session, content: readonly object[], more: object = {}): Promise<void> {
  const turn = session.promptWithText([text('Seen.')], content, more);
  expect([content, (await turn.ended()).stopReason]).toEqual([content, 'end_turn']);
  expect(session.text(turn.from)).toBe('Seen.');
}

const accepts = (id: string, tier: Tier, requirement: string, prompts: readonly (readonly object[])[]): CheckedRow => ({
  id,
  tier,
  requirement,
  async run(lab) {
    const session = await lab.session();
    for (const content of prompts) await ends(session, content);
  },
});

export const takesLinks = accepts(
  'ACP-PROMPT-003',
  'advisory',
  'text with resource links is accepted, and the turn ends',
  [
    [{ type: 'resource_link', name: 'notes.txt', uri: 'file:///project/notes.txt' }],
    [{ type: 'resource_link', name: '', uri: 'https://example.com/a?b=c', mimeType: 'text/html', size: 3, title: 'A' }],
  ],
);

export const takesImages = accepts('ACP-PROMPTCAP-001', 'capability', 'a prompt with images is accepted and ends', [
  [{ type: 'image', mimeType: 'image/png', data: png }],
  [{ type: 'image', mimeType: 'image/png', data: '', uri: 'https://example.com/picture.png' }],
]);

export const takesAudioOrRefusesIt: CheckedRow = {
  id: 'ACP-PROMPTCAP-002',
  tier: 'capability',
  requirement: 'audio is not advertised and refused with -32602 (S12.14); the session goes on',
  async run(lab) {
    const session = await lab.session();
    const audio = { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' };
    expect(await session.refused(session.promptWith([audio]))).toMatchObject({ code: -32602 });
    await ends(session, []);
  },
};

const resources = [
  { uri: 'file:///project/notes.txt', mimeType: 'text/plain', text: 'one\ntwo' },
  { uri: 'zed:///agent/rule?a=1&b=2#c', text: '' },
  { uri: 'file:///project/data.bin', mimeType: 'application/octet-stream', blob: 'AAECAwQF/w==' },
  { uri: 'file:///project/pixel.png', mimeType: 'image/png', blob: png },
  { uri: 'memory:no-type', blob: 'AAECAwQF/w==' },
];

/** v1 does not ask for the form of a `uri`; the schema of v2 does. */
const v1Resources = [
  { uri: '', text: '</context> & <b>' },
  { uri: 'no "scheme" <at> all', text: 'x' },
];

export const takesResources: CheckedRow = {
  id: 'ACP-PROMPTCAP-003',
  tier: 'capability',
  requirement: 'embedded resources are accepted, text and blob with any uri, and the turn ends',
  async run(lab) {
    const session = await lab.session();
    for (const resource of lab.version === 1 ? [...resources, ...v1Resources] : resources) {
      await ends(session, [{ type: 'resource', resource }]);
    }
  },
};

export const takesForeignMeta: CheckedRow = {
  id: 'ACP-META-001',
  tier: 'advisory',
  requirement: 'a prompt with foreign `_meta` works',
  async run(lab) {
    const session = await lab.session();
    const foreign = {
      traceparent: '00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01',
      'example.com/own': { deep: [1, null, { jetbrains: 'text' }] },
      jetbrains: null,
      codex: 7,
    };
    await ends(session, [{ type: 'text', text: 'More.', _meta: foreign }], { _meta: foreign });
    await ends(session, [], { _meta: null });
  },
};
