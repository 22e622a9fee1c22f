import { type CharacterClasses, classifyCharacters, classOf } from './classes.js';
import { type Program, type ProgramNode, readGroupProgram } from './program.js';
import { type Beside, holds } from './table.js';

/** Parts of a pattern, with all repetitions written out. */
const MOST_NODES = 1000;
/** Characters of a text that is matched. */
const MOST_TEXT = 1000;

/** A compiled pattern that tells what its groups have matched. */
export interface GroupPattern {
  /** How many groups it has. */
  readonly groups: number;
  /**
   * Returns the first match in `text`, and what each group has matched in it, as RegExp with the
   * flag u does. Null where there is none, and for texts of more than 1,000 characters.
   */
  exec(text: string): readonly (string | undefined)[] | null;
}

/**
 * Compiles a regular expression (ECMA-262, flag u) whose groups count. A text takes at most one
 * step for each of its characters and each part of the pattern. Throws a PatternError for
 * look-around, for back-references, for parts that repeat and may match nothing, and for more than
 * 1,000 parts.
 */
export function compileGroups(source: string): GroupPattern {
  const program = readGroupProgram(source, MOST_NODES);
  const classes = classifyCharacters(program.atoms, true);
  return {
    groups: program.groups,
    exec: (text) => (text.length > MOST_TEXT ? null : new Search({ program, classes, text }).run()),
  };
}

/** Goes on at a node, or gives a mark back the value that it had before. */
type Step =
  | { readonly node: number; readonly at: number }
  | { readonly slot: number; readonly mark: number };

interface SearchOptions {
  readonly program: Program;
  readonly classes: CharacterClasses;
  readonly text: string;
}

/** No place in a text. */
const NOWHERE = -1;

/**
 * Tries the ways through a program in RegExp's order. No node is tried twice at one place: the
 * first try has failed there, and nothing that came before can change that.
 */
class Search {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  readonly #text: string;
  readonly #isTried: Uint8Array;
  /** The beginning and the end of each group; the first two are those of the match. */
  readonly #marks: Int32Array;
  readonly #steps: Step[] = [];

  constructor({ program, classes, text }: SearchOptions) {
    this.#program = program;
    this.#classes = classes;
    this.#text = text;
    this.#isTried = new Uint8Array(program.nodes.length * (text.length + 1));
    this.#marks = new Int32Array(2 * (program.groups + 1)).fill(NOWHERE);
  }

  run(): readonly (string | undefined)[] | null {
    const { length } = this.#text;
    for (let at = 0; at <= length; at += at < length ? this.#widthAt(at) : 1) {
      if (!this.#matchFrom(at)) continue;
      this.#marks[0] = at;
      return Array.from({ length: this.#program.groups + 1 }, (_, group) => this.#group(group));
    }
    return null;
  }

  #group(number: number): string | undefined {
    const [from = NOWHERE, to = NOWHERE] = this.#marks.subarray(2 * number, 2 * number + 2);
    return from === NOWHERE || to === NOWHERE ? undefined : this.#text.slice(from, to);
  }

  #matchFrom(start: number): boolean {
    this.#steps.push({ node: this.#program.first, at: start });
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if ('slot' in step) this.#marks[step.slot] = step.mark;
      else if (this.#tryNode(step.node, step.at)) return true;
    }
    return false;
  }

  /** Returns true where the match is complete; else adds what is to be tried next. */
  #tryNode(index: number, at: number): boolean {
    const cell = index * (this.#text.length + 1) + at;
    if (this.#isTried[cell] === 1) return false;
    this.#isTried[cell] = 1;
    const node = this.#program.nodes[index];
    if (node === undefined) return false;
    if (node.kind === 'match') {
      this.#marks[1] = at;
      return true;
    }
    for (const next of this.#follow(node, at)) this.#steps.push(next);
    return false;
  }

  /** Returns what is to be tried after a node, the last first. */
  #follow(node: Exclude<ProgramNode, { kind: 'match' }>, at: number): readonly Step[] {
    switch (node.kind) {
      case 'character':
        return this.#takes(node.atom, at) ? [{ node: node.next, at: at + this.#widthAt(at) }] : [];
      case 'choice':
        return node.options.map((option) => ({ node: option, at })).reverse();
      case 'condition':
        return holds(node.condition, this.#beside(at - 1), this.#beside(at))
          ? [{ node: node.next, at }]
          : [];
      case 'mark':
        return [...this.#setMarks([node.slot], at), { node: node.next, at }];
      case 'clear': {
        const count = 2 * (node.last - node.first + 1);
        const slots = Array.from({ length: count }, (_, more) => 2 * node.first + more);
        return [...this.#setMarks(slots, NOWHERE), { node: node.next, at }];
      }
    }
  }

  /** Returns the steps that undo it. */
  #setMarks(slots: readonly number[], to: number): readonly Step[] {
    const before = slots.map((slot) => ({ slot, mark: this.#marks[slot] ?? NOWHERE }));
    for (const slot of slots) this.#marks[slot] = to;
    return before;
  }

  #takes(atom: number, at: number): boolean {
    const id = this.#classAt(at);
    return id !== null && this.#classes.isMatched[id]?.[atom] === true;
  }

  #beside(at: number): Beside {
    const id = this.#classAt(at);
    if (id === null) return 'edge';
    return this.#classes.isWord[id] === true ? 'word' : 'other';
  }

  /** Words have no character of two code units: half of one is as good as the whole. */
  #classAt(at: number): number | null {
    const code = this.#text.codePointAt(at);
    return code === undefined ? null : classOf(this.#classes.starts, this.#classes.ids, code);
  }

  #widthAt(at: number): number {
    return (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
}
