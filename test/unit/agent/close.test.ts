import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { ServerRequest } from '../../../src/domain/interaction/approval-request.ts';
import type { WorkspaceFiles } from '../../../src/ports/outbound/workspace-files.ts';
import { command, events } from '../../support/session-lab.ts';
import { runningPrompt, type SentRequest, type WireLab, wireLab } from '../../support/wire-lab.ts';
import { commandApproval, fileChangeApproval } from '../interaction/approvals.ts';

const clients = ['plainV1', 'airV1', 'plainV2', 'airV2'] as const;

async function sent(lab: WireLab, text = 'hi'): Promise<SentRequest> {
  const prompt = lab.prompt(text);
  await lab.settle();
  return prompt;
}

const closedBefore = (lab: WireLab) =>
  `-32800 Request cancelled: Session ${lab.sessionId} was closed before the prompt was inserted`;

describe.each(clients)('a close of %s', (name) => {
  test('S3.66 of a session that is not open, again and at the same time, is answered with {}', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const closes = [lab.close('c1'), lab.close('c2')];
    await lab.settle();
    lab.emit(events.completed('turn-1', 'interrupted'));
    for (const { answer } of closes) expect(await answer).toEqual({});
    expect(await lab.close('c3').answer).toEqual({});
    expect(await lab.client.request('session/close', { sessionId: 'elsewhere' })).toEqual({});
    expect(lab.codex.of('unsubscribe')).toHaveLength(1);
  });

  test('T30 T31 S3.67 S3.97 S3.210 S3.231 in its order, and nothing after it', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.itemStarted('turn-1', command('c1')));
    const ref = lab.codex.request(lab.sessionId, commandApproval({ turnId: 'turn-1', itemId: 'c1' }));
    lab.prompt('queued');
    lab.codex.terminals = [{ itemId: 'c1', processId: 'process-1', command: 'x' } as never];
    lab.codex.manual.add('unsubscribe');
    await lab.news();
    lab.close();
    const first =
      lab.version === 1
        ? ['withdraw c1', 'p2 cancelled', 'p1 cancelled']
        : ['withdraw c1', `p2 error ${closedBefore(lab)}`];
    expect(await lab.news()).toEqual(first);
    expect(lab.codex.calls.slice(-2)).toEqual([
      { method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } },
      { method: 'interrupt', threadId: lab.sessionId, turnId: 'turn-1' },
    ]);
    lab.emit(events.delta('turn-1', 'unseen'), events.completed('turn-1', 'interrupted'));
    expect(await lab.news()).toEqual([]);
    // The command has only just begun (C001).
    lab.clock.advance(1000);
    expect(await lab.news()).toEqual([]);
    expect(lab.codex.calls.slice(-2)).toEqual([
      { method: 'terminate', threadId: lab.sessionId, processId: 'process-1' },
      { method: 'unsubscribe', threadId: lab.sessionId },
    ]);
    lab.codex.heldUnsubscribes[0]?.resolve();
    const words = await lab.news();
    expect(words.filter((word) => !/^(terminal|tool) c1/.test(word))).toEqual(
      lab.version === 1 ? ['close done'] : ['idle cancelled', 'close done'],
    );
    expect(words).toContain('tool c1 failed');
    const [idle] = lab.client.updates(lab.sessionId).slice(-1);
    if (lab.version === 2) expect(idle._meta).toEqual({ quota: { token_count: null, model_usage: [] } });
    lab.emit(events.started('turn-9'), events.delta('turn-9', 'late'), events.completed('turn-9'));
    lab.clock.advance(60_000);
    expect(await lab.news()).toEqual([]);
  });

  test('S3.23 S3.67 meanwhile prompts and steers are refused', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('unsubscribe');
    lab.close();
    await lab.settle();
    lab.prompt('late');
    const steer = lab.steer('late');
    const text = `Session ${lab.sessionId} is closing`;
    const prompt = lab.version === 1 ? 'p1 cancelled' : `p1 error -32600 Invalid request: ${text}`;
    expect(await lab.news()).toEqual([prompt, `s1 error -32600 Invalid request: ${text}`]);
    await expect(steer.answer).rejects.toMatchObject({ data: text });
    lab.codex.heldUnsubscribes[0]?.resolve();
    expect(await lab.words()).toEqual(['close done']);
    await expect(lab.prompt('gone').answer).rejects.toMatchObject({ code: -32002 });
  });

  test('S3.68 R11 a start without answer: its turn is interrupted when it has an id, and nothing of it is shown', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    await sent(lab);
    lab.close();
    expect(await lab.news()).toEqual([lab.version === 1 ? 'p1 cancelled' : `p1 error ${closedBefore(lab)}`]);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    lab.emit(events.started('turn-1'));
    lab.land('turn-1');
    lab.emit(events.delta('turn-1', 'unseen'));
    await lab.settle();
    expect(lab.codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['turn-1']);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.words()).toEqual(['close done']);
  });

  test('S3.69 what the stopped turn asks is refused without a word to the client', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.close();
    await lab.settle();
    lab.mark();
    const requests: readonly ServerRequest[] = [
      commandApproval({ turnId: 'turn-1', itemId: 'c1' }),
      fileChangeApproval({ turnId: 'turn-1', itemId: 'f1' }),
      { type: 'permissions', turnId: 'turn-1' },
      { type: 'elicitation', turnId: 'turn-1' },
      { type: 'userInput', turnId: 'turn-1' },
    ];
    for (const request of requests) lab.codex.request(lab.sessionId, request);
    expect(await lab.news()).toEqual([]);
    expect(lab.codex.of('answer').map(({ answer }) => answer)).toEqual([
      { type: 'commandApproval', decision: 'cancel' },
      { type: 'fileChangeApproval', decision: 'cancel' },
      { type: 'permissions' },
      { type: 'elicitation' },
      { type: 'userInput' },
    ]);
  });

  test('S3.63 S3.67 stops a turn of Codex, with retries', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('interrupt');
    lab.emit(events.started('goal-1'));
    await lab.news();
    lab.close();
    await lab.settle();
    lab.codex.heldInterrupts.shift()?.reject(new CodexRequestError(-32600, 'no active turn to interrupt'));
    await lab.settle();
    lab.clock.advance(25);
    lab.codex.heldInterrupts.shift()?.resolve();
    await lab.settle();
    expect(lab.codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['goal-1', 'goal-1']);
    lab.emit(events.completed('goal-1', 'interrupted'));
    expect(await lab.words()).toEqual(lab.version === 1 ? ['close done'] : ['idle cancelled', 'close done']);
  });

  test('S3.70 an interrupt that is refused does not fail it', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.codex.manual.add('interrupt');
    const close = lab.close();
    await lab.settle();
    lab.codex.heldInterrupts[0]?.reject(new CodexRequestError(-32600, 'internal'));
    expect(await close.answer).toEqual({});
  });

  test('S3.70 S3.64 a dead app-server is asked nothing', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.codex.crash();
    await lab.settle();
    const calls = lab.codex.calls.length;
    expect(await lab.close().answer).toEqual({});
    expect(lab.codex.calls).toHaveLength(calls);
  });

  test('S3.70 nor one that dies meanwhile', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const close = lab.close();
    await lab.settle();
    lab.mark();
    lab.codex.crash();
    expect(await close.answer).toEqual({});
    expect(await lab.words()).toEqual(lab.version === 1 ? ['close done'] : ['idle cancelled', 'close done']);
    expect(lab.codex.of('unsubscribe')).toEqual([]);
  });

  test('S3.71 T32 that Codex refuses fails, and the session stays open', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('unsubscribe');
    const close = lab.close();
    await lab.settle();
    lab.codex.heldUnsubscribes[0]?.reject(new CodexRequestError(-32603, 'disk full'));
    await expect(close.answer).rejects.toMatchObject({ code: -32603, data: { details: 'disk full' } });
    await runningPrompt(lab);
    lab.emit(events.delta('turn-1', 'Still here'), events.completed('turn-1'));
    const words = await lab.words();
    expect(words).toEqual(['text Still here', lab.version === 1 ? 'p1 end_turn' : 'idle end_turn']);
  });

  test('S3.102 C013 another session goes on as it was', async () => {
    const lab = await wireLab(name);
    const first = lab.sessionId;
    await lab.openSession();
    await runningPrompt(lab);
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'turn-1', itemId: 'c1' }));
    await lab.news();
    expect(await lab.client.request('session/close', { sessionId: first })).toEqual({});
    lab.codex.emit(first, events.started('old'));
    lab.codex.emit(first, events.delta('old', 'of the closed one'));
    expect(await lab.news()).toEqual([]);
    lab.answer('c1', 'allow_once');
    await lab.settle();
    expect(lab.codex.of('answer').at(-1)?.answer).toEqual({ type: 'commandApproval', decision: 'accept' });
  });
});

