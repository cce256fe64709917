import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { AvailableCommand } from '../../domain/commands/available-command.ts';
import { airMeta } from './air-metadata.ts';

/** `_meta` of a command list entry: what AIR does with the command, or where its skill is (S2.117, S2.132, S11.10). */
export function commandMetadata(
  { action, skillPath }: AvailableCommand,
  profile: ClientProfile,
): { _meta?: Record<string, unknown> } {
  if (profile.air === null || (action === undefined && skillPath === undefined)) return {};
  return {
    _meta: airMeta({
      ...(action === undefined ? {} : { commandAction: action }),
      ...(skillPath === undefined ? {} : { skillPath }),
    }),
  };
}
