import { describe, expect, it } from 'vitest';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { FormAnswer, FormAsk } from '../../../src/domain/interaction/form-ask.ts';
import { maxOpenAsks } from '../../../src/domain/interaction/open-asks.ts';
import { AsyncQuestions } from '../../../src/domain/question/async-questions.ts';
import type { AgentMessageItem, AsyncQuestion } from '../../../src/domain/thread/thread-item.ts';
import { message, profile, RecordingChannel } from '../../support/session-lab.ts';
import { FakeLog } from '../acp/support/fake-log.ts';

interface Steer {
  readonly turnId: string;
  readonly text: string;
  readonly readable: string;
  readonly done: () => void;
  readonly failed: () => void;
}

const withForms = { elicitation: { form: true, url: false } };

/** The questions of one session; `channel` records forms, withdrawals and notices in one order. */
class QuestionLab {
  readonly channel = new RecordingChannel();
  readonly log = new FakeLog();
  readonly steers: Steer[] = [];
  readonly questions: AsyncQuestions;

  constructor(client: Partial<ClientProfile> = {}) {
    let asks = 0;
    this.questions = new AsyncQuestions(
      {
        sessionId: 's',
        profile: profile({ ...withForms, ...client }),
        show: (update) => this.channel.update('s', update),
      },
      {
        channel: this.channel,
        log: this.log,
        nextAskId: () => {
          asks += 1;
          return asks;
        },
        steer: (turnId, text, readable, done, failed) => this.steers.push({ turnId, text, readable, done, failed }),
      },
    );
  }

  get words(): string[] {
    return this.channel.shown.map((shown) => {
      switch (shown.kind) {
        case 'form':
          return `form ${shown.ask.askId}`;
        case 'withdraw':
          return `withdraw ${shown.askId}`;
        case 'update':
          return shown.update.type === 'notice' ? `notice ${shown.update.notice.title}` : shown.update.type;
        default:
          return shown.kind;
      }
    });
  }

  get forms(): FormAsk[] {
    return this.channel.shown.flatMap((shown) => (shown.kind === 'form' ? [shown.ask] : []));
  }

  answer(askId: number, values: Readonly<Record<string, unknown>>): void {
    this.questions.answered(askId, { type: 'accepted', values: new Map(Object.entries(values)) });
  }
}

const which: AsyncQuestion = { title: 'Which component?', options: ['Platform', 'Editor'] };
const why: AsyncQuestion = { title: 'Why?', options: [] };

function asking(id: string, ...questions: AsyncQuestion[]): AgentMessageItem {
  return { ...message(id, 'Some questions'), questions };
}

