import { expect, it } from 'vitest';
import { AgentError } from '../../../src/domain/errors/agent-error.ts';
import { chooseModel, currentModel, narrowModels, shownModelName } from '../../../src/domain/settings/model-choice.ts';
import { model, models } from './settings-facts.ts';

const plain = { models, gatewayListing: null };

it.each([
  ['GPT-6.2-Sol', '6.2 Sol'],
  ['gpt-5.1-codex-max', '5.1 Codex Max'],
  ['Gpt-5/mini', '5 Mini'],
  ['gpt-SOL', 'SOL'],
  ['Vega mini', 'Vega mini'],
  ['o4-mini', 'o4-mini'],
  ['gpt-', 'gpt-'],
  ['', ''],
])('S2.76 shows the model name %s as %s', (name, shown) => {
  expect(shownModelName(name)).toBe(shown);
});

it.each([
  ['(1) a listed id with its effort', 'gpt-6-astra', 'ultra', 'gpt-6-astra', 'ultra'],
  ['(1) a listed id without effort', 'gpt-6-astra', null, 'gpt-6-astra', 'high'],
  ['(1) a slug', 'vega-slug', 'low', 'vega', 'low'],
  ['(1) an effort from the config that is not listed', 'gpt-6.1-sol', 'minimal', 'gpt-6.1-sol', 'minimal'],
  ['(3) an unlisted id with its effort', 'house-model', 'xhigh', 'house-model', 'xhigh'],
  ['(3) an unlisted id without effort', 'house-model', null, 'house-model', 'medium'],
  ['(4) no model', null, null, 'gpt-6.1-sol', 'low'],
  ['(4) no model but a supported effort', '', 'high', 'gpt-6.1-sol', 'high'],
])('S2.103 %s', (_case, reported, effort, expectedModel, expectedEffort) => {
  expect(currentModel(plain, { model: reported, effort })).toEqual({ model: expectedModel, effort: expectedEffort });
});

it('S2.103 (2) replaces a model that the gateway does not serve', () => {
  const offer = { models: narrowModels({ models, gatewayListing: ['gpt-6-astra'] }), gatewayListing: ['gpt-6-astra'] };
  expect(currentModel(offer, { model: 'gpt-6.1-sol', effort: 'low' })).toEqual({
    model: 'gpt-6-astra',
    effort: 'high',
  });
  expect(currentModel(offer, { model: 'gpt-6.1-sol', effort: 'ultra' })).toEqual({
    model: 'gpt-6-astra',
    effort: 'ultra',
  });
});

it('S2.103 (3) keeps a model that the gateway serves and Codex does not list', () => {
  const offer = { models, gatewayListing: ['gpt-6-astra', 'house/house-model-20260101'] };
  expect(currentModel(offer, { model: 'house-model', effort: null })).toEqual({
    model: 'house-model',
    effort: 'medium',
  });
});

it('S2.104 keeps the model of the thread when the gateway leaves none', () => {
  const offer = { models: [], gatewayListing: ['other'] };
  expect(currentModel(offer, { model: 'gpt-6.1-sol', effort: 'low' })).toEqual({ model: 'gpt-6.1-sol', effort: 'low' });
});

it('S2.103 (4) fails without any model', () => {
  expect(() => currentModel({ models: [], gatewayListing: null }, { model: null, effort: null })).toThrow(
    new AgentError('internal', 'Codex did not return any models'),
  );
});

it.each([
  [['gpt-6.1-sol'], ['gpt-6.1-sol']],
  [
    ['OpenAI/GPT-6-Astra-2026-01-31', 'vega-slug'],
    ['gpt-6-astra', 'vega'],
  ],
  [['vega-20260131'], ['vega']],
  [['gpt-6-astra-2026'], []],
  [[], []],
])('S2.104 S2.105 a gateway that lists %j leaves %j', (gatewayListing, ids) => {
  expect(narrowModels({ models, gatewayListing }).map(({ id }) => id)).toEqual(ids);
});

