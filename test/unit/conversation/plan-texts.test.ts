import { describe, expect, test } from 'vitest';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import { planModeOf } from '../../../src/domain/conversation/plan-texts.ts';
import type { ThreadItem } from '../../../src/domain/thread/thread-item.ts';
import { profile } from '../../support/session-lab.ts';
import { ConversationLab, completed, planDelta, started } from './conversation-lab.ts';

function plan(text: string, id = 'p'): ThreadItem {
  return { type: 'plan', id, text };
}

function report(text: string, appended: string | null, isLast = false, itemId = 'p'): ConversationUpdate {
  return { type: 'planText', itemId, text, appended, completed: isLast };
}

describe('how a client is told a plan', () => {
  const air = { capabilities: new Set([]) };
  test('S3.127 S4.4 with plan updates: now and then; AIR v1 without: each delta; others: at the end', () => {
    expect(planModeOf(profile({ protocol: 2 }))).toBe('throttled');
    expect(planModeOf(profile({ protocol: 1, planUpdates: true }))).toBe('throttled');
    expect(planModeOf(profile({ protocol: 1, planUpdates: true, air }))).toBe('throttled');
    expect(planModeOf(profile({ protocol: 1, air }))).toBe('perDelta');
    expect(planModeOf(profile({ protocol: 1 }))).toBe('atEnd');
  });
});

describe('a throttled plan', () => {
  test('S3.127 S4.86 is told once per 150 ms: all of it and what is new', () => {
    const lab = new ConversationLab().handle(started(plan('')), planDelta('# Pl'), planDelta('an'));
    expect(lab.take()).toEqual([]);
    expect(lab.due).toEqual([{ itemId: 'p', ms: 150 }]);
    lab.conversation.flushPlan('p');
    lab.handle(planDelta('\n1.'), planDelta(' Do'));
    expect(lab.due).toHaveLength(2);
    lab.conversation.flushPlan('p');
    expect(lab.take()).toEqual([report('# Plan', '# Plan'), report('# Plan\n1. Do', '\n1. Do')]);
  });

  test('S3.127 nothing new is not told again', () => {
    const lab = new ConversationLab().handle(planDelta('a'));
    lab.conversation.flushPlan('p');
    lab.conversation.flushPlan('p');
    lab.handle(planDelta(''), completed(plan('a')));
    lab.conversation.flushPlan('p');
    lab.end();
    expect(lab.take()).toEqual([report('a', 'a')]);
  });

  test('S3.127 S4.86 plans of several items have a timer each', () => {
    const lab = new ConversationLab().handle(planDelta('a', 'p'), planDelta('b', 'q'));
    expect(lab.due.map(({ itemId }) => itemId)).toEqual(['p', 'q']);
    lab.conversation.flushPlan('q');
    expect(lab.take()).toEqual([report('b', 'b', false, 'q')]);
  });

  test('S4.88 a plan of more than 64 KiB is told once a second', () => {
    const lab = new ConversationLab().handle(planDelta('x'.repeat(64 * 1024)));
    lab.conversation.flushPlan('p');
    lab.handle(planDelta('y'));
    expect(lab.due.map(({ ms }) => ms)).toEqual([150, 1000]);
  });

  test('S3.127 the completed text brings what is still missing', () => {
    const lab = new ConversationLab().handle(planDelta('# Plan'));
    lab.conversation.flushPlan('p');
    lab.handle(planDelta('\nOne'), completed(plan('# Plan\nOne, two')));
    expect(lab.take()).toEqual([report('# Plan', '# Plan'), report('# Plan\nOne, two', '\nOne, two', true)]);
  });

  test('S3.127 the completed text counts: another one is a whole snapshot', () => {
    const lab = new ConversationLab().handle(planDelta('# Plan A'));
    lab.conversation.flushPlan('p');
    lab.handle(completed(plan('# Plan B')));
    expect(lab.take()).toEqual([report('# Plan A', '# Plan A'), report('# Plan B', null, true)]);
  });

  test('S4.86 an empty completed text leaves the streamed one; both empty tell nothing', () => {
    const lab = new ConversationLab().handle(planDelta('# Plan'), completed(plan('')), completed(plan('', 'q')));
    expect(lab.take()).toEqual([report('# Plan', '# Plan', true)]);
    expect(lab.conversation.planOf('t')).toEqual({ itemId: 'p', text: '# Plan' });
  });

  test('S3.127 C010 nothing comes after the completion', () => {
    const lab = new ConversationLab().handle(completed(plan('a')), planDelta('late'), completed(plan('b')));
    lab.conversation.flushPlan('p');
    lab.end();
    expect(lab.take()).toEqual([report('a', 'a', true)]);
  });

  test.each(['completed', 'failed', 'interrupted', 'cancelled', 'lost'] as const)(
    'S3.127 S3.78 pending text is told before the turn ends as %s',
    (status) => {
      const lab = new ConversationLab().handle(planDelta('half'), planDelta('other', 'q', 'u'));
      lab.end('t', { status });
      expect(lab.take()).toEqual([report('half', 'half', true)]);
      lab.conversation.flushPlan('p');
      lab.handle(planDelta('late'));
      expect(lab.take()).toEqual([]);
      lab.end(null, { status });
      expect(lab.take()).toEqual([report('other', 'other', true, 'q')]);
    },
  );
});

