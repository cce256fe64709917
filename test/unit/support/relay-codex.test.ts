import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRelayCodex, type RelayCodex, type RelayedCodex } from '../../support/relay-codex.ts';

/** Stands for Codex: tells every line that it reads back as `{"read": …}`. */
const echo = `
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => console.log(JSON.stringify({ method: 'read', params: { line } })));
`;

// The relay is a script with an interpreter line.
describe.skipIf(process.platform === 'win32')('a relayed Codex', () => {
  let relay: RelayCodex;
  let agent: ChildProcess;
  let lines: AsyncIterator<string>;
  let codex: RelayedCodex;

  beforeEach(async () => {
    relay = await createRelayCodex();
    relay.onStart = (started) => started.relay(undefined, [process.execPath, '-e', echo, '--']);
    agent = spawn(relay.path, ['app-server'], { stdio: ['pipe', 'pipe', 'pipe'] });
    if (agent.stdout === null) throw new Error('unreachable');
    lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
    codex = await relay.process(0);
  });

  afterEach(async () => {
    agent.stdin?.end();
    if (agent.exitCode === null && agent.signalCode === null) await once(agent, 'exit');
    await relay.dispose();
  });

  function say(message: object): void {
    agent.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** The next line that the agent reads; for an echo what Codex had read. */
  async function next(): Promise<string> {
    const { value } = await lines.next();
    const message = JSON.parse(value);
    return message.method === 'read' ? `codex read ${message.params.line}` : `agent read ${value}`;
  }

  test('lines go to Codex and back', async () => {
    say({ method: 'a' });
    expect(await next()).toBe('codex read {"method":"a"}');
    expect(codex.args).toEqual(['app-server']);
  });

  test('rules change single lines of either side', async () => {
    codex.on('agent', 'lost').drop();
    codex.on('agent', 'twice').duplicate();
    codex.on('agent', 'changed').rewrite(() => ({ method: 'other' }));
    codex
      .on('codex', 'read')
      .where(({ params }) => params.line.includes('hidden'))
      .rewrite(() => ({ method: 'secret' }));
    for (const method of ['lost', 'twice', 'changed', 'hidden']) say({ method });
    expect([await next(), await next(), await next(), await next()]).toEqual([
      'codex read {"method":"twice"}',
      'codex read {"method":"twice"}',
      'codex read {"method":"other"}',
      'agent read {"method":"secret"}',
    ]);
  });

  test('a line waits until it is released', async () => {
    const held = codex.on('agent', 'late').once().delay();
    say({ method: 'late' });
    say({ method: 'early' });
    expect(await next()).toBe('codex read {"method":"early"}');
    held.release();
    expect(await next()).toBe('codex read {"method":"late"}');
  });

  test('what still comes of threads that were forgotten goes past rules and messages', async () => {
    codex.on('agent', 'before').watch();
    say({ id: 1, method: 'before', params: { threadId: 'old' } });
    await next();
    codex.forget();
    codex.on('agent', 'turn').drop();
    codex.on('codex', 'read').drop();
    for (const threadId of ['old', 'new']) say({ id: threadId, method: 'turn', params: { threadId } });
    say({ method: 'last', params: { threadId: 'old' } });
    await codex.waitFor('codex', ({ params }) => params.line.includes('last'));
    expect(codex.messages.filter(({ from }) => from === 'agent').map(({ message }) => message['id'])).toEqual(['new']);
    const read = codex.messages.filter(({ from }) => from === 'codex').map(({ message }) => message['params'].line);
    expect(read.map((line) => JSON.parse(line).id)).toEqual(['old', undefined]);
  });

  test('lines of the test reach either side, also such that are no message', async () => {
    codex.inject('agent', { method: 'injected' });
    expect(await next()).toBe('agent read {"method":"injected"}');
    codex.inject('codex', 'no message');
    expect(await next()).toBe('codex read no message');
  });

  test('it dies on command, after what was sent before', async () => {
    const exit = once(agent, 'exit');
    codex.inject('agent', { method: 'last words' });
    codex.die();
    expect(await next()).toBe('agent read {"method":"last words"}');
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  test('it dies at a line, with a code and a last text', async () => {
    const exit = once(agent, 'exit');
    let stderr = '';
    agent.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    codex.on('agent', 'fatal').die(3, { stderr: 'out of luck\n' });
    say({ method: 'fatal' });
    expect(await exit).toEqual([3, null]);
    expect(stderr).toBe('out of luck\n');
  });
});
