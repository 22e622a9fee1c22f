import { command } from '../../invocation.js';
import type { Problem } from '../model.js';
import type { Difference, Finding } from '../write/compare.js';

/** What mends a finding. */
const REMEDY: Readonly<Record<Finding, (path: string) => string>> = Object.freeze({
  missing: () => command('generate'),
  stale: () => command('generate'),
  'hand-edited': () => command('generate'),
  orphaned: () => command('generate'),
  foreign: (path) => `rm ${path}`,
});

const WORDS: Readonly<Record<Finding, string>> = Object.freeze({
  missing: 'missing',
  stale: 'stale: what it is made of, a descriptor or jmapsmith, has changed since',
  'hand-edited': 'edited by hand: what was changed will be lost',
  orphaned: 'orphaned: no descriptor makes it any more',
  foreign: 'orphaned: the generator never made it',
});

export function findingWords({ finding }: Difference): string {
  return WORDS[finding];
}

/** A finding of --check, in the form of a problem: the whole file is its place. */
export function findingProblem(difference: Difference): Problem {
  const { path, finding } = difference;
  return {
    at: { file: path, line: 1, column: 1 },
    code: `file-${finding}`,
    message: `${WORDS[finding]}. Mend it with: ${REMEDY[finding](path)}`,
  };
}
