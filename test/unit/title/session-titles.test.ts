import { describe, expect, it } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { InitialTitle } from '../../../src/domain/title/session-titles.ts';
import { SessionTitles } from '../../../src/domain/title/session-titles.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { FakeSession } from './fake-session.ts';

const refused = new CodexRequestError(-32600, 'no');

/** One session's titles over a Codex that answers when the test says so. */
class TitleLab {
  readonly session = new FakeSession();
  readonly codex = new FakeCodex();
  readonly titles: SessionTitles;
  canTitle = true;
  /** How the renames ended, in that order. */
  readonly ended: string[] = [];

  constructor(initial: InitialTitle = { origin: 'unset' }) {
    for (const method of ['makeTitle', 'setName'] as const) this.codex.manual.add(method);
    const ports = { threads: this.codex, sampling: this.codex.sampling };
    this.titles = new SessionTitles(this.session, ports, initial, () => this.canTitle);
  }

  promptEnded(text = 'Fix the build', over: { ordinary?: boolean; inserted?: boolean; normal?: boolean } = {}): void {
    this.titles.promptEnded({ ordinary: true, inserted: true, normal: true, texts: [text], ...over });
  }

  rename(name: string): void {
    this.titles.rename(name).then(
      () => this.ended.push(`renamed ${name}`),
      (error: Error) => this.ended.push(`failed ${name}: ${error.message}`),
    );
  }

  async modelAnswers(title: string | null | Error): Promise<void> {
    const held = this.codex.heldTitles.shift();
    if (title instanceof Error) held?.reject(title);
    else held?.resolve(title);
    await this.session.turnOver();
  }

  async nameWritten(error?: Error): Promise<void> {
    const held = this.codex.heldNames.shift();
    if (error === undefined) held?.resolve();
    else held?.reject(error);
    await this.session.turnOver();
  }

  async pass(ms: number): Promise<void> {
    this.session.clock.advance(ms);
    await this.session.turnOver();
  }

  async crash(): Promise<void> {
    this.codex.crash();
    await this.session.turnOver();
  }

  /** Resolves at most to the text; a promise that waits gives `waits`. */
  async stateOf(promise: Promise<void>): Promise<string> {
    let state = 'waits';
    promise.then(() => (state = 'resolved')).catch(() => (state = 'rejected'));
    await this.session.turnOver();
    return state;
  }

  get shown(): readonly (string | null)[] {
    return this.session.shown.map((update) => (update.type === 'title' ? update.title : `not a title: ${update.type}`));
  }

  get written(): readonly string[] {
    return this.codex.of('setName').map((call) => call.name);
  }

  get generations(): number {
    return this.codex.of('makeTitle').length;
  }
}

describe('fallback title', () => {
  it('S3.190 the text blocks of the first prompt, joined and collapsed', () => {
    const lab = new TitleLab();
    const texts = [' Fix\n the ', 'build\t now'];
    lab.titles.promptEnded({ ordinary: true, inserted: true, normal: true, texts });
    expect(lab.shown).toEqual(['Fix the build now']);
  });

  it('S3.190 S2.178 cut to 256 with an ellipsis, no pair torn', () => {
    const lab = new TitleLab();
    lab.promptEnded(`${'x'.repeat(254)}😀😀`);
    expect(lab.shown).toEqual([`${'x'.repeat(254)}…`]);
  });

  it.each([
    ['S3.190 not for a command', { ordinary: false }],
    ['S3.190 not for a prompt that was not inserted', { inserted: false }],
    ['S3.190 not for a prompt that failed or was cancelled', { normal: false }],
  ])('%s', (_name, over) => {
    const lab = new TitleLab();
    lab.promptEnded('Fix the build', over);
    expect(lab.shown).toEqual([]);
  });

  it('S3.190 not without text; the next prompt with text gives it', () => {
    const lab = new TitleLab();
    lab.promptEnded(' \n');
    lab.promptEnded('Fix');
    lab.promptEnded('Other');
    expect(lab.shown).toEqual(['Fix']);
  });

  it.each(['explicit', 'fallback', 'generated', 'unknown'] as const)('S3.190 not when the title is %s', (origin) => {
    const lab = new TitleLab({ origin });
    lab.promptEnded();
    expect(lab.shown).toEqual([]);
  });

  it('S3.190 S9.123 not while a rename is under way', () => {
    const lab = new TitleLab();
    lab.rename('Mine');
    lab.promptEnded();
    expect(lab.shown).toEqual([]);
  });
});

