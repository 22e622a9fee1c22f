import { type CharacterClasses, classifyCharacters } from '../../../src/text/pattern/classes.js';
import { type Program, readProgram } from '../../../src/text/pattern/program.js';

/**
 * Whether RegExp, which tries one way after the other, could take more than linear time to find
 * that a text doesn't match. It could where the automaton has one of two shapes (Weber and Seidl,
 * "On the degree of ambiguity of finite automata", 1991). There are two ways from a state to itself
 * by one text, or a text leads from p to p, from p to q and from q to q. A search that may begin
 * anywhere is a loop before the first state. Conditions such as \b are taken to hold, so some
 * patterns that are linear count as slow; none that is slow counts as linear.
 */
export function isSlow(source: string): boolean {
  const program = readProgram(source, 20_000);
  const graph = new Graph(program, classifyCharacters(program.atoms, false));
  return graph.hasTwoLoops() || graph.hasChain();
}

/** The loop that skips characters before a match. */
const SEARCH = -1;

class Graph {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  /** For each state, and each class of characters that it takes, the states behind it. */
  readonly #edges = new Map<number, ReadonlyMap<number, readonly number[]>>();
  readonly #loops: readonly number[];
  #hasTwoEdges = false;

  constructor(program: Program, classes: CharacterClasses) {
    this.#program = program;
    this.#classes = classes;
    const first = this.#follow(program.first, true);
    const search = this.#follow(program.first, false);
    // A pattern that begins with ^ is tried at one place.
    if (search.ends || search.states.length > 0) this.#add(SEARCH, [SEARCH, ...search.states]);
    for (const state of first.states) this.#visit(state);
    for (const state of search.states) this.#visit(state);
    this.#loops = [...this.#edges.keys()].filter((state) => this.#reaches(state, state));
  }

  /** Two ways from a state to itself. */
  hasTwoLoops(): boolean {
    if (this.#hasTwoEdges) return true;
    return this.#loops.some((state) => {
      const found = this.#together([state, state], () => true);
      for (const pair of found.values())
        if (pair[0] !== pair[1] && this.#leads(pair, [state, state])) return true;
      return false;
    });
  }

  /** A loop, a way to another loop, and that loop, all by one text. */
  hasChain(): boolean {
    return this.#loops.some((p) =>
      this.#loops.some((q) => p !== q && this.#reaches(p, q) && this.#leads([p, p, q], [p, q, q])),
    );
  }

  #visit(state: number): void {
    if (this.#edges.has(state)) return;
    this.#edges.set(state, new Map());
    const node = this.#program.nodes[state];
    if (node?.kind !== 'character') return;
    const { states, ends } = this.#follow(node.next, false);
    // RegExp is content with the first match: nothing is tried behind it.
    if (ends) return;
    this.#add(state, states);
    for (const next of states) this.#visit(next);
  }

  #add(state: number, next: readonly number[]): void {
    const taken = this.#classes.isMatched.flatMap((takes, id) =>
      this.#takes(state, takes) ? [id] : [],
    );
    this.#edges.set(state, new Map(taken.map((id) => [id, next])));
    const isTwice = new Set(next).size < next.length;
    if (
      isTwice &&
      next.some((to) => next.indexOf(to) !== next.lastIndexOf(to) && this.#canReturn(to, state))
    )
      this.#hasTwoEdges = true;
  }

  /** Whether a way in the program leads from a node back to a state, whatever the characters. */
  #canReturn(from: number, to: number): boolean {
    const seen = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === to) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      const node = this.#program.nodes[at];
      if (node?.kind === 'choice') open.push(...node.options);
      else if (node !== undefined && node.kind !== 'match') open.push(node.next);
    }
    return false;
  }

  #takes(state: number, takes: readonly boolean[]): boolean {
    if (state === SEARCH) return true;
    const node = this.#program.nodes[state];
    return node?.kind === 'character' && takes[node.atom] === true;
  }

  /**
   * The states that a node leads to without a character, once for each way, and whether one way is
   * a whole match.
   */
  #follow(first: number, isStart: boolean): { states: number[]; ends: boolean } {
    const states: number[] = [];
    let ends = false;
    const walk = (at: number, path: readonly number[], isSure: boolean): void => {
      if (path.includes(at)) return;
      const node = this.#program.nodes[at];
      if (node?.kind === 'character') states.push(at);
      else if (node?.kind === 'choice')
        for (const option of node.options) walk(option, [...path, at], isSure);
      else if (node?.kind === 'condition') {
        if (node.condition !== 'start' || isStart) walk(node.next, [...path, at], false);
      } else if (isSure) ends = true;
    };
    walk(first, [], true);
    return { states, ends };
  }

  #reaches(from: number, to: number): boolean {
    const seen = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of [...(this.#edges.get(at)?.values() ?? [])].flat()) {
        if (next === to) return true;
        if (!seen.has(next)) open.push(next);
        seen.add(next);
      }
    return false;
  }

  #leads(from: readonly number[], to: readonly number[]): boolean {
    return this.#together(from, (states) => states.join() !== to.join()).has(to.join());
  }

  /**
   * All tuples of states that one text leads to from `from`; the search ends where `goesOn` says
   * no.
   */
  #together(
    from: readonly number[],
    goesOn: (states: readonly number[]) => boolean,
  ): Map<string, readonly number[]> {
    const found = new Map<string, readonly number[]>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of this.#step(at)) {
        if (found.has(next.join())) continue;
        found.set(next.join(), next);
        if (!goesOn(next)) return found;
        open.push(next);
      }
    return found;
  }

  #step(states: readonly number[]): readonly (readonly number[])[] {
    const [first, ...others] = states.map((state) => this.#edges.get(state));
    return [...(first?.keys() ?? [])].flatMap((id) => {
      let found = (first?.get(id) ?? []).map((to): readonly number[] => [to]);
      for (const other of others)
        found = found.flatMap((before) => (other?.get(id) ?? []).map((to) => [...before, to]));
      return found;
    });
  }
}
