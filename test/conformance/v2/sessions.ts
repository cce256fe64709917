import { expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import { type CheckedRow, later, type Row, type Section } from '../row.ts';
import { resume, resumes, tellsNoHistory, withHistory } from '../rows/resume.ts';
import {
  closeCancels,
  idleSessionCloses,
  resumeTakesExtraFolder,
  sessionOpens,
  sessionsDiffer,
  takesExtraFolder,
} from '../rows/sessions.ts';
import { changesAreAnsweredWhole, currentValuesFit, type Option } from '../rows/settings.ts';

const pending = (id: string, tier: Row['tier'], requirement: string, reason: string): Row => ({
  id,
  tier,
  requirement,
  pending: reason,
});

function expectValidOptions(configOptions: readonly Option[]): void {
  expect(configOptions.length).toBeGreaterThan(0);
  for (const { configId, name, type, options } of configOptions) {
    for (const value of [configId, name, type]) expect(value).toMatch(/\S/);
    if (type !== 'select') continue;
    expect(options.length).toBeGreaterThan(0);
    expect(new Set(options.map((entry: Option) => 'groupId' in entry)).size).toBe(1);
  }
}

/** A session with an MCP server that cannot be reached works all the same. */
const unreachableServer = (id: string, transport: string, server: object): CheckedRow => ({
  id,
  tier: 'informational',
  requirement: `session/new with a ${transport} server that cannot be reached is accepted, and the session works`,
  async run(lab, note) {
    const session = await lab.session(undefined, { mcpServers: [{ name: 'unreachable', ...server }] });
    expect((await session.prompt(text('Works.')).ended()).stopReason).toBe('end_turn');
    const notices = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'notice');
    note(notices.length === 0 ? 'no notice' : JSON.stringify(notices));
  },
});

/** Table 3.3. */
export const sessions: Section = {
  title: '3.3 sessions',
  rows: [
    sessionOpens('capability'),
    sessionsDiffer('capability'),
    {
      id: 'ACP-SESSION-203',
      tier: 'capability',
      requirement: '`mcpServers` absent, null and `[]` mean the same',
      async run(lab) {
        const opened = [];
        for (const mcpServers of [undefined, null, []])
          opened.push((await lab.session(undefined, { mcpServers })).opened);
        const [absent, none, empty] = opened.map(({ sessionId: _, ...rest }) => rest);
        expect(absent).toEqual(empty);
        expect(none).toEqual(empty);
      },
    },
    resumes('ACP-RESUME-201', 'session/resume works: never prompted and open, open, closed, from another process'),
    pending(
      'ACP-RESUME-202',
      'capability',
      'the replay precedes the response, and only notices follow it',
      later.replay,
    ),
    tellsNoHistory('ACP-RESUME-203', 'without `replayFrom` no history comes before the response', [
      {},
      { replayFrom: null },
    ]),
    pending('ACP-RESUME-204', 'capability', 'a replayed user message has the `messageId` of its prompt', later.replay),
    pending(
      'ACP-RESUME-205',
      'capability',
      'a replayed chunk follows the whole message with `content: []`',
      later.replay,
    ),
    pending('ACP-LIST-201', 'capability', 'session/list with `{}` gives a valid list', later.list),
    pending('ACP-LIST-202', 'capability', 'a `cwd` that nobody used gives an empty list', later.list),
    pending('ACP-LIST-203', 'capability', 'a `cwd` filter returns only entries with that `cwd`', later.list),
    pending('ACP-LIST-204', 'capability', 'every `cwd` is absolute', later.list),
    idleSessionCloses('ACP-CLOSE-201'),
    closeCancels('ACP-CLOSE-202'),
    pending(
      'ACP-DELETE-201',
      'capability',
      'session/delete of an existing session succeeds, prompted or not',
      later.remove,
    ),
    pending('ACP-DELETE-202', 'capability', 'a deleted session is not listed any more', later.remove),
    pending('ACP-DELETE-203', 'advisory', 'deleting what is gone or never was succeeds', later.remove),
    takesExtraFolder('ACP-ADDDIRS-201'),
    resumeTakesExtraFolder('ACP-ADDDIRS-202'),
    unreachableServer('ACP-MCP-201', 'stdio', { type: 'stdio', command: '/nowhere/server', args: [], env: [] }),
    unreachableServer('ACP-MCP-202', 'http', { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: [] }),
    {
      id: 'ACP-CONFIG-201',
      tier: 'capability',
      requirement:
        'options have `configId`, `name`, `type`; selects are all flat or all grouped, with a value at least',
      async run(lab) {
        expectValidOptions((await lab.session()).opened.configOptions);
      },
    },
    changesAreAnsweredWhole('ACP-CONFIG-202'),
    {
      id: 'ACP-CONFIG-203',
      tier: 'capability',
      requirement: 'options in the answer of session/resume are valid too',
      async run(lab) {
        const open = await withHistory(lab);
        const closed = await withHistory(lab);
        await closed.close();
        for (const session of [open, closed]) {
          const { configOptions } = (await resume(lab, session)).session.opened;
          expectValidOptions(configOptions);
          const ids = session.opened.configOptions.map(({ configId }: Option) => configId);
          expect(configOptions.map(({ configId }: Option) => configId)).toEqual(ids);
        }
      },
    },
    currentValuesFit('ACP-CONFIG-204'),
    {
      id: 'ACP-CONFIG-206',
      tier: 'capability',
      requirement: 'a `config_option_update` carries every option',
      async run(lab) {
        const session = await lab.session();
        const advertised: Option[] = session.opened.configOptions;
        for (const { configId, currentValue, options } of advertised) {
          const other = options?.find(({ value }: Option) => value !== currentValue)?.value ?? !currentValue;
          await session.setOption(configId, other);
        }
        const updates = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
        expect(updates).not.toEqual([]);
        const ids = advertised.map(({ configId }) => configId);
        for (const { configOptions } of updates) {
          expect(configOptions.map(({ configId }: Option) => configId)).toEqual(expect.arrayContaining(ids));
        }
      },
    },
  ],
};
