import { describe, expect, it } from 'vitest';
import { toToml } from '../../../src/adapters/codex-app-server/toml.ts';

describe('TOML values', () => {
  it.each([
    ['a "quoted" \\ text\n', '"a \\"quoted\\" \\\\ text\\n"'],
    [7, '7'],
    [-0.5, '-0.5'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [true, 'true'],
    [[1, 'two', [false]], '[1, "two", [false]]'],
    [{ a: 1, 'b c': { d: [] } }, '{ "a" = 1, "b c" = { "d" = [] } }'],
    [{}, '{}'],
  ])('S1.66 renders %j', (value, toml) => {
    expect(toToml(value)).toBe(toml);
  });

  it('S1.69 escapes U+007F and replaces lone surrogates, in keys too', () => {
    expect(toToml('\u007f')).toBe('"\\u007F"');
    expect(toToml('a\ud800b\udc00c👍')).toBe('"a\ufffdb\ufffdc👍"');
    expect(toToml({ '\u007f': '\ud800' })).toBe('{ "\\u007F" = "\ufffd" }');
  });

  it('S1.69 leaves out null members', () => {
    expect(toToml({ a: null, b: undefined, c: [null, 1] })).toBe('{ "c" = [1] }');
  });

  it('S1.67 renders a null value as null', () => {
    expect(toToml(null)).toBe('null');
  });
});
