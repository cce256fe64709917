import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { type AgentInMemory, type AgentReplacements, agentWith } from '../../support/agent-with.ts';
import { type CodexCall, FakeCodex } from '../../support/fake-codex.ts';
import { profiles } from '../../support/profiles.ts';
import { events } from '../../support/session-lab.ts';

/*
 * Set-ups of an open session that change its instructions, seen from the client: what Codex is asked, what is answered,
 * and what the session refuses meanwhile.
 */

const updating = 'Session instructions are being updated; retry after session setup';
const busy = 'Cannot change systemPrompt while session work is in progress; retry when idle';
const kept = 'Codex kept the existing thread loaded; systemPrompt could not be changed. Retry when idle';
const notIdle = 'Changing systemPrompt requires an idle, persisted session; finish the turn or create a new session';

/** An error of a request as the client gets it. */
const refusal = (code: number, text: string): object => ({
  code,
  message: `${code === -32600 ? 'Invalid request' : 'Invalid params'}: ${text}`,
});

const systemPrompt = (...texts: string[]): object => ({
  systemPrompt: { mode: 'append', content: texts.map((text) => ({ type: 'text', text })) },
});
const custom = (text: string): object => ({ _meta: { jetbrains: { air: { customInstructions: text } } } });

type Held = 'listTerminals' | 'readThread' | 'resumeThread' | 'runningTurn' | 'unsubscribe';

async function agent(version: 1 | 2, replaced: AgentReplacements = {}) {
  const codex = replaced.codex ?? new FakeCodex();
  const lab = agentWith({ ...replaced, version, codex });
  await lab.client.request('initialize', profiles[version === 1 ? 'plainV1' : 'plainV2']);
  const request = (method: string, params: object) => lab.client.request(method, params);
  const open = async (more: object = systemPrompt('A')) => {
    const { sessionId } = await request('session/new', { cwd: '/w', mcpServers: [], ...more });
    codex.calls.splice(0);
    return {
      sessionId: sessionId as string,
      resume: (params: object = systemPrompt('B')) =>
        request('session/resume', { sessionId, cwd: '/w', mcpServers: [], ...params }),
      prompt: () => request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] }),
      steer: () => request('_session/steering', { sessionId, prompt: [{ type: 'text', text: 'more' }] }),
      goal: () => request('_session/goal', { sessionId, action: 'set', objective: 'ship' }),
      setMode: () =>
        version === 1
          ? request('session/set_mode', { sessionId, modeId: 'read-only' })
          : request('session/set_config_option', { sessionId, configId: 'mode', type: 'id', value: 'read-only' }),
      setEffort: () =>
        request('session/set_config_option', {
          sessionId,
          configId: 'reasoning_effort',
          value: 'high',
          ...(version === 2 ? { type: 'id' } : {}),
        }),
      cancel: () => lab.client.notify('session/cancel', { sessionId }),
      close: () => request('session/close', { sessionId }),
      /** The session works: its next prompt comes through. */
      works: async () => {
        const before = codex.of('startTurn').length;
        const answered = request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'next' }] });
        await codex.called('startTurn', before + 1);
        const turnId = `turn-${before + 1}`;
        const clientId = codex.of('startTurn').at(-1)?.params.clientMessageId ?? null;
        codex.emit(sessionId, events.started(turnId));
        codex.emit(sessionId, {
          type: 'itemStarted',
          turnId,
          item: { type: 'userMessage', id: `u-${turnId}`, clientId },
        });
        codex.emit(sessionId, events.completed(turnId));
        await answered;
      },
    };
  };
  /** Calls about the thread, in order, with the instructions that it is loaded with. */
  const threadCalls = (): string[] => codex.calls.flatMap(threadCall);
  return { ...lab, codex, open, threadCalls, request };
}

function threadCall(call: CodexCall): string[] {
  switch (call.method) {
    case 'readThread':
    case 'listTerminals':
    case 'runningTurn':
    case 'unsubscribe':
      return [call.method];
    case 'startThread':
    case 'resumeThread':
      return [`${call.method} ${call.params.developerInstructions ?? 'nothing'}`];
    default:
      return [];
  }
}

/** The whole reload, as Codex sees it. */
const reload = (text: string): string[] => [
  'readThread',
  'listTerminals',
  'runningTurn',
  'unsubscribe',
  `resumeThread ${text}`,
  'runningTurn',
];

