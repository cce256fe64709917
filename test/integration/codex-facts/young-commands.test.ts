import { expect, test } from 'vitest';
import { eventually } from '../../support/integration.ts';
import { EndlessCommand } from '../turns/endless-command.ts';
import { useCodex } from './lab.ts';

/*
 * What Codex does with the command of an interrupted turn. It gives a command up with the first request to end it, whether
 * all of it ended or not. Recorded by hand, since it depends on the moment: while its sandbox is set up (bubblewrap has not
 * yet asked to die with its parent), about one in thirty commands on a busy machine lives on after that, unknown to Codex;
 * none of sixty did that was ended a second after its start. The same happens now and then to a command whose turn is
 * interrupted before Codex tells of it: Codex ends that one itself, and nobody can do anything about it.
 */

const codex = useCodex();

const sandboxPolicy = {
  type: 'workspaceWrite',
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};

test('C001 S3.57 an interrupt leaves a command running; it is ended by its process id, once, and forgotten', async () => {
  const thread = await codex().open();
  const command = new EndlessCommand();
  codex().server.script(command.call);
  const turn = await thread.start('Run', { sandboxPolicy });
  const { id, processId } = await thread.item('started', 'commandExecution');
  // What it says shows that it runs inside of its sandbox.
  await eventually('the command runs', () => thread.workspace.exists('started'));
  await thread.call('turn/interrupt', { turnId: turn });
  expect(await thread.completed(turn)).toMatchObject({ status: 'interrupted' });
  const list = async () => (await thread.call('thread/backgroundTerminals/list')).data;
  expect(await list()).toMatchObject([{ itemId: id, processId }]);
  expect(command.processes.length).toBeGreaterThan(0);
  expect(await thread.call('thread/backgroundTerminals/terminate', { processId })).toEqual({ terminated: true });
  expect(await list()).toEqual([]);
  await eventually('the command is gone', () => command.processes.length === 0);
  expect(await thread.call('thread/backgroundTerminals/terminate', { processId })).toEqual({ terminated: false });
});
