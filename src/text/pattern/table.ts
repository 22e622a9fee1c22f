import type { CharacterClasses } from './classes.js';
import { type Condition, PatternError, type Program } from './program.js';

/** The state from which no text matches, and the one from which every text does. */
export const DEAD = 0;
export const MATCHED = 1;
/** The state at the beginning of a text. */
export const FIRST = 2;

/** A pattern as a deterministic automaton. */
export interface Table {
  /** For each state and class the next state. */
  readonly rows: readonly (readonly number[])[];
  /** For each state, whether a text that ends here matches. */
  readonly endings: readonly boolean[];
}

/** The neighbour of a place in a text. */
export type Beside = 'edge' | 'word' | 'other';

/** The nodes at which a match may stand after some text, and what that text ends in. */
interface State {
  readonly nodes: readonly number[];
  readonly before: Beside;
}

/** The characters that a match may go on with, or that it is complete. */
interface Reach {
  readonly characters: readonly { readonly atom: number; readonly next: number }[];
  readonly isComplete: boolean;
}

/**
 * Finds all states of a program by the subset construction. Throws a PatternError where that takes
 * more than `most` steps: some patterns have more states than there is memory.
 */
export function buildTable(program: Program, classes: CharacterClasses, most: number): Table {
  const builder = new TableBuilder(program, classes, most);
  return withoutDeadEnds(builder.build());
}

class TableBuilder {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  readonly #most: number;
  readonly #states: State[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each node the search that met it last. */
  readonly #met: Uint32Array;
  #searches = 0;
  #steps = 0;

  constructor(program: Program, classes: CharacterClasses, most: number) {
    this.#program = program;
    this.#classes = classes;
    this.#most = most;
    this.#met = new Uint32Array(program.nodes.length);
  }

  build(): Table {
    const width = this.#classes.isMatched.length;
    const rows = [new Array<number>(width).fill(DEAD), new Array<number>(width).fill(MATCHED)];
    const endings = [false, true];
    this.#number({ nodes: [this.#program.first], before: 'edge' });
    for (const state of this.#states) {
      endings.push(this.#reach(state, 'edge').isComplete);
      rows.push(this.#row(state));
    }
    return { rows, endings };
  }

  #row(state: State): number[] {
    const { isMatched, isWord } = this.#classes;
    const reaches = new Map<Beside, Reach>();
    return isMatched.map((takes, id) => {
      const beside = isWord[id] === true ? 'word' : 'other';
      const reach = reaches.get(beside) ?? this.#reach(state, beside);
      reaches.set(beside, reach);
      if (reach.isComplete) return MATCHED;
      this.#count(reach.characters.length + 1);
      // A match may begin at each character.
      const nodes = new Set([this.#program.first]);
      for (const { atom, next } of reach.characters) if (takes[atom] === true) nodes.add(next);
      return this.#number({ nodes: [...nodes].sort((a, b) => a - b), before: beside });
    });
  }

  #number(state: State): number {
    this.#count(state.nodes.length);
    const key = `${state.before} ${state.nodes.join(' ')}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#states.push(state) - 1 + FIRST;
    this.#numbers.set(key, number);
    return number;
  }

  /** Follows choices and conditions as far as they lead where `after` comes next. */
  #reach(state: State, after: Beside): Reach {
    const search = ++this.#searches;
    const characters: Reach['characters'][number][] = [];
    let isComplete = false;
    const open = [...state.nodes];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#met[at] === search) continue;
      this.#met[at] = search;
      this.#count(1);
      const node = this.#program.nodes[at];
      if (node?.kind === 'character') characters.push(node);
      else if (node?.kind === 'choice') open.push(...node.options);
      else if (node?.kind === 'condition') {
        if (holds(node.condition, state.before, after)) open.push(node.next);
      } else if (node?.kind === 'match') isComplete = true;
    }
    return { characters, isComplete };
  }

  #count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#most) throw new PatternError('unsafe', TOO_MANY_STATES);
  }
}

/** The edge of a text counts as no word. */
export function holds(condition: Condition, before: Beside, after: Beside): boolean {
  switch (condition) {
    case 'start':
      return before === 'edge';
    case 'end':
      return after === 'edge';
    case 'boundary':
      return (before === 'word') !== (after === 'word');
    case 'noBoundary':
      return (before === 'word') === (after === 'word');
  }
}

/** Replaces states from which nothing can match any more by DEAD, so that matching stops there. */
function withoutDeadEnds({ rows, endings }: Table): Table {
  const sources = rows.map((): number[] => []);
  for (const [from, row] of rows.entries()) for (const target of row) sources[target]?.push(from);
  const isAlive = [...endings];
  const open = [...endings.keys()].filter((state) => endings[state] === true);
  for (let state = open.pop(); state !== undefined; state = open.pop())
    for (const source of sources[state] ?? []) {
      if (isAlive[source] === true) continue;
      isAlive[source] = true;
      open.push(source);
    }
  return {
    endings,
    rows: rows.map((row) => row.map((target) => (isAlive[target] === true ? target : DEAD))),
  };
}

const TOO_MANY_STATES =
  'the server would have to follow too many possible matches of this pattern at once. Begin it ' +
  'with ^, shorten counted repetitions such as {1,1000} (maxLength bounds the length of the ' +
  'text), or check the text in a hook.';
