import type { AvailableCommand as CommandEntry } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { AvailableCommand } from '../../domain/commands/available-command.ts';
import { commandMetadata } from '../acp/command-metadata.ts';

/** The command list with the entries of v2, for updates and for the answer to a setup (S2.42, S2.117, S2.132). */
export function availableCommands(commands: readonly AvailableCommand[], profile: ClientProfile): CommandEntry[] {
  return commands.map((command) => ({
    type: 'command',
    name: command.name,
    description: command.description,
    input: command.hint === null ? null : { type: 'text', hint: command.hint },
    ...commandMetadata(command, profile),
  }));
}

/** Part of the answer to a setup: without commands there is no key (S2.42, S2.43). */
export function commandsResult(
  commands: readonly AvailableCommand[] | null,
  profile: ClientProfile,
): { availableCommands?: CommandEntry[] } {
  if (commands === null || commands.length === 0) return {};
  return { availableCommands: availableCommands(commands, profile) };
}
