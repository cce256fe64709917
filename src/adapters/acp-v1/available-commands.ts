import type { AvailableCommand as CommandEntry } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { AvailableCommand } from '../../domain/commands/available-command.ts';
import { commandMetadata } from '../acp/command-metadata.ts';

/** The command list with the entries of v1 (S2.117, S2.132). */
export function availableCommands(commands: readonly AvailableCommand[], profile: ClientProfile): CommandEntry[] {
  return commands.map((command) => ({
    name: command.name,
    description: command.description,
    input: command.hint === null ? null : { hint: command.hint },
    ...commandMetadata(command, profile),
  }));
}
