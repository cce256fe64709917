import { applyPatch, reasoning, reply, runCommand, text, updatePlan } from '../../support/model-replies.ts';
import type { Lab } from '../lab.ts';
import type { Session, Turn, TurnEnd } from '../session.ts';

/** The wide turn of ACP-X-SCHEMA and what it showed. */
export interface Exercise {
  readonly session: Session;
  readonly turn: Turn;
  readonly end: TurnEnd;
  readonly unicodeText: {
    /** Printed by a command, and all output that the client was shown. */
    readonly printed: string;
    readonly shown: string;
    /** Said by the model, and shown as its message. */
    readonly said: string;
    readonly answered: string;
  };
}

const printed = 'héllo € 漢字 🙂';
const said = 'Zażółć gęślą jaźń — 終 🏁';

/** Prints the text, each byte in a write of its own. */
const printSlowly = [...Buffer.from(printed)]
  .map((byte) => `printf '\\${byte.toString(8).padStart(3, '0')}'; sleep 0.01`)
  .join('; ');

/**
 * One turn with everything: thought, plan, commands that end well and badly, a patch, a permission, and text that is not
 * ASCII. Done once per lab; rows judge its messages.
 */
export function exercise(lab: Lab): Promise<Exercise> {
  return lab.once('exercise', async () => {
    const session = await lab.session();
    const turn = session.prompt(
      reply(
        reasoning(['**Looking around.** First the notes.']),
        updatePlan([
          ['Read the notes', 'in_progress'],
          ['Change them', 'pending'],
        ]),
      ),
      runCommand('cat notes.txt'),
      runCommand(`sleep 0.2; ${printSlowly}; printf '\\377\\n'`),
      applyPatch('*** Update File: notes.txt\n@@\n one\n-two\n+2\n*** Add File: added.txt\n+new\n'),
      runCommand('echo it fails >&2; exit 3'),
      runCommand('echo asked > asked.txt', { escalate: 'May I write the file?' }),
      reply(
        updatePlan([
          ['Read the notes', 'completed'],
          ['Change them', 'completed'],
        ]),
      ),
      text(said),
    );
    const end = await turn.ended();
    const unicodeText = { printed, shown: shownOutput(session), said, answered: session.text(turn.from) };
    return { session, turn, end, unicodeText };
  });
}

/** All command output that the session showed, of both versions' channels. */
export function shownOutput(session: Session): string {
  const chunks = session.updates().map(({ sessionUpdate, data, output, content }) => {
    if (sessionUpdate === 'terminal_output_chunk') return Buffer.from(data, 'base64');
    if (typeof output?.data === 'string') return Buffer.from(output.data, 'base64');
    if (!Array.isArray(content)) return Buffer.of();
    return Buffer.from(content.map((part) => part.content?.text ?? '').join(''));
  });
  return Buffer.concat(chunks).toString('utf8');
}
