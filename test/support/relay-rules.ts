import type { AppServerMessage, RelaySide } from './relay-codex.ts';

/*
 * What a test does to single lines between the agent and Codex. A rule waits for lines of one side that match; the first
 * rule that takes a line decides alone what becomes of it.
 *
 *     codex.on('codex', 'turn/completed').once().drop();
 *     const late = codex.onAnswer('codex', 'turn/start').once().delay();   … late.release();
 *     codex.on('codex', 'item/completed').duplicate();
 *     codex.on('agent', 'turn/start').rewrite((message) => ({ ...message, method: 'turn/unknown' }));
 *     codex.on('codex', 'turn/started').once().inject({ after: [{ method: 'new/thing', params: {} }] });
 *     codex.on('agent', 'turn/interrupt').die();
 */

/** A message, or a line of text that is no message. */
export type RelayLine = AppServerMessage | string;

/** Which messages: a method (of a request or a notification), or anything that can be said about one. */
export type LineMatch = string | ((message: AppServerMessage) => boolean);

/** Where the lines of a rule go to, and how the process behind it dies. */
export interface RelayOutlet {
  send(to: RelaySide, line: RelayLine): void;
  die(end: number | NodeJS.Signals, stderr: string): void;
}

/** What was made of the lines that a rule took. */
export interface LineRule {
  /** The messages that it took, as they were read. */
  readonly taken: readonly AppServerMessage[];
  /** The first one. */
  readonly met: Promise<AppServerMessage>;
  /** From now on it takes nothing more; lines that it holds stay held. */
  end(): void;
}

/** Lines that wait until the test lets them go. */
export interface HeldLines extends LineRule {
  /** Sends what is held, in the order it was read, and holds nothing more. */
  release(): void;
  /** Sends the oldest one only. */
  releaseOne(): void;
  /** What is held is lost, and nothing more is held. */
  discard(): void;
}

export function otherSide(side: RelaySide): RelaySide {
  return side === 'agent' ? 'codex' : 'agent';
}

interface ActiveRule extends LineRule {
  readonly from: RelaySide;
  /** Takes the message: what goes on in its place. `null` leaves it to the next rule. */
  take(message: AppServerMessage): readonly RelayLine[] | null;
}

/** The rules of one relayed process, oldest first. */
export class RelayRules {
  readonly #outlet: RelayOutlet;
  #rules: readonly ActiveRule[] = [];
  /** Methods of open requests, by the side that asked and the id. */
  readonly #asked = new Map<string, string>();

  constructor(outlet: RelayOutlet) {
    this.#outlet = outlet;
  }

  /** Begins a rule for requests and notifications from that side. */
  on(from: RelaySide, match: LineMatch): RuleStart {
    return this.#begin(from, typeof match === 'string' ? (message) => message.method === match : match);
  }

  /** Begins a rule for that side's answers to requests of the method: results and errors. */
  onAnswer(from: RelaySide, method: string): RuleStart {
    return this.#begin(from, (message) => this.methodAnswered(message, from) === method);
  }

  /** What goes on in place of a message, or `null` when no rule took it. */
  apply(message: AppServerMessage, from: RelaySide): readonly RelayLine[] | null {
    if (message.method !== undefined && message.id !== undefined) {
      this.#asked.set(`${from} ${String(message.id)}`, message.method);
    }
    for (const rule of this.#rules) {
      if (rule.from !== from) continue;
      const lines = rule.take(message);
      if (lines !== null) return lines;
    }
    return null;
  }

  /** The method of the request that this message from that side answers; `null` for everything else. */
  methodAnswered(message: AppServerMessage, from: RelaySide): string | null {
    if (message.method !== undefined || message.id === undefined) return null;
    return this.#asked.get(`${otherSide(from)} ${String(message.id)}`) ?? null;
  }

  /** Every rule ends; what is held stays held. */
  endAll(): void {
    for (const rule of this.#rules) rule.end();
    this.#rules = [];
  }

  #begin(from: RelaySide, matches: (message: AppServerMessage) => boolean): RuleStart {
    return new RuleStart(from, matches, this.#outlet, (rule) => {
      this.#rules = [...this.#rules, rule];
    });
  }
}

/** A rule that is being written: which lines, then one action that puts it in force. */
export class RuleStart {
  readonly #from: RelaySide;
  readonly #matches: (message: AppServerMessage) => boolean;
  readonly #outlet: RelayOutlet;
  readonly #activate: (rule: ActiveRule) => void;
  #limit = Number.POSITIVE_INFINITY;
  #skipped = 0;

