import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, type Version, withAgent, withRelay } from '../../support/integration.ts';
import { failure, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText } from './tool-view.ts';

/** Advice of Codex beside the conversation, in the form that each client can show (S3.181 to S3.183). */

interface Advice {
  readonly severity: 'info' | 'warning';
  readonly title: string;
  readonly description: string | null;
  /** For a client that knows neither notices nor records. */
  readonly words: { readonly kind: 'message' | 'thought'; readonly text: string } | null;
}

function warning(message: string): Advice {
  return {
    severity: 'warning',
    title: message,
    description: null,
    words: { kind: 'message', text: `Warning: ${message}\n\n` },
  };
}

function configWarning(summary: string, details: string): Advice {
  return {
    severity: 'warning',
    title: summary,
    description: details,
    words: { kind: 'message', text: `Config warning: ${summary}\n\n${details}\n\n` },
  };
}

function deprecation(summary: string, details: string): Advice {
  return { severity: 'warning', title: summary, description: details, words: null };
}

function rerouted(from: string, to: string, reason: string): Advice {
  return {
    severity: 'info',
    title: 'Model rerouted',
    description: `Switched from ${from} to ${to} (${reason}).`,
    words: { kind: 'thought', text: `Model rerouted from ${from} to ${to} (${reason}).\n\n` },
  };
}

type Form = 'notices' | 'records' | 'words';

const { session: capabilities, ...others } = profiles.airV1.clientCapabilities;
const { notices: _, ...withoutNotices } = capabilities;
const noticesV1 = {
  ...profiles.plainV1,
  clientCapabilities: { ...profiles.plainV1.clientCapabilities, session: { notices: {} } },
};

const clients: readonly { name: string; version: Version; profile: Json; form: Form }[] = [
  { name: 'plain v1', version: 1, profile: profiles.plainV1, form: 'words' },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1, form: 'words' },
  { name: 'v1 with notices', version: 1, profile: noticesV1, form: 'notices' },
  {
    name: 'AIR v1 without notices',
    version: 1,
    profile: { ...profiles.airV1, clientCapabilities: { ...others, session: withoutNotices } },
    form: 'records',
  },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, form: 'notices' },
  { name: 'plain v2', version: 2, profile: profiles.plainV2, form: 'notices' },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, form: 'notices' },
];

function recordOf(update: Json): Json {
  const record = update._meta?.jetbrains?.air?.sessionFailure;
  return record?.id.includes(':notice:') ? record : undefined;
}

/** Everything of these updates that is advice or stands for it. */
function shown(updates: readonly Json[]): Json[] {
  return updates.filter(
    (update) =>
      update.sessionUpdate === 'notice' ||
      recordOf(update) !== undefined ||
      update.sessionUpdate === 'agent_thought_chunk' ||
      (update.sessionUpdate === 'agent_message_chunk' && /^(Config w|W)arning: /.test(update.content.text)),
  );
}

/** The update that shows the advice in a session of this version. */
function asShown(advice: Advice, form: Form, version: Version): Json[] {
  const { severity, title, description, words } = advice;
  const chunk = (): Json[] => {
    if (words === null) return [];
    const sessionUpdate = words.kind === 'message' ? 'agent_message_chunk' : 'agent_thought_chunk';
    return [
      {
        sessionUpdate,
        ...(version === 2 ? { messageId: expect.any(String) } : {}),
        content: { type: 'text', text: words.text },
      },
    ];
  };
  switch (form) {
    case 'notices':
      return [{ sessionUpdate: 'notice', severity, title, ...(description === null ? {} : { description }) }];
    case 'words':
      return chunk();
    case 'records': {
      if (severity === 'info') return chunk();
      const joined = description === null ? title : `${title} — ${description}`;
      const short = joined.length <= 240;
      const record = {
        id: expect.stringMatching(/:notice:[^:]+:\d+$/),
        revision: 1,
        category: 'unknown',
        severity,
        title: short ? joined : title,
        ...(short ? {} : { details: description }),
        actions: [],
      };
      return [
        {
          sessionUpdate: 'session_info_update',
          _meta: { jetbrains: { air: { version: 1, sessionFailure: record } } },
        },
      ];
    }
  }
}

