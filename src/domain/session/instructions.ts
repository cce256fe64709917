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

/**
 * Developer instructions of a new session (S2.50, S2.51). `configured` is the value of the Codex configuration, which a
 * system prompt is appended to.
 */
export function developerInstructions(instructions: Instructions, configured: unknown): string | null {
  const { prompt, custom } = instructions;
  if (prompt === null) return custom;
  const baseline = custom ?? configured ?? '';
  if (typeof baseline !== 'string') throw AgentError.invalidParams('Configured developer instructions must be text');
  return [baseline, prompt].filter((part) => part !== '').join('\n\n');
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
