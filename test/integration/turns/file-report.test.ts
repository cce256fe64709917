import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Json,
  type LabPrompt,
  type LabSession,
  type PromptEnd,
  useAgent,
  withRelay,
} from '../../support/integration.ts';
import { proposedPlan } from '../../support/model-answers.ts';
import { applyPatch, failure, hold, pause, reply, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';

/** Which files the agent changed, told to a client that asked with its prompt (S3.196 to S3.201). */

const uncertainty =
  'Codex turn diffs may omit same-content renames and changes made outside apply_patch, including shell commands, ' +
  'version-control commands, generators, and child processes.';

function asking(requestId: Json = 'report-1', more: Json = { version: 1 }): Json {
  return { _meta: { jetbrains: { air: { version: 1, agentFileChangeReportRequest: { ...more, requestId } } } } };
}

/** The prompt `text` with a request for a report. */
function promptReported(session: LabSession, content: string, requestId = 'report-1'): LabPrompt {
  return session.prompt(content, asking(requestId));
}

function reportOf(update: Json): Json {
  return update._meta?.jetbrains?.air?.agentFileChangeReport;
}

function reports(updates: readonly Json[]): Json[] {
  return updates.map(reportOf).filter((report) => report !== undefined);
}

/** The one report of a prompt, told before its end. */
function report(end: PromptEnd): Json {
  const [only, ...others] = reports(end.updates);
  expect(others).toEqual([]);
  return only;
}

function reported(paths: readonly string[], truncated = false, requestId = 'report-1'): Json {
  return { version: 1, requestId, status: 'reported', paths, declaredComplete: false, truncated, uncertainty };
}

function unavailable(reason: string): Json {
  return { version: 1, requestId: 'report-1', status: 'unavailable', reason };
}

function addFile(name: string): string {
  return `*** Begin Patch\n*** Add File: ${name}\n+hello\n*** End Patch\n`;
}

const files = { 'changed.txt': 'one\ntwo\n', 'removed.txt': 'old\n', 'moved.txt': 'alpha\nbeta\n' };

const edits = `
*** Begin Patch
*** Add File: sub/added.txt
+hello
*** Update File: changed.txt
@@
-one
+ONE
 two
*** Delete File: removed.txt
*** Update File: moved.txt
*** Move to: sub/new name.txt
@@
-alpha
+ALPHA
 beta
*** End Patch
`;

const air = [
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
] as const;

describe.each(air)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile, env: { INITIAL_AGENT_MODE: 'workspace-write' } });

  test('S3.197 S3.199 S3.201 each file that a patch adds, changes, deletes and moves is told before the end, once', async () => {
    const session = await agent().open({ files });
    session.model(applyPatch(edits), applyPatch(addFile('umlaut-ä.txt')), text('Done.'));
    const end = await promptReported(session, 'Edit').ended;
    expect(end.outcome).toBe('end_turn');
    const names = ['changed.txt', 'moved.txt', 'removed.txt', 'sub/added.txt', 'sub/new name.txt', 'umlaut-ä.txt'];
    const told = report(end);
    expect({ ...told, paths: [...told.paths].sort() }).toEqual(reported(names.map(session.workspace.file)));
    expect(reports(session.updates())).toHaveLength(1);
    const update = end.updates.find((candidate) => reportOf(candidate) !== undefined);
    expect(update.sessionUpdate).toBe('session_info_update');
  });

  test('S3.199 the report is about its own prompt', async () => {
    const session = await agent().open({ files });
    session.model(
      applyPatch(edits),
      text('Done.'),
      text('Nothing to do.'),
      applyPatch(addFile('new.txt')),
      text('Done.'),
    );
    await session.prompt('Edit').ended;
    expect(report(await promptReported(session, 'Nothing', 'a').ended)).toEqual(reported([], false, 'a'));
    const end = await promptReported(session, 'Once more', 'b').ended;
    expect(report(end)).toEqual(reported([session.workspace.file('new.txt')], false, 'b'));
    expect(reports(session.updates())).toHaveLength(2);
  });

  test('S3.199 S3.128 of an implemented plan the report tells what the implementation changed', async () => {
    const session = await agent().open();
    await session.setOption('collaboration_mode', 'plan');
    session.model(proposedPlan('1. Add'), applyPatch(addFile('new.txt')), text('Done.'));
    const prompt = promptReported(session, 'Plan it');
    (await session.ask()).select('implement_plan');
    expect(report(await prompt.ended)).toEqual(reported([session.workspace.file('new.txt')]));
  });

  test('S3.198 a plan that is kept changed nothing', async () => {
    const session = await agent().open();
    await session.setOption('collaboration_mode', 'plan');
    session.model(proposedPlan('1. Add'));
    const prompt = promptReported(session, 'Plan it');
    (await session.ask()).select('revise_plan');
    expect(report(await prompt.ended)).toEqual(reported([]));
  });

  test('S3.199 S3.200 the paths of a session below the root of its repository; files outside the session are left out', async () => {
    const workspace = agent().workspace({ 'root.txt': 'one\n', 'sub/inner.txt': 'one\n' });
    const session = await agent().open({ params: { cwd: workspace.file('sub') } });
    await session.setOption('mode', 'agent-full-access');
    const patch = `
*** Begin Patch
*** Update File: inner.txt
@@
-one
+ONE
*** Update File: ../root.txt
@@
-one
+ONE
*** End Patch
`;
    session.model(applyPatch(patch), text('Done.'));
    const end = await promptReported(session, 'Edit').ended;
    expect(workspace.read('root.txt')).toBe('ONE\n');
    expect(report(end)).toEqual(reported([workspace.file('sub/inner.txt')], true));
  });

  test('S3.200 S2.13 an additional directory belongs to the session', async () => {
    const more = agent().workspace({ 'there.txt': 'one\n' });
    const session = await agent().open({ params: { additionalDirectories: [more.path] } });
    session.model(
      applyPatch(`*** Begin Patch\n*** Update File: ${more.file('there.txt')}\n@@\n-one\n+ONE\n*** End Patch\n`),
      text('Done.'),
    );
    const end = await promptReported(session, 'Edit').ended;
    expect(more.read('there.txt')).toBe('ONE\n');
    expect(report(end)).toEqual(reported([more.file('there.txt')]));
  });

  test('S3.199 without a repository the paths begin at the session directory', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'no-repository-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const session = await agent().open({ params: { cwd: folder } });
    session.model(applyPatch(addFile('sub/new.txt')), text('Done.'));
    const end = await promptReported(session, 'Edit').ended;
    expect(report(end)).toEqual(reported([join(folder, 'sub/new.txt')]));
  });

  test('S3.199 C027 a rejected patch changed nothing', async () => {
    const session = await agent().open();
    session.model(applyPatch(addFile('../outside.txt')), text('Then not.'));
    const prompt = promptReported(session, 'Edit');
    const ask = await session.ask();
    const reject = ask.frame.params.options.find(({ kind }: Json) => kind === 'reject_once');
    ask.select(reject.optionId);
    const end = await prompt.ended;
    expect(session.workspace.exists('../outside.txt')).toBe(false);
    expect(report(end)).toEqual(end.outcome === 'cancelled' ? unavailable('cancelled') : reported([]));
  });

  test('S3.198 a cancel ends the report with its reason, also after a patch', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(applyPatch(addFile('new.txt')), reply(pause(gate), text('Never said.')));
    const prompt = promptReported(session, 'Edit');
    await gate.reached;
    session.cancel();
    const end = await prompt.ended;
    expect([end.outcome, report(end)]).toEqual(['cancelled', unavailable('cancelled')]);
    session.model(text('The next one.'));
    expect(report(await promptReported(session, 'Next').ended)).toEqual(reported([]));
  });

  test('S3.198 S3.52 queued prompts that never ran send none', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(pause(gate), text('Never said.')));
    const prompt = promptReported(session, 'Edit');
    const queued = promptReported(session, 'Queued', 'queued');
    await gate.reached;
    session.cancel();
    expect(report(await prompt.ended)).toEqual(unavailable('cancelled'));
    await queued.ended;
    expect(reports(session.updates())).toHaveLength(1);
  });

  test('S3.198 S3.67 a close ends the report with its reason', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(applyPatch(addFile('new.txt')), reply(pause(gate), text('Never said.')));
    const prompt = promptReported(session, 'Edit');
    await gate.reached;
    expect(await session.close()).toEqual({});
    const end = await prompt.ended;
    expect([end.outcome, report(end)]).toEqual(['cancelled', unavailable('cancelled')]);
  });

  test.each(['/status', '/plan', '/rename', '/goal'])(
    'S3.198 the command `%s`, which starts no turn, reports nothing',
    async (command) => {
      const session = await agent().open();
      const end = await promptReported(session, command).ended;
      expect([end.outcome, report(end)]).toEqual(['end_turn', unavailable('notReported')]);
    },
  );

  test('S3.198 a turn that fails after a patch', async () => {
    const session = await agent().open();
    session.model(applyPatch(addFile('new.txt')), failure(400, { error: { message: 'Bad thing' } }));
    const end = await promptReported(session, 'Edit').ended;
    expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
    expect(report(end)).toEqual(unavailable('providerError'));
  });

  const notAsked: readonly [string, Json][] = [
    ['another version', asking('a', { version: 2 })],
    ['no version', asking('a', {})],
    ['one more key', asking('a', { version: 1, more: true })],
    ['no id', asking(null)],
    ['an empty id', asking('')],
    ['an id with other characters', asking('a b')],
    ['a long id', asking('a'.repeat(129))],
    ['an id that is no text', asking(7)],
  ];

  test.each(notAsked)('S3.196 a request with %s is ignored', async (_, more) => {
    const session = await agent().open();
    session.model(text('Done.'));
    const end = await session.prompt('Hi', more).ended;
    expect([end.outcome, reports(session.updates())]).toEqual(['end_turn', []]);
  });

  test('S3.196 the longest id comes back as it was', async () => {
    const session = await agent().open();
    const id = `A.z_0:-${'9'.repeat(121)}`;
    session.model(text('Done.'));
    expect(report(await promptReported(session, 'Hi', id).ended)).toEqual(reported([], false, id));
  });

  test('S3.198 a diff that cannot be read; the prompt ends as it would without a report', () =>
    withRelay({ version, profile }, async (session, codex) => {
      codex.on('codex', 'turn/diff/updated').rewrite((message) => ({
        ...message,
        params: { ...message.params, diff: 'diff --git without an end' },
      }));
      session.model(applyPatch(addFile('new.txt')), text('Done.'));
      const end = await promptReported(session, 'Edit').ended;
      expect([end.outcome, end.error, report(end)]).toEqual(['end_turn', null, unavailable('invalidOutput')]);
    }));

  test('S3.198 R24 Codex dies after a patch', () =>
    withRelay({ version, profile, stderr: [/app-server/] }, async (session, codex) => {
      const gate = hold();
      session.model(applyPatch(addFile('new.txt')), reply(pause(gate), text('Never said.')));
      const prompt = promptReported(session, 'Edit');
      await gate.reached;
      codex.die();
      expect(report(await prompt.ended)).toEqual(unavailable('providerError'));
      session.model(text('The next one.'));
      expect(report(await promptReported(session, 'Next').ended)).toEqual(reported([]));
    }));
});

const { agentFileChangeReport: _, ...withoutReport } = Object.fromEntries(
  profiles.airV1.clientCapabilities._meta.jetbrains.air.capabilities.map((name) => [name, name]),
);

describe.each([
  { name: 'plain v1', version: 1, profile: profiles.plainV1 },
  { name: 'plain v2', version: 2, profile: profiles.plainV2 },
  {
    name: 'AIR v1 without the capability',
    version: 1,
    profile: {
      ...profiles.airV1,
      clientCapabilities: {
        ...profiles.airV1.clientCapabilities,
        _meta: { jetbrains: { air: { version: 1, capabilities: Object.keys(withoutReport) } } },
      },
    },
  },
] as const)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile });

  test('S3.196 a client that did not declare reports gets none', async () => {
    const session = await agent().open();
    session.model(applyPatch(addFile('new.txt')), text('Done.'));
    const end = await promptReported(session, 'Edit').ended;
    expect([end.outcome, reports(session.updates())]).toEqual(['end_turn', []]);
  });
});
