import { type ListedSkill, usableSkills } from './available-commands.ts';

/** Answer of `/skills` (S2.123). */
export function skillsText(skills: readonly ListedSkill[]): string {
  const lines = usableSkills(skills).map(({ name, description }) => `- ${name}: ${description}`);
  return lines.length === 0 ? 'No skills configured.' : ['Available skills:', ...lines].join('\n');
}
