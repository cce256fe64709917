import { describe, expect, test } from 'vitest';
import type { CodexCall } from '../../support/fake-codex.ts';
import { events, message } from '../../support/session-lab.ts';
import {
  plainV1With,
  quietAirV1,
  runningPrompt,
  type SentRequest,
  type WireClient,
  type WireLab,
  wireClients,
  wireLab,
} from '../../support/wire-lab.ts';

/*
 * S3 section 16: what each kind of client gets. A feature that is declared is tested with a client that declares it and
 * with one that does not.
 */

const bareAir = (version: 1 | 2): WireClient => {
  const _meta = { jetbrains: { air: { version: 1, capabilities: [] } } };
  const { profile } = version === 1 ? wireClients.plainV1 : wireClients.plainV2;
  const capabilities = version === 1 ? { clientCapabilities: { _meta } } : { capabilities: { _meta } };
  return { version, profile: { ...profile, ...capabilities } };
};

const columns = {
  ...wireClients,
  'plain v1 with notices and compaction': plainV1With({ session: { notices: {}, compaction: {} } }),
  'AIR v1 without notices and compaction': quietAirV1,
  'AIR v1 without capabilities': bareAir(1),
  'AIR v2 without capabilities': bareAir(2),
} as const satisfies Record<string, WireClient>;
type Column = keyof typeof columns;

const all = Object.keys(columns) as Column[];
const v2: readonly Column[] = ['plainV2', 'airV2', 'AIR v2 without capabilities'];
const air: readonly Column[] = [
  'airV1',
  'AIR v1 without notices and compaction',
  'AIR v1 without capabilities',
  'airV2',
  'AIR v2 without capabilities',
];
const airV1 = air.filter((name) => !v2.includes(name));
const typed: readonly Column[] = ['airV1', 'AIR v1 without notices and compaction', 'airV2'];
const declared: readonly Column[] = ['plain v1 with notices and compaction', 'airV1', ...v2];

interface Feature {
  readonly name: string;
  /** Does it, and returns whether the client got it. */
  readonly shown: (lab: WireLab) => Promise<boolean>;
  readonly to: readonly Column[];
}

const air1 = (lab: WireLab) => lab.updatesOf('session_info_update').map(({ _meta }) => _meta?.jetbrains?.air ?? {});
const withReport = {
  _meta: { jetbrains: { air: { agentFileChangeReportRequest: { version: 1, requestId: 'r1' } } } },
};

async function ends(
  lab: WireLab,
  turnId = 'turn-1',
  more: readonly Parameters<WireLab['emit']>[0][] = [],
): Promise<void> {
  lab.emit(...more, events.completed(turnId));
  await lab.settle();
}

async function answerOf(lab: WireLab, prompt: SentRequest) {
  await lab.settle();
  return lab.version === 1 ? prompt.answer : lab.updatesOf('state_update').at(-1);
}

