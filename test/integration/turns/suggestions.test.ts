import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withAgent, withRelay } from '../../support/integration.ts';
import { proposedPlan, suggestion } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, type Scripted, text } from '../../support/model-replies.ts';
import type { RecordedRequest } from '../../support/model-server.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText } from './tool-view.ts';

/** What AIR offers the user to say next: asked of the model after a turn, beside the conversation. */

const suggested = 'Run the tests';

/** What the client was told to offer, each time that it was told, from a position on. */
function offers(session: LabSession, from = 0): string[][] {
  return session
    .updates(from)
    .filter(({ _meta }) => _meta?.promptSuggestions !== undefined)
    .map(({ _meta }) => _meta.promptSuggestions.suggestions.map((offer: Json) => offer.text));
}

function isOffer(offered: string): (update: Json) => boolean {
  return ({ _meta }) => _meta?.promptSuggestions?.suggestions[0]?.text === offered;
}

async function offered(session: LabSession, what: string, from = 0): Promise<Json> {
  return session.update('session_info_update', isOffer(what), from);
}

/** Requests for a suggestion in this session. */
function asked(session: LabSession): RecordedRequest[] {
  return session.lab.server.requests.filter(
    ({ kind, ownerThreadId }) => kind === 'suggestion' && ownerThreadId === session.id,
  );
}

/** Resolves when the model was asked for a suggestion in this session so often, and its last answer is out. */
async function answered(session: LabSession, count: number): Promise<void> {
  await session.lab.server.waitForRequest(() => asked(session).length >= count);
  expect(await asked(session)[count - 1]?.finished).toBe('sent');
}

const air = [
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
] as const;

