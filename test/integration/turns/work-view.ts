import { expect } from 'vitest';
import type { Json, LabSession, PromptEnd } from '../../support/integration.ts';
import { isIdle } from '../../support/lab-session.ts';
import { endGoal } from '../../support/model-answers.ts';
import { type Gate, hold, pause, reply, type Scripted, text } from '../../support/model-replies.ts';
import { messageText } from './tool-view.ts';

/** v2: every state that was told, with its stop reason. */
export function states(updates: readonly Json[]): string[] {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
}

/** v2: texts of the user's messages that were shown. */
export function userTexts(updates: readonly Json[]): string[] {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')
    .map(({ content }) => content.text);
}

/** Starts a turn of Codex by itself: the client sets a goal and the model works on it. */
export async function setGoal(session: LabSession, objective = 'Write a poem'): Promise<void> {
  await session.lab.request('_session/goal', { sessionId: session.id, action: 'set', objective });
}

/** A turn of Codex that has said `Verse one.` and waits; once it is let go, its goal is reached and it says `The end.` */
export async function heldGoalTurn(session: LabSession): Promise<Gate> {
  const gate = hold();
  session.model(reply(text('Verse one.'), pause(gate), endGoal()), text('The end.'));
  await setGoal(session);
  await session.textShown('Verse one.');
  return gate;
}

/** Ends a goal that the model goes on with turn after turn. */
export async function endGoals(session: LabSession): Promise<void> {
  await session.lab.request('_session/goal', { sessionId: session.id, action: 'clear' });
  session.cancel();
  await session.settled();
}

/** Resolves when the agent has handled everything that was sent to it before. */
export async function handled(session: LabSession): Promise<void> {
  // Without a known session it is refused at once.
  const params = { sessionId: 'no-such-session', action: 'clear' };
  await session.lab.request('_session/goal', params).catch(() => undefined);
}

/** A cancel ended the prompt: with an answer, or on v2 with a rejection and no frame when it was not recorded yet. */
export function expectCancelled(version: 1 | 2, end: PromptEnd): void {
  const rejected = version === 2 && end.outcome === 'rejected';
  expect([end.outcome, end.error?.code]).toEqual(rejected ? ['rejected', -32800] : ['cancelled', undefined]);
  if (version === 1) return;
  expect(states(end.updates)).toEqual(rejected ? [] : ['running', 'idle cancelled']);
  expect(userTexts(end.updates)).toHaveLength(rejected ? 0 : 1);
}

/** A prompt of the session works, and shows nothing of an earlier turn. */
export async function expectNextPrompt(session: LabSession): Promise<PromptEnd> {
  const answer: Scripted = text('The next one.');
  session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? answer : undefined));
  const end = await session.prompt('Next').ended;
  expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
  return end;
}

/** v2: the end of Codex is told by an `idle` behind the rejection, also when nothing was visible before (S3.43, R24). */
export async function lossTold(session: LabSession, end: PromptEnd): Promise<void> {
  if (session.lab.version === 1) return;
  await session.lab.waitFor('idle', (frame) => isIdle(frame, session.id), end.position);
}
