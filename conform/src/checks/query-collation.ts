import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { sameMembers } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { tried, whole } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { textSort } from './applies.js';

/** RFC 8620 5.5: collations, as RFC 4790 and RFC 5051 define those that a session names. */

/** The algorithms that core's capability object advertises (RFC 8620 2). */
function advertised({ server }: Subject): readonly string[] {
  const { collationAlgorithms } = asMap(server.user.session.capabilities[CORE]);
  return Array.isArray(collationAlgorithms) ? collationAlgorithms.map(String) : [];
}

const offers =
  (collation: string) =>
  (subject: Subject): string | null =>
    textSort(subject) ??
    (advertised(subject).includes(collation) ? null : `The session does not name ${collation}.`);

type Order = (collation?: string, isAscending?: boolean) => Promise<string[]>;

/** Stores texts, and tells the order that a collation brings them into. */
async function ordering(subject: Subject, texts: readonly string[]): Promise<Order> {
  const stored = texts.filter((one) => subject.allows(one));
  if (stored.length < 2)
    throw new NotApplicable('The text takes too few of the texts that are sorted.');
  await subject.empty(subject.A1);
  const ids = await subject.make(subject.A1, ...stored);
  return async (collation, isAscending = true) => {
    const comparator: JsonMap = { property: subject.profile.text };
    if (!isAscending) comparator['isAscending'] = false;
    if (collation !== undefined) comparator['collation'] = collation;
    const found = await whole(subject, { sort: [comparator] });
    expect(found).toEqual(sameMembers(ids));
    return found.map((id) => stored[ids.indexOf(id)] ?? '');
  };
}

/** Holds the order of a collation, both ways, against the one that its specification has for different keys. */
async function ordered(
  subject: Subject,
  collation: string | undefined,
  wanted: readonly string[],
): Promise<void> {
  // In an order that is neither.
  const mixed = wanted.map((_, index) => wanted[(index * 7 + 3) % wanted.length] ?? '');
  const order = await ordering(subject, wanted.length % 7 === 0 ? wanted.toReversed() : mixed);
  const kept = wanted.filter((one) => subject.allows(one));
  expect(await order(collation)).toEqual(kept);
  expect(await order(collation, false)).toEqual(kept.toReversed());
}

const CASEMAP = ['10 b', '9 a', 'A', 'apfel', 'apple', 'Äpfel', 'ǆ', 'zebra', 'Zoo', '_x'];

