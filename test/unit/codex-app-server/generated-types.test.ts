import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generate } from '../../../scripts/generate-types.ts';

it('S1.250 the protocol types are those of the pinned Codex', () => {
  const file = fileURLToPath(new URL('../../../src/adapters/codex-app-server/protocol.generated.ts', import.meta.url));
  expect(readFileSync(file, 'utf8')).toBe(generate());
});
