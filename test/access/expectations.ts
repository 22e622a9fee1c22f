import type { Method } from './methods.js';

/**
 * THE MATRIX: what a call answers, by where its account stands to the token that asks.
 * `works` is no error of access. Of two accounts the one that is written is judged first; then two
 * that are the same are `invalidArguments`; then the one that is read.
 */
const TABLE = `
  the account                            token  read      write      copy from     Blob/copy from
  own                                    all    works     works      works         works
  own, the second                        all    works     works      works         works
  shared, to write                       all    works     works      works         works
  shared, to read                        all    works     readOnly   works         works
  shared once, revoked since             all    notFound  notFound   fromNotFound  fromNotFound
  own, deleted since                     all    notFound  notFound   fromNotFound  fromNotFound
  another user's                         all    notFound  notFound   fromNotFound  fromNotFound
  nobody's                               all    notFound  notFound   fromNotFound  fromNotFound
  no possible id                         all    notFound  notFound   fromNotFound  fromNotFound
  own, without the capability            all    lacks     lacks      fromLacks     lacks
  own                                    some   notFound  notFound   fromNotFound  fromNotFound
  own, the second                        some   works     works      works         works
  shared, to write                       some   works     readOnly   works         works
  shared, to read                        some   works     readOnly   works         works
  shared once, revoked since             some   notFound  notFound   fromNotFound  fromNotFound
  own, deleted since                     some   notFound  notFound   fromNotFound  fromNotFound
  another user's                         some   notFound  notFound   fromNotFound  fromNotFound
  own, without the capability            some   lacks     lacks      fromLacks     lacks
  own                                    read   works     readOnly   works         works
  shared, to write                       read   works     readOnly   works         works
  another user's                         read   notFound  notFound   fromNotFound  fromNotFound
  own, without the capability            read   lacks     lacks      fromLacks     lacks
`;

/** The error on the wire of each word. */
const ERRORS = {
  works: null,
  readOnly: 'accountReadOnly',
  notFound: 'accountNotFound',
  lacks: 'accountNotSupportedByMethod',
  fromNotFound: 'fromAccountNotFound',
  fromLacks: 'fromAccountNotSupportedByMethod',
} as const;

/** An error's type, or null where the call works. */
export type Outcome = (typeof ERRORS)[keyof typeof ERRORS] | 'invalidArguments';

/**
 * The tokens of the matrix: of all that its user reaches, of some of it, and one that only reads.
 */
export type TokenName = 'all' | 'some' | 'read';

/** Where an account stands to a token, and what that means for it. */
export interface Place {
  readonly account: string;
  readonly token: TokenName;
  readonly outcomes: Readonly<Record<'read' | 'write' | 'from' | 'blobFrom', Outcome>>;
}

export const PLACES: readonly Place[] = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [account = '', token, ...words] = line.trim().split(/ {2,}/);
    const [read = null, write = null, from = null, blobFrom = null] = words.map(
      (word) => ERRORS[word as keyof typeof ERRORS],
    );
    return { account, token: token as TokenName, outcomes: { read, write, from, blobFrom } };
  });

/** Of a method with one account, or none. */
export function expectedOf({ kind, refusesImpossibleIds }: Method, place: Place): Outcome {
  if (kind === 'none') return null;
  if (refusesImpossibleIds && place.account === 'no possible id') return 'invalidArguments';
  return place.outcomes[kind === 'read' ? 'read' : 'write'];
}

/** Of a method that copies from one account to another. */
export function expectedOfCopy({ name }: Method, to: Place, from: Place): Outcome {
  if (to.outcomes.write !== null) return to.outcomes.write;
  if (to.account === from.account) return 'invalidArguments';
  return from.outcomes[name === 'Blob/copy' ? 'blobFrom' : 'from'];
}
