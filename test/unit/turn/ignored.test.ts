import { describe, expect, test } from 'vitest';
import { takes } from '../../../src/domain/turn/turn-machine.ts';
import type { Input, TurnInput, Work } from '../../../src/domain/turn/turn-state.ts';
import { crash, TurnLab, unregistered } from '../../support/turn-lab.ts';

type Type = TurnInput['type'];
type Phase = Work['phase'];

const error = new Error('late');

/** One input of each kind, for turns and attempts that the session does not know. */
const samples: { readonly [Kind in Type]: Input<Kind> } = {
  prompt: { type: 'prompt', promptId: 'p9', kind: 'turn', report: false },
  cancel: { type: 'cancel' },
  cancelPrompt: { type: 'cancelPrompt', promptId: 'p1', by: 'session' },
  close: { type: 'close' },
  reload: { type: 'reload' },
  reloaded: { type: 'reloaded' },
  ready: { type: 'ready', attempt: 1 },
  notReady: { type: 'notReady', attempt: 1, error },
  accepted: { type: 'accepted', attempt: 1, turnId: 't9' },
  refused: { type: 'refused', attempt: 1, error },
  localDone: { type: 'localDone', attempt: 1 },
  localFailed: { type: 'localFailed', attempt: 1, error },
  turnStarted: { type: 'turnStarted', turnId: 't9' },
  turnCompleted: { type: 'turnCompleted', turnId: 't9', status: 'completed', error: null },
  turnFailed: { type: 'turnFailed', turnId: 't9', error: { message: 'late', info: null, details: null } },
  reviewing: { type: 'reviewing', turnId: 't9' },
  compacting: { type: 'compacting', turnId: 't9' },
  goalUpdated: { type: 'goalUpdated', key: 'g1' },
  activity: { type: 'activity', turnId: 't9' },
  threadActive: { type: 'threadActive' },
  threadIdle: { type: 'threadIdle' },
  landed: { type: 'landed', promptId: 'p1' },
  planApproved: { type: 'planApproved' },
  planKept: { type: 'planKept' },
  modeSwitched: { type: 'modeSwitched', attempt: 1 },
  modeNotSwitched: { type: 'modeNotSwitched', attempt: 1, error },
  reported: { type: 'reported', attempt: 1 },
  interrupted: { type: 'interrupted', turnId: 't9' },
  notInterrupted: { type: 'notInterrupted', turnId: 't9', refusal: unregistered },
  insist: { type: 'insist' },
  timer: { type: 'timer', timer: 'interrupt' },
  lost: { type: 'lost', cause: crash },
  released: { type: 'released' },
  notReleased: { type: 'notReleased', error },
};

/** Results of effects that only one phase has under way: elsewhere they are of work that is over. */
const ofPrep: readonly Type[] = ['ready', 'notReady'];
const ofStart: readonly Type[] = ['accepted', 'refused'];
const ofLocal: readonly Type[] = ['localDone', 'localFailed'];
const ofReview: readonly Type[] = ['planApproved', 'planKept', 'modeSwitched', 'modeNotSwitched'];
const ofDrain: readonly Type[] = ['reported'];
const ofClose: readonly Type[] = ['released', 'notReleased'];
const ofInterrupt: readonly Type[] = ['interrupted', 'notInterrupted', 'insist', 'timer'];

/** The thread is loaded again by one phase; in those of a close it may be answered late. */
const ofReload: readonly Type[] = ['reloaded'];

/** What only decides whose turn began: a start that Codex has not named needs it, nobody else does. */
const naming: readonly Type[] = ['compacting', 'goalUpdated', 'threadActive', 'threadIdle'];
/** A review that cannot begin has no completion; every other turn has one (S3.115). */
const ofReviewer: readonly Type[] = ['turnFailed', 'reviewing'];

