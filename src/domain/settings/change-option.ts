import { AgentError } from '../errors/agent-error.ts';
import { agentModes } from './agent-mode.ts';
import { chooseModel, supportsEffort } from './model-choice.ts';
import { sessionOptions } from './option-list.ts';
import type { CollaborationMode, SessionSettings } from './session-settings.ts';
import { modelInUse } from './session-settings.ts';

export interface OptionChange {
  /** The same object when nothing changed. */
  readonly settings: SessionSettings;
  /** The collaboration mode that was chosen: Codex is asked before it holds (S2.87). `null`: another option. */
  readonly collaborationMode: CollaborationMode | null;
}

/** Applies a client's change of one option; a bad option or value changes nothing and throws (S2.91 to S2.96). */
export function changeOption(settings: SessionSettings, optionId: string, value: string | boolean): OptionChange {
  switch (optionId) {
    case 'mode':
      return done(changeMode(settings, text(optionId, value)));
    case 'collaboration_mode':
      return changeCollaboration(settings, text(optionId, value));
    case 'model':
      return done(changeModel(settings, text(optionId, value)));
    case 'reasoning_effort':
      return done(changeEffort(settings, text(optionId, value)));
    case 'fast-mode':
      return done(changeFast(settings, value));
    default:
      throw AgentError.invalidParams(`Unknown config option: ${optionId}`);
  }
}

/** The option must be offered now and have the type that the client names; v2 only (S2.92). */
export function requireOffered(settings: SessionSettings, optionId: string, type: unknown): void {
  const option = sessionOptions(settings).find((offered) => offered.id === optionId);
  if (option === undefined) throw AgentError.invalidParams(`Unknown config option: ${optionId}`);
  const expected = option.type === 'switch' ? 'boolean' : 'id';
  if (type !== expected) throw AgentError.invalidParams(`Config option ${optionId} takes a value of type ${expected}`);
}

/** Takes effect with the next turn (S2.63, S2.64). */
export function changeMode(settings: SessionSettings, modeId: string): SessionSettings {
  if (modeId === settings.mode) return settings;
  if (!agentModes(settings.profiles).some((mode) => mode.id === modeId)) {
    throw AgentError.invalidParams(`Unknown mode: ${modeId}`);
  }
  return { ...settings, mode: modeId };
}

/** Takes an id, or an id with `[effort]` (S2.94, S2.102). */
export function changeModel(settings: SessionSettings, modelId: string): SessionSettings {
  const choice = chooseModel(settings.models, settings, modelId);
  if (choice.model === settings.model && choice.effort === settings.effort) return settings;
  return { ...settings, model: choice.model, effort: choice.effort };
}

function changeCollaboration(settings: SessionSettings, mode: string): OptionChange {
  if (mode !== 'default' && mode !== 'plan') throw unknownValue('collaboration_mode', mode);
  return { settings, collaborationMode: mode };
}

function changeEffort(settings: SessionSettings, effort: string): SessionSettings {
  const model = modelInUse(settings);
  if (model === null || model.efforts.length === 0) throw unknownValue('reasoning_effort', effort);
  if (effort === settings.effort) return settings;
  if (!supportsEffort(model, effort)) throw unknownValue('reasoning_effort', effort);
  return { ...settings, effort };
}

/** Both forms count whichever was advertised, also while the option is hidden (S2.86, S2.93). */
function changeFast(settings: SessionSettings, value: string | boolean): SessionSettings {
  if (typeof value === 'string' && value !== 'on' && value !== 'off') throw unknownValue('fast-mode', value);
  const fast = value === true || value === 'on';
  return fast === settings.fast ? settings : { ...settings, fast };
}

function text(optionId: string, value: string | boolean): string {
  if (typeof value !== 'string') throw AgentError.invalidParams(`Config option ${optionId} takes a string`);
  return value;
}

function unknownValue(optionId: string, value: string): AgentError {
  return AgentError.invalidParams(`Unknown value for config option ${optionId}: ${value}`);
}

function done(settings: SessionSettings): OptionChange {
  return { settings, collaborationMode: null };
}
