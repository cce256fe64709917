import { applyPatch, reasoning, reply, runCommand, type Scripted, text, withUsage } from '../support/model-replies.ts';
import type { Responder } from '../support/model-server.ts';

/** The small program of the demo: a bug, and a check that finds it. */
export const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "greeting", "type": "module" }\n',
  'greet.js': `/** Says hello. */
export function greet(name) {
  return 'Hello, ' + name + '!';
}
`,
  'check.js': `import { setTimeout as pause } from 'node:timers/promises';
import { greet } from './greet.js';

const checks = [
  ['greets by name', () => greet('Ada') === 'Hello, Ada!'],
  ['trims the name', () => greet('  Ada ') === 'Hello, Ada!'],
  ['greets a stranger', () => greet() === 'Hello, you!'],
];

for (const [title, passes] of checks) {
  await pause(300);
  const ok = passes();
  if (!ok) process.exitCode = 1;
  console.log(ok ? 'ok    ' + title : 'FAIL  ' + title);
}
`,
};

/** The file that the conversation mends. */
export const BROKEN_FILE = 'greet.js';
export const CHECK = 'node check.js';
export const PROMPT = `Run \`${CHECK}\`, mend ${BROKEN_FILE} so that every check passes, and run it again.`;

const PATCH = `*** Update File: greet.js
@@
-/** Says hello. */
-export function greet(name) {
-  return 'Hello, ' + name + '!';
+/** Says hello to somebody, or to you. */
+export function greet(name = 'you') {
+  return \`Hello, \${name.trim()}!\`;
 }
`;

/**
 * What the scripted model says, request by request. `delayMs` is the time between two words. Where the sandbox of Codex
 * cannot work (some containers), the checks do not run, and the model asks to run them without it, as a real one does.
 */
export function scriptedModel(delayMs: number): Responder {
  const say = (words: string) => text(words, { delayMs, phase: 'commentary' });
  let step = 0;
  return ({ toolOutputs }) => {
    const lastOutput = toolOutputs.at(-1)?.text ?? '';
    const checked = lastOutput.includes('greets by name');
    step += 1;
    switch (step) {
      case 1:
        return used(
          3120,
          reply(
            reasoning(['The checks tell what is wrong, so they come before any change.']),
            say('I run the checks first to see what fails.'),
            runCommand(CHECK, { login: false }),
          ),
        );
      case 2:
        if (!checked && toolOutputs.length === 1) {
          step -= 1;
          return used(3240, reply(say('They cannot run in the sandbox here.'), withoutSandbox));
        }
        return used(
          3310,
          reply(
            reasoning(['One default value and one trim are enough.']),
            say('Two of three fail: nobody trims the name, and a stranger has none. Both are mended in one place.'),
            applyPatch(PATCH),
          ),
        );
      case 3:
        return used(3520, reply(say('Once more, to be sure.'), again(toolOutputs.length > 2)));
      case 4:
        return used(
          3640,
          text(`All three checks pass. \`greet\` now trims the name and says "you" to a stranger.`, {
            delayMs,
            phase: 'final_answer',
          }),
        );
      default:
        return undefined;
    }
  };
}

const withoutSandbox = runCommand(CHECK, { login: false, escalate: 'May the checks run without the sandbox?' });

function again(outside: boolean) {
  return outside ? withoutSandbox : runCommand(CHECK, { login: false });
}

function used(input: number, scripted: Exclude<Scripted, { kind: 'failure' }>): Scripted {
  const output = 70;
  return withUsage(scripted, { input, cached: 2900, output, reasoning: 20, total: input + output });
}
