import { describe, expect, it } from 'vitest';
import {
  type SupervisorInput,
  type SupervisorState,
  supervise,
} from '../../../src/adapters/codex-app-server/supervisor-state.ts';

const STATES: readonly SupervisorState[] = [
  { type: 'down' },
  { type: 'preparing' },
  { type: 'up', epoch: 2, phase: 'silent' },
  { type: 'up', epoch: 2, phase: 'introducing' },
  { type: 'up', epoch: 2, phase: 'ready' },
  { type: 'leaving', epoch: 2, introduced: true, reason: 'crashed' },
  { type: 'leaving', epoch: 2, introduced: true, reason: 'shutdown' },
  { type: 'closed', reason: 'stopped' },
  { type: 'closed', reason: 'runtimeMissing' },
];

const NEWS_OF_AN_OLDER_PROCESS: readonly SupervisorInput[] = [
  { type: 'introduced', epoch: 1 },
  { type: 'introductionFailed', epoch: 1 },
  { type: 'dead', epoch: 1 },
  { type: 'gone', epoch: 1, wanted: true, runtimeMissing: true },
];

describe('supervisor transitions', () => {
  it('news of an older process changes nothing in any state', () => {
    for (const state of STATES) {
      for (const input of NEWS_OF_AN_OLDER_PROCESS) {
        expect(supervise(state, input, true)).toEqual({ state, effects: [] });
      }
    }
  });

  it('S8.11 after stop no input ever leads to a start', () => {
    const inputs: readonly SupervisorInput[] = [
      { type: 'need' },
      { type: 'start' },
      { type: 'permitted' },
      { type: 'notStarted' },
      { type: 'spawned', epoch: 3 },
      { type: 'replace', reason: 'crashed' },
      { type: 'gone', epoch: 2, wanted: true, runtimeMissing: false },
      { type: 'stop' },
    ];
    for (const before of STATES) {
      const { state: stopped } = supervise(before, { type: 'stop' }, true);
      for (const input of inputs) {
        const { state, effects } = supervise(stopped, input, true);
        expect(effects.filter((effect) => effect === 'prepare' || effect === 'spawn')).toEqual([]);
        expect(['closed', 'leaving']).toContain(state.type);
      }
    }
  });

  it('S8.39 a process that failed already stays a crash when it is to be replaced', () => {
    const state: SupervisorState = { type: 'leaving', epoch: 2, introduced: false, reason: 'introductionFailed' };
    expect(supervise(state, { type: 'replace', reason: 'replaced' }, true)).toEqual({ state, effects: [] });
  });
});
