import { describe, expect, test } from 'vitest';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { ReviewItem } from '../../../src/domain/thread/thread-item.ts';
import { ConversationLab, completed, message, messageDelta, started } from './conversation-lab.ts';

const report = 'One problem.\n\n- [P1] It breaks.';

function exited(text: string = report): ReviewItem {
  return { type: 'reviewExited', id: 'review', text };
}

function text(value: string, messageId: string | null): ConversationUpdate {
  return { type: 'agentText', messageId, text: value, phase: null };
}

const entered: ReviewItem = { type: 'reviewEntered', id: 'entered', text: 'current changes' };

describe('the report of a review', () => {
  test('S3.116 S4.24 is one message, trimmed', () => {
    const lab = new ConversationLab().handle(started(exited('')), completed(exited(` \n${report}\n`)));
    lab.handle(completed(exited())).end();
    expect(lab.take()).toEqual([text(report, null)]);
  });

  test('S3.116 a blank one is not shown', () => {
    expect(
      new ConversationLab()
        .handle(completed(exited(' \n')))
        .end()
        .take(),
    ).toEqual([]);
  });

  test('S3.84 S4.24 that a review began is not shown', () => {
    expect(new ConversationLab().handle(started(entered), completed(entered)).take()).toEqual([]);
  });

  test('S3.116 C010 before the message with the same text: the message is not shown', () => {
    const lab = new ConversationLab().handle(
      completed(exited()),
      started(message('')),
      completed(message(`${report}\n`)),
    );
    expect(lab.handle(messageDelta('late')).end().take()).toEqual([text(report, null)]);
  });

  test('S3.116 C010 after the message with the same text: the report is not shown', () => {
    const lab = new ConversationLab().handle(completed(message(report)), completed(exited(`${report}\n`))).end();
    expect(lab.take()).toEqual([text(report, 'm')]);
  });

  test('S3.116 C010 after the same text was streamed and completed: not shown', () => {
    const lab = new ConversationLab().handle(messageDelta('One '), messageDelta(report.slice(4)));
    lab.handle(completed(message(report)), completed(exited())).end();
    expect(lab.take()).toEqual([text('One ', 'm'), text(report.slice(4), 'm')]);
  });

  test.each([
    ['all of', report, ''],
    ['the beginning of', 'One problem.', report.slice(12)],
  ])('S3.116 C010 while %s the same text is streamed: not shown', (_, first, rest) => {
    const lab = new ConversationLab().handle(messageDelta(first), completed(exited()), messageDelta(rest));
    lab.handle(completed(message(report))).end();
    expect(lab.take().map((update) => 'text' in update && update.text)).toEqual(rest === '' ? [first] : [first, rest]);
  });

  test('S3.116 the message that began like it becomes another one: shown after it', () => {
    const lab = new ConversationLab().handle(messageDelta('One '), completed(exited()), messageDelta('more'));
    lab.handle(completed(message('One more'))).end();
    expect(lab.take()).toEqual([text('One ', 'm'), text('more', 'm'), text(report, null)]);
  });

  test('S3.116 the message that began like it never ends: shown with the end of the turn, unless it is all there', () => {
    const lab = new ConversationLab().handle(messageDelta('One '), completed(exited())).end();
    expect(lab.take()).toEqual([text('One ', 'm'), text(report, null)]);
    lab.handle(messageDelta(report, 'n', 'u'), completed(exited(), 'u')).end('u');
    expect(lab.take()).toEqual([text(report, 'n')]);
  });

  test('S3.116 C010 the same text streamed after it is not shown', () => {
    const lab = new ConversationLab().handle(completed(exited()), messageDelta('One '), messageDelta(report.slice(4)));
    lab.handle(messageDelta('\n'), completed(message(`${report}\n`))).end();
    expect(lab.take()).toEqual([text(report, null)]);
  });

  test('S3.116 another text after it is shown, whole, also when it began the same', () => {
    const lab = new ConversationLab().handle(completed(exited()), messageDelta('One '), messageDelta('more'));
    lab.handle(messageDelta('.'), completed(message('One more.')), completed(message('Anything else?', { id: 'n' })));
    lab.handle(messageDelta('One ', 'o'), completed(message('One ', { id: 'o' }))).end();
    expect(lab.take()).toEqual([
      text(report, null),
      text('One more', 'm'),
      text('.', 'm'),
      text('Anything else?', 'n'),
      text('One ', 'o'),
    ]);
  });

  test('S3.116 the same text in another turn is another message', () => {
    const lab = new ConversationLab().handle(completed(exited()), completed(message(report, { id: 'u1' }), 'u'));
    lab
      .end('t')
      .end('u')
      .handle(completed(message(report, { id: 'v1' })));
    expect(lab.take()).toEqual([text(report, null), text(report, 'u1'), text(report, 'v1')]);
  });
});

describe('a review that was stopped or failed', () => {
  const reviewer = 'Reviewer failed to output a response.';
  const advice = 'Review was interrupted. Please re-run /review and wait for it to complete.';

  test("S3.56 S3.9 Codex's own two texts are not shown", () => {
    const lab = new ConversationLab();
    lab.explained = true;
    lab.handle(completed(exited(reviewer)), completed(message(advice))).end('t', { status: 'interrupted' });
    expect(lab.take()).toEqual([]);
  });

  test('S3.56 what else it still tells is shown', () => {
    const lab = new ConversationLab();
    lab.explained = true;
    lab.handle(completed(exited()), completed(message('Bye.'))).end('t', { status: 'interrupted' });
    expect(lab.take()).toEqual([text(report, null), text('Bye.', 'm')]);
  });

  test('S3.116 nobody stopped it and no failure was told: the texts are shown', () => {
    const lab = new ConversationLab().handle(completed(exited(reviewer)), completed(message(advice)));
    expect(lab.take()).toEqual([text(reviewer, null), text(advice, 'm')]);
  });
});
