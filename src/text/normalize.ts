import { decodeTable } from './decode.js';
import { composeHangul, decomposeHangul, mayJoinHangul } from './hangul.js';
import { combiningRanks } from './tables/combining-ranks.js';
import { compositions } from './tables/compositions.js';
import { exclusions } from './tables/exclusions.js';

/*
 * Normalisation form C (UAX 15) by tables that the project carries, so that it is the same on every
 * Node (D14).
 */

const COMPOSITES = decodeTable(compositions);
const EXCLUDED = decodeTable(exclusions);
const RANKS = decodeTable(combiningRanks);

/** First code point of a pair to second to composite. */
const PAIRS = pairsOf();
/**
 * Code points that form C may change: those it never makes and those that may join what is before
 * them.
 */
const UNSTABLE = unstablePoints();

/** Below this code unit no text is changed by form C. */
const FIRST_UNSTABLE = 0x300;

const NOT_STABLE_UNIT = /[\u0300-\uffff]/;

/** The text in normalisation form C. */
export function nfc(text: string): string {
  if (!NOT_STABLE_UNIT.test(text) || isNfc(text)) return text;
  return fromPoints(compose(reorder(decompose(text))));
}

/** The full canonical decomposition of one code point; null where it is its own. */
export function canonicalDecomposition(point: number): readonly number[] | null {
  const pair = COMPOSITES.get(point);
  if (pair !== undefined) {
    const [first = 0, second = 0] = pair;
    return [...(canonicalDecomposition(first) ?? [first]), second];
  }
  return EXCLUDED.get(point) ?? decomposeHangul(point);
}

/** Text of code points, however many. */
export function fromPoints(points: readonly number[]): string {
  let text = '';
  for (const point of points) text += String.fromCodePoint(point);
  return text;
}

/** True where no character needs a closer look. False does not mean that the text will change. */
function isNfc(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < FIRST_UNSTABLE) continue;
    const point = text.codePointAt(index) ?? 0;
    if (UNSTABLE.has(point)) return false;
    if (point > 0xffff) index += 1;
  }
  return true;
}

function decompose(text: string): number[] {
  const points: number[] = [];
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    const parts = canonicalDecomposition(point);
    if (parts === null) points.push(point);
    else points.push(...parts);
  }
  return points;
}

/** Sorts each run of combining marks by class; those of one class keep their order. */
function reorder(points: number[]): number[] {
  for (let start = 0; start < points.length; start += 1) {
    if (rankOf(points[start] ?? 0) === 0) continue;
    let end = start + 1;
    while (end < points.length && rankOf(points[end] ?? 0) !== 0) end += 1;
    if (end - start > 1) {
      const run = points.slice(start, end).sort((a, b) => rankOf(a) - rankOf(b));
      for (const [index, point] of run.entries()) points[start + index] = point;
    }
    start = end;
  }
  return points;
}

/**
 * Puts each code point into the last starter where nothing blocks it and the pair has a composite.
 */
function compose(points: readonly number[]): number[] {
  const result: number[] = [];
  let starter = -1;
  let lastRank = 0;
  for (const point of points) {
    const rank = rankOf(point);
    // Blocked by a mark of the same or a higher class in between, or by any code point for a
    // starter.
    const isAdjacent = starter === result.length - 1;
    if (starter >= 0 && (isAdjacent || (rank !== 0 && lastRank < rank))) {
      const composite = composePair(result[starter] ?? 0, point);
      if (composite !== null) {
        result[starter] = composite;
        continue;
      }
    }
    if (rank === 0) starter = result.length;
    lastRank = rank;
    result.push(point);
  }
  return result;
}

function composePair(first: number, second: number): number | null {
  return PAIRS.get(first)?.get(second) ?? composeHangul(first, second);
}

function rankOf(point: number): number {
  return point < FIRST_UNSTABLE ? 0 : (RANKS.get(point)?.[0] ?? 0);
}

function pairsOf(): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const pairs = new Map<number, Map<number, number>>();
  for (const [composite, [first = 0, second = 0]] of COMPOSITES) {
    const seconds = pairs.get(first) ?? new Map<number, number>();
    pairs.set(first, seconds.set(second, composite));
  }
  return pairs;
}

function unstablePoints(): { has(point: number): boolean } {
  const points = new Set([...EXCLUDED.keys(), ...RANKS.keys()]);
  for (const [, second] of COMPOSITES.values()) if (second !== undefined) points.add(second);
  return { has: (point) => points.has(point) || mayJoinHangul(point) };
}