it('S2.104 makes the first remaining model the default only when the default fell out', () => {
  const defaults = (gatewayListing: readonly string[] | null) =>
    narrowModels({ models, gatewayListing }).flatMap(({ id, isDefault }) => (isDefault ? [id] : []));
  expect(defaults(['gpt-6-astra', 'vega'])).toEqual(['gpt-6-astra']);
  expect(defaults(['vega', 'gpt-6.1-sol'])).toEqual(['gpt-6.1-sol']);
  expect(narrowModels({ models, gatewayListing: null })).toBe(models);
});

const current = { model: 'gpt-6.1-sol', effort: 'high' };

it.each([
  ['the current id', 'gpt-6.1-sol', 'gpt-6.1-sol', 'high'],
  ['a model that has the effort', 'gpt-6-astra', 'gpt-6-astra', 'high'],
  ['a slug', 'vega-slug', 'vega', 'high'],
  ['an id with a date', 'gpt-6-astra-2026-01-31', 'gpt-6-astra', 'high'],
  ['an id with a short date and a provider', 'openai/GPT-6-Astra-20260131', 'gpt-6-astra', 'high'],
  ['an id with effort', 'gpt-6-astra[ultra]', 'gpt-6-astra', 'ultra'],
  ['the current id with another effort', 'gpt-6.1-sol[low]', 'gpt-6.1-sol', 'low'],
  ['a dated id with effort', 'gpt-6-astra-20260131[ultra]', 'gpt-6-astra', 'ultra'],
])('S2.94 S2.102 chooses by %s', (_case, value, chosenModel, effort) => {
  expect(chooseModel(models, current, value)).toEqual({ model: chosenModel, effort });
});

it('S2.94 takes the default effort when the new model lacks the current one', () => {
  expect(chooseModel(models, { model: 'vega', effort: 'low' }, 'gpt-6-astra').effort).toBe('high');
});

it('S2.94 changes nothing when the value names the current model, even with an effort it does not list', () => {
  const odd = { model: 'vega', effort: 'minimal' };
  for (const value of ['vega', 'vega-slug', 'vega[minimal]', 'vega-20260131']) {
    expect(chooseModel(models, odd, value)).toBe(odd);
  }
});

it('S2.94 takes the current unlisted id as no change', () => {
  const unlisted = { model: 'house-model', effort: 'medium' };
  expect(chooseModel(models, unlisted, 'house-model')).toBe(unlisted);
  expect(chooseModel(models, unlisted, 'house-model[medium]')).toBe(unlisted);
});

it.each([
  ['nope', 'Unknown model nope'],
  ['nope[low]', 'Unknown model nope'],
  ['gpt-6-astra[low]', 'Unsupported reasoning effort low for model gpt-6-astra'],
  ['gpt-6-astra[', 'Unsupported format of modelId: gpt-6-astra['],
  ['[low]', 'Unsupported format of modelId: [low]'],
  ['a[b][c]', 'Unsupported format of modelId: a[b][c]'],
  ['', 'Unsupported format of modelId: '],
  ['GPT-6.1-SOL', null],
])('S2.94 S2.102 answers the model value %j with %j', (value, message) => {
  if (message === null) expect(chooseModel(models, current, value)).toEqual(current);
  else expect(() => chooseModel(models, current, value)).toThrow(AgentError.invalidParams(message));
});

it('S2.102 an unlisted current model has no other efforts', () => {
  expect(() => chooseModel(models, { model: 'house', effort: 'low' }, 'house[high]')).toThrow(
    'Unsupported reasoning effort high for model house',
  );
});

it('S2.94 does not guess between models that differ only in what is ignored', () => {
  const twins = [model('a/one'), model('b/one')];
  expect(() => chooseModel(twins, current, 'one')).toThrow('Unknown model one');
});
