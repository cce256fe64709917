import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../support/fake-app-server.ts';
import { exchange, type RuntimeLab, refusal, runtimeLab } from './runtime-lab.ts';

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

/** Lists that the running process was told. */
const told = () =>
  lab.codex.received.filter(({ method }) => method === 'skills/extraRoots/set').map(({ params }) => params?.extraRoots);

const use = (...roots: string[]) => exchange(lab, lab.runtime.skills.useRoots(roots), 'skills/extraRoots/set', {});

describe('list', () => {
  const skill = (name: string, fields: object = {}) => ({
    name,
    description: 'long',
    path: `/s/${name}/SKILL.md`,
    scope: 'user',
    enabled: true,
    pluginId: null,
    ...fields,
  });

  it('S2.139 S2.133 all skills of all directories, with the short text if there is one', async () => {
    const list = lab.runtime.skills.list(['/w', '/x']);
    const { params, value } = await exchange(lab, list, 'skills/list', {
      data: [
        {
          cwd: '/w',
          errors: [{ path: '/bad', message: 'no name' }],
          skills: [
            skill('a', { shortDescription: 'old short', interface: { shortDescription: 'new short' } }),
            skill('b', { shortDescription: 'old short', interface: { displayName: 'B' } }),
            skill('c', { enabled: false }),
          ],
        },
        { cwd: '/x', errors: [], skills: [skill('a'), skill('d', { description: '', shortDescription: '' })] },
      ],
    });
    expect(params).toEqual({ cwds: ['/w', '/x'] });
    expect(value).toEqual([
      { name: 'a', description: 'new short', path: '/s/a/SKILL.md', enabled: true },
      { name: 'b', description: 'old short', path: '/s/b/SKILL.md', enabled: true },
      { name: 'c', description: 'long', path: '/s/c/SKILL.md', enabled: false },
      { name: 'a', description: 'long', path: '/s/a/SKILL.md', enabled: true },
      { name: 'd', description: 'd', path: '/s/d/SKILL.md', enabled: true },
    ]);
  });

  it('S2.139 what another Codex may leave out', async () => {
    const bare = { data: [{ cwd: '/w' }, { cwd: '/w', skills: [{ name: 'a' }] }] };
    expect((await exchange(lab, lab.runtime.skills.list([]), 'skills/list', bare)).value).toEqual([
      { name: 'a', description: 'a', path: '', enabled: true },
    ]);
    expect((await exchange(lab, lab.runtime.skills.list([]), 'skills/list', {})).value).toEqual([]);
  });
});

describe('further roots', () => {
  it('S3.27 S2.17 are told when the list changed, and only then', async () => {
    await lab.runtime.skills.useRoots([]);
    expect(told()).toEqual([]);
    await use('/a/.agents/skills');
    await lab.runtime.skills.useRoots(['/a/.agents/skills']);
    expect(told()).toEqual([['/a/.agents/skills']]);
    await use('/a/.agents/skills', '/b/.agents/skills');
    await use('/b/.agents/skills', '/a/.agents/skills');
    await use();
    expect(told()).toEqual([
      ['/a/.agents/skills'],
      ['/a/.agents/skills', '/b/.agents/skills'],
      ['/b/.agents/skills', '/a/.agents/skills'],
      [],
    ]);
  });

  it('S2.17 a new process starts with an empty list', async () => {
    await use('/a');
    lab.codex.exit(1);
    await settled();
    await lab.runtime.lifecycle.ready();
    await lab.runtime.skills.useRoots([]);
    expect(told()).toEqual([]);
    await use('/a');
    expect(told()).toEqual([['/a']]);
  });

  it('S3.27 those who want the list that is on its way wait for it', async () => {
    const order: string[] = [];
    const first = lab.runtime.skills.useRoots(['/a']).then(() => order.push('first'));
    const second = lab.runtime.skills.useRoots(['/a']).then(() => order.push('second'));
    await settled();
    expect(told()).toEqual([['/a']]);
    expect(order).toEqual([]);
    lab.codex.answer('skills/extraRoots/set', {});
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('S3.27 after a refusal nobody knows what Codex has: the next list is sent', async () => {
    const refused = refusal(lab, lab.runtime.skills.useRoots(['/a']), 'skills/extraRoots/set', 'disk full');
    expect(await refused).toMatchObject({ message: 'disk full' });
    await use();
    await use('/a');
    expect(told()).toEqual([['/a'], [], ['/a']]);
  });
});
