import type { Problem } from '../../../src/descriptor/model.js';
import { command } from '../../invocation.js';
import type { Difference, Finding } from '../write/compare.js';

/** Files that a line about several of them names. */
const NAMED = 3;

/** The remedy of a finding: the generator, or taking the file away by hand. */
const REMEDY: Readonly<Record<Finding, 'generate' | 'remove'>> = Object.freeze({
  missing: 'generate',
  stale: 'generate',
  'hand-edited': 'generate',
  orphaned: 'generate',
  'orphaned-edited': 'remove',
  foreign: 'remove',
});

/** Returns the command that mends a finding. */
function remedyOf({ path, finding, client }: Difference): string {
  if (REMEDY[finding] === 'remove') return `rm ${path}`;
  return command('generate', client === undefined ? '' : `--client ${client}`);
}

const WORDS: Readonly<Record<Finding, string>> = Object.freeze({
  missing: 'missing',
  stale: 'stale: the descriptors and this version of jmapsmith make another text',
  'hand-edited': 'edited by hand: what was changed will be lost',
  orphaned: 'orphaned: no descriptor makes it any more',
  'orphaned-edited': 'orphaned and edited by hand: no descriptor makes it any more',
  foreign: 'orphaned: the generator never made it',
});

export function findingWords({ finding }: Difference): string {
  return WORDS[finding];
}

/** Returns a finding of --check, in the form of a problem: the whole file is its place. */
export function findingProblem(difference: Difference): Problem {
  const { path, finding } = difference;
  return {
    at: { file: path, line: 1, column: 1 },
    code: `file-${finding}`,
    message: `${WORDS[finding]}. Mend it with: ${remedyOf(difference)}`,
  };
}

/** Findings that one line tells for several files; the others have a line for each file. */
const TOGETHER: Readonly<Partial<Record<Finding, string>>> = Object.freeze({
  missing: 'files are missing',
  stale: 'files are stale: the descriptors and this version of jmapsmith make other texts',
  orphaned: 'files are orphaned: no descriptor makes them any more',
});

/**
 * Returns the findings of --check for people: one line for all files that are stale, for instance.
 */
export function findingLines(differences: readonly Difference[]): readonly string[] {
  // Of one kind, and mended by one command.
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = `${difference.finding} ${difference.client ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), difference]);
  }
  return [...groups.values()].flatMap((found) => {
    const [first] = found;
    const words = first && TOGETHER[first.finding];
    if (first === undefined || words === undefined || found.length === 1)
      return found.map((each) => `${each.path}: ${findingProblem(each).message}`);
    const paths = found.map(({ path }) => path);
    const more = paths.length - NAMED;
    const named = `${paths.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return [`${found.length} ${words} (${named}). Mend it with: ${remedyOf(first)}`];
  });
}
