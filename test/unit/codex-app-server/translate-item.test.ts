import { describe, expect, it } from 'vitest';
import type * as wire from '../../../src/adapters/codex-app-server/protocol.generated.ts';
import { translateItem } from '../../../src/adapters/codex-app-server/translate-item.ts';

/** Items as another version of Codex may send them. */
const translate = (item: object): unknown => translateItem(item as wire.ThreadItem);

describe('items in the words of the core', () => {
  it('S4.37 S4.40 a command', () => {
    expect(
      translate({
        type: 'commandExecution',
        id: 'c1',
        command: 'ls',
        cwd: '/w',
        processId: '7',
        source: 'unifiedExecStartup',
        status: 'declined',
        commandActions: [
          { type: 'read', command: 'cat a', name: 'a', path: '/w/a' },
          { type: 'listFiles', command: 'ls', path: null },
          { type: 'search', command: 'rg x', query: 'x', path: null },
          { type: 'unknown', command: 'make' },
          { type: 'future', command: 'fly' },
        ],
        aggregatedOutput: 'out',
        exitCode: 0,
        durationMs: 1,
      }),
    ).toEqual({
      type: 'command',
      id: 'c1',
      command: 'ls',
      cwd: '/w',
      processId: '7',
      source: 'unifiedExecStartup',
      status: 'declined',
      actions: [
        { type: 'read', command: 'cat a', path: '/w/a' },
        { type: 'listFiles', command: 'ls', path: null },
        { type: 'search', command: 'rg x', query: 'x', path: null },
        { type: 'unknown', command: 'make' },
        { type: 'unknown', command: 'fly' },
      ],
      output: 'out',
      exitCode: 0,
    });
  });

  it('S4.37 a command with what Codex may leave out', () => {
    expect(translate({ type: 'commandExecution', id: 'c1', status: 'somethingNew', source: 'somewhere' })).toEqual({
      type: 'command',
      id: 'c1',
      command: '',
      cwd: '',
      processId: null,
      source: 'agent',
      status: 'failed',
      actions: [],
      output: null,
      exitCode: null,
    });
  });

  it('S4.59 a file change keeps its diffs as they are', () => {
    expect(
      translate({
        type: 'fileChange',
        id: 'f1',
        status: 'inProgress',
        changes: [
          { path: '/a', kind: { type: 'add' }, diff: 'text' },
          { path: '/b', kind: { type: 'delete' }, diff: 'text' },
          { path: '/c', kind: { type: 'update', move_path: '/d' }, diff: '@@\n\nMoved to: /d' },
        ],
      }),
    ).toEqual({
      type: 'fileChange',
      id: 'f1',
      status: 'inProgress',
      changes: [
        { path: '/a', kind: 'add', movePath: null, diff: 'text' },
        { path: '/b', kind: 'delete', movePath: null, diff: 'text' },
        { path: '/c', kind: 'update', movePath: '/d', diff: '@@\n\nMoved to: /d' },
      ],
    });
  });

  it.each([
    [null, false],
    [undefined, false],
    [{ moderated: true, display: null }, false],
    [{ moderated: true, display: { mode: 'show' } }, false],
    [{ moderated: true, display: { mode: 'hide' } }, true],
    [{ moderated: true, display: { mode: 'block' } }, true],
  ])('S4.23 an agent message with moderation %j', (moderation, hidden) => {
    const item = { type: 'agentMessage', id: 'm1', text: 'hi', phase: 'commentary', moderation };
    expect(translate(item)).toEqual({ type: 'agentMessage', id: 'm1', text: 'hi', phase: 'commentary', hidden });
  });

  it('S4.21 a phase that is new to us is none', () => {
    expect(translate({ type: 'agentMessage', id: 'm1', text: '', phase: 'humming' })).toMatchObject({ phase: null });
  });

  const QUESTIONS = [
    { title: 'Which one?', options: ['a', 'b'] },
    { title: 'Why?', options: null },
  ];

  it('S3.151 questions of a message that is delivered beside the turn', () => {
    const item = { type: 'agentMessage', id: 'm1', text: 'hm', phase: null, delivery: 'async', questions: QUESTIONS };
    expect(translate(item)).toEqual({
      type: 'agentMessage',
      id: 'm1',
      text: 'hm',
      phase: null,
      hidden: false,
      questions: [
        { title: 'Which one?', options: ['a', 'b'] },
        { title: 'Why?', options: [] },
      ],
    });
  });

  it.each([
    ['no delivery', { delivery: null, questions: QUESTIONS }],
    ['another delivery', { delivery: 'blocking', questions: QUESTIONS }],
    ['a Codex that knows no delivery', { questions: QUESTIONS }],
    ['no questions', { delivery: 'async', questions: [] }],
    ['questions left out', { delivery: 'async' }],
    ['questions without a text', { delivery: 'async', questions: [{ options: ['a'] }] }],
  ])('S3.151 nothing is asked with %s', (_case, fields) => {
    const item = { type: 'agentMessage', id: 'm1', text: 'hm', phase: null, ...fields };
    expect(translate(item)).not.toHaveProperty('questions');
  });

  it('S3.166 a compaction, S3.127 a plan, S3.9 begin and end of a review', () => {
    expect(translate({ type: 'contextCompaction', id: 'c' })).toEqual({ type: 'compaction', id: 'c' });
    expect(translate({ type: 'plan', id: 'p', text: '# Plan' })).toEqual({ type: 'plan', id: 'p', text: '# Plan' });
    expect(translate({ type: 'plan', id: 'p' })).toEqual({ type: 'plan', id: 'p', text: '' });
    expect(translate({ type: 'enteredReviewMode', id: 'r', review: 'changes' })).toEqual({
      type: 'reviewEntered',
      id: 'r',
      text: 'changes',
    });
    expect(translate({ type: 'exitedReviewMode', id: 'r', review: 'All good.' })).toEqual({
      type: 'reviewExited',
      id: 'r',
      text: 'All good.',
    });
    expect(translate({ type: 'exitedReviewMode', id: 'r', review: null })).toMatchObject({ text: '' });
  });

  it('S4.29 reasoning', () => {
    const item = { type: 'reasoning', id: 'r1', summary: ['a'], content: [] };
    expect(translate(item)).toEqual(item);
  });

  it('S4.76 an MCP call keeps arguments, result and error as Codex gave them', () => {
    const values = {
      arguments: { a: [1] },
      result: { content: [], structuredContent: null, _meta: null },
      error: null,
    };
    expect(
      translate({
        type: 'mcpToolCall',
        id: 'x',
        server: 's',
        tool: 't',
        status: 'completed',
        durationMs: 1,
        ...values,
      }),
    ).toEqual({ type: 'mcpTool', id: 'x', server: 's', tool: 't', status: 'completed', ...values });
  });

  it.each([
    [null, null],
    [
      { type: 'search', query: 'q', queries: ['a'] },
      { type: 'search', query: 'q', queries: ['a'] },
    ],
    [
      { type: 'openPage', url: 'u' },
      { type: 'openPage', url: 'u' },
    ],
    [
      { type: 'findInPage', url: null, pattern: 'p' },
      { type: 'findInPage', url: null, pattern: 'p' },
    ],
    [{ type: 'other' }, { type: 'other' }],
    [{ type: 'dive' }, { type: 'other' }],
  ])('S4.81 a web search with action %j', (action, expected) => {
    const item = { type: 'webSearch', id: 'w', query: 'q', action, results: [{}] };
    expect(translate(item)).toEqual({ type: 'webSearch', id: 'w', query: 'q', action: expected });
  });

  it('S4.83 an image view and S3.5 a user message without our id', () => {
    expect(translate({ type: 'imageView', id: 'i', path: '/p' })).toEqual({ type: 'imageView', id: 'i', path: '/p' });
    expect(translate({ type: 'userMessage', id: 'u', content: [] })).toEqual({
      type: 'userMessage',
      id: 'u',
      clientId: null,
    });
  });

  it('S4.10 anything else is nothing', () => {
    for (const item of [{ type: 'sleep', id: 's' }, { type: 'reasoning' }, { id: 'x' }]) {
      expect(translate(item)).toBeNull();
    }
    expect(translateItem(undefined as unknown as wire.ThreadItem)).toBeNull();
  });
});
