import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { WorkspaceFiles } from '../../../src/ports/outbound/workspace-files.ts';
import { command, events, message } from '../../support/session-lab.ts';
import { runningPrompt, type SentRequest, type WireLab, wireLab } from '../../support/wire-lab.ts';
import { commandApproval } from '../interaction/approvals.ts';

const clients = ['plainV1', 'zedV1', 'airV1', 'plainV2', 'airV2'] as const;
const unregistered = new CodexRequestError(-32600, 'no active turn to interrupt');

async function sent(lab: WireLab, text = 'hi'): Promise<SentRequest> {
  const prompt = lab.prompt(text);
  await lab.settle();
  return prompt;
}

const interrupts = (lab: WireLab) => lab.codex.of('interrupt').map(({ turnId }) => turnId);
/** What becomes of a prompt that was recorded. */
const cancelledEnd = (lab: WireLab) => (lab.version === 1 ? ['p1 cancelled'] : ['idle cancelled']);
const beforeInsertion = (lab: WireLab) =>
  `Request cancelled: Session ${lab.sessionId} was cancelled before the prompt was inserted`;
const requestCancelled = 'Request cancelled: The prompt request was cancelled before it was inserted';

/** A permission that Codex asks for in a turn. */
function askPermission(lab: WireLab, turnId: string, itemId = 'c1') {
  lab.emit(events.itemStarted(turnId, command(itemId)));
  return lab.codex.request(lab.sessionId, commandApproval({ turnId, itemId }));
}

