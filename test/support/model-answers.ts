import { functionCall, type ReplyItem, type Scripted, type TextItem, type TextOptions, text } from './model-replies.ts';
import type { ModelRequest } from './model-request.ts';

/*
 * What the model says where Codex expects more than a message: compaction, review, plan, goal, sample. Each is plain data
 * for `ModelServer.script`, `ModelServer.aside` or `LabSession.model`.
 */

/** Answer of the model call of a compaction: `server.aside('compaction', compactionSummary('We built a bridge.'))`. */
export function compactionSummary(summary: string): TextItem {
  return text(summary);
}

export interface ReviewFinding {
  readonly title: string;
  readonly body: string;
  /** Absolute path. */
  readonly file: string;
  readonly lines: readonly [start: number, end: number];
  readonly priority?: number;
}

/**
 * Answer of a reviewer in the form that Codex asks for: `session.model(reviewAnswer('Well done.'))`. Codex makes
 * `renderedReview` of it. A plain `text('…')` is a valid answer too and becomes the review word for word.
 */
export function reviewAnswer(explanation: string, findings: readonly ReviewFinding[] = []): TextItem {
  const answer = {
    findings: findings.map(({ title, body, file, lines, priority }) => ({
      title,
      body,
      confidence_score: 0.9,
      priority: priority ?? 1,
      code_location: { absolute_file_path: file, line_range: { start: lines[0], end: lines[1] } },
    })),
    overall_correctness: findings.length === 0 ? 'patch is correct' : 'patch is incorrect',
    overall_explanation: explanation,
    overall_confidence_score: 0.8,
  };
  return text(JSON.stringify(answer));
}

/** The text that Codex shows for a `reviewAnswer` with at most one finding. */
export function renderedReview(explanation: string, finding?: ReviewFinding): string {
  if (finding === undefined) return explanation;
  const { title, body, file, lines } = finding;
  return `${explanation}\n\nReview comment:\n\n- ${title} — ${file}:${lines[0]}-${lines[1]}\n  ${body}`;
}

export interface PlanOptions extends TextOptions {
  /** Text of the message before and after the plan. */
  readonly before?: string;
  readonly after?: string;
}

/**
 * A message that proposes a plan. In plan mode Codex makes a `plan` item of the block: `session.model(proposedPlan('1. Dig'))`.
 * The tags stand on lines of their own; inside of a line they are plain text. Codex reads the first block of a turn only.
 */
export function proposedPlan(plan: string, options: PlanOptions = {}): TextItem {
  const before = options.before === undefined ? '' : `${options.before}\n`;
  const after = options.after === undefined ? '' : `\n${options.after}`;
  return text(`${before}<proposed_plan>\n${plan}\n</proposed_plan>${after}`, options);
}

/** What the model calls in a goal turn when it has reached the goal, or cannot go on. */
export function endGoal(status: 'complete' | 'blocked' = 'complete'): ReplyItem {
  return functionCall('update_goal', { status });
}

/** The model sets itself a goal. */
export function createGoal(objective: string): ReplyItem {
  return functionCall('create_goal', { objective });
}

/**
 * Replies of a goal: one turn per text, in the last one the goal ends first. `session.model(...goalLoop('Dug.', 'Built.'))`
 * makes two turns (three model requests). Without an end Codex starts turn after turn.
 */
export function goalLoop(...texts: readonly [string, ...string[]]): Scripted[] {
  const last = texts.at(-1) ?? '';
  return [...texts.slice(0, -1).map((content) => text(content)), endGoal(), text(last)];
}

/** The request belongs to a turn that Codex started by itself for the goal. */
export function isGoalRequest(request: ModelRequest): boolean {
  return request.lastUserText.startsWith('<codex_internal_context source="goal">');
}

/**
 * Answer of `thread/sample` for a prompt suggestion: `server.aside('suggestion', suggestion('Run the tests'))`. `null`
 * suggests nothing. Any other text stands for a model that does not obey.
 */
export function suggestion(content: string | null): TextItem {
  return text(JSON.stringify({ suggestion: content }));
}

export interface ScriptedQuestion {
  readonly title: string;
  readonly options?: readonly string[];
}

/**
 * The model asks and works on: Codex reports an agent message with `delivery: "async"` and the questions. Offered to models
 * in code mode (the default one), not to `gpt-5.5`.
 */
export function askWhileWorking(...questions: readonly ScriptedQuestion[]): ReplyItem {
  return functionCall('request_user_input_async', { questions });
}

/** The model tells something and works on: an agent message with `delivery: "async"` and no questions. */
export function tellWhileWorking(message: string): ReplyItem {
  return functionCall('send_message_to_user_async', { message });
}
