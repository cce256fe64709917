import type { CodexSkills, Skill } from '../../ports/outbound/codex-features.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';

/** The list of further skill folders that one process was told last. */
interface SentRoots {
  readonly epoch: number;
  readonly roots: readonly string[];
  /** Settles when Codex took the list; until then those who want the same list wait, too. */
  readonly taken: Promise<void>;
}

/** Skills of the running app-server. */
export class CodexSkillClient implements CodexSkills {
  readonly #call: CallCodex;
  readonly #epoch: () => number;
  /** `null` when it is not known what the process has: the next list is sent. */
  #sent: SentRoots | null = { epoch: 0, roots: [], taken: Promise.resolve() };

  constructor(call: CallCodex, epoch: () => number) {
    this.#call = call;
    this.#epoch = epoch;
  }

  /** S2.139. */
  async list(directories: readonly string[]): Promise<readonly Skill[]> {
    const { data } = await this.#call('skills/list', { cwds: directories });
    return (data ?? []).flatMap((entry) => (entry.skills ?? []).map(skill));
  }

  /** A new process starts with an empty list (S2.17). */
  useRoots(roots: readonly string[]): Promise<void> {
    const epoch = this.#epoch();
    if (this.#sent !== null && this.#sent.epoch !== epoch) {
      this.#sent = { epoch, roots: [], taken: Promise.resolve() };
    }
    if (this.#sent !== null && areEqual(this.#sent.roots, roots)) return this.#sent.taken;
    const taken = this.#send(roots);
    const sent: SentRoots = { epoch, roots, taken };
    this.#sent = sent;
    taken.catch(() => {
      if (this.#sent === sent) this.#sent = null;
    });
    return taken;
  }

  async #send(roots: readonly string[]): Promise<void> {
    await this.#call('skills/extraRoots/set', { extraRoots: roots });
  }
}

/** Codex names the short text in two places, the newer one first (S2.133). */
function skill(found: wire.SkillMetadata): Skill {
  return {
    name: found.name,
    description: found.interface?.shortDescription || found.shortDescription || found.description || found.name,
    path: found.path ?? '',
    enabled: found.enabled !== false,
  };
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((root, index) => root === b[index]);
}
