import { describe, expect, test } from 'vitest';
import type { NoticeEvent } from '../../../src/domain/thread/thread-event.ts';
import { events } from '../../support/session-lab.ts';
import {
  plainV1With,
  quietAirV1,
  runningPrompt,
  type WireClient,
  wireClients,
  wireLab,
} from '../../support/wire-lab.ts';

const notifiedPlainV1 = plainV1With({ session: { notices: {} } });

/** Who gets notices, records and texts (S3 section 12.5). */
const clients: readonly (readonly [string, WireClient, 'none' | 'notice' | 'record'])[] = [
  ['plainV1', wireClients.plainV1, 'none'],
  ['zedV1', wireClients.zedV1, 'none'],
  ['plain v1 with notices', notifiedPlainV1, 'notice'],
  ['airV1', wireClients.airV1, 'notice'],
  ['AIR v1 without notices', quietAirV1, 'record'],
  ['plainV2', wireClients.plainV2, 'notice'],
  ['airV2', wireClients.airV2, 'notice'],
];

const text = (shown: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: shown } });
const thought = (shown: string) => ({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: shown } });
const notice = (severity: string, title: string, description?: string) => ({
  sessionUpdate: 'notice',
  severity,
  title,
  ...(description === undefined ? {} : { description }),
});
const rerouted = 'Model rerouted from gpt-a to gpt-b (busy).\n\n';

interface Row {
  readonly what: string;
  readonly event: NoticeEvent;
  readonly notice: object;
  /** Title and details of the record; `null`: as for a client without typed failures. */
  readonly record: { readonly title: string; readonly details?: string } | null;
  readonly none: readonly object[];
}

const long = 'd'.repeat(240);
const rows: readonly Row[] = [
  {
    what: 'warning',
    event: { type: 'warning', message: 'Slow disk' },
    notice: notice('warning', 'Slow disk'),
    record: { title: 'Slow disk' },
    none: [text('Warning: Slow disk\n\n')],
  },
  {
    what: 'warning without text',
    event: { type: 'warning', message: '' },
    notice: notice('warning', 'Codex warning'),
    record: { title: 'Codex warning' },
    none: [text('Warning: \n\n')],
  },
  {
    what: 'configWarning',
    event: { type: 'configWarning', summary: 'Odd key', details: 'line 3' },
    notice: notice('warning', 'Odd key', 'line 3'),
    record: { title: 'Odd key — line 3' },
    none: [text('Config warning: Odd key\n\nline 3\n\n')],
  },
  {
    what: 'configWarning without text and details',
    event: { type: 'configWarning', summary: '', details: null },
    notice: notice('warning', 'Configuration warning'),
    record: { title: 'Configuration warning' },
    none: [text('Config warning: \n\n')],
  },
  {
    what: 'configWarning with long details',
    event: { type: 'configWarning', summary: 'Odd key', details: long },
    notice: notice('warning', 'Odd key', long),
    record: { title: 'Odd key', details: long },
    none: [text(`Config warning: Odd key\n\n${long}\n\n`)],
  },
  {
    what: 'deprecationNotice',
    event: { type: 'deprecation', summary: 'Old flag', details: 'Use another' },
    notice: notice('warning', 'Old flag', 'Use another'),
    record: { title: 'Old flag — Use another' },
    none: [],
  },
  {
    what: 'deprecationNotice without text',
    event: { type: 'deprecation', summary: '', details: null },
    notice: notice('warning', 'Deprecated configuration'),
    record: { title: 'Deprecated configuration' },
    none: [],
  },
  {
    what: 'model/rerouted',
    event: { type: 'modelRerouted', from: 'gpt-a', to: 'gpt-b', reason: 'busy' },
    notice: notice('info', 'Model rerouted', 'Switched from gpt-a to gpt-b (busy).'),
    record: null,
    none: [thought(rerouted)],
  },
];

describe.each(clients)('S3.181 S3.182 advice for %s', (_name, client, form) => {
  test.each(rows)('S3.181 S3.182 $what, while idle and during a turn', async (row) => {
    const lab = await wireLab(client);
    for (const state of ['idle', 'running']) {
      if (state === 'running') await runningPrompt(lab);
      lab.mark();
      lab.emit(row.event);
      await lab.settle();
      if (form === 'notice') expect(lab.updates).toEqual([row.notice]);
      else if (form === 'none' || row.record === null) expect(lab.updates).toEqual(row.none);
      else {
        const [update, ...others] = lab.updates;
        expect(others).toEqual([]);
        expect(update).toEqual({
          sessionUpdate: 'session_info_update',
          _meta: {
            jetbrains: {
              air: {
                version: 1,
                sessionFailure: {
                  id: expect.stringMatching(/^thread-1:notice:[0-9a-f-]{36}:1$/),
                  // The same advice again is a new revision.
                  revision: state === 'idle' ? 1 : 2,
                  category: 'unknown',
                  severity: 'warning',
                  ...row.record,
                  actions: [],
                },
              },
            },
          },
        });
      }
    }
    // Advice is no work and no end of one.
    lab.emit(events.completed('turn-1'));
    expect((await lab.words()).at(-1)).toBe(lab.version === 1 ? 'p1 end_turn' : 'idle end_turn');
  });

  test('S3.183 advice without a thread reaches every open session, and is not merged', async () => {
    const lab = await wireLab(client);
    const first = lab.sessionId;
    const second = await lab.openSession();
    await lab.settle();
    lab.mark();
    for (let times = 0; times < 2; times += 1) lab.codex.emitGlobal({ type: 'warning', message: 'Slow disk' });
    await lab.settle();
    const told = lab.frames.map(({ params }) => params.sessionId);
    expect(told).toEqual([first, second, first, second]);
  });
});

describe('S3.182 advice as a record', () => {
  const ids = (lab: Awaited<ReturnType<typeof wireLab>>) =>
    lab.updatesOf('session_info_update').map(({ _meta }) => {
      const { id, revision } = _meta.jetbrains.air.sessionFailure;
      return `${id.split(':').at(-1)} ${revision}`;
    });
  const warn = (message: string) => ({ type: 'warning', message }) as const;

  test('only a row of equal ones shares its id', async () => {
    const lab = await wireLab(quietAirV1);
    lab.emit(warn('a'), warn('a'), warn('b'), warn('a'));
    await lab.settle();
    expect(ids(lab)).toEqual(['1 1', '1 2', '2 1', '3 1']);
  });

  test('a turn that went well ends the row', async () => {
    const lab = await wireLab(quietAirV1);
    lab.emit(warn('a'));
    await lab.settle();
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1'), warn('a'));
    await lab.settle();
    expect(ids(lab)).toEqual(['2 1']);
  });

  test('a failure ends the row', async () => {
    const lab = await wireLab(quietAirV1);
    lab.emit(warn('a'));
    await lab.settle();
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1', 'failed', 'no'), warn('a'));
    await lab.settle();
    expect(ids(lab)).toEqual(['2 1']);
  });
});
