import type { ProblemCode } from '../codes/index.js';
import type { Member } from '../located.js';
import type { Location, Problem } from '../model.js';
import type { NameView } from '../name-view.js';
import type { CapabilityView, TypeView } from '../view.js';

/** A warning instead of an error; the other places that the message speaks of. */
export interface ReportDetails extends Pick<Problem, 'severity' | 'related'> {
  /** The parts whose other errors follow from this one (follow-ons.ts). */
  readonly spoils?: readonly Member[];
}

/**
 * Takes a complaint: a stable code, the place, and a sentence that says what is wrong and what is
 * legal.
 */
export type Report = (
  code: ProblemCode,
  at: Location,
  message: string,
  details?: ReportDetails,
) => void;

/**
 * A rule reports what it finds and never throws, also where other rules will complain about the
 * same text.
 */
export type Rule = (views: readonly CapabilityView[], report: Report) => void;

/** Returns the rule that judges each type for itself. */
export function eachType(judge: (type: TypeView, report: Report) => void): Rule {
  return (views, report) => {
    for (const type of views.flatMap(({ types }) => types)) judge(type, report);
  };
}

/** Reports each name that stands in the list already. */
export function reportDoubles(list: Iterable<NameView>, report: Report): void {
  const seen = new Set<string>();
  for (const { name, at } of list) {
    if (seen.has(name)) report('duplicate-entry', at, `"${name}" is listed twice.`);
    seen.add(name);
  }
}

/** Returns a list of words for a message: `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** How many names a message lists: more are a search, no help. */
const LISTED = 60;

/** Returns all names that there are, or the first of very many. */
export function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  const first = names.slice(0, LISTED).join(', ');
  return more > 0 ? `${first} and ${more} more` : first;
}

/** Returns a place in a message: `capabilities/todos.yaml:4:3`. */
export function place({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}
