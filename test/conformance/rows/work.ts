import { hold, runCommand, text } from '../../support/model-replies.ts';
import type { AgentWire } from '../agent-wire.ts';
import type { Lab } from '../lab.ts';
import type { Session, Turn, TurnEnd } from '../session.ts';

/** Work of a session that goes on until it is ended from outside. */
export interface Work {
  readonly session: Session;
  readonly turn: Turn;
  /** Resolves when no process of its command is left; at once for work without one. */
  readonly gone: Promise<void>;
}

const nothing = Promise.resolve();

/** Phases of a turn in which a client may cancel or close. Each resolves when the work is there. */
export const phases = {
  async 'while the model streams'(lab: Lab, agent?: AgentWire): Promise<Work> {
    const session = await lab.session(agent);
    const turn = session.prompt(text('This answer never ends.').pauseAt(hold()));
    await session.update(isAgentText, 'streamed text', turn.from);
    return { session, turn, gone: nothing };
  },
  async 'while a command runs'(lab: Lab, agent?: AgentWire): Promise<Work> {
    const session = await lab.session(agent);
    const { command, started, gone } = await lab.heldCommand();
    const turn = session.prompt(runCommand(command, { yieldMs: 30_000 }), text('Not reached.'));
    await session.agent.within(started, 'the start of the command');
    return { session, turn, gone };
  },
  async 'while a permission is pending'(lab: Lab, agent?: AgentWire): Promise<Work> {
    const session = await lab.session(agent);
    session.onPermission = () => undefined;
    const turn = session.prompt(runCommand('echo never > never.txt', { escalate: 'May I?' }), text('Not reached.'));
    await session.permission(turn.from);
    return { session, turn, gone: nothing };
  },
} satisfies Record<string, (lab: Lab, agent?: AgentWire) => Promise<Work>>;

export interface CancelledWork extends Work {
  readonly phase: string;
  readonly end: TurnEnd;
}

/** A turn cancelled by `session/cancel` in each of these phases; done once per lab, for all rows that judge it. */
export function cancelledInEveryPhase(lab: Lab): Promise<readonly CancelledWork[]> {
  return lab.once('cancelled', async () => {
    const cancelled: CancelledWork[] = [];
    for (const [phase, begin] of Object.entries(phases)) {
      const work = await begin(lab);
      work.session.cancel();
      cancelled.push({ ...work, phase, end: await work.turn.ended() });
    }
    return cancelled;
  });
}

/** A prompt with a cancel right behind it: Codex has not recorded it yet, or has, or the answer is already there. */
export function cancelledAtOnce(lab: Lab): Promise<Omit<Work, 'gone'>> {
  return lab.once('cancelled at once', async () => {
    const session = await lab.session();
    const turn = session.prompt(text('Too late.'));
    session.cancel();
    return { session, turn };
  });
}

export function isAgentText(update: { readonly sessionUpdate?: string }): boolean {
  return update.sessionUpdate === 'agent_message_chunk';
}
