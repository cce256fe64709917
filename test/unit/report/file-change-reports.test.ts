import { describe, expect, it } from 'vitest';
import type { ReportFailure } from '../../../src/domain/report/file-change-report.ts';
import { FileChangeReports } from '../../../src/domain/session/file-change-reports.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { events, profile } from '../../support/session-lab.ts';
import { diffOf, FakeContext, FakeFiles, turnOver } from './fake-context.ts';

const diff = (turnId: string, text: string): ThreadEvent => ({ type: 'diffUpdated', turnId, diff: text });
const unavailable = (reason: ReportFailure) => ({ type: 'unavailable', requestId: 'r', reason });
const reported = (paths: readonly string[], truncated = false) => ({
  type: 'reported',
  requestId: 'r',
  paths,
  truncated,
});

function setUp({ cwd = '/w', more = [] as string[], context = new FakeContext(), files = new FakeFiles() } = {}) {
  context.workspace = { cwd, additionalDirectories: more };
  const reports = new FileChangeReports(context, files);
  return { reports, files, context, clock: context.clock, log: context.log, done: context.done };
}

describe('S3.197 S3.199 a prompt that asked is told which files changed', () => {
  it('the last diff of the final turn counts, and the prompt goes on after the report', async () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('plan', diffOf('planned.txt')));
    reports.observe(events.completed('plan'));
    reports.observe(diff('t', diffOf('first.txt')));
    reports.observe(diff('t', diffOf('src/a.txt', 'b.txt')));
    reports.observe(events.completed('t'));
    reports.finish('t', 'normal', done);
    expect(log).toEqual([]);
    await turnOver();
    expect(log).toEqual([reported(['/w/src/a.txt', '/w/b.txt']), 'done']);
  });

  it('S7.20 turns of subagents that are named count too, after the final turn', async () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('child', diffOf('c.txt', 'a.txt')));
    reports.observe(diff('other', diffOf('other.txt')));
    reports.observe(events.completed('child'));
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done, ['child', 'unseen']);
    await turnOver();
    expect(log).toEqual([reported(['/w/a.txt', '/w/c.txt']), 'done']);
  });

  it('a turn that the prompt adopted has its diff from before', async () => {
    const { reports, log, done } = setUp();
    reports.observe(diff('over', diffOf('over.txt')));
    reports.observe(events.completed('over'));
    reports.observe(diff('t', diffOf('early.txt')));
    reports.begin('r');
    reports.finish('t', 'normal', done, ['over']);
    await turnOver();
    expect(log).toEqual([reported(['/w/early.txt']), 'done']);
  });

  it('a turn that still runs when another one ends keeps its diff', async () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('next', diffOf('next.txt')));
    reports.finish('t', 'normal', done);
    reports.begin('r');
    reports.finish('next', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported([]), 'done', reported(['/w/next.txt']), 'done']);
  });

  it('a report never holds what an earlier prompt changed', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.observe(events.completed('t'));
    reports.finish('t', 'cancelled', done);
    reports.begin('r');
    reports.finish('t2', 'normal', done, ['t']);
    expect(log).toEqual([unavailable('cancelled'), 'done', reported([]), 'done']);
  });

  it('S3.199 no diff of an ended prompt is left, though its turns never completed', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'cancelled', done);
    reports.begin('r');
    reports.observe(diff('child', diffOf('b.txt')));
    reports.finish('t2', 'normal', done, ['t']);
    reports.begin('r');
    reports.finish('t3', 'failed', done);
    reports.begin('r');
    reports.finish('t4', 'normal', done, ['child']);
    const ends = [unavailable('cancelled'), reported([]), unavailable('providerError'), reported([])];
    expect(log).toEqual(ends.flatMap((end) => [end, 'done']));
  });

  it('S3.200 without a diff, or with an empty one, no paths are reported, at once', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.finish('t', 'normal', done);
    reports.begin('r');
    reports.observe(diff('t2', ''));
    reports.finish('t2', 'normal', done);
    expect(log).toEqual([reported([]), 'done', reported([]), 'done']);
  });
});