describe('asking', () => {
  it('S3.153 S5.116 one form for the questions of a message, in its own words and with nothing required', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', asking('m1', which, why));
    expect(lab.forms).toEqual([
      {
        askId: 1,
        sessionId: 's',
        itemId: null,
        message: 'Codex keeps working while you answer. An answer sent after it finishes is not delivered.',
        delivery: { type: 'async' },
        fields: [
          {
            type: 'question',
            key: 'question_0',
            title: 'Which component?',
            description: '',
            choices: [
              { value: 'Platform', description: '' },
              { value: 'Editor', description: '' },
            ],
            other: true,
            noteKey: 'question_0_note',
            secret: false,
            required: false,
          },
          {
            type: 'question',
            key: 'question_1',
            title: 'Why?',
            description: '',
            choices: [],
            other: false,
            noteKey: null,
            secret: false,
            required: false,
          },
        ],
      },
    ]);
  });

  it('S3.94 S3.153 S5.117 it shows nothing else: no wait, no state', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', asking('m1', which));
    expect(lab.words).toEqual(['form 1']);
  });

  it('S3.152 a client without forms gets the text only', () => {
    const lab = new QuestionLab({ elicitation: { form: false, url: true } });
    lab.questions.messageCompleted('t1', asking('m1', which));
    expect(lab.words).toEqual([]);
  });

  it('S3.151 messages without questions ask nothing', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', message('m1', 'No question'));
    lab.questions.messageCompleted('t1', asking('m2'));
    expect(lab.words).toEqual([]);
  });

  it('S4.23 the questions of a hidden message are not shown', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', { ...asking('m1', which), hidden: true });
    expect(lab.words).toEqual([]);
  });

  it('S5.123 a message that is reported twice asks once', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', asking('m1', which));
    lab.questions.messageCompleted('t1', asking('m1', which));
    lab.answer(1, { question_0: 'Platform' });
    lab.questions.messageCompleted('t1', asking('m1', which));
    expect(lab.words).toEqual(['form 1']);
  });

  it('S3.157 S5.115 the first turn that the session ever sees may ask, an ended one may not', () => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('agent-turn', asking('m1', which));
    lab.questions.turnOver('agent-turn');
    lab.questions.messageCompleted('agent-turn', asking('m2', which));
    lab.questions.messageCompleted('next', asking('m3', which));
    expect(lab.words).toEqual(['form 1', 'withdraw 1', 'form 2']);
  });

  it('S5.116 choices that are blank or come twice are left out, an empty question gets the name of its field', () => {
    const lab = new QuestionLab();
    const odd = { title: '', options: ['A', ' ', 'A', 'B'] };
    lab.questions.messageCompleted('t1', asking('m1', odd, { title: 'Q', options: [''] }));
    expect(lab.forms[0]?.fields).toMatchObject([
      { title: 'question_0', choices: [{ value: 'A' }, { value: 'B' }], other: true },
      { title: 'Q', choices: [], other: false, noteKey: null },
    ]);
  });

  it('S5.174 no flood of forms; an answered one makes room', () => {
    const lab = new QuestionLab();
    for (let index = 0; index <= maxOpenAsks; index += 1)
      lab.questions.messageCompleted('t1', asking(`m${index}`, why));
    expect(lab.forms).toHaveLength(maxOpenAsks);
    expect(lab.log.lines.map(({ level }) => level)).toEqual(['warn']);
    lab.questions.answered(1, { type: 'declined' });
    lab.questions.messageCompleted('t1', asking('later', why));
    expect(lab.forms).toHaveLength(maxOpenAsks + 1);
  });
});

describe('answering', () => {
  const open = (client: Partial<ClientProfile> = {}): QuestionLab => {
    const lab = new QuestionLab(client);
    lab.questions.messageCompleted('t1', asking('m1', which, why));
    return lab;
  };

  it('S3.154 the answers go to the asking turn, those that are missing do not', () => {
    const lab = open();
    lab.answer(1, { question_1: 'Because', question_0_note: '  ' });
    expect(lab.steers).toEqual([
      {
        turnId: 't1',
        text:
          '<send_user_message_question_reply>\n' +
          '[{"answer":"Because","question":"Why?","questionItemId":"[\\"request_user_input_async\\",\\"m1\\",1]"}]\n' +
          '</send_user_message_question_reply>',
        readable: '> Why?\n\nBecause',
        done: expect.any(Function),
        failed: expect.any(Function),
      },
    ]);
  });

  it.each([
    ['a choice', { question_0: 'Editor' }, 'Editor'],
    ['a choice with a note', { question_0: 'Editor', question_0_note: ' the new one ' }, 'Editor\n\nthe new one'],
    ['a note alone', { question_0_note: 'Both' }, 'Both'],
    [
      'the choice for other answers with its note',
      { question_0: 'None of the above', question_0_note: 'Both' },
      'Both',
    ],
    ['a typed answer', { question_0: ' Both ' }, 'Both'],
    ['several choices', { question_0: ['Platform', 'Editor'] }, 'Platform\n\nEditor'],
  ])('S3.154 S5.118 %s becomes the text of the answer', (_name, values, text) => {
    const lab = open();
    lab.answer(1, values);
    expect(lab.steers.map(({ readable }) => readable)).toEqual([`> Which component?\n\n${text}`]);
  });

  it.each<[string, FormAnswer]>([
    ['declined', { type: 'declined' }],
    ['cancelled', { type: 'cancelled' }],
    ['failed', { type: 'failed', reason: 'No dialog' }],
    ['accepted without content', { type: 'accepted', values: new Map() }],
    [
      'blank',
      {
        type: 'accepted',
        values: new Map<string, unknown>([
          ['question_0', 'None of the above'],
          ['question_0_note', ' '],
          ['question_1', '\n'],
        ]),
      },
    ],
    [
      'of wrong types',
      {
        type: 'accepted',
        values: new Map<string, unknown>([
          ['question_0', { Platform: true }],
          ['question_0_note', 7],
          ['question_1', ['a', 1]],
        ]),
      },
    ],
  ])('S3.154 an answer that is %s sends and shows nothing, and is final', (_name, answer) => {
    const lab = open();
    lab.questions.answered(1, answer);
    lab.answer(1, { question_1: 'Because' });
    lab.questions.turnOver('t1');
    expect(lab.steers).toEqual([]);
    expect(lab.words).toEqual(['form 1']);
    expect(lab.log.lines).toHaveLength(answer.type === 'failed' ? 1 : 0);
  });

  it('S5.175 answers are not logged', () => {
    const lab = open();
    lab.answer(1, { question_1: 'my secret' });
    lab.steers[0]?.failed();
    expect(JSON.stringify(lab.log.lines)).not.toContain('my secret');
  });

  it('S3.154 a second answer, and one to a form of others, are ignored', () => {
    const lab = open();
    lab.answer(7, { question_1: 'Because' });
    lab.answer(1, { question_1: 'Because' });
    lab.answer(1, { question_1: 'Again' });
    lab.steers[0]?.done();
    lab.answer(1, { question_1: 'Again' });
    expect(lab.steers).toHaveLength(1);
    expect(lab.words).toEqual(['form 1']);
  });

  it('S3.155 S5.120 a reply that the turn did not take is told once, as a notice', () => {
    const lab = open();
    lab.answer(1, { question_1: 'Because' });
    lab.steers[0]?.failed();
    lab.steers[0]?.failed();
    lab.questions.turnOver('t1');
    expect(lab.channel.shown.slice(1)).toEqual([
      {
        kind: 'update',
        update: {
          type: 'notice',
          notice: {
            severity: 'warning',
            title: 'Answer not sent',
            description: 'Codex finished before your answer arrived. Send it as a new message if it still matters.',
            fallback: null,
          },
        },
      },
    ]);
  });

  it('S3.155 clients without notices hear nothing', () => {
    const lab = open({ notices: false });
    lab.answer(1, { question_1: 'Because' });
    lab.steers[0]?.failed();
    expect(lab.words).toEqual(['form 1']);
  });
});

