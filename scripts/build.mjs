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
const { outputFiles, metafile } = await build({
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
  legalComments: 'none',
  metafile: true,
  sourcemap: 'linked',
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
await writeFile(join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licenses(Object.keys(metafile.inputs)));
const executable = join(outdir, `${NAME}.js`);
// The executable comes last: when it is there, its chunks are, too.
const parts = outputFiles.filter(({ path }) => path !== executable);
await Promise.all(parts.map(({ path, contents }) => writeFile(path, contents)));
for (const { path, contents } of outputFiles) if (path === executable) await writeFile(path, contents);
await chmod(executable, 0o755);
const current = new Set(outputFiles.map(({ path }) => basename(path)));
const stale = (await readdir(outdir)).filter((file) => file.startsWith(NAME) && !current.has(file));
await Promise.all(stale.map((file) => rm(join(outdir, file))));

/** The licences of the packages whose code is in the bundle, which asks for them to go along. */
async function licenses(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    const file = (await readdir(path)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? '' : `\n\n${(await readFile(join(path, file), 'utf8')).trim()}`;
    return `${name} ${version} (${license})${text}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
