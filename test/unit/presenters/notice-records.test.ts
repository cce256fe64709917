import { describe, expect, it } from 'vitest';
import type { SessionFailures } from '../../../src/adapters/acp/failure-record.ts';
import { FailureRecords } from '../../../src/adapters/acp/failure-record.ts';
import type { Notice } from '../../../src/domain/conversation/conversation-update.ts';
import { CodexLostError } from '../../../src/domain/errors/agent-error.ts';
import type { TurnError } from '../../../src/domain/thread/thread-event.ts';

const busy: TurnError = { message: 'Server is busy', info: 'serverOverloaded', details: null };
const unauthorized: TurnError = { message: 'No', info: 'unauthorized', details: null };
const lost = new CodexLostError('The Codex app-server exited', { exitCode: 1, signal: null, restartable: true });

describe('notice records', () => {
  const notice = (title: string, description: string | null = null): Notice => ({
    severity: 'warning',
    title,
    description,
    fallback: null,
  });

  it('S3.182 has its own ids, no actions and no category', () => {
    expect(new FailureRecords('e').of('s').noticed(notice('Old'))).toEqual({
      id: 's:notice:e:1',
      revision: 1,
      category: 'unknown',
      severity: 'warning',
      title: 'Old',
      actions: [],
    });
  });

  it('S3.182 the same again is a new revision, another one a new record', () => {
    const failures = new FailureRecords('e').of('s');
    const texts = [notice('a'), notice('a'), notice('b'), notice('a'), notice('a', 'b')];
    expect(texts.map((one) => failures.noticed(one)).map(({ id, revision }) => `${id} ${revision}`)).toEqual([
      's:notice:e:1 1',
      's:notice:e:1 2',
      's:notice:e:2 1',
      's:notice:e:3 1',
      's:notice:e:4 1',
    ]);
  });

  const between: readonly [string, (failures: SessionFailures) => unknown][] = [
    ['a failure', (failures) => failures.failed('t1', busy)],
    ['a retry', (failures) => failures.retried('t1', busy)],
    ['a failure of another turn', (failures) => failures.reported('t9', busy)],
    ['the lost app-server', (failures) => failures.ended({ type: 'lost', cause: lost })],
    ['a missing login, which has no record', (failures) => failures.failed('t1', unauthorized)],
    ['a successful turn', (failures) => failures.succeeded()],
  ];
  it.each(between)('S3.182 begins anew after %s', (_name, happen) => {
    const failures = new FailureRecords('e').of('s');
    failures.noticed(notice('a'));
    happen(failures);
    const again = failures.noticed(notice('a'));
    expect([again.revision, again.id === 's:notice:e:1']).toEqual([1, false]);
  });

  it('S3.182 sessions do not share a row of equal notices', () => {
    const records = new FailureRecords('e');
    expect(['s', 'z', 's'].map((id) => records.of(id).noticed(notice('a')).id)).toEqual([
      's:notice:e:1',
      'z:notice:e:2',
      's:notice:e:1',
    ]);
  });

  const long = 'd'.repeat(241);
  it.each([
    ['both in the title', notice('s', 'd'), { title: 's — d' }],
    ['240 characters', notice('s', 'd'.repeat(236)), { title: `s — ${'d'.repeat(236)}` }],
    ['more', notice('s', 'd'.repeat(237)), { title: 's', details: 'd'.repeat(237) }],
    ['no details', notice('s'), { title: 's' }],
    ['blank details', notice('s', ' '), { title: 's' }],
    ['a long title alone, not told twice', notice(long), { title: long }],
  ])('S3.182 texts: %s', (_name, one, expected) => {
    const { title, details } = new FailureRecords('e').of('s').noticed(one);
    expect({ title, ...(details === undefined ? {} : { details }) }).toEqual(expected);
  });
});
