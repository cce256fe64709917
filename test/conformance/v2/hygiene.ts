import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { runCommand, text } from '../../support/model-replies.ts';
import type { Lab } from '../lab.ts';
import type { QuietRow, Section } from '../row.ts';
import { exercise } from '../rows/exercise.ts';
import { initialized } from '../rows/initialize.ts';
import { everything } from '../rows/overall.ts';
import { extensionRequestsAreAnswered, notJsonRpc } from '../rows/wire.ts';

type Update = Frame['params'];

/** All updates of all agents; `scope` tells the sessions of different agents apart. */
async function updates(lab: Lab): Promise<readonly { readonly scope: string; readonly update: Update }[]> {
  const frames = await everything(lab);
  return frames
    .filter(({ method }) => method === 'session/update')
    .map(({ params }) => ({ scope: params.sessionId, update: params.update }));
}

async function updatesOf(
  lab: Lab,
  kind: RegExp,
): Promise<readonly { readonly scope: string; readonly update: Update }[]> {
  const found = (await updates(lab)).filter(({ update }) => kind.test(update.sessionUpdate));
  expect(found).not.toEqual([]);
  return found;
}

const toolKinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'];
const toolStatuses = ['pending', 'in_progress', 'paused', 'completed', 'failed', 'cancelled'];
const updateKinds = [
  'user_message_chunk',
  'user_message',
  'agent_message_chunk',
  'agent_message',
  'agent_thought_chunk',
  'agent_thought',
  'state_update',
  'tool_call_content_chunk',
  'tool_call_update',
  'terminal_update',
  'terminal_output_chunk',
  'plan_update',
  'plan_removed',
  'available_commands_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
  'compaction_update',
  'compaction_summary_chunk',
  'subagent_update',
  'session_message',
  'session_message_chunk',
];

function definedOrOwn(known: readonly string[]): (value: string | null | undefined) => boolean {
  return (value) => value === undefined || value === null || known.includes(value) || value.startsWith('_');
}

const unknownNotifications = (
  id: string,
  tier: 'advisory' | 'informational',
  prefix: string,
  names: readonly string[],
): QuietRow => ({
  id,
  tier,
  requirement: `an unknown notification that starts with \`${prefix}\` does nothing`,
  async event(lab) {
    const session = await lab.session();
    const from = session.agent.now;
    for (const name of names) session.agent.notify(prefix + name, { sessionId: session.id, any: 'thing' });
    return () => {
      expect(session.agent.strays(from)).toEqual([]);
      expect(session.agent.about(session.id, from)).toEqual([]);
    };
  },
});

/** Every `_meta` of a message that is neither an object nor null. */
function wrongMeta(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const wrong = key === '_meta' && child !== null && (typeof child !== 'object' || Array.isArray(child));
    return wrong ? [child] : wrongMeta(child);
  });
}

