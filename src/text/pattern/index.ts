import { type CharacterClasses, classifyCharacters, classOf } from './classes.js';
import { readProgram } from './program.js';
import { buildTable, DEAD, FIRST, MATCHED, type Table } from './table.js';

export { PatternError } from './program.js';

/** Parts of a pattern, with all repetitions written out. */
const MOST_NODES = 10_000;
/** Work to find a pattern's states: some 50 ms. */
const MOST_STEPS = 500_000;

/** A compiled pattern. */
export interface Pattern {
  /** Returns true where the pattern matches anywhere in `text`, as RegExp with the flag u does. */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression (ECMA-262, flag u) to a table. A text is then matched in one look
 * at the table for each of its characters, whatever the pattern and the text. RegExp takes
 * exponential time for some. Throws a PatternError for what has no table, or too large a one.
 */
export function compilePattern(source: string): Pattern {
  const program = readProgram(source, MOST_NODES);
  const hasBoundaries = program.nodes.some(
    (node) =>
      node.kind === 'condition' &&
      (node.condition === 'boundary' || node.condition === 'noBoundary'),
  );
  const classes = classifyCharacters(program.atoms, hasBoundaries);
  return new TablePattern(classes, buildTable(program, classes, MOST_STEPS));
}

class TablePattern implements Pattern {
  readonly #ascii: Uint16Array;
  readonly #starts: Int32Array;
  readonly #ids: Uint16Array;
  readonly #width: number;
  /** Rows one after the other. States are the places at which their rows begin. */
  readonly #cells: Int32Array;
  readonly #endings: readonly boolean[];

  constructor({ ascii, starts, ids, isMatched }: CharacterClasses, { rows, endings }: Table) {
    this.#ascii = ascii;
    this.#starts = starts;
    this.#ids = ids;
    this.#width = isMatched.length;
    this.#cells = Int32Array.from(rows.flat(), (state) => state * isMatched.length);
    this.#endings = endings;
  }

  test(text: string): boolean {
    const width = this.#width;
    const cells = this.#cells;
    const ascii = this.#ascii;
    let state = FIRST * width;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let id = 0;
      if (unit < 128) id = ascii[unit] ?? 0;
      else {
        const code = text.codePointAt(at) ?? 0;
        if (code > 0xffff) at++;
        id = classOf(this.#starts, this.#ids, code);
      }
      state = cells[state + id] ?? 0;
      if (state === DEAD * width) return false;
      if (state === MATCHED * width) return true;
    }
    return this.#endings[state / width] === true;
  }
}
