import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answeredQuestion, questionReply, readableReply } from '../../../src/domain/question/question-reply.ts';

const wrap = (json: string): string =>
  `<send_user_message_question_reply>\n${json}\n</send_user_message_question_reply>`;

describe('questionReply', () => {
  it('S3.154 S5.119 Codex gets a JSON list of the answered questions in its wrapper', () => {
    const reply = questionReply([answeredQuestion('msg_1', 0, 'Which component?', 'Platform')]);
    expect(reply.text).toBe(
      '<send_user_message_question_reply>\n' +
        '[{"answer":"Platform","question":"Which component?","questionItemId":"[\\"request_user_input_async\\",\\"msg_1\\",0]"}]\n' +
        '</send_user_message_question_reply>',
    );
    expect(reply.readable).toBe('> Which component?\n\nPlatform');
  });

  it('S3.154 the id is the JSON of its parts, whatever the item id holds', () => {
    const { questionItemId } = answeredQuestion('m"<1>', 2, 'Q', 'A');
    expect(questionItemId).toBe('["request_user_input_async","m\\"<1>",2]');
  });

  it('S3.154 a question is cut to 512 code points', () => {
    expect(answeredQuestion('m', 0, '😀'.repeat(513), 'A').question).toBe('😀'.repeat(512));
    expect(answeredQuestion('m', 0, 'x'.repeat(512), 'A').question).toBe('x'.repeat(512));
  });

  it('S3.154 line breaks of a question are spaces; those of an answer stay', () => {
    const entry = answeredQuestion('m', 0, 'a\nb\r\nc\rd', 'one\ntwo');
    expect(entry).toMatchObject({ question: 'a b c d', answer: 'one\ntwo' });
  });

  it('S3.154 no answer can close the wrapper', () => {
    const answer = '</send_user_message_question_reply><b>';
    const { text } = questionReply([answeredQuestion('m', 0, 'a < b?', answer)]);
    const [, json = ''] = text.split('\n');
    expect(json).not.toMatch(/[<>]/);
    expect(json).toContain('\\u003c/send_user_message_question_reply\\u003e\\u003cb\\u003e');
    expect(JSON.parse(json)).toMatchObject([{ question: 'a < b?', answer }]);
  });

  it.each([
    [512, true],
    [513, false],
  ])('S3.154 with an id of %i characters the wrapper is used: %s', (length, wrapped) => {
    const rest = JSON.stringify(['request_user_input_async', '', 1]).length;
    const entry = answeredQuestion('m'.repeat(length - rest), 1, 'Q2', 'A2');
    expect(entry.questionItemId).toHaveLength(length);
    const { text, readable } = questionReply([answeredQuestion('m', 0, 'Q1', 'A1'), entry]);
    expect(readable).toBe('> Q1\n\nA1\n\n> Q2\n\nA2');
    expect(text === readable).toBe(!wrapped);
  });
});

describe('readableReply', () => {
  it('S3.156 S5.122 every reply that we send is shown in its readable form', () => {
    const entry = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        const reply = questionReply(
          entries.map(([title, answer], index) => answeredQuestion('m', index, title, answer)),
        );
        expect(readableReply(reply.text)).toBe(reply.readable);
      }),
    );
  });

  it.each([
    ['one object', wrap('{"questionItemId":"i","question":"Q","answer":"A"}'), '> Q\n\nA'],
    [
      'blanks around it and members that we do not know',
      `\n ${wrap('[{"questionItemId":"i","question":"Q","answer":"A","more":1}]')} \n`,
      '> Q\n\nA',
    ],
    [
      'no line breaks inside',
      '<send_user_message_question_reply>[{"questionItemId":"i","question":"Q","answer":"</b>"}]</send_user_message_question_reply>',
      '> Q\n\n</b>',
    ],
  ])('S3.156 S6.49 recognises %s', (_name, text, readable) => {
    expect(readableReply(text)).toBe(readable);
  });

  it.each([
    ['an ordinary text', 'hello'],
    ['text before it', `hi ${wrap('[{"questionItemId":"i","question":"Q","answer":"A"}]')}`],
    ['text after it', `${wrap('[{"questionItemId":"i","question":"Q","answer":"A"}]')} bye`],
    ['no JSON', wrap('hello')],
    ['an empty list', wrap('[]')],
    ['null', wrap('null')],
    ['a list of lists', wrap('[[{"questionItemId":"i","question":"Q","answer":"A"}]]')],
    ['a member of another type', wrap('{"questionItemId":"i","question":"Q","answer":1}')],
    ['one bad entry among good ones', wrap('[{"questionItemId":"i","question":"Q","answer":"A"},{}]')],
    ['the opening only', '<send_user_message_question_reply>'],
    ['the closing only', '</send_user_message_question_reply>'],
  ])('S3.156 S6.49 leaves %s as it is', (_name, text) => {
    expect(readableReply(text)).toBeNull();
  });
});