describe('generated title', () => {
  it('S3.191 is made in the background, written, and shown by its echo', async () => {
    const lab = new TitleLab();
    lab.promptEnded('Fix the build');
    expect(lab.codex.of('makeTitle')).toEqual([
      { method: 'makeTitle', cwd: '/w', text: 'Fix the build', model: 'gpt-5.6-luna' },
    ]);
    await lab.modelAnswers('"Repair the broken build"');
    await lab.nameWritten();
    expect(lab.codex.of('setName')).toEqual([
      { method: 'setName', threadId: 'thread-1', name: 'Repair the broken build' },
    ]);
    expect(lab.shown).toEqual(['Fix the build']);
    lab.titles.named('Repair the broken build');
    expect(lab.shown).toEqual(['Fix the build', 'Repair the broken build']);
    expect(lab.titles.generating).toBe(false);
  });

  it('S3.191 an echo before the answer of Codex is shown at once', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Title']);
    await lab.nameWritten();
    expect(lab.titles.generating).toBe(false);
  });

  it('S3.191 once per session', async () => {
    const lab = new TitleLab();
    lab.promptEnded();
    lab.promptEnded('Second');
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.promptEnded('Third');
    lab.titles.named('Title');
    lab.promptEnded('Fourth');
    expect(lab.generations).toBe(1);
  });

  it('S3.191 without an echo it is over after 5 s, and a later echo is still shown as the generated one', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    await lab.pass(4999);
    expect(lab.titles.generating).toBe(true);
    await lab.pass(1);
    expect(lab.titles.generating).toBe(false);
    expect(lab.shown).toEqual([]);
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Title']);
    expect(lab.titles.origin).toBe('generated');
  });

  it.each(['explicit', 'generated', 'unknown'] as const)('S3.191 S9.131 never when the title is %s', (origin) => {
    const lab = new TitleLab({ origin });
    lab.promptEnded();
    expect(lab.generations).toBe(0);
  });

  it.each([
    ['S3.191 not after a command', { ordinary: false }],
    ['S3.191 not after a prompt that failed or was cancelled', { normal: false }],
  ])('%s', (_name, over) => {
    const lab = new TitleLab();
    lab.promptEnded('Fix', over);
    expect(lab.generations).toBe(0);
    lab.promptEnded('Mend');
    expect(lab.codex.of('makeTitle').map((call) => call.text)).toEqual(['Mend']);
  });

  it('S9.130 no request for a prompt without text', () => {
    const lab = new TitleLab();
    lab.promptEnded(' ');
    expect(lab.generations).toBe(0);
    lab.promptEnded('Fix');
    expect(lab.generations).toBe(1);
  });

  it('S3.191 the source is cut at 4000 units', () => {
    const lab = new TitleLab();
    lab.promptEnded(`${'x'.repeat(3999)}😀`);
    expect(lab.codex.of('makeTitle')[0]?.text).toBe('x'.repeat(3999));
  });

  it.each([
    ['S3.193 a failure is silent and final', refused],
    ['S9.133 an empty title is none', ' "" '],
    ['S9.133 no title', null],
  ])('%s', async (_name, answer) => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers(answer);
    expect(lab.titles.generating).toBe(false);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
    expect(lab.written).toEqual([]);
    expect(lab.shown).toEqual([]);
  });

  it('S3.193 a name that Codex refuses is silent and final', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    await lab.nameWritten(refused);
    expect(lab.titles.generating).toBe(false);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
    expect(lab.shown).toEqual([]);
  });

  it('S3.193 is skipped while the provider lacks the title model; the first prompt stays its source', () => {
    const lab = new TitleLab();
    lab.canTitle = false;
    lab.promptEnded('Fix the build');
    expect(lab.shown).toEqual(['Fix the build']);
    expect(lab.generations).toBe(0);
    lab.canTitle = true;
    lab.promptEnded('Thanks');
    expect(lab.codex.of('makeTitle').map((call) => call.text)).toEqual(['Fix the build']);
  });
});