describe.each(clients)('a cancel of %s', (name) => {
  test('S3.50 of a session that is not open is ignored, and stops no other', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.cancel('elsewhere');
    expect(await lab.words()).toEqual([]);
    expect(interrupts(lab)).toEqual([]);
  });

  test('S3.50 C013 stops its own session only', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const first = lab.sessionId;
    await lab.openSession();
    lab.cancel();
    await lab.settle();
    expect(interrupts(lab)).toEqual([]);
    lab.cancel(first);
    await lab.settle();
    expect(lab.codex.of('interrupt')).toEqual([{ method: 'interrupt', threadId: first, turnId: 'turn-1' }]);
  });

  test('T18 S3.51 R7 withdraws what is asked, rejects the queue and interrupts, in this order; a late answer means nothing', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const ref = askPermission(lab, 'turn-1');
    await lab.news();
    lab.prompt('queued');
    await lab.settle();
    lab.cancel();
    const queued = lab.version === 1 ? 'p2 cancelled' : `p2 error -32800 ${beforeInsertion(lab)}`;
    expect(await lab.news()).toEqual(['withdraw c1', queued]);
    const calls = lab.codex.calls.slice(-2);
    expect(calls).toEqual([
      { method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } },
      { method: 'interrupt', threadId: lab.sessionId, turnId: 'turn-1' },
    ]);
    lab.answer('c1', 'allow_once');
    await lab.settle();
    expect(lab.codex.of('answer')).toHaveLength(1);
    lab.emit(events.completed('turn-1', 'interrupted'));
    const words = await lab.words();
    expect(words.at(-1)).toBe(cancelledEnd(lab)[0]);
    expect(words).not.toContain('running');
  });

  test('T8 section 5.1 a local command is given up at once', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('listSkills');
    await sent(lab, '/skills');
    await lab.news();
    lab.cancel();
    expect(await lab.news()).toEqual(cancelledEnd(lab));
    lab.codex.heldSkills.at(-1)?.resolve([]);
    expect(await lab.words()).toEqual([]);
  });

  test('T12 section 5.1 a start without answer: its turn is interrupted when it has an id', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    await sent(lab);
    lab.cancel();
    expect(await lab.news()).toEqual([]);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.settle();
    expect(interrupts(lab)).toEqual(['turn-1']);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual(
      lab.version === 1 ? ['p1 cancelled'] : ['running', `p1 error -32800 ${beforeInsertion(lab)}`, 'idle cancelled'],
    );
  });

  test('R5 a start that fails after the cancel is no error', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    await sent(lab);
    lab.cancel();
    await lab.settle();
    lab.codex.heldStarts[0]?.reject(new CodexRequestError(-32600, 'no'));
    expect(await lab.words()).toEqual(
      lab.version === 1 ? ['p1 cancelled'] : [`p1 error -32800 ${beforeInsertion(lab)}`],
    );
  });

  test('T14 S3.61 S3.65 section 5.1 a turn that is not registered is asked for again, in the end at its next sign of life', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('interrupt');
    await sent(lab);
    lab.cancel();
    await lab.settle();
    for (const delay of [25, 50, 100, 200, 400]) {
      lab.codex.heldInterrupts.shift()?.reject(unregistered);
      await lab.settle();
      const before = interrupts(lab).length;
      lab.clock.advance(delay - 1);
      expect(interrupts(lab)).toHaveLength(before);
      lab.clock.advance(1);
      expect(interrupts(lab)).toHaveLength(before + 1);
    }
    lab.codex.heldInterrupts.shift()?.reject(unregistered);
    await lab.settle();
    expect(interrupts(lab)).toHaveLength(6);
    lab.emit(events.started('turn-1'));
    expect(interrupts(lab)).toEqual(Array.from({ length: 7 }, () => 'turn-1'));
  });

  test('S3.62 a retry that is due when the turn has ended is not made, whoever runs then', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('interrupt');
    await runningPrompt(lab);
    lab.cancel();
    await lab.settle();
    lab.codex.heldInterrupts[0]?.reject(unregistered);
    lab.prompt('next');
    await lab.settle();
    lab.emit(events.completed('turn-1', 'interrupted'));
    await lab.settle();
    lab.emit(events.started('turn-2'));
    lab.clock.advance(1000);
    await lab.settle();
    expect(interrupts(lab)).toEqual(['turn-1']);
  });

  test('C006 S3.114 S3.56 R14 section 5.1 a review is interrupted by the id of its reviewer and ends with its own, without canned texts', async () => {
    const lab = await wireLab(name);
    await sent(lab, '/review');
    lab.emit({ type: 'itemStarted', turnId: 'turn-1', item: { type: 'reviewEntered', id: 'r0', text: 'changes' } });
    lab.emit(events.started('child-1', 'turn-1'));
    await lab.news();
    lab.cancel();
    await lab.settle();
    expect(interrupts(lab)).toEqual(['child-1']);
    const item = { type: 'reviewExited', id: 'r1', text: 'Reviewer failed to output a response.' } as const;
    lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item });
    const canned = 'Review was interrupted. Please re-run /review and wait for it to complete.';
    lab.emit(events.itemCompleted('turn-1', message('m1', canned)));
    expect(await lab.news()).toEqual([]);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual(cancelledEnd(lab));
  });

  test('S3.166 S3.167 section 5.1 a compaction is interrupted and told as cancelled', async () => {
    const lab = await wireLab(name);
    await sent(lab, '/compact');
    lab.emit(events.started('turn-c'));
    lab.emit({ type: 'itemStarted', turnId: 'turn-c', item: { type: 'compaction', id: 'k1' } });
    await lab.news();
    lab.cancel();
    await lab.settle();
    expect(interrupts(lab)).toEqual(['turn-c']);
    lab.emit(events.completed('turn-c', 'interrupted'));
    const told = name === 'plainV1' || name === 'zedV1' ? 'tool k1 failed' : 'compaction cancelled';
    expect(await lab.words()).toEqual([told, ...cancelledEnd(lab)]);
  });

  test('T24 S3.130 section 5.1 a plan review: the question is withdrawn and nothing is carried out', async () => {
    const lab = await wireLab(name);
    await planReview(lab);
    lab.cancel();
    const review = 'plan-review:plan-1';
    expect(await lab.news()).toEqual([`withdraw ${review}`, `tool ${review} failed`, ...cancelledEnd(lab)]);
    lab.answer(review, 'implement_plan');
    expect(await lab.words()).toEqual([]);
    expect(lab.codex.of('startTurn')).toHaveLength(1);
  });

  test.each(['completed', 'failed', 'interrupted'] as const)(
    'T19 S3.55 wins over a turn that then is %s',
    async (status) => {
      const lab = await wireLab(name);
      await runningPrompt(lab);
      lab.cancel();
      await lab.settle();
      lab.emit(events.completed('turn-1', status));
      expect(await lab.words()).toEqual(cancelledEnd(lab));
    },
  );

  test('R6 a turn that ended before it is not cancelled', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1'));
    lab.cancel();
    expect(await lab.words()).toEqual(lab.version === 1 ? ['p1 end_turn'] : ['idle end_turn']);
    expect(interrupts(lab)).toEqual([]);
  });

  test('S3.56 what the turn still says stands before its end', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.delta('turn-1', 'one'));
    lab.cancel();
    await lab.settle();
    lab.emit(events.delta('turn-1', 'two'), events.itemCompleted('turn-1', message('m2', 'three')));
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual(['text one', 'text two', 'text three', ...cancelledEnd(lab)]);
  });

  test('T27 S3.57 S3.63 stops a turn of Codex alike, and leaves the goal', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('interrupt');
    lab.emit(events.started('goal-1'));
    askPermission(lab, 'goal-1');
    await lab.news();
    lab.cancel();
    expect(await lab.news()).toEqual(['withdraw c1']);
    lab.codex.heldInterrupts.shift()?.reject(unregistered);
    await lab.settle();
    lab.clock.advance(25);
    lab.codex.heldInterrupts.shift()?.resolve();
    await lab.settle();
    expect(interrupts(lab)).toEqual(['goal-1', 'goal-1']);
    lab.emit(events.completed('goal-1', 'interrupted'));
    const words = await lab.words();
    expect(words.filter((word) => !/^(tool|terminal)/.test(word))).toEqual(lab.version === 1 ? [] : ['idle cancelled']);
    expect(lab.codex.of('setGoal')).toEqual([]);
    expect(lab.codex.of('clearGoal')).toEqual([]);
  });

  test.each(['session/cancel', 'session/close'])(
    'S3.58 what is asked while nothing runs is withdrawn by %s',
    async (by) => {
      const lab = await wireLab(name);
      const ref = lab.codex.request(lab.sessionId, commandApproval({ turnId: 'other', itemId: 'c1' }));
      expect(await lab.news()).toEqual(['ask c1']);
      if (by === 'session/cancel') lab.cancel();
      else lab.close();
      expect(await lab.words()).toEqual(by === 'session/cancel' ? ['withdraw c1'] : ['withdraw c1', 'close done']);
      const refused = { method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } };
      expect(lab.codex.of('answer')).toEqual([refused]);
    },
  );

  test('S3.58 of a prompt does not touch what a later turn of Codex asks', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.cancel();
    await lab.settle();
    lab.emit(events.completed('turn-1', 'interrupted'), events.started('goal-1'));
    await lab.news();
    askPermission(lab, 'goal-1', 'c9');
    expect(await lab.words()).toContain('ask c9');
    expect(lab.codex.of('answer')).toEqual([]);
  });

  test('S3.60 again and again: one interrupt, one end', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    for (let times = 0; times < 3; times += 1) {
      lab.cancel();
      await lab.settle();
    }
    lab.emit(events.completed('turn-1', 'interrupted'));
    lab.cancel();
    await lab.settle();
    lab.cancel();
    expect(await lab.words()).toEqual(cancelledEnd(lab));
    expect(interrupts(lab)).toEqual(['turn-1']);
  });
});

