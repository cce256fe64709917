import { describe, expect, it } from 'vitest';
import { settled, until } from './support/event-loop.ts';
import { FakeOutput } from './support/fake-output.ts';
import { notification, request, sdkAgent } from './support/sdk-agent.ts';

const prompt = { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] };

describe('AcpStream', () => {
  it.each([[1], [2]] as const)('S1.90 S1.91 negotiates version %s through the router of the SDK', async (protocol) => {
    const agent = sdkAgent();
    expect(agent.connection.stream.protocol).toBeNull();
    await agent.initialize(protocol);
    expect(agent.connection.stream.protocol).toBe(protocol);
    expect(agent.output.frames).toEqual([
      { jsonrpc: '2.0', id: 'init', result: expect.objectContaining({ protocolVersion: protocol }) },
    ]);
  });

  it.each([[1], [2]] as const)('C002 v%s handlers of messages in one read start in arrival order', async (protocol) => {
    const started: string[] = [];
    const agent = sdkAgent(({ v1, v2 }) => {
      const note = (name: string) => (): Promise<never> => {
        started.push(name);
        return new Promise(() => {});
      };
      // The first messages below have their handlers at the end of the chain.
      v1.onNotification('session/cancel', note('cancel') as () => never);
      v2.onNotification('session/cancel', note('cancel') as () => never);
      for (const name of ['_z', '_y', '_x', '_w', '_v']) {
        v1.onRequest(name, (params) => params, note(name));
        v2.onRequest(name, (params) => params, note(name));
      }
      v1.onRequest('session/prompt', note('prompt'));
      v2.onRequest('session/prompt', note('prompt'));
    });
    await agent.initialize(protocol);
    agent.send(
      request(1, 'session/prompt', prompt),
      notification('session/cancel', { sessionId: 's' }),
      request(2, '_v'),
      request(3, '_z'),
      request(4, '_w'),
      request(5, 'session/prompt', prompt),
      request(6, '_y'),
      notification('session/cancel', { sessionId: 's' }),
      request(7, '_x'),
    );
    await until(() => started.length === 9);
    expect(started).toEqual(['prompt', 'cancel', '_v', '_z', '_w', 'prompt', '_y', 'cancel', '_x']);
  });

  it('S5.29 an answer of the client keeps its place between its other messages', async () => {
    const order: string[] = [];
    const agent = sdkAgent(({ v1 }) => {
      v1.onNotification('session/cancel', () => {
        order.push('cancel');
      });
    });
    await agent.initialize(1);
    const { requests } = agent.connection;
    for (const name of ['a', 'b']) requests.send('session/request_permission', {}, () => order.push(name), 's');
    agent.send(
      { jsonrpc: '2.0', id: 0, result: {} },
      notification('session/cancel', { sessionId: 's' }),
      { jsonrpc: '2.0', id: 1, result: {} },
      notification('session/cancel', { sessionId: 's' }),
    );
    await until(() => order.length === 4);
    expect(order).toEqual(['a', 'cancel', 'b', 'cancel']);
  });

  it('S1.42 malformed lines get one reply, before and after initialize, and the connection works on', async () => {
    const agent = sdkAgent();
    const lines = ['{]', '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]', '12', '{"a":1}', '{"id":9,"result":{}}'];
    agent.sendText(`${lines.join('\n')}\n`);
    await agent.initialize(1);
    agent.sendText(`${lines.join('\n')}\n`);
    agent.send(request(1, '_unknown'), notification('_unknown', {}), request(2, '_unknown'));
    await agent.response(2);
    const reply = (code: number, message: string, data?: unknown): object => ({
      jsonrpc: '2.0',
      id: null,
      error: data === undefined ? { code, message } : { code, message, data },
    });
    const replies = (data: unknown): object[] => [
      reply(-32700, 'Parse error'),
      reply(-32600, 'Invalid request: JSON-RPC batches are not supported'),
      reply(-32600, 'Invalid request', 12),
      reply(-32600, 'Invalid request', data),
    ];
    const unknown = (id: number): object => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32601, message: '"Method not found": _unknown', data: { method: '_unknown' } },
    });
    expect(agent.output.frames.filter(({ id }) => id !== 'init')).toEqual([
      ...replies('first ACP message must be an initialize request'),
      ...replies({ a: 1 }),
      unknown(1),
      unknown(2),
    ]);
    expect(agent.log.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });

  it('S1.46 a message over the limit is refused and the next one works', async () => {
    const agent = sdkAgent(undefined, 1000);
    await agent.initialize(1);
    agent.send(request(1, 'session/prompt', { text: 'x'.repeat(2000) }), request(2, '_unknown'));
    await agent.response(2);
    expect(agent.output.frames[1]?.error?.message).toBe(
      'Invalid request: the message is longer than the limit of 1000 bytes',
    );
  });

  it.each([[1], [2]] as const)('S2.5 S2.6 v%s takes MCP servers in every shape', async (protocol) => {
    const seen: unknown[] = [];
    const agent = sdkAgent(({ v1, v2 }) => {
      v1.onRequest('session/new', ({ params }) => {
        seen.push(params.mcpServers);
        return { sessionId: 's' };
      });
      v2.onRequest('session/new', ({ params }) => {
        seen.push(params.mcpServers);
        return { sessionId: 's' };
      });
    });
    await agent.initialize(protocol);
    agent.send(
      request(1, 'session/new', { cwd: '/w' }),
      request(2, 'session/new', {
        cwd: '/w',
        mcpServers: [
          { name: 'a', command: '/c' },
          { type: 'stdio', name: 'b', command: '/c' },
          { type: 'http', name: 'c', url: 'http://x/' },
        ],
      }),
    );
    await agent.response(2);
    expect(agent.output.frames.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    const tag = protocol === 2 ? { type: 'stdio' } : {};
    expect(seen).toEqual([
      [],
      [
        { name: 'a', command: '/c', args: [], env: [], ...tag },
        { name: 'b', command: '/c', args: [], env: [], ...tag },
        { type: 'http', name: 'c', url: 'http://x/', headers: [] },
      ],
    ]);
  });

  it.each([[1], [2]] as const)(
    'S1.44 S2.8 v%s takes session/list without params and refuses session/prompt without',
    async (protocol) => {
      const agent = sdkAgent(({ v1, v2 }) => {
        v1.onRequest('session/list', () => ({ sessions: [] }));
        v2.onRequest('session/list', () => ({ sessions: [] }));
        v1.onRequest('session/prompt', () => ({ stopReason: 'end_turn' }));
        v2.onRequest('session/prompt', () => ({ messageId: 'm' }));
      });
      await agent.initialize(protocol);
      agent.send(request(1, 'session/list'), request(2, 'session/list', null), request(3, 'session/prompt'));
      expect((await agent.response(1)).result).toEqual({ sessions: [] });
      expect((await agent.response(2)).result).toEqual({ sessions: [] });
      expect((await agent.response(3)).error?.code).toBe(-32602);
    },
  );

  it('ACP-JSONRPC-001 responses carry the id as it came', async () => {
    const agent = sdkAgent();
    await agent.initialize(1);
    const ids = [0, -5, 7, '7', 'ü"\\', null];
    agent.send(...ids.map((id) => request(id, '_unknown')));
    await until(() => agent.output.frames.length === ids.length + 1);
    expect(agent.output.frames.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(agent.connection.stream.unanswered).toEqual([]);
  });

  it('S1.49 v2 refuses ids that are neither text nor integer', async () => {
    const agent = sdkAgent();
    await agent.initialize(2);
    agent.send(request(null, '_unknown'), request(1.5, '_unknown'));
    await until(() => agent.output.frames.length === 3);
    const message = 'Invalid request: ACP v2 request IDs must be strings or integers';
    expect(agent.output.frames.slice(1).map(({ id, error }) => ({ id, error }))).toEqual([
      { id: null, error: { code: -32600, message } },
      { id: null, error: { code: -32600, message } },
    ]);
    expect(agent.connection.stream.unanswered).toEqual([]);
  });

  it('S1.201 S1.189 runs the work after an initialize with id null once it was accepted', async () => {
    const ran: unknown[] = [];
    const agent = sdkAgent(({ v1, connection }) => {
      v1.onRequest(
        '_work',
        (params) => params,
        ({ requestId }) => {
          connection.delivery.afterResponse(requestId, (success) =>
            ran.push([requestId, success, agent.output.frames.length]),
          );
          return {};
        },
      );
    });
    await agent.initialize(1);
    agent.sendText('{]\n');
    agent.output.stall();
    agent.send(request(null, '_work', {}));
    await settled();
    expect(ran).toEqual([]);
    agent.output.release();
    await until(() => ran.length === 1);
    expect(ran).toEqual([[null, true, 3]]);
  });

  it('S1.188 a login status that is known too early follows the answer to initialize', async () => {
    const agent = sdkAgent();
    agent.connection.channel.authStatus({ kind: 'none', label: 'Not logged in' });
    await agent.initialize(2);
    await settled();
    expect(agent.output.frames.map(({ id, method }) => id ?? method)).toEqual(['init', '_auth/status_update']);
    agent.send(request(1, 'initialize', { protocolVersion: 2, info: { name: 'test', version: '1' } }));
    await agent.response(1);
    expect(agent.output.frames).toHaveLength(3);
  });

  it('S1.202 frames of a session follow the response that tells its id', async () => {
    const agent = sdkAgent(({ v1, connection }) => {
      v1.onRequest('session/new', ({ requestId }) => {
        connection.delivery.hold('new', requestId, 'drop');
        connection.requests.send('session/request_permission', {}, () => {}, 'new');
        return { sessionId: 'new' };
      });
    });
    await agent.initialize(1);
    agent.send(request(1, 'session/new', { cwd: '/w' }));
    await until(() => agent.output.frames.length === 3);
    expect(agent.output.frames.slice(1)).toEqual([
      { jsonrpc: '2.0', id: 1, result: { sessionId: 'new' } },
      { jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: {} },
    ]);
  });

  it('S4.14 only responses to requests of the session stand between its texts', async () => {
    const agent = sdkAgent(({ v1 }) => {
      v1.onRequest('session/set_mode', () => ({}));
    });
    await agent.initialize(1);
    agent.output.stall();
    agent.connection.outbox.enqueue({ big: 'x'.repeat(20_000) }, null);
    await settled();
    const text = (value: string): void =>
      agent.connection.outbox.enqueueChunk('s', { kind: 'chunk', key: 'k', text: value, build: (all) => ({ all }) });
    text('a');
    agent.send(request(1, 'session/set_mode', { sessionId: 'other', modeId: 'm' }));
    await settled();
    text('b');
    agent.send(request(2, 'session/set_mode', { sessionId: 's', modeId: 'm' }));
    await settled();
    text('c');
    agent.output.release();
    await until(() => agent.output.frames.length === 6);
    expect(agent.output.frames.slice(2).map(({ id, params }) => params?.update?.all ?? id)).toEqual(['ab', 1, 2, 'c']);
  });

  it('ACP-JSONRPC-002 a result that is no JSON still gives its request a response', async () => {
    const agent = sdkAgent(({ v1 }) => {
      v1.onRequest(
        '_odd',
        (params) => params,
        () => ({ big: 1n }),
      );
    });
    await agent.initialize(1);
    agent.send(request(1, '_odd'), request(2, '_unknown'));
    expect((await agent.response(1)).error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { details: 'The response could not be written' },
    });
    await agent.response(2);
  });

  it('S1.50 S1.52 after the end of input what was received is still answered', async () => {
    const agent = sdkAgent();
    agent.input.end(`${JSON.stringify(request('init', 'initialize', { protocolVersion: 1 }))}`);
    await agent.response('init');
    await until(() => agent.events.length === 1);
    expect(agent.events).toEqual(['input ended']);
  });

  it('S1.52 tells when the requests that count were answered, whatever else runs', async () => {
    let finish: (value: object) => void = () => {};
    const agent = sdkAgent(({ v1 }) => {
      v1.onRequest('session/prompt', () => new Promise(() => {}));
      v1.onRequest(
        '_slow',
        (params) => params,
        () =>
          new Promise<object>((resolve) => {
            finish = resolve;
          }),
      );
    });
    await agent.initialize(1);
    await agent.connection.stream.answered();
    agent.send(request(1, '_slow'), request(2, 'session/prompt', prompt));
    agent.input.end();
    await until(() => agent.events.length === 1);
    expect(agent.connection.stream.unanswered).toEqual(['_slow', 'session/prompt']);
    const quick = agent.connection.stream.answered((method) => method !== 'session/prompt');
    let all = false;
    const every = agent.connection.stream.answered().then(() => {
      all = true;
    });
    finish({ done: true });
    await quick;
    await settled();
    expect(all).toBe(false);
    expect(agent.output.frames.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: { done: true } });
    agent.connection.stream.close();
    await every;
    expect(agent.events).toEqual(['input ended', 'closed']);
  });

  it('S1.234 closing aborts running requests, settles client requests and sends nothing', async () => {
    let aborted = false;
    let finish: (value: { stopReason: 'cancelled' }) => void = () => {};
    const agent = sdkAgent(({ v1 }) => {
      v1.onRequest('session/prompt', ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return new Promise<{ stopReason: 'cancelled' }>((resolve) => {
          finish = resolve;
        });
      });
    });
    await agent.initialize(1);
    const replies: unknown[] = [];
    agent.connection.requests.send('x', {}, (reply) => replies.push(reply));
    agent.send(request(1, 'session/prompt', prompt));
    await settled();
    const frames = agent.output.frames.length;
    const answered = agent.connection.stream.answered();
    agent.connection.stream.close();
    agent.connection.stream.close();
    await answered;
    agent.connection.channel.authStatus({ kind: 'none', label: 'Not logged in' });
    finish({ stopReason: 'cancelled' });
    await until(() => aborted);
    expect(replies).toEqual([{ ok: false, code: null, reason: 'The ACP connection is closed' }]);
    agent.send(request(2, '_unknown'));
    await settled();
    expect(agent.output.frames).toHaveLength(frames);
    expect(agent.events).toEqual(['closed']);
  });

  it('S1.48 a broken output closes the connection once and aborts what runs', async () => {
    let reason: unknown;
    const agent = sdkAgent(({ v1 }) => {
      v1.onRequest('session/prompt', ({ signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return new Promise(() => {});
      });
    });
    await agent.initialize(1);
    agent.send(request(1, 'session/prompt', prompt));
    await settled();
    agent.output.destroy(new Error('EPIPE'));
    await until(() => reason !== undefined);
    expect(agent.events).toEqual(['closed']);
    expect(reason).toEqual(new Error('EPIPE'));
    await agent.connection.outbox.drained();
  });

  it('S1.48 an output that is closed from the start closes the connection', async () => {
    const output = new FakeOutput();
    output.destroy();
    await settled();
    const agent = sdkAgent(undefined, undefined, output);
    await until(() => agent.events.length > 0);
    expect(agent.events).toEqual(['closed']);
  });
});