describe('names that Codex reports', () => {
  it('S4.91 S2.178 are shown normalised; no name is null', () => {
    const lab = new TitleLab();
    lab.titles.named(' Fix\n the   bug ');
    lab.titles.named(' ');
    lab.titles.named('x'.repeat(300));
    lab.titles.named(null);
    expect(lab.shown).toEqual(['Fix the bug', null, `${'x'.repeat(255)}…`, null]);
  });

  it('S4.91 a session that showed no title shows that there is none', () => {
    const lab = new TitleLab();
    lab.titles.named(null);
    expect(lab.shown).toEqual([null]);
  });

  it('S9.124 what the client sees already is not repeated', () => {
    const lab = new TitleLab({ origin: 'explicit', shown: 'Loaded  title' });
    lab.titles.named('Loaded title');
    lab.titles.named('Other');
    lab.titles.named(' Other ');
    expect(lab.shown).toEqual(['Other']);
  });

  it('S4.91 count as explicit and stop automatic titles', () => {
    const lab = new TitleLab();
    lab.titles.named('Mine');
    lab.promptEnded();
    expect(lab.shown).toEqual(['Mine']);
    expect(lab.generations).toBe(0);
  });

  it('S4.91 a name equal to the fallback title is explicit too', async () => {
    const lab = new TitleLab();
    lab.promptEnded('Fix');
    lab.titles.named('Fix');
    await lab.modelAnswers('Title');
    expect(lab.written).toEqual([]);
    expect(lab.shown).toEqual(['Fix']);
  });

  it('S3.192 a name reported during the generation wins', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    lab.titles.named('Mine');
    await lab.modelAnswers('Title');
    expect(lab.written).toEqual([]);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
    expect(lab.shown).toEqual(['Mine']);
  });

  it('S9.125 S4.91 after a name was reported, the echo of the generated one is not sent, any other is', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.titles.named('Mine');
    await lab.nameWritten();
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Mine']);
    lab.titles.named('Yours');
    expect(lab.shown).toEqual(['Mine', 'Yours']);
    expect(lab.titles.origin).toBe('explicit');
  });
});

