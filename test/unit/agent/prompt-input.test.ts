import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { FakeCodex, fakeModel } from '../../support/fake-codex.ts';
import { events } from '../../support/session-lab.ts';
import { clientNames, runningPrompt, v1Names, v2Names, wireLab } from '../../support/wire-lab.ts';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const imageResource = { type: 'resource', resource: { uri: 'file:///w/a.png', mimeType: 'image/png', blob: 'BBBB' } };
const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };

/** A Codex whose model takes text only; the second one takes images, too. */
function textOnly(): FakeCodex {
  const codex = new FakeCodex();
  const blind = { ...fakeModel, inputModalities: ['text'] };
  codex.modelList = [blind, { ...fakeModel, id: 'gpt-eyes', model: 'gpt-eyes', isDefault: false }];
  return codex;
}

const option = (version: 1 | 2, configId: string, value: string) => ({
  configId,
  value,
  ...(version === 2 ? { type: 'id' } : {}),
});

describe.each(clientNames)('%s', (name) => {
  test('S3.20 S12.14 other blocks are refused by name, in prompts and steers, and nothing is started', async () => {
    const lab = await wireLab(name);
    lab.prompt([text('listen'), audio]);
    lab.steer([audio]);
    const message = 'Invalid params: Unsupported content block type: audio';
    expect(await lab.news()).toEqual([`p1 error -32602 ${message}`, `s1 error -32602 ${message}`]);
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.prompt('again');
    await lab.settle();
    expect(lab.codex.of('startTurn')).toHaveLength(1);
  });

  test('S3.21 S3.140 a session that is not open is named', async () => {
    const lab = await wireLab(name);
    const params = { sessionId: 'elsewhere', prompt: [text('hi')] };
    const expected = { code: -32002, message: 'Session elsewhere not found', data: { sessionId: 'elsewhere' } };
    for (const method of ['session/prompt', '_session/steering']) {
      await expect(lab.client.request(method, params)).rejects.toMatchObject(expected);
    }
  });

  test.each([
    ['an image block', image],
    ['an image in a resource', imageResource],
  ])('S3.25 %s needs a model that takes it', async (_what, block) => {
    const lab = await wireLab(name, { codex: textOnly() });
    const prompt = lab.prompt([text('look'), block]);
    const reason = 'The current model does not support image input';
    await expect(prompt.answer).rejects.toMatchObject({
      code: -32600,
      message: `Invalid request: ${reason}`,
      data: reason,
    });
    expect(await lab.words()).toEqual([`p1 error -32600 Invalid request: ${reason}`]);
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.mark();
    // A steer that finds no turn is a prompt.
    await expect(lab.steer([block]).answer).rejects.toMatchObject({ code: -32600, data: reason });
  });

  test('S3.25 R31 S12.7 the model that a queued prompt will run with decides', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    await runningPrompt(lab);
    lab.prompt([image]);
    const change = option(lab.version, 'model', 'gpt-eyes');
    await lab.client.request('session/set_config_option', { sessionId: lab.sessionId, ...change });
    lab.emit(events.completed('turn-1'));
    await lab.settle();
    const [, second] = lab.codex.of('startTurn');
    expect(second?.params).toMatchObject({
      input: [{ type: 'image', url: 'data:image/png;base64,AAAA' }],
      policy: { model: 'gpt-eyes' },
    });
  });

  test('S3.25 S3.140 the model of the turn that runs decides about a steer, whatever was chosen since', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    const choose = (model: string) =>
      lab.client.request('session/set_config_option', {
        sessionId: lab.sessionId,
        ...option(lab.version, 'model', model),
      });
    const refused = { code: -32600, data: 'The current model does not support image input' };
    await runningPrompt(lab);
    await choose('gpt-eyes');
    await expect(lab.steer([image]).answer).rejects.toMatchObject(refused);
    expect(lab.codex.of('steer')).toEqual([]);
    expect(await lab.steer([text('no image')]).answer).toEqual({ outcome: 'injected' });
    lab.emit(events.completed('turn-1'));
    await runningPrompt(lab);
    await choose('gpt-test');
    expect(await lab.steer([image]).answer).toEqual({ outcome: 'injected' });
    expect(lab.codex.of('steer').map(({ params }) => params.turnId)).toEqual(['turn-1', 'turn-2']);
  });

  test('S3.25 S3.142 the model of a start that is under way decides about a steer that waits for it', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.client.request('session/set_config_option', {
      sessionId: lab.sessionId,
      ...option(lab.version, 'model', 'gpt-eyes'),
    });
    const steers = [lab.steer([image]), lab.steer([text('no image')])] as const;
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
    lab.emit(events.started('turn-1'));
    await expect(steers[0].answer).rejects.toMatchObject({ code: -32600 });
    expect(await steers[1].answer).toEqual({ outcome: 'injected' });
  });

  test('S3.25 the model with which an agent turn began decides about a steer', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    const choose = (model: string) =>
      lab.client.request('session/set_config_option', {
        sessionId: lab.sessionId,
        ...option(lab.version, 'model', model),
      });
    lab.emit(events.started('goal-1'));
    await choose('gpt-eyes');
    await expect(lab.steer([image]).answer).rejects.toMatchObject({ code: -32600 });
    lab.emit(events.completed('goal-1'));
    await lab.client.request('_session/goal', { sessionId: lab.sessionId, action: 'set', objective: 'Dig' });
    lab.emit(events.started('goal-2'));
    await choose('gpt-test');
    expect(await lab.steer([image]).answer).toEqual({ outcome: 'injected' });
  });

  test('S3.25 R20 a steer that Codex sends on to another turn: the model of that one decides', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    await lab.client.request('session/set_config_option', {
      sessionId: lab.sessionId,
      ...option(lab.version, 'model', 'gpt-eyes'),
    });
    await runningPrompt(lab);
    lab.codex.manual.add('steer');
    const steer = lab.steer([image]);
    await lab.codex.called('steer');
    await lab.client.request('session/set_config_option', {
      sessionId: lab.sessionId,
      ...option(lab.version, 'model', 'gpt-test'),
    });
    await lab.client.request('_session/goal', { sessionId: lab.sessionId, action: 'set', objective: 'Dig' });
    lab.emit(events.started('goal-2'));
    const mismatch = 'expected active turn id `turn-1` but found `goal-2`';
    lab.codex.heldSteers.shift()?.reject(new CodexRequestError(-32600, mismatch));
    await expect(steer.answer).rejects.toMatchObject({ code: -32600 });
    expect(lab.codex.of('steer')).toHaveLength(1);
  });

  test('S3.25 S3.141 with an image nothing runs that could take it: the host keeps it', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    const steer = lab.steer([image], { _meta: { steering: { idleBehavior: 'promptRequired' } } });
    expect(await steer.answer).toMatchObject({ outcome: 'promptRequired' });
  });

  test('S12.2 an address of an image is a link, which every model takes', async () => {
    const lab = await wireLab(name, { codex: textOnly() });
    lab.prompt([{ type: 'image', data: '', mimeType: 'image/png', uri: 'https://x.example/a.png' }, text('see')]);
    await lab.settle();
    expect(lab.codex.of('startTurn')[0]?.params.input).toEqual([
      { type: 'text', text: '[@image](https://x.example/a.png)' },
      { type: 'text', text: 'see' },
    ]);
  });

  const rich = [
    text('$skill first'),
    image,
    { type: 'resource_link', name: 'a.ts', uri: 'file:///w/a.ts', annotations: { priority: 1 }, _meta: { x: 1 } },
    { type: 'resource_link', name: '', uri: 'file:///w/dir/b.ts' },
    { type: 'resource_link', name: '', uri: 'zed:///thread/1' },
    { type: 'resource', resource: { uri: 'file:///w/a&b".ts', text: 'let x;' } },
    { type: 'resource', resource: { uri: 'file:///w/a.bin', mimeType: 'a"b&c', blob: 'CCCC' } },
    { type: 'resource', resource: { uri: 'file:///w/c.bin', blob: 'DDDD' } },
    imageResource,
  ];
  const mapped = [
    { type: 'text', text: '$skill first' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
    { type: 'text', text: '[@a.ts](file:///w/a.ts)' },
    { type: 'text', text: '[@b.ts](file:///w/dir/b.ts)' },
    { type: 'text', text: 'zed:///thread/1' },
    {
      type: 'text',
      text: '[@a&b".ts](file:///w/a&b".ts)\n<context ref="file:///w/a&amp;b&quot;.ts">\nlet x;\n</context>',
    },
    {
      type: 'text',
      text: '[@a.bin](file:///w/a.bin)\n<context ref="file:///w/a.bin" mimeType="a&quot;b&amp;c" encoding="base64">\nCCCC\n</context>',
    },
    {
      type: 'text',
      text: '[@c.bin](file:///w/c.bin)\n<context ref="file:///w/c.bin" mimeType="application/octet-stream" encoding="base64">\nDDDD\n</context>',
    },
    { type: 'image', url: 'data:image/png;base64,BBBB' },
  ];

  test('S3.26 S3.27 S3.28 C020 prompts and steers are mapped alike, one input per block', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab, rich);
    lab.steer(rich);
    await lab.settle();
    expect(lab.codex.of('startTurn')[0]?.params.input).toEqual(mapped);
    expect(lab.codex.of('steer')[0]?.params.input).toEqual(mapped);
  });

  test('S3.29 only v2 gives its messages ids', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    expect(lab.codex.of('startTurn')[0]?.params).toMatchObject({
      threadId: lab.sessionId,
      clientMessageId: lab.version === 1 ? null : expect.stringMatching(/^[0-9a-f-]{36}$/),
      policy: { model: 'gpt-test', effort: 'low' },
    });
  });
});

