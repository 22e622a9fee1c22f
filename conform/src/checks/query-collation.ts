import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { sameMembers } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { queryOwn, tryQuery } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { needTextSort } from './applies.js';

/** RFC 8620 5.5: collations, as RFC 4790 and RFC 5051 define those that a session names. */

/** Reads the algorithms that core's capability object advertises (RFC 8620 2). */
export function readCollations({ server }: Subject): readonly string[] {
  const { collationAlgorithms } = asMap(server.user.session.capabilities[CORE]);
  return Array.isArray(collationAlgorithms) ? collationAlgorithms.map(String) : [];
}

/** Returns a function that tells why a server lacks a collation; null where it has it. */
const needCollation =
  (collation: string) =>
  (subject: Subject): string | null =>
    needTextSort(subject) ??
    (readCollations(subject).includes(collation)
      ? null
      : `The session does not name ${collation}.`);

/** Describes a function that returns the texts of all objects in the order of a collation. */
export type Order = (collation?: string, isAscending?: boolean) => Promise<string[]>;

/**
 * Stores texts and returns a function that tells their order by a collation. Throws NotApplicable
 * where the property takes too few of them.
 */
export async function storeTexts(subject: Subject, texts: readonly string[]): Promise<Order> {
  const stored = texts.filter((one) => subject.allows(one));
  if (stored.length < 2)
    throw new NotApplicable('The text takes too few of the texts that are sorted.');
  await subject.empty(subject.A1);
  const ids = await subject.make(subject.A1, ...stored);
  return async (collation, isAscending = true) => {
    const comparator: JsonMap = { property: subject.profile.text };
    if (!isAscending) comparator['isAscending'] = false;
    if (collation !== undefined) comparator['collation'] = collation;
    const found = await queryOwn(subject, { sort: [comparator] });
    expect(found).toEqual(sameMembers(ids));
    return found.map((id) => stored[ids.indexOf(id)] ?? '');
  };
}

/**
 * Expects texts in the order that the collation's specification gives to different keys, ascending
 * and descending.
 */
export async function expectOrder(
  subject: Subject,
  collation: string | undefined,
  wanted: readonly string[],
): Promise<void> {
  // Stored in an order that is neither ascending nor descending.
  const mixed = wanted.map((_, index) => wanted[(index * 7 + 3) % wanted.length] ?? '');
  const order = await storeTexts(subject, wanted.length % 7 === 0 ? wanted.toReversed() : mixed);
  const kept = wanted.filter((one) => subject.allows(one));
  expect(await order(collation)).toEqual(kept);
  expect(await order(collation, false)).toEqual(kept.toReversed());
}

/** Lists texts in the order of i;unicode-casemap (RFC 5051). */
export const CASEMAP = ['10 b', '9 a', 'A', 'apfel', 'apple', 'Äpfel', 'ǆ', 'zebra', 'Zoo', '_x'];

export const queryCollationChecks = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], text: true, room: 10 },
  [
    {
      id: 'query-collation-unknown',
      level: 'must',
      rule: 'A collation that the server doesn’t know is unsupportedSort on a string.',
      needs: { room: 0 },
      applies: needTextSort,
      async run(subject) {
        const { text: property } = subject.profile;
        for (const collation of ['i;no-such-collation', 'unicode-casemap']) {
          const sort = [{ property, collation }];
          expect({ sort, answer: await tryQuery(subject, { sort }) }).toEqual({
            sort,
            answer: subject.matchError('unsupportedSort'),
          });
        }
      },
    },
    {
      id: 'query-collation-advertised',
      level: 'must',
      rule:
        'Each collation that the session advertises can be used for a string: it orders all ' +
        'objects.',
      applies: needTextSort,
      async run(subject) {
        if (readCollations(subject).length === 0)
          throw new NotApplicable('The session advertises no collation.');
        const order = await storeTexts(subject, ['b', 'a', '10', '9', 'é']);
        for (const collation of readCollations(subject)) await order(collation);
      },
    },
    {
      id: 'query-collation-octet',
      level: 'must',
      rule:
        'i;octet orders by the octets of UTF-8: capitals first, and what takes two UTF-16 units ' +
        'after all others (RFC 4790 9.3).',
      applies: needCollation('i;octet'),
      async run(subject) {
        const wanted = ['10 b', '9 a', 'A', 'Zoo', '_x', 'apfel', 'zebra', 'Äpfel', '\uFF5E', '😀'];
        await expectOrder(subject, 'i;octet', wanted);
      },
    },
    {
      id: 'query-collation-ascii-casemap',
      level: 'must',
      rule:
        'i;ascii-casemap takes a to z for A to Z and orders by octets otherwise ' +
        '(RFC 4790 9.2).',
      applies: needCollation('i;ascii-casemap'),
      async run(subject) {
        const wanted = ['10 b', '9 a', 'A', 'apfel', 'apple', 'zebra', 'Zoo', '_x', 'Äpfel', 'ǆ'];
        await expectOrder(subject, 'i;ascii-casemap', wanted);
      },
    },
    {
      id: 'query-collation-ascii-numeric',
      level: 'must',
      rule:
        'i;ascii-numeric orders by the number that a text begins with, of any length and with ' +
        'leading zeros; what begins with none comes after all that do (RFC 4790 9.1).',
      applies: needCollation('i;ascii-numeric'),
      async run(subject) {
        const numbers = [
          '0',
          '007',
          '8 b',
          '9a',
          '10',
          '99999999999999999999999',
          '100000000000000000000001',
        ];
        const others = ['-1', 'x', ''];
        const order = await storeTexts(subject, [...others, ...numbers.toReversed()]);
        const isNumber = (text: string): boolean => /^\d/.test(text);
        const wanted = numbers.filter((one) => subject.allows(one));
        const up = await order('i;ascii-numeric');
        expect(up.slice(0, wanted.length)).toEqual(wanted);
        expect(up.slice(wanted.length).some(isNumber)).toBe(false);
        const down = await order('i;ascii-numeric', false);
        expect(down.slice(-wanted.length)).toEqual(wanted.toReversed());
      },
    },
    {
      id: 'query-collation-unicode-casemap',
      level: 'must',
      rule:
        'i;unicode-casemap orders by title case, decomposed, and then by octets: what has a mark ' +
        'comes next to what has none (RFC 5051).',
      applies: needCollation('i;unicode-casemap'),
      run: (subject) => expectOrder(subject, 'i;unicode-casemap', CASEMAP),
    },
    {
      id: 'query-collation-default-case',
      level: 'should',
      rule:
        'Without a collation the order is case-insensitive: capitals are among their small ' +
        'letters.',
      applies: needTextSort,
      async run(subject) {
        const order = await storeTexts(subject, ['dd', 'Cc', 'bb', 'Aa', 'Ég', 'éh', 'Éi']);
        expect(await order()).toEqual(
          ['Aa', 'bb', 'Cc', 'dd', 'Ég', 'éh', 'Éi'].filter((one) => subject.allows(one)),
        );
      },
    },
  ],
);
