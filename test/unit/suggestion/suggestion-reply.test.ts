import { describe, expect, it } from 'vitest';
import { suggestionPrompt } from '../../../src/domain/suggestion/suggestion-prompt.ts';
import { suggestionOf } from '../../../src/domain/suggestion/suggestion-reply.ts';

const reply = (suggestion: unknown): string => JSON.stringify({ suggestion });

describe('reply', () => {
  it.each([
    ['S3.194 a suggestion', reply('Run the tests'), 'Run the tests'],
    ['S3.194 trimmed', ` ${reply(' Run the tests\n')} `, 'Run the tests'],
    ['S3.194 in a json fence', `\`\`\`json\n${reply('Run it')}\n\`\`\``, 'Run it'],
    ['S3.194 in a plain fence', `\`\`\`\n${reply('Run it')}\n\`\`\`\n`, 'Run it'],
    ['S3.194 with further members', '{"suggestion":"Run it","why":1}', 'Run it'],
    ['S3.195 240 characters', reply('x'.repeat(240)), 'x'.repeat(240)],
    ['S3.195 longer', reply('x'.repeat(241)), null],
    ['S3.195 several lines', reply('Run\nthe tests'), null],
    ['S3.195 several lines with other breaks', reply('Run\u2028the tests'), null],
    ['S3.195 null', reply(null), null],
    ['S3.195 empty', reply(''), null],
    ['S3.195 blank', reply(' \n'), null],
    ['S3.195 no text', reply(['Run']), null],
    ['S3.195 no suggestion', '{}', null],
    ['S3.195 no object', '"Run the tests"', null],
    ['S3.195 null alone', 'null', null],
    ['S3.195 no JSON', 'Run the tests', null],
    ['S3.195 JSON with words around it', `Sure: ${reply('Run')}`, null],
    ['S3.195 an empty reply', '', null],
    ['S3.195 no reply', null, null],
  ])('%s', (_name, text, suggestion) => {
    expect(suggestionOf(text)).toBe(suggestion);
  });

  it('S3.194 S3.195 the model is told the form and the limits', () => {
    expect(suggestionPrompt).toContain('{"suggestion": "<text>"} or {"suggestion": null}');
    expect(suggestionPrompt).toContain('240 characters');
  });
});
