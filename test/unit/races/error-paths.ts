import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { goal, type RaceLab } from './race-lab.ts';

/** What goes wrong with the prompt that holds the lane. */
export interface ErrorPath {
  readonly what: string;
  /** How the prompt ends. */
  readonly outcome: string;
  /** Prompts that wait survive it. */
  readonly sparesQueue: boolean;
  /** Sends the prompt; everything that `breaks` needs has happened. */
  readonly holds: (race: RaceLab) => Promise<unknown>;
  readonly breaks: (race: RaceLab) => unknown;
}

async function asked(race: RaceLab, text: string, method: Parameters<RaceLab['codex']['asked']>[0]): Promise<void> {
  race.client.prompts(text);
  await race.codex.asked(method);
}

async function proposes(race: RaceLab): Promise<void> {
  race.lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
  race.codex.fake.recorded = { collaborationMode: 'plan' };
  await race.runs('plan-turn');
  race.codex.completesItem({ type: 'plan', id: 'plan-1', text: '1. Fix it' }, 'plan-turn');
  race.codex.ends('plan-turn');
}

export const errorPaths: readonly ErrorPath[] = [
  {
    what: 'Codex cannot be started',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: async (race) => {
      race.codex.fake.manual.add('ready');
      race.client.prompts();
      await race.settled();
    },
    breaks: (race) => {
      race.codex.fake.manual.delete('ready');
      return race.codex.isNotReady('no Codex');
    },
  },
  {
    what: 'the start is refused',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: (race) => asked(race, 'hello', 'startTurn'),
    breaks: ({ codex }) => codex.refusesStart(),
  },
  {
    what: 'the turn fails',
    outcome: 'failed:turn',
    sparesQueue: true,
    holds: (race) => race.runs(),
    breaks: ({ codex }) => {
      codex.fails('broken', 'turn-1');
      codex.ends('turn-1', 'failed', 'broken');
    },
  },
  {
    what: 'the turn ends without having recorded the prompt',
    outcome: 'done',
    sparesQueue: true,
    holds: async (race) => {
      await asked(race, 'hello', 'startTurn');
      await race.codex.names('turn-1');
      race.codex.begins('turn-1');
    },
    breaks: ({ codex }) => codex.ends('turn-1'),
  },
  {
    what: 'Codex dies during the start',
    outcome: 'failed:lost',
    sparesQueue: true,
    holds: (race) => asked(race, 'hello', 'startTurn'),
    breaks: ({ codex }) => codex.dies(),
  },
  {
    what: 'Codex dies during the turn',
    outcome: 'failed:lost',
    sparesQueue: true,
    holds: (race) => race.runs(),
    breaks: ({ codex }) => codex.dies(),
  },
  {
    what: 'Codex dies during a plan review',
    outcome: 'failed:lost',
    sparesQueue: true,
    holds: proposes,
    breaks: ({ codex }) => codex.dies(),
  },
  {
    what: 'a plan is kept',
    outcome: 'done',
    sparesQueue: true,
    holds: proposes,
    breaks: ({ client }) => client.answers(1, 'revise_plan'),
  },
  {
    what: 'a plan review is withdrawn',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: proposes,
    breaks: ({ client }) => client.cancels(),
  },
  {
    what: 'Codex will not leave plan mode',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: async (race) => {
      await proposes(race);
      race.client.answers(1, 'implement_plan');
    },
    breaks: ({ codex }) => codex.staysInPlanMode('no'),
  },
  {
    what: 'the second turn of a plan is refused',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: async (race) => {
      await proposes(race);
      race.client.answers(1, 'implement_plan');
      await race.codex.leavesPlanMode();
    },
    breaks: ({ codex }) => codex.refusesStart(),
  },
  {
    what: 'a review cannot begin',
    outcome: 'failed:turn',
    sparesQueue: true,
    holds: async (race) => {
      await asked(race, '/review-branch main', 'review');
      await race.codex.takesReview('P');
    },
    breaks: ({ codex }) => codex.fails('no merge base', 'P'),
  },
  {
    what: 'a review is refused',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: (race) => asked(race, '/review', 'review'),
    breaks: ({ codex }) => codex.refusesReview('no'),
  },
  {
    what: 'a compaction is refused',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: (race) => asked(race, '/compact', 'compact'),
    breaks: ({ codex }) => codex.refusesCompact('no'),
  },
  {
    what: 'a compaction fails',
    outcome: 'failed:turn',
    sparesQueue: true,
    holds: async (race) => {
      await asked(race, '/compact', 'compact');
      await race.codex.takesCompact();
      race.codex.begins('turn-1');
      race.codex.startsItem({ type: 'compaction', id: 'c' }, 'turn-1');
    },
    breaks: ({ codex }) => codex.ends('turn-1', 'failed', 'no room'),
  },
  {
    what: 'a goal is refused',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: (race) => asked(race, '/goal Fix it', 'setGoal'),
    breaks: ({ codex }) => codex.refusesGoal('no goals'),
  },
  {
    what: 'a goal starts no turn',
    outcome: 'done',
    sparesQueue: true,
    holds: async (race) => {
      await asked(race, '/goal Fix the build', 'setGoal');
      await race.codex.takesGoal(goal());
      race.codex.reports(goal());
    },
    breaks: (race) => race.passes(1000),
  },
  {
    what: 'a goal without a turn is cancelled',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: async (race) => {
      await asked(race, '/goal Fix the build', 'setGoal');
      await race.codex.takesGoal(goal());
      race.codex.reports(goal());
    },
    breaks: async (race) => {
      race.client.cancels();
      await race.passes(1000);
    },
  },
  {
    what: 'a local command fails',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: async (race) => {
      race.codex.fake.manual.add('listSkills');
      await asked(race, '/skills', 'listSkills');
    },
    breaks: (race) => {
      race.codex.fake.manual.delete('listSkills');
      race.codex.fake.heldSkills.shift()?.reject(new Error('no skills'));
      return race.settled();
    },
  },
  {
    what: 'Codex dies during a local command',
    outcome: 'failed:refused',
    sparesQueue: true,
    holds: async (race) => {
      race.codex.fake.manual.add('listSkills');
      await asked(race, '/skills', 'listSkills');
    },
    breaks: async (race) => {
      race.codex.fake.manual.delete('listSkills');
      const held = race.codex.fake.heldSkills.shift();
      const cause = race.codex.fake.crash();
      held?.reject(cause);
      await race.settled();
    },
  },
  {
    what: 'a running turn is cancelled',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: (race) => race.runs(),
    breaks: async ({ client, codex }) => {
      client.cancels();
      await codex.takesInterrupt();
      codex.ends('turn-1', 'interrupted');
    },
  },
  {
    what: 'the interrupt of a cancel fails for another reason, and the turn ends by itself',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: (race) => race.runs(),
    breaks: async ({ client, codex }) => {
      client.cancels();
      await codex.refusesInterrupt('no');
      codex.ends('turn-1');
    },
  },
  {
    what: 'a cancelled turn whose completion never comes is read as interrupted',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: (race) => race.runs(),
    breaks: async (race) => {
      race.client.cancels();
      await race.codex.takesInterrupt();
      await race.passes(2000);
    },
  },
  {
    what: 'a cancelled start is never answered, and Codex is replaced',
    outcome: 'cancelled',
    sparesQueue: false,
    holds: (race) => asked(race, 'hello', 'startTurn'),
    breaks: async (race) => {
      race.client.cancels();
      await race.passes(10_000);
    },
  },
];