const features: readonly Feature[] = [
  {
    name: 'the result of a prompt comes at insertion',
    to: v2,
    shown: async (lab) => {
      const prompt = lab.prompt();
      await lab.settle();
      lab.emit(events.started('turn-1'));
      lab.land('turn-1');
      const early = (await lab.words()).some((word) => word.startsWith('p1'));
      await ends(lab);
      // On v1 at the end.
      expect((await lab.words()).filter((word) => word.startsWith('p1'))).toHaveLength(1);
      expect(await prompt.answer).toHaveProperty(early ? 'messageId' : 'stopReason');
      return early;
    },
  },
  {
    name: 'the live echo of a prompt',
    to: v2,
    shown: async (lab) => {
      lab.prompt('/skills');
      await lab.settle();
      return lab.updatesOf('user_message_chunk').length > 0;
    },
  },
  {
    name: 'state updates',
    to: v2,
    shown: async (lab) => {
      await runningPrompt(lab);
      await ends(lab);
      return lab.updatesOf('state_update').length > 0;
    },
  },
  {
    name: '_meta.quota with the end of a prompt',
    to: all,
    shown: async (lab) => {
      const prompt = await runningPrompt(lab);
      await ends(lab);
      return (await answerOf(lab, prompt))._meta.quota !== undefined;
    },
  },
  {
    name: 'sessionFailure records',
    to: typed,
    shown: async (lab) => {
      const prompt = await runningPrompt(lab);
      lab.emit(events.completed('turn-1', 'failed', 'no'));
      return (await answerOf(lab, prompt))._meta.jetbrains?.air.sessionFailure !== undefined;
    },
  },
  {
    name: 'notices',
    to: declared,
    shown: async (lab) => {
      lab.emit({ type: 'warning', message: 'Slow disk' });
      await lab.settle();
      return lab.updatesOf('notice').length > 0;
    },
  },
  {
    name: 'compaction updates',
    to: declared,
    shown: async (lab) => {
      await compaction(lab);
      return lab.updatesOf('compaction_update').length > 0;
    },
  },
  {
    name: 'a tool call for a compaction',
    to: all.filter((name) => !declared.includes(name)),
    shown: async (lab) => {
      await compaction(lab);
      const [call] = lab.updatesOf('tool_call');
      return call?.title === 'Compact conversation' && call.kind === 'think';
    },
  },
  {
    name: '_meta of that tool call',
    to: airV1.filter((name) => !declared.includes(name)),
    shown: async (lab) => {
      await compaction(lab);
      const [call] = lab.updatesOf('tool_call');
      return call?._meta?.jetbrains?.air.contextCompaction !== undefined;
    },
  },
  {
    name: 'goal snapshots',
    to: air,
    shown: async (lab) => {
      lab.request('goal', '_session/goal', { sessionId: lab.sessionId, action: 'set', objective: 'Ship' });
      await lab.settle();
      if (lab.codex.goal !== null) lab.emit({ type: 'goalUpdated', goal: lab.codex.goal });
      await lab.settle();
      return air1(lab).some(({ goal }) => goal !== undefined);
    },
  },
  {
    name: 'prompt suggestions',
    to: air,
    shown: async (lab) => {
      lab.codex.manual.add('sample');
      await runningPrompt(lab);
      await ends(lab, 'turn-1', [events.itemCompleted('turn-1', message('m1', 'Done'))]);
      lab.codex.heldSamples[0]?.resolve('{"suggestion":"Test it"}');
      await lab.settle();
      return lab.updatesOf('session_info_update').some(({ _meta }) => _meta?.promptSuggestions !== undefined);
    },
  },
  {
    name: 'reports of changed files',
    to: typed,
    shown: async (lab) => {
      lab.prompt('/skills', withReport);
      await lab.settle();
      return air1(lab).some(({ agentFileChangeReport }) => agentFileChangeReport !== undefined);
    },
  },
  {
    name: 'steering',
    to: all,
    shown: async (lab) => {
      await runningPrompt(lab);
      return (await lab.steer().answer).outcome === 'injected';
    },
  },
  {
    name: 'control of the goal',
    to: all,
    shown: async (lab) => {
      const params = { sessionId: lab.sessionId, action: 'set', objective: 'Ship' };
      const { answer } = lab.request('goal', '_session/goal', params);
      await lab.settle();
      if (lab.codex.goal !== null) lab.emit({ type: 'goalUpdated', goal: lab.codex.goal });
      expect(await answer).toEqual({});
      return lab.codex.of('setGoal').some((call: CodexCall) => 'objective' in call && call.objective === 'Ship');
    },
  },
];

describe.each(features)('S3 section 16: $name', ({ name, shown, to }) => {
  test.each(all)('S3.220 %s', async (column) => {
    const lab = await wireLab(columns[column]);
    expect(await shown(lab), `${name} for ${column}`).toBe(to.includes(column));
  });
});

/** A compaction from its begin to its end. */
async function compaction(lab: WireLab): Promise<void> {
  lab.prompt('/compact');
  await lab.settle();
  const item = { type: 'compaction', id: 'k1' } as const;
  lab.emit(events.started('turn-c'), { type: 'itemStarted', turnId: 'turn-c', item });
  lab.emit({ type: 'itemCompleted', turnId: 'turn-c', item }, events.completed('turn-c'));
  await lab.settle();
}

describe.each(all)('S3.126 initialize of %s', (column) => {
  test('S3.126 steering is offered to all, goals to AIR', async () => {
    const lab = await wireLab(columns[column]);
    const { result } = lab.client.received.find((frame) => frame.result?.protocolVersion !== undefined) ?? {};
    const capabilities = result.agentCapabilities ?? result.capabilities;
    const meta = { ...result._meta, ...capabilities?._meta };
    expect(meta.steering).toEqual({ supported: true });
    const goal = { version: 1, controlMethod: '_session/goal', actions: ['set', 'pause', 'resume', 'clear'] };
    expect(meta.jetbrains?.air?.goal).toEqual(air.includes(column) ? goal : undefined);
  });
});
