import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PactV4 } from '@pact-foundation/pact';
import type { Frame } from '../../test/support/acp-client.ts';
import { type Interaction, type PactFile, type ProviderState, pactPath, readPact } from './pact-file.ts';

// The native library reports its use to its makers unless told not to.
process.env.PACT_DO_NOT_TRACK = 'true';

/** What to do when the published pact says something else and should not. */
export const howToPublish = 'UPDATE_PACTS=1 npx vitest run --project contract publishes what the tests say';

interface Expected {
  /** What happens, after the topic: the description of the interaction is `<topic>: <about>`. */
  readonly about: string;
  readonly given: ProviderState;
  /** What a matcher cannot say; it goes into the pact as a comment. */
  readonly comment?: string;
}

/** A frame of the consumer and the frame that answers it. Frames may hold matchers. */
export interface ExpectedAnswer extends Expected {
  readonly request: object;
  readonly answer: object;
}

/** Frames that the provider sends in this order. Frames may hold matchers. */
export interface ExpectedFrames extends Expected {
  readonly frames: readonly object[];
}

/**
 * The part of a pact that one consumer test file writes. It is written into a folder of its own and then compared with
 * the published pact; with `UPDATE_PACTS=1` it replaces that part of the published pact instead.
 */
export class ConsumerPact {
  readonly #consumer: string;
  readonly #provider: string;
  readonly #topic: string;
  readonly #dir: string;
  readonly #pact: PactV4;
  #expected = 0;

  constructor(parts: { readonly consumer: string; readonly provider: string; readonly topic: string }) {
    this.#consumer = parts.consumer;
    this.#provider = parts.provider;
    this.#topic = parts.topic;
    const temporary = fileURLToPath(new URL('../.tmp/', import.meta.url));
    mkdirSync(temporary, { recursive: true });
    this.#dir = mkdtempSync(join(temporary, 'consumer-'));
    this.#pact = new PactV4({
      consumer: this.#consumer,
      provider: this.#provider,
      dir: this.#dir,
      logLevel: 'error',
    });
  }

  /** States an expectation; `read` is the consumer, and gets the example of the answer. */
  async answered(expected: ExpectedAnswer, read: (answer: Frame) => void): Promise<void> {
    this.#expected += 1;
    const interaction = this.#pact
      .addSynchronousInteraction(this.#description(expected))
      .given(expected.given.name, expected.given.params);
    if (expected.comment !== undefined) interaction.comment(expected.comment);
    await interaction
      .withRequest((request) => void request.withJSONContent(expected.request))
      .withResponse((response) => void response.withJSONContent(expected.answer))
      .executeTest(async ({ Response: [answer] }) => read(JSON.parse(String(answer?.content))));
  }

  /** States an expectation; `read` is the consumer, and gets the examples of the frames. */
  async received(expected: ExpectedFrames, read: (frames: readonly Frame[]) => void): Promise<void> {
    this.#expected += 1;
    const interaction = this.#pact.addAsynchronousInteraction().given(expected.given.name, expected.given.params);
    if (expected.comment !== undefined) interaction.comment(expected.comment);
    await interaction
      .expectsToReceive(this.#description(expected), (message) => void message.withJSONContent(expected.frames))
      .executeTest(async ({ contents }) => read(contents.content as unknown as readonly Frame[]));
  }

  /** What this file wrote and what the published pact says about the same topic. */
  compare(): { readonly written: readonly Interaction[]; readonly published: readonly Interaction[] } {
    const written = this.#written();
    if (process.env.UPDATE_PACTS === '1') this.#publish(written);
    return { written, published: this.#publishedInteractions().filter((one) => this.#isOurs(one)) };
  }

  /** Removes the temporary folder. */
  dispose(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #published(): string {
    return pactPath(this.#consumer, this.#provider);
  }

  /** Nothing is published before the first test file is. */
  #publishedInteractions(): readonly Interaction[] {
    return existsSync(this.#published) ? readPact(this.#published).interactions : [];
  }

  #written(): readonly Interaction[] {
    const path = join(this.#dir, `${this.#consumer}-${this.#provider}.json`);
    const { interactions }: PactFile = JSON.parse(readFileSync(path, 'utf8'));
    // An expectation whose test failed is not written; a pact without it must not look complete.
    if (interactions.length !== this.#expected) {
      throw new Error(`${this.#expected} expectations of "${this.#topic}" were stated, ${interactions.length} written`);
    }
    return sorted(interactions);
  }

  #publish(written: readonly Interaction[]): void {
    const others = this.#publishedInteractions().filter((one) => !this.#isOurs(one));
    // No versions of libraries: the file changes only when an expectation does.
    const pact: PactFile = {
      consumer: { name: this.#consumer },
      interactions: sorted([...others, ...written]),
      metadata: { pactSpecification: { version: '4.0' } },
      provider: { name: this.#provider },
    };
    writeFileSync(this.#published, `${JSON.stringify(pact, null, 2)}\n`);
  }

  #isOurs({ description }: Interaction): boolean {
    return description.startsWith(`${this.#topic}: `);
  }

  #description({ about }: Expected): string {
    return `${this.#topic}: ${about}`;
  }
}

function sorted(interactions: readonly Interaction[]): readonly Interaction[] {
  return [...interactions].sort((one, other) => (one.description < other.description ? -1 : 1));
}
