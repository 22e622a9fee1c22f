import type { Steps } from '../runtime/paused-work.js';
import { decodeTable } from './decode.js';
import { composeHangul, decomposeHangul, mayJoinHangul } from './hangul.js';
import { STRIDE } from './steps.js';
import { combiningRanks } from './tables/combining-ranks.js';
import { compositions } from './tables/compositions.js';
import { exclusions } from './tables/exclusions.js';

/*
 * Normalisation form C (UAX 15) by tables that the project carries, so that it is the same on every
 * Node.
 */

const COMPOSITES = decodeTable(compositions);
const EXCLUDED = decodeTable(exclusions);
const RANKS = decodeTable(combiningRanks);

/** First code point of a pair to second to composite. */
const PAIRS = pairsOf();
/**
 * Code points that form C may change: those it never makes, and those that may join what is before
 * them, or begin with such a one.
 */
const UNSTABLE = unstablePoints();

/** Below this code unit no text is changed by form C. */
const FIRST_UNSTABLE = 0x300;

const NOT_STABLE_UNIT = /[\u0300-\uffff]/;

/** Returns the text in normalisation form C, made with pauses. */
export function* nfcSteps(text: string): Steps<string> {
  if (!NOT_STABLE_UNIT.test(text)) return text;
  const pieces: string[] = [];
  let isChanged = false;
  for (let begin = 0; begin < text.length; ) {
    const end = yield* endOfPiece(text, begin);
    const piece = begin === 0 && end === text.length ? text : text.slice(begin, end);
    const normal = isNfc(piece) ? piece : yield* normalize(piece);
    isChanged ||= normal !== piece;
    pieces.push(normal);
    begin = end;
    yield;
  }
  return isChanged ? pieces.join('') : text;
}

/**
 * Returns a place where a piece of the text may end: before a code point that neither changes nor
 * joins the text before it. In a run of marks there is none.
 */
function* endOfPiece(text: string, begin: number): Steps<number> {
  for (let end = begin + STRIDE; end < text.length; end += 1) {
    if ((end - begin) % STRIDE === STRIDE - 1) yield;
    const unit = text.charCodeAt(end);
    if (unit < FIRST_UNSTABLE) return end;
    // The second half of a pair begins nothing.
    if (unit >= 0xdc00 && unit <= 0xdfff) continue;
    if (!UNSTABLE.has(text.codePointAt(end) ?? 0)) return end;
  }
  return text.length;
}

function* normalize(text: string): Steps<string> {
  const points = yield* decompose(text);
  yield* reorder(points);
  return yield* textOf(yield* compose(points));
}

function* textOf(points: Uint32Array): Steps<string> {
  if (points.length <= STRIDE) return String.fromCodePoint(...points);
  const pieces: string[] = [];
  for (let begin = 0; begin < points.length; begin += STRIDE) {
    pieces.push(String.fromCodePoint(...points.subarray(begin, begin + STRIDE)));
    yield;
  }
  return pieces.join('');
}

/** Returns the full canonical decomposition of one code point; null where it is its own. */
export function canonicalDecomposition(point: number): readonly number[] | null {
  const pair = COMPOSITES.get(point);
  if (pair !== undefined) {
    const [first = 0, second = 0] = pair;
    return [...(canonicalDecomposition(first) ?? [first]), second];
  }
  return EXCLUDED.get(point) ?? decomposeHangul(point);
}

/** Returns text of code points, however many. */
export function fromPoints(points: readonly number[]): string {
  let text = '';
  for (const point of points) text += String.fromCodePoint(point);
  return text;
}

/**
 * Returns true where no character needs a closer look. False does not mean that the text will
 * change.
 */
function isNfc(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < FIRST_UNSTABLE) continue;
    const point = text.codePointAt(index) ?? 0;
    if (UNSTABLE.has(point)) return false;
    if (point > 0xffff) index += 1;
  }
  return true;
}

