/** The default model of Codex works in code mode, the other one with plain tools. */
export const models = [
  { name: 'code mode', model: undefined },
  { name: 'plain tools', model: 'gpt-5.5' },
] as const;
