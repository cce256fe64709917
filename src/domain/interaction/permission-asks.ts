import type { ToolItem } from '../thread/thread-item.ts';
import type { CommandApproval, FileChangeApproval, ServerAnswer } from './approval-request.ts';
import { refusal } from './approval-request.ts';
import type { ApprovalAsk, AskAnswer } from './permission-ask.ts';
import { commandOptions, fileChangeOptions, isAllowing } from './permission-options.ts';

/** Where an ask belongs, and the tool call of it that the client knows. */
export interface AskContext {
  readonly askId: number;
  readonly sessionId: string;
  readonly item: ToolItem | null;
}

/** What Codex is answered, and whether that lets the action run (S5.55). */
export interface Decision {
  readonly answer: ServerAnswer;
  readonly allowed: boolean;
}

/** The question for an approval; `null` when it must be refused without asking (S5.45, S5.51). */
export function buildAsk(request: CommandApproval | FileChangeApproval, context: AskContext): ApprovalAsk | null {
  const { askId, sessionId, item } = context;
  switch (request.type) {
    case 'commandApproval': {
      const options = commandOptions(request);
      const known = item?.type === 'command' ? item : null;
      if (options === null) return null;
      return { askId, sessionId, subject: { type: 'command', approval: request, item: known }, options };
    }
    case 'fileChangeApproval': {
      const known = item?.type === 'fileChange' ? item : null;
      const options = fileChangeOptions(known !== null);
      return { askId, sessionId, subject: { type: 'fileChange', approval: request, item: known }, options };
    }
  }
}

/** Only an offered option decides; everything else refuses (S5.16 to S5.18, S5.52). */
export function decide(ask: ApprovalAsk, answer: AskAnswer): Decision {
  switch (answer.type) {
    case 'selected': {
      const option = ask.options.find(({ optionId }) => optionId === answer.optionId);
      return option === undefined ? refused(ask) : { answer: option.answer, allowed: isAllowing(option.kind) };
    }
    case 'cancelled':
    case 'failed':
      return refused(ask);
  }
}

function refused(ask: ApprovalAsk): Decision {
  return { answer: refusal(ask.subject.approval), allowed: false };
}
