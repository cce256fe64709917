import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/domain/conversation/cut-text.ts';
import { servesTitleModel, titleModel } from '../../../src/domain/title/title-model.ts';
import { generatedTitle, titleSource } from '../../../src/domain/title/title-text.ts';

describe('what a title is made from', () => {
  it.each([
    ['S3.191 all text blocks', ['Fix', 'the build'], 'Fix\nthe build'],
    ['S3.191 the lines of the text stay', ['  Fix:\n  a\n'], 'Fix:\n  a'],
    ['S9.130 no text', [], ''],
    ['S9.130 only blanks', [' ', '\n'], ''],
    ['S3.191 4000 units fit', ['x'.repeat(4000)], 'x'.repeat(4000)],
    ['S3.191 longer ones are cut', ['x'.repeat(4001)], 'x'.repeat(4000)],
    ['S3.191 a pair is not split', [`${'x'.repeat(3999)}😀`], 'x'.repeat(3999)],
    ['S3.191 a whole pair at the end stays', [`${'x'.repeat(3998)}😀y`], `${'x'.repeat(3998)}😀`],
  ])('%s', (_name, texts, source) => {
    expect(titleSource(texts)).toBe(source);
  });

  it('S3.190 S3.191 a text that fits is not cut', () => {
    expect(cutText('😀', 2)).toBe('😀');
    expect(cutText('😀', 1)).toBe('');
  });
});

describe('what the model makes of it', () => {
  it.each([
    ['S9.133 as it is', 'Fix the build', 'Fix the build'],
    ['S9.133 one line', ' Fix\n the   build ', 'Fix the build'],
    ['S9.133 quotes', '"Fix the build"', 'Fix the build'],
    ['S9.133 typographic quotes', '“Fix the build”', 'Fix the build'],
    ['S9.133 quotes in quotes', "« 'Fix the build' »", 'Fix the build'],
    ['S9.133 quotes of a part stay', '"Fix" the "build"', '"Fix" the "build"'],
    ['S9.133 an apostrophe stays', "Fix the users' list", "Fix the users' list"],
    ['S9.133 empty', '', null],
    ['S9.133 blank', ' \n', null],
    ['S9.133 only quotes', '""', null],
    ['S9.133 a lone quote', '"', '"'],
    ['S9.133 none', null, null],
    ['S9.133 quotes around a long one', `"${'x'.repeat(300)}"`, `${'x'.repeat(255)}…`],
    ['S9.133 at most 256', 'x'.repeat(300), `${'x'.repeat(255)}…`],
  ])('%s', (_name, answer, title) => {
    expect(generatedTitle(answer)).toBe(title);
  });
});

describe('the title model', () => {
  it.each([
    ['S3.193 without a listing it is not known to be missing', null, true],
    ['S3.193 listed', ['a', titleModel], true],
    ['S3.193 listed with provider and date', ['openai/GPT-5.6-Luna-2026-01-01'], true],
    ['S3.193 not listed', ['gpt-6.1-sol'], false],
    ['S3.193 empty listing', [], false],
  ])('%s', (_name, listing, serves) => {
    expect(titleModel).toBe('gpt-5.6-luna');
    expect(servesTitleModel(listing)).toBe(serves);
  });
});
