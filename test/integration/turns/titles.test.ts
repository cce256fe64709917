import { describe, expect, test } from 'vitest';
import {
  eventually,
  type Json,
  type LabSession,
  useAgent,
  type Version,
  withAgent,
  withRelay,
} from '../../support/integration.ts';
import {
  failure,
  hold,
  pause,
  reply,
  type Scripted,
  script,
  type TextItem,
  text,
} from '../../support/model-replies.ts';
import type { RecordedRequest } from '../../support/model-server.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText } from './tool-view.ts';

/** Titles of sessions: that of the first prompt, the one that a small model makes, and renames. */

const generated = 'Scripted title';

function titles(session: LabSession, from = 0, to?: number): Json[] {
  return session
    .updates(from, to)
    .filter((update) => update.sessionUpdate === 'session_info_update' && 'title' in update)
    .map(({ title }) => title);
}

function titled(session: LabSession, wanted: string): Promise<Json> {
  return session.update('session_info_update', ({ title }) => title === wanted);
}

function titleRequests(session: LabSession): RecordedRequest[] {
  return session.lab.server.requests.filter(({ kind }) => kind === 'title');
}

/** Resolves when the model was asked for so many titles of this lab, and its last answer is out. */
async function titleAnswered(session: LabSession, count: number): Promise<void> {
  await session.lab.server.waitForRequest(() => titleRequests(session).length >= count);
  expect(await titleRequests(session)[count - 1]?.finished).toMatch(/sent|gone/);
}

function titleOf(title: string): TextItem {
  return text(JSON.stringify({ title }));
}

