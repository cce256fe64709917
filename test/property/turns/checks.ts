import type { Generation, Play } from './play.ts';

/*
 * What must hold of every run (S3.210, architecture section 3.6). Each check says in words what is wrong; the words of
 * the client are those of words.ts.
 */

/** Checks a run that came to its end; what is wrong is added to its faults. */
export function checkAll(play: Play): void {
  for (const generation of play.generations) {
    const { seen } = generation.subject;
    play.faults.push(
      ...checkPrompts(generation),
      ...checkUserMessages(seen),
      ...checkAnswers(generation),
      ...checkForeground(generation),
      ...checkNothingWhileIdle(seen),
      ...checkNothingOfOverTurns(generation),
      ...checkOpened(seen),
      ...checkAsks(generation),
      ...checkEnd(generation),
    );
  }
  for (const [ref, answers] of play.codex.asks) {
    if (answers !== 1) play.faults.push(`request ${ref.id} of Codex has ${answers} answers`);
  }
  const shown = play.now.subject.session?.planMode ?? play.codex.planMode;
  if (shown !== play.codex.planMode) play.faults.push(`the client is shown plan mode ${shown ? 'on' : 'off'}, wrongly`);
  if (play.clock.waiting > 0) play.faults.push(`${play.clock.waiting} timers are left`);
}

/** Each prompt is answered exactly once, and inserted at most once, before. */
function checkPrompts({ subject: { seen }, prompts }: Generation): string[] {
  return [...prompts.keys()].flatMap((promptId) => {
    const ends = positions(seen, (word) => word.startsWith(`ended ${promptId} `));
    const inserted = positions(seen, (word) => word === `inserted ${promptId}`);
    const [end = seen.length] = ends;
    return [
      ...(ends.length === 1 ? [] : [`${promptId} has ${ends.length} answers`]),
      ...(inserted.length <= 1 ? [] : [`${promptId} is inserted ${inserted.length} times`]),
      ...(inserted.some((at) => at > end) ? [`${promptId} is inserted after its end`] : []),
      ...(seen.indexOf(`user message-${promptId}`) > end ? [`the message of ${promptId} is shown after its end`] : []),
    ];
  });
}

function checkUserMessages(seen: readonly string[]): string[] {
  const shown = seen.filter((word) => word.startsWith('user '));
  return [...new Set(shown)].filter((word) => count(shown, word) > 1).map((word) => `"${word}" is shown twice`);
}

/** Steers, changes of the goal and closes are answered exactly once. */
function checkAnswers({ subject: { answers } }: Generation): string[] {
  return [...answers].flatMap(([name, given]) =>
    given.length === 1 ? [] : [`${name} has ${given.length} answers: ${given.join(', ')}`],
  );
}

/**
 * Each work that became visible has one idle, with its outcome, and it is the last of it (S3.96). A close cancels, also
 * work that waits for its report only (R13).
 */
function checkForeground({ subject: { seen }, closing, owing }: Generation): string[] {
  const faults: string[] = [];
  const inserted = new Set<string>();
  let visible = false;
  let owed: { readonly promptId: string; readonly outcome: string } | null = null;
  let holder: string | null = null;
  for (const word of seen) {
    const [kind, id = '', outcome = ''] = word.split(' ');
    switch (kind) {
      case 'running':
      case 'requires_action':
        if (owed !== null) faults.push(`${kind} before the idle of ${owed.promptId}`);
        visible = true;
        break;
      case 'inserted':
        if (owed !== null) faults.push(`${id} is inserted before the idle of ${owed.promptId}`);
        inserted.add(id);
        holder = id;
        break;
      case 'ended':
        if (!inserted.has(id) && !(visible && owing.has(id))) break;
        owed = { promptId: id, outcome: outcome.split(':')[0] ?? '' };
        holder = null;
        break;
      case 'idle':
        // The end of Codex is told also when nothing was visible before (S3.43, R24).
        if (!visible && word !== 'idle failed:lost') faults.push('idle without running');
        if (holder !== null) faults.push(`idle while ${holder} goes on`);
        if (owed !== null && id.split(':')[0] !== owed.outcome && !(closing && id === 'cancelled')) {
          faults.push(`${owed.promptId} is ${owed.outcome}, but ${word}`);
        }
        visible = false;
        owed = null;
        break;
    }
  }
  if (visible) faults.push('running without idle');
  return faults;
}

