import type { LoginClient } from '../../domain/account/chatgpt-login.ts';
import type { LoginRequest } from '../../domain/account/login-request.ts';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { GoalChange } from '../../domain/goal/goal.ts';
import type { FormAnswer } from '../../domain/interaction/form-ask.ts';
import type { AskAnswer } from '../../domain/interaction/permission-ask.ts';
import type { NewSessionRequest } from '../../domain/session/session-opening.ts';
import type { OpenedSession, OptionChangeRequest, PromptRequest } from '../../domain/session/session-service.ts';
import type { SteerOutcome, SteerRequest } from '../../domain/session/steer-request.ts';
import type { SettingsView } from '../../domain/settings/session-option.ts';
import { token } from '../outbound/service-identifier.ts';

/** The connection itself (S1 section 9). */
export interface ConnectionUseCases {
  /** Introduces the client to Codex; rejects with `CodexLostError` when Codex cannot start (S1.105). */
  initialize(profile: ClientProfile): Promise<void>;
  /** The client has the answer to `initialize`: the first login status may follow (S1.188, S1.201). */
  initialized(): void;
}

/** Signing in and out (S1 section 10). */
export interface AccountUseCases {
  login(request: LoginRequest, client: LoginClient, signal: AbortSignal): Promise<void>;
  logout(): Promise<void>;
}

/** Sessions and their prompts. Methods throw or reject with `AgentError` and the errors of the Codex port. */
export interface SessionUseCases {
  open(
    request: NewSessionRequest,
    profile: ClientProfile,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession>;
  /** Opens a recorded session without its history; one that is open goes on (S2.20, S2.30). */
  resume(
    sessionId: string,
    request: NewSessionRequest,
    profile: ClientProfile,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession>;
  /** The client has the answer to the set-up (S2.40). */
  opened(sessionId: string, thread: 'loaded' | 'new'): void;
  close(sessionId: string): Promise<void>;
  /** Closes a session and takes it off the lists; an unknown one counts as deleted (S3.72). */
  delete(sessionId: string): Promise<void>;
  /** Takes the prompt before it returns, so that the order of calls is the order of prompts (S3.36). */
  prompt(sessionId: string, request: PromptRequest): void;
  cancel(sessionId: string): void;
  /** Gives running work more input; resolves with what became of it (S3.141). */
  steer(sessionId: string, request: SteerRequest): Promise<SteerOutcome>;
  /** Changes the goal; resolves when Codex took the change and the client was told (S3.122). */
  controlGoal(sessionId: string, change: GoalChange): Promise<void>;
  cancelPrompt(sessionId: string, promptId: string): void;
  answerAsk(sessionId: string, askId: number, answer: AskAnswer): void;
  answerForm(sessionId: string, askId: number, answer: FormAnswer): void;
  setOption(sessionId: string, request: OptionChangeRequest): Promise<SettingsView>;
  setMode(sessionId: string, modeId: string): Promise<void>;
}

export const ConnectionUseCases = token<ConnectionUseCases>('ConnectionUseCases');
export const AccountUseCases = token<AccountUseCases>('AccountUseCases');
export const SessionUseCases = token<SessionUseCases>('SessionUseCases');
