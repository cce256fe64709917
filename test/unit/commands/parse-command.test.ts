import { describe, expect, it } from 'vitest';
import { promptTask } from '../../../src/domain/commands/parse-command.ts';
import { parsePrompt } from '../../../src/domain/prompt/prompt-mapping.ts';

const text = (value: string) => ({ type: 'text', text: value });
const link = { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' };
const resource = { type: 'resource', resource: { uri: 'file:///w/b.ts', text: 'const b = 1;' } };
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const mappedResource = '[@b.ts](file:///w/b.ts)\n<context ref="file:///w/b.ts">\nconst b = 1;\n</context>';

function parse(...blocks: unknown[]) {
  return promptTask(parsePrompt(blocks));
}

function taskOf(value: string) {
  return parse(text(value)).task;
}

const turn = { type: 'turn' };

function local(name: string, command: object) {
  return { type: 'local', name, command };
}

function usage(name: string, line: string) {
  return local(name, { type: 'usage', text: line });
}

describe('recognition', () => {
  it.each([
    'hello',
    '/',
    '/ ',
    '/init',
    '/$skill do it',
    '$skill do it',
    'run /status',
    '/tmp/report.txt is broken',
    '/status/today.md is broken',
    '//status',
    '',
  ])('S3.30, S2.110, S2.135, C021 %j is an ordinary prompt', (value) => {
    expect(parse(text(value), image)).toEqual({ task: turn, ignored: 0 });
  });

  it.each(['/status', '  /STATUS \n', '/ status', '/Status'])('S3.30, S2.110 %j is /status', (value) => {
    expect(taskOf(value)).toEqual(local('status', { type: 'status' }));
  });

  it('S3.30 a command is only looked for in the first block', () => {
    expect(parse(text('hello'), text('/status')).task).toEqual(turn);
  });

  it('S3.30 the first block must be text', () => {
    expect(parse(image, text('/status')).task).toEqual(turn);
    expect(parse({ type: 'resource', resource: { uri: 'x:', text: '/status' } }).task).toEqual(turn);
    expect(promptTask([]).task).toEqual(turn);
  });

  it('S3.30 the name ends at any white space', () => {
    expect(taskOf('/rename\n new title ')).toEqual(local('rename', { type: 'rename', title: 'new title' }));
    expect(taskOf('/rename\tnew title')).toEqual(local('rename', { type: 'rename', title: 'new title' }));
  });

  it.each(['/status of the build', '/skills for cooking', '/logout of the page', '/compact this text'])(
    'C021 %j is no command, because that takes no argument',
    (value) => {
      expect(parse(text(value), image)).toEqual({ task: turn, ignored: 0 });
    },
  );
});

describe('S3.31, S2.111 local commands', () => {
  it.each([
    ['/plan', 'plan', { type: 'plan' }],
    ['/status', 'status', { type: 'status' }],
    ['/skills', 'skills', { type: 'skills' }],
    ['/mcp', 'mcp', { type: 'mcp', reconnect: false }],
    ['/mcp reconnect', 'mcp', { type: 'mcp', reconnect: true }],
    ['/logout', 'logout', { type: 'logout' }],
    ['/rename My Title', 'rename', { type: 'rename', title: 'My Title' }],
    ['/goal pause', 'goal', { type: 'goal', change: { action: 'pause' } }],
    ['/goal clear', 'goal', { type: 'goal', change: { action: 'clear' } }],
  ])('%s', (value, name, command) => {
    expect(taskOf(value)).toEqual(local(name, command));
  });

  it('S2.169 the argument of /mcp does not depend on case', () => {
    expect(taskOf('/mcp ReConnect')).toEqual(local('mcp', { type: 'mcp', reconnect: true }));
  });
});

describe('S3.31, S3.113 commands with a turn', () => {
  it.each([
    ['/compact', { type: 'compact' }],
    ['/review', { type: 'review', target: { type: 'uncommittedChanges' } }],
    ['/review the tests', { type: 'review', target: { type: 'custom', instructions: 'the tests' } }],
    ['/review-branch main', { type: 'review', target: { type: 'baseBranch', branch: 'main' } }],
    ['/review-commit abc123', { type: 'review', target: { type: 'commit', sha: 'abc123' } }],
    ['/goal ship it', { type: 'goal', change: { action: 'set', objective: 'ship it' } }],
    ['/goal resume', { type: 'goal', change: { action: 'resume' } }],
  ])('%s', (value, task) => {
    expect(taskOf(value)).toEqual(task);
  });

  it('S3.118 names of Git and objectives keep their case', () => {
    expect(taskOf('/REVIEW-BRANCH Feature/X')).toEqual({
      type: 'review',
      target: { type: 'baseBranch', branch: 'Feature/X' },
    });
  });
});

describe('S3.32, S2.114 usage texts', () => {
  it.each([
    ['/plan now', 'plan', 'Command "/plan" requires no arguments.'],
    ['/goal', 'goal', 'Command "/goal" requires [<objective>|clear|pause|resume].'],
    ['/rename', 'rename', 'Command "/rename" requires new name.'],
    ['/review-branch', 'review-branch', 'Command "/review-branch" requires branch name.'],
    ['/review-commit', 'review-commit', 'Command "/review-commit" requires commit sha.'],
    [`/goal ${'x'.repeat(4001)}`, 'goal', 'Command "/goal" requires goal text of at most 4000 characters.'],
    ['/mcp restart', 'mcp', 'Command "/mcp" accepts no arguments, or `reconnect`.'],
  ])('%.20s', (value, name, line) => {
    expect(taskOf(value)).toEqual(usage(name, line));
  });

  it('S3.31 the limit of a goal counts UTF-16 units, without the white space around it', () => {
    const longest = `  ${'😀'.repeat(2000)}  `;
    expect(taskOf(`/goal ${longest}`)).toEqual({
      type: 'goal',
      change: { action: 'set', objective: '😀'.repeat(2000) },
    });
    expect(taskOf(`/goal ${'😀'.repeat(2000)}x`)).toMatchObject({ command: { type: 'usage' } });
  });
});

describe('S3.35 keywords of /goal', () => {
  it.each(['/goal PAUSE', '/goal Pause '])('%j pauses', (value) => {
    expect(taskOf(value)).toEqual(local('goal', { type: 'goal', change: { action: 'pause' } }));
  });

  it('match only as the whole argument', () => {
    expect(taskOf('/goal pause the music')).toEqual({
      type: 'goal',
      change: { action: 'set', objective: 'pause the music' },
    });
    expect(taskOf('/goal clearly')).toMatchObject({ type: 'goal', change: { objective: 'clearly' } });
  });

  it('C020 are keywords also with attachments, which are left out by number', () => {
    expect(parse(text('/goal clear'), link)).toEqual({
      task: local('goal', { type: 'goal', change: { action: 'clear' } }),
      ignored: 1,
    });
    expect(parse(text('/goal resume'), link, image)).toEqual({
      task: { type: 'goal', change: { action: 'resume' } },
      ignored: 2,
    });
  });
});

describe('S3.34, C020 blocks behind a command', () => {
  it('belong to the instructions of a review as Codex would read them; images are left out', () => {
    expect(parse(text('/review look at'), link, text(' and '), resource, image)).toEqual({
      task: {
        type: 'review',
        target: {
          type: 'custom',
          instructions: `look at\n\n[@a.ts](file:///w/a.ts)\n\nand\n\n${mappedResource}`,
        },
      },
      ignored: 1,
    });
  });

  it('belong to the objective of a goal', () => {
    expect(parse(text('/goal fix'), resource)).toEqual({
      task: { type: 'goal', change: { action: 'set', objective: `fix\n\n${mappedResource}` } },
      ignored: 0,
    });
    expect(parse(text('/goal '), text('fix it'))).toEqual({
      task: { type: 'goal', change: { action: 'set', objective: 'fix it' } },
      ignored: 0,
    });
  });

  it('count for the limit of a goal', () => {
    expect(parse(text(`/goal ${'x'.repeat(2000)}`), text('y'.repeat(1998))).task).toMatchObject({ type: 'goal' });
    expect(parse(text(`/goal ${'x'.repeat(2000)}`), text('y'.repeat(1999))).task).toEqual(
      usage('goal', 'Command "/goal" requires goal text of at most 4000 characters.'),
    );
  });

  it('an image alone is no objective', () => {
    expect(parse(text('/goal'), image)).toEqual({
      task: usage('goal', 'Command "/goal" requires [<objective>|clear|pause|resume].'),
      ignored: 1,
    });
  });

  it.each(['/review', '/review-branch main', '/compact', '/status', '/rename x', '/plan', '/plan x', '/mcp'])(
    'are left out of %s, which does not fail',
    (value) => {
      const { task, ignored } = parse(text(value), link, image);
      expect(ignored).toBe(2);
      expect(task).toEqual(taskOf(value));
      expect(task).not.toEqual(turn);
    },
  );
});