export const queryCollationChecks = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], text: true, room: 10 },
  [
    {
      id: 'query-collation-unknown',
      level: 'must',
      rule: 'A collation that the server doesn’t know is unsupportedSort on a string.',
      needs: { room: 0 },
      applies: textSort,
      async run(subject) {
        const { text: property } = subject.profile;
        for (const collation of ['i;no-such-collation', 'unicode-casemap']) {
          const sort = [{ property, collation }];
          expect({ sort, answer: await tried(subject, { sort }) }).toEqual({
            sort,
            answer: subject.err('unsupportedSort'),
          });
        }
      },
    },
    {
      id: 'query-collation-exact-names',
      level: 'decision',
      rule: 'The four collations of decision 15 are advertised, and other spellings of them are unsupportedSort.',
      needs: { room: 0 },
      applies: textSort,
      async run(subject) {
        const { text: property } = subject.profile;
        expect(advertised(subject)).toEqual(
          sameMembers(['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet']),
        );
        for (const collation of ['', 'I;OCTET', 'i;octet ', 'default', 'i;*'])
          expect(await tried(subject, { sort: [{ property, collation }] })).toEqual(
            subject.err('unsupportedSort'),
          );
      },
    },
    {
      id: 'query-collation-advertised',
      level: 'must',
      rule: 'Each collation that the session advertises can be used for a string: it orders all objects.',
      applies: textSort,
      async run(subject) {
        if (advertised(subject).length === 0)
          throw new NotApplicable('The session advertises no collation.');
        const order = await ordering(subject, ['b', 'a', '10', '9', 'é']);
        for (const collation of advertised(subject)) await order(collation);
      },
    },
    {
      id: 'query-collation-octet',
      level: 'must',
      rule: 'i;octet orders by the octets of UTF-8: capitals first, and what takes two UTF-16 units after all others (RFC 4790 9.3).',
      applies: offers('i;octet'),
      async run(subject) {
        const wanted = ['10 b', '9 a', 'A', 'Zoo', '_x', 'apfel', 'zebra', 'Äpfel', '\uFF5E', '😀'];
        await ordered(subject, 'i;octet', wanted);
      },
    },
    {
      id: 'query-collation-ascii-casemap',
      level: 'must',
      rule: 'i;ascii-casemap takes a to z for A to Z and orders by octets otherwise (RFC 4790 9.2).',
      applies: offers('i;ascii-casemap'),
      async run(subject) {
        const wanted = ['10 b', '9 a', 'A', 'apfel', 'apple', 'zebra', 'Zoo', '_x', 'Äpfel', 'ǆ'];
        await ordered(subject, 'i;ascii-casemap', wanted);
      },
    },
    {
      id: 'query-collation-ascii-numeric',
      level: 'must',
      rule: 'i;ascii-numeric orders by the number that a text begins with, of any length and with leading zeros; what begins with none comes after all that do (RFC 4790 9.1).',
      applies: offers('i;ascii-numeric'),
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
        const order = await ordering(subject, [...others, ...numbers.toReversed()]);
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
      rule: 'i;unicode-casemap orders by title case, decomposed, and then by octets: what has a mark comes next to what has none (RFC 5051).',
      applies: offers('i;unicode-casemap'),
      run: (subject) => ordered(subject, 'i;unicode-casemap', CASEMAP),
    },
    {
      id: 'query-collation-default-unicode',
      level: 'decision',
      rule: 'Without a collation the order knows Unicode, which names no order: here é is among the e, composed or not, and not behind z (decision 15).',
      applies: textSort,
      async run(subject) {
        const texts = ['zoo', 'éc', 'e\u0301b', 'éa', 'eb', 'da'];
        const order = await ordering(subject, texts);
        const found = await order();
        const marked = found.filter((one) => one.normalize('NFC').startsWith('é'));
        expect(marked).toEqual(['éa', 'e\u0301b', 'éc'].filter((one) => subject.allows(one)));
        expect([found.at(0), found.at(-1)]).toEqual(['da', 'zoo']);
      },
    },
    {
      id: 'query-collation-default-case',
      level: 'should',
      rule: 'Without a collation the order is case-insensitive: capitals are among their small letters.',
      applies: textSort,
      async run(subject) {
        const order = await ordering(subject, ['dd', 'Cc', 'bb', 'Aa', 'Ég', 'éh', 'Éi']);
        expect(await order()).toEqual(
          ['Aa', 'bb', 'Cc', 'dd', 'Ég', 'éh', 'Éi'].filter((one) => subject.allows(one)),
        );
      },
    },
    {
      id: 'query-collation-default-casemap',
      level: 'decision',
      rule: 'Without a collation the order is that of i;unicode-casemap (decision 15).',
      applies: textSort,
      run: (subject) => ordered(subject, undefined, CASEMAP),
    },
    {
      id: 'query-collation-numeric-ties',
      level: 'decision',
      rule: 'In i;ascii-numeric texts without a number are equal, and equal numbers too: they go by id (decision 15).',
      applies: textSort,
      async run(subject) {
        const texts = ['zebra', 'Äpfel', '7 b', 'Zoo', '_x', '10 b', '007', 'A', '9 a', 'ǆ'];
        const order = await ordering(subject, texts);
        const wanted = ['7 b', '007', '9 a', '10 b', 'zebra', 'Äpfel', 'Zoo', '_x', 'A', 'ǆ'];
        expect(await order('i;ascii-numeric')).toEqual(wanted);
        expect(await order('i;ascii-numeric', false)).toEqual(wanted.toReversed());
      },
    },
    {
      id: 'query-collation-nulls',
      level: 'decision',
      rule: 'Null texts come first in every collation, before the empty one, and last descending (decision 15).',
      needs: { room: 6 },
      async run(subject) {
        const nullable = subject.described.sorts.filter(
          ({ property: { kind, nullable: isNullable, format, schema, access } }) =>
            kind === 'string' &&
            isNullable &&
            access === 'mutable' &&
            format === undefined &&
            schema.enum === undefined &&
            schema.pattern === undefined,
        );
        if (nullable.length === 0)
          throw new NotApplicable('It sorts by no String that may be null.');
        for (const { property } of nullable) {
          await subject.empty(subject.A1);
          const put = (value: string | null) => subject.put1({ [property.name]: value });
          const b = await put('b');
          const none = await put(null);
          const empty = await put('');
          const ten = await put('10');
          const none2 = await put(null);
          const nine = await put('9');
          const order = (more: object) =>
            whole(subject, { sort: [{ property: property.name, ...more }] });
          const wanted = [none, none2, empty, ten, nine, b];
          for (const collation of ['i;unicode-casemap', 'i;ascii-casemap', 'i;octet']) {
            expect(await order({ collation })).toEqual(wanted);
            expect(await order({ collation, isAscending: false })).toEqual(wanted.toReversed());
          }
          expect(await order({})).toEqual(wanted);
          const numeric = [none, none2, nine, ten, b, empty];
          expect(await order({ collation: 'i;ascii-numeric' })).toEqual(numeric);
        }
      },
    },
  ],
);
