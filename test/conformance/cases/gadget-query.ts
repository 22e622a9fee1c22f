import { describe, expect, it } from 'vitest';
import { entry, err } from '../../support/expected.js';
import type { JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Sections L, M and O of cases.md for filters and sorts of every kind. */
export function gadgetQueryCases(suite: Suite): void {
  const make = async (...gadgets: JsonMap[]): Promise<string[]> => {
    await suite.clear(suite.A1);
    const create = Object.fromEntries(
      gadgets.map((gadget, index) => [`k${index}`, { title: `g${index}`, ...gadget }]),
    );
    const { created } = await suite.client.set('Gadget', { accountId: suite.A1, create });
    return gadgets.map((_, index) => entry(created, `k${index}`).id);
  };
  const find = async (args: object): Promise<string[]> =>
    (await suite.client.query('Gadget', { accountId: suite.A1, ...args })).ids;

  describe('Gadget: L. filters of every kind', () => {
    it('decision 14: `in` takes a list; an empty one matches nothing', async () => {
      const [small = '', large = ''] = await make({}, { kind: 'large' });
      expect(await find({ filter: { kind: ['small'] } })).toEqual([small]);
      expect(await find({ filter: { kind: ['large', 'small', 'large'] } })).toEqual([small, large]);
      expect(await find({ filter: { kind: [] } })).toEqual([]);
      expect(await find({ filter: { kind: null } })).toEqual([small, large]);
      for (const kind of ['small', 5, {}, [5], [null]]) {
        expect(
          await suite.client.call('Gadget/query', { accountId: suite.A1, filter: { kind } }),
        ).toEqual(err('invalidArguments', 'kind'));
      }
    });

    it('5.5: atLeast includes its bound', async () => {
      const ids = await make({ rank: -10 }, { rank: 0 }, { rank: 10 });
      expect(await find({ filter: { minRank: 0 } })).toEqual(ids.slice(1));
      expect(await find({ filter: { minRank: 1 } })).toEqual(ids.slice(2));
      expect(await find({ filter: { minRank: -10 } })).toEqual(ids);
      expect(await find({ filter: { minRank: null } })).toEqual(ids);
      expect(
        await suite.client.call('Gadget/query', { accountId: suite.A1, filter: { minRank: '1' } }),
      ).toEqual(err('invalidArguments', 'minRank'));
    });

    it('case 323, 5.5: `before` excludes its bound, null is not before anything', async () => {
      const [early = '', later = ''] = await make(
        { due: '2026-01-01T00:00:00Z' },
        { due: '2026-01-01T00:00:00.001Z' },
        { due: null },
      );
      const dueIs = (dueBefore: unknown) => find({ filter: { dueBefore } });
      expect(await dueIs('2026-01-01T00:00:00Z')).toEqual([]);
      expect(await dueIs('2026-01-01T00:00:00.001Z')).toEqual([early]);
      expect(await dueIs('2027-01-01T00:00:00Z')).toEqual([early, later]);
      expect(await dueIs(null)).toHaveLength(3);
      for (const dueBefore of ['tomorrow', '', 5, '2026-02-31T00:00:00Z']) {
        expect(
          await suite.client.call('Gadget/query', { accountId: suite.A1, filter: { dueBefore } }),
        ).toEqual(err('invalidArguments', 'dueBefore'));
      }
    });

    it('5.5: after includes its bound, atMost too; isNull tells null from the rest', async () => {
      const [early = '', later = '', none = ''] = await make(
        { due: '2026-01-01T00:00:00Z', rank: 1 },
        { due: '2026-01-01T00:00:00.001Z', rank: 2 },
        { due: null, rank: 3 },
      );
      expect(await find({ filter: { dueAfter: '2026-01-01T00:00:00Z' } })).toEqual([early, later]);
      expect(await find({ filter: { dueAfter: '2026-01-01T00:00:00.001Z' } })).toEqual([later]);
      expect(await find({ filter: { maxRank: 2 } })).toEqual([early, later]);
      expect(await find({ filter: { maxRank: 2, minRank: 2 } })).toEqual([later]);
      expect(await find({ filter: { noDue: true } })).toEqual([none]);
      expect(await find({ filter: { noDue: false } })).toEqual([early, later]);
      expect(await find({ filter: { noDue: null } })).toEqual([early, later, none]);
    });

    it('decision 14: startsWith is case-insensitive and knows no wildcards; equals is exact', async () => {
      const codes = ['Straße 1', 'STRASSE 2', 'a%b', 'A%', '_x', null, ''];
      const ids = await make(...codes.map((code) => ({ code })));
      const found = async (filter: object) =>
        (await find({ filter })).map((id) => codes[ids.indexOf(id)]);
      expect(await found({ codeStart: 'strasse' })).toEqual(['Straße 1', 'STRASSE 2']);
      expect(await found({ codeStart: 'rasse' })).toEqual([]);
      expect(await found({ codeStart: 'A%' })).toEqual(['a%b', 'A%']);
      expect(await found({ codeStart: '_' })).toEqual(['_x']);
      expect(await found({ codeStart: '' })).toHaveLength(7);
      expect(await found({ codeStart: null })).toHaveLength(7);
      expect(await found({ code: 'A%' })).toEqual(['A%']);
      expect(await found({ code: '' })).toEqual(['']);
      expect(await found({ code: null })).toEqual([null]);
    });

    it('decision 14: `equals` with null on a nullable property matches null', async () => {
      const [one = '', none = ''] = await make({ score: 1.5 }, {}, { score: 2 });
      expect(await find({ filter: { score: 1.5 } })).toEqual([one]);
      expect(await find({ filter: { score: null } })).toEqual([none]);
    });

    it('decision 14: NOT finds what has null, too', async () => {
      const [, none = '', two = ''] = await make({ score: 1.5 }, {}, { score: 2 });
      const not = (condition: object) =>
        find({ filter: { operator: 'NOT', conditions: [condition] } });
      expect(await not({ score: 1.5 })).toEqual([none, two]);
      const [, never = ''] = await make({ due: '2026-01-01T00:00:00Z' }, {});
      expect(await not({ dueBefore: '2027-01-01T00:00:00Z' })).toEqual([never]);
      expect(
        await not({ operator: 'NOT', conditions: [{ dueBefore: '2027-01-01T00:00:00Z' }] }),
      ).toHaveLength(1);
    });
  });

  describe('Gadget: M. sorts of every kind', () => {
    it('case 340, decision 15: nulls come first ascending, last descending', async () => {
      const [b = '', none = '', a = '', none2 = ''] = await make(
        { due: '2026-01-02T00:00:00Z', score: 2 },
        {},
        { due: '2026-01-01T23:59:59.999Z', score: -1.5 },
        {},
      );
      for (const property of ['due', 'score']) {
        expect(await find({ sort: [{ property }] })).toEqual([none, none2, a, b]);
        expect(await find({ sort: [{ property, isAscending: false }] })).toEqual([
          b,
          a,
          none2,
          none,
        ]);
      }
    });

    it('decision 15: null strings come first in every collation, before the empty one', async () => {
      const [b = '', none = '', empty = '', ten = '', none2 = '', nine = ''] = await make(
        { code: 'b' },
        {},
        { code: '' },
        { code: '10' },
        {},
        { code: '9' },
      );
      const order = (collation: string | undefined, isAscending = true) =>
        find({ sort: [{ property: 'code', isAscending, ...(collation && { collation }) }] });
      for (const collation of [undefined, 'i;unicode-casemap', 'i;ascii-casemap', 'i;octet']) {
        const ascending = [none, none2, empty, ten, nine, b];
        expect(await order(collation)).toEqual(ascending);
        expect(await order(collation, false)).toEqual([...ascending].reverse());
      }
      expect(await order('i;ascii-numeric')).toEqual([none, none2, nine, ten, b, empty]);
    });

    it('5.5: anchors and pages among nulls', async () => {
      const ids = await make(
        { due: '2026-01-02T00:00:00Z' },
        {},
        {},
        { due: '2026-01-01T00:00:00Z' },
      );
      for (const isAscending of [true, false]) {
        const sort = [{ property: 'due', isAscending }];
        const whole = await find({ sort });
        for (const [index, anchor] of whole.entries()) {
          const answer = await suite.client.query('Gadget', {
            accountId: suite.A1,
            sort,
            anchor,
            limit: 1,
          });
          expect([answer.position, answer.ids]).toEqual([index, [anchor]]);
        }
        expect([...whole].sort()).toEqual([...ids].sort());
      }
    });

    it('5.5: integers and numbers go by value', async () => {
      const [ten = '', two = '', minus = ''] = await make(
        { rank: 10, score: 10 },
        { rank: 2, score: 2 },
        { rank: -3, score: -3.5 },
      );
      for (const property of ['rank', 'score']) {
        expect(await find({ sort: [{ property, collation: 'i;octet' }] })).toEqual([
          minus,
          two,
          ten,
        ]);
      }
    });

    it('case 333, 5.5: declared properties alone', async () => {
      for (const property of ['meta', 'list', 'kind', 'blobId']) {
        expect(
          await suite.client.call('Gadget/query', { accountId: suite.A1, sort: [{ property }] }),
        ).toEqual(err('unsupportedSort'));
      }
    });
  });

  describe('Gadget: O. changes of every kind', () => {
    it('decision 16: a filter on an immutable property lets upToId cut off the rest', async () => {
      const [first = ''] = await make({}, {}, { kind: 'large' });
      const args = { accountId: suite.A1, filter: { kind: ['small'] } };
      const before = await suite.client.query('Gadget', args);
      const create = { k: { title: 'new' }, m: { title: 'new', kind: 'large' } };
      const { created } = await suite.client.set('Gadget', { accountId: suite.A1, create });
      const since = { ...args, sinceQueryState: before.queryState };
      const whole = await suite.client.queryChanges('Gadget', since);
      expect(whole.added).toEqual([{ id: entry(created, 'k').id, index: 2 }]);
      const cut = await suite.client.queryChanges('Gadget', { ...since, upToId: first });
      expect(cut.added).toEqual([]);
      expect(cut.newQueryState).toBe(whole.newQueryState);
    });

    it('5.6: a null that becomes a value moves in the sort', async () => {
      const [a = '', b = '', c = ''] = await make({}, { due: '2026-01-01T00:00:00Z' }, {});
      const args = { accountId: suite.A1, sort: [{ property: 'due' }] };
      const before = await suite.client.query('Gadget', args);
      expect(before.ids).toEqual([a, c, b]);
      await suite.client.set('Gadget', {
        accountId: suite.A1,
        update: { [a]: { due: '2026-02-01T00:00:00Z' } },
      });
      const changes = await suite.client.queryChanges('Gadget', {
        ...args,
        sinceQueryState: before.queryState,
      });
      expect([changes.removed, changes.added]).toEqual([[a], [{ id: a, index: 2 }]]);
    });
  });
}