describe.each([1, 2] as const)('v%i: instructions of an open session', (version) => {
  test('S2.54 S2.55 S2.56 another system prompt loads the thread again, and the session goes on', async () => {
    const { open, threadCalls, client, violations } = await agent(version);
    const session = await open();
    const opened = await session.resume();
    expect(opened.configOptions.length).toBeGreaterThan(0);
    expect(threadCalls()).toEqual(reload('B'));
    const statuses = client.updates(session.sessionId).flatMap((update) => update._meta?.codex?.threadStatus ?? []);
    // On v2 what is known of the thread is told once more with the snapshot (S2.45).
    expect(statuses.slice(0, 2)).toEqual([{ type: 'notLoaded' }, { type: 'idle' }]);
    await session.works();
    expect(violations).toEqual([]);
  });

  if (version === 2) {
    test('S2.45 S12.17 the client is told how the session stands after the reload and before the answer', async () => {
      const { open, client } = await agent(2);
      const session = await open();
      const from = client.received.length;
      await session.resume();
      const words = client.received.slice(from).map(({ params }) => params?.update?.sessionUpdate ?? 'answer');
      expect(words).toEqual([
        'session_info_update',
        'session_info_update',
        'session_info_update',
        'session_info_update',
        'state_update',
        'answer',
      ]);
    });
  }

  describe('S2.53 what changes them', () => {
    test.each<[string, object, object, string | null]>([
      ['the same prompt: nothing', systemPrompt('A'), systemPrompt('A'), null],
      ['no prompt: nothing', systemPrompt('A'), {}, null],
      ['S2.51 instructions of AIR alone: nothing', systemPrompt('A'), custom('mine'), null],
      ['a first prompt', {}, systemPrompt('B'), 'B'],
      ['S2.48 a prompt of two blocks', systemPrompt('A'), systemPrompt('B', 'C'), 'B\n\nC'],
      ['the same text in other blocks: nothing', systemPrompt('A', 'B'), systemPrompt('A\n\nB'), null],
      [
        'the same prompt with the known instructions of AIR: nothing',
        { ...systemPrompt('A'), ...custom('mine') },
        { ...systemPrompt('A'), ...custom('mine') },
        null,
      ],
      [
        'the same prompt with others',
        { ...systemPrompt('A'), ...custom('mine') },
        { ...systemPrompt('A'), ...custom('yours') },
        'yours\n\nA',
      ],
      [
        'S2.50 another prompt, with what is known of AIR',
        { ...systemPrompt('A'), ...custom('mine') },
        systemPrompt('B'),
        'mine\n\nB',
      ],
      ['S2.50 a first prompt, with what is known of AIR', custom('mine'), systemPrompt('B'), 'mine\n\nB'],
    ])('%s', async (_, before, after, expected) => {
      const { open, threadCalls } = await agent(version);
      const session = await open(before);
      await session.resume(after);
      expect(threadCalls()).toEqual(expected === null ? [] : reload(expected));
    });

    test('S2.52 what was changed is known: a repeat is no change, and the next change builds on it', async () => {
      const { open, threadCalls } = await agent(version);
      const session = await open();
      await session.resume({ ...systemPrompt('B'), ...custom('mine') });
      await session.resume({ ...systemPrompt('B'), ...custom('mine') });
      await session.resume(systemPrompt('B'));
      expect(threadCalls()).toEqual(reload('mine\n\nB'));
      await session.resume(systemPrompt('C'));
      expect(threadCalls()).toEqual([...reload('mine\n\nB'), ...reload('mine\n\nC')]);
    });

    test('S2.52 a failed change is not known', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.terminals = [{ itemId: 'i', processId: '1' }];
      await expect(session.resume()).rejects.toMatchObject({ code: -32602 });
      codex.terminals = [];
      await session.resume(systemPrompt('A'));
      expect(threadCalls()).toEqual(['readThread', 'listTerminals']);
      await session.resume();
      expect(threadCalls().slice(2)).toEqual(reload('B'));
    });

    test('S2.52 after a close nothing is known', async () => {
      const { open, codex, threadCalls, request } = await agent(version);
      const { sessionId, close } = await open({ ...systemPrompt('A'), ...custom('mine') });
      await close();
      codex.calls.splice(0);
      await request('session/resume', { sessionId, cwd: '/w', mcpServers: [], ...systemPrompt('A') });
      expect(threadCalls()).toContain('resumeThread A');
    });

    test('S2.50 the configured instructions come first: those of the environment, else those of Codex', async () => {
      const codex = new FakeCodex();
      codex.effectiveConfig = { ...codex.effectiveConfig, developerInstructions: 'configured' };
      const own = await agent(version, { codex });
      await (await own.open()).resume();
      expect(own.threadCalls()).toEqual(reload('configured\n\nB'));
      const sessions = {
        codexConfig: { developer_instructions: 'environment' },
        initialMode: null,
        keepConflictingServers: false,
        promptSuggestions: true,
      };
      const set = await agent(version, { config: { sessions } });
      await (await set.open()).resume();
      expect(set.threadCalls()).toEqual(reload('environment\n\nB'));
    });

    test('S2.50 configured instructions that are no text', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.effectiveConfig = { ...codex.effectiveConfig, developerInstructions: 7 };
      await expect(session.resume()).rejects.toMatchObject(
        refusal(-32602, 'Configured developer instructions must be text'),
      );
      expect(threadCalls()).toEqual([]);
      await session.works();
    });

    test.each([
      ['no append mode', { mode: 'override', content: [] }, 'systemPrompt requires append mode and text content'],
      ['no content', { mode: 'append', content: [] }, 'systemPrompt content must not be empty'],
      [
        'an image',
        { mode: 'append', content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
        'systemPrompt content must contain only text blocks',
      ],
    ])('S2.47 %s: nothing is touched', async (_, prompt, text) => {
      const { open, threadCalls } = await agent(version);
      const session = await open();
      await expect(session.resume({ systemPrompt: prompt })).rejects.toMatchObject(refusal(-32602, text));
      expect(threadCalls()).toEqual([]);
    });
  });

  describe('a recorded session', () => {
    test('S2.54 a system prompt is told with the load', async () => {
      const { request, threadCalls } = await agent(version);
      const params = { sessionId: 'old', cwd: '/w', mcpServers: [], ...systemPrompt('B'), ...custom('mine') };
      await request('session/resume', params);
      expect(threadCalls()).toEqual(['readThread', 'resumeThread mine\n\nB', 'runningTurn']);
    });

    test('S2.51 instructions of AIR alone change nothing', async () => {
      const { request, threadCalls } = await agent(version);
      await request('session/resume', { sessionId: 'old', cwd: '/w', mcpServers: [], ...custom('mine') });
      expect(threadCalls()).toEqual(['readThread', 'resumeThread nothing', 'runningTurn']);
    });
  });

  describe('S2.55 the session stays as it was', () => {
    test.each<[string, (codex: FakeCodex) => void, string, string[]]>([
      [
        'a thread that is not idle',
        (codex) => {
          codex.recordedThread = { ...codex.recordedThread, status: 'active' };
        },
        notIdle,
        ['readThread'],
      ],
      [
        'a thread that failed',
        (codex) => {
          codex.recordedThread = { ...codex.recordedThread, status: 'systemError' };
        },
        notIdle,
        ['readThread'],
      ],
      [
        'a status that is new to us',
        (codex) => {
          codex.recordedThread = { ...codex.recordedThread, status: null };
        },
        notIdle,
        ['readThread'],
      ],
      [
        'a thread without a place on the disk',
        (codex) => {
          codex.recordedThread = { ...codex.recordedThread, persisted: false };
        },
        notIdle,
        ['readThread'],
      ],
      [
        'background terminals',
        (codex) => {
          codex.terminals = [{ itemId: 'i', processId: '1' }];
        },
        'Cannot change systemPrompt while background terminals are running',
        ['readThread', 'listTerminals'],
      ],
      [
        'a turn that Codex runs and has not told',
        (codex) => {
          codex.activeTurn = 'turn-9';
        },
        busy,
        ['readThread', 'listTerminals', 'runningTurn'],
      ],
    ])('%s', async (_, prepare, text, calls) => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      prepare(codex);
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, text));
      expect(threadCalls()).toEqual(calls);
      await session.works();
    });

    test.each([
      'thread t is not materialized yet; thread/turns/list is unavailable before first user message',
      'no rollout found for thread id t',
    ])('a session without a recording: %s', async (message) => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('runningTurn');
      const resumed = session.resume();
      await codex.called('runningTurn');
      codex.heldRunningTurns[0]?.reject(new CodexRequestError(-32600, message));
      const text = 'Changing systemPrompt requires a persisted session; create a new session instead';
      await expect(resumed).rejects.toMatchObject(refusal(-32602, text));
      expect(threadCalls()).toEqual(['readThread', 'listTerminals', 'runningTurn']);
      codex.manual.clear();
      await session.works();
    });

    test.each([
      ['listTerminals', 'heldTerminals'],
      ['runningTurn', 'heldRunningTurns'],
    ] as const)('S2.37 any other failure of %s is told as it is', async (method, held) => {
      const { open, codex } = await agent(version);
      const session = await open();
      codex.manual.add(method);
      const resumed = session.resume();
      await codex.called(method);
      codex[held][0]?.reject(new CodexRequestError(-32603, 'out of luck'));
      await expect(resumed).rejects.toMatchObject({ code: -32603, data: { details: 'out of luck' } });
      codex.manual.clear();
      await session.works();
    });
  });

  describe('S2.56 the thread is loaded again', () => {
    test('Codex kept the thread: the prompt could not be changed, and the session goes on', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.keepsThreads = true;
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, kept));
      expect(threadCalls()).toEqual(reload('B'));
      await session.works();
      codex.keepsThreads = false;
      // It is still a change.
      await session.resume();
      expect(threadCalls().slice(6)).toEqual(reload('B'));
    });

    test('the unload may be told before the thread is asked for again', async () => {
      const { open, codex } = await agent(version);
      const session = await open();
      codex.manual.add('unsubscribe');
      codex.keepsThreads = true;
      const resumed = session.resume();
      await codex.called('unsubscribe');
      codex.emit(session.sessionId, { type: 'threadStatus', status: { type: 'notLoaded' } });
      codex.heldUnsubscribes[0]?.resolve();
      await resumed;
    });

    test('the load fails: the thread is loaded as it was, and the first error is told', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      await codex.called('resumeThread');
      codex.manual.clear();
      codex.heldResumes[0]?.reject(new CodexRequestError(-32603, 'out of luck'));
      await expect(resumed).rejects.toMatchObject({ code: -32603, data: { details: 'out of luck' } });
      expect(threadCalls()).toEqual([...reload('B').slice(0, 5), 'resumeThread A', 'runningTurn']);
      await session.works();
    });

    test('S2.34 the error of the load has the text that an opening would have', async () => {
      const { open, codex } = await agent(version);
      const session = await open();
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      await codex.called('resumeThread');
      codex.manual.clear();
      codex.heldResumes[0]?.reject(new CodexRequestError(-32600, 'thread x already has an active writer'));
      await expect(resumed).rejects.toMatchObject({
        code: -32600,
        message: expect.stringContaining('in use by another Codex client'),
        data: { reason: 'thread_active_writer' },
      });
    });

    test('both loads fail: the next use loads the thread as it was', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      await codex.called('resumeThread');
      codex.heldResumes[0]?.reject(new CodexRequestError(-32603, 'first'));
      await codex.called('resumeThread', 2);
      codex.heldResumes[1]?.reject(new CodexRequestError(-32603, 'second'));
      await expect(resumed).rejects.toMatchObject({ data: { details: 'first' } });
      codex.manual.clear();
      await session.works();
      expect(threadCalls().slice(5)).toEqual(['resumeThread A', 'resumeThread A']);
    });

    test('Codex does not let go of the thread: it is loaded as it was', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('unsubscribe');
      const resumed = session.resume();
      await codex.called('unsubscribe');
      codex.manual.clear();
      codex.heldUnsubscribes[0]?.reject(new CodexRequestError(-32603, 'no'));
      await expect(resumed).rejects.toMatchObject({ data: { details: 'no' } });
      expect(threadCalls().slice(4)).toEqual(['resumeThread A', 'runningTurn']);
      await session.works();
    });

    test('S2.30 mode, model and effort stay; the collaboration mode is what Codex tells', async () => {
      const { open, codex } = await agent(version);
      const session = await open();
      await session.setMode();
      await session.setEffort();
      codex.recorded = { collaborationMode: 'plan', effort: 'low' };
      const { configOptions } = await session.resume();
      const values = new Map(
        configOptions.map((option: { id?: string; configId?: string; currentValue: unknown }) => [
          option.id ?? option.configId,
          option.currentValue,
        ]),
      );
      expect([values.get('mode'), values.get('reasoning_effort')]).toEqual(['read-only', 'high']);
      expect(values.get('collaboration_mode')).toBe('plan');
    });

    test('S2.22 a gateway is not sent again, unless the recording has another provider', async () => {
      const { open, codex, routing } = await agent(version);
      routing.gateway = { providerId: 'custom-gateway', name: 'Gate', baseUrl: 'https://gate.example', headers: {} };
      const session = await open();
      codex.recordedThread = { ...codex.recordedThread, modelProvider: 'custom-gateway', model: 'gpt-old' };
      await session.resume();
      expect(codex.of('resumeThread')[0]?.params).toMatchObject({ modelProvider: null, keep: null });
      codex.recordedThread = { ...codex.recordedThread, modelProvider: 'mine', model: 'gpt-old', effort: 'high' };
      await session.resume(systemPrompt('C'));
      expect(codex.of('resumeThread')[1]?.params).toMatchObject({
        modelProvider: 'custom-gateway',
        keep: { model: 'gpt-old', effort: 'high' },
      });
    });

    test('S2.54 a thread that Codex does not have loaded is simply loaded', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.recordedThread = { ...codex.recordedThread, status: 'notLoaded' };
      await session.resume();
      expect(threadCalls()).toEqual(['readThread', 'resumeThread B', 'runningTurn']);
      await session.works();
      expect(threadCalls()).toHaveLength(3);
    });

    test('S2.54 its load fails: nothing was changed, so nothing is restored before the next use', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.recordedThread = { ...codex.recordedThread, status: 'notLoaded' };
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      await codex.called('resumeThread');
      codex.manual.clear();
      codex.heldResumes[0]?.reject(new CodexRequestError(-32600, 'no rollout found for thread id x'));
      await expect(resumed).rejects.toMatchObject({ code: -32002 });
      expect(threadCalls()).toEqual(['readThread', 'resumeThread B']);
      await session.works();
      expect(threadCalls()).toEqual(['readThread', 'resumeThread B', 'resumeThread A']);
    });

    test('S2.37 a thread that cannot be read: the load tells why', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('readThread').add('resumeThread');
      const resumed = session.resume();
      await codex.called('readThread');
      codex.heldReadThreads[0]?.reject(new CodexRequestError(-32600, 'unreadable'));
      await codex.called('resumeThread');
      codex.heldResumes[0]?.reject(new CodexRequestError(-32600, 'no rollout found for thread id x'));
      await expect(resumed).rejects.toMatchObject({ code: -32002 });
      expect(threadCalls()).toEqual(['readThread', 'resumeThread B']);
    });
  });

  describe('S3.22 S2.57 S3.148 while the instructions are being changed', () => {
    const steps: readonly [Held, number, (codex: FakeCodex, sessionId: string) => void][] = [
      ['readThread', 1, (codex) => codex.heldReadThreads[0]?.resolve(codex.recordedThread)],
      ['listTerminals', 1, (codex) => codex.heldTerminals[0]?.resolve([])],
      ['runningTurn', 1, (codex) => codex.heldRunningTurns[0]?.resolve(null)],
      ['unsubscribe', 1, (codex) => codex.heldUnsubscribes[0]?.resolve()],
      [
        'resumeThread',
        1,
        (codex, sessionId) => {
          codex.emit(sessionId, { type: 'threadStatus', status: { type: 'notLoaded' } });
          codex.emit(sessionId, { type: 'threadStatus', status: { type: 'idle' } });
          codex.heldResumes[0]?.resolve(codex.openThread(sessionId));
        },
      ],
      ['runningTurn', 2, (codex) => codex.heldRunningTurns[1]?.resolve(null)],
    ];

    test.each(steps.map(([method, times], index) => [method, times, index] as const))(
      'R30 in the wait for %s (%i): prompt, steer, settings, goal and set-up are refused; a cancel changes nothing',
      async (_method, _times, at) => {
        const { open, codex, threadCalls } = await agent(version);
        const session = await open();
        for (const [method] of steps) codex.manual.add(method);
        const resumed = session.resume();
        for (const [index, [method, times, answer]] of steps.entries()) {
          await codex.called(method, times);
          if (index === at) {
            for (const refused of [
              session.prompt(),
              session.steer(),
              session.setMode(),
              session.setEffort(),
              session.goal(),
              session.resume(systemPrompt('C')),
              session.resume({}),
            ]) {
              await expect(refused).rejects.toMatchObject({ ...refusal(-32600, updating), data: updating });
            }
            session.cancel();
          }
          answer(codex, session.sessionId);
        }
        await resumed;
        expect(threadCalls()).toEqual(reload('B'));
        expect(codex.of('startTurn')).toEqual([]);
        codex.manual.clear();
        await session.works();
      },
    );

    test.each(steps.map(([method, times], index) => [method, times, index] as const))(
      'S2.58 Codex dies in the wait for %s (%i): 1001, and the next use has the instructions of before',
      async (_method, _times, at) => {
        const { open, codex, threadCalls } = await agent(version);
        const session = await open();
        for (const [method] of steps) codex.manual.add(method);
        const resumed = session.resume();
        for (const [index, [method, times, answer]] of steps.entries()) {
          await codex.called(method, times);
          if (index === at) break;
          answer(codex, session.sessionId);
        }
        codex.manual.clear();
        codex.crash();
        await expect(resumed).rejects.toMatchObject({ code: 1001 });
        const before = threadCalls().length;
        await session.works();
        expect(threadCalls().slice(before)).toEqual(['resumeThread A']);
        // It is still a change, now of a thread that is loaded in the new process.
        await session.resume();
        expect(threadCalls().slice(before + 1)).toEqual(reload('B'));
      },
    );

    test('S2.58 Codex dies right behind its answer: the next process is not asked for the change', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('unsubscribe');
      const resumed = session.resume();
      await codex.called('unsubscribe');
      codex.heldUnsubscribes.shift()?.resolve();
      codex.crash();
      await expect(resumed).rejects.toMatchObject({ code: 1001 });
      expect(threadCalls().at(-1)).toBe('unsubscribe');
      codex.manual.clear();
      await session.works();
      expect(threadCalls().at(-1)).toBe('resumeThread A');
    });

    test('S2.51 a process that replaces Codex after the change gets the new instructions', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open({ ...systemPrompt('A'), ...custom('mine') });
      await session.resume();
      codex.crash();
      await session.works();
      expect(threadCalls()).toEqual([...reload('mine\n\nB'), 'resumeThread mine\n\nB']);
    });

    test.each(steps.map(([method, times], index) => [method, times, index] as const))(
      'S2.26 a close in the wait for %s (%i) wins: nothing stays subscribed, the set-up says so',
      async (_method, _times, at) => {
        const { open, codex, threadCalls, client } = await agent(version);
        const session = await open();
        for (const [held] of steps) codex.manual.add(held);
        const resumed = session.resume();
        resumed.catch(() => undefined);
        for (const [index, [held, times, answer]] of steps.entries()) {
          await codex.called(held, times);
          if (index === at) break;
          answer(codex, session.sessionId);
        }
        codex.manual.clear();
        const closed = session.close();
        await new Promise(setImmediate);
        steps[at]?.[2](codex, session.sessionId);
        expect(await closed).toEqual({});
        await expect(resumed).rejects.toMatchObject(refusal(-32600, `Session ${session.sessionId} is closing`));
        // What was loaded is let go of; what never was does not have to be.
        const last = threadCalls().filter((call) => call === 'unsubscribe' || call.startsWith('resumeThread'));
        expect(last.at(-1)).toBe('unsubscribe');
        expect(last.filter((call) => call.startsWith('resumeThread'))).toHaveLength(at < 4 ? 0 : 1);
        await expect(session.prompt()).rejects.toMatchObject({ code: -32002 });
        const from = client.received.length;
        codex.emit(session.sessionId, events.started('turn-9'));
        expect(client.received.slice(from)).toEqual([]);
      },
    );

    test('S2.26 a close does not wait for a load that is never answered; what is loaded later is let go of', async () => {
      const { open, codex, clock, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      resumed.catch(() => undefined);
      await codex.called('resumeThread');
      const closed = session.close();
      await new Promise(setImmediate);
      clock.advance(5000);
      expect(await closed).toEqual({});
      expect(threadCalls()).toEqual(reload('B').slice(0, 5));
      codex.heldResumes[0]?.resolve(codex.openThread(session.sessionId));
      await expect(resumed).rejects.toMatchObject({ code: -32600 });
      await codex.called('unsubscribe', 2);
    });

    test('S2.26 a delete in the midst of it ends the session and archives the thread', async () => {
      const { open, codex, request } = await agent(version);
      const session = await open();
      codex.manual.add('resumeThread');
      const resumed = session.resume();
      resumed.catch(() => undefined);
      await codex.called('resumeThread');
      const deleted = request('session/delete', { sessionId: session.sessionId });
      await new Promise(setImmediate);
      codex.manual.clear();
      codex.heldResumes[0]?.resolve(codex.openThread(session.sessionId));
      expect(await deleted).toEqual({});
      await expect(resumed).rejects.toMatchObject({ code: -32600 });
      expect(codex.calls.filter(({ method }) => method === 'archive' || method === 'unsubscribe').slice(-2)).toEqual([
        { method: 'unsubscribe', threadId: session.sessionId },
        { method: 'archive', threadId: session.sessionId },
      ]);
    });

    test('S2.57 another session is not concerned', async () => {
      const { open, codex } = await agent(version);
      const session = await open();
      codex.manual.add('readThread');
      const resumed = session.resume();
      await codex.called('readThread');
      const other = await open({});
      await other.works();
      codex.manual.clear();
      codex.heldReadThreads[0]?.resolve(codex.recordedThread);
      await resumed;
    });

    test('S2.32 set-ups that came before the change are done one after another', async () => {
      const { open, threadCalls } = await agent(version);
      const session = await open();
      await Promise.all([session.resume(), session.resume(systemPrompt('C')), session.resume(systemPrompt('C'))]);
      expect(threadCalls()).toEqual([...reload('B'), ...reload('C')]);
    });
  });

  describe('R30 S2.55 work is under way: the change is refused, and the work goes on', () => {
    test('a prompt whose turn runs', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      const prompt = session.prompt();
      await codex.called('startTurn');
      codex.emit(session.sessionId, events.started('turn-1'));
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
      const clientId = codex.of('startTurn')[0]?.params.clientMessageId ?? null;
      const item = { type: 'userMessage', id: 'u', clientId } as const;
      codex.emit(session.sessionId, { type: 'itemStarted', turnId: 'turn-1', item });
      codex.emit(session.sessionId, events.completed('turn-1'));
      await prompt;
      await session.resume();
      expect(threadCalls()).toEqual(reload('B'));
    });

    test('a start that Codex has not answered', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('startTurn');
      session.prompt().catch(() => undefined);
      await codex.called('startTurn');
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
    });

    test('a prompt that came after the set-up was sent, and before it was looked at', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('ready');
      const resumed = session.resume();
      resumed.catch(() => undefined);
      while (codex.heldReady.length < 1) await new Promise(setImmediate);
      session.prompt().catch(() => undefined);
      while (codex.heldReady.length < 2) await new Promise(setImmediate);
      codex.heldReady[0]?.resolve();
      await expect(resumed).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
      codex.heldReady[1]?.resolve();
      await codex.called('startTurn');
    });

    test('a turn that Codex began by itself', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.emit(session.sessionId, events.started('goal-1'));
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      codex.emit(session.sessionId, events.completed('goal-1'));
      await session.resume();
      expect(threadCalls()).toEqual(reload('B'));
    });

    test('Codex says that it works, and has not named the turn yet', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.emit(session.sessionId, { type: 'threadStatus', status: { type: 'active', activeFlags: [] } });
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
    });

    test('a steer that Codex has not answered, though its turn is over', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('steer');
      codex.emit(session.sessionId, events.started('goal-1'));
      const steered = session.steer();
      await codex.called('steer');
      codex.emit(session.sessionId, events.completed('goal-1'));
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
      codex.heldSteers[0]?.reject(new CodexRequestError(-32600, 'no active turn to steer'));
      await codex.called('startTurn');
      codex.emit(session.sessionId, events.started('turn-1'));
      await steered;
    });

    test('a change of the goal that Codex has not answered', async () => {
      const { open, codex, threadCalls } = await agent(version);
      const session = await open();
      codex.manual.add('setGoal');
      const changed = session.goal();
      await codex.called('setGoal');
      await expect(session.resume()).rejects.toMatchObject(refusal(-32602, busy));
      expect(threadCalls()).toEqual([]);
      codex.manual.clear();
      if (codex.goal !== null) codex.heldGoals[0]?.resolve(codex.goal);
      await changed;
      await session.resume();
      expect(threadCalls()).toEqual(reload('B'));
    });
  });

  describe('R30 R20 S2.25 Codex begins a turn meanwhile', () => {
    /** What a v2 client is told of the foreground. */
    const states = (client: AgentInMemory['client'], from: number): string[] =>
      client.received
        .slice(from)
        .flatMap(({ params }) => params?.update?.state ?? [])
        .filter((state, index, all) => state !== all[index - 1]);

    test.each(['readThread', 'listTerminals', 'runningTurn'] as const)(
      'in the wait for %s: the change is refused, and the turn goes on',
      async (method) => {
        const { open, codex, threadCalls, client } = await agent(version);
        const session = await open();
        const from = client.received.length;
        codex.manual.add(method);
        const resumed = session.resume();
        await codex.called(method);
        codex.emit(session.sessionId, events.started('goal-1'));
        await expect(resumed).rejects.toMatchObject(refusal(-32602, busy));
        expect(threadCalls()).not.toContain('unsubscribe');
        codex.emit(session.sessionId, events.delta('goal-1', 'Digging', 'm'));
        codex.emit(session.sessionId, events.completed('goal-1'));
        codex.manual.clear();
        await session.works();
        expect(client.text(session.sessionId)).toBe('Digging');
        if (version === 2) expect(states(client, from)).toEqual(['running', 'idle', 'running', 'idle']);
      },
    );

    test('in the wait for the unsubscription: Codex keeps the thread, and the turn is shown to its end', async () => {
      const { open, codex, client } = await agent(version);
      const session = await open();
      const from = client.received.length;
      codex.manual.add('unsubscribe');
      codex.keepsThreads = true;
      const resumed = session.resume();
      await codex.called('unsubscribe');
      codex.emit(session.sessionId, events.started('goal-1'));
      codex.activeTurn = 'goal-1';
      codex.heldUnsubscribes[0]?.resolve();
      await expect(resumed).rejects.toMatchObject(refusal(-32602, kept));
      codex.emit(session.sessionId, events.delta('goal-1', 'Digging', 'm'));
      codex.emit(session.sessionId, events.completed('goal-1'));
      await session.works();
      expect(client.text(session.sessionId)).toBe('Digging');
      if (version === 2) expect(states(client, from)).toEqual(['running', 'idle', 'running', 'idle']);
    });

    test('unheard, while the thread was let go of: it is found, and a cancel stops it', async () => {
      const { open, codex, client } = await agent(version);
      const session = await open();
      const from = client.received.length;
      codex.manual.add('unsubscribe');
      codex.keepsThreads = true;
      const resumed = session.resume();
      await codex.called('unsubscribe');
      codex.activeTurn = 'goal-1';
      codex.heldUnsubscribes[0]?.resolve();
      await expect(resumed).rejects.toMatchObject(refusal(-32602, kept));
      session.cancel();
      await codex.called('interrupt');
      expect(codex.of('interrupt')[0]?.turnId).toBe('goal-1');
      codex.emit(session.sessionId, events.completed('goal-1', 'interrupted'));
      codex.activeTurn = null;
      await session.works();
      if (version === 2) expect(states(client, from)).toEqual(['running', 'idle', 'running', 'idle']);
    });

    test('unheard, and it tells something before it is found', async () => {
      const { open, codex, client } = await agent(version);
      const session = await open();
      const from = client.received.length;
      codex.keepsThreads = true;
      codex.manual.add('runningTurn');
      const resumed = session.resume();
      await codex.called('runningTurn');
      codex.heldRunningTurns[0]?.resolve(null);
      await codex.called('runningTurn', 2);
      codex.emit(session.sessionId, events.delta('goal-1', 'Digging', 'm'));
      codex.emit(session.sessionId, events.completed('goal-1'));
      codex.heldRunningTurns[1]?.resolve(null);
      await expect(resumed).rejects.toMatchObject(refusal(-32602, kept));
      await session.works();
      if (version === 2) expect(states(client, from)).toEqual(['running', 'idle', 'running', 'idle']);
      else expect(client.text(session.sessionId)).toBe('Digging');
    });

    test('S12.17 the usage that Codex tells again of an old turn begins nothing', async () => {
      const { open, codex, client } = await agent(version);
      const session = await open();
      const from = client.received.length;
      codex.manual.add('runningTurn');
      const resumed = session.resume();
      await codex.called('runningTurn');
      codex.heldRunningTurns[0]?.resolve(null);
      await codex.called('runningTurn', 2);
      const tokens = {
        totalTokens: 10,
        inputTokens: 5,
        cachedInputTokens: 0,
        cacheWriteInputTokens: 0,
        outputTokens: 5,
        reasoningOutputTokens: 0,
      };
      codex.emit(session.sessionId, {
        type: 'tokenUsage',
        turnId: 'long-ago',
        total: tokens,
        last: tokens,
        contextWindow: 100,
      });
      codex.heldRunningTurns[1]?.resolve(null);
      await resumed;
      if (version === 2) expect(states(client, from)).toEqual(['idle']);
      await session.works();
    });

    test('in the thread that was just loaded: the change counts, and the turn is shown', async () => {
      const { open, codex, client } = await agent(version);
      const session = await open();
      const from = client.received.length;
      codex.manual.add('runningTurn');
      const resumed = session.resume();
      await codex.called('runningTurn');
      codex.heldRunningTurns[0]?.resolve(null);
      await codex.called('runningTurn', 2);
      codex.emit(session.sessionId, events.started('goal-1'));
      codex.heldRunningTurns[1]?.resolve('goal-1');
      await resumed;
      // The lane is open again: a prompt joins what runs.
      codex.emit(session.sessionId, events.completed('goal-1'));
      await session.works();
      if (version === 2) expect(states(client, from)).toEqual(['running', 'idle', 'running', 'idle']);
    });
  });
});
