import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { needTextSort } from '../../../conform/src/checks/applies.js';
import {
  CASEMAP,
  expectOrder,
  readCollations,
  storeTexts,
} from '../../../conform/src/checks/query-collation.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { queryOwn, tryQuery } from '../../../conform/src/subject/queries.js';
import type { Subject } from '../../../conform/src/subject/subject.js';

/** Sorts by a text that may be null. */
const nullableSorts = (subject: Subject) =>
  subject.described.sorts.filter(
    ({ property: { kind, nullable, format, schema, access, within } }) =>
      kind === 'string' &&
      within === undefined &&
      nullable &&
      access === 'mutable' &&
      format === undefined &&
      schema.enum === undefined &&
      schema.pattern === undefined,
  );

export const queryCollationDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], text: true, room: 10 },
  [
    {
      id: 'query-collation-exact-names',
      level: 'must',
      rule: 'The four collations are advertised, and other spellings of them are unsupportedSort.',
      needs: { room: 0 },
      applies: needTextSort,
      async run(subject) {
        const { text: property } = subject.profile;
        expect(readCollations(subject)).toEqual(
          sameMembers(['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet']),
        );
        for (const collation of ['', 'I;OCTET', 'i;octet ', 'default', 'i;*'])
          expect(await tryQuery(subject, { sort: [{ property, collation }] })).toEqual(
            subject.matchError('unsupportedSort'),
          );
      },
    },
    {
      id: 'query-collation-default-unicode',
      level: 'must',
      rule:
        'Without a collation the order knows Unicode, which names no order: here é is among the ' +
        'e, composed or not, and not behind z.',
      applies: needTextSort,
      async run(subject) {
        const texts = ['zoo', 'éc', 'e\u0301b', 'éa', 'eb', 'da'];
        const order = await storeTexts(subject, texts);
        const found = await order();
        const marked = found.filter((one) => one.normalize('NFC').startsWith('é'));
        expect(marked).toEqual(['éa', 'e\u0301b', 'éc'].filter((one) => subject.allows(one)));
        expect([found.at(0), found.at(-1)]).toEqual(['da', 'zoo']);
      },
    },
    {
      id: 'query-collation-default-casemap',
      level: 'must',
      rule: 'Without a collation the order is that of i;unicode-casemap.',
      applies: needTextSort,
      run: (subject) => expectOrder(subject, undefined, CASEMAP),
    },
    {
      id: 'query-collation-numeric-ties',
      level: 'must',
      rule:
        'In i;ascii-numeric texts without a number are equal, and equal numbers too: they go by ' +
        'id.',
      applies: needTextSort,
      async run(subject) {
        const texts = ['zebra', 'Äpfel', '7 b', 'Zoo', '_x', '10 b', '007', 'A', '9 a', 'ǆ'];
        const order = await storeTexts(subject, texts);
        const wanted = ['7 b', '007', '9 a', '10 b', 'zebra', 'Äpfel', 'Zoo', '_x', 'A', 'ǆ'];
        expect(await order('i;ascii-numeric')).toEqual(wanted);
        expect(await order('i;ascii-numeric', false)).toEqual(wanted.toReversed());
      },
    },
    {
      id: 'query-collation-nulls',
      level: 'must',
      rule: 'Null texts come first in every collation, before the empty one, and last descending.',
      needs: { room: 6 },
      applies: (subject) =>
        nullableSorts(subject).length > 0 ? null : 'It sorts by no String that may be null.',
      async run(subject) {
        for (const { property } of nullableSorts(subject)) {
          await subject.empty(subject.A1);
          const put = (value: string | null) => subject.putOne({ [property.name]: value });
          const b = await put('b');
          const none = await put(null);
          const empty = await put('');
          const ten = await put('10');
          const none2 = await put(null);
          const nine = await put('9');
          const order = (more: object) =>
            queryOwn(subject, { sort: [{ property: property.name, ...more }] });
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
