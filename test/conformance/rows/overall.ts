import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { functionCall, text } from '../../support/model-replies.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';
import { exercise } from './exercise.ts';
import { logIn, logOut } from './login.ts';

/* Rows that are judged over everything that the agents of a version wrote, after the shared one has ended. */

/** All messages of all agents, with at least one rich turn among them. */
export async function everything(lab: Lab): Promise<readonly Frame[]> {
  await exercise(lab);
  return lab.agents.flatMap(({ received }) => received);
}

/** What went wrong on the way, over all agents, after the shared agent's last output. */
async function faultsOf(lab: Lab): Promise<readonly string[]> {
  await exercise(lab);
  await lab.shutDown();
  return lab.agents.flatMap(({ faults }) => faults);
}

export const exitsInTime: CheckedRow = {
  id: 'ACP-SHUTDOWN-001',
  tier: 'advisory',
  requirement: 'the agent exits by itself within 2 s after its stdin closed',
  async run(lab, note) {
    await exercise(lab);
    const { code, signal, afterMs } = await lab.shutDown();
    note(`exit after ${Math.round(afterMs)} ms`);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(afterMs).toBeLessThan(2000);
  },
};

export const everyLineIsOneObject = (id: string): CheckedRow => ({
  id,
  tier: 'mandatory',
  requirement: 'every line of stdout is one JSON-RPC 2.0 object and nothing else is there, also after stdin closed',
  async run(lab) {
    expect((await faultsOf(lab)).filter((fault) => !fault.startsWith('not UTF-8'))).toEqual([]);
    expect(lab.agents.flatMap(({ lines }) => lines).length).toBeGreaterThan(10);
  },
});

export const outputIsUtf8: CheckedRow = {
  id: 'ACP-TRANSPORT-002',
  tier: 'mandatory',
  requirement: 'stdout is valid UTF-8, and no character is cut on the way',
  async run(lab) {
    const { unicodeText } = await exercise(lab);
    expect((await faultsOf(lab)).filter((fault) => fault.startsWith('not UTF-8'))).toEqual([]);
    expect(unicodeText.shown).toContain(unicodeText.printed);
    expect(unicodeText.answered).toBe(unicodeText.said);
  },
};

export const everythingFitsTheSchema = (requirement: string): CheckedRow => ({
  id: 'ACP-SCHEMA-001',
  tier: 'mandatory',
  requirement,
  async run(lab) {
    await everything(lab);
    await logIn(lab, await lab.loginAgent(), 'gateway');
    expect(lab.agents.flatMap(({ violations }) => violations)).toEqual([]);
  },
});

/**
 * Two keys of v1 that older clients read and that we send on purpose (S1.134, S2.38, S2.101), although S10.41 would rather
 * not see them: the model list of clients without config options, and the marker of the subagent draft.
 */
const knownForeignKeys = [
  'InitializeResponse: agentCapabilities.sessionCapabilities.subagents',
  'NewSessionResponse: models',
  'ResumeSessionResponse: models',
];

export const noForeignKeys: CheckedRow = {
  id: 'ACP-SCHEMA-002',
  tier: 'advisory',
  requirement: 'no key outside the schema in any type of it; own data stands under `_meta`',
  async run(lab) {
    await everything(lab);
    const foreign = new Set(lab.agents.flatMap(({ foreignKeys }) => [...foreignKeys]));
    expect([...foreign].filter((key) => !knownForeignKeys.includes(key)).toSorted()).toEqual([]);
  },
};

export const errorsAreOneLine: CheckedRow = {
  id: 'ACP-ERROR-001',
  tier: 'advisory',
  requirement: 'an error message is one non-empty line',
  async run(lab) {
    const { id: sessionId, agent } = await lab.session();
    const audio = [{ type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' }];
    expect(await agent.refusal('no/such_method')).toBe(-32601);
    expect(await agent.refusal('session/new', { cwd: 'two\nlines', mcpServers: [] })).toBe(-32602);
    expect(await agent.refusal('session/prompt', { sessionId, prompt: audio })).toBe(-32602);
    expect(await agent.refusal('session/prompt', { sessionId: 'two\nlines', prompt: [] })).not.toBe(0);
    expect(await agent.refusal('session/set_config_option', { sessionId, configId: 'a\nb', value: 'c' })).not.toBe(0);
    await logOut(lab, await lab.loginAgent());
    await expect(logIn(lab, await lab.loginAgent(), 'api-key', {})).rejects.toThrow();
    const errors = (await everything(lab)).flatMap(({ error }) => (error === undefined ? [] : [error.message]));
    expect(errors.filter((message) => message.trim() === '' || /[\r\n]/.test(message))).toEqual([]);
  },
};

export const stderrIsQuiet: CheckedRow = {
  id: 'ACP-STDERR-001',
  tier: 'informational',
  requirement: 'stderr is quiet for a client that sends nothing wrong',
  async run(lab, note) {
    const agent = await lab.loginAgent();
    await logIn(lab, agent, 'gateway');
    await (await lab.session(agent)).prompt(text('Done.')).ended();
    note(`${agent.stderr.length} characters; with malformed messages ${(await lab.main()).stderr.length}`);
    expect(agent.stderr).toBe('');
  },
};

/** Requests of the agent to the client, by method. */
export async function clientRequests(lab: Lab): Promise<readonly string[]> {
  const requests = (await everything(lab)).filter(({ method, id }) => method !== undefined && id !== undefined);
  return requests.map(({ method }) => method ?? '');
}

export const neverRequests = (id: string, prefix: string): CheckedRow => ({
  id,
  tier: 'mandatory',
  requirement: `no ${prefix}* request to a client without \`${prefix.slice(0, -1)}\``,
  async run(lab) {
    expect((await clientRequests(lab)).filter((method) => method.startsWith(prefix))).toEqual([]);
  },
});

/** The model asks the user a question, which it can do in plan mode; this client cannot show it. */
export const neverElicits = (id: string, tier: 'mandatory' | 'capability'): CheckedRow => ({
  id,
  tier,
  requirement: 'no elicitation/create to a client without its mode; a question of the model does not hang the turn',
  async run(lab) {
    const session = await lab.session();
    await session.setOption('collaboration_mode', 'plan');
    const options = ['This', 'That'].map((label) => ({ label, description: label }));
    const questions = [{ id: 'which', header: 'Which', question: 'Which one?', options }];
    const turn = session.prompt(functionCall('request_user_input', { questions }), text('Nobody said.'));
    expect((await turn.ended()).stopReason).toBe('end_turn');
    expect(session.text()).toBe('Nobody said.');
    const { model } = await lab.base();
    const request = model.requests.findLast(({ threadId }) => threadId === session.id);
    expect(request?.toolOutputs.at(-1)?.text).toBe('{"answers":{}}');
    expect((await clientRequests(lab)).filter((method) => method.startsWith('elicitation/'))).toEqual([]);
  },
});