describe.each(['airV1', 'airV2'] as const)('a close of %s', (name) => {
  test('R13 while a finished turn drains: the normal result, one end', async () => {
    const files: WorkspaceFiles = {
      flavour: 'posix',
      repositoryRoot: () => new Promise(() => undefined),
      resolveDirectory: (directory) => Promise.resolve(directory),
    };
    const lab = await wireLab(name, { files });
    const agentFileChangeReportRequest = { version: 1, requestId: 'r1' };
    lab.prompt('go', { _meta: { jetbrains: { air: { agentFileChangeReportRequest } } } });
    await lab.settle();
    lab.emit(events.started('turn-1'));
    lab.land('turn-1');
    const diff = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
    lab.emit({ type: 'diffUpdated', turnId: 'turn-1', diff }, events.completed('turn-1'));
    await lab.news();
    lab.close();
    const end = { 1: ['p1 end_turn'], 2: ['idle cancelled'] };
    expect(await lab.words()).toEqual(['info agentFileChangeReport', ...end[lab.version], 'close done']);
    const [report] = lab.updatesOf('session_info_update');
    expect(report?._meta.jetbrains.air.agentFileChangeReport).toMatchObject({ reason: 'cancelled' });
  });
});

describe.each(clients)('the end of the connection of %s', (name) => {
  test('R37 during a turn: nothing is written any more, whatever Codex still says', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'turn-1', itemId: 'c1' }));
    await lab.settle();
    lab.agent.disconnect();
    await new Promise(setImmediate);
    const received = lab.client.received.length;
    lab.emit(events.delta('turn-1', 'late'), events.completed('turn-1'), events.started('turn-2'));
    lab.codex.crash();
    for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
    expect(lab.client.received).toHaveLength(received);
  });
});
