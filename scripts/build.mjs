import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/*
 * `npm run build`, or `node scripts/build.mjs [entry] [folder]`: bundles the agent into `dist/codex-acp.js` and its lazy
 * chunks (pino, open, …). One file starts several times faster than some hundred modules; what only few processes need
 * stays out of it.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const NAME = 'codex-acp';

/** CommonJS dependencies ask for Node's own modules with `require`; a shebang does not disturb the chunks. */
const BANNER = `#!/usr/bin/env node
import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

const [entry = join(root, 'src/app/main.ts'), outdir = join(root, 'dist')] = process.argv.slice(2);
const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { outputFiles } = await build({
  entryPoints: { [NAME]: entry },
  absWorkingDir: root,
  outdir,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: `${NAME}-[name]-[hash]`,
  // Found at run time, from the bundle's own place (S1.60).
  external: ['@openai/codex'],
  banner: { js: BANNER },
  define: { __AGENT_NAME__: JSON.stringify(name), __AGENT_VERSION__: JSON.stringify(version) },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
const executable = join(outdir, `${NAME}.js`);
// The executable comes last: when it is there, its chunks are, too.
const parts = outputFiles.filter(({ path }) => path !== executable);
await Promise.all(parts.map(({ path, contents }) => writeFile(path, contents)));
for (const { path, contents } of outputFiles) if (path === executable) await writeFile(path, contents);
await chmod(executable, 0o755);
const current = new Set(outputFiles.map(({ path }) => basename(path)));
const stale = (await readdir(outdir)).filter((file) => file.startsWith(NAME) && !current.has(file));
await Promise.all(stale.map((file) => rm(join(outdir, file))));
