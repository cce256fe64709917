import { describe, expect, it } from 'vitest';
import { availableCommands } from '../../../src/domain/commands/available-commands.ts';
import { CommandList, listCommands } from '../../../src/domain/session/command-list.ts';
import type { Log } from '../../../src/ports/outbound/system.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { FakeSessionContext } from '../../support/fake-session-context.ts';
import { silentLog } from '../../support/session-lab.ts';

const workspace = { cwd: '/w', additionalDirectories: ['/lib'] };

function skill(name: string) {
  return { name, description: `Does ${name}.`, path: `/skills/${name}/SKILL.md`, enabled: true };
}

function lab(log: Log = silentLog) {
  const codex = new FakeCodex();
  const context = new FakeSessionContext({}, workspace);
  const list = new CommandList(context, { skills: codex.skills, log });
  const shownNames = () =>
    context.shown.map((update) =>
      update.type === 'commands' ? update.commands.slice(11).map((command) => command.name) : update.type,
    );
  return { codex, context, list, shownNames };
}

describe('at a setup', () => {
  it('S2.139, C022 the skills of all directories of the session are listed', async () => {
    const codex = new FakeCodex();
    codex.skillList = [skill('a')];
    const commands = await listCommands(workspace, { skills: codex.skills, log: silentLog });
    expect(commands).toEqual(availableCommands([skill('a')]));
    expect(codex.calls).toEqual([{ method: 'listSkills', directories: ['/w', '/lib'] }]);
  });

  it('S2.43, S2.141 a failed listing is logged and gives no list', async () => {
    const codex = new FakeCodex();
    codex.manual.add('listSkills');
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
    const commands = listCommands(workspace, { skills: codex.skills, log });
    codex.heldSkills[0]?.reject(new Error('no'));
    expect(await commands).toBeNull();
    expect(warnings).toEqual(['The skills of a session could not be listed']);
  });
});

describe('after a prompt', () => {
  it('S3.202, S2.137, S2.142 the complete list is shown when it differs from that of the setup', async () => {
    const { codex, context, list } = lab();
    list.published(availableCommands([skill('a')]));
    codex.skillList = [skill('a'), skill('b')];
    list.promptEnded();
    await context.turnOver();
    expect(context.shown).toEqual([{ type: 'commands', commands: availableCommands([skill('a'), skill('b')]) }]);
    expect(codex.of('listSkills')).toEqual([{ method: 'listSkills', directories: ['/w', '/lib'] }]);
  });

  it('S3.202, S2.138 an equal list is not shown again', async () => {
    const { codex, context, list } = lab();
    codex.skillList = [skill('a')];
    list.published(availableCommands([skill('a')]));
    list.promptEnded();
    await context.turnOver();
    expect(codex.of('listSkills')).toHaveLength(1);
    expect(context.shown).toEqual([]);
    codex.skillList = [];
    list.promptEnded();
    await context.turnOver();
    list.promptEnded();
    await context.turnOver();
    expect(context.shown).toHaveLength(1);
  });

  it('S2.138, S2.43 a client that got no list yet is shown one', async () => {
    const { context, list, shownNames } = lab();
    list.promptEnded();
    await context.turnOver();
    expect(shownNames()).toEqual([[]]);
  });

  it('S2.140 of overlapping listings only the newest is shown, whichever is answered last', async () => {
    const { codex, context, list, shownNames } = lab();
    codex.manual.add('listSkills');
    list.promptEnded();
    list.promptEnded();
    codex.heldSkills[1]?.resolve([skill('new')]);
    await context.turnOver();
    codex.heldSkills[0]?.resolve([skill('old')]);
    await context.turnOver();
    expect(shownNames()).toEqual([['$new']]);
  });

  it('S2.140 an older listing is not shown while a newer one runs', async () => {
    const { codex, context, list, shownNames } = lab();
    codex.manual.add('listSkills');
    list.promptEnded();
    list.promptEnded();
    codex.heldSkills[0]?.resolve([skill('old')]);
    await context.turnOver();
    expect(shownNames()).toEqual([]);
  });

  it('S2.141 a failed listing changes nothing', async () => {
    const warnings: string[] = [];
    const { codex, context, list, shownNames } = lab({ ...silentLog, warn: (message) => warnings.push(message) });
    list.published(availableCommands([skill('a')]));
    codex.manual.add('listSkills');
    list.promptEnded();
    codex.heldSkills[0]?.reject(new Error('no'));
    await context.turnOver();
    expect(shownNames()).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it('S2.141 nothing is shown in a closed session', async () => {
    const { context, list } = lab();
    list.promptEnded();
    context.close();
    await context.turnOver();
    expect(context.shown).toEqual([]);
  });
});

describe('S2.136, S3.202 when Codex tells that skills changed', () => {
  it('they are listed 300 ms after the last notification', async () => {
    const { codex, context, list, shownNames } = lab();
    codex.skillList = [skill('a')];
    list.skillsChanged();
    context.clock.advance(200);
    list.skillsChanged();
    context.clock.advance(299);
    expect(codex.of('listSkills')).toEqual([]);
    context.clock.advance(1);
    await context.turnOver();
    expect(shownNames()).toEqual([['$a']]);
    expect(context.clock.waiting).toBe(0);
    context.clock.advance(10_000);
    expect(codex.of('listSkills')).toHaveLength(1);
  });

  it('they are listed 2000 ms after the first one at the latest', () => {
    const { codex, context, list } = lab();
    for (let at = 0; at < 1999; at += 200) {
      list.skillsChanged();
      context.clock.advance(Math.min(200, 1999 - at));
    }
    expect(codex.of('listSkills')).toEqual([]);
    context.clock.advance(1);
    expect(codex.of('listSkills')).toHaveLength(1);
  });

  it('the next change waits anew', () => {
    const { codex, context, list } = lab();
    list.skillsChanged();
    context.clock.advance(300);
    list.skillsChanged();
    context.clock.advance(300);
    expect(codex.of('listSkills')).toHaveLength(2);
  });

  it('a listing after a prompt serves the pending change too', () => {
    const { codex, context, list } = lab();
    list.skillsChanged();
    list.promptEnded();
    context.clock.advance(5000);
    expect(codex.of('listSkills')).toHaveLength(1);
  });

  it('S2.141 a closed session lists nothing', () => {
    const { codex, context, list } = lab();
    list.skillsChanged();
    context.close();
    context.clock.advance(5000);
    expect(codex.of('listSkills')).toEqual([]);
  });
});
