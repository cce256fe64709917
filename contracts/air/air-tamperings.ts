import type { Frame } from '../../test/support/acp-client.ts';
import {
  changed,
  instead,
  more,
  type Tampering,
  type Tamperings,
  without,
  withoutValue,
} from '../support/tampering.ts';

/*
 * Changes to the agent's frames: those that break AIR and must be noticed, and those that are none of its business.
 */

const air = 'result._meta.jetbrains.air';

function offer(...capabilities: readonly string[]): readonly Tampering[] {
  return [
    instead('id', 99),
    without('result'),
    instead('result.protocolVersion', 3),
    without('result._meta.jetbrains'),
    without(air),
    instead(`${air}.version`, 2),
    without(`${air}.goal`),
    instead(`${air}.goal.version`, 2),
    instead(`${air}.goal.controlMethod`, '_goal'),
    ...['set', 'pause', 'resume', 'clear'].map((action) => withoutValue(`${air}.goal.actions`, action)),
    ...capabilities.map((capability) => withoutValue(`${air}.capabilities`, capability)),
    without('result._meta.steering'),
    instead('result._meta.steering.supported', false),
  ];
}

/** Places of the options in the agent's answer. */
const [mode, model, effort] = ['0', '2', '3'].map((index) => `result.configOptions.${index}`);

function setup(key: 'configId' | 'id'): readonly Tampering[] {
  return [
    without('result.sessionId'),
    without('result.configOptions'),
    instead(`${mode}.${key}`, 'modus'),
    instead(`${mode}.type`, 'boolean'),
    without(`${mode}.currentValue`),
    without(`${mode}.options.0`),
    ...['0', '1', '2', '3'].map((index) => without(`${mode}.options.${index}._meta.jetbrains.air.kind`)),
    instead(`${mode}.options.3._meta.jetbrains.air.kind`, 'standard'),
    ...[model, effort].flatMap((option) => [
      instead(`${option}.${key}`, 'other'),
      without(`${option}.currentValue`),
      instead(`${option}.options`, []),
      without(`${option}.options.0.value`),
      without(`${option}._meta`),
      without(`${option}._meta.jetbrains.air.recommendedValue`),
      instead(`${option}._meta.jetbrains.air.version`, 2),
    ]),
  ];
}

/** Tamperings with an update; `index` is its place in the turn. */
function message(index: number): readonly Tampering[] {
  const update = `${index}.params.update`;
  return [
    instead(`${index}.method`, 'session/news'),
    instead(`${index}.params.sessionId`, 'thread-2'),
    instead(`${update}.sessionUpdate`, 'agent_thought_chunk'),
    without(`${update}.messageId`),
    instead(`${update}.messageId`, 'message-2'),
    instead(`${update}.content.text`, 'Hello'),
    without(`${update}._meta`),
    instead(`${update}._meta.jetbrains.air.version`, 2),
    instead(`${update}._meta.jetbrains.air.phase`, 'commentary'),
  ];
}

function contextUsage(index: number): readonly Tampering[] {
  return [without(`${index}.params.update.used`), without(`${index}.params.update.size`)];
}

/** `_meta.quota` and the stop reason, on whatever ends the turn. */
function end(path: string): readonly Tampering[] {
  return [
    without(`${path}.stopReason`),
    instead(`${path}.stopReason`, 'max_tokens'),
    without(`${path}._meta.quota`),
    instead(`${path}._meta.quota.token_count`, null),
    without(`${path}._meta.quota.token_count.totalTokens`),
    instead(`${path}._meta.quota.model_usage`, []),
    without(`${path}._meta.quota.model_usage.0.model`),
    without(`${path}._meta.quota.model_usage.0.token_count.cachedInputTokens`),
  ];
}

