import { describe, expect, it } from 'vitest';
import type { OutgoingUpdate } from '../../../src/adapters/acp/outgoing-update.ts';
import type { Presenter } from '../../../src/adapters/acp/presenter.ts';
import { PresenterV1 } from '../../../src/adapters/acp-v1/presenter-v1.ts';
import { PresenterV2 } from '../../../src/adapters/acp-v2/presenter-v2.ts';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { PermissionAsk } from '../../../src/domain/interaction/permission-ask.ts';
import { validateAgentFrame, validateUpdate } from '../../support/acp-schema.ts';
import { profiles } from './profiles.ts';

/** One thing that the core says to the presenter. */
export type Event = ConversationUpdate | { readonly ask: PermissionAsk } | { readonly refused: PermissionAsk };

type Frame = Readonly<Record<string, unknown>>;

/**
 * Events in, frames out, for every profile. A key names the profiles that get the same frames (`'zedV1 deltaV1'`);
 * `'rest'` is everybody who is not named.
 */
export interface Flow {
  /** Begins with the spec ids that it shows. */
  readonly name: string;
  readonly events: readonly Event[];
  readonly frames: Readonly<Record<string, readonly Frame[]>>;
}

export const session = 's1';
export const cwd = '/w';

/** A presenter whose ids count up: `id-1`, `id-2`, … */
export function presenterOf(profile: ClientProfile): Presenter {
  let ids = 0;
  const uuid = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  const parts = { cwdOf: () => cwd, uuid };
  return profile.protocol === 1 ? new PresenterV1(profile, parts) : new PresenterV2(profile, parts);
}

export function updateOf(outgoing: OutgoingUpdate): object {
  return outgoing.kind === 'update' ? outgoing.update : outgoing.build(outgoing.text);
}

/** Frames of a flow for one client: updates, and permission requests as `{ request }`. */
export function framesOf(presenter: Presenter, events: readonly Event[]): object[] {
  return events.flatMap((event) => {
    if ('ask' in event) return [{ request: presenter.presentAsk(event.ask) }];
    if ('refused' in event) {
      presenter.forgetAsk(event.refused);
      return [];
    }
    return presenter.present(session, event).map(updateOf);
  });
}

/** One test per flow and client; each frame is also checked against the schema of its version. */
export function goldenFlows(flows: readonly Flow[], clients: Readonly<Record<string, ClientProfile>> = profiles): void {
  describe.each(flows)('$name', (flow) => {
    it.each(Object.entries(clients))('%s', (name, profile) => {
      const frames = framesOf(presenterOf(profile), flow.events);
      expect(frames).toEqual(expectedFrames(flow, name));
      for (const frame of frames) expect(frameProblems(profile, frame), JSON.stringify(frame)).toEqual([]);
      // A client that is not AIR never gets anything of ours for AIR (S4.6, S4.127).
      if (profile.air === null) expect(JSON.stringify(frames)).not.toContain('jetbrains');
    });
  });
}

function expectedFrames(flow: Flow, name: string): readonly Frame[] {
  const named = Object.keys(flow.frames).filter((key) => key.split(' ').includes(name));
  expect(named.length, `profile ${name} is named more than once`).toBeLessThan(2);
  const frames = flow.frames[named[0] ?? 'rest'];
  if (frames === undefined) throw new Error(`No frames for ${name}`);
  return frames;
}

function frameProblems(profile: ClientProfile, frame: object): readonly string[] {
  if (!('request' in frame)) return [...validateUpdate(profile.protocol, frame), ...relativePaths(profile, frame)];
  const request = { jsonrpc: '2.0', id: 1, method: 'session/request_permission', params: frame.request };
  return validateAgentFrame(profile.protocol, request);
}

/** On v2 every path is absolute (S4.42, S4.67). */
function relativePaths(profile: ClientProfile, frame: object): readonly string[] {
  if (profile.protocol === 1 || !('locations' in frame) || !Array.isArray(frame.locations)) return [];
  return frame.locations.map(({ path }) => String(path)).filter((path) => !path.startsWith('/'));
}
