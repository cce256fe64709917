import { PassThrough } from 'node:stream';
import * as v2 from '@agentclientprotocol/sdk/experimental/v2/unstable';
import * as v1 from '@agentclientprotocol/sdk/unstable';
import { type AcpConnection, openAcpConnection } from '../../../../src/adapters/acp/acp-connection.ts';
import { parseClientProfile } from '../../../../src/adapters/acp/client-profile-parser.ts';
import { initializeResponseV1, initializeResponseV2 } from '../../../../src/adapters/acp/initialize-response.ts';
import type { FormAnswer } from '../../../../src/domain/interaction/form-ask.ts';
import type { AskAnswer } from '../../../../src/domain/interaction/permission-ask.ts';
import { until } from './event-loop.ts';
import { FakeLog } from './fake-log.ts';
import { FakeOutput, type Frame } from './fake-output.ts';

export interface SdkAgent {
  readonly input: PassThrough;
  readonly output: FakeOutput;
  readonly log: FakeLog;
  readonly connection: AcpConnection;
  /** What happened to the connection and to asks. */
  readonly events: unknown[];
  send(...messages: readonly object[]): void;
  /** Sends raw text. */
  sendText(text: string): void;
  initialize(protocol: 1 | 2): Promise<void>;
  /** Waits for the response to the request. */
  response(id: string | number | null): Promise<Frame>;
}

const agent = { name: 'codex-acp', version: '1.0.0' };
const flags = { noBrowser: false };

/** Our transport under the real SDK: its router and one app of each version, to which a test adds handlers. */
export function sdkAgent(
  register: (apps: {
    readonly v1: v1.AgentApp;
    readonly v2: v2.AgentApp;
    readonly connection: AcpConnection;
  }) => void = () => {},
  maxMessageBytes?: number,
  output = new FakeOutput(),
): SdkAgent {
  const input = new PassThrough();
  const log = new FakeLog();
  const events: unknown[] = [];
  const connection = openAcpConnection({
    input,
    output,
    log,
    onAskSettled: (sessionId: string, askId: number, answer: AskAnswer) => events.push({ sessionId, askId, answer }),
    onFormSettled: (sessionId: string, askId: number, answer: FormAnswer) => events.push({ sessionId, askId, answer }),
    onInputEnd: () => events.push('input ended'),
    onClosed: () => events.push('closed'),
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
  });
  const apps = { v1: v1.agent(), v2: v2.agent(), connection };
  apps.v1.onRequest('initialize', ({ params }) => initializeResponseV1(parseClientProfile(1, params), agent, flags));
  apps.v2.onRequest('initialize', ({ params }) => initializeResponseV2(parseClientProfile(2, params), agent, flags));
  register(apps);
  v2.agentProtocolRouter().withV1(apps.v1).withV2(apps.v2).connect(connection.stream.stream);
  const response = async (id: string | number | null): Promise<Frame> => {
    const find = (): Frame | undefined => output.frames.find((frame) => frame.id === id && frame.method === undefined);
    await until(() => find() !== undefined);
    return find() as Frame;
  };
  return {
    input,
    output,
    log,
    connection,
    events,
    send: (...messages) => input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    sendText: (text) => input.write(text),
    initialize: async (protocol) => {
      const params = { protocolVersion: protocol, info: { name: 'test', version: '1' } };
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params })}\n`);
      await response('init');
    },
    response,
  };
}

export const request = (id: string | number | null, method: string, params?: unknown): object => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const notification = (method: string, params: object): object => ({ jsonrpc: '2.0', method, params });
