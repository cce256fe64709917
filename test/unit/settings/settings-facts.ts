import type { ModelInfo } from '../../../src/domain/settings/model-info.ts';
import type { SessionSettings, SetupFacts } from '../../../src/domain/settings/session-settings.ts';
import { initialSettings } from '../../../src/domain/settings/session-settings.ts';

/** A model with three efforts and fast mode, unless said otherwise. */
export function model(id: string, over: Partial<ModelInfo> = {}): ModelInfo {
  return {
    id,
    model: id,
    displayName: id.toUpperCase(),
    description: `About ${id}.`,
    efforts: [
      { effort: 'low', description: 'Fast' },
      { effort: 'medium', description: 'Balanced' },
      { effort: 'high', description: 'Deep' },
    ],
    defaultEffort: 'medium',
    inputModalities: ['text', 'image'],
    supportsFast: true,
    isDefault: false,
    ...over,
  };
}

/** The first is the default; the second has no fast mode and fewer efforts; the third takes no images. */
export const models: readonly ModelInfo[] = [
  model('gpt-6.1-sol', { displayName: 'GPT-6.1-Sol', isDefault: true, defaultEffort: 'low' }),
  model('gpt-6-astra', {
    displayName: 'GPT-6-Astra',
    efforts: [
      { effort: 'high', description: 'Deep' },
      { effort: 'ultra', description: 'Deepest' },
    ],
    defaultEffort: 'high',
    supportsFast: false,
  }),
  model('vega', { model: 'vega-slug', displayName: 'Vega mini', inputModalities: ['text'] }),
];

export function setup(over: Partial<SetupFacts> = {}): SetupFacts {
  return {
    open: { model: 'gpt-6.1-sol', effort: 'low', serviceTier: null, activeProfileId: null },
    models,
    profiles: [],
    config: { approvalPolicy: null, approvalsReviewer: null },
    initialModeId: null,
    workspace: { cwd: '/w', additionalDirectories: [] },
    accountIsApiKey: false,
    ...over,
  };
}

export function settings(over: Partial<SetupFacts> = {}): SessionSettings {
  return initialSettings(setup(over));
}
