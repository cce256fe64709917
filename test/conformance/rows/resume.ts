import { expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import type { AgentWire } from '../agent-wire.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';
import { Session } from '../session.ts';
import { expectNextPromptWorks } from './extra.ts';

/* `session/resume` without a replay: rows that both versions share (2.2 and 3.3). */

interface Resumed {
  readonly session: Session;
  /** Updates of the session between the request and its answer. */
  readonly before: readonly { readonly sessionUpdate: string }[];
}

/** Opens a session again, in its own agent or in another one. */
export async function resume(lab: Lab, { id, agent }: Session, params: object = {}, owner = agent): Promise<Resumed> {
  const { workspace } = await lab.base();
  const from = owner.now;
  const opened = await owner.request('session/resume', { sessionId: id, cwd: workspace.path, ...params });
  const answered = owner.received.findIndex(({ result }, index) => index >= from && result === opened);
  const before = owner.received.slice(from, answered).filter(({ params: told }) => told?.sessionId === id);
  return {
    session: new Session(lab, owner, { sessionId: id, ...opened }),
    before: before.flatMap(({ params: told }) => told.update ?? []),
  };
}

/** A session with one turn in its history. */
export async function withHistory(lab: Lab, agent?: AgentWire): Promise<Session> {
  const session = await lab.session(agent);
  expect((await session.prompt(text('History.')).ended()).stopReason).toBe('end_turn');
  return session;
}

/** The sessions of a client that may be resumed, each just before it is: what it is called, and who resumes it. */
const situations: Readonly<Record<string, (lab: Lab) => Promise<{ session: Session; owner?: AgentWire }>>> = {
  'never prompted and open': async (lab) => ({ session: await lab.session() }),
  'prompted and open': async (lab) => ({ session: await withHistory(lab) }),
  'prompted and closed': async (lab) => {
    const session = await withHistory(lab);
    expect(await session.close()).toEqual({});
    return { session };
  },
  'from another process': async (lab) => {
    const session = await withHistory(lab, await lab.started());
    await session.agent.within(session.agent.stop(), 'the end of the process');
    return { session, owner: await lab.started() };
  },
};

/** Without `mcpServers` on purpose: they may be absent. */
export const resumes = (id: string, requirement: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement,
  async run(lab, note) {
    for (const [situation, make] of Object.entries(situations)) {
      const { session, owner } = await make(lab);
      const resumed = await resume(lab, session, {}, owner);
      await expectNextPromptWorks(resumed.session);
      note(situation);
    }
  },
});

/** Kinds of updates that tell what was said and done. */
const history = /_chunk$|^(agent_message|agent_thought|user_message|plan|plan_update|tool_call|tool_call_update)$/;

export const tellsNoHistory = (id: string, requirement: string, without: readonly object[]): CheckedRow => ({
  id,
  tier: 'capability',
  requirement,
  async run(lab) {
    for (const params of without) {
      const open = await withHistory(lab);
      const closed = await withHistory(lab);
      await closed.close();
      for (const session of [open, closed]) {
        const { before } = await resume(lab, session, params);
        expect(before.filter(({ sessionUpdate }) => history.test(sessionUpdate))).toEqual([]);
      }
    }
  },
});
