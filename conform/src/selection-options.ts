import { UsageError } from '../../src/descriptor/command-line.js';
import { type Check, isOfSection, LEVELS, type Level } from './check.js';
import { CHECKS } from './checks/index.js';
import type { Options } from './options.js';
import type { Selection } from './run.js';

/** Reads from the options which checks are to be run, and by which seed. */

/** Returns the selection of the options. Throws UsageError where one names nothing. */
export function readSelection({ type, section, check, level }: Options): Selection {
  for (const wanted of section ?? [])
    if (!CHECKS.some((one) => isOfSection(one, wanted)))
      throw makeOptionError('--section', wanted, listSections(CHECKS));
  for (const id of check ?? [])
    if (!CHECKS.some((one) => one.id === id))
      throw new UsageError(`--check ${id}: there is no such check (--list shows them).`);
  return {
    levels: level === undefined ? LEVELS : readLevels(level),
    ...(type === undefined ? {} : { types: type }),
    ...(section === undefined ? {} : { sections: section }),
    ...(check === undefined ? {} : { checks: check }),
  };
}

/** Returns the sections of checks in the order of their numbers: 3.10 comes after 3.2. */
const listSections = (checks: readonly Check[]): readonly string[] =>
  [...new Set(checks.map(({ section }) => section))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );

/** Returns a level and the stricter ones before it. */
function readLevels(word: string): readonly Level[] {
  const at = LEVELS.indexOf(word as Level);
  if (at === -1) throw makeOptionError('--level', word, LEVELS);
  return LEVELS.slice(0, at + 1);
}

/** Returns the number of `--seed`. Throws UsageError where it is none. */
export function readSeed(word: string): number {
  if (/^\d{1,10}$/.test(word)) return Number(word);
  throw new UsageError(
    `--seed is a whole number of up to ten digits, not ${JSON.stringify(word)}.`,
  );
}

/** Returns the error of an option whose value is not among the legal ones. */
export function makeOptionError(
  option: string,
  word: string,
  legal: readonly string[],
): UsageError {
  const words = legal.length === 0 ? 'nothing is known' : legal.join(', ');
  return new UsageError(`${option} ${JSON.stringify(word)} is none of these: ${words}.`);
}
