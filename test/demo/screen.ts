import { createStyle, type Paint, type Style, wantsColour } from './style.ts';

/** Where the text of a block begins; its label stands before it. */
const MARGIN = 8;
const WIDEST = 100;

export interface ScreenOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface Block {
  readonly id: string;
  readonly wraps: boolean;
  /** Stands before every line of the block. */
  readonly indent: string;
}

/**
 * Prints blocks with a label at the left, some of them piece by piece as their text arrives. One block is open at a
 * time: text of another one ends it.
 */
export class Screen {
  readonly style: Style;
  /** A person is looking. */
  readonly live: boolean;
  readonly #out: ScreenOutput;
  #open: Block | null = null;
  #column = 0;

  constructor(out: ScreenOutput, env: NodeJS.ProcessEnv) {
    this.#out = out;
    this.live = out.isTTY === true;
    this.style = createStyle(wantsColour(this.live, env));
  }

  /** A whole line, with the label at the left. */
  line(label: string, text: string, paint: Paint = this.style.plain): void {
    this.end();
    this.#out.write(`${paint(label.padEnd(MARGIN))}${text}\n`);
  }

  gap(): void {
    this.end();
    this.#out.write('\n');
  }

  /** More text of a block that wraps between words; the first piece writes the label. */
  flow(id: string, label: string, text: string, paint: { readonly label: Paint; readonly text: Paint }): void {
    if (this.#open?.id !== id)
      this.#begin({ id, wraps: true, indent: ' '.repeat(MARGIN) }, paint.label(label.padEnd(MARGIN)));
    this.#write(text, paint.text);
  }

  /** More lines of something that has its own line breaks, such as the output of a command. */
  quote(id: string, text: string, paint: Paint = this.style.plain): void {
    const indent = `${' '.repeat(MARGIN)}${this.style.dim('│')} `;
    if (this.#open?.id !== id) this.#begin({ id, wraps: false, indent }, indent);
    this.#write(text, paint);
  }

  /** Ends the open block. */
  end(): void {
    if (this.#open === null) return;
    if (this.#column > 0) this.#out.write('\n');
    this.#open = null;
  }

  #begin(block: Block, start: string): void {
    this.end();
    this.#open = block;
    this.#out.write(start);
    this.#column = MARGIN;
  }

  #write(text: string, paint: Paint): void {
    const pieces = this.#open?.wraps === true ? /\r?\n|[^\S\n]*\S+|[^\S\n]+/g : /\r?\n|.+/g;
    for (const piece of text.match(pieces) ?? []) {
      if (piece.endsWith('\n')) this.#breakLine();
      else this.#put(piece, paint);
    }
  }

  #put(piece: string, paint: Paint): void {
    const full = this.#open?.wraps === true && this.#column > MARGIN && this.#column + piece.length > this.#width;
    if (full) this.#breakLine();
    const shown = full ? piece.trimStart() : piece;
    if (shown === '') return;
    if (this.#column === 0) {
      this.#out.write(this.#open?.indent ?? '');
      this.#column = MARGIN;
    }
    this.#out.write(paint(shown));
    this.#column += shown.length;
  }

  #breakLine(): void {
    this.#out.write('\n');
    this.#column = 0;
  }

  /** Some terminals do not know their width and say 0. */
  get #width(): number {
    const { columns } = this.#out;
    return columns === undefined || columns <= 2 * MARGIN ? WIDEST : Math.min(columns, WIDEST);
  }
}