describe.each(['plainV1', 'airV1'] as const)('S3.59 $/cancel_request of %s', (name) => {
  test('a queued prompt ends at once, the others go on', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const queued = lab.prompt('two');
    lab.prompt('three');
    await lab.settle();
    lab.cancelRequest(queued);
    expect(await lab.news()).toEqual(['p2 cancelled']);
    expect(interrupts(lab)).toEqual([]);
    lab.emit(events.completed('turn-1'));
    expect(await lab.words()).toEqual(['p1 end_turn']);
    expect(lab.codex.of('startTurn')[1]?.params.input).toEqual([{ type: 'text', text: 'three' }]);
  });

  test('the running one is stopped, what is asked for it is withdrawn, and the queue is not touched', async () => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    askPermission(lab, 'turn-1');
    lab.prompt('two');
    await lab.news();
    lab.cancelRequest(prompt);
    expect(await lab.news()).toEqual(['withdraw c1']);
    expect(interrupts(lab)).toEqual(['turn-1']);
    lab.emit(events.completed('turn-1', 'interrupted'));
    const words = await lab.words();
    expect(words.at(-1)).toBe('p1 cancelled');
    expect(lab.codex.of('startTurn')).toHaveLength(2);
  });
});

describe.each(['plainV2', 'airV2'] as const)('S3.59 $/cancel_request of %s', (name) => {
  test('a queued prompt is rejected at once, the others go on', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const queued = lab.prompt('two');
    await lab.settle();
    lab.cancelRequest(queued);
    expect(await lab.words()).toEqual([`p2 error -32800 ${requestCancelled}`]);
    expect(interrupts(lab)).toEqual([]);
  });

  test('R10 before insertion, turn known: it is stopped, nothing of the prompt is shown, and one idle ends it', async () => {
    const lab = await wireLab(name);
    const prompt = await sent(lab);
    lab.emit(events.started('turn-1'));
    await lab.news();
    lab.cancelRequest(prompt);
    await lab.settle();
    expect(interrupts(lab)).toEqual(['turn-1']);
    lab.land('turn-1');
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual([`p1 error -32800 ${requestCancelled}`, 'idle cancelled']);
  });

  test('R10 before insertion, turn unknown: it is stopped as soon as it has an id', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    const prompt = await sent(lab);
    lab.cancelRequest(prompt);
    await lab.settle();
    expect(interrupts(lab)).toEqual([]);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    lab.land('turn-1');
    await lab.settle();
    expect(interrupts(lab)).toEqual(['turn-1']);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual(['running', `p1 error -32800 ${requestCancelled}`, 'idle cancelled']);
  });

  test('R10 a turn that it only joined goes on as that of Codex', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.emit(events.started('goal-1'));
    const prompt = await sent(lab);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'goal-1' });
    await lab.news();
    lab.cancelRequest(prompt);
    expect(await lab.news()).toEqual([`p1 error -32800 ${requestCancelled}`]);
    expect(interrupts(lab)).toEqual([]);
    lab.land('goal-1');
    lab.emit(events.delta('goal-1', 'mine'), events.completed('goal-1'));
    expect(await lab.words()).toEqual(['text mine', 'idle end_turn']);
  });

  test('R10 after insertion it has no effect', async () => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    lab.cancelRequest(prompt);
    expect(await lab.news()).toEqual([]);
    lab.emit(events.completed('turn-1'));
    expect(await lab.words()).toEqual(['idle end_turn']);
    expect(interrupts(lab)).toEqual([]);
  });

  test('before insertion, while the user decides about a plan: the question is withdrawn', async () => {
    const lab = await wireLab(name);
    const prompt = await planReview(lab, { land: false });
    lab.cancelRequest(prompt);
    const review = 'plan-review:plan-1';
    expect(await lab.words()).toEqual([
      `withdraw ${review}`,
      `tool ${review} failed`,
      `p1 error -32800 ${requestCancelled}`,
      'idle cancelled',
    ]);
  });
});