const opening = new Set(['text', 'thought', 'toolStarted', 'toolResumed', 'ask', 'planText']);

/** An idle session begins nothing (S3.96); what runs on in the background may end. */
function checkNothingWhileIdle(seen: readonly string[]): string[] {
  let idle = true;
  const faults: string[] = [];
  for (const word of seen) {
    const [kind = '', , status] = word.split(' ');
    if (kind === 'idle') idle = true;
    // A turn of Codex that goes on behind a prompt may wait for the user (S3.93).
    else if (kind === 'running' || kind === 'requires_action') idle = false;
    else if (idle && (opening.has(kind) || status === 'in_progress')) faults.push(`"${word}" while idle`);
  }
  return faults;
}

/** A turn that ended opens nothing any more. A close still shows the text of a plan that came before it. */
function checkNothingOfOverTurns({ subject: { seen }, overAt, closing }: Generation): string[] {
  return seen.flatMap((word, at) => {
    const [kind = '', id = ''] = word.split(' ');
    if (closing && kind === 'planText') return [];
    const over = overAt.get(id.split('-')[0] ?? '');
    return over !== undefined && at >= over && opening.has(kind) ? [`"${word}" after the end of its turn`] : [];
  });
}

/** Every tool call, compaction and plan review that was opened is closed exactly once, and nothing comes after. */
function checkOpened(seen: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [opens, closes] of [
    [/^toolStarted (\S+)/, /^tool(?:Ended|Aborted) (\S+)/],
    [/^compaction (\S+) in_progress/, /^compaction (\S+) (?:completed|failed|cancelled)/],
    [/^ask \d+ plan (\S+)/, /^planReviewed (\S+)/],
  ] as const) {
    const opened = matches(seen, opens);
    const closed = matches(seen, closes);
    for (const id of new Set([...opened, ...closed])) {
      if (count(opened, id) > 1) faults.push(`${id} is opened twice`);
      if (count(closed, id) !== 1) faults.push(`${id} is closed ${count(closed, id)} times`);
    }
    for (const [at, word] of seen.entries()) {
      const id = opens.exec(word)?.[1];
      if (id !== undefined && seen.slice(0, at).some((before) => closes.exec(before)?.[1] === id)) {
        faults.push(`${id} is opened after its end`);
      }
    }
  }
  return faults;
}

/** Every question ends once: the client answers it, or it is withdrawn. */
function checkAsks({ subject: { seen }, openAsks, openForms, answeredAsks }: Generation): string[] {
  const withdrawn = matches(seen, /^withdraw (\d+)/);
  return [
    ...[...openAsks].map((askId) => `ask ${askId} is left open`),
    ...[...openForms].map((askId) => `form ${askId} is left open`),
    ...[...answeredAsks]
      .filter((askId) => withdrawn.includes(`${askId}`))
      .map((askId) => `ask ${askId} was answered and is withdrawn`),
    ...[...new Set(withdrawn)].filter((id) => count(withdrawn, id) > 1).map((id) => `${id} is withdrawn twice`),
  ];
}

/** A session that is not closed is at rest; of one that is closed nothing is shown any more. */
function checkEnd({ subject: { seen, rest }, closed }: Generation): string[] {
  const faults: string[] = [];
  if (closed && seen.at(-1) !== 'endSession') faults.push(`${seen.at(-1)} after the close`);
  if (count(seen, 'endSession') > 1) faults.push('closed twice');
  if (rest !== null && rest.queue > 0) faults.push(`${rest.queue} prompts are left in the queue`);
  if (rest !== null && rest.phase !== (closed ? 'closed' : 'idle')) faults.push(`ends in ${rest.phase}`);
  return faults;
}

function positions(seen: readonly string[], found: (word: string) => boolean): number[] {
  return seen.flatMap((word, at) => (found(word) ? [at] : []));
}

function matches(seen: readonly string[], pattern: RegExp): string[] {
  return seen.flatMap((word) => pattern.exec(word)?.[1] ?? []);
}

function count(words: readonly string[], word: string): number {
  return words.filter((other) => other === word).length;
}
