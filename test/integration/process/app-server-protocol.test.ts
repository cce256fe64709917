import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import type { AppServerMessage } from '../../support/relay-codex.ts';
import { type Lab, type TestAgent, test } from './lab.ts';

/** An agent with an open session, and the Codex behind it. */
async function agentWithCodex(lab: Lab) {
  const relay = await lab.relay();
  const folder = lab.workspace().path;
  const agent = lab.agent({ env: { CODEX_PATH: relay.path, APP_SERVER_LOGS: folder } });
  const session = await agent.open(lab.workspace());
  const codex = await relay.process(0);
  return { agent, session, codex, log: () => readFileSync(join(folder, 'app-server.log'), 'utf8') };
}

async function stillWorks(lab: Lab, agent: TestAgent, session: string): Promise<void> {
  lab.server.script(text('Here.'));
  const from = agent.frames.length;
  await agent.turn(session, 'Still there?');
  expect(agent.client.text(session, from)).toContain('Here.');
  await agent.end();
  expect(agent.process.stderr()).toBe('');
}

const legacyDenial = { decision: { denied: { rejection: 'Approval requests of this kind are not supported.' } } };

describe('what Codex may say (S1.75, S1.82, S1.83, S5.5)', () => {
  test('lines that are no messages, notifications and answers that nobody knows', async ({ lab }) => {
    const { agent, session, codex, log } = await agentWithCodex(lab);
    const from = agent.frames.length;
    for (const line of [
      '',
      '   ',
      'thread main panicked at sk-secret-4711',
      '{"method":',
      '[]',
      '7',
      'null',
      '"text"',
      '{}',
      '{"method":"future/notification","params":{"threadId":"unknown","x":1}}',
      '{"method":"item/started","params":{"threadId":"unknown","turnId":"t","item":{"id":"i","type":"reasoning"}}}',
      `{"method":"item/started","params":{"threadId":"${session}","turnId":"t","item":{"id":"i","type":"futureItem"}}}`,
      `{"method":"thread/future","params":{"threadId":"${session}"}}`,
      '{"method":"turn/completed"}',
      '{"id":424242,"result":{}}',
      '{"id":"unknown","error":{"code":1,"message":"x"}}',
    ]) {
      codex.sendLine('agent', line);
    }
    expect(agent.frames.slice(from)).toEqual([]);
    await stillWorks(lab, agent, session);
    // The content of a broken line stays out of the log.
    expect(log()).not.toContain('sk-secret-4711');
  });

  test('every request is answered: known ones of strangers are refused, unknown ones are errors', async ({ lab }) => {
    const { agent, session, codex } = await agentWithCodex(lab);
    const turn = { threadId: 'unknown', turnId: 't', itemId: 'i' };
    const requests: [method: string, params: object, answer: AppServerMessage][] = [
      ['item/commandExecution/requestApproval', { ...turn, startedAtMs: 0 }, { result: { decision: 'cancel' } }],
      ['item/fileChange/requestApproval', { ...turn, startedAtMs: 0 }, { result: { decision: 'cancel' } }],
      [
        'item/permissions/requestApproval',
        { ...turn, cwd: '/', permissions: {}, startedAtMs: 0 },
        { result: { permissions: {}, scope: 'turn', strictAutoReview: false } },
      ],
      [
        'mcpServer/elicitation/request',
        { threadId: 'unknown', turnId: null, serverName: 's', mode: 'form', message: 'm', requestedSchema: {} },
        { result: { action: 'cancel', content: null, _meta: null } },
      ],
      ['item/tool/requestUserInput', { ...turn, questions: [] }, { result: { answers: {} } }],
      [
        'item/tool/call',
        { ...turn, callId: 'c', tool: 'x', arguments: {} },
        {
          result: {
            contentItems: [{ type: 'inputText', text: 'Dynamic tools are not supported by this client.' }],
            success: false,
          },
        },
      ],
      ['applyPatchApproval', { conversationId: session }, { result: legacyDenial }],
      ['execCommandApproval', { conversationId: session }, { result: legacyDenial }],
      ['account/chatgptAuthTokens/refresh', { reason: 'unauthorized' }, { error: { code: -32601 } }],
      ['attestation/generate', {}, { error: { code: -32601 } }],
      ['future/request', { threadId: session }, { error: { code: -32601 } }],
    ];
    for (const [index, [method, params, answer]] of requests.entries()) {
      const id = `request-${index}`;
      codex.send('agent', { id, method, params });
      expect([method, await codex.waitFor('agent', (message) => message.id === id)]).toMatchObject([method, answer]);
    }
    await stillWorks(lab, agent, session);
  });
});