/** Each frame missing, twice, or in the place of the one before it. */
function order(frames: number): readonly Tampering[] {
  const indexes = Array.from({ length: frames }, (_, index) => index);
  return [
    ...indexes.map((index) => without(String(index))),
    ...indexes.map((index) =>
      changed(`frame ${index} twice`, (turn: readonly Frame[]) =>
        turn.flatMap((one, at) => (at === index ? [one, one] : [one])),
      ),
    ),
    ...indexes.slice(1).map((index) =>
      changed(`frame ${index} before the one before it`, (turn: readonly Frame[]) => {
        return [...turn.slice(0, index - 1), ...turn.slice(index - 1, index + 1).reverse(), ...turn.slice(index + 1)];
      }),
    ),
  ];
}

export const breaking: Tamperings = {
  'initialize: AIR on v1': offer(
    'sessionFailure',
    'diffPatch',
    'agentFileChangeReport',
    'nativeSubagentSessions',
    'asyncTasks',
    'recommendedValue',
    'rawInputRendering',
    'planContentDelta',
    'codexHooks',
    'sessionIndex',
  ),
  'initialize: AIR on v2': offer(
    'sessionFailure',
    'agentFileChangeReport',
    'nativeSubagentSessions',
    'asyncTasks',
    'recommendedValue',
    'sessionIndex',
  ),
  'initialize: AIR on v2 is not offered what v2 has a standard for': [
    'rawInputRendering',
    'planContentDelta',
    'diffPatch',
  ].map((capability) => more(`${air}.capabilities`, capability, capability)),
  'initialize: AIR without a session index is not offered one': [
    more(`${air}.capabilities`, 'sessionIndex', 'sessionIndex'),
  ],
  'initialize: a client that is not AIR on v1': [
    instead('result.protocolVersion', 2),
    more('result._meta', 'jetbrains', {}),
    more('result._meta', 'goal', {}),
  ],
  'initialize: a client that is not AIR on v2': [
    instead('result.protocolVersion', 1),
    more('result._meta', 'jetbrains', {}),
    more('result._meta', 'goal', {}),
  ],
  'session setup: AIR on v1 opens a session': [
    ...setup('id'),
    without('result.modes'),
    without('result.modes.currentModeId'),
    without('result.modes.availableModes.0'),
    without('result.modes.availableModes.2._meta'),
    instead('result.modes.availableModes.3._meta.jetbrains.air.kind', 'standard'),
  ],
  'session setup: AIR on v2 opens a session': setup('configId'),
  'text turn: AIR on v1': [...message(0), ...contextUsage(1), ...end('2.result'), ...order(3)],
  'text turn: AIR on v2': [
    instead('0.params.update.state', 'requires_action'),
    without('1.params.update.messageId'),
    instead('1.params.update.content.text', 'Say'),
    without('2.result.messageId'),
    ...message(3),
    ...contextUsage(4),
    instead('5.params.update.state', 'running'),
    ...end('5.params.update'),
    ...order(6),
  ],
};

export const harmless: Tamperings = {
  'initialize: AIR on v1': [
    more('', 'trace', 'x'),
    more('result', 'extra', {}),
    more(`${air}.capabilities`, 'timeTravel', 'timeTravel'),
    changed('capabilities in another order', (frame: Frame) => {
      frame.result._meta.jetbrains.air.capabilities.reverse();
      return frame;
    }),
    without('result.agentInfo'),
    without('result.authMethods'),
  ],
  'initialize: a client that is not AIR on v1': [more('result._meta', 'other', {}), without('result._meta.steering')],
  'session setup: AIR on v2 opens a session': [
    without('result.configOptions.1'),
    instead(`${model}.options.0.name`, 'Another name'),
    instead(`${model}.currentValue`, 'gpt-other'),
    changed('options in another order', (frame: Frame) => {
      frame.result.configOptions.reverse();
      return frame;
    }),
  ],
  'text turn: AIR on v1': [
    instead('1.params.update.used', 7),
    instead('2.id', 12),
    more('0.params.update', 'extra', {}),
    without('2.result.usage'),
  ],
  'text turn: AIR on v2': [instead('2.id', 12), more('5.params.update', 'extra', {}), without('5.params.update.usage')],
};
