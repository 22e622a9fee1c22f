import type { AST } from '@eslint-community/regexpp';
import type { AtomNode } from './program.js';

const LAST = 0x10_ffff;

/**
 * The code points where the ranges of `.`, `\d`, `\s` and `\w` begin, and where they are over
 * (ECMA-262, 22.2.2.9).
 */
const EDGES: Readonly<Record<Exclude<AST.CharacterSet['kind'], 'property'>, readonly number[]>> = {
  any: [0x0a, 0x0b, 0x0d, 0x0e, 0x2028, 0x202a],
  digit: [0x30, 0x3a],
  space: [
    ...[0x09, 0x0e, 0x20, 0x21, 0xa0, 0xa1, 0x1680, 0x1681, 0x2000, 0x200b, 0x2028, 0x202a],
    ...[0x202f, 0x2030, 0x205f, 0x2060, 0x3000, 0x3001, 0xfeff, 0xff00],
  ],
  word: [0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b],
};

/** Characters that all atoms of a pattern treat alike are one class. */
export interface CharacterClasses {
  /** The class of each ASCII character. */
  readonly ascii: Uint16Array;
  /** The first code points of ranges, ascending from 0, and their classes. */
  readonly starts: Int32Array;
  readonly ids: Uint16Array;
  /** For each class, whether each atom takes it. */
  readonly isMatched: readonly (readonly boolean[])[];
  /** For each class, whether its characters belong to words as `\b` has them. */
  readonly isWord: readonly boolean[];
}

/** Sorts all code points into classes. The platform's own RegExp says what an atom takes. */
export function classifyCharacters(
  atoms: ReadonlyMap<string, AtomNode>,
  hasBoundaries: boolean,
): CharacterClasses {
  const judges = [...atoms.keys()].map((raw) => new RegExp(`^${raw}$`, 'u'));
  const edges = new Set([0]);
  for (const node of atoms.values()) addEdges(node, edges);
  if (hasBoundaries) for (const edge of EDGES.word) edges.add(edge);
  const starts = Int32Array.from([...edges].filter((edge) => edge <= LAST)).sort();
  const known = new Map<string, number>();
  const isMatched: boolean[][] = [];
  const isWord: boolean[] = [];
  const ids = new Uint16Array(starts.length);
  for (const [index, start] of starts.entries()) {
    const character = String.fromCodePoint(start);
    const takes = judges.map((judge) => judge.test(character));
    const inWord = hasBoundaries && /\w/.test(character);
    const key = [...takes, inWord].map(Number).join('');
    const id = known.get(key) ?? known.size;
    if (id === known.size) {
      known.set(key, id);
      isMatched.push(takes);
      isWord.push(inWord);
    }
    ids[index] = id;
  }
  const ascii = Uint16Array.from({ length: 128 }, (_, code) => classOf(starts, ids, code));
  return { ascii, starts, ids, isMatched, isWord };
}

/** Returns the class of a code point: that of the last range that begins at it or before. */
export function classOf(starts: Int32Array, ids: Uint16Array, code: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= code) low = middle;
    else high = middle - 1;
  }
  return ids[low] ?? 0;
}

/** Adds the code points at which a set may begin or be over. More of them do no harm. */
function addEdges(node: AtomNode | AST.ClassRangesCharacterClassElement, edges: Set<number>): void {
  switch (node.type) {
    case 'Character':
      edges.add(node.value).add(node.value + 1);
      return;
    case 'CharacterClassRange':
      edges.add(node.min.value).add(node.max.value + 1);
      return;
    case 'CharacterClass':
      for (const element of node.elements) addEdges(element, edges);
      return;
    case 'CharacterSet':
      for (const edge of node.kind === 'property' ? propertyEdges(node.raw) : EDGES[node.kind])
        edges.add(edge);
  }
}

/**
 * Tries all code points, in some 30 ms: which ones have a property depends on the version of
 * Unicode.
 */
function propertyEdges(raw: string): readonly number[] {
  const judge = new RegExp(raw, 'u');
  const edges: number[] = [];
  let before = false;
  for (let code = 0; code <= LAST; code++) {
    const has = judge.test(String.fromCodePoint(code));
    if (has !== before) edges.push(code);
    before = has;
  }
  return edges;
}
