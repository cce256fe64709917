import { z } from 'zod';
import type { ThreadEvent, TokenBreakdown } from '../../src/domain/thread/thread-event.ts';
import type { Frame } from '../../test/support/acp-client.ts';
import { type AgentInMemory, agentWith } from '../../test/support/agent-with.ts';
import { events } from '../../test/support/session-lab.ts';

/*
 * The situations that provider states name, with the whole agent in memory and a Codex that does what the state says.
 */

/** A turn in which the model streamed one message. */
export const streamedTurn = z.object({
  sessionId: z.string(),
  prompt: z.string(),
  messageId: z.string(),
  phase: z.enum(['commentary', 'partial_answer', 'final_answer']),
  deltas: z.array(z.string()).min(1),
});

const turnId = 'turn-1';

const spent: TokenBreakdown = {
  totalTokens: 150,
  inputTokens: 120,
  cachedInputTokens: 20,
  cacheWriteInputTokens: 0,
  outputTokens: 30,
  reasoningOutputTokens: 5,
};

/** The agent has started. Other tests hold its frames against the schema of the protocol; here that only costs time. */
export function started(): AgentInMemory {
  const agent = agentWith();
  agent.client.onFrame = () => undefined;
  return agent;
}

/** A client has introduced itself with an `initialize` of this profile. */
export async function introduced(profile: object): Promise<AgentInMemory> {
  const agent = started();
  await agent.client.request('initialize', profile);
  return agent;
}

/** Opens a session and runs one prompt in it, with all that Codex reports of such a turn; gives the frames of the turn. */
export async function runTurn(
  { client, codex }: AgentInMemory,
  turn: z.infer<typeof streamedTurn>,
): Promise<readonly Frame[]> {
  const { prompt, sessionId } = turn;
  const opened = await client.request('session/new', { cwd: '/w', mcpServers: [] });
  if (opened.sessionId !== sessionId) throw new Error(`The session is ${opened.sessionId}, not ${sessionId}`);
  const from = client.received.length;
  const answer = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
  await codex.called('startTurn');
  for (const event of turnEvents(turn, codex.of('startTurn')[0]?.params.clientMessageId ?? null)) {
    codex.emit(sessionId, event);
    // Codex sends one event at a time: what it leads to leaves before the next one comes.
    await new Promise(setImmediate);
  }
  await answer;
  // The answer to a later request comes after every frame of the turn.
  const closing = client.request('session/close', { sessionId });
  await closing;
  return client.received.slice(from).filter(({ id }) => id !== closing.id);
}

function turnEvents(turn: z.infer<typeof streamedTurn>, clientId: string | null): readonly ThreadEvent[] {
  const { deltas, messageId, phase, prompt } = turn;
  const user = { type: 'userMessage', id: 'item-1', clientId } as const;
  const message = { type: 'agentMessage', id: messageId, phase, hidden: false } as const;
  return [
    { type: 'threadStatus', status: { type: 'active', activeFlags: [] } },
    events.started(turnId),
    { type: 'itemStarted', turnId, item: user },
    { type: 'itemCompleted', turnId, item: user },
    { type: 'itemStarted', turnId, item: { ...message, text: '' } },
    ...deltas.map((delta) => events.delta(turnId, delta, messageId)),
    { type: 'itemCompleted', turnId, item: { ...message, text: deltas.join('') } },
    { type: 'tokenUsage', turnId, total: spent, last: spent, contextWindow: 258_400 },
    { type: 'threadStatus', status: { type: 'idle' } },
    { type: 'threadName', name: prompt },
    events.completed(turnId),
  ];
}