const oldFeature = deprecation(
  '`[features].web_search_request` is deprecated because web search is enabled by default.',
  'Set `web_search` to `"live"`, `"indexed"`, `"cached"`, or `"disabled"` at the top level (or under a profile) in config.toml if you want to override it.',
);
const unknownModel = warning(
  'Model metadata for `model-nobody-lists` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
);

describe.each(clients)('$name', ({ version, profile, form }) => {
  test('S3.181 S3.182 S3.183 what the real Codex warns of: an old setting, an unknown model, a broken file of rules', () =>
    withAgent(
      {
        version,
        profile,
        home: { model: 'model-nobody-lists', extraToml: '[features]\nweb_search_request = true\n' },
      },
      async (lab, first) => {
        first.model(text('Hello.'));
        const end = await first.prompt('Hi').ended;
        expect(end.outcome).toBe('end_turn');
        // The thread of the title makes Codex complain again, of which nobody hears.
        await first.update('session_info_update', ({ title }) => title === 'Scripted title');
        const opened = [oldFeature, unknownModel].flatMap((advice) => asShown(advice, form, version));
        expect(shown(first.updates())).toEqual(opened);
        expect(messageText(first.updates()).endsWith('Hello.')).toBe(true);

        // From now on Codex finds rules that it cannot read whenever a thread starts.
        const from = lab.client.received.length;
        const rules = join(lab.home.path, 'rules');
        mkdirSync(rules);
        writeFileSync(join(rules, 'default.rules'), 'this is ( no rule');
        await lab.open();
        const isBroken = (update: Json): boolean => JSON.stringify(update).includes('Error parsing rules');
        await lab.waitFor('warning', () => first.updates(from).some(isBroken), from);
        const update = shown(first.updates(from)).find(isBroken);
        expect(update.content?.text ?? update.title ?? recordOf(update).title).toMatch(
          /^(Config warning: )?Error parsing rules; custom rules not applied\./,
        );
        expect(JSON.stringify(update)).toContain('cannot use reserved keyword');
        // Advice about one thread is for its session alone.
        expect(
          shown(first.updates(from)).filter((update) => JSON.stringify(update).includes('Model metadata')),
        ).toEqual([]);
      },
    ));

  test('S3.181 S3.182 S3.183 every kind, while the session is idle, once each time it is told', () =>
    withRelay({ version, profile }, async (session, codex) => {
      const { id } = session;
      const other = await session.lab.open();
      const from = session.lab.client.received.length;
      const told: readonly [method: string, params: Json, advice: Advice | null][] = [
        ['warning', { threadId: id, message: 'Look out' }, warning('Look out')],
        ['configWarning', { summary: 'Odd', details: 'Line 3' }, configWarning('Odd', 'Line 3')],
        ['configWarning', { summary: 'Odd', details: 'x'.repeat(240) }, configWarning('Odd', 'x'.repeat(240))],
        ['deprecationNotice', { summary: 'Old', details: 'Use new' }, deprecation('Old', 'Use new')],
        ['guardianWarning', { threadId: id, message: 'Not for users' }, null],
        [
          'model/rerouted',
          { threadId: id, turnId: 't', fromModel: 'a', toModel: 'b', reason: 'highRiskCyberActivity' },
          rerouted('a', 'b', 'highRiskCyberActivity'),
        ],
        ['warning', { threadId: null, message: 'Everybody' }, warning('Everybody')],
      ];
      for (const [method, params] of told) codex.inject('agent', { method, params });
      const isLast = (update: Json): boolean => JSON.stringify(update).includes('Everybody');
      for (const one of [session, other]) {
        await session.lab.waitFor('last warning', () => one.updates(from).some(isLast), from);
      }
      const all = told.flatMap(([, , advice]) => (advice === null ? [] : asShown(advice, form, version)));
      expect(session.updates(from)).toEqual(all);
      const common = told.filter(([, params]) => (params.threadId ?? null) === null);
      expect(other.updates(from)).toEqual(
        common.flatMap(([, , advice]) => (advice === null ? [] : asShown(advice, form, version))),
      );
    }));

  test('S3.181 a notice without text has a title all the same', () =>
    withRelay({ version, profile }, async (session, codex) => {
      const from = session.lab.client.received.length;
      codex.inject('agent', { method: 'warning', params: { threadId: session.id, message: '' } });
      codex.inject('agent', { method: 'configWarning', params: { summary: ' ', details: null } });
      codex.inject('agent', { method: 'warning', params: { threadId: session.id, message: 'Last' } });
      const isLast = (update: Json): boolean => JSON.stringify(update).includes('Last');
      await session.lab.waitFor('last warning', () => session.updates(from).some(isLast), from);
      const titles = session.updates(from).map((update) => update.title ?? recordOf(update)?.title);
      if (form !== 'words') expect(titles).toEqual(['Codex warning', 'Configuration warning', 'Last']);
    }));
});

