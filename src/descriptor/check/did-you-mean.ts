import { FORMATS } from '../../capability/formats/index.js';
import { TYPES } from '../kinds.js';

/** Beyond that neither a word nor a list of words is one that somebody mistyped. */
const MAX_LETTERS = 64;
const MAX_WORDS = 2000;

/** Words of other languages and the words here: first of types and formats. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TYPES).flatMap(([name, { otherNames }]) => pairAll(otherNames, name)),
  ...Object.entries(FORMATS).flatMap(([name, { otherNames }]) => pairAll(otherNames, name)),
  // operators
  ...pairAll(['eq', 'is', '=', '=='], 'equals'),
  ...pairAll(['like', 'ilike', 'includes', 'substring'], 'contains'),
  ...pairAll(['prefix', 'beginswith'], 'startsWith'),
  ...pairAll(['gte', 'min', '>='], 'atLeast'),
  ...pairAll(['lte', 'max', '<='], 'atMost'),
  ...pairAll(['anyof', 'oneof', 'any'], 'in'),
  ...pairAll(['has'], 'hasKey'),
  ...pairAll(['search', 'fulltext'], 'text'),
  // access, onDestroy, account
  ...pairAll(['readonly', 'server-set', 'computed'], 'serverSet'),
  ...pairAll(['hidden', 'private'], 'internal'),
  ...pairAll(['writeonly', 'password'], 'secret'),
  ...pairAll(['createonly'], 'immutable'),
  ...pairAll(['delete'], 'cascade'),
  ...pairAll(['nullify', 'set-null', 'set null'], 'setNull'),
  // keys
  ...pairAll(['ref', 'foreignkey'], 'references'),
  ...pairAll(['ondelete'], 'onDestroy'),
  ...pairAll(['definitions'], '$defs'),
  ...pairAll(['writable'], 'access'),
  ...pairAll(['values'], 'enum'),
  ...pairAll(['index'], 'indexed'),
]);

/** Pairs each word with the one that is meant. */
function pairAll(words: readonly string[], meant: string): [string, string][] {
  return words.map((word) => [word, meant]);
}

/** Returns ` Did you mean "text"?` where a known name is close to the unknown one, else nothing. */
export function didYouMean(unknown: string, known: readonly string[]): string {
  return ask(nearest(unknown, known));
}

/** Returns the same for words of the language, which may also be known by another name. */
export function didYouMeanWord(unknown: string, known: readonly string[]): string {
  return ask(meantWord(unknown, known));
}

/** Returns the legal word that an unknown one probably means: by the table, else a close one. */
export function meantWord(unknown: string, known: readonly string[]): string | undefined {
  const meant = MEANT.get(unknown.toLowerCase());
  return meant !== undefined && known.includes(meant) ? meant : nearest(unknown, known);
}

/** Returns the question for a message, with a space in front; empty without a word to propose. */
function ask(word: string | undefined): string {
  return word === undefined ? '' : ` Did you mean "${word}"?`;
}

/**
 * Returns the known name that is closest to the unknown one, in any letter case. At most about two
 * letters in five may differ; undefined where no name is that close.
 */
export function nearest(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > MAX_LETTERS) return undefined;
  const limit = Math.floor(unknown.length * 0.4) + 1;
  return known
    .slice(0, MAX_WORDS)
    .filter((word) => Math.abs(word.length - unknown.length) <= limit)
    .map((word) => ({ word, far: countEdits(unknown.toLowerCase(), word.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || countShared(unknown, b.word) - countShared(unknown, a.word))[0]
    ?.word;
}

/** Counts the letters that both words begin with: they decide between two that are as close. */
function countShared(unknown: string, word: string): number {
  const [a, b] = [unknown.toLowerCase(), word.toLowerCase()];
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}

/** Counts the edits from one word to the other; two swapped neighbours are one edit (Damerau). */
function countEdits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
