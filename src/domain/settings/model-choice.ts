import { AgentError } from '../errors/agent-error.ts';
import type { ModelInfo } from './model-info.ts';

/** A model id and a reasoning effort; together the current model of a session (S2.100). */
export interface ModelChoice {
  readonly model: string;
  readonly effort: string;
}

/** The models that a session offers, and what its gateway lists when it narrows them (S2.104). */
export interface ModelOffer {
  readonly models: readonly ModelInfo[];
  /** Model ids of the `providers/set` listing; `null` without one. */
  readonly gatewayListing: readonly string[] | null;
}

const effortOfUnlistedModel = 'medium';
const dateSuffix = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;
const idWithEffort = /^(?<base>[^[\]]+)\[(?<effort>[^[\]]+)\]$/;

/** The internal name of a choice, shown in `models.currentModelId` and `/status` (S2.100). */
export function modelIdWithEffort(choice: ModelChoice): string {
  return `${choice.model}[${choice.effort}]`;
}

/** The offer with the models that the gateway serves too; the first one stands in for a lost default (S2.104). */
export function narrowModels({ models, gatewayListing }: ModelOffer): readonly ModelInfo[] {
  if (gatewayListing === null) return models;
  const served = new Set(gatewayListing.map(comparableId));
  const narrowed = models.filter(
    (model) => served.has(comparableId(model.model)) || served.has(comparableId(model.id)),
  );
  if (narrowed.some((model) => model.isDefault)) return narrowed;
  return narrowed.map((model, index) => (index === 0 ? { ...model, isDefault: true } : model));
}

/** The listed model of an id; Codex answers with slugs, which can differ from ids (S2.103). */
export function findModel(models: readonly ModelInfo[], id: string): ModelInfo | undefined {
  return models.find((model) => model.id === id) ?? models.find((model) => model.model === id);
}

export function supportsEffort(model: ModelInfo, effort: string): boolean {
  return model.efforts.some((supported) => supported.effort === effort);
}

/**
 * The current model after a setup or a new listing, from the model and effort that Codex reports or the session had
 * (S2.103, S2.107). `models` are the narrowed ones.
 */
export function currentModel(
  { models, gatewayListing }: ModelOffer,
  reported: { readonly model: string | null; readonly effort: string | null },
): ModelChoice {
  const fallback = models.find((model) => model.isDefault) ?? models[0];
  if (reported.model === null || reported.model === '') {
    if (fallback === undefined) throw noModels();
    return { model: fallback.id, effort: keptEffort(fallback, reported.effort) };
  }
  const listed = findModel(models, reported.model);
  if (listed !== undefined) return { model: listed.id, effort: reported.effort || listed.defaultEffort };
  if (fallback !== undefined && gatewayListing !== null && !serves(gatewayListing, reported.model)) {
    return { model: fallback.id, effort: keptEffort(fallback, reported.effort) };
  }
  return { model: reported.model, effort: reported.effort || effortOfUnlistedModel };
}

/** A new session needs a model, unless a gateway narrowed all away (S2.24). */
export function noModels(): AgentError {
  return new AgentError('internal', 'Codex did not return any models');
}

/**
 * The choice that a client's value names: a listed id, the current id, a slug, an id with `[effort]`, or an id that
 * differs only in provider prefix, case or date (S2.94, S2.102, S2.105). The effort is kept when the model has it.
 */
export function chooseModel(models: readonly ModelInfo[], current: ModelChoice, value: string): ModelChoice {
  if (value === current.model) return current;
  const named = findModel(models, value);
  if (named !== undefined) return chosen(named, current);
  const pair = idWithEffort.exec(value)?.groups;
  if (pair?.base !== undefined && pair.effort !== undefined) {
    return chooseWithEffort(models, current, pair.base, pair.effort);
  }
  if (value === '' || /[[\]]/.test(value)) throw AgentError.invalidParams(`Unsupported format of modelId: ${value}`);
  const similar = findSimilar(models, value);
  if (similar === undefined) throw AgentError.invalidParams(`Unknown model ${value}`);
  return chosen(similar, current);
}

/** Display names of Codex's own models lose `gpt-` and get spaces; others stay (S2.76). */
export function shownModelName(name: string): string {
  if (!/^gpt-/i.test(name)) return name;
  const parts = name.slice('gpt-'.length).split(/[-/]/);
  return (
    parts
      .filter((part) => part !== '')
      .map(capitalised)
      .join(' ') || name
  );
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function chooseWithEffort(
  models: readonly ModelInfo[],
  current: ModelChoice,
  base: string,
  effort: string,
): ModelChoice {
  if (base === current.model && effort === current.effort) return current;
  const model = findModel(models, base) ?? findSimilar(models, base);
  if (model === undefined && base !== current.model) throw AgentError.invalidParams(`Unknown model ${base}`);
  if (model === undefined || !supportsEffort(model, effort)) {
    throw AgentError.invalidParams(`Unsupported reasoning effort ${effort} for model ${base}`);
  }
  return { model: model.id, effort };
}

function chosen(model: ModelInfo, current: ModelChoice): ModelChoice {
  return model.id === current.model ? current : { model: model.id, effort: keptEffort(model, current.effort) };
}

function keptEffort(model: ModelInfo, effort: string | null): string {
  return effort !== null && supportsEffort(model, effort) ? effort : model.defaultEffort;
}

/** The one model that differs only in what S2.105 ignores; several are no answer. */
function findSimilar(models: readonly ModelInfo[], id: string): ModelInfo | undefined {
  const wanted = comparableId(id);
  const similar = models.filter((model) => comparableId(model.id) === wanted || comparableId(model.model) === wanted);
  return similar.length === 1 ? similar[0] : undefined;
}

/** The gateway lists the model, whatever its provider path, case and date (S2.105). */
export function serves(gatewayListing: readonly string[], id: string): boolean {
  return gatewayListing.some((listed) => comparableId(listed) === comparableId(id));
}

/** Lower case, without provider path and date (S2.105). */
function comparableId(id: string): string {
  const lower = id.toLowerCase();
  return lower.slice(lower.lastIndexOf('/') + 1).replace(dateSuffix, '');
}
