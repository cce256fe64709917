import { expect, it } from 'vitest';
import { AgentError } from '../../../src/domain/errors/agent-error.ts';
import { changeMode, changeModel, changeOption, requireOffered } from '../../../src/domain/settings/change-option.ts';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { settings } from './settings-facts.ts';

const start = settings({ profiles: [{ id: 'team', description: null }] });

it.each([
  ['mode', 'read-only', { mode: 'read-only' }],
  ['mode', 'permission-profile:team', { mode: 'permission-profile:team' }],
  ['model', 'gpt-6-astra', { model: 'gpt-6-astra', effort: 'high' }],
  ['model', 'vega-slug', { model: 'vega', effort: 'low' }],
  ['model', 'vega[high]', { model: 'vega', effort: 'high' }],
  ['reasoning_effort', 'high', { effort: 'high' }],
  ['fast-mode', true, { fast: true }],
  ['fast-mode', 'on', { fast: true }],
])('S2.91 S2.94 S2.95 C039 changes %s to %s', (id, value, changed) => {
  expect(changeOption(start, id, value)).toEqual({ settings: { ...start, ...changed }, collaborationMode: null });
});

it.each([
  ['mode', 'agent'],
  ['collaboration_mode', 'default'],
  ['model', 'gpt-6.1-sol'],
  ['model', 'gpt-6.1-sol[low]'],
  ['reasoning_effort', 'low'],
  ['fast-mode', false],
  ['fast-mode', 'off'],
])('S2.64 S2.98 setting %s to %s again changes nothing', (id, value) => {
  const change = changeOption(start, id, value);
  expect(change.settings).toBe(start);
});

it.each([
  ['nope', 'x'],
  ['', 'x'],
  ['__proto__', 'x'],
  ['mode', 'nope'],
  ['mode', true],
  ['mode', 'permission-profile:nope'],
  ['collaboration_mode', 'execute'],
  ['collaboration_mode', false],
  ['model', 'nope'],
  ['model', true],
  ['reasoning_effort', 'ultra'],
  ['reasoning_effort', true],
  ['fast-mode', 'true'],
  ['fast-mode', ''],
])('S2.93 refuses %s = %j', (id, value) => {
  expect(() => changeOption(start, id, value)).toThrow(AgentError);
  expect(() => changeOption(start, id, value)).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
});

it('S2.64 a mode change through set_mode is the same', () => {
  expect(changeMode(start, 'agent-full-access').mode).toBe('agent-full-access');
  expect(changeMode(start, 'agent')).toBe(start);
  expect(() => changeMode(start, 'nope')).toThrow(AgentError.invalidParams('Unknown mode: nope'));
});

it('S2.102 a model change through set_model sets both', () => {
  expect(changeModel(start, 'gpt-6-astra[ultra]')).toMatchObject({ model: 'gpt-6-astra', effort: 'ultra' });
  expect(() => changeModel(start, 'nope[low]')).toThrow(AgentError.invalidParams('Unknown model nope'));
});

it.each(['default', 'plan'] as const)('S2.87 a collaboration mode (%s) changes nothing until Codex has it', (mode) => {
  expect(changeOption(start, 'collaboration_mode', mode)).toEqual({ settings: start, collaborationMode: mode });
  expect(withCollaborationMode(start, mode).collaborationMode).toBe(mode);
  expect(changeOption(start, 'fast-mode', true).collaborationMode).toBeNull();
});

it('S2.86 S2.93 sets the fast flag while it is hidden, and keeps it over a model without', () => {
  const astra = changeOption(start, 'model', 'gpt-6-astra').settings;
  const fast = changeOption(astra, 'fast-mode', 'on').settings;
  expect(fast.fast).toBe(true);
  expect(changeOption(fast, 'model', 'gpt-6.1-sol').settings.fast).toBe(true);
});

it('S2.95 an unlisted model has no efforts to choose', () => {
  const unlisted = { ...start, model: 'house-model' };
  expect(() => changeOption(unlisted, 'reasoning_effort', 'low')).toThrow(AgentError);
});

it.each([
  ['mode', 'id', null],
  ['model', 'id', null],
  ['fast-mode', 'boolean', null],
  ['mode', 'boolean', 'Config option mode takes a value of type id'],
  ['mode', undefined, 'Config option mode takes a value of type id'],
  ['fast-mode', 'id', 'Config option fast-mode takes a value of type boolean'],
  ['nope', 'id', 'Unknown config option: nope'],
])('S2.92 v2 option %s with type %s', (id, type, message) => {
  if (message === null) expect(() => requireOffered(start, id, type)).not.toThrow();
  else expect(() => requireOffered(start, id, type)).toThrow(AgentError.invalidParams(message));
});

it('S2.92 v2 cannot set a hidden option', () => {
  const astra = changeOption(start, 'model', 'gpt-6-astra').settings;
  expect(() => requireOffered(astra, 'fast-mode', 'boolean')).toThrow('Unknown config option: fast-mode');
});
