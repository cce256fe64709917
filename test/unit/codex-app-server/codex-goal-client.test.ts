import { beforeEach, expect, it } from 'vitest';
import { exchange, type RuntimeLab, refusal, runtimeLab } from './runtime-lab.ts';

const GOAL = {
  objective: 'Ship it',
  status: 'active',
  tokenBudget: null,
  tokensUsed: 5,
  timeUsedSeconds: 2,
  createdAt: 10,
  updatedAt: 11,
};

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

it('S3.118 a new goal has an objective, a paused or resumed one only a status', async () => {
  const goal = { threadId: 't1', ...GOAL };
  const set = lab.runtime.goals.set('t1', { objective: 'Ship it', status: 'active' });
  const { params, value } = await exchange(lab, set, 'thread/goal/set', { goal });
  expect(params).toEqual({ threadId: 't1', objective: 'Ship it', status: 'active' });
  expect(value).toEqual(GOAL);
  const pause = lab.runtime.goals.set('t1', { status: 'paused' });
  const paused = await exchange(lab, pause, 'thread/goal/set', { goal: { ...goal, status: 'paused' } });
  expect(paused.params).toEqual({ threadId: 't1', status: 'paused' });
  expect(paused.value).toEqual({ ...GOAL, status: 'paused' });
});

it('S3.11 a status without a goal is refused, and an answer without a goal is no success', async () => {
  const text = 'cannot update goal for thread t1: no goal exists';
  const resume = () => lab.runtime.goals.set('t1', { status: 'active' });
  expect(await refusal(lab, resume(), 'thread/goal/set', text)).toMatchObject({
    name: 'CodexRequestError',
    code: -32600,
    message: text,
  });
  const odd = resume().catch((error: Error) => error.message);
  expect((await exchange(lab, odd, 'thread/goal/set', {})).value).toContain('did not tell how it stands');
});

it.each([true, false])('S3.11 S3.121 clear tells whether there was a goal: %s', async (cleared) => {
  const { params, value } = await exchange(lab, lab.runtime.goals.clear('t1'), 'thread/goal/clear', { cleared });
  expect(params).toEqual({ threadId: 't1' });
  expect(value).toBe(cleared);
});

it('S3.125 reads the goal, or that there is none', async () => {
  const found = await exchange(lab, lab.runtime.goals.read('t1'), 'thread/goal/get', { goal: GOAL });
  expect(found).toEqual({ params: { threadId: 't1' }, value: GOAL });
  expect((await exchange(lab, lab.runtime.goals.read('t1'), 'thread/goal/get', { goal: null })).value).toBeNull();
  expect((await exchange(lab, lab.runtime.goals.read('t1'), 'thread/goal/get', {})).value).toBeNull();
});
