import { ActorSubject } from './actor-subject.ts';
import { MachineSubject } from './machine-subject.ts';
import { Play } from './play.ts';
import type { Setup } from './script.ts';
import type { Step } from './steps.ts';
import type { SubjectFactory } from './subject.ts';

/** A whole session. */
export const session: SubjectFactory = (setup, codex, clock) => new ActorSubject(setup, codex, clock);

/** The turn machine alone. */
export const machine: SubjectFactory = ({ protocol }, codex, clock) => new MachineSubject(protocol, codex, clock);

/** Plays a printed script again and leaves the run where it ended. */
export function replay(setup: Setup, steps: readonly Step[], subject: SubjectFactory = session): Promise<Play> {
  return new Play(setup, subject).all(steps);
}