test('S3.182 the same advice again is a new revision of its record, until a turn ends', () =>
  withRelay({ version: 1, profile: clients[3]?.profile }, async (session, codex) => {
    const records = (): Json[] => session.updates().flatMap((update) => recordOf(update) ?? []);
    const warn = async (message: string): Promise<void> => {
      const count = records().length;
      codex.inject('agent', { method: 'warning', params: { threadId: session.id, message } });
      await session.lab.waitFor('record', () => records().length > count);
    };
    await warn('Look out');
    await warn('Look out');
    await warn('Mind the gap');
    await warn('Look out');
    session.model(text('Hello.'));
    await session.prompt('Hi').ended;
    await warn('Look out');
    session.model(failure(400));
    await session.prompt('Fails').ended;
    await warn('Look out');
    await warn('Look out');
    const epoch = records()[0].id.split(':').at(-2);
    expect(epoch).toMatch(/^[0-9a-f-]{36}$/);
    const prefix = `${session.id}:notice:${epoch}:`;
    expect(records().filter(({ id }) => !id.startsWith(prefix))).toEqual([]);
    // What Codex said at its start may have taken the first numbers.
    const numbers = records().map(({ id }) => Number(id.slice(prefix.length)));
    const base = numbers[0] ?? 0;
    expect(records().map(({ revision, title }, index) => [(numbers[index] ?? 0) - base, revision, title])).toEqual([
      [0, 1, 'Look out'],
      [0, 2, 'Look out'],
      [1, 1, 'Mind the gap'],
      [2, 1, 'Look out'],
      [3, 1, 'Look out'],
      [4, 1, 'Look out'],
      [4, 2, 'Look out'],
    ]);
  }));

test.each([1, 2] as const)(
  'S3.181 S3.94 v%i: a notice beside idle sessions changes no state and no text of a turn',
  (version) =>
    withRelay(
      { version, profile: version === 1 ? noticesV1 : profiles.plainV2 },
      async (session: LabSession, codex) => {
        codex.on('codex', 'turn/started').inject({
          after: [{ method: 'warning', params: { threadId: session.id, message: 'In the turn' } }],
        });
        session.model(text('Hello.'));
        const end = await session.prompt('Hi').ended;
        expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Hello.']);
        expect(end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'notice')).toMatchObject([
          { title: 'In the turn' },
        ]);
        codex.inject('agent', { method: 'warning', params: { threadId: session.id, message: 'At rest' } });
        await session.update('notice', ({ title }) => title === 'At rest');
        const states = session.updates().flatMap(({ state }) => state ?? []);
        expect(states).toEqual(version === 1 ? [] : ['running', 'idle']);
      },
    ),
);