/** Which inputs mean nothing in a phase, each for a reason. Whoever makes one of them mean something changes this. */
const ignored: Readonly<Record<Phase, readonly (readonly Type[])[]>> = {
  idle: [
    ...[ofPrep, ofStart, ofLocal, ofReview, ofDrain, ofClose, ofReload, ofInterrupt, ofReviewer],
    // The first sign of a turn counts, since the user may cancel it before it has a name (S3.57).
    ['compacting', 'goalUpdated'],
    // No prompt is there whose request could be cancelled or whose message could land; no turn could end or be alive.
    ['cancelPrompt', 'landed', 'turnCompleted', 'activity'],
  ],
  agent: [
    ...[ofPrep, ofStart, ofLocal, ofReview, ofDrain, ofClose, ofReload, naming, ofReviewer],
    // The message of a prompt that was cancelled in a turn which it had joined (S3.59).
    ['landed'],
  ],
  prep: [
    ...[ofStart, ofLocal, ofReview, ofDrain, ofClose, ofReload, ofReviewer],
    // The first sign of a turn counts as in `idle`.
    ['compacting', 'goalUpdated'],
    // Nothing of this prompt was sent to Codex.
    ['landed'],
  ],
  local: [
    ...[ofPrep, ofStart, ofReview, ofDrain, ofClose, ofReload, naming, ofReviewer],
    // A command's message is shown when it begins.
    ['landed'],
  ],
  starting: [ofPrep, ofLocal, ofReview, ofDrain, ofClose, ofReload],
  // An idle thread is a matter of the watch (S12.5).
  running: [
    ...[ofPrep, ofStart, ofLocal, ofReview, ofDrain, ofClose, ofReload],
    // A compaction in it may be the one of the goal that it was started for; everything else about names is settled.
    naming.filter((type) => type !== 'compacting'),
  ],
  planReview: [
    ...[ofPrep, ofStart, ofLocal, ofDrain, ofClose, ofReload, naming, ofReviewer],
    // The turn is over: what was not recorded by then never will be (S3.48).
    ['landed'],
  ],
  draining: [
    ...[ofPrep, ofStart, ofLocal, ofReview, ofClose, ofReload, naming, ofReviewer],
    // Frames of a prompt whose work has ended would follow its end.
    ['landed'],
  ],
  reloading: [
    ...[ofPrep, ofStart, ofLocal, ofReview, ofDrain, ofClose, ofReviewer],
    // No prompt is there; the first sign of a turn counts, as in an idle session.
    ['cancelPrompt', 'landed', 'compacting', 'goalUpdated'],
  ],
  closing: [
    ...[ofPrep, ofLocal, ofReview, ofDrain, naming, ofReviewer],
    // Every prompt was answered when the fence went up; a second close waits for the first (S3.66).
    ['cancel', 'cancelPrompt', 'close', 'landed'],
    // A Codex that does not obey is left after five seconds (S3.70).
    ['activity', 'insist'],
  ],
  closed: [
    ...[ofPrep, ofLocal, ofReview, ofDrain, ofClose, naming, ofReviewer],
    ['cancel', 'cancelPrompt', 'close', 'landed', 'refused'],
    // The thread is not followed any more.
    ['activity', 'turnStarted', 'turnCompleted'],
  ],
};

/** A session in each phase. */
const sessions: Readonly<Record<Phase, () => TurnLab>> = {
  idle: () => new TurnLab(),
  agent: () => new TurnLab().agent(),
  prep: () => {
    const lab = new TurnLab();
    lab.prompt();
    return lab;
  },
  local: () => new TurnLab().local(),
  starting: () => new TurnLab().starting(),
  running: () => new TurnLab().running(),
  planReview: () => new TurnLab().planReview(),
  draining: () => new TurnLab().draining(),
  reloading: () => new TurnLab().reloading(),
  closing: () => new TurnLab().closing(),
  closed: () => new TurnLab().closed(),
};

const types = Object.values(samples).map(({ type }) => type);

describe('S3 section 14: every pair of a phase and an input was thought of', () => {
  for (const [name, make] of Object.entries(sessions)) {
    const { phase } = make();

    test(`S3.210 ${name}: what is ignored is ignored on purpose`, () => {
      expect(phase).toBe(name);
      const without = types.filter((type) => !takes(phase, type)).sort();
      expect(without).toEqual(ignored[phase].flat().sort());
    });

    test(`S3.210 ${name}: what is ignored changes nothing`, () => {
      for (const type of ignored[phase].flat()) expect(make().ignores(samples[type]), type).toBe(true);
    });
  }

  test('S3.210 wherever something can run, everything that must end it is heard', () => {
    const always: readonly Type[] = ['cancel', 'close', 'lost', 'prompt', 'turnStarted'];
    const phases = Object.values(sessions).map((make) => make().phase);
    for (const phase of phases.filter((name) => !['closed', 'closing'].includes(name))) {
      for (const type of always) expect(takes(phase, type), `${phase} ${type}`).toBe(true);
    }
    for (const phase of phases.filter((name) => !['closed', 'idle'].includes(name))) {
      expect(takes(phase, 'turnCompleted'), `${phase} turnCompleted`).toBe(true);
      for (const type of ofInterrupt.filter((name) => name !== 'insist')) {
        expect(takes(phase, type), `${phase} ${type}`).toBe(true);
      }
    }
  });

  test('S3.210 results of an older attempt are dropped', () => {
    const old = 0;
    const cases: readonly (readonly [TurnLab, TurnInput])[] = [
      [sessions.prep(), { type: 'ready', attempt: old }],
      [sessions.prep(), { type: 'notReady', attempt: old, error }],
      [sessions.local(), { type: 'localDone', attempt: old }],
      [sessions.local(), { type: 'localFailed', attempt: old, error }],
      [sessions.starting(), { type: 'accepted', attempt: old, turnId: 't9' }],
      [sessions.starting(), { type: 'refused', attempt: old, error }],
      [new TurnLab().switching(), { type: 'modeSwitched', attempt: 1 }],
      [new TurnLab().switching(), { type: 'modeNotSwitched', attempt: 1, error }],
      [new TurnLab().switching(), { type: 'planKept' }],
      [new TurnLab().switching(), { type: 'planApproved' }],
      [sessions.draining(), { type: 'reported', attempt: old }],
      [sessions.closing(), { type: 'accepted', attempt: old, turnId: 't9' }],
      [sessions.closing(), { type: 'refused', attempt: old, error }],
    ];
    for (const [lab, input] of cases) expect(lab.ignores(input), `${lab.phase} ${input.type}`).toBe(true);
  });
});
