import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { at } from '../expected.js';
import { populate } from '../subject/populated.js';
import { buildSorts, query, queryAll, tryQuery } from '../subject/queries.js';
import { makeSix } from './query-window.js';

/** RFC 8620 5.5: a window of /query that an anchor places. */

export const queryAnchorChecks = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 6 }, [
  {
    id: 'query-window-anchor',
    level: 'must',
    rule:
      'With an anchor the window begins at its index plus anchorOffset, which may be negative; a ' +
      'position that is given is ignored.',
    /**
     * Gives a position as well, which the anchor must overrule (RFC 8620 5.5). The window stays
     * within the list here.
     */
    async run(subject) {
      const ids = await makeSix(subject);
      const anchor = at(ids, 2);
      for (const [more, position] of [
        [{}, 2],
        [{ anchorOffset: 1 }, 3],
        [{ anchorOffset: -1 }, 1],
        [{ anchorOffset: -2 }, 0],
        [{ position: 4 }, 2],
        [{ position: -1 }, 2],
        [{ position: 99, anchorOffset: 2 }, 4],
      ] as const) {
        const answer = await query(subject, { anchor, limit: 2, ...more });
        expect({ more, position: answer.position, ids: answer.ids }).toEqual({
          more,
          position,
          ids: ids.slice(position, position + 2),
        });
      }
    },
  },
  {
    id: 'query-window-anchor-clamped',
    level: 'must',
    rule:
      'An anchorOffset that leads in front of the list begins it at 0, and never counts from its ' +
      'end; one that leads behind it gives no ids.',
    /**
     * Tries offsets up to the least Int, whose sum with the index overflows where a server computes
     * in 32 bits.
     */
    async run(subject) {
      const ids = await makeSix(subject);
      const anchor = at(ids, 2);
      for (const anchorOffset of [-3, -999, -(2 ** 53) + 1])
        expect(await query(subject, { anchor, anchorOffset, limit: 2 })).toMatchObject({
          position: 0,
          ids: ids.slice(0, 2),
        });
      for (const anchorOffset of [ids.length - 2, 999])
        expect((await query(subject, { anchor, anchorOffset })).ids).toEqual([]);
    },
  },
  {
    id: 'query-window-anchor-offset-alone',
    level: 'must',
    rule: 'An anchorOffset without an anchor is ignored.',
    /**
     * Compares with a position of 1: a server that applies the offset to the position answers
     * another id.
     */
    async run(subject) {
      const ids = await makeSix(subject);
      for (const more of [{}, { anchor: null }])
        expect(
          await query(subject, { anchorOffset: 3, position: 1, limit: 1, ...more }),
        ).toMatchObject({ position: 1, ids: ids.slice(1, 2) });
    },
  },
  {
    id: 'query-window-anchor-not-found',
    level: 'must',
    rule:
      'An anchor that is not among the results is anchorNotFound: one that never was, that was ' +
      'destroyed, or that the filter leaves out.',
    needs: { room: 7 },
    /**
     * Tries three ways for an anchor to be missing, since servers look them up in different places:
     * by id, among objects, and among results.
     */
    async run(subject) {
      const [gone = '', other = ''] = subject.pickOwn(await makeSix(subject));
      const notFound = subject.matchError('anchorNotFound');
      expect(await tryQuery(subject, { anchor: 'never-was' })).toEqual(notFound);
      await subject.set({ destroy: [gone] });
      expect(await tryQuery(subject, { anchor: gone })).toEqual(notFound);
      expect(await tryQuery(subject, { anchor: gone, limit: 0 })).toEqual(notFound);
      const { text, textFilter } = subject.profile;
      if (textFilter === undefined) return;
      await subject.update(other, { [text]: 'zzz' });
      const filter = { [textFilter]: 'yyy' };
      const one = await subject.makeOne(subject.A1, 'yyy');
      expect(await tryQuery(subject, { anchor: other, filter })).toEqual(notFound);
      const found = await queryAll(subject, { filter });
      expect(subject.pickOwn(found)).toEqual([one]);
      expect(await query(subject, { anchor: one, filter, limit: 1 })).toMatchObject({
        position: found.indexOf(one),
        ids: [one],
      });
    },
  },
  {
    id: 'query-window-anchor-everywhere',
    level: 'must',
    rule:
      'In every order, among nulls and equal values too, an anchor is found at the index that it ' +
      'has in the whole list.',
    needs: { room: 3 },
    /**
     * Takes each of the run's objects as an anchor in each order. Equal values and nulls are where
     * an index by value alone goes wrong.
     */
    async run(subject) {
      await populate(subject, async () => {
        for (const sort of buildSorts(subject)) {
          const ids = await queryAll(subject, { sort });
          for (const [index, anchor] of ids.entries()) {
            if (subject.listForeign().has(anchor)) continue;
            const answer = await query(subject, { sort, anchor, anchorOffset: -1, limit: 2 });
            const from = Math.max(index - 1, 0);
            expect({ sort, anchor, position: answer.position, ids: answer.ids }).toEqual({
              sort,
              anchor,
              position: from,
              ids: ids.slice(from, from + 2),
            });
          }
        }
      });
    },
  },
]);
