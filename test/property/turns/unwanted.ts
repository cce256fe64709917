import type { Unwanted } from './codex-calls.ts';
import { startsTurn } from './codex-calls.ts';
import type { CodexModel } from './codex-model.ts';
import type { Turn } from './codex-turn.ts';
import { beganByItself, isKnown } from './codex-turn.ts';
import type { Play, SeenPrompt } from './play.ts';

/*
 * Which turns of Codex a cancel or a close is for. `must`: it has to be stopped, and may not end by itself while a run
 * settles. `may`: it can be mistaken for one that has to be stopped; stopping it is no fault.
 */

/**
 * `session/cancel` and a close are for everything that the client could know of. A turn that began by itself and was not
 * told yet is new work.
 */
export function wantSessionStopped({ codex, now }: Play, by: 'cancel' | 'close'): void {
  wantUntoldStopped(codex);
  const compacts =
    !waitsForCodex(codex) && [...now.prompts.values()].some(({ kind, ended }) => kind === 'compact' && !ended);
  const strength = (kind: string): Unwanted =>
    kind === 'compact' && (isVagueCompaction(codex) || !compacts) ? 'may' : 'must';
  const { turn, next } = codex;
  if (next !== null) next.unwanted = strength(next.kind);
  if (turn !== null) {
    // The end of the compaction may have ended its prompt, though Codex says nothing of its turn (S12.5).
    const heard = turn.kind === 'compact' && !compacts ? 'may' : 'must';
    want(turn, isHeard(codex, turn) ? heard : isKnown(turn, codex.heard) ? strength(turn.kind) : 'may');
  }
  // An interrupt that fails does not hold up a close (S3.70).
  for (const refused of by === 'close' ? [turn, next] : []) if (refused?.stubborn) refused.unwanted = 'may';
  for (const open of codex.open) {
    if (startsTurn(open.call)) {
      open.unwanted = strength(open.call.method);
      open.alone = false;
    }
    if (open.call.method === 'setGoal' && open.call.prompted) open.unwanted = 'may';
  }
  if (codex.goalDue || [...now.prompts.values()].some((prompt) => isCommand(prompt) && !prompt.ended)) {
    codex.goalUnwanted = true;
  }
}

/** On v1 a prompt takes a turn with it that it only joined; on v2 it does not (S3.59). */
export function wantPromptStopped({ codex, now, setup }: Play, prompt: SeenPrompt): void {
  const { promptId, kind } = prompt;
  const compacts =
    kind === 'compact' && [...now.prompts.values()].find((other) => other.kind === kind && !other.ended) === prompt;
  const mine = ({ kind: turnKind, names, owners }: Turn): boolean =>
    (compacts && turnKind === 'compact') || (setup.protocol === 1 ? names : owners).includes(promptId);
  // The second turn of a plan does not say whose it is, nor does what begins while a command starts.
  const vague = (turn: Turn): boolean => turn.names.includes('plan') || (isCommand(prompt) && beganByItself(turn));
  for (const turn of codex.turns.values()) {
    const runs = turn === codex.turn || turn === codex.next;
    const must = runs && !(turn.kind === 'compact' && (isVagueCompaction(codex) || waitsForCodex(codex)));
    if (mine(turn)) want(turn, must ? 'must' : 'may');
    else if (vague(turn)) want(turn, 'may');
  }
  for (const open of codex.open) {
    const { call } = open;
    if ((call.method === 'start' || call.method === 'review') && call.name === promptId) {
      open.unwanted = 'must';
      open.alone = setup.protocol === 2;
    }
    if (call.method === 'compact' && compacts) open.unwanted = isVagueCompaction(codex) ? 'may' : 'must';
    if (call.method === 'start' && call.name === 'plan') open.unwanted = 'may';
    if (call.method === 'setGoal' && call.prompted) open.unwanted = 'may';
  }
  if (isCommand(prompt)) codex.goalUnwanted = true;
}

function isGoal({ kind }: SeenPrompt): boolean {
  return kind === 'goal' || kind === 'resume';
}

/** A command that runs a turn. */
function isCommand(prompt: SeenPrompt): boolean {
  return isGoal(prompt) || ['compact', 'review', 'review-branch'].includes(prompt.kind);
}

/** Of a turn whose end was not told yet the session can only think that it runs. */
function wantUntoldStopped(codex: CodexModel): void {
  for (const turn of codex.turns.values()) if (!isOver(codex, turn)) want(turn, 'may');
}

/** A compaction has no id: a turn that began just before it counts as it, and nobody waits for another one. */
function isVagueCompaction(codex: CodexModel): boolean {
  return [...codex.turns.values()].some((turn) => beganByItself(turn) && !isOver(codex, turn));
}

/** Of a prompt that still waits for Codex no compaction was asked: one that comes is of a prompt that is over. */
function waitsForCodex(codex: CodexModel): boolean {
  return codex.open.some(({ call }) => call.method === 'ready' || call.method === 'resume');
}

function isHeard({ heard }: CodexModel, { child }: Turn): boolean {
  return heard.some((event) => event.type === 'turnStarted' && event.turnId === child);
}

function isOver({ heard }: CodexModel, { id }: Turn): boolean {
  return heard.some((event) => event.type === 'turnCompleted' && event.turnId === id);
}

function want(turn: Turn, unwanted: Unwanted): void {
  if (turn.unwanted !== 'must') turn.unwanted = unwanted;
}
