import type { PromptBlock } from '../prompt/prompt-block.ts';
import { codexInput } from '../prompt/prompt-mapping.ts';
import type { LocalCommand } from './local-command.ts';
import type { PromptTask } from './prompt-task.ts';

/** What a prompt asks for, and what of it is not used. */
export interface ParsedPrompt {
  readonly task: PromptTask;
  /** How many blocks behind a command are left out, so that the user can be told (C020). */
  readonly ignored: number;
}

/** Longest text of a goal, in UTF-16 units (S3.31). */
const maxGoalLength = 4000;

const ordinaryPrompt: ParsedPrompt = { task: { type: 'turn' }, ignored: 0 };

/**
 * Recognises a slash command in the first block of a prompt (S3.30 to S3.35). Everything else is an ordinary prompt:
 * unknown names, skills, paths, and commands without argument that have text behind them (C021).
 */
export function promptTask(blocks: readonly PromptBlock[]): ParsedPrompt {
  const [first, ...further] = blocks;
  if (first?.type !== 'text') return ordinaryPrompt;
  const typed = first.text.trim();
  if (!typed.startsWith('/')) return ordinaryPrompt;
  const command = typed.slice(1).trim();
  const name = command.split(/\s/, 1)[0] ?? '';
  return parseCommand(name.toLowerCase(), command.slice(name.length).trim(), further);
}

function parseCommand(name: string, argument: string, further: readonly PromptBlock[]): ParsedPrompt {
  const only = (task: PromptTask): ParsedPrompt => ({ task, ignored: further.length });
  const local = (command: LocalCommand): ParsedPrompt => only({ type: 'local', name, command });
  const usage = (hint: string): ParsedPrompt => local(requires(name, hint));
  switch (name) {
    case 'plan':
      return argument === '' ? local({ type: 'plan' }) : usage('no arguments');
    case 'status':
    case 'skills':
    case 'logout':
      return argument === '' ? local({ type: name }) : ordinaryPrompt;
    case 'mcp':
      return local(mcpCommand(argument));
    case 'rename':
      return argument === '' ? usage('new name') : local({ type: 'rename', title: argument });
    case 'compact':
      return argument === '' ? only({ type: 'compact' }) : ordinaryPrompt;
    case 'review':
      return argument === ''
        ? only({ type: 'review', target: { type: 'uncommittedChanges' } })
        : reviewWithInstructions(argument, further);
    case 'review-branch':
      return argument === ''
        ? usage('branch name')
        : only({ type: 'review', target: { type: 'baseBranch', branch: argument } });
    case 'review-commit':
      return argument === ''
        ? usage('commit sha')
        : only({ type: 'review', target: { type: 'commit', sha: argument } });
    case 'goal':
      return parseGoal(argument, further);
    default:
      return ordinaryPrompt;
  }
}

function mcpCommand(argument: string): LocalCommand {
  switch (argument.toLowerCase()) {
    case '':
      return { type: 'mcp', reconnect: false };
    case 'reconnect':
      return { type: 'mcp', reconnect: true };
    default:
      return { type: 'usage', text: 'Command "/mcp" accepts no arguments, or `reconnect`.' };
  }
}

function reviewWithInstructions(argument: string, further: readonly PromptBlock[]): ParsedPrompt {
  const { text, ignored } = withFurtherText(argument, further);
  return { task: { type: 'review', target: { type: 'custom', instructions: text } }, ignored };
}

/**
 * A keyword is one whatever is attached to it: nobody who typed `/goal pause` wants the goal "pause" (S3.35). Any other
 * objective has all the text of the prompt (S3.34).
 */
function parseGoal(argument: string, further: readonly PromptBlock[]): ParsedPrompt {
  const local = (command: LocalCommand): PromptTask => ({ type: 'local', name: 'goal', command });
  switch (argument.toLowerCase()) {
    case 'pause':
      return { task: local({ type: 'goal', change: { action: 'pause' } }), ignored: further.length };
    case 'clear':
      return { task: local({ type: 'goal', change: { action: 'clear' } }), ignored: further.length };
    case 'resume':
      return { task: { type: 'goal', change: { action: 'resume' } }, ignored: further.length };
  }
  const { text: objective, ignored } = withFurtherText(argument, further);
  if (objective === '') return { task: local(requires('goal', '[<objective>|clear|pause|resume]')), ignored };
  if (objective.length > maxGoalLength) {
    return { task: local(requires('goal', `goal text of at most ${maxGoalLength} characters`)), ignored };
  }
  return { task: { type: 'goal', change: { action: 'set', objective } }, ignored };
}

/** The argument and what Codex gets as text of the blocks behind it; images are left out (S3.34). */
function withFurtherText(argument: string, further: readonly PromptBlock[]): { text: string; ignored: number } {
  const inputs = codexInput(further);
  const texts = inputs.flatMap((input) => (input.type === 'text' ? [input.text.trim()] : []));
  const text = [argument, ...texts].filter((part) => part !== '').join('\n\n');
  return { text, ignored: inputs.length - texts.length };
}

/** How a command is used (S3.32). */
function requires(name: string, hint: string): LocalCommand {
  return { type: 'usage', text: `Command "/${name}" requires ${hint}.` };
}
