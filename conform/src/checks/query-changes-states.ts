import { expect } from 'expect';
import { typeChecks } from '../check.js';
import {
  cacheQuery,
  queryAll,
  queryChanges,
  sortByText,
  spliceChanges,
} from '../subject/queries.js';
import { runSideBySide } from './at-once.js';
import { expectFollows, NEEDS, update } from './query-follow.js';

/** RFC 8620 5.6: from which query states /queryChanges leads to the new results. */

export const queryChangesStateChecks = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-old-state',
    level: 'must',
    rule:
      'Changes are told from an older state as well as from the newest: each cache comes to the ' +
      'same results.',
    needs: { room: 5 },
    /**
     * Keeps a cache from each step and brings all of them up to date at the end. Each needs another
     * range of the server's log.
     */
    async run(subject) {
      const args = { sort: sortByText(subject) };
      const [a = '', b = ''] = await subject.make(subject.A1, 'a', 'b');
      const caches = [await cacheQuery(subject, args)];
      for (const step of [
        () => subject.makeOne(subject.A1, 'aa'),
        () => update(subject, a, 'zz'),
        () => subject.set({ destroy: [b] }),
        () => subject.makeOne(subject.A1, 'c'),
      ]) {
        await step();
        caches.push(await cacheQuery(subject, args));
      }
      for (const before of caches) await expectFollows(subject, before);
    },
  },
  {
    id: 'query-changes-busy-writer',
    level: 'must',
    rule:
      'While others write, newQueryState belongs to exactly the lists that came with it: a ' +
      'client that follows arrives at the results.',
    needs: { room: 17 },
    /**
     * Follows while another client writes. A state that is read before or after its lists loses a
     * write between the two.
     */
    async run(subject) {
      await subject.make(subject.A1, 'a', 'b');
      let mine = await cacheQuery(subject);
      const follow = async (): Promise<void> => {
        const answer = await queryChanges(subject, mine);
        const ids = spliceChanges(mine.ids, answer);
        mine = { args: {}, ids, queryState: answer.newQueryState };
      };
      await runSideBySide(
        subject,
        12,
        async (round) => {
          await subject.makeOne(subject.A1, `w${round}`);
        },
        follow,
      );
      await follow();
      expect(mine.ids).toEqual(await queryAll(subject));
    },
  },
]);
