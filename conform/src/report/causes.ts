import type { Outcome } from '../outcome.js';
import { replaceMatcher } from './json.js';
import { makeVisible } from './visible.js';

/** Failures of one probable cause: what was expected differs in the same way from what came. */
export interface Cause {
  /** The difference in words. */
  readonly words: string;
  readonly outcomes: readonly Outcome[];
}

/** Returns the causes of all failures, the one with the most failures first. */
export function findCauses(outcomes: readonly Outcome[]): readonly Cause[] {
  const causes = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    if (outcome.failure === undefined) continue;
    const words =
      outcome.status === 'defect' ? readFirstLine(outcome) : describeDifference(outcome);
    const list = causes.get(words) ?? [];
    list.push(outcome);
    causes.set(words, list);
  }
  return [...causes]
    .map(([words, list]) => ({ words, outcomes: list }))
    .toSorted((a, b) => b.outcomes.length - a.outcomes.length);
}

/** Differences that are told of one failure. */
const MOST = 3;

/** Returns words for the difference of a failure: failures with equal words have one cause. */
function describeDifference(outcome: Outcome): string {
  const { failure } = outcome;
  if (failure === undefined || !('expected' in failure)) return readFirstLine(outcome);
  const pairs = listDifferences(failure.expected, failure.actual, '');
  if (pairs.length === 0) return readFirstLine(outcome);
  const more = pairs.length > MOST ? ` (and ${pairs.length - MOST} more)` : '';
  return makeVisible(`${[...new Set(pairs)].slice(0, MOST).join('; ')}${more}`);
}

/** Returns the first line of a failure's message. */
const readFirstLine = ({ failure }: Outcome): string => {
  const [line = ''] = (failure?.message ?? '').split('\n');
  return makeVisible(hideIds(line));
};

type Matcher = { asymmetricMatch?: (value: unknown) => boolean } | null | undefined;

/** Lists where two values differ: `name: expected …, got …`, each by the name of its member. */
function listDifferences(expected: unknown, actual: unknown, name: string): readonly string[] {
  const match = (expected as Matcher)?.asymmetricMatch;
  if (typeof match === 'function' ? match.call(expected, actual) : Object.is(expected, actual))
    return [];
  const isBoth = isObject(expected) && isObject(actual) && typeof match !== 'function';
  if (!isBoth || Array.isArray(expected) !== Array.isArray(actual))
    return [
      `${name === '' ? '' : `${name}: `}expected ${shorten(expected)}, got ${shorten(actual)}`,
    ];
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((key) =>
    listDifferences(expected[key], actual[key], Array.isArray(expected) ? name : key),
  );
}

/** Tells whether a value is an object with members to compare. */
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Characters of a value that are shown. */
const WIDTH = 160;

/** Returns a value in few words, without ids and numbers that differ from run to run. */
function shorten(value: unknown): string {
  const text = hideIds(JSON.stringify(value, replaceMatcher) ?? 'nothing');
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}

/** Hides ids and states, which are others in each check: a cause is the same for all of them. */
const hideIds = (text: string): string =>
  text.replaceAll(/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{12,}/g, '…');