/** Table 3.6, without the rows about all of the output. */
export const hygiene: Section = {
  title: '3.6 keyed updates, enums, extensions',
  rows: [
    {
      id: 'ACP-PATCH-201',
      tier: 'capability',
      requirement: 'every message update or chunk has a `messageId`',
      async run(lab) {
        for (const { update } of await updatesOf(lab, /^(user|agent)_(message|thought)(_chunk)?$/)) {
          expect([update, typeof update.messageId]).toEqual([update, 'string']);
          expect(update.messageId).toMatch(/\S/);
        }
      },
    },
    {
      id: 'ACP-PATCH-203',
      tier: 'capability',
      requirement: 'two prompts get different `messageId`s',
      async run(lab) {
        const session = await lab.session();
        const turns = [session.prompt(text('One.')), session.prompt(text('Two.'))];
        const [one, two] = await Promise.all(turns.map((turn) => turn.answer()));
        await Promise.all(turns.map((turn) => turn.ended()));
        expect(one.messageId).not.toBe(two.messageId);
      },
    },
    {
      id: 'ACP-PATCH-204',
      tier: 'capability',
      requirement: '`tool_call_update` has a `toolCallId`, `tool_call_content_chunk` also `content`',
      async run(lab) {
        for (const { update } of await updatesOf(lab, /^tool_call_/)) {
          expect(update.toolCallId).toMatch(/\S/);
          if (update.sessionUpdate === 'tool_call_content_chunk') expect(update.content).toBeTypeOf('object');
        }
      },
    },
    {
      id: 'ACP-PATCH-205',
      tier: 'capability',
      requirement: '`plan_update.plan` has a `planId`, the same one for the whole turn',
      async run(lab) {
        const { session } = await exercise(lab);
        const plans = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'plan_update');
        expect(plans.length).toBeGreaterThanOrEqual(2);
        for (const { plan } of plans) expect(plan.planId).toBe(plans[0].plan.planId);
        for (const { update } of await updatesOf(lab, /^plan_update$/)) expect(update.plan.planId).toMatch(/\S/);
      },
    },
    {
      id: 'ACP-PATCH-206',
      tier: 'capability',
      requirement: "a terminal's `cwd` is absolute and never changes, also for a command in a relative folder",
      async run(lab) {
        const { workspace } = await lab.base();
        workspace.write('below/file.txt', 'x');
        const session = await lab.session();
        await session.prompt(runCommand('echo in a folder below', { workdir: 'below' }), text('Done.')).ended();
        const known = new Map<string, string>();
        for (const { scope, update } of await updatesOf(lab, /^terminal_update$/)) {
          if (update.cwd === undefined || update.cwd === null) continue;
          const key = `${scope} ${update.terminalId}`;
          expect([update, isAbsolute(update.cwd)]).toEqual([update, true]);
          expect(known.get(key) ?? update.cwd).toBe(update.cwd);
          known.set(key, update.cwd);
        }
        expect([...known.values()]).toContain(workspace.file('below'));
      },
    },
    {
      id: 'ACP-PATCH-207',
      tier: 'capability',
      requirement: 'each piece of terminal output is base64 of its own',
      async run(lab) {
        for (const { update } of await updatesOf(lab, /^terminal_output_chunk$/)) {
          expect(Buffer.from(update.data, 'base64').toString('base64')).toBe(update.data);
          expect(update.data).not.toBe('');
        }
      },
    },
    {
      id: 'ACP-PATCH-208',
      tier: 'advisory',
      requirement: 'the first update of a tool call has a title; a name that it has never changes',
      async run(lab, note) {
        const names = new Map<string, string | undefined>();
        for (const { scope, update } of await updatesOf(lab, /^tool_call_update$/)) {
          const key = `${scope} ${update.toolCallId}`;
          if (!names.has(key)) expect(update.title).toMatch(/\S/);
          else if (update.name !== undefined && names.get(key) === undefined) note(`named late: ${key} ${update.name}`);
          const name = update.name ?? names.get(key);
          expect([key, names.get(key) ?? name]).toEqual([key, name]);
          names.set(key, name);
        }
      },
    },
    {
      id: 'ACP-PATCH-209',
      tier: 'advisory',
      requirement: '`requires_action` while a permission blocks the work, `running` after the answer',
      async run(lab) {
        const session = await lab.session();
        const turn = session.prompt(runCommand('echo ok', { escalate: 'May I?' }), text('Done.'));
        await turn.ended();
        const states = session.states().map(({ state }) => state);
        expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
      },
    },
    {
      id: 'ACP-ENUM-201',
      tier: 'capability',
      requirement: 'tool kind and status, plan priority and status are defined or start with `_`',
      async run(lab) {
        for (const { update } of await updatesOf(lab, /^tool_call_update$/)) {
          expect(update.kind).toSatisfy(definedOrOwn(toolKinds));
          expect(update.status).toSatisfy(definedOrOwn(toolStatuses));
        }
        for (const { update } of await updatesOf(lab, /^plan_update$/)) {
          for (const { priority, status } of update.plan.entries ?? []) {
            expect(priority).toSatisfy(definedOrOwn(['high', 'medium', 'low']));
            expect(status).toSatisfy(definedOrOwn(['pending', 'in_progress', 'completed']));
          }
        }
      },
    },
    {
      id: 'ACP-ENUM-202',
      tier: 'advisory',
      requirement: 'update kinds, states and tool content types are defined or start with `_`',
      async run(lab) {
        for (const { update } of await updates(lab)) {
          expect(update.sessionUpdate).toSatisfy(definedOrOwn(updateKinds));
          expect(update.state).toSatisfy(definedOrOwn(['running', 'idle', 'requires_action', 'unknown']));
          if (!update.sessionUpdate.startsWith('tool_call')) continue;
          for (const { type } of update.content ?? [])
            expect(type).toSatisfy(definedOrOwn(['content', 'diff', 'terminal']));
        }
      },
    },
    {
      id: 'ACP-ENUM-203',
      tier: 'advisory',
      requirement: "a client's unknown permission outcome allows nothing and does no harm",
      async run(lab) {
        const { workspace } = await lab.base();
        const outcomes: unknown[] = [
          { outcome: '_later', optionId: 'allow_once' },
          { outcome: 'maybe' },
          null,
          'selected',
        ];
        for (const [index, outcome] of outcomes.entries()) {
          const session = await lab.session();
          const file = workspace.file(`not-allowed-${index}.txt`);
          session.onPermission = () => ({ outcome });
          const turn = session.prompt(runCommand(`echo x > ${file}`, { escalate: 'May I?' }), text('Done.'));
          expect(['end_turn', 'cancelled']).toContain((await turn.ended()).stopReason);
          expect([outcome, existsSync(file)]).toEqual([outcome, false]);
        }
      },
    },
    extensionRequestsAreAnswered,
    unknownNotifications('ACP-EXT-201', 'advisory', '_', ['no/such_extension', 'example.com/thing']),
    {
      id: 'ACP-EXT-202',
      tier: 'advisory',
      requirement: 'no unknown key at the root of `capabilities`',
      async run(lab) {
        const { capabilities } = await initialized(lab);
        const known = ['session', 'auth', 'providers', '_meta'];
        expect(Object.keys(capabilities).filter((key) => !known.includes(key))).toEqual([]);
      },
    },
    unknownNotifications('ACP-EXT-203', 'informational', '$/', ['no_such_notification', 'progress']),
    {
      id: 'ACP-META-201',
      tier: 'advisory',
      requirement: 'every `_meta` is an object or null',
      async run(lab) {
        const frames = await everything(lab);
        expect(JSON.stringify(frames)).toContain('"_meta":{');
        expect(wrongMeta(frames)).toEqual([]);
      },
    },
    notJsonRpc,
  ],
};
