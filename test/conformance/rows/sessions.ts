import { expect } from 'vitest';
import { runCommand, text } from '../../support/model-replies.ts';
import type { CheckedRow, Tier } from '../row.ts';
import type { Session } from '../session.ts';
import { resume, withHistory } from './resume.ts';
import { phases } from './work.ts';

/* Sessions: rows that both versions share (2.2 and 3.3). */

export const sessionOpens = (tier: Tier): CheckedRow => ({
  id: 'ACP-SESSION-001',
  tier,
  requirement: 'session/new with an absolute `cwd` returns a non-empty `sessionId`',
  async run(lab) {
    expect((await lab.session()).id).toMatch(/\S/);
  },
});

export const sessionsDiffer = (tier: Tier): CheckedRow => ({
  id: 'ACP-SESSION-002',
  tier,
  requirement: 'two calls of session/new give two ids',
  async run(lab) {
    const [first, second] = await Promise.all([lab.session(), lab.session()]);
    expect(first.id).not.toBe(second.id);
  },
});

export const idleSessionCloses = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'session/close of an idle session returns an empty object, prompted or not',
  async run(lab) {
    const untouched = await lab.session();
    expect(await untouched.close()).toEqual({});
    const prompted = await lab.session();
    await prompted.prompt(text('Done.')).ended();
    expect(await prompted.close()).toEqual({});
  },
});

export const closeCancels = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'session/close during work ends it as cancelled: while the model streams and while a command runs',
  async run(lab) {
    for (const phase of ['while the model streams', 'while a command runs'] as const) {
      const { session, turn, gone } = await phases[phase](lab);
      const [end, closed] = await Promise.all([turn.ended(), session.close()]);
      expect([phase, end.stopReason, closed]).toEqual([phase, 'cancelled', {}]);
      await session.agent.within(gone, 'the end of the command');
    }
  },
});

/** A command in each of two turns writes into the folder, without asking. */
async function writesInto(
  session: Session,
  folder: { file(name: string): string; exists(name: string): boolean },
): Promise<void> {
  for (const name of ['first.txt', 'second.txt']) {
    const turn = session.prompt(runCommand(`echo new > ${folder.file(name)}`), text('Written.'));
    expect((await turn.ended()).stopReason).toBe('end_turn');
    expect([name, folder.exists(name)]).toEqual([name, true]);
  }
  expect(session.agent.about(session.id).filter(({ method }) => method === 'session/request_permission')).toEqual([]);
}

export const takesExtraFolder = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'session/new takes an absolute extra directory, and commands may write there in every turn',
  async run(lab) {
    const extra = lab.folder();
    await writesInto(await lab.session(undefined, { additionalDirectories: [extra.path] }), extra);
  },
});

export const resumeTakesExtraFolder = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'session/resume takes an absolute extra directory, of a session that is open and of one that was closed',
  async run(lab) {
    const open = await withHistory(lab);
    const closed = await withHistory(lab);
    await closed.close();
    for (const session of [open, closed]) {
      const extra = lab.folder();
      const resumed = await resume(lab, session, { additionalDirectories: [extra.path] });
      await writesInto(resumed.session, extra);
    }
  },
});
