import { AgentError } from '../errors/agent-error.ts';

/** What a client wants Codex to be told in a session (S2 section 5). */
export interface InstructionRequest {
  /** Raw `systemPrompt` of the request. */
  readonly systemPrompt: unknown;
  /** Raw `_meta.jetbrains.air.customInstructions`; anything but text is ignored (S2.49). */
  readonly customInstructions: unknown;
}

export interface Instructions {
  /** Text of the system prompt; `null` when there is none. */
  readonly prompt: string | null;
  readonly custom: string | null;
}

/** Checks the request before anything is created (S2.47, S2.48). */
export function parseInstructions(request: InstructionRequest): Instructions {
  const custom = typeof request.customInstructions === 'string' ? request.customInstructions : null;
  return { prompt: promptText(request.systemPrompt), custom };
}

/** What an open session knows of its instructions; it dies with the session (S2.52). */
export interface SessionInstructions extends Instructions {
  /** What Codex is told whenever the thread is loaded, also in another process; `null` for nothing (S2.51). */
  readonly developer: string | null;
}

/** Nothing is known of a recorded session that is opened (S2.52). */
export const unknownInstructions: SessionInstructions = { prompt: null, custom: null, developer: null };

/** Instructions of a new session (S2.50, S2.51). `configured` is the value of the Codex configuration. */
export function newInstructions(requested: Instructions, configured: unknown): SessionInstructions {
  if (requested.prompt === null) return { ...requested, developer: requested.custom };
  return withPrompt(unknownInstructions, requested.prompt, requested.custom, configured);
}

/**
 * Instructions of a session that is set up again. Without a system prompt what is known stays: AIR's instructions alone
 * change nothing (S2.51).
 */
export function setUpAgain(
  known: SessionInstructions,
  requested: Instructions,
  configured: unknown,
): SessionInstructions {
  if (requested.prompt === null) return known;
  return withPrompt(known, requested.prompt, requested.custom, configured);
}

/** Whether a set-up changes the instructions of an open session (S2.53). */
export function changesInstructions(known: SessionInstructions, requested: Instructions): boolean {
  if (requested.prompt === null) return false;
  return requested.prompt !== known.prompt || (requested.custom !== null && requested.custom !== known.custom);
}

/** A system prompt is appended to AIR's instructions, or else to the configured ones (S2.50). */
function withPrompt(
  known: SessionInstructions,
  prompt: string,
  newCustom: string | null,
  configured: unknown,
): SessionInstructions {
  const custom = newCustom ?? known.custom;
  const baseline = custom ?? configured ?? '';
  if (typeof baseline !== 'string') throw AgentError.invalidParams('Configured developer instructions must be text');
  return { prompt, custom, developer: [baseline, prompt].filter((part) => part !== '').join('\n\n') };
}

function promptText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const content = typeof value === 'object' && 'content' in value ? value.content : undefined;
  const mode = typeof value === 'object' && 'mode' in value ? value.mode : undefined;
  if (mode !== 'append' || !Array.isArray(content)) {
    throw AgentError.invalidParams('systemPrompt requires append mode and text content');
  }
  if (content.length === 0) throw AgentError.invalidParams('systemPrompt content must not be empty');
  return content.map(blockText).join('\n\n');
}

function blockText(block: unknown): string {
  if (typeof block === 'object' && block !== null && 'type' in block && block.type === 'text' && 'text' in block) {
    if (typeof block.text === 'string') return block.text;
  }
  throw AgentError.invalidParams('systemPrompt content must contain only text blocks');
}
