import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Frame } from '../../test/support/acp-client.ts';
import type { AgentInMemory } from '../../test/support/agent-with.ts';
import { profiles } from '../../test/support/profiles.ts';
import type { Provider } from '../support/provider.ts';
import { introduced, runTurn, started, streamedTurn } from './situations.ts';

/*
 * The agent as the provider of the AIR pact. One situation at a time, as the verifier asks for one after the other.
 */

interface Situation {
  readonly agent: AgentInMemory;
  /** Frames of the turn that the situation is about. */
  readonly frames: readonly Frame[];
}

const onVersion = z.object({ protocolVersion: z.union([z.literal(1), z.literal(2)]) });

/** News of the session that AIR takes at any time; contracts about turns leave them out. */
const sessionNews = new Set(['available_commands_update', 'config_option_update', 'session_info_update']);

let situation: Situation | null = null;

export const provider: Provider = {
  name: 'codex-acp',
  states: {
    'the agent has started': async () => enter({ agent: started(), frames: [] }),
    'AIR has introduced itself': async (params) => enter({ agent: await introduced(airOn(params)), frames: [] }),
    'a turn answered with a streamed message has ended': async (params) => {
      const agent = await introduced(airOn(params));
      return enter({ agent, frames: await runTurn(agent, streamedTurn.parse(params)) });
    },
  },
  messages: {
    'initialize: AIR on v1': answer,
    'initialize: AIR on v2': answer,
    'initialize: AIR on v2 is not offered what v2 has a standard for': answer,
    'initialize: AIR without a session index is not offered one': answer,
    'initialize: a client that is not AIR on v1': answer,
    'initialize: a client that is not AIR on v2': answer,
    'session setup: AIR on v1 opens a session': answer,
    'session setup: AIR on v2 opens a session': answer,
    'text turn: AIR on v1': turnFrames,
    'text turn: AIR on v2': turnFrames,
  },
};

/** The agent's answer to the frame of the consumer. */
async function answer({ content }: { readonly content?: unknown }): Promise<Frame> {
  const { client } = leave().agent;
  const request = content as Frame;
  const from = client.received.length;
  client.send(request);
  return client.waitFor((frame) => frame.method === undefined && frame.id === request.id, from);
}

/** The frames of the turn as the contract counts them. */
async function turnFrames(): Promise<readonly Frame[]> {
  return joined(leave().frames.filter((frame) => !isSessionNews(frame)));
}

function airOn(params: unknown): typeof profiles.airV1 | typeof profiles.airV2 {
  return onVersion.parse(params).protocolVersion === 1 ? profiles.airV1 : profiles.airV2;
}

function isSessionNews({ method, params }: Frame): boolean {
  return method?.startsWith('_') === true || sessionNews.has(params?.update?.sessionUpdate);
}

/** Joins chunks that follow each other and differ in their text alone, as AIR does. */
function joined(frames: readonly Frame[]): readonly Frame[] {
  const whole: Frame[] = [];
  for (const frame of frames) {
    const last = whole.at(-1);
    const text = textOf(frame);
    if (last === undefined || text === null || !isDeepStrictEqual(withText(last, ''), withText(frame, ''))) {
      whole.push(frame);
    } else {
      whole.splice(-1, 1, withText(last, `${textOf(last)}${text}`));
    }
  }
  return whole;
}

function textOf({ params }: Frame): string | null {
  return params?.update?.sessionUpdate === 'agent_message_chunk' ? params.update.content.text : null;
}

function withText(frame: Frame, text: string): Frame {
  if (textOf(frame) === null) return frame;
  const { update } = frame.params;
  return { ...frame, params: { ...frame.params, update: { ...update, content: { ...update.content, text } } } };
}

async function enter(next: Situation): Promise<undefined> {
  situation?.agent.disconnect();
  situation = next;
}

/** The situation, once: an interaction whose state could not be set up must not find that of the one before. */
function leave(): Situation {
  const current = situation;
  situation = null;
  if (current === null) throw new Error('The provider is in no situation: its state handler failed');
  return current;
}