function* decompose(text: string): Steps<Uint32Array> {
  let points: Uint32Array = new Uint32Array(text.length + MOST_PARTS);
  let length = 0;
  let left = STRIDE;
  for (const char of text) {
    left -= 1;
    if (left === 0) {
      left = STRIDE;
      yield;
    }
    if (length + MOST_PARTS > points.length) points = grown(points);
    const point = char.codePointAt(0) ?? 0;
    for (const part of canonicalDecomposition(point) ?? [point]) {
      points[length] = part;
      length += 1;
    }
  }
  return points.subarray(0, length);
}

/** Code points that canonical decomposition makes of one. */
const MOST_PARTS = 4;

function grown(points: Uint32Array): Uint32Array {
  const more = new Uint32Array(points.length * 2);
  more.set(points);
  return more;
}

/** Sorts each run of combining marks by class; those of one class keep their order. */
function* reorder(points: Uint32Array): Steps<void> {
  let begin = 0;
  // One further than the last: a run may end with the text.
  for (let index = 0; index <= points.length; index += 1) {
    if (index % STRIDE === STRIDE - 1) yield;
    if (rankOf(points[index] ?? 0) !== 0) continue;
    if (index - begin > SHORT_RUN) yield* sortLongRun(points, begin, index);
    else if (index - begin > 1) sortShortRun(points, begin, index);
    begin = index + 1;
  }
}

/** Marks of a run that are sorted by insertion. Real texts have three or four. */
const SHORT_RUN = 16;

function sortShortRun(points: Uint32Array, begin: number, end: number): void {
  for (let index = begin + 1; index < end; index += 1) {
    const point = points[index] ?? 0;
    const rank = rankOf(point);
    let at = index;
    for (; at > begin && rankOf(points[at - 1] ?? 0) > rank; at -= 1) {
      points[at] = points[at - 1] ?? 0;
    }
    points[at] = point;
  }
}

/** Counts the marks of each rank, then puts each where those of its rank stand. */
function* sortLongRun(points: Uint32Array, begin: number, end: number): Steps<void> {
  const counts = new Uint32Array(MAX_RANK + 1);
  for (let index = begin; index < end; index += 1) {
    if (index % STRIDE === 0) yield;
    const rank = rankOf(points[index] ?? 0);
    counts[rank] = (counts[rank] ?? 0) + 1;
  }
  let at = 0;
  const places = counts.map((count) => {
    at += count;
    return at - count;
  });
  const sorted = new Uint32Array(end - begin);
  for (let index = begin; index < end; index += 1) {
    if (index % STRIDE === 0) yield;
    const point = points[index] ?? 0;
    const rank = rankOf(point);
    const place = places[rank] ?? 0;
    sorted[place] = point;
    places[rank] = place + 1;
  }
  points.set(sorted, begin);
}

/** Canonical combining classes go no further (Unicode Standard, section 4.3). */
const MAX_RANK = 255;

/**
 * Puts each code point into the last starter where nothing blocks it and the pair has a composite.
 */
function* compose(points: Uint32Array): Steps<Uint32Array> {
  // The result is never longer than the part that has been read, so it can overwrite that.
  let length = 0;
  let starter = -1;
  let lastRank = 0;
  for (let index = 0; index < points.length; index += 1) {
    if (index % STRIDE === STRIDE - 1) yield;
    const point = points[index] ?? 0;
    const rank = rankOf(point);
    // Blocked by a mark of the same or a higher class in between, or by any code point for a
    // starter.
    const isAdjacent = starter === length - 1;
    if (starter >= 0 && (isAdjacent || (rank !== 0 && lastRank < rank))) {
      const composite = composePair(points[starter] ?? 0, point);
      if (composite !== null) {
        points[starter] = composite;
        continue;
      }
    }
    if (rank === 0) starter = length;
    lastRank = rank;
    points[length] = point;
    length += 1;
  }
  return points.subarray(0, length);
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
  // The first character of a composite may join what is before the composite.
  for (const composite of COMPOSITES.keys()) {
    const [first = composite] = canonicalDecomposition(composite) ?? [];
    if (points.has(first)) points.add(composite);
  }
  return { has: (point) => points.has(point) || mayJoinHangul(point) };
}
