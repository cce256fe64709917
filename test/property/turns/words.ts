import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { WorkOutcome } from '../../../src/domain/turn/work-ending.ts';
import type { Shown } from '../../support/session-lab.ts';

/*
 * What a client sees, as short words. The first word says what it is, the second which one; checks.ts reads them.
 */

export function shownWord(shown: Shown): string {
  switch (shown.kind) {
    case 'update':
      return updateWord(shown.update);
    case 'inserted':
      return `inserted ${shown.promptId}`;
    case 'ended':
      return endedWord(shown.promptId, shown.ending.outcome);
    case 'ask': {
      const { askId, subject } = shown.ask;
      return subject.type === 'planReview'
        ? `ask ${askId} plan ${subject.itemId}`
        : `ask ${askId} ${subject.approval.itemId}`;
    }
    case 'form':
      return `form ${shown.ask.askId}`;
    case 'withdraw':
      return `withdraw ${shown.askId}`;
    case 'endSession':
      return 'endSession';
  }
}

export function endedWord(promptId: string, outcome: WorkOutcome): string {
  return `ended ${promptId} ${outcomeWord(outcome)}`;
}

export function idleWord(outcome: WorkOutcome): string {
  return `idle ${outcomeWord(outcome)}`;
}

function outcomeWord(outcome: WorkOutcome): string {
  return outcome.type === 'failed' ? `failed:${outcome.failure.type}` : outcome.type;
}

function updateWord(update: ConversationUpdate): string {
  switch (update.type) {
    case 'foreground':
      return update.state === 'idle' ? idleWord(update.ending.outcome) : update.state;
    case 'agentText':
      return `text ${update.messageId ?? `"${update.text}"`}`;
    case 'agentTextCorrected':
    case 'thought':
      return `${update.type} ${update.messageId}`;
    case 'toolStarted':
    case 'toolEnded':
    case 'toolAborted':
    case 'commandOutput':
    case 'commandInput':
    case 'commandSnapshot':
    case 'patchChanged':
      return `${update.type} ${update.item.id}`;
    case 'toolResumed':
      return `toolResumed ${update.itemId}`;
    case 'planText':
      return `planText ${update.itemId}`;
    case 'planReviewed':
      return `planReviewed ${update.itemId} ${update.outcome}`;
    case 'compaction':
      return `compaction ${update.compactionId} ${update.status}`;
    case 'userMessage':
      return `user ${update.messageId}`;
    case 'turnError':
      return `error ${update.turnId} ${update.scope}`;
    case 'fileChangeReport':
      return `report ${update.report.requestId}`;
    case 'notice':
      return `notice "${update.notice.title}"`;
    default:
      return update.type;
  }
}
