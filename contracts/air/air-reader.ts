import type { Frame } from '../../test/support/acp-client.ts';

/*
 * AIR, as far as this contract goes: it takes out of frames what it needs and refuses frames that do not fit together.
 * Consumer tests run it on the examples of the pact, the provider test on the frames of the agent: so it also says what
 * no matcher can, that two fields are equal or that a value is one of a list.
 */

export interface Offer {
  readonly protocolVersion: number;
  readonly capabilities: readonly string[];
  readonly goal: { readonly method: string; readonly actions: readonly string[] };
  readonly steering: boolean;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** Kind of each mode. */
  readonly modes: Readonly<Record<string, string>>;
  readonly recommended: { readonly model: string; readonly effort: string };
}

export interface ShownTurn {
  /** Id under which AIR keeps the user's message; v1 has none. */
  readonly promptId: string | null;
  readonly message: { readonly id: string; readonly text: string; readonly phase: string };
  readonly context: { readonly used: number; readonly size: number };
  readonly stopReason: string;
  readonly tokens: { readonly total: number; readonly models: readonly string[] };
}

/** The answer to `initialize` (S11.1). */
export function readOffer({ result }: Frame): Offer {
  const { goal, capabilities } = airOf(result);
  return {
    protocolVersion: result.protocolVersion,
    capabilities,
    goal: { method: goal.controlMethod, actions: goal.actions },
    steering: result._meta.steering.supported,
  };
}

/** The answer to `session/new` (S11.8, S11.9). */
export function readSession({ result }: Frame): OpenedSession {
  const { configOptions, modes, sessionId } = result;
  const shown = Object.fromEntries(valuesOf(configOptions, 'mode').map((mode) => [mode.value, airOf(mode).kind]));
  for (const { id, ...mode } of modes?.availableModes ?? []) {
    if (shown[id] !== airOf(mode).kind) throw new Error(`Mode ${id} has two kinds`);
  }
  const recommended = {
    model: recommendedOf(configOptions, 'model'),
    effort: recommendedOf(configOptions, 'reasoning_effort'),
  };
  return { sessionId, modes: shown, recommended };
}

/** The frames of a text turn, on either version (S11.9, S11.24, S11.43, S11.52). */
export function readTurn(frames: readonly Frame[]): ShownTurn {
  const updates = frames.flatMap(({ params }) => (params === undefined ? [] : [params.update]));
  const of = (kind: string): Frame['params'][] => updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
  const [chunk, ...rest] = of('agent_message_chunk');
  if (rest.some(({ messageId }) => messageId !== chunk?.messageId)) throw new Error('The message has two ids');
  const answer = frames.find(({ result }) => result !== undefined)?.result;
  const echo = of('user_message_chunk')[0];
  if (echo?.messageId !== answer.messageId) throw new Error('The answer names another message than the echo');
  const context = of('usage_update')[0];
  const end = answer.stopReason === undefined ? updates.at(-1) : answer;
  const { token_count, model_usage } = end._meta.quota;
  return {
    promptId: echo?.messageId ?? null,
    message: {
      id: chunk.messageId,
      text: [chunk, ...rest].map(({ content }) => content.text).join(''),
      phase: airOf(chunk).phase,
    },
    context: { used: context.used, size: context.size },
    stopReason: end.stopReason,
    tokens: {
      total: token_count.totalTokens,
      models: model_usage.map(({ model }: { model: string }) => model),
    },
  };
}

/** AIR's part of the `_meta` of something; AIR knows version 1 of it. */
function airOf({ _meta }: Frame['params']): Frame['params'] {
  const { air } = _meta.jetbrains;
  if (air.version !== 1) throw new Error(`AIR metadata of version ${air.version}`);
  return air;
}

/** An option by its id, which v2 calls `configId`. */
function optionOf(options: readonly Frame['params'][], wanted: string): Frame['params'] {
  return options.find(({ id, configId }) => (configId ?? id) === wanted);
}

function valuesOf(options: readonly Frame['params'][], id: string): readonly Frame['params'][] {
  return optionOf(options, id).options;
}

function recommendedOf(options: readonly Frame['params'][], id: string): string {
  const { recommendedValue } = airOf(optionOf(options, id));
  if (valuesOf(options, id).some(({ value }) => value === recommendedValue)) return recommendedValue;
  throw new Error(`${id} recommends ${recommendedValue}, which it does not offer`);
}