describe.each(['airV1', 'airV2'] as const)('section 5.1 after the end of the turn of %s', (name) => {
  test('S3.55 it is too late: the report comes, and the normal end', async () => {
    let find: (directory: string) => void = () => undefined;
    const files: WorkspaceFiles = {
      flavour: 'posix',
      repositoryRoot: () => new Promise((resolve) => (find = resolve)),
      resolveDirectory: (directory) => Promise.resolve(directory),
    };
    const lab = await wireLab(name, { files });
    const agentFileChangeReportRequest = { version: 1, requestId: 'r1' };
    lab.prompt('go', { _meta: { jetbrains: { air: { agentFileChangeReportRequest } } } });
    await lab.settle();
    lab.emit(events.started('turn-1'));
    lab.land('turn-1');
    lab.emit({
      type: 'diffUpdated',
      turnId: 'turn-1',
      diff: 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    });
    lab.emit(events.completed('turn-1'));
    await lab.news();
    lab.cancel();
    expect(await lab.news()).toEqual([]);
    find('/w');
    const end = lab.version === 1 ? 'p1 end_turn' : 'idle end_turn';
    expect(await lab.words()).toEqual(['info agentFileChangeReport', end]);
    expect(interrupts(lab)).toEqual([]);
  });
});

/** A prompt whose plan waits for the user. */
async function planReview(lab: WireLab, { land = true } = {}): Promise<SentRequest> {
  const type = lab.version === 2 ? { type: 'id' } : {};
  const change = { sessionId: lab.sessionId, configId: 'collaboration_mode', value: 'plan', ...type };
  await lab.client.request('session/set_config_option', change);
  const prompt = await sent(lab);
  lab.emit(events.started('turn-1'));
  if (land) lab.land('turn-1');
  lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: { type: 'plan', id: 'plan-1', text: '1. Do it' } });
  lab.emit(events.completed('turn-1'));
  await lab.news();
  return prompt;
}