describe.each(v1Names)('an empty prompt of %s', (name) => {
  test('S3.24 S3.6 runs as it is', async () => {
    const lab = await wireLab(name);
    lab.prompt([]);
    await lab.settle();
    expect(lab.codex.of('startTurn')[0]?.params.input).toEqual([]);
    lab.emit(events.started('turn-1'), events.delta('turn-1', 'Yes?'), events.completed('turn-1'));
    expect(await lab.words()).toEqual(['text Yes?', 'p1 end_turn']);
  });
});

describe.each(v2Names)('an empty prompt of %s', (name) => {
  test('S3.24 is refused, and shows nothing', async () => {
    const lab = await wireLab(name);
    await expect(lab.prompt([]).answer).rejects.toMatchObject({ code: -32602 });
    expect(lab.codex.of('startTurn')).toEqual([]);
    expect(await lab.words()).toEqual([expect.stringMatching(/^p1 error -32602/)]);
  });

  test.each(['idle', 'running'])('S3.24 as a steer it is refused while the session is %s', async (state) => {
    const lab = await wireLab(name);
    if (state === 'running') await runningPrompt(lab);
    await expect(lab.steer([]).answer).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: steering prompt must not be empty',
    });
    expect(lab.codex.of('steer')).toEqual([]);
    expect(lab.codex.of('startTurn')).toHaveLength(state === 'running' ? 1 : 0);
  });
});

