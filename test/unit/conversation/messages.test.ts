import { describe, expect, test } from 'vitest';
import {
  ConversationLab,
  completed,
  failure,
  message,
  messageDelta,
  reasoning,
  reasoningDelta,
  started,
} from './conversation-lab.ts';

describe('agent messages', () => {
  test('S3.83 C018 deltas carry the item id and the phase of their message', () => {
    const lab = new ConversationLab().handle(
      started(message('', { id: 'a', phase: 'commentary' })),
      messageDelta('Looking', 'a'),
      completed(message('Looking', { id: 'a', phase: 'commentary' })),
      started(message('', { id: 'b', phase: 'final_answer' })),
      messageDelta('Do', 'b'),
      messageDelta('ne.', 'b'),
      completed(message('Done.', { id: 'b', phase: 'final_answer' })),
    );
    expect(lab.take()).toEqual([
      { type: 'agentText', messageId: 'a', text: 'Looking', phase: 'commentary' },
      { type: 'agentText', messageId: 'b', text: 'Do', phase: 'final_answer' },
      { type: 'agentText', messageId: 'b', text: 'ne.', phase: 'final_answer' },
    ]);
  });

  test('S3.83 one that completes without deltas is shown whole, with its phase', () => {
    const lab = new ConversationLab().handle(completed(message('Whole.', { phase: 'final_answer' })));
    expect(lab.take()).toEqual([{ type: 'agentText', messageId: 'm', text: 'Whole.', phase: 'final_answer' }]);
  });

  test('S3.83 C010 nothing is shown twice, and nothing after the end', () => {
    const lab = new ConversationLab().handle(messageDelta('a'), completed(message('a')), completed(message('a')));
    lab.handle(messageDelta('b'), completed(message('')), messageDelta('', 'n'), completed(message('', { id: 'n' })));
    expect(lab.take()).toEqual([{ type: 'agentText', messageId: 'm', text: 'a', phase: null }]);
  });

  test('S3.80 C010 one that completes after the end of its turn is not shown again', () => {
    const lab = new ConversationLab().handle(messageDelta('a'), reasoningDelta('b')).end();
    lab.handle(messageDelta('c'), completed(message('acd')), completed(reasoning({ summary: ['b'] })));
    expect(lab.take()).toEqual([
      { type: 'agentText', messageId: 'm', text: 'a', phase: null },
      { type: 'thought', messageId: 'r', text: 'b' },
      { type: 'agentText', messageId: 'm', text: 'c', phase: null },
      { type: 'agentTextCorrected', messageId: 'm', text: 'acd', missing: 'd', phase: null },
    ]);
  });

  test('S3.80 C010 a second end after the end of its turn is not shown, also while the next turn runs', () => {
    const lab = new ConversationLab().handle(messageDelta('a'), completed(message('a'))).end();
    lab.handle(messageDelta('b', 'n', 'u'), completed(message('a')));
    expect(lab.take().map((update) => update.type === 'agentText' && update.text)).toEqual(['a', 'b']);
  });

  test('S3.80 C010 an id that comes again in the next turn is another message', () => {
    const lab = new ConversationLab().handle(
      messageDelta('a'),
      reasoningDelta('r'),
      completed(message('b', { id: 'n' })),
    );
    lab.end();
    lab.handle(messageDelta('c', 'm', 'u'), completed(message('c'), 'u'), reasoningDelta('s', 'r', 'u'));
    lab.handle(
      completed(reasoning({ summary: ['s'] }), 'u'),
      messageDelta('d', 'n', 'u'),
      completed(message('d', { id: 'n' }), 'u'),
    );
    const shown = lab.take().map((update) => ('text' in update ? update.text : update.type));
    expect(shown).toEqual(['a', 'r', 'b', 'c', 's', 'd']);
  });

  test('S4.16 what belongs to a turn is forgotten when the next one ends, all of it when Codex is lost', () => {
    const again = { type: 'agentText', messageId: 'm', text: 'a', phase: null };
    const next = new ConversationLab()
      .handle(completed(message('a')))
      .end('t')
      .end('t')
      .end('u');
    next.take();
    expect(next.handle(completed(message('a'))).take()).toEqual([again]);
    const lost = new ConversationLab().handle(completed(message('a'))).end(null);
    lost.take();
    expect(lost.handle(completed(message('a'))).take()).toEqual([again]);
  });

  test('C014 S3.174 a retry is no text, and what was streamed before it stays alone', () => {
    const lab = new ConversationLab().handle(messageDelta('Before. ', 'a'), failure('t', 'Reconnecting... 1/5', true));
    lab.handle(messageDelta('After.', 'b'), completed(message('After.', { id: 'b' }))).end();
    expect(lab.take()).toEqual([
      { type: 'agentText', messageId: 'a', text: 'Before. ', phase: null },
      { type: 'agentText', messageId: 'b', text: 'After.', phase: null },
    ]);
  });
});

describe('reasoning', () => {
  test('S3.83 C018 deltas are thoughts with the item id; a new part begins with a blank line', () => {
    const lab = new ConversationLab().handle(
      started(reasoning()),
      { type: 'reasoningBreak', turnId: 't', itemId: 'r' },
      reasoningDelta('First'),
      { type: 'reasoningBreak', turnId: 't', itemId: 'r' },
      reasoningDelta('Second'),
      completed(reasoning({ summary: ['First', 'Second'] })),
      reasoningDelta('Third', 's'),
    );
    expect(lab.take()).toEqual([
      { type: 'thought', messageId: 'r', text: 'First' },
      { type: 'thought', messageId: 'r', text: '\n\n' },
      { type: 'thought', messageId: 'r', text: 'Second' },
      { type: 'thought', messageId: 's', text: 'Third' },
    ]);
  });

  test.each([
    ['its summary', { summary: ['a', '', 'b'], content: ['raw'] }, 'a\n\nb'],
    ['its content without one', { summary: [], content: ['c', 'd'] }, 'c\n\nd'],
  ])('S3.83 without deltas shows %s, parts joined by a blank line', (_, parts, text) => {
    const lab = new ConversationLab().handle(completed(reasoning(parts)), completed(reasoning(parts)));
    expect(lab.take()).toEqual([{ type: 'thought', messageId: 'r', text }]);
  });

  test('S3.83 empty reasoning shows nothing', () => {
    expect(new ConversationLab().handle(started(reasoning()), completed(reasoning())).take()).toEqual([]);
  });
});

describe('items without a picture', () => {
  test('S3.84 user messages and the begin of a review show nothing live', () => {
    const user = { type: 'userMessage', id: 'u', clientId: null } as const;
    const review = { type: 'reviewEntered', id: 'e', text: 'changes' } as const;
    const lab = new ConversationLab().handle(started(user), completed(user), started(review), completed(review));
    expect(lab.end().take()).toEqual([]);
  });
});
