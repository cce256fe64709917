import { describe, expect } from 'vitest';
import { hold, text } from '../../support/model-replies.ts';
import type { RelayCodex, RelayFilter } from '../../support/relay-codex.ts';
import { errorOf, type Lab, type ProfileName, type TestAgent, test } from './lab.ts';

const killed = {
  code: 1001,
  message: expect.stringMatching(/^The Codex app-server was killed by SIGKILL/),
  data: { exitCode: null, signal: 'SIGKILL', restartable: true },
};

const versions = ['plainV1', 'plainV2'] as const;

async function agentWithRelay(lab: Lab, profile: ProfileName): Promise<{ agent: TestAgent; relay: RelayCodex }> {
  const relay = await lab.relay();
  const agent = lab.agent({ profile, env: { CODEX_PATH: relay.path } });
  return { agent, relay };
}

/** The first process dies when it is asked this; later ones work. */
function diesAt(relay: RelayCodex, method: string): void {
  relay.onStart = (codex) => {
    const first = relay.processes.length === 1;
    const filter: RelayFilter = (message, from) => {
      if (!first || from !== 'agent' || message.method !== method) return message;
      codex.exit('SIGKILL');
      return null;
    };
    codex.relay(filter);
  };
}

describe('Codex dies while it is asked something (C062, S8.32, S8.63-S8.69)', () => {
  test('S8.69 session/new, and two at once share one restart (S8.32)', async ({ lab }) => {
    const { agent, relay } = await agentWithRelay(lab, 'plainV1');
    diesAt(relay, 'thread/start');
    const workspace = lab.workspace();
    await agent.initialize();
    const both = await Promise.allSettled([agent.newSession(workspace), agent.newSession(workspace)]);
    for (const result of both) expect(result).toMatchObject({ status: 'rejected', reason: killed });
    const sessions = await Promise.all([agent.newSession(workspace), agent.newSession(workspace)]);
    expect(new Set(sessions).size).toBe(2);
    expect(relay.processes).toHaveLength(2);
    await Promise.all(sessions.map((session) => agent.turn(session, 'Hello')));
  });

  test('S8.69 a login', async ({ lab }) => {
    const { agent, relay } = await agentWithRelay(lab, 'plainV2');
    diesAt(relay, 'account/login/start');
    await agent.initialize();
    const key = { 'api-key': { apiKey: 'sk-one' } };
    expect(await errorOf(agent.login('api-key', key))).toMatchObject(killed);
    expect(await agent.login('api-key', key)).toEqual({});
  });

  test.for(versions)('S8.63 a prompt that Codex has not taken: %s', async (profile, { lab }) => {
    const { agent, relay } = await agentWithRelay(lab, profile);
    const session = await agent.open(lab.workspace());
    await agent.turn(session, 'Hello');
    const from = agent.frames.length;
    const codex = await relay.process(0);
    void codex
      .waitFor('agent', ({ method, params }) => method === 'turn/start' && JSON.stringify(params).includes('Lost'))
      .then(() => codex.exit('SIGKILL'));
    expect(await errorOf(agent.prompt(session, 'Lost'))).toMatchObject({ code: 1001 });
    if (agent.version === 2) expect(agent.client.text(session, from)).toBe('');
    await agent.turn(session, 'Again');
  });

  test.for(versions)('S8.64 a prompt that the user had cancelled: %s', async (profile, { lab }) => {
    const { agent, relay } = await agentWithRelay(lab, profile);
    const session = await agent.open(lab.workspace());
    const codex = await relay.process(0);
    lab.server.script(text('one two three four').pauseAt(hold()));
    const prompt = agent.prompt(session, 'Count');
    await agent.said(session, 'one');
    void codex.waitFor('agent', ({ method }) => method === 'turn/interrupt').then(() => codex.exit('SIGKILL'));
    agent.client.notify('session/cancel', { sessionId: session });
    const end = agent.version === 1 ? await prompt : await agent.idle(session);
    expect(end).toMatchObject({ stopReason: 'cancelled' });
    expect(end).not.toHaveProperty('error');
    lab.server.script(text('Fine.'));
    await agent.turn(session, 'Go on');
  });

  test('S8.65 a queued v2 prompt runs in the next process', async ({ lab }) => {
    const { agent, relay } = await agentWithRelay(lab, 'plainV2');
    const session = await agent.open(lab.workspace());
    lab.server.script(text('one two three four').pauseAt(hold()), text('The second answer.'));
    void agent.prompt(session, 'First');
    await agent.said(session, 'one');
    const from = agent.frames.length;
    const second = agent.prompt(session, 'Second');
    // The request was read: an answer to a later one is there.
    await errorOf(agent.request('probe', {}));
    (await relay.process(0)).exit('SIGKILL');
    const failed = await agent.idle(session, from);
    expect(failed).toMatchObject({ stopReason: 'error', error: { code: 1001 } });
    await agent.said(session, 'The second answer.', from);
    expect(await second).toEqual({ messageId: expect.any(String) });
    await agent.update(session, 'state_update', (update) => update.stopReason === 'end_turn', from);
    const states = agent.client
      .updates(session, from)
      .filter((update) => update.sessionUpdate === 'state_update')
      .map((update) => update.stopReason ?? update.state);
    expect(states).toEqual(['error', 'running', 'end_turn']);
  });

  test('two sessions at work: both fail, both go on in one new process', async ({ lab }) => {
    const { agent, relay } = await agentWithRelay(lab, 'plainV1');
    const sessions = [await agent.open(lab.workspace()), await agent.newSession(lab.workspace())];
    lab.server.respondWith(() => text('one two three four').pauseAt(hold()));
    const prompts = sessions.map((session) => agent.prompt(session, 'Count'));
    await Promise.all(sessions.map((session) => agent.said(session, 'one')));
    (await relay.process(0)).exit('SIGKILL');
    for (const prompt of prompts) expect(await errorOf(prompt)).toEqual(killed);
    lab.server.respondWith(undefined);
    await Promise.all(sessions.map((session) => agent.turn(session, 'Go on')));
    expect(relay.processes).toHaveLength(2);
  });

  test('S8.5 what Codex wrote before it died comes before the failure', async ({ lab }) => {
    const { agent, relay } = await agentWithRelay(lab, 'plainV1');
    const session = await agent.open(lab.workspace());
    const codex = await relay.process(0);
    lab.server.script(text('one two three four').pauseAt(hold()));
    const prompt = agent.prompt(session, 'Count');
    await agent.said(session, 'one two');
    const delta = await codex.waitFor('codex', ({ method }) => method === 'item/agentMessage/delta');
    const from = agent.frames.length;
    for (let index = 0; index < 500; index += 1) {
      codex.send('agent', { ...delta, params: { ...delta.params, delta: `[${index}]` } });
    }
    codex.exit('SIGKILL');
    expect(await errorOf(prompt)).toEqual(killed);
    const answered = agent.frames.findIndex((frame) => frame.id === prompt.id);
    const said = agent.frames
      .slice(from, answered)
      .map((frame) => frame.params?.update?.content?.text ?? '')
      .join('');
    expect(said).toBe(Array.from({ length: 500 }, (_, index) => `[${index}]`).join(''));
  });
});