describe.each(['plainV1', 'airV1', 'plainV2', 'airV2'] as const)('commands of %s', (name) => {
  const usages: readonly [string, string][] = [
    ['/plan now', 'Command "/plan" requires no arguments.'],
    ['/goal', 'Command "/goal" requires [<objective>|clear|pause|resume].'],
    ['/rename', 'Command "/rename" requires new name.'],
    ['/review-branch', 'Command "/review-branch" requires branch name.'],
    ['/review-commit  ', 'Command "/review-commit" requires commit sha.'],
    [`/goal ${'x'.repeat(4001)}`, 'Command "/goal" requires goal text of at most 4000 characters.'],
  ];

  test.each(usages)('S3.31 S3.32 S3.33 %#: a wrong use is answered with how it is used', async (typed, usage) => {
    const lab = await wireLab(name);
    lab.prompt(typed);
    expect(await lab.words()).toEqual(
      lab.version === 1
        ? [`text ${usage}`, 'p1 end_turn']
        : [`user ${typed}`, 'p1 inserted', 'running', `text ${usage}`, 'idle end_turn'],
    );
    expect(lab.codex.of('startTurn')).toEqual([]);
  });

  test.each(['/status', ' /SKILLS ', '/mcp', '/logout'])(
    'T3 T7 S3.31 S3.33 %s answers with one text',
    async (typed) => {
      const lab = await wireLab(name);
      lab.prompt(typed);
      const words = await lab.words();
      const shape = words.map((word) => word.split(' ', 1)[0]).filter((word) => word !== '_auth/status_update');
      expect(shape).toEqual(lab.version === 1 ? ['text', 'p1'] : ['user', 'p1', 'running', 'text', 'idle']);
      expect(lab.codex.of('startTurn')).toEqual([]);
    },
  );

  test('S3.31 /plan turns plan mode on and off, and says so with the options', async () => {
    const lab = await wireLab(name);
    for (const mode of ['plan', 'default']) {
      const prompt = lab.prompt('/plan');
      const words = await lab.news();
      expect(words).toEqual(
        lab.version === 1
          ? ['config_option_update', `${prompt.name} end_turn`]
          : ['user /plan', `${prompt.name} inserted`, 'running', 'config_option_update', 'idle end_turn'],
      );
      expect(lab.codex.of('collaborationMode').at(-1)).toMatchObject({ mode });
    }
  });

  test('S3.31 /rename gives no reply but the new title', async () => {
    const lab = await wireLab(name);
    lab.prompt('/rename  My name');
    await lab.settle();
    expect(lab.codex.of('setName')).toEqual([{ method: 'setName', threadId: lab.sessionId, name: 'My name' }]);
    lab.emit({ type: 'threadName', name: 'My name' });
    expect(await lab.words()).toEqual(
      lab.version === 1
        ? ['info My name', 'p1 end_turn']
        : ['user /rename  My name', 'p1 inserted', 'running', 'info My name', 'idle end_turn'],
    );
  });

  test.each([
    ['/goal pause', { method: 'setGoal', objective: null, status: 'paused' }],
    ['/goal PAUSE', { method: 'setGoal', objective: null, status: 'paused' }],
    ['/goal Clear', { method: 'clearGoal' }],
  ])('S3.31 S3.35 %s is local', async (typed, call) => {
    const lab = await wireLab(name);
    lab.prompt(typed);
    await lab.settle();
    expect(lab.codex.calls.at(-1)).toEqual(call);
    expect(lab.codex.of('startTurn')).toEqual([]);
  });

  const turns: readonly [string, object][] = [
    ['/compact', { method: 'compact' }],
    ['/review', { method: 'review', target: { type: 'uncommittedChanges' } }],
    ['/Review look closely', { method: 'review', target: { type: 'custom', instructions: 'look closely' } }],
    ['/review-branch main', { method: 'review', target: { type: 'baseBranch', branch: 'main' } }],
    ['/review-commit abc', { method: 'review', target: { type: 'commit', sha: 'abc' } }],
    ['/goal Ship it', { method: 'setGoal', objective: 'Ship it', status: 'active' }],
    ['/goal pause the music', { method: 'setGoal', objective: 'pause the music', status: 'active' }],
    ['/goal Resume', { method: 'setGoal', objective: null, status: 'active' }],
  ];
  test.each(turns)('S3.31 S3.35 %s asks Codex', async (typed, call) => {
    const lab = await wireLab(name);
    lab.prompt(typed);
    await lab.settle();
    expect(lab.codex.calls.filter(({ method }) => ['compact', 'review', 'setGoal'].includes(method))).toEqual([
      expect.objectContaining(call),
    ]);
  });

  const ordinary: readonly (readonly [string, readonly unknown[]])[] = [
    ['/', [text('/')]],
    ['a skill', [text('/$review it')]],
    ['an unknown word', [text('/deploy now')]],
    ['a path', [text('/status/report.md is wrong')]],
    ['a later block', [text('look'), text('/status')]],
    ['another kind of block first', [image, text('/status')]],
  ];
  test.each(ordinary)('S3.30 C021 %s is an ordinary prompt', async (_what, blocks) => {
    const lab = await wireLab(name);
    lab.prompt(blocks);
    await lab.settle();
    expect(lab.codex.of('startTurn')[0]?.params.input).toHaveLength(blocks.length);
  });

  test('S3.34 C020 text behind a goal belongs to it, an image is named as left out', async () => {
    const lab = await wireLab(name);
    const resource = { type: 'resource', resource: { uri: 'file:///w/a.md', text: 'details' } };
    lab.prompt([text('/goal Ship'), text('by noon'), resource, image]);
    await lab.settle();
    expect(lab.codex.of('setGoal')[0]?.objective).toBe(
      'Ship\n\nby noon\n\n[@a.md](file:///w/a.md)\n<context ref="file:///w/a.md">\ndetails\n</context>',
    );
    const told = (await lab.words()).filter((word) => !word.startsWith('user'));
    expect(told.some((word) => /^(notice|text) .*(left out|not sent)/.test(word))).toBe(true);
  });
});

test('S3.27 S3.39 skills of further directories are set before the start', async () => {
  const lab = await wireLab('plainV1');
  const params = { cwd: '/w', additionalDirectories: ['/more'], mcpServers: [] };
  const { sessionId } = await lab.client.request('session/new', params);
  lab.sessionId = sessionId;
  lab.prompt('hi');
  await lab.settle();
  const calls = lab.codex.calls.filter(({ method }) => method === 'useSkillRoots' || method === 'startTurn');
  expect(calls.slice(-2)).toMatchObject([{ roots: ['/more/.agents/skills'] }, { method: 'startTurn' }]);
});