describe('rename', () => {
  it('S2.124 sends the argument, is told by the echo, and then is over', async () => {
    const lab = new TitleLab();
    lab.rename('  My   title ');
    expect(lab.codex.of('setName')).toEqual([{ method: 'setName', threadId: 'thread-1', name: '  My   title ' }]);
    await lab.nameWritten();
    expect(lab.ended).toEqual([]);
    lab.titles.named('  My   title ');
    expect(lab.shown).toEqual(['My title']);
    await lab.session.turnOver();
    expect(lab.ended).toEqual(['renamed   My   title ']);
    expect(lab.session.clock.waiting).toBe(0);
  });

  it('S2.124 the echo may come before the answer', async () => {
    const lab = new TitleLab();
    lab.rename('Mine');
    lab.titles.named('Mine');
    expect(lab.shown).toEqual(['Mine']);
    await lab.session.turnOver();
    expect(lab.ended).toEqual([]);
    await lab.nameWritten();
    expect(lab.ended).toEqual(['renamed Mine']);
  });

  it('S2.124 without an echo it shows the title itself after 5 s, and a later equal echo is not repeated', async () => {
    const lab = new TitleLab();
    lab.rename('Mine');
    await lab.nameWritten();
    await lab.pass(4999);
    expect(lab.shown).toEqual([]);
    await lab.pass(1);
    expect(lab.shown).toEqual(['Mine']);
    expect(lab.ended).toEqual(['renamed Mine']);
    lab.titles.named('Mine');
    expect(lab.shown).toEqual(['Mine']);
  });

  it('S9.124 to the title that is shown already sends nothing, and succeeds', async () => {
    const lab = new TitleLab({ origin: 'explicit', shown: 'Mine' });
    lab.rename('Mine');
    await lab.nameWritten();
    lab.titles.named('Mine');
    await lab.session.turnOver();
    expect(lab.ended).toEqual(['renamed Mine']);
    expect(lab.shown).toEqual([]);
  });

  it('S9.121 a blank title is refused before Codex is called', async () => {
    const lab = new TitleLab();
    await expect(lab.titles.rename(' \n')).rejects.toMatchObject({
      kind: 'invalidParams',
      message: 'title must be a non-empty string',
      data: { sessionId: 'thread-1' },
    });
    expect(lab.written).toEqual([]);
  });

  it('S9.122 renames are written one after another; a failed one does not block the next', async () => {
    const lab = new TitleLab();
    lab.rename('One');
    lab.rename('Two');
    lab.rename('Three');
    expect(lab.written).toEqual(['One']);
    await lab.nameWritten();
    lab.titles.named('One');
    expect(lab.written).toEqual(['One', 'Two']);
    await lab.nameWritten(refused);
    expect(lab.written).toEqual(['One', 'Two', 'Three']);
    await lab.nameWritten();
    lab.titles.named('Three');
    await lab.session.turnOver();
    expect(lab.shown).toEqual(['One', 'Three']);
    expect(lab.ended).toEqual(['renamed One', 'failed Two: no', 'renamed Three']);
  });

  it('S9.124 stops automatic titles', async () => {
    const lab = new TitleLab();
    lab.rename('Mine');
    await lab.nameWritten();
    lab.promptEnded();
    await lab.pass(5000);
    lab.promptEnded();
    expect(lab.generations).toBe(0);
    expect(lab.shown).toEqual(['Mine']);
    expect(lab.titles.origin).toBe('explicit');
  });

  it('S9.126 a failed one sends nothing, and automatic titles stay possible', async () => {
    const lab = new TitleLab();
    lab.rename('Mine');
    await lab.nameWritten(refused);
    expect(lab.ended).toEqual(['failed Mine: no']);
    expect(lab.shown).toEqual([]);
    lab.promptEnded('Fix');
    expect(lab.shown).toEqual(['Fix']);
    expect(lab.generations).toBe(1);
  });
});

