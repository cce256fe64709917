import { describe, expect, test } from 'vitest';
import type { ThreadEvent, TokenBreakdown } from '../../../src/domain/thread/thread-event.ts';
import { events, message } from '../../support/session-lab.ts';
import { runningPrompt, type SentRequest, type WireLab, wireLab } from '../../support/wire-lab.ts';

const clients = ['plainV1', 'zedV1', 'airV1', 'plainV2', 'airV2'] as const;

/** Tokens: each call of the model below has `n` times the same. */
const calls = (n: number): TokenBreakdown => ({
  totalTokens: 100 * n,
  inputTokens: 80 * n,
  cachedInputTokens: 30 * n,
  cacheWriteInputTokens: 10 * n,
  outputTokens: 20 * n,
  reasoningOutputTokens: 5 * n,
});
const report = (turnId: string, total: number, last = 1, contextWindow: number | null = 1000): ThreadEvent => ({
  type: 'tokenUsage',
  turnId,
  total: calls(total),
  last: calls(last),
  contextWindow,
});
/** What a client is told of `n` calls: input without what was cached (S3.160). */
const count = (n: number) => ({ ...calls(n), inputTokens: 40 * n });
const usageOf = (n: number) => ({
  totalTokens: 100 * n,
  inputTokens: 40 * n,
  cachedReadTokens: 30 * n,
  cachedWriteTokens: 10 * n,
  outputTokens: 20 * n,
  thoughtTokens: 5 * n,
});
const quota = (n: number) => ({ token_count: count(n), model_usage: [{ model: 'gpt-test', token_count: count(n) }] });
const unknown = { token_count: null, model_usage: [] };

/** Usage and quota of the work that ended last. */
async function ending(lab: WireLab, prompt: SentRequest): Promise<{ usage: unknown; quota: unknown }> {
  await lab.settle();
  const idle = lab.updatesOf('state_update').findLast(({ state }) => state === 'idle');
  const end = lab.version === 1 ? await prompt.answer : idle;
  return { usage: end.usage ?? null, quota: end._meta.quota };
}