describe('the end', () => {
  const open = (): QuestionLab => {
    const lab = new QuestionLab();
    lab.questions.messageCompleted('t1', asking('m1', why));
    lab.questions.messageCompleted('t2', asking('m2', why));
    return lab;
  };

  it('S3.156 the end of a turn withdraws its open questions and no others', () => {
    const lab = open();
    lab.questions.turnOver('t1');
    lab.questions.turnOver('t1');
    expect(lab.words).toEqual(['form 1', 'form 2', 'withdraw 1']);
  });

  it('R35 S3.155 S5.121 an answer that stood behind the end of the turn is told and never steered', () => {
    const lab = open();
    lab.questions.turnOver('t1');
    lab.answer(1, { question_0: 'Because' });
    lab.answer(1, { question_0: 'Because' });
    expect(lab.steers).toEqual([]);
    expect(lab.words.slice(2)).toEqual(['withdraw 1', 'notice Answer not sent']);
  });

  it('R35 a refusal that stood behind the end of the turn needs no notice', () => {
    const lab = open();
    lab.questions.turnOver('t1');
    lab.questions.answered(1, { type: 'declined' });
    expect(lab.words.slice(2)).toEqual(['withdraw 1']);
  });

  it('R35 S5.121 a reply that is on its way when the turn ends is told when it fails', () => {
    const lab = open();
    lab.answer(1, { question_0: 'Because' });
    lab.questions.turnOver('t1');
    expect(lab.words.slice(2)).toEqual([]);
    lab.steers[0]?.failed();
    expect(lab.words.slice(2)).toEqual(['notice Answer not sent']);
  });

  it('S3.51 S3.58 S3.67 S3.156 cancel, close and loss withdraw everything; late answers are ignored', () => {
    const lab = open();
    lab.questions.messageCompleted('t3', asking('m3', why));
    lab.questions.turnOver('t2');
    lab.questions.withdrawAll();
    lab.questions.withdrawAll();
    for (const askId of [1, 2, 3]) lab.answer(askId, { question_0: 'Because' });
    expect(lab.steers).toEqual([]);
    expect(lab.words.slice(3)).toEqual(['withdraw 2', 'withdraw 1', 'withdraw 3']);
  });

  it('S3.58 a cancel does not keep later turns from asking', () => {
    const lab = open();
    lab.questions.withdrawAll();
    lab.questions.messageCompleted('t3', asking('m3', why));
    expect(lab.words.at(-1)).toBe('form 3');
  });
});
