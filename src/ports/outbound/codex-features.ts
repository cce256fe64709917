import type { McpServerState } from '../../domain/commands/mcp-server-state.ts';
import type { Goal } from '../../domain/goal/goal.ts';
import type { RateLimit } from '../../domain/usage/rate-limit.ts';
import { token } from './service-identifier.ts';

/*
 * Features of Codex beside threads and turns, one small interface each. Calls may reject with `CodexLostError` or
 * `CodexRequestError`, as in codex-runtime.ts.
 */

/** Goals of a thread (S3.11). */
export interface CodexGoals {
  /** Answers when Codex took the goal; the event and perhaps a turn follow. */
  set(threadId: string, change: { readonly objective?: string; readonly status: 'active' | 'paused' }): Promise<Goal>;
  /** False when there was no goal: then no event follows. */
  clear(threadId: string): Promise<boolean>;
  read(threadId: string): Promise<Goal | null>;
}

/** A skill as Codex lists it (S2.132). */
export interface Skill {
  readonly name: string;
  /** The short description, else the long one, else the name (S2.133). */
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  readonly enabled: boolean;
}

/** Skills (S2 section 11). */
export interface CodexSkills {
  /** Skills that sessions in these directories see, in Codex's order; a name may come several times (S2.139). */
  list(directories: readonly string[]): Promise<readonly Skill[]>;
  /** Further skill folders, for the whole process; asks Codex only when the list changed (S2.17, S3.27). */
  useRoots(roots: readonly string[]): Promise<void>;
}

/** What `/status` and `/mcp` show. */
export interface CodexStatus {
  /** All limits of the account (S3.165). */
  rateLimits(): Promise<readonly RateLimit[]>;
  /** MCP servers of a thread with their state (S2.166). */
  mcpServers(threadId: string): Promise<readonly McpServerState[]>;
  /** Connects the MCP servers of all threads anew (S2.168). */
  reconnectMcpServers(): Promise<void>;
}

/** A text from the model outside of the conversation. */
export interface CodexSampling {
  /** Asks the model about a finished turn; `null` when it gave no text (S3.194). */
  sample(params: {
    readonly threadId: string;
    readonly turnId: string;
    readonly prompt: string;
  }): Promise<string | null>;
  /**
   * A title for a conversation that begins with the text, from a thread of its own that can do nothing else (S3.191,
   * S3.193). `null` when the model gave none in time.
   */
  title(params: { readonly cwd: string; readonly text: string; readonly model: string }): Promise<string | null>;
}

export const CodexGoals = token<CodexGoals>('CodexGoals');
export const CodexSkills = token<CodexSkills>('CodexSkills');
export const CodexStatus = token<CodexStatus>('CodexStatus');
export const CodexSampling = token<CodexSampling>('CodexSampling');