describe.each(clients)('usage for %s', (name) => {
  test('S3.160 S3.161 S3.162 S3.163 a prompt is told what its own calls used, by the model without its effort', async () => {
    const lab = await wireLab(name);
    const first = await runningPrompt(lab);
    // Told again with the same total, as Codex does after it recorded input: it is no call.
    lab.emit(report('turn-1', 1), report('turn-1', 1), report('turn-1', 2), events.completed('turn-1'));
    expect(await ending(lab, first)).toEqual({ usage: usageOf(2), quota: quota(2) });
    const second = await runningPrompt(lab);
    lab.emit(report('turn-2', 2), report('turn-2', 5, 3), events.completed('turn-2'));
    expect(await ending(lab, second)).toEqual({ usage: usageOf(3), quota: quota(3) });
    expect(Object.keys((await ending(lab, second)).quota as object)).toEqual(['token_count', 'model_usage']);
  });

  test('S3.161 a plan and its implementation count together', async () => {
    const lab = await wireLab(name);
    const type = lab.version === 2 ? { type: 'id' } : {};
    const change = { sessionId: lab.sessionId, configId: 'collaboration_mode', value: 'plan', ...type };
    await lab.client.request('session/set_config_option', change);
    const prompt = await runningPrompt(lab);
    lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: { type: 'plan', id: 'plan-1', text: '1. Do it' } });
    lab.emit(report('turn-1', 2, 2), events.completed('turn-1'));
    await lab.words();
    lab.answer('plan-review:plan-1', 'implement_plan');
    await lab.codex.called('startTurn', 2);
    await lab.settle();
    lab.emit(events.started('turn-2'));
    lab.land('turn-2');
    lab.emit(report('turn-2', 5, 3), events.itemCompleted('turn-2', message('m2', 'Done')), events.completed('turn-2'));
    expect(await ending(lab, prompt)).toEqual({ usage: usageOf(5), quota: quota(5) });
  });

  test('S3.161 what Codex does by itself between two prompts belongs to none', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'), report('goal-1', 4, 4), events.completed('goal-1'));
    await lab.settle();
    const prompt = await runningPrompt(lab);
    lab.emit(report('turn-1', 5), events.completed('turn-1'));
    expect(await ending(lab, prompt)).toEqual({ usage: usageOf(1), quota: quota(1) });
  });

  test('S3.161 a total that goes down: the calls are added up', async () => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    lab.emit(report('turn-1', 4, 4), report('turn-1', 1, 2), events.completed('turn-1'));
    expect(await ending(lab, prompt)).toEqual({ usage: usageOf(6), quota: quota(6) });
  });

  test('S3.161 S3.162 without a report it is unknown', async () => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    lab.emit(events.completed('turn-1'));
    expect(await ending(lab, prompt)).toEqual({ usage: null, quota: unknown });
    if (lab.version === 1) expect(await prompt.answer).toHaveProperty('usage', null);
    else expect(lab.updatesOf('state_update').at(-1)).not.toHaveProperty('usage');
  });

  test.each(['cancelled', 'failed'])('S3.161 a prompt that is %s used something too', async (how) => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    lab.emit(report('turn-1', 1));
    if (how === 'cancelled') lab.cancel();
    await lab.settle();
    lab.emit(
      events.completed('turn-1', how === 'cancelled' ? 'interrupted' : 'failed', how === 'failed' ? 'no' : undefined),
    );
    expect(await ending(lab, prompt)).toEqual({ usage: usageOf(1), quota: quota(1) });
  });

  test('S3.163 a local command used nothing, whatever a turn beside it does', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('listSkills');
    lab.emit(events.started('goal-1'));
    const prompt = lab.prompt('/skills');
    await lab.settle();
    lab.emit(report('goal-1', 3, 3));
    lab.codex.heldSkills.at(-1)?.resolve([]);
    expect(await ending(lab, prompt)).toEqual({ usage: null, quota: unknown });
  });

  test('S3.163 the model is named without its effort', async () => {
    const lab = await wireLab(name);
    const type = lab.version === 2 ? { type: 'id' } : {};
    const change = { sessionId: lab.sessionId, configId: 'model', value: 'gpt-test[high]', ...type };
    await lab.client.request('session/set_config_option', change);
    const prompt = await runningPrompt(lab);
    lab.emit(report('turn-1', 1), events.completed('turn-1'));
    expect((await ending(lab, prompt)).quota).toEqual(quota(1));
  });

  test('S3.164 C024 each report moves the context meter, when the window is known', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(report('turn-1', 1), report('turn-1', 1), report('turn-1', 4, 3), report('turn-1', 5, 1, null));
    lab.emit(report('turn-1', 5, 1, 0));
    await lab.settle();
    expect(lab.updates).toEqual([
      { sessionUpdate: 'usage_update', used: 100, size: 1000 },
      { sessionUpdate: 'usage_update', used: 100, size: 1000 },
      { sessionUpdate: 'usage_update', used: 300, size: 1000 },
    ]);
    lab.emit(events.completed('turn-1'));
    lab.mark();
    // Also while nothing runs.
    lab.emit(report('turn-1', 6));
    expect((await lab.words()).at(-1)).toBe('usage 100/1000');
  });

  test('S3.165 limits of the account show nothing until /status reads them', async () => {
    const lab = await wireLab(name);
    const limit = {
      limitId: null,
      limitName: null,
      primary: { usedPercent: 25, minutes: 300, resetsAt: null },
      secondary: null,
      credits: null,
      individualLimit: null,
      spendControlReached: null,
      planType: null,
    };
    lab.codex.limits = [limit];
    lab.codex.emitGlobal({ type: 'rateLimitsChanged', limit: { ...limit, primary: null } });
    expect(await lab.words()).toEqual([]);
    lab.prompt('/status');
    await lab.settle();
    expect(lab.codex.of('rateLimits')).toHaveLength(1);
    expect(lab.client.text(lab.sessionId)).toContain('75% left');
  });
});
