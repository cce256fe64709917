import { availableCommands } from '../../../src/domain/commands/available-commands.ts';
import { promptTask } from '../../../src/domain/commands/parse-command.ts';
import { codexInput, parsePrompt } from '../../../src/domain/prompt/prompt-mapping.ts';
import { unknownInstructions } from '../../../src/domain/session/instructions.ts';
import { SessionActor } from '../../../src/domain/session/session-actor.ts';
import { steerPrompt } from '../../../src/domain/session/session-steering.ts';
import { changeMode, changeOption } from '../../../src/domain/settings/change-option.ts';
import { initialSettings } from '../../../src/domain/settings/session-settings.ts';
import { AccountLimits } from '../../../src/domain/usage/account-limits.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { FakeCodex, fakeModel } from '../../support/fake-codex.ts';
import type { Shown } from '../../support/session-lab.ts';
import { profile, RecordingChannel, silentLog } from '../../support/session-lab.ts';
import type { CodexModel } from './codex-model.ts';
import { modelPorts } from './model-ports.ts';
import type { Setup } from './script.ts';
import type { PromptKind, SessionCommands, Subject } from './subject.ts';
import { promptText } from './subject.ts';
import { shownWord } from './words.ts';

const threadId = 'thread-1';

/** Settled promises run their course within so many turns of the microtask queue. */
const deepest = 24;

/** Writes down what the client sees as it is shown. */
class WordChannel extends RecordingChannel {
  readonly words: string[] = [];

  override update(sessionId: string, update: Parameters<RecordingChannel['update']>[1]): void {
    super.update(sessionId, update);
    this.#add();
  }

  override promptInserted(sessionId: string, promptId: string): void {
    super.promptInserted(sessionId, promptId);
    this.#add();
  }

  override promptEnded(
    sessionId: string,
    promptId: string,
    ending: Parameters<RecordingChannel['promptEnded']>[2],
  ): void {
    super.promptEnded(sessionId, promptId, ending);
    this.#add();
  }

  override ask(ask: Parameters<RecordingChannel['ask']>[0]): void {
    super.ask(ask);
    this.#add();
  }

  override askForm(ask: Parameters<RecordingChannel['askForm']>[0]): void {
    super.askForm(ask);
    this.#add();
  }

  override withdraw(askId: number): void {
    super.withdraw(askId);
    this.#add();
  }

  override endSession(): void {
    super.endSession();
    this.#add();
  }

  #add(): void {
    const shown: Shown | undefined = this.shown.at(-1);
    if (shown !== undefined) this.words.push(shownWord(shown));
  }
}

/** A whole session over the model of Codex. */
export class ActorSubject implements Subject {
  readonly answers = new Map<string, string[]>();
  readonly rest = null;
  readonly session: SessionCommands;
  readonly #actor: SessionActor;
  readonly #channel = new WordChannel();
  readonly #prompts = new Map<string, PromptKind>();
  readonly #controlled = new Set<string>();
  #asks = 0;
  #ids = 0;

  constructor({ protocol, air }: Setup, codex: CodexModel, clock: FakeClock) {
    const fake = new FakeCodex();
    this.#actor = new SessionActor(
      {
        sessionId: threadId,
        epoch: codex.epoch,
        settings: initialSettings({
          open: {
            model: 'gpt-test',
            effort: 'low',
            serviceTier: null,
            activeProfileId: null,
            collaborationMode: codex.planMode ? 'plan' : 'default',
          },
          models: [fakeModel],
          profiles: [],
          config: { approvalPolicy: null, approvalsReviewer: null },
          initialModeId: null,
          workspace: { cwd: '/w', additionalDirectories: [] },
          accountIsApiKey: false,
        }),
        instructions: unknownInstructions,
        reopen: { cwd: '/w', modelProvider: null, config: {}, developerInstructions: null },
        told: null,
        goal: 'untouched',
        requestedMcpServers: [],
        thread: 'new',
        title: { origin: 'explicit' },
        commands: availableCommands([]),
      },
      profile({
        protocol,
        air: air ? { capabilities: new Set(['agentFileChangeReport', 'sessionFailure']) } : null,
        commandOutput: protocol === 2 ? 'terminals' : 'snapshots',
        elicitation: { form: true, url: false },
      }),
      {
        // One that only resumes does not say whose it is.
        ...modelPorts(codex, (objective) => objective === null || !this.#controlled.has(objective)),
        channel: this.#channel,
        status: fake.status,
        accounts: fake,
        scheduler: clock,
        clock,
        log: silentLog,
        limits: new AccountLimits(),
        logout: () => Promise.resolve(),
        provider: () => null,
        promptSuggestions: air,
        ids: {
          uuid: () => {
            this.#ids += 1;
            return `id-${this.#ids}`;
          },
        },
        nextAskId: () => {
          this.#asks += 1;
          return this.#asks;
        },
      },
    );
    codex.hearer = this.#actor;
    this.session = this.#commands();
  }

