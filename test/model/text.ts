/**
 * Folding, NFC and collation keys over a small alphabet for which the right answers stand here, by
 * hand, from UnicodeData.txt and CaseFolding.txt: nothing is taken from the server's tables.
 */

interface Letter {
  /** NFC, full case folding, NFC. */
  readonly fold: string;
  /** Simple title case, then decomposed (RFC 5051 2). */
  readonly casemap: string;
}

const same = (text: string): Letter => ({ fold: text, casemap: text });
const acute: Letter = { fold: 'é', casemap: 'E\u0301' };

const LETTERS = new Map<string, Letter>([
  ...['a', 'b', 'e', 'f', 's', 'z'].flatMap((small): [string, Letter][] => {
    const capital = String.fromCharCode(small.charCodeAt(0) - 32);
    const letter = { fold: small, casemap: capital };
    return [
      [small, letter],
      [capital, letter],
    ];
  }),
  ...[...' 019%_\\"/~#-'].map((sign): [string, Letter] => [sign, same(sign)]),
  ['é', acute],
  ['É', acute],
  // Two code points that are one letter: equal to the one when folded, in order and as stored they
  // differ.
  ['e\u0301', acute],
  ['ß', { fold: 'ss', casemap: 'ß' }],
  ['ẞ', { fold: 'ss', casemap: 'ẞ' }],
  ['σ', { fold: 'σ', casemap: 'Σ' }],
  ['ς', { fold: 'σ', casemap: 'Σ' }],
  ['Σ', { fold: 'σ', casemap: 'Σ' }],
  // Behind U+1F600 in UTF-16, before it in UTF-8 and by code points.
  ['ﬀ', { fold: 'ff', casemap: 'ff' }],
  ['\u{1F600}', same('\u{1F600}')],
]);

/** The letters that texts of the tests are made of. */
export const ALPHABET: readonly string[] = [...LETTERS.keys()];

function letters(text: string): readonly Letter[] {
  const points = [...text];
  const found: Letter[] = [];
  for (let n = 0; n < points.length; n += 1) {
    const pair = `${points[n] ?? ''}${points[n + 1] ?? ''}`;
    const isPair = points[n + 1] === '\u0301' && LETTERS.has(pair);
    const letter = LETTERS.get(isPair ? pair : (points[n] ?? ''));
    if (letter === undefined) throw new Error(`No letter of the tests: ${JSON.stringify(text)}`);
    found.push(letter);
    if (isPair) n += 1;
  }
  return found;
}

export const fold = (text: string): string =>
  letters(text)
    .map((letter) => letter.fold)
    .join('');

/** Order of octets in UTF-8. */
export const byOctets = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const asciiCapitals = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32));

/** RFC 4790 9.1: the number at the beginning; without one, behind all numbers. */
function leadingNumber(text: string): number {
  const digits = /^[0-9]+/.exec(text)?.[0];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}

type Order = (one: string, other: string) => number;

const byKey =
  (key: (text: string) => string): Order =>
  (one, other) =>
    byOctets(key(one), key(other));

/** The four collations, the default first. */
export const COLLATIONS: ReadonlyMap<string, Order> = new Map([
  [
    'i;unicode-casemap',
    byKey((text) =>
      letters(text)
        .map(({ casemap }) => casemap)
        .join(''),
    ),
  ],
  ['i;ascii-casemap', byKey(asciiCapitals)],
  [
    'i;ascii-numeric',
    (one, other) => {
      const [a, b] = [leadingNumber(one), leadingNumber(other)];
      return a === b ? 0 : a < b ? -1 : 1;
    },
  ],
  ['i;octet', byOctets],
]);