describe.each([1, 2] as const)('v%i', (version) => {
  /** An agent and a server of its own: requests for titles do not say which session they are for. */
  function withSession(body: (session: LabSession) => Promise<void>): Promise<void> {
    return withAgent({ version }, (_, session) => body(session));
  }

  test('S3.190 S3.191 the title of the first prompt comes before its end, a better one after it, once', () =>
    withSession(async (session) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf(generated)));
      session.model(text('Hello.'), text('Hello again.'));
      const blocks = [
        { type: 'text', text: '  Write\n a ' },
        { type: 'text', text: 'poem\tabout bridges ' },
      ];
      const end = await session.prompt(blocks).ended;
      expect([end.outcome, titles(session, 0, end.position)]).toEqual(['end_turn', ['Write a poem about bridges']]);
      // The prompt did not wait for the title that is being made.
      await gate.reached;
      gate.open();
      expect(await titled(session, generated)).toEqual({ sessionUpdate: 'session_info_update', title: generated });
      await session.prompt('Next').ended;
      await session.prompt('/plan').ended;
      expect(titles(session)).toEqual(['Write a poem about bridges', generated]);
      const [request, ...others] = titleRequests(session);
      expect([request?.model, others]).toEqual(['gpt-5.6-luna', []]);
      expect(request?.lastUserText).toContain('poem\tabout bridges');
      // It ran on a thread of its own, of which the client sees nothing.
      expect(request?.threadId).not.toBe(session.id);
      expect(messageText(session.updates())).toBe('Hello.Hello again.');
      const strangers = session.lab.client.received.filter(
        ({ params }) => params?.sessionId !== undefined && params.sessionId !== session.id,
      );
      expect(strangers).toEqual([]);
    }));

  test('S3.190 a long prompt is cut to 256 characters for the title', () =>
    withSession(async (session) => {
      session.lab.server.aside('title', failure(400));
      session.model(text('Hello.'));
      await session.prompt('x'.repeat(300)).ended;
      await titleAnswered(session, 1);
      expect(titles(session)).toEqual([`${'x'.repeat(255)}…`]);
    }));

  test('S3.191 the title is made of at most 4000 units of the prompt, with no split pair', () =>
    withSession(async (session) => {
      session.model(text('Hello.'));
      await session.prompt(`${'x'.repeat(3999)}😀 and more`).ended;
      await titled(session, generated);
      expect(titleRequests(session)[0]?.lastUserText).toBe('x'.repeat(3999));
    }));

  test('S3.193 the model that makes the title can do nothing', () =>
    withSession(async (session) => {
      const { server } = session.lab;
      server.aside('title', undefined);
      const patch = '*** Begin Patch\n*** Add File: touched\n+x\n*** End Patch\n';
      server.enqueue(script(`await tools.apply_patch(${JSON.stringify(patch)})`), titleOf('Tamed'));
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      await titled(session, 'Tamed');
      expect(
        titleRequests(session)
          .at(-1)
          ?.toolOutputs.map((output) => output.text),
      ).toEqual([expect.stringMatching(/^Script failed[\s\S]*environment/)]);
      expect(session.workspace.exists('touched')).toBe(false);
      expect(session.frames().filter(({ method, id }) => method !== undefined && id !== undefined)).toEqual([]);
    }));

  test('S3.190 S3.191 no title comes of a command, of a cancelled and of a failed prompt', () =>
    withSession(async (session) => {
      await session.prompt('/status').ended;
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const cancelled = session.prompt('Cancelled');
      await session.textShown('Shown', cancelled.from);
      session.cancel();
      expect((await cancelled.ended).outcome).toBe('cancelled');
      session.model(failure(400, { error: { message: 'Bad thing' } }));
      await session.prompt('Fails').ended;
      if (version === 2) expect(titles(session)).toEqual([]);
      session.model(text('Hello.'));
      await session.prompt('Hello there').ended;
      await titled(session, generated);
      // A plain v1 client is told of a failure in a turn that ends normally (S3.170).
      expect(titles(session).at(-1)).toBe(generated);
      expect(titles(session)).not.toContain('Cancelled');
      expect(titles(session)).not.toContain('/status');
      expect(titleRequests(session)).toHaveLength(1);
    }));

  test('S3.191 a session that was renamed first gets no other title', () =>
    withSession(async (session) => {
      session.model(text('Hello.'), text('Hello again.'));
      const end = await session.prompt('/rename My bridge').ended;
      expect([end.outcome, titles(session, 0, end.position)]).toEqual(['end_turn', ['My bridge']]);
      await session.prompt('Hi').ended;
      await session.prompt('Next').ended;
      expect(titles(session)).toEqual(['My bridge']);
      expect(titleRequests(session)).toEqual([]);
    }));

  test('R34 S3.192 a rename while the title is being made wins', () =>
    withRelay({ version }, async (session, codex) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf(generated)));
      session.model(text('Hello.'), text('Hello again.'));
      await session.prompt('Hi').ended;
      await gate.reached;
      await session.prompt('/rename My bridge').ended;
      gate.open();
      await titleAnswered(session, 1);
      // The thread of the title is let go of when its answer was read.
      await codex.waitFor(
        'agent',
        ({ method, params }) => method === 'thread/unsubscribe' && params.threadId !== session.id,
      );
      await session.prompt('Next').ended;
      expect(titles(session)).toEqual(['Hi', 'My bridge']);
      const names = codex.messages.filter(({ message }) => message.method === 'thread/name/set');
      expect(names.map(({ message }) => message.params.name)).toEqual(['My bridge']);
      expect(titleRequests(session)).toHaveLength(1);
    }));

  test('R34 S3.192 a rename while the title is being written is what remains', () =>
    withRelay({ version }, async (session, codex) => {
      session.model(text('Hello.'), text('Hello again.'));
      const written = codex.on('agent', 'thread/name/set').once().delay();
      await session.prompt('Hi').ended;
      await written.met;
      const renamed = session.prompt('/rename My bridge');
      // Answered after several requests to Codex: the command behind it is under way.
      await session.lab.open();
      written.release();
      expect((await renamed.ended).outcome).toBe('end_turn');
      await session.prompt('Next').ended;
      expect(titles(session).at(-1)).toBe('My bridge');
      expect(titles(session)).not.toContain(generated);
      const names = codex.messages.filter(
        ({ message, from }) => from === 'codex' && message.method === 'thread/name/updated',
      );
      expect(names.at(-1)?.message.params.threadName).toBe('My bridge');
    }));

  test('S3.192 S3.45 S9.126 a rename that fails gives the generated title its place back', () =>
    withRelay({ version }, async (session, codex) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf(generated)));
      session.model(text('Hello.'), text('Hello again.'));
      await session.prompt('Hi').ended;
      await gate.reached;
      const refused = codex.on('agent', 'thread/name/set').once().delay();
      const renamed = session.prompt('/rename My bridge');
      const { id } = await refused.met;
      refused.discard();
      gate.open();
      await titleAnswered(session, 1);
      await codex.waitFor(
        'agent',
        ({ method, params }) => method === 'thread/unsubscribe' && params.threadId !== session.id,
      );
      codex.inject('agent', { id, error: { code: -32600, message: 'No such name' } });
      const end = await renamed.ended;
      if (version === 1) {
        expect(end.error).toEqual({ code: -32603, message: 'Internal error', data: { details: 'No such name' } });
      } else {
        expect([end.outcome, end.error?.code]).toEqual(['error', -32603]);
        expect(messageText(end.updates)).toBe("The '/rename' command failed: No such name");
      }
      await session.prompt('Next').ended;
      await titled(session, generated);
      expect(titles(session)).toEqual(['Hi', generated]);
      expect(titleRequests(session)).toHaveLength(2);
    }));

  test('S3.192 a name that Codex reports by itself is shown and stays', () =>
    withRelay({ version }, async (session, codex) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf(generated)));
      session.model(text('Hello.'), text('Hello again.'));
      await session.prompt('Hi').ended;
      await gate.reached;
      codex.inject('agent', {
        method: 'thread/name/updated',
        params: { threadId: session.id, threadName: 'From elsewhere' },
      });
      await titled(session, 'From elsewhere');
      gate.open();
      await titleAnswered(session, 1);
      await codex.waitFor(
        'agent',
        ({ method, params }) => method === 'thread/unsubscribe' && params.threadId !== session.id,
      );
      await session.prompt('Next').ended;
      expect(titles(session)).toEqual(['Hi', 'From elsewhere']);
    }));

  test('S3.192 Codex dies while the title is being made: the next prompt has it made by the new process', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex, relay) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf('Of the old process')));
      session.model(text('Hello.'), text('Hello again.'), text('And again.'));
      await session.prompt('Hi').ended;
      await gate.reached;
      codex.die();
      await eventually('the agent knows', () => session.lab.agent.stderr().includes('app-server is gone'));
      session.lab.server.aside('title', titleOf(generated));
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
      await titled(session, generated);
      const replaced = await relay.process(1);
      await replaced.waitFor('agent', ({ method }) => method === 'thread/name/set');
      await session.prompt('Last').ended;
      expect(titles(session)).toEqual(['Hi', generated]);
      expect(titleRequests(session)).toHaveLength(2);
    }));

  const useless: readonly [string, Scripted][] = [
    ['a failure', failure(400)],
    ['an empty title', titleOf(' ')],
    ['no JSON', text('A title')],
    ['nothing at all', text('')],
  ];

  test.each(useless)('S3.193 %s instead of a title is not told', (_, answer) =>
    withRelay({ version }, async (session, codex) => {
      session.lab.server.aside('title', answer);
      session.model(text('Hello.'), text('Hello again.'));
      await session.prompt('Hi').ended;
      await codex.waitFor(
        'agent',
        ({ method, params }) => method === 'thread/unsubscribe' && params.threadId !== session.id,
      );
      const next = await session.prompt('Next').ended;
      expect(next.outcome).toBe('end_turn');
      expect(titles(session)).toEqual(['Hi']);
      expect(messageText(session.updates())).toBe('Hello.Hello again.');
    }),
  );

  test('S3.191 S9.133 a title in quotes and on several lines becomes one line', () =>
    withSession(async (session) => {
      session.lab.server.aside('title', titleOf('"A bridge\n to  build"'));
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      await titled(session, 'A bridge to build');
    }));

  test('R34 S3.73 a title that comes after the close is dropped', () =>
    withRelay({ version }, async (session, codex) => {
      const gate = hold();
      session.lab.server.aside('title', reply(pause(gate), titleOf(generated)));
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      await gate.reached;
      expect(await session.close()).toEqual({});
      gate.open();
      await codex.waitFor(
        'agent',
        ({ method, params }) => method === 'thread/unsubscribe' && params.threadId !== session.id,
      );
      await session.lab.open();
      expect(titles(session)).toEqual(['Hi']);
      expect(codex.messages.filter(({ message }) => message.method === 'thread/name/set')).toEqual([]);
    }));
});

const others: readonly { name: string; version: Version; profile: Json }[] = [
  { name: 'Zed v1', version: 1, profile: profiles.zedV1 },
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
];

describe.each(others)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile });

  test('S3.190 S3.191 titles are the same for every client', async () => {
    const session = await agent().open();
    session.model(text('Hello.'));
    const end = await session.prompt('Hi').ended;
    expect(titles(session, 0, end.position)).toEqual(['Hi']);
    await titled(session, generated);
    expect(titles(session)).toEqual(['Hi', generated]);
  });
});