  get seen(): readonly string[] {
    return this.#channel.words;
  }

  prompt(promptId: string, kind: PromptKind): void {
    this.#prompts.set(promptId, kind);
    const blocks = parsePrompt([{ type: 'text', text: promptText(kind, promptId) }]);
    const { task, ignored } = promptTask(blocks);
    this.#actor.prompt({
      promptId,
      requested: true,
      messageId: `message-${promptId}`,
      blocks,
      input: codexInput(blocks),
      hasImage: false,
      task,
      ignoredBlocks: ignored,
      reportId: kind === 'report' ? promptId : null,
    });
  }

  cancel(): void {
    this.#actor.cancel();
  }

  cancelPrompt(promptId: string): void {
    this.#actor.cancelPrompt(promptId);
  }

  close(name: string): void {
    this.#note(name, this.#actor.close());
  }

  decidePlan(askId: number, approved: boolean): void {
    this.#actor.answerAsk(askId, { type: 'selected', optionId: approved ? 'implement_plan' : 'revise_plan' });
  }

  async flush(): Promise<void> {
    for (let turn = 0; turn < deepest; turn += 1) await Promise.resolve();
  }

  #commands(): SessionCommands {
    const actor = this.#actor;
    return {
      get reloading() {
        return actor.reloading;
      },
      changeInstructions: (name) => {
        this.#note(name, actor.changeInstructions({ prompt: name, custom: null, developer: name }));
      },
      steer: (name, promptRequired) => {
        const blocks = parsePrompt([{ type: 'text', text: `more ${name}` }]);
        const content = { blocks, input: codexInput(blocks), hasImage: false };
        this.#note(name, this.#actor.steer(steerPrompt(name, `message-${name}`, content), promptRequired));
      },
      answerAsk: (askId, allowed) => {
        this.#actor.answerAsk(askId, { type: 'selected', optionId: allowed ? 'allow_once' : 'reject_once' });
      },
      answerForm: (askId, filled) => {
        const values = new Map([['question_0', 'this']]);
        this.#actor.answerForm(askId, filled ? { type: 'accepted', values } : { type: 'declined' });
      },
      changeSetting: (variant) => {
        this.#actor.changeSettings((settings) =>
          variant % 2 === 0
            ? changeOption(settings, 'reasoning_effort', variant % 4 === 0 ? 'low' : 'high').settings
            : changeMode(settings, variant % 4 === 1 ? 'read-only' : 'agent'),
        );
      },
      setPlanMode: (name, on) => {
        this.#note(name, actor.changeCollaborationMode(on ? 'plan' : 'default'));
      },
      get planMode() {
        return actor.settings.collaborationMode === 'plan';
      },
      controlGoal: (name, variant) => {
        const action = (['set', 'pause', 'resume', 'clear'] as const)[variant % 4] ?? 'set';
        if (action === 'set') this.#controlled.add(name);
        this.#note(name, this.#actor.controlGoal(action === 'set' ? { action, objective: name } : { action }));
      },
    };
  }

  #note(name: string, answer: Promise<unknown>): void {
    const given: string[] = [];
    this.answers.set(name, given);
    answer.then(
      (outcome) => given.push(`${outcome ?? 'done'}`),
      (error: unknown) => given.push(error instanceof Error ? error.message : String(error)),
    );
  }
}
