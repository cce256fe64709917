import type { Completion } from '../turn/turn-state.ts';
import type { Watch, WatchEffect, WatchInput } from '../turn/turn-watch.ts';
import { observe, watchOff } from '../turn/turn-watch.ts';
import type { TurnRunner } from './turn-runner.ts';

/** Looks after a completion that does not come (S12.5, S12.6): carries out what `observe` decides. */
export class TurnWatcher {
  readonly #runner: TurnRunner;
  readonly #recorded: (turnId: string, record: Completion | null) => void;
  readonly #complete: (turnId: string, completion: Completion) => void;
  readonly #insist: () => void;
  #watch: Watch = watchOff;

  /**
   * `recorded` brings a record back through the mailbox; `complete` ends the turn as its completion would; `insist` tells
   * it to stop once more.
   */
  constructor(
    runner: TurnRunner,
    recorded: (turnId: string, record: Completion | null) => void,
    complete: (turnId: string, completion: Completion) => void,
    insist: () => void,
  ) {
    this.#runner = runner;
    this.#recorded = recorded;
    this.#complete = complete;
    this.#insist = insist;
  }

  input(input: WatchInput): void {
    const { watch, effects } = observe(this.#watch, input);
    this.#watch = watch;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: WatchEffect): void {
    switch (effect.type) {
      case 'wait':
        return this.#runner.wait('watch', effect.ms);
      case 'stopWaiting':
        return this.#runner.stopWaiting('watch');
      case 'read':
        return this.#runner.readTurn(effect.turnId, (record) => this.#recorded(effect.turnId, record));
      case 'insist':
        return this.#insist();
      case 'complete':
        return this.#complete(effect.turnId, effect.completion);
      case 'replaceCodex':
        return this.#runner.replaceCodex();
    }
  }
}
