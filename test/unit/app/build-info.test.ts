import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildInfo } from '../../../src/app/build-info.ts';

test('S1.2 name and version are those of the package, also unbundled', () => {
  expect(buildInfo).toEqual({ name: packageJson.name, version: packageJson.version });
});