  constructor(
    from: RelaySide,
    matches: (message: AppServerMessage) => boolean,
    outlet: RelayOutlet,
    activate: (rule: ActiveRule) => void,
  ) {
    this.#from = from;
    this.#matches = matches;
    this.#outlet = outlet;
    this.#activate = activate;
  }

  /** Narrows the lines. */
  where(also: (message: AppServerMessage) => boolean): RuleStart {
    const start = new RuleStart(
      this.#from,
      (message) => this.#matches(message) && also(message),
      this.#outlet,
      this.#activate,
    );
    start.#limit = this.#limit;
    start.#skipped = this.#skipped;
    return start;
  }

  /** Takes one line only; later ones pass. */
  once(): this {
    return this.times(1);
  }

  times(limit: number): this {
    this.#limit = limit;
    return this;
  }

  /** Lets the first matching lines pass. */
  skip(count: number): this {
    this.#skipped = count;
    return this;
  }

  /** The line is lost. */
  drop(): LineRule {
    return this.#rule(() => []);
  }

  /** The line goes on more than once (default twice), in a row. */
  duplicate(times = 2): LineRule {
    return this.#rule((message) => Array.from({ length: times }, () => message));
  }

  /** Something else goes on: another message, several, a text that is no message. */
  rewrite(change: (message: AppServerMessage) => RelayLine | readonly RelayLine[]): LineRule {
    return this.#rule((message) => [change(message)].flat());
  }

  /** Lines of the test's own go the same way, right before or after the line. */
  inject(lines: { readonly before?: readonly RelayLine[]; readonly after?: readonly RelayLine[] }): LineRule {
    return this.#rule((message) => [...(lines.before ?? []), message, ...(lines.after ?? [])]);
  }

  /**
   * The process dies instead of passing the line on; default by SIGKILL, as in a crash. With `passOn` the line still goes
   * on, and the end follows.
   */
  die(
    end: number | NodeJS.Signals = 'SIGKILL',
    options: { readonly stderr?: string; readonly passOn?: boolean } = {},
  ): LineRule {
    return this.#rule((message) => {
      if (options.passOn === true) this.#outlet.send(otherSide(this.#from), message);
      this.#outlet.die(end, options.stderr ?? '');
      return [];
    });
  }

  /** Only watches. */
  watch(): LineRule {
    return this.#rule((message) => [message]);
  }

  /**
   * The line waits until it is released; later lines overtake it. With `withAllBehind` everything that comes from this
   * side after it waits too, so the order stays.
   */
  delay(options: { readonly withAllBehind?: boolean } = {}): HeldLines {
    let held: AppServerMessage[] = [];
    let released = false;
    const rule = this.#rule(
      (message) => {
        if (released) return [message];
        held.push(message);
        return [];
      },
      () => options.withAllBehind === true && held.length > 0 && !released,
    );
    const send = (lines: readonly AppServerMessage[]): void => {
      for (const line of lines) this.#outlet.send(otherSide(this.#from), line);
    };
    const stop = (): AppServerMessage[] => {
      const lines = held;
      held = [];
      released = true;
      rule.end();
      return lines;
    };
    return {
      // The list grows as lines are taken.
      taken: rule.taken,
      met: rule.met,
      end: rule.end,
      release: () => send(stop()),
      releaseOne: () => send(held.splice(0, 1)),
      discard: () => void stop(),
    };
  }

  #rule(act: (message: AppServerMessage) => readonly RelayLine[], takesAll: () => boolean = () => false): LineRule {
    const taken: AppServerMessage[] = [];
    let left = this.#limit;
    let toSkip = this.#skipped;
    let ended = false;
    let meet = (_: AppServerMessage): void => undefined;
    const met = new Promise<AppServerMessage>((resolve) => {
      meet = resolve;
    });
    const fits = (message: AppServerMessage): boolean => {
      if (ended || left === 0 || !this.#matches(message)) return false;
      if (toSkip === 0) return true;
      toSkip -= 1;
      return false;
    };
    const rule: ActiveRule = {
      from: this.#from,
      taken,
      met,
      end: () => {
        ended = true;
      },
      take: (message) => {
        if (fits(message)) left -= 1;
        else if (!takesAll()) return null;
        taken.push(message);
        meet(message);
        return act(message);
      },
    };
    this.#activate(rule);
    return rule;
  }
}
