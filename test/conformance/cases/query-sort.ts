import { expect } from 'vitest';
import { err } from '../../support/expected.js';
import type { Json } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section M of cases.md: sort of /query (RFC 8620 5.5, decision 15). */
export function querySortCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const find = async (sort: Json, more: object = {}): Promise<string[]> =>
    (await suite.client.query(name, { accountId: suite.A1, sort, ...more })).ids;
  const refused = (sort: Json) => suite.client.call(`${name}/query`, { accountId: suite.A1, sort });

  const byCreation = profile.sorts.includes('created');

  if (!suite.has('query')) return;

  describe(`${name}: M. sort`, () => {
    it('case 331, 5.5: without a sort the order is that of creation, call after call', async () => {
      await suite.clear(suite.A1);
      const first = await suite.make(suite.A1, 'z', 'a', 'm');
      const second = await suite.make(suite.A1, 'b', 'y');
      const ids = [...first, ...second];
      for (const sort of [null, [], undefined]) {
        const answer = await suite.client.query(name, { accountId: suite.A1, sort });
        expect(answer.ids).toEqual(ids);
      }
      const pages = await Promise.all(
        [0, 2, 4].map(async (position) => find([], { position, limit: 2 })),
      );
      expect(pages.flat()).toEqual(ids);
    });

    it('case 335, 5.5: malformed comparators are invalidArguments', async () => {
      const wrong: readonly Json[] = [
        [{}],
        [{ isAscending: true }],
        [{ property: 1 }],
        [{ property: null }],
        [{ property: text, isAscending: 'no' }],
        [{ property: text, collation: 1 }],
        ['text'],
        [null],
        [[]],
        'text',
        { property: text },
      ];
      for (const sort of wrong) {
        expect({ sort, answer: await refused(sort) }).toEqual({
          sort,
          answer: err('invalidArguments', 'sort'),
        });
      }
    });

    it('case 333, decision 15: an unknown or unsortable property is unsupportedSort', async () => {
      for (const property of [
        'nope',
        '',
        'accountId',
        '__proto__',
        'toString',
        text.toUpperCase(),
      ]) {
        expect(await refused([{ property }])).toEqual(err('unsupportedSort'));
      }
    });

    if (!profile.textSort) return;

    it('case 341, decision 15: unknown members and collations are unsupportedSort', async () => {
      expect(await refused([{ property: text, more: 1 }])).toEqual(err('unsupportedSort'));
      for (const collation of ['', 'i;unknown', 'I;OCTET', 'unicode-casemap', 'default']) {
        expect(await refused([{ property: text, collation }])).toEqual(err('unsupportedSort'));
      }
    });

    it('case 330, 5.5: further comparators break ties, the id breaks the last', async () => {
      await suite.clear(suite.A1);
      const texts = ['b', 'a', 'b', 'a'];
      const [b1 = '', a1 = '', b2 = '', a2 = ''] = await suite.make(suite.A1, ...texts);
      expect(await find([{ property: text }])).toEqual([a1, a2, b1, b2]);
      // Decision 15: ties go by id, in the direction of the last comparator.
      expect(await find([{ property: text, isAscending: false }])).toEqual([b2, b1, a2, a1]);
      if (!byCreation) return;
      expect(await find([{ property: text }, { property: 'created', isAscending: false }])).toEqual(
        [a2, a1, b2, b1],
      );
      expect(await find([{ property: text, isAscending: false }, { property: 'created' }])).toEqual(
        [b1, b2, a1, a2],
      );
    });

    it('case 338, 5.5: the four collations order as their specifications say', async () => {
      await suite.clear(suite.A1);
      const texts = ['zebra', 'Äpfel', 'apfel', 'Zoo', '_x', '10 b', '9 a', 'A', 'apple', 'ǆ'];
      const ids = await suite.make(suite.A1, ...texts);
      const order = async (collation: string | undefined, isAscending = true) => {
        const comparator = collation === undefined ? {} : { collation };
        const found = await find([{ property: text, isAscending, ...comparator }]);
        return found.map((id) => texts[ids.indexOf(id)]);
      };
      // RFC 5051: title case, then decomposition, then octets.
      const casemap = ['10 b', '9 a', 'A', 'apfel', 'apple', 'Äpfel', 'ǆ', 'zebra', 'Zoo', '_x'];
      expect(await order(undefined)).toEqual(casemap);
      expect(await order('i;unicode-casemap')).toEqual(casemap);
      expect(await order('i;unicode-casemap', false)).toEqual([...casemap].reverse());
      // RFC 4790 9.2: a to z as A to Z, then octets.
      const ascii = ['10 b', '9 a', 'A', 'apfel', 'apple', 'zebra', 'Zoo', '_x', 'Äpfel', 'ǆ'];
      expect(await order('i;ascii-casemap')).toEqual(ascii);
      const octet = ['10 b', '9 a', 'A', 'Zoo', '_x', 'apfel', 'apple', 'zebra', 'Äpfel', 'ǆ'];
      expect(await order('i;octet')).toEqual(octet);
      // RFC 4790 9.1: by the leading number; what has none comes after all that have, all equal.
      const numeric = await order('i;ascii-numeric');
      expect(numeric).toEqual(['9 a', '10 b', ...texts.filter((t) => !/^\d/.test(t))]);
    });

    it('case 338, RFC 4790 9.1: numbers of any length and with leading zeros', async () => {
      await suite.clear(suite.A1);
      const numbers = ['100000000000000000000001', '99999999999999999999999', '007', '8', '', '-1'];
      const texts = numbers.filter((one) => suite.allows(one));
      const ids = await suite.make(suite.A1, ...texts);
      const found = await find([{ property: text, collation: 'i;ascii-numeric' }]);
      expect(found.map((id) => texts[ids.indexOf(id)])).toEqual(
        ['007', '8', '99999999999999999999999', '100000000000000000000001', '', '-1'].filter(
          (one) => suite.allows(one),
        ),
      );
    });

    it('case 336, 5.5: on a property that is no string a collation is ignored', async () => {
      if (!byCreation) return;
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'b', 'a');
      for (const collation of ['i;octet', 'i;unknown', '']) {
        expect(await find([{ property: 'created', collation }])).toEqual(ids);
      }
    });

    it('case 343, 5.5: pages of a sorted and filtered query join to the whole list', async () => {
      await suite.clear(suite.A1);
      const texts = Array.from({ length: 23 }, (_, index) => `t${(index * 7) % 5} ${index % 3}`);
      await suite.make(suite.A1, ...texts);
      const { textFilter } = profile;
      const filter = textFilter === undefined ? null : { [textFilter]: '1' };
      const sort = [{ property: text, isAscending: false }];
      const whole = await find(sort, { filter });
      const pages: string[] = [];
      for (let position = 0; position < whole.length; position += 4) {
        pages.push(...(await find(sort, { filter, position, limit: 4 })));
      }
      expect(pages).toEqual(whole);
      expect(new Set(whole).size).toBe(whole.length);
    });
  });
}