describe('a plan that is told per delta', () => {
  test('S3.127 S4.87 each delta at once, at the end only the rest', () => {
    const lab = new ConversationLab('perDelta').handle(planDelta('a'), planDelta('b'), completed(plan('abc')));
    expect(lab.take()).toEqual([report('a', 'a'), report('ab', 'b'), report('abc', 'c', true)]);
    expect(lab.due).toEqual([]);
  });

  test('S3.127 S4.87 another completed text is told whole', () => {
    const lab = new ConversationLab('perDelta').handle(planDelta('a'), completed(plan('x')));
    expect(lab.take()).toEqual([report('a', 'a'), report('x', null, true)]);
  });
});

describe('a plan that is told at its end', () => {
  test('S3.127 S4.87 one report, whole', () => {
    const lab = new ConversationLab('atEnd').handle(planDelta('a'), planDelta('b'));
    expect([lab.take(), lab.due]).toEqual([[], []]);
    expect(lab.handle(completed(plan('abc'))).take()).toEqual([report('abc', 'abc', true)]);
  });

  test('S3.127 what a cut turn streamed is not lost', () => {
    const lab = new ConversationLab('atEnd').handle(planDelta('a'), planDelta('b')).end('t', { status: 'interrupted' });
    expect(lab.take()).toEqual([report('ab', 'ab', true)]);
  });
});

describe('the plan to review', () => {
  test('S3.128 is the last completed plan of the turn that is not empty, told once', () => {
    const lab = new ConversationLab().handle(
      completed(plan('first', 'a')),
      completed(plan('second', 'b')),
      completed(plan(' \n', 'c')),
    );
    lab.end();
    expect(lab.conversation.planOf('u')).toBeNull();
    expect(lab.conversation.planOf('t')).toEqual({ itemId: 'b', text: 'second' });
    expect(lab.conversation.planOf('t')).toBeNull();
  });

  test('S3.128 a plan that did not complete is none', () => {
    const lab = new ConversationLab().handle(planDelta('half')).end('t', { status: 'failed' });
    expect(lab.conversation.planOf('t')).toBeNull();
  });

  test('S3.128 is forgotten with the next turn, but not with one that ends beside its own', () => {
    const lab = new ConversationLab().handle(completed(plan('plan'))).end('beside');
    lab.end('t');
    lab.end('next');
    expect(lab.conversation.planOf('t')).toBeNull();
    lab.handle(completed(plan('plan', 'q'), 'v')).end('beside');
    expect(lab.conversation.planOf('v')).toEqual({ itemId: 'q', text: 'plan' });
    lab.handle(completed(plan('plan', 's'), 'w')).end(null, { status: 'lost' });
    expect(lab.conversation.planOf('w')).toBeNull();
  });
});
