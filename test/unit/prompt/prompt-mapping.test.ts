import { expect, it } from 'vitest';
import { AgentError } from '../../../src/domain/errors/agent-error.ts';
import { codexInput, hasImage, parsePrompt } from '../../../src/domain/prompt/prompt-mapping.ts';

function inputOf(block: object): unknown {
  return codexInput(parsePrompt([block]))[0];
}

function resource(contents: object): object {
  return { type: 'resource', resource: contents };
}

const image = { type: 'image', mimeType: 'image/png', data: 'iVBO' };

it.each<[string, object, object]>([
  ['text', { type: 'text', text: ' hi\n' }, { type: 'text', text: ' hi\n' }],
  ['a skill mention (S3.27)', { type: 'text', text: '$docs go' }, { type: 'text', text: '$docs go' }],
  [
    'a link',
    { type: 'resource_link', name: 'a.ts', uri: 'file:///w/a.ts' },
    { type: 'text', text: '[@a.ts](file:///w/a.ts)' },
  ],
  [
    'a link without a name to a file',
    { type: 'resource_link', name: '', uri: 'file:///w/src/a%20b.ts' },
    { type: 'text', text: '[@a%20b.ts](file:///w/src/a%20b.ts)' },
  ],
  [
    'a link without a name to a folder',
    { type: 'resource_link', uri: 'file:///w/src/' },
    { type: 'text', text: '[@src](file:///w/src/)' },
  ],
  [
    'a link without a name to the root',
    { type: 'resource_link', name: '', uri: 'file:///' },
    { type: 'text', text: 'file:///' },
  ],
  [
    'a link without a name to a site',
    { type: 'resource_link', name: '', uri: 'https://a.example/b' },
    { type: 'text', text: 'https://a.example/b' },
  ],
  [
    'an embedded file',
    resource({ uri: 'file:///w/a.ts', text: 'one\ntwo', mimeType: 'text/plain' }),
    { type: 'text', text: '[@a.ts](file:///w/a.ts)\n<context ref="file:///w/a.ts">\none\ntwo\n</context>' },
  ],
  [
    'an embedded text without a file',
    resource({ uri: 'zed:///x?a=1&b="2"', text: '' }),
    {
      type: 'text',
      text: 'zed:///x?a=1&b="2"\n<context ref="zed:///x?a=1&amp;b=&quot;2&quot;">\n\n</context>',
    },
  ],
  [
    'an embedded image',
    resource({ uri: 'file:///w/a.png', blob: 'iVBO', mimeType: 'image/png' }),
    { type: 'image', url: 'data:image/png;base64,iVBO' },
  ],
  [
    'an embedded blob',
    resource({ uri: 'file:///w/a.pdf', blob: 'JVBE', mimeType: 'application/pdf; x="1&2"' }),
    {
      type: 'text',
      text:
        '[@a.pdf](file:///w/a.pdf)\n' +
        '<context ref="file:///w/a.pdf" mimeType="application/pdf; x=&quot;1&amp;2&quot;" encoding="base64">\n' +
        'JVBE\n</context>',
    },
  ],
  [
    'an embedded blob of unknown type',
    resource({ uri: 'x:y', blob: 'AA==' }),
    {
      type: 'text',
      text: 'x:y\n<context ref="x:y" mimeType="application/octet-stream" encoding="base64">\nAA==\n</context>',
    },
  ],
])('S3 table 2.2 S3.28 maps %s', (_case, block, input) => {
  expect(inputOf(block)).toEqual(input);
});

it.each<[string, object, object]>([
  ['bytes', image, { type: 'image', url: 'data:image/png;base64,iVBO' }],
  [
    'bytes before an address',
    { ...image, uri: 'https://a.example/x.png' },
    { type: 'image', url: 'data:image/png;base64,iVBO' },
  ],
  [
    'a data address',
    { ...image, data: '', uri: 'data:image/gif;base64,R0lG' },
    { type: 'image', url: 'data:image/gif;base64,R0lG' },
  ],
  [
    'a web address',
    { ...image, data: '', uri: 'https://a.example/x.png' },
    { type: 'text', text: '[@image](https://a.example/x.png)' },
  ],
  [
    'a file address',
    { ...image, data: '', uri: 'file:///w/x.png' },
    { type: 'text', text: '[@image](file:///w/x.png)' },
  ],
  [
    'an address without data member',
    { type: 'image', mimeType: 'image/png', uri: 'blob:1' },
    { type: 'text', text: '[@image](blob:1)' },
  ],
])('S12.2 maps an image with %s', (_case, block, input) => {
  expect(inputOf(block)).toEqual(input);
});

it('C020 keeps blocks in order, one input each', () => {
  const blocks = parsePrompt([{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }]);
  expect(codexInput(blocks).map(({ type }) => type)).toEqual(['text', 'image', 'text']);
  expect(codexInput(parsePrompt([]))).toEqual([]);
});

it('S3.26 S4.32 keeps the raw block for the echo, and forwards no annotations', () => {
  const raw = { type: 'text', text: 'a', annotations: { priority: 1 }, _meta: { x: 1 } };
  const [block] = parsePrompt([raw]);
  expect(block?.raw).toBe(raw);
  expect(inputOf(raw)).toEqual({ type: 'text', text: 'a' });
});

it.each(['audio', 'video', '', 'Text'])('S3.20 S12.14 refuses a block of type %j by name', (type) => {
  expect(() =>
    parsePrompt([
      { type: 'text', text: 'a' },
      { type, data: 'x' },
    ]),
  ).toThrow(AgentError.invalidParams(`Unsupported content block type: ${type}`));
});

it.each([
  ['no object', 'hi'],
  ['a list', [image]],
  ['null', null],
  ['no type', { text: 'a' }],
  ['a text without text', { type: 'text' }],
  ['an image without data and address', { type: 'image', mimeType: 'image/png', data: '' }],
  ['an image without type', { type: 'image', data: 'AA==' }],
  ['an image with a bad address', { ...image, uri: 7 }],
  ['a link without address', { type: 'resource_link', name: 'a' }],
  ['a resource without contents', { type: 'resource' }],
  ['a resource without address', resource({ text: 'a' })],
  ['a resource without text and blob', resource({ uri: 'x:y' })],
])('S2.8 C020 refuses %s', (_case, block) => {
  expect(() => parsePrompt([block])).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
});

it.each<[string, object, boolean]>([
  ['an image', image, true],
  ['an image by data address', { ...image, data: '', uri: 'data:image/png;base64,AA==' }, true],
  ['an image by web address, which is sent as text', { ...image, data: '', uri: 'https://a.example/x.png' }, false],
  ['an image in a resource', resource({ uri: 'x:y', blob: 'AA==', mimeType: 'image/webp' }), true],
  ['another blob', resource({ uri: 'x:y', blob: 'AA==', mimeType: 'application/pdf' }), false],
  ['a text about an image', resource({ uri: 'x:y', text: '<svg/>', mimeType: 'image/svg+xml' }), false],
  ['text', { type: 'text', text: 'image' }, false],
])('S3.25 finds an image in %s: %s', (_case, block, found) => {
  expect(hasImage(parsePrompt([{ type: 'text', text: 'see' }, block]))).toBe(found);
});
