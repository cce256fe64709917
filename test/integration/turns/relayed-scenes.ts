import { expect } from 'vitest';
import type { LabSession } from '../../support/integration.ts';
import { functionCall, type Scripted, text } from '../../support/model-replies.ts';
import type { AppServerMessage, RelayedCodex } from '../../support/relay-codex.ts';
import type { LineRule } from '../../support/relay-rules.ts';
import { messageText } from './tool-view.ts';

/** What the tests with a Codex in the hand have in common. */

/** v2: every state with its stop reason. */
export function states(session: LabSession, from = 0): string[] {
  return session
    .updates(from)
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
}

/** v2: work that was visible has one `running` and one `idle`; v1 has no states. */
export function expectOneWork(session: LabSession, stopReason: string, from = 0): void {
  expect(states(session, from)).toEqual(session.lab.version === 1 ? [] : ['running', `idle ${stopReason}`]);
}

/** The next prompt works, and shows its own answer only. `first` is what the model says before it. */
export async function expectNextPrompt(session: LabSession, ...first: readonly Scripted[]): Promise<void> {
  const replies = [...first, text('The next one.')];
  session.modelWith(() => replies.shift());
  const next = session.prompt('Next');
  const end = await next.ended;
  expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
  expectOneWork(session, 'end_turn', next.from);
}

/** Messages about the thread of the session: not those of the turn that makes a title. */
export function of(session: LabSession): (message: AppServerMessage) => boolean {
  return ({ params }) => params?.threadId === session.id;
}

/** The title of the session was made: Codex runs nothing beside the session any more. */
export async function titled(session: LabSession): Promise<void> {
  await session.update('session_info_update', ({ title }) => title === 'Scripted title');
}

/** Everything that the client sent before was handled: a later request has its answer. */
export async function handled(session: LabSession): Promise<void> {
  await session.lab.client.request('probe', {}).catch(() => undefined);
}

/** Codex refuses requests of the method, as many as given, and never hears of them. */
export function refuse(
  codex: RelayedCodex,
  method: string,
  message: string | ((request: AppServerMessage) => string),
  times = Number.POSITIVE_INFINITY,
): LineRule {
  return codex
    .on('agent', method)
    .times(times)
    .rewrite((request) => {
      const text = typeof message === 'string' ? message : message(request);
      codex.inject('agent', { id: request['id'], error: { code: -32600, message: text } });
      return [];
    });
}

export const unregistered = 'no active turn to interrupt';

/** Replies of a prompted turn in which the model sets a goal, and of the turn that Codex then starts. */
export function goalSet(...steps: Scripted[]): Scripted[] {
  return [functionCall('create_goal', { objective: 'Write a poem' }), text('Goal set.'), ...steps];
}

/** The goal of `goalSet` is reached: Codex starts no further turn. */
export const goalReached = functionCall('update_goal', { status: 'complete' });

/** Requests of a method that the agent sent. */
export function asked(codex: RelayedCodex, method: string): AppServerMessage[] {
  return codex.messages
    .filter(({ from, message }) => from === 'agent' && message['method'] === method)
    .map(({ message }) => message);
}
