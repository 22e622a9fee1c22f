import { decodeTable } from './decode.js';
import { composeHangul, decomposeHangul, mayJoinHangul } from './hangul.js';
import { finish, STRIDE, type Steps } from './steps.js';
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
  return finish(nfcSteps(text));
}

/** The same, with pauses. */
export function* nfcSteps(text: string): Steps<string> {
  if (!NOT_STABLE_UNIT.test(text) || (yield* isNfc(text))) return text;
  const points = yield* decompose(text);
  yield* reorder(points);
  const composed = yield* compose(points);
  const pieces: string[] = [];
  for (let begin = 0; begin < composed.length; begin += STRIDE) {
    pieces.push(fromPoints(composed.slice(begin, begin + STRIDE)));
    yield;
  }
  return pieces.join('');
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
function* isNfc(text: string): Steps<boolean> {
  for (let index = 0; index < text.length; index += 1) {
    if (index % STRIDE === STRIDE - 1) yield;
    if (text.charCodeAt(index) < FIRST_UNSTABLE) continue;
    const point = text.codePointAt(index) ?? 0;
    if (UNSTABLE.has(point)) return false;
    if (point > 0xffff) index += 1;
  }
  return true;
}

function* decompose(text: string): Steps<number[]> {
  const points: number[] = [];
  let left = STRIDE;
  for (const char of text) {
    left -= 1;
    if (left === 0) {
      left = STRIDE;
      yield;
    }
    const point = char.codePointAt(0) ?? 0;
    const parts = canonicalDecomposition(point);
    if (parts === null) points.push(point);
    else points.push(...parts);
  }
  return points;
}

/** Sorts each run of combining marks by class; those of one class keep their order. */
function* reorder(points: number[]): Steps<void> {
  let run: number[][] | null = null;
  let count = 0;
  // One further than the last: a run may end with the text.
  for (let index = 0; index <= points.length; index += 1) {
    if (index % STRIDE === STRIDE - 1) yield;
    const point = points[index] ?? 0;
    const rank = rankOf(point);
    if (rank !== 0) {
      run ??= [];
      run[rank] ??= [];
      run[rank].push(point);
      count += 1;
      continue;
    }
    if (run !== null && count > 1) yield* putRun(points, index - count, run);
    run = null;
    count = 0;
  }
}

/** Puts the marks of a run, by their rank, where the run begins. */
function* putRun(points: number[], begin: number, run: readonly number[][]): Steps<void> {
  let at = begin;
  // A rank that no mark has is a hole.
  for (const marks of run) {
    for (const mark of marks ?? []) {
      points[at] = mark;
      at += 1;
      if (at % STRIDE === 0) yield;
    }
  }
}

/**
 * Puts each code point into the last starter where nothing blocks it and the pair has a composite.
 */
function* compose(points: readonly number[]): Steps<number[]> {
  const result: number[] = [];
  let starter = -1;
  let lastRank = 0;
  let left = STRIDE;
  for (const point of points) {
    left -= 1;
    if (left === 0) {
      left = STRIDE;
      yield;
    }
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
