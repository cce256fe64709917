import type { Readable, Writable } from 'node:stream';
import type { FormAnswer } from '../../domain/interaction/form-ask.ts';
import type { AskAnswer } from '../../domain/interaction/permission-ask.ts';
import type { Log } from '../../ports/outbound/system.ts';
import { AcpStream } from './acp-stream.ts';
import { AcpClientChannel } from './client-channel.ts';
import { ClientRequests } from './client-requests.ts';
import { Delivery } from './delivery.ts';
import { Outbox } from './outbox.ts';

export interface AcpConnectionOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  readonly onAskSettled: (sessionId: string, askId: number, answer: AskAnswer) => void;
  readonly onFormSettled: (sessionId: string, askId: number, answer: FormAnswer) => void;
  readonly onInputEnd: () => void;
  readonly onClosed: () => void;
  readonly maxMessageBytes?: number;
}

/** The parts of one ACP connection over stdio, wired together. */
export interface AcpConnection {
  readonly stream: AcpStream;
  readonly outbox: Outbox;
  readonly delivery: Delivery;
  readonly requests: ClientRequests;
  readonly channel: AcpClientChannel;
}

/** Opens the connection. Reading starts at once; messages wait until the SDK takes them from `stream.stream`. */
export function openAcpConnection(options: AcpConnectionOptions): AcpConnection {
  const { input, output, log, onAskSettled, onFormSettled } = options;
  const outbox = new Outbox(output, {
    broken: (error) => {
      log.warn('The output to the client is closed', { reason: error.message });
      stream.close(error);
    },
    fault: (exception) => log.error('A frame for the client could not be built', { exception }),
  });
  const delivery = new Delivery(log);
  const requests = new ClientRequests(outbox, delivery.gates, log);
  const channel = new AcpClientChannel({ outbox, delivery, requests, log, onAskSettled, onFormSettled });
  const stream = new AcpStream({
    input,
    outbox,
    delivery,
    requests,
    log,
    onNegotiated: () => channel.connected(),
    onInputEnd: options.onInputEnd,
    onClosed: options.onClosed,
    ...(options.maxMessageBytes === undefined ? {} : { maxMessageBytes: options.maxMessageBytes }),
  });
  return { stream, outbox, delivery, requests, channel };
}
