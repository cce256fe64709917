import { refusal } from '../../domain/interaction/approval-request.ts';
import { jsonObject } from '../../domain/json/json-object.ts';
import type { CodexSampling } from '../../ports/outbound/codex-features.ts';
import type { Log, Scheduler } from '../../ports/outbound/system.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';
import type { RespondToCodex, ThreadFeed } from './thread-feed.ts';
import { TitleTurn } from './title-turn.ts';
import { wireAnswer } from './translate-request.ts';

interface TitleParams {
  readonly cwd: string;
  readonly text: string;
  readonly model: string;
}

interface OpenTitleThread {
  readonly threadId: string;
  readonly detach: () => void;
}

export interface SamplingDependencies {
  readonly call: CallCodex;
  readonly feed: ThreadFeed;
  readonly respond: RespondToCodex;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** A title that takes longer is not worth waiting for. */
const titleLimitMs = 30_000;

const titleInstructions =
  'You name conversations. The message of the user is the beginning of a conversation with a coding agent. Do not ' +
  'answer it and do not do what it asks for. Reply with a title for the conversation: 3 to 7 words in sentence case, ' +
  'in the language of the conversation, without quotation marks and without a full stop.';

const titleSchema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
};

/** Asks the model of the running app-server beside the conversation. */
export class CodexSamplingClient implements CodexSampling {
  readonly #call: CallCodex;
  readonly #feed: ThreadFeed;
  readonly #respond: RespondToCodex;
  readonly #scheduler: Scheduler;
  readonly #log: Log;

  constructor({ call, feed, respond, scheduler, log }: SamplingDependencies) {
    this.#call = call;
    this.#feed = feed;
    this.#respond = respond;
    this.#scheduler = scheduler;
    this.#log = log;
  }

  /** S3.194. */
  async sample(params: {
    readonly threadId: string;
    readonly turnId: string;
    readonly prompt: string;
  }): Promise<string | null> {
    const { threadId, turnId, prompt } = params;
    const { text } = await this.#call('thread/sample', { threadId, expectedTurnId: turnId, prompt, effort: 'high' });
    return text ?? null;
  }

  /** The answer does not wait until the thread is let go of. */
  async title(params: TitleParams): Promise<string | null> {
    const turn = new TitleTurn((ref, request) => this.#respond(ref, wireAnswer(refusal(request))));
    const cancelLimit = this.#scheduler.after(titleLimitMs, () => turn.giveUp());
    this.#run(params, turn).catch((error: unknown) => turn.fail(error));
    try {
      const answer = await turn.answer;
      return answer === null ? null : titleIn(answer);
    } finally {
      cancelLimit();
    }
  }

  /** Opens the thread, runs its turn, and lets go of it whatever happened. */
  async #run({ cwd, text, model }: TitleParams, turn: TitleTurn): Promise<void> {
    const config = await this.#powerlessConfig(cwd);
    if (turn.isOver) return;
    // What Codex complains about when a thread starts may follow the answer to the start, not the beginning of the turn.
    const tellAgain = this.#feed.holdRepeatedNotices();
    void turn.begun.then(tellAgain);
    try {
      await this.#runIn(await this.#open({ cwd, model, config }, turn), { text, model }, turn);
    } finally {
      tellAgain();
    }
  }

  async #runIn(
    { threadId, detach }: OpenTitleThread,
    { text, model }: Pick<TitleParams, 'model' | 'text'>,
    turn: TitleTurn,
  ): Promise<void> {
    let turnId: string | null = null;
    try {
      if (turn.isOver) return;
      const started = await this.#call('turn/start', {
        threadId,
        input: [{ type: 'text', text, text_elements: [] }],
        model,
        outputSchema: titleSchema,
      });
      turnId = started.turn.id;
      await turn.answer;
    } catch (error) {
      // Told at once: nobody waits for the closing.
      turn.fail(error);
    } finally {
      await this.#close(threadId, turn.isCompleted ? null : turnId);
      detach();
    }
  }

  /** Events of the thread go to its turn from the first one on, thus never to a client. */
  async #open(
    { cwd, model, config }: { cwd: string; model: string; config: wire.ThreadStartParams['config'] & object },
    turn: TitleTurn,
  ): Promise<OpenTitleThread> {
    const release = this.#feed.buffer();
    try {
      const { thread } = await this.#call('thread/start', {
        cwd,
        ephemeral: true,
        model,
        approvalPolicy: 'never',
        sandbox: 'read-only',
        // Without an environment no command runs and no file is read or written.
        environments: [],
        config,
        developerInstructions: titleInstructions,
      });
      return { threadId: thread.id, detach: this.#feed.attach(thread.id, turn) };
    } finally {
      release();
    }
  }

  /** A turn that goes on is stopped first: letting go of its thread would not do that (S3.12). */
  async #close(threadId: string, runningTurnId: string | null): Promise<void> {
    const failed = (error: unknown): void => {
      this.#log.debug('The thread of a title could not be closed in order', { threadId, exception: error });
    };
    if (runningTurnId !== null) await this.#call('turn/interrupt', { threadId, turnId: runningTurnId }).catch(failed);
    await this.#call('thread/unsubscribe', { threadId }).catch(failed);
  }

  /**
   * Config of a thread without the MCP servers, plugins, hooks and notifications of the user, and without goals. An
   * empty `mcp_servers` would be merged into the user's, so every server is switched off by its name.
   */
  async #powerlessConfig(cwd: string): Promise<Readonly<Record<string, unknown>>> {
    const { config } = await this.#call('config/read', { cwd, includeLayers: false });
    // `mcp_servers` is among the keys that the protocol does not name.
    const servers = Object.keys(jsonObject(jsonObject(config)?.mcp_servers) ?? {});
    return {
      features: { apps: false, goals: false, hooks: false, plugins: false, shell_tool: false },
      web_search: 'disabled',
      notify: [],
      mcp_servers: Object.fromEntries(servers.map((name) => [name, { enabled: false }])),
    };
  }
}

/** The title of an answer that fits the schema; `null` for any other. */
function titleIn(answer: string): string | null {
  try {
    const title = jsonObject(JSON.parse(answer))?.title;
    return typeof title === 'string' && title.trim() !== '' ? title.trim() : null;
  } catch {
    return null;
  }
}
