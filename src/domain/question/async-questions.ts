import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { ClientProfile } from '../client/client-profile.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import { RecentIds } from '../conversation/recent-ids.ts';
import type { FormAnswer, QuestionField } from '../interaction/form-ask.ts';
import { maxOpenAsks } from '../interaction/open-asks.ts';
import { answerText, questionAnswer } from '../interaction/question-answer.ts';
import type { FormQuestion } from '../interaction/question-fields.ts';
import { questionFields } from '../interaction/question-fields.ts';
import type { AgentMessageItem, AsyncQuestion } from '../thread/thread-item.ts';
import type { QuestionReply } from './question-reply.ts';
import { answeredQuestion, questionReply } from './question-reply.ts';

/** The part of a `SessionContext` that questions need. */
export interface QuestionSession {
  readonly sessionId: string;
  readonly profile: ClientProfile;
  show(update: ConversationUpdate): void;
}

export interface AsyncQuestionsPorts {
  readonly channel: Pick<ClientChannel, 'askForm' | 'withdraw'>;
  readonly log: Log;
  /** From the same numbers as every other ask of the process. */
  readonly nextAskId: () => number;
  /**
   * Hands a reply to the running turn with this id, and to no other. Calls exactly one of `done` and `failed` from the
   * mailbox, or none when the session closes before.
   */
  readonly steer: (turnId: string, text: string, readable: string, done: () => void, failed: () => void) => void;
}

const message = 'Codex keeps working while you answer. An answer sent after it finishes is not delivered.';

const notSent = {
  severity: 'warning',
  title: 'Answer not sent',
  description: 'Codex finished before your answer arrived. Send it as a new message if it still matters.',
  fallback: null,
} as const;

/** Messages whose questions are not asked again, and turns that are known to be over. */
const maxRemembered = 1024;

/**
 * `open`: the user has the form. `sending`: the reply is on its way to the turn. `over`: the turn ended first; the form
 * is withdrawn, but an answer may already stand in the mailbox.
 */
type AskedState = 'open' | 'over' | 'sending';

interface Asked {
  readonly turnId: string;
  readonly itemId: string;
  readonly questions: readonly AsyncQuestion[];
  readonly fields: readonly QuestionField[];
  state: AskedState;
}

/**
 * Questions of one session that Codex does not wait for (S3 section 10). Each message is asked once, and each form ends
 * once: answered, or withdrawn. An answer reaches the turn that asked, or the user hears that it was not sent. Nothing
 * here touches the foreground state: these are no waits (S3.94).
 */
export class AsyncQuestions {
  readonly #session: QuestionSession;
  readonly #ports: AsyncQuestionsPorts;
  readonly #asked = new Map<number, Asked>();
  readonly #askedItems = new RecentIds(maxRemembered);
  readonly #overTurns = new RecentIds(maxRemembered);

  constructor(session: QuestionSession, ports: AsyncQuestionsPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  /**
   * A live message of the session's own thread is complete. Its text is shown in any case, unless Codex hides it: then
   * its questions are not shown either (S3.151, S3.152, S4.23).
   */
  messageCompleted(turnId: string, item: AgentMessageItem): void {
    const { questions = [] } = item;
    if (questions.length === 0 || item.hidden || !this.#session.profile.elicitation.form) return;
    if (this.#overTurns.has(turnId) || this.#askedItems.has(item.id)) return;
    const { sessionId } = this.#session;
    if (this.#count('open') >= maxOpenAsks) {
      this.#ports.log.warn('Too many open questions; one more was not asked', { sessionId, turnId, itemId: item.id });
      return;
    }
    this.#askedItems.add(item.id);
    const askId = this.#ports.nextAskId();
    const fields = questionFields(questions.map(formQuestion));
    this.#asked.set(askId, { turnId, itemId: item.id, questions, fields, state: 'open' });
    this.#ports.channel.askForm({ askId, sessionId, itemId: null, message, fields, delivery: { type: 'async' } });
  }

  /** The client answered a form. Answers to forms of others, and to withdrawn ones, are ignored (S3.154, S5.22). */
  answered(askId: number, answer: FormAnswer): void {
    const asked = this.#asked.get(askId);
    if (asked === undefined || asked.state === 'sending') return;
    const reply = this.#replyTo(asked, answer);
    if (reply === null || asked.state === 'over') {
      this.#asked.delete(askId);
      if (reply !== null) this.#tellNotSent();
      return;
    }
    asked.state = 'sending';
    this.#ports.steer(
      asked.turnId,
      reply.text,
      reply.readable,
      () => this.#asked.delete(askId),
      () => {
        if (this.#asked.delete(askId)) this.#tellNotSent();
      },
    );
  }

  /** A turn is over: nobody reads answers to its questions any more (S3.156, R35). */
  turnOver(turnId: string): void {
    this.#overTurns.add(turnId);
    for (const [askId, asked] of this.#asked) {
      if (asked.turnId !== turnId || asked.state !== 'open') continue;
      asked.state = 'over';
      this.#ports.channel.withdraw(askId);
    }
    this.#forgetOldest();
  }

  /**
   * Cancel, close or loss of the app-server: late answers are dropped without a word (S3.51, S3.156). `spare`: a turn that
   * goes on.
   */
  withdrawAll(spare?: string): void {
    for (const [askId, asked] of this.#asked) {
      if (asked.state === 'sending' || asked.turnId === spare) continue;
      this.#asked.delete(askId);
      if (asked.state === 'open') this.#ports.channel.withdraw(askId);
    }
  }

  /** What Codex is told; `null` when the user said nothing. */
  #replyTo(asked: Asked, answer: FormAnswer): QuestionReply | null {
    switch (answer.type) {
      case 'accepted': {
        const { itemId, questions, fields } = asked;
        const answered = questions.flatMap(({ title }, index) => {
          const field = fields[index];
          const given = field === undefined ? null : questionAnswer(field, answer.values);
          const text = given === null ? '' : answerText(given);
          return text === '' ? [] : [answeredQuestion(itemId, index, title, text)];
        });
        return answered.length === 0 ? null : questionReply(answered);
      }
      case 'failed':
        this.#ports.log.warn('The client failed to answer a question; nothing was sent to Codex', {
          sessionId: this.#session.sessionId,
          reason: answer.reason,
        });
        return null;
      case 'cancelled':
      case 'declined':
        return null;
    }
  }

  /** Clients without notices hear nothing (S3.155). */
  #tellNotSent(): void {
    if (this.#session.profile.notices) this.#session.show({ type: 'notice', notice: notSent });
  }

  #count(state: AskedState): number {
    return [...this.#asked.values()].filter((asked) => asked.state === state).length;
  }

  /** Of the forms of ended turns only the last ones can still have an answer in the mailbox. */
  #forgetOldest(): void {
    let excess = this.#count('over') - maxOpenAsks;
    for (const [askId, asked] of this.#asked) {
      if (excess <= 0) return;
      if (asked.state !== 'over') continue;
      this.#asked.delete(askId);
      excess -= 1;
    }
  }
}

/** S5.116. A choice that is blank or comes twice says nothing. */
function formQuestion({ title, options }: AsyncQuestion, index: number): FormQuestion {
  const key = `question_${index}`;
  const values = [...new Set(options)].filter((option) => option.trim() !== '');
  return {
    key,
    title: title === '' ? key : title,
    description: '',
    choices: values.map((value) => ({ value, description: '' })),
    other: values.length > 0,
    secret: false,
    required: false,
  };
}
