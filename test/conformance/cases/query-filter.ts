import { expect } from 'vitest';
import { at, err, sameMembers } from '../../support/expected.js';
import type { Json } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section L of cases.md: filters of /query (RFC 8620 5.5, decision 14). */
export function queryFilterCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name } = profile;
  const find = async (filter: Json, more: object = {}): Promise<string[]> =>
    (await suite.client.query(name, { accountId: suite.A1, filter, ...more })).ids;
  const refused = (filter: Json) =>
    suite.client.call(`${name}/query`, { accountId: suite.A1, filter });

  if (!suite.has('query')) return;

  describe(`${name}: L. filters`, () => {
    it('case 308, 5.5: no filter, null and {} find all records of the account', async () => {
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'a', 'b', 'c');
      expect((await suite.client.query(name, { accountId: suite.A1 })).ids).toEqual(ids);
      expect(await find(null)).toEqual(ids);
      expect(await find({})).toEqual(ids);
    });

    it('case 315, decision 14: operators without conditions', async () => {
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'a', 'b');
      expect(await find({ operator: 'AND', conditions: [] })).toEqual(ids);
      expect(await find({ operator: 'OR', conditions: [] })).toEqual([]);
      expect(await find({ operator: 'NOT', conditions: [] })).toEqual(ids);
      const none = { operator: 'OR', conditions: [] };
      expect(await find({ operator: 'NOT', conditions: [none] })).toEqual(ids);
      expect(await find({ operator: 'NOT', conditions: [{}] })).toEqual([]);
      expect(await find({ operator: 'AND', conditions: [{}, none] })).toEqual([]);
      expect(await find({ operator: 'OR', conditions: [{}, none] })).toEqual(ids);
    });

    it('cases 316 and 318, 5.5: malformed operators are invalidArguments', async () => {
      const wrong: readonly Json[] = [
        { operator: 'AND' },
        { operator: 'AND', conditions: {} },
        { operator: 'AND', conditions: null },
        { operator: 'AND', conditions: [null] },
        { operator: 'AND', conditions: [[]] },
        { operator: 'AND', conditions: ['x'] },
        { operator: 'and', conditions: [] },
        { operator: 'XOR', conditions: [] },
        { operator: null, conditions: [] },
        { operator: 1, conditions: [] },
        { operator: 'AND', conditions: [], done: true },
        { operator: 'OR', conditions: [{ operator: 'NOT' }] },
      ];
      for (const filter of wrong) {
        expect({ filter, answer: await refused(filter) }).toEqual({
          filter,
          answer: err('invalidArguments', 'filter'),
        });
      }
    });

    it('decision 14: an undeclared filter property is unsupportedFilter', async () => {
      for (const filter of [
        { nope: 1 },
        { nope: null },
        { accountId: suite.A1 },
        { conditions: [] },
        { toString: 'x' },
        { operator: 'AND', conditions: [{ nope: 1 }] },
      ]) {
        expect(await refused(filter)).toEqual(err('unsupportedFilter'));
      }
      expect(await refused(JSON.parse('{"__proto__":"x"}') as Json)).toEqual(
        err('unsupportedFilter'),
      );
    });

    it('case 321, 8.5: a filter beyond all bounds is unsupportedFilter', async () => {
      const none: Json = { operator: 'OR', conditions: [] };
      const wide = { operator: 'AND', conditions: Array.from({ length: 10_000 }, () => none) };
      expect(await refused(wide)).toEqual(err('unsupportedFilter'));
      let deep: Json = none;
      for (let level = 0; level < 1000; level += 1) deep = { operator: 'NOT', conditions: [deep] };
      expect(await refused(deep)).toEqual(err('unsupportedFilter'));
    });

    it('decision 14: nesting within reason works', async () => {
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'a');
      let deep: Json = {};
      for (let level = 0; level < 20; level += 1) deep = { operator: 'NOT', conditions: [deep] };
      expect(await find(deep)).toEqual(ids);
      expect(await find({ operator: 'NOT', conditions: [deep] })).toEqual([]);
    });

    it('case 326, 5.5: a query sees its own account alone', async () => {
      await suite.clear(suite.A1);
      await suite.clear(suite.A2);
      const mine = await suite.make(suite.A1, 'shared text');
      await suite.make(suite.A2, 'shared text');
      expect(await find({ operator: 'OR', conditions: [{}, {}] })).toEqual(mine);
    });

    it('case 328, 5.5: total, ids and /get agree', async () => {
      await suite.clear(suite.A1);
      await suite.make(suite.A1, 'a', 'b', 'c', 'd');
      const { methodResponses } = await suite.client.api([
        [`${name}/query`, { accountId: suite.A1, calculateTotal: true }, 'q'],
        [`${name}/get`, { accountId: suite.A1, ids: null }, 'g'],
      ]);
      const [query, get] = [at(methodResponses, 0)[1], at(methodResponses, 1)[1]];
      const listed = (get['list'] as { id: string }[]).map(({ id }) => id);
      expect(query['ids']).toEqual(sameMembers(listed));
      expect(query['total']).toBe(listed.length);
    });

    const { textFilter } = profile;
    if (textFilter !== undefined) {
      it('case 311: null and the empty text add no constraint', async () => {
        await suite.clear(suite.A1);
        const ids = await suite.make(suite.A1, 'a', 'b');
        expect(await find({ [textFilter]: null })).toEqual(ids);
        expect(await find({ [textFilter]: '' })).toEqual(ids);
        expect(await find({ operator: 'NOT', conditions: [{ [textFilter]: '' }] })).toEqual([]);
      });

      it('decision 14: case-insensitive is NFC, full case folding, NFC', async () => {
        await suite.clear(suite.A1);
        const texts = [
          'Åland',
          'A\u030Aland',
          'STRASSE 1',
          'straße 2',
          'ΣΊΣΥΦΟΣ',
          'ﬁre',
          'İx',
          'plain',
        ];
        const ids = await suite.make(suite.A1, ...texts);
        const found = async (part: string) =>
          (await find({ [textFilter]: part })).map((id) => texts[ids.indexOf(id)]);
        expect(await found('ÅLAND')).toEqual(['Åland', 'A\u030Aland']);
        expect(await found('a\u030Aland')).toEqual(['Åland', 'A\u030Aland']);
        expect(await found('strasse')).toEqual(['STRASSE 1', 'straße 2']);
        expect(await found('STRAßE')).toEqual(['STRASSE 1', 'straße 2']);
        expect(await found('σίσυφος')).toEqual(['ΣΊΣΥΦΟΣ']);
        expect(await found('FIRE')).toEqual(['ﬁre']);
        expect(await found('i\u0307X')).toEqual(['İx']);
        expect(await found('PLA')).toEqual(['plain']);
        expect(await found('aland')).toEqual([]);
      });

      it('5.5: no character of a filter is a wildcard', async () => {
        await suite.clear(suite.A1);
        const texts = ['100%', '100x', 'a_b', 'axb', 'a\\b', "it's", 'a*b', 'a?b', '[x]'];
        const ids = await suite.make(suite.A1, ...texts);
        for (const part of ['0%', 'a_b', 'a\\b', "t's", 'a*b', 'a?b', '[x]', '%', '_', '*']) {
          const wanted = ids.filter((_, index) => texts[index]?.includes(part));
          expect({ part, ids: await find({ [textFilter]: part }) }).toEqual({ part, ids: wanted });
        }
      });

      it('case 313, 5.5: AND, OR and NOT of two conditions', async () => {
        await suite.clear(suite.A1);
        const [ab = '', a = '', b = '', c = ''] = await suite.make(suite.A1, 'a b', 'a', 'b', 'c');
        const conditions = [{ [textFilter]: 'A' }, { [textFilter]: 'B' }];
        expect(await find({ operator: 'AND', conditions })).toEqual([ab]);
        expect(await find({ operator: 'OR', conditions })).toEqual([ab, a, b]);
        expect(await find({ operator: 'NOT', conditions })).toEqual([c]);
      });

      it('case 320, 5.5: a declared property with a wrong type is invalidArguments', async () => {
        for (const value of [5, true, [], {}, ['a']]) {
          expect(await refused({ [textFilter]: value })).toEqual(
            err('invalidArguments', textFilter),
          );
          const nested = { operator: 'NOT', conditions: [{ [textFilter]: value }] };
          expect(await refused(nested)).toEqual(err('invalidArguments', textFilter));
        }
      });

      it('case 320, 5.5: a known and an unknown property: still refused', async () => {
        expect(await refused({ [textFilter]: 'a', nope: 1 })).toEqual(err('unsupportedFilter'));
      });
    }
  });
}