describe.each(air)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile });

  /** A session whose model says this in order, and answers what the user could say next. */
  async function open(next: Scripted, ...replies: readonly Scripted[]): Promise<LabSession> {
    agent().server.aside('suggestion', next);
    const session = await agent().open();
    session.model(...replies);
    return session;
  }

  test('S3.194 S3.195 S11.16 after a prompt, which does not wait for it, the model is asked what the user could say next', async () => {
    const gate = hold();
    const session = await open(reply(pause(gate), suggestion(suggested)), text('Hello.'));
    const end = await session.prompt('Hi').ended;
    expect([end.outcome, offers(session)]).toEqual(['end_turn', []]);
    await gate.reached;
    gate.open();
    expect(await offered(session, suggested, end.position)).toEqual({
      sessionUpdate: 'session_info_update',
      _meta: { promptSuggestions: { suggestions: [{ text: suggested }] } },
    });
    const [request, ...others] = asked(session);
    expect(others).toEqual([]);
    expect(request?.userTexts).toContain('Hi');
    // Nothing of it belongs to the conversation.
    expect(messageText(session.updates())).toBe('Hello.');
    expect(session.requests).toHaveLength(1);
  });

  test('S3.194 Codex is asked about the turn that ended, with high effort', () =>
    withRelay({ version, profile }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      const { params } = await codex.waitFor('agent', ({ method }) => method === 'thread/sample');
      expect(params).toEqual({
        threadId: session.id,
        expectedTurnId: session.requests[0]?.turnId,
        prompt: expect.stringContaining('JSON'),
        effort: 'high',
      });
      await offered(session, suggested);
    }));

  test('S3.195 S3.39 the next prompt first takes the suggestion back', async () => {
    const session = await open(suggestion(suggested), text('Hello.'), text('Hello again.'));
    await session.prompt('Hi').ended;
    await offered(session, suggested);
    agent().server.aside('suggestion', suggestion('Something else'));
    const next = session.prompt('Next');
    await next.ended;
    const [first] = session.updates(next.from);
    expect(first).toEqual({
      sessionUpdate: 'session_info_update',
      _meta: { promptSuggestions: { suggestions: [] } },
    });
    await offered(session, 'Something else');
    expect(offers(session)).toEqual([[suggested], [], ['Something else']]);
  });

  test('S3.195 a local command takes it back too, and asks for none', async () => {
    const session = await open(suggestion(suggested), text('Hello.'));
    await session.prompt('Hi').ended;
    await offered(session, suggested);
    await session.prompt('/plan').ended;
    await session.prompt('/plan').ended;
    expect(offers(session)).toEqual([[suggested], []]);
    expect(asked(session)).toHaveLength(1);
  });

  const useless: readonly [string, Scripted][] = [
    ['null', suggestion(null)],
    ['an empty text', suggestion(' ')],
    ['several lines', suggestion('Run\nthe tests')],
    ['more than 240 characters', suggestion('x'.repeat(241))],
    ['no JSON', text('You could run the tests.')],
    ['other JSON', text('{"suggestion": ["Run"]}')],
    ['nothing at all', text('')],
    ['a failure', failure(400)],
  ];

  test.each(useless)('S3.195 an answer of %s offers nothing', async (_, answer) => {
    const session = await open(answer, text('Hello.'), text('Hello again.'), text('The last one.'));
    await session.prompt('Hi').ended;
    await answered(session, 1);
    // A later answer proves that the first one was not kept either.
    agent().server.aside('suggestion', suggestion(suggested));
    const next = await session.prompt('Next').ended;
    expect(next.outcome).toBe('end_turn');
    await offered(session, suggested);
    expect(offers(session)).toEqual([[suggested]]);
  });

  test('S3.195 a line of 240 characters is offered', async () => {
    const longest = `Say ${'x'.repeat(236)}`;
    const session = await open(suggestion(longest), text('Hello.'));
    await session.prompt('Hi').ended;
    await offered(session, longest);
  });

  test('R34 S3.195 a suggestion that comes after the next prompt is dropped', async () => {
    const late = hold();
    const gate = hold();
    const session = await open(
      reply(pause(late), suggestion('Too late')),
      text('Hello.'),
      reply(pause(gate), text('Hello again.')),
    );
    await session.prompt('Hi').ended;
    await late.reached;
    agent().server.aside('suggestion', suggestion(suggested));
    const next = session.prompt('Next');
    await gate.reached;
    late.open();
    await answered(session, 1);
    gate.open();
    await next.ended;
    await offered(session, suggested);
    expect(offers(session)).toEqual([[suggested]]);
  });

  test('R34 S3.73 a suggestion that comes after the close is dropped', async () => {
    const late = hold();
    const session = await open(reply(pause(late), suggestion('Too late')), text('Hello.'));
    await session.prompt('Hi').ended;
    await late.reached;
    expect(await session.close()).toEqual({});
    const closedAt = agent().client.received.length;
    late.open();
    expect(await asked(session)[0]?.finished).toMatch(/sent|gone/);
    await agent().open();
    expect(session.frames(closedAt)).toEqual([]);
  });

  test('S3.194 none is asked for after a turn that was cancelled or failed, nor in plan mode', async () => {
    const session = await open(suggestion(suggested), text('Shown and never shown.').pauseAt(hold(), 1));
    const cancelled = session.prompt('Cancelled');
    await session.textShown('Shown', cancelled.from);
    session.cancel();
    expect((await cancelled.ended).outcome).toBe('cancelled');
    session.model(failure(400), proposedPlan('1. Dig'), text('Hello.'));
    await session.prompt('Fails').ended;
    await session.setOption('collaboration_mode', 'plan');
    const planned = session.prompt('Plan it');
    (await session.ask()).select('revise_plan');
    await planned.ended;
    await session.setOption('collaboration_mode', 'default');
    await session.prompt('Hi').ended;
    await offered(session, suggested);
    const [request, ...others] = asked(session);
    expect([request?.userTexts.includes('Hi'), others]).toEqual([true, []]);
    expect(offers(session)).toEqual([[suggested]]);
  });

  test('S3.194 an implemented plan is followed by one suggestion', async () => {
    const session = await open(suggestion(suggested), proposedPlan('1. Dig'), text('Dug.'));
    await session.setOption('collaboration_mode', 'plan');
    const planned = session.prompt('Plan it');
    (await session.ask()).select('implement_plan');
    expect((await planned.ended).outcome).toBe('end_turn');
    await offered(session, suggested);
    expect(asked(session)).toHaveLength(1);
  });

  test('S3.194 S1.21 `CODEX_ACP_PROMPT_SUGGESTIONS=false` asks for none', () =>
    withAgent({ version, profile, env: { CODEX_ACP_PROMPT_SUGGESTIONS: ' FALSE ' } }, async (_, session) => {
      session.model(text('Hello.'), text('Hello again.'));
      await session.prompt('Hi').ended;
      // What is asked after a prompt is on its way to Codex before the next prompt.
      await session.prompt('Next').ended;
      expect([asked(session), offers(session)]).toEqual([[], []]);
    }));
});

test.each([
  { name: 'plain v1', version: 1, profile: profiles.plainV1 },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1 },
  { name: 'plain v2', version: 2, profile: profiles.plainV2 },
] as const)('S3.194 $name gets no suggestions, and none are asked for', ({ version, profile }) =>
  withAgent({ version, profile }, async (_, session) => {
    session.model(text('Hello.'), text('Hello again.'));
    await session.prompt('Hi').ended;
    await session.prompt('Next').ended;
    expect([asked(session), offers(session)]).toEqual([[], []]);
  }),
);
