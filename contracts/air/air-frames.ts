import { ConsumerPact } from '../support/consumer-pact.ts';

/** The pact of AIR with us, as far as one consumer test file writes it. */
export function airPact(topic: string): ConsumerPact {
  return new ConsumerPact({ consumer: 'air', provider: 'codex-acp', topic });
}

/** `_meta` with AIR's own part. */
export function air(payload: object): object {
  return { jetbrains: { air: { version: 1, ...payload } } };
}

/** A JSON-RPC request of AIR. */
export function request(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** A successful JSON-RPC answer. */
export function answer(id: unknown, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

/** A session update. */
export function update(sessionId: string, content: object): object {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: content } };
}