describe('rename and generation', () => {
  it('S3.192 S9.123 R34 a rename during the generation wins: the title is not written', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    lab.rename('Mine');
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.titles.named('Mine');
    expect(lab.written).toEqual(['Mine']);
    expect(lab.shown).toEqual(['Mine']);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
  });

  it('S3.192 S9.126 a later failure of that rename lets the next prompt generate again', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded('Fix the build');
    lab.rename('Mine');
    await lab.modelAnswers('Title');
    lab.promptEnded('More');
    expect(lab.generations).toBe(1);
    await lab.nameWritten(refused);
    expect(lab.generations).toBe(1);
    lab.promptEnded('And more');
    expect(lab.codex.of('makeTitle').map((call) => call.text)).toEqual(['Fix the build', 'Fix the build']);
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.titles.named('Title');
    expect(lab.written).toEqual(['Mine', 'Title']);
    expect(lab.shown).toEqual(['Title']);
  });

  it('S3.192 a rename that failed before the title came does not stop it', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    lab.rename('Mine');
    await lab.nameWritten(refused);
    await lab.modelAnswers('Title');
    expect(lab.written).toEqual(['Mine', 'Title']);
  });

  it('S9.126 with several renames automatic titles return only when all failed', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.rename('One');
    lab.rename('Two');
    await lab.nameWritten(refused);
    lab.promptEnded();
    expect(lab.generations).toBe(0);
    await lab.nameWritten(refused);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
  });

  it('S9.126 one rename that succeeded stops automatic titles, also when a later one fails', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.rename('One');
    lab.rename('Two');
    await lab.nameWritten();
    lab.titles.named('One');
    await lab.nameWritten(refused);
    lab.promptEnded();
    expect(lab.generations).toBe(0);
    expect(lab.shown).toEqual(['One']);
  });

  it('S9.123 S9.160 a title that is being written finishes first, and its echo is not sent', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    expect(lab.written).toEqual(['Title']);
    await lab.nameWritten();
    expect(lab.titles.generating).toBe(false);
    expect(lab.written).toEqual(['Title', 'Mine']);
    lab.titles.named('Title');
    await lab.nameWritten();
    lab.titles.named('Mine');
    await lab.session.turnOver();
    expect(lab.shown).toEqual(['Mine']);
    expect(lab.ended).toEqual(['renamed Mine']);
    expect(lab.titles.origin).toBe('explicit');
  });

  it('S9.123 a title that cannot be written does not block the rename', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    await lab.nameWritten(refused);
    expect(lab.written).toEqual(['Title', 'Mine']);
  });

  it('S9.123 a written title whose echo is out does not hold up the rename', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.rename('Mine');
    expect(lab.written).toEqual(['Title', 'Mine']);
    lab.titles.named('Title');
    await lab.nameWritten();
    lab.titles.named('Mine');
    expect(lab.shown).toEqual(['Mine']);
  });

  it('S9.125 the overtaken title is swallowed when its echo comes after the rename was told', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    await lab.nameWritten();
    await lab.nameWritten();
    await lab.pass(5000);
    lab.titles.named('Title');
    lab.titles.named('Mine');
    expect(lab.shown).toEqual(['Mine']);
  });

  it('S9.125 the same text given later by somebody else is shown', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    await lab.nameWritten();
    lab.titles.named('Title');
    await lab.nameWritten();
    lab.titles.named('Mine');
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Mine', 'Title']);
  });

  it('S9.125 also when the echo of the generated one never came', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    await lab.nameWritten();
    await lab.nameWritten();
    lab.titles.named('Mine');
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Mine', 'Title']);
  });

  it('S9.126 when the rename fails, the title that had finished before it is shown: it is the name of the thread', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    lab.titles.named('Title');
    await lab.nameWritten();
    expect(lab.shown).toEqual([]);
    await lab.nameWritten(refused);
    expect(lab.shown).toEqual(['Title']);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
  });

  it('S9.124 a rename to the very title that is being written is told once', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Same');
    lab.rename('Same');
    lab.titles.named('Same');
    expect(lab.shown).toEqual([]);
    await lab.nameWritten();
    await lab.nameWritten();
    lab.titles.named('Same');
    await lab.session.turnOver();
    expect(lab.shown).toEqual(['Same']);
    expect(lab.ended).toEqual(['renamed Same']);
    expect(lab.titles.origin).toBe('explicit');
  });
});

describe('waiting for a generation', () => {
  it('S3.192 there is nothing to wait for when none runs', async () => {
    const lab = new TitleLab();
    expect(lab.titles.generating).toBe(false);
    expect(await lab.stateOf(lab.titles.whenGenerated(10_000))).toBe('resolved');
    expect(lab.session.clock.waiting).toBe(0);
  });

  it('S3.192 S9.132 lasts until the echo was shown', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    const waiting = lab.titles.whenGenerated(10_000);
    expect(await lab.stateOf(waiting)).toBe('waits');
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    expect(await lab.stateOf(waiting)).toBe('waits');
    lab.titles.named('Title');
    expect(await lab.stateOf(waiting)).toBe('resolved');
    expect(lab.session.clock.waiting).toBe(0);
  });

  it('S3.192 ends with a failed generation', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    const waiting = lab.titles.whenGenerated(10_000);
    await lab.modelAnswers(refused);
    expect(await lab.stateOf(waiting)).toBe('resolved');
  });

  it('S3.192 lasts 10 s at most; the title comes later all the same', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    const waiting = lab.titles.whenGenerated(10_000);
    await lab.pass(9999);
    expect(await lab.stateOf(waiting)).toBe('waits');
    await lab.pass(1);
    expect(await lab.stateOf(waiting)).toBe('resolved');
    await lab.modelAnswers('Title');
    expect(lab.written).toEqual(['Title']);
  });
});

