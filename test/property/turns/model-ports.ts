import type { Goal } from '../../../src/domain/goal/goal.ts';
import type { CodexInput } from '../../../src/domain/prompt/prompt-block.ts';
import type { CodexGoals, CodexSampling, CodexSkills } from '../../../src/ports/outbound/codex-features.ts';
import type { CodexLifecycle, CodexThreads, CodexTurns } from '../../../src/ports/outbound/codex-runtime.ts';
import type { WorkspaceFiles } from '../../../src/ports/outbound/workspace-files.ts';
import type { Answer, Call } from './codex-calls.ts';
import type { CodexModel } from './codex-model.ts';

/** The ports of a session, each call a call of the model. */
export interface ModelPorts {
  readonly lifecycle: CodexLifecycle;
  readonly threads: CodexThreads;
  readonly turns: CodexTurns;
  readonly goals: CodexGoals;
  readonly skills: CodexSkills;
  readonly sampling: CodexSampling;
  readonly files: WorkspaceFiles;
}

/** Of one session: a start that names no goal change of a prompt is told apart by `isGoalPrompt`. */
export function modelPorts(codex: CodexModel, isGoalPrompt: (objective: string | null) => boolean): ModelPorts {
  const call = (made: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      codex.call(made, (result) => (result instanceof Error ? reject(result) : resolve(result)));
    });
  const nothing = async (made: Call): Promise<void> => {
    await call(made);
  };
  const named = async (made: Call): Promise<{ turnId: string }> => {
    const { turnId } = await call(made);
    if (turnId === null) throw new Error('no turn was named');
    return { turnId };
  };
  return {
    lifecycle: {
      get epoch() {
        return codex.epoch;
      },
      ready: () => nothing({ method: 'ready' }),
      introduce: () => Promise.resolve(),
      replace: () => {
        codex.die();
        return Promise.resolve();
      },
      stop: () => Promise.resolve(),
    },
    threads: {
      start: () => Promise.reject(new Error('threads are opened by the test')),
      resume: async (threadId) => {
        const { status } = await call({ method: 'resume' });
        return {
          threadId,
          model: 'gpt-test',
          effort: 'low',
          serviceTier: null,
          activeProfileId: null,
          active: status === 'active',
          name: null,
          preview: null,
          collaborationMode: codex.planMode ? 'plan' : 'default',
          recorded: null,
          epoch: codex.epoch,
        };
      },
      unsubscribe: () => nothing({ method: 'unsubscribe' }),
      readTurn: async (_threadId, turnId) => (await call({ method: 'readTurn', turnId })).record,
      listTerminals: () => Promise.resolve(codex.terminals()),
      terminateTerminal: () => Promise.resolve(),
      archive: () => Promise.resolve(),
      applyPolicy: () => Promise.resolve(),
      readThread: () =>
        call({ method: 'readThread' }).then(({ status }) => ({
          modelProvider: 'openai',
          model: null,
          effort: null,
          status,
          persisted: true,
        })),
      runningTurn: async () => (await call({ method: 'runningTurn' })).turnId,
      setName: (_threadId, title) => nothing({ method: 'setName', title }),
      setCollaborationMode: (_threadId, { mode }) => nothing({ method: 'setMode', mode }),
    },
    turns: {
      start: ({ input, clientMessageId }) => named({ method: 'start', name: nameIn(input), clientId: clientMessageId }),
      interrupt: (_threadId, turnId) => nothing({ method: 'interrupt', turnId }),
      steer: ({ turnId, input, clientMessageId }) =>
        named({ method: 'steer', name: nameIn(input), turnId, clientId: clientMessageId }),
      compact: () => nothing({ method: 'compact' }),
      review: (_threadId, target) => {
        const text = 'instructions' in target ? target.instructions : 'branch' in target ? target.branch : '';
        return named({ method: 'review', name: nameOf(text), broken: target.type === 'baseBranch' });
      },
      answer: (ref) => codex.answered(ref),
    },
    goals: {
      set: async (_threadId, { objective = null, status }) => {
        const prompted = status === 'active' && isGoalPrompt(objective);
        const { goal } = await call({ method: 'setGoal', objective, status, prompted });
        return goalOf(goal);
      },
      clear: async () => (await call({ method: 'clearGoal' })).cleared,
      read: () => Promise.resolve(codex.goal),
    },
    skills: {
      list: async () => {
        await call({ method: 'skills' });
        return [];
      },
      useRoots: () => Promise.resolve(),
    },
    sampling: {
      sample: async () => {
        await call({ method: 'sample' });
        return '{"suggestion": "Go on"}';
      },
      title: () => Promise.resolve(null),
    },
    files: {
      flavour: 'posix',
      repositoryRoot: () => Promise.resolve(null),
      resolveDirectory: async (directory) => {
        await call({ method: 'disk' });
        return directory;
      },
    },
  };
}

function goalOf(goal: Goal | null): Goal {
  if (goal === null) throw new Error('no goal was answered');
  return goal;
}

/** The prompt or steer whose text it is; the second turn of a plan has a text of its own. */
function nameIn(input: readonly CodexInput[]): string {
  return nameOf(input.map((part) => (part.type === 'text' ? part.text : '')).join(' '));
}

function nameOf(text: string): string {
  return /\b[ps]\d+\b/.exec(text)?.[0] ?? (text.includes('approved plan') ? 'plan' : 'reply');
}