describe('S3.199 where the paths of a diff start', () => {
  it('at the repository that was there when the prompt started', async () => {
    const { reports, files, log, done } = setUp({ cwd: '/repo/sub', more: ['/repo/lib'] });
    files.repository = () => Promise.resolve('/repo');
    reports.begin('r');
    files.repository = () => Promise.resolve('/repo/sub');
    reports.observe(diff('t', diffOf('sub/a.txt', 'lib/b.txt', 'c.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(files.asked[0]).toBe('repository of /repo/sub');
    expect(log).toEqual([reported(['/repo/sub/a.txt', '/repo/lib/b.txt'], true), 'done']);
  });

  it('at cwd when there is none', async () => {
    const { reports, log, done } = setUp({ cwd: '/plain/sub' });
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt', '../b.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported(['/plain/sub/a.txt'], true), 'done']);
  });
});

describe('S3.200 S2.30 the directories', () => {
  it('are those of the last set-up of the session', async () => {
    const { reports, context, log, done } = setUp({ more: ['/before'] });
    context.workspace = { cwd: '/w', additionalDirectories: ['/now'] };
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt', '/now/b.txt', '/before/c.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported(['/w/a.txt', '/now/b.txt'], true), 'done']);
  });
});

describe('S3.200 links', () => {
  it('of parents are followed, for directories of the session as well', async () => {
    const { reports, files, log, done } = setUp({ more: ['/extra'] });
    files.links.set('/w/out', '/outside').set('/w/in', '/extra/deep').set('/w', '/real').set('/w/nowhere', null);
    reports.begin('r');
    reports.observe(diff('t', diffOf('in/a.txt', '/real/b.txt', 'c.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    reports.begin('r');
    reports.observe(diff('t2', diffOf('out/a.txt', '/outside/../real/d.txt', 'e.txt')));
    reports.finish('t2', 'normal', done);
    await turnOver();
    expect(log).toEqual([
      reported(['/extra/deep/a.txt', '/real/b.txt', '/real/c.txt']),
      'done',
      reported(['/real/d.txt', '/real/e.txt'], true),
      'done',
    ]);
  });

  it('that lead nowhere leave the file out; two ways to one file are one', async () => {
    const { reports, files, log, done } = setUp();
    files.links.set('/w/nowhere', null).set('/w/link', '/w/dir');
    reports.begin('r');
    reports.observe(diff('t', diffOf('nowhere/a.txt', 'dir/b.txt', 'link/b.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported(['/w/dir/b.txt'], true), 'done']);
  });

  it('a directory is looked up once', async () => {
    const { reports, files, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('src/a.txt', 'src/b.txt', 'c.txt', 'src/d.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(files.asked).toEqual(['repository of /w', '/w', '/w/src']);
  });
});

describe('S3.200 left out', () => {
  it('a refused path and a name that is no UTF-8 are missing, and it is said', async () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('https://host/a', 'a.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    reports.begin('r');
    reports.observe(diff('t2', 'diff --git "a/\\377" "b/\\377"\nnew file mode 100644\n'));
    reports.finish('t2', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported(['/w/a.txt'], true), 'done', reported([], true), 'done']);
  });

  it('the disk is not asked about what does not fit any more', async () => {
    const { reports, files, log, done } = setUp();
    const names = Array.from({ length: 5_000 }, (_, index) => `d${index}/a`);
    reports.begin('r');
    reports.observe(diff('t', diffOf(...names)));
    reports.finish('t', 'normal', done);
    for (let index = 0; index < 300; index += 1) await turnOver();
    expect(log).toEqual([
      reported(
        names.slice(0, 1024).map((name) => `/w/${name}`),
        true,
      ),
      'done',
    ]);
    expect(files.asked).toHaveLength(2 + 1025);
  });

  it('paths of Windows', async () => {
    const { reports, log, done } = setUp({ cwd: 'C:\\w', files: new FakeFiles('windows') });
    reports.begin('r');
    reports.observe(diff('t', diffOf('src/a.txt', 'SRC/A.TXT', 'C:rel', 'D:/w/a.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([reported(['C:\\w\\src\\a.txt'], true), 'done']);
  });
});

describe('S3.198 why there is no report', () => {
  it('the prompt was cancelled', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'cancelled', done);
    reports.begin('r');
    reports.finish(null, 'cancelled', done);
    expect(log).toEqual([unavailable('cancelled'), 'done', unavailable('cancelled'), 'done']);
  });

  it('Codex ran no turn', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.finish(null, 'normal', done);
    expect(log).toEqual([unavailable('notReported'), 'done']);
  });

  it('the work failed', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'failed', done);
    expect(log).toEqual([unavailable('providerError'), 'done']);
  });

  it('a diff is damaged, also that of a subagent', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', 'no diff'));
    reports.finish('t', 'normal', done);
    reports.begin('r');
    reports.observe(diff('t2', diffOf('a.txt')));
    reports.observe(diff('child', 'no diff'));
    reports.finish('t2', 'normal', done, ['child']);
    expect(log).toEqual([unavailable('invalidOutput'), 'done', unavailable('invalidOutput'), 'done']);
  });

  it('a diff has more than 8 MiB of UTF-8', async () => {
    const { reports, log, done } = setUp();
    const head = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1 @@\n+é';
    const fits = head + 'x'.repeat(8 * 1024 * 1024 - head.length - 1);
    reports.begin('r');
    reports.observe(diff('t', fits));
    reports.finish('t', 'normal', done);
    await turnOver();
    reports.begin('r');
    reports.observe(diff('t2', `${fits}x`));
    reports.finish('t2', 'normal', done);
    expect(log).toEqual([reported(['/w/a.txt']), 'done', unavailable('invalidOutput'), 'done']);
  });

  it('the disk fails', async () => {
    const { reports, files, log, done } = setUp();
    files.answer = () => Promise.reject(new Error('broken'));
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([unavailable('providerError'), 'done']);
  });

  it('the repository could not be looked for', async () => {
    const { reports, files, log, done } = setUp();
    files.repository = () => Promise.reject(new Error('broken'));
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    expect(log).toEqual([unavailable('providerError'), 'done']);
  });

  it('the disk says nothing for five seconds; what it says later changes nothing', async () => {
    const { reports, files, clock, log, done } = setUp();
    let answer: (place: string | null) => void = () => undefined;
    files.answer = (directory) => {
      files.answer = null;
      return new Promise((resolve) => {
        answer = () => resolve(directory);
      });
    };
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    await turnOver();
    clock.advance(4_999);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(log).toEqual([unavailable('providerError'), 'done']);
    answer('/w');
    await turnOver();
    expect(log).toHaveLength(2);
  });

  it('no timer stays behind a report', async () => {
    const { reports, clock, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    expect(clock.waiting).toBe(1);
    await turnOver();
    expect(clock.waiting).toBe(0);
  });
});

describe('S3.198 the session is closed', () => {
  it('while the prompt runs: it is told cancelled once, and its end still goes on', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.cancel();
    reports.finish('t', 'cancelled', done);
    expect(log).toEqual([unavailable('cancelled'), 'done']);
  });

  it('while the paths are looked up', async () => {
    const { reports, clock, log, done } = setUp();
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    reports.cancel();
    await turnOver();
    reports.cancel();
    expect(log).toEqual([unavailable('cancelled'), 'done']);
    expect(clock.waiting).toBe(0);
  });

  it('while nothing is asked', () => {
    const { reports, log } = setUp();
    reports.cancel();
    expect(log).toEqual([]);
  });
});

describe('S3.196 S3.198 nobody is told who did not ask', () => {
  it('a prompt without a request goes on at once', () => {
    const { reports, files, log, done } = setUp();
    reports.begin(null);
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    expect(log).toEqual(['done']);
    expect(files.asked).toEqual([]);
  });

  it('a queued prompt that never ran', () => {
    const { reports, log, done } = setUp();
    reports.finish(null, 'cancelled', done);
    expect(log).toEqual(['done']);
  });

  it('S11.2 a client without the capability', () => {
    const context = new FakeContext(profile({ air: { capabilities: new Set(['sessionFailure']) } }));
    const { reports, files, log, done } = setUp({ context });
    reports.begin('r');
    reports.observe(diff('t', diffOf('a.txt')));
    reports.finish('t', 'normal', done);
    expect(log).toEqual(['done']);
    expect(files.asked).toEqual([]);
  });

  it('the next prompt starts afresh, also when the last one was left open', () => {
    const { reports, log, done } = setUp();
    reports.begin('r');
    reports.begin(null);
    reports.finish('t', 'normal', done);
    expect(log).toEqual([unavailable('cancelled'), 'done']);
  });
});