describe('app-server restart', () => {
  it('S3.192 a generation that the process took with it is made again at the next end of a prompt', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded('Fix');
    const waiting = lab.titles.whenGenerated(10_000);
    await lab.crash();
    lab.titles.codexReplaced();
    expect(await lab.stateOf(waiting)).toBe('resolved');
    expect(lab.generations).toBe(1);
    lab.promptEnded('More');
    expect(lab.generations).toBe(2);
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.titles.named('Title');
    expect(lab.shown).toEqual(['Title']);
  });

  it('S3.192 an answer of the old process is dropped', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    lab.titles.codexReplaced();
    lab.promptEnded();
    await lab.modelAnswers('Old');
    expect(lab.written).toEqual([]);
    await lab.modelAnswers('New');
    expect(lab.written).toEqual(['New']);
  });

  it('S3.192 a title that could not be written is made again', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    await lab.crash();
    lab.promptEnded();
    expect(lab.generations).toBe(2);
  });

  it('S3.192 the same when the restart is heard of before the failure', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.titles.codexReplaced();
    await lab.crash();
    lab.promptEnded();
    expect(lab.generations).toBe(2);
  });

  it('S3.191 a title that Codex reported before it died is not made again', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.titles.named('Title');
    await lab.crash();
    lab.titles.codexReplaced();
    lab.promptEnded();
    expect(lab.generations).toBe(1);
    expect(lab.shown).toEqual(['Title']);
  });

  it('S3.191 a title that Codex took is not made again', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    await lab.nameWritten();
    lab.titles.codexReplaced();
    expect(lab.titles.generating).toBe(false);
    expect(lab.session.clock.waiting).toBe(0);
    lab.promptEnded();
    expect(lab.generations).toBe(1);
  });

  it('S2.124 a rename that Codex took is told at once; one in flight fails with the loss', async () => {
    const lab = new TitleLab();
    lab.rename('One');
    await lab.nameWritten();
    lab.rename('Two');
    lab.titles.codexReplaced();
    expect(lab.shown).toEqual(['One']);
    await lab.crash();
    expect(lab.ended[0]).toBe('renamed One');
    expect(lab.ended[1]).toMatch(/^failed Two: .*app-server/);
    expect(lab.session.clock.waiting).toBe(0);
  });

  it('S9.123 a rename that waits for a title of the dead process goes on', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    lab.titles.codexReplaced();
    expect(lab.written).toEqual(['Title', 'Mine']);
  });
});

describe('close', () => {
  it('S3.73 S9.161 a title that comes later is neither written nor shown', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    const waiting = lab.titles.whenGenerated(10_000);
    lab.titles.close();
    expect(await lab.stateOf(waiting)).toBe('resolved');
    await lab.modelAnswers('Title');
    expect(lab.written).toEqual([]);
    expect(lab.shown).toEqual([]);
    expect(lab.session.clock.waiting).toBe(0);
  });

  it('S3.73 S9.161 a rename that waits for a title to be written is not sent', async () => {
    const lab = new TitleLab({ origin: 'fallback' });
    lab.promptEnded();
    await lab.modelAnswers('Title');
    lab.rename('Mine');
    lab.titles.close();
    await lab.nameWritten();
    expect(lab.written).toEqual(['Title']);
  });

  it('S3.73 renames end, and no waiting one is written', async () => {
    const lab = new TitleLab();
    lab.rename('One');
    await lab.nameWritten();
    lab.rename('Two');
    lab.titles.close();
    lab.rename('Three');
    await lab.session.turnOver();
    const reason = 'The session was closed before it was renamed';
    expect(lab.ended).toEqual([`failed One: ${reason}`, `failed Two: ${reason}`, `failed Three: ${reason}`]);
    expect(lab.written).toEqual(['One']);
    expect(lab.shown).toEqual([]);
    expect(lab.session.clock.waiting).toBe(0);
  });
});
