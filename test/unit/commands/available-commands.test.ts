import { describe, expect, it } from 'vitest';
import { availableCommands, commandsDiffer } from '../../../src/domain/commands/available-commands.ts';
import { skillsText } from '../../../src/domain/commands/skills-text.ts';

function skill(name: string, overrides: object = {}) {
  return { name, description: `Does ${name}.`, path: `/skills/${name}/SKILL.md`, enabled: true, ...overrides };
}

function skillsOf(...skills: ReturnType<typeof skill>[]) {
  return availableCommands(skills).slice(11);
}

describe('the command list', () => {
  it('S2.116 begins with the built-in commands', () => {
    expect(availableCommands([])).toEqual([
      {
        name: 'plan',
        description: 'Turn plan mode on.',
        hint: null,
        action: {
          kind: 'setConfigOption',
          configId: 'collaboration_mode',
          value: 'plan',
          resetValue: 'default',
          presentation: 'state',
        },
      },
      { name: 'mcp', description: 'Show the status of the MCP servers, or reconnect them.', hint: '[reconnect]' },
      { name: 'skills', description: 'List available skills.', hint: null },
      { name: 'status', description: 'Display session configuration and token usage.', hint: null },
      {
        name: 'review',
        description: 'Review uncommitted changes, or review with custom instructions.',
        hint: 'optional review instructions',
      },
      { name: 'review-branch', description: 'Review changes relative to a base branch.', hint: 'branch name' },
      { name: 'review-commit', description: 'Review a specific commit.', hint: 'commit sha' },
      { name: 'compact', description: 'Summarize conversation to avoid hitting the context limit.', hint: null },
      {
        name: 'goal',
        description: 'Set a goal to keep pursuing.',
        hint: '[<objective>|clear|pause|resume]',
        action: { kind: 'prefixPrompt', presentation: 'state' },
      },
      { name: 'rename', description: 'Rename the current session.', hint: 'new name' },
      {
        name: 'logout',
        description: 'Sign out of Codex. This option is available when you are logged in via ChatGPT.',
        hint: null,
      },
    ]);
  });

  it('S2.132, S2.133 goes on with the skills', () => {
    expect(skillsOf(skill('b'), skill('a'))).toEqual([
      { name: '$b', description: 'Does b.', hint: null, skillPath: '/skills/b/SKILL.md' },
      { name: '$a', description: 'Does a.', hint: null, skillPath: '/skills/a/SKILL.md' },
    ]);
  });

  it('S2.134, C022 the first skill of a name wins, and disabled ones are left out', () => {
    const skills = [
      skill('a', { enabled: false, path: '/off' }),
      skill('a', { path: '/first' }),
      skill('a', { path: '/second' }),
      skill('b', { enabled: false }),
    ];
    expect(skillsOf(...skills)).toEqual([{ name: '$a', description: 'Does a.', hint: null, skillPath: '/first' }]);
  });

  it('S2.143 leaves out a skill that needs an interface of its own, by its exact name', () => {
    const names = skillsOf(skill('visualize:visualize'), skill('visualize'), skill('other:visualize'));
    expect(names.map((command) => command.name)).toEqual(['$visualize', '$other:visualize']);
  });

  it('S2.138 lists are compared with everything that is in them', () => {
    expect(commandsDiffer(availableCommands([skill('a')]), availableCommands([skill('a')]))).toBe(false);
    expect(commandsDiffer(availableCommands([skill('a')]), availableCommands([]))).toBe(true);
    const moved = availableCommands([skill('a', { path: '/elsewhere' })]);
    expect(commandsDiffer(availableCommands([skill('a')]), moved)).toBe(true);
  });
});

describe('S2.123 /skills', () => {
  it('lists what the user can call', () => {
    const skills = [skill('a'), skill('visualize:visualize'), skill('off', { enabled: false }), skill('p:b')];
    expect(skillsText(skills)).toBe('Available skills:\n- a: Does a.\n- p:b: Does p:b.');
  });

  it('says when there is none', () => {
    expect(skillsText([])).toBe('No skills configured.');
    expect(skillsText([skill('visualize:visualize')])).toBe('No skills configured.');
  });
});
