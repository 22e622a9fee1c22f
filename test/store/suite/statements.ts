import { describe, expect, it } from 'vitest';
import type { StoredObject, Transaction } from '../../../src/store/port.js';
import { ALL, Gadget, gadgets, plan, queryIds, UNIQUES } from '../gadget.js';
import { A, type Bench, HUGE, idOf } from './bench.js';

export function statementCases(bench: Bench): void {
  const { write, counted } = bench;

  describe('statements', () => {
    // Design: a method call costs the same number of statements for 1 object and for 500.
    const operations: readonly [
      string,
      number,
      (transaction: Transaction, objects: readonly StoredObject[]) => Promise<unknown>,
    ][] = [
      ['insert', 1, (t, objects) => t.writeRows('insert', Gadget, objects)],
      ['update', 1, (t, objects) => t.writeRows('update', Gadget, objects)],
      ['get', 1, (t, objects) => t.get(Gadget, objects.map(idOf), Gadget.properties, HUGE)],
      ['get of the first', 1, (t) => t.get(Gadget, { first: 500 }, Gadget.properties, HUGE)],
      ['the state and a page', 2, (t) => queryIds(t, Gadget, plan(ALL, 'title'), 0, 500)],
      ['count', 1, (t) => t.count(Gadget, ALL)],
      ['rank', 2, (t) => t.rank(Gadget, plan(ALL, 'title'), 'r000000')],
      ['ranks', 2, (t, objects) => t.ranks(Gadget, plan(ALL, '-rank'), objects.map(idOf))],
      [
        'record',
        2,
        (t, objects) =>
          t.record(
            Gadget,
            objects.map(({ id }) => ({ objectId: id, kind: 'created' as const })),
          ),
      ],
      ['stateNumber', 1, (t) => t.stateNumber(Gadget)],
      ['changes', 1, (t) => t.changes(Gadget, 0, 500)],
      ['insertBlobs', 1, (t, objects) => t.insertBlobs(objects.map(blobOf))],
      ['blobs', 1, (t, objects) => t.blobs(objects.map(idOf))],
      ['blobs of a viewer', 1, (t, objects) => t.blobs(objects.map(idOf), 'u1')],
      [
        'changeBlobReferences',
        3,
        (t, objects) => t.changeBlobReferences(objects.map(referenceOf), objects.map(referenceOf)),
      ],
      ['blobReferences', 1, (t, objects) => t.blobReferences(objects.map(idOf), ['Gadget'])],
      ['blobUses', 1, (t, objects) => t.blobUses(objects.map(idOf), ['Gadget'], 10)],
      ['evictBlobs', 2, (t) => t.evictBlobs('u1', 0, [])],
      ['blobOctets', 1, (t) => t.blobOctets(['Gadget'])],
      ['existing', 1, (t, objects) => t.existing(Gadget, objects.map(idOf))],
      ['objectCount', 1, (t) => t.objectCount(Gadget)],
      [
        'holders',
        1,
        (t, objects) =>
          t.holders(
            Gadget,
            UNIQUES.codeRank,
            objects.map(({ id }) => [id, 1]),
          ),
      ],
      [
        'changeReferences',
        2,
        (t, objects) => t.changeReferences(linksOf(objects), linksOf(objects)),
      ],
      [
        'referrers',
        1,
        (t, objects) => t.referrers([{ type: 'Gadget', ids: objects.map(idOf) }], [], 1000),
      ],
      ['ancestors', 1, (t, objects) => t.ancestors(Gadget, 'link', objects.map(idOf), 1000)],
      ['destroy', 1, (t, objects) => t.destroy(Gadget, objects.map(idOf))],
    ];

    it('are as many for 500 objects as for one', async () => {
      const counts = new Map<string, number>();
      for (const count of [1, 500]) {
        const objects = gadgets(count, (index) => ({ title: `t${index}`, rank: index % 7 }));
        await write(async (transaction) => {
          for (const [what, statements, run] of operations) {
            const ran = await counted(() => run(transaction, objects));
            // An engine that does with fewer does so for any number; for many it may do with fewer
            // still.
            expect(ran, what).toBeLessThanOrEqual(counts.get(what) ?? statements);
            counts.set(what, ran);
          }
        });
      }
    });

    it('are none for empty lists', async () => {
      await write(async (transaction) => {
        const ran = await counted(async () => {
          await transaction.writeRows('insert', Gadget, []);
          await transaction.writeRows('update', Gadget, []);
          await transaction.destroy(Gadget, []);
          await transaction.get(Gadget, [], Gadget.properties, HUGE);
          await transaction.ranks(Gadget, plan(ALL), []);
          await transaction.existing(Gadget, []);
          await transaction.holders(Gadget, UNIQUES.code, []);
          await transaction.changeReferences([], []);
          await transaction.referrers([], [{ type: 'Gadget', reference: 'link' }], 10);
          await transaction.ancestors(Gadget, 'link', [], 10);
          await transaction.insertBlobs([]);
          await transaction.blobs([]);
          await transaction.changeBlobReferences([], []);
          await transaction.blobReferences([], ['Gadget']);
          await transaction.blobUses([], ['Gadget'], 10);
        });
        expect(ran).toBe(0);
      });
    });

    it('have their plans beside one that the database can’t plan', async () => {
      const statement = (sql: string) => ({ sql, parameters: [], inThread: false });
      const [good, bad] = ['SELECT "id" FROM "JmapAccount"', 'SELECT "none" FROM "JmapAccount"'];
      const plansUntil = (deadline: number) =>
        bench.store.plans(A, deadline, [good, bad, good].map(statement));
      const told = { steps: [expect.stringContaining('JmapAccount')] };
      expect(await plansUntil(bench.soon().deadline)).toMatchObject([told, null, told]);
      expect(await plansUntil(performance.now() - 1)).toEqual([null, null, null]);
    });
  });
}

function linksOf(objects: readonly StoredObject[]) {
  const ends = { toType: 'Gadget', fromType: 'Gadget', reference: 'link' };
  return objects.map(({ id }) => ({ ...ends, toId: id, fromId: id }));
}

function blobOf({ id }: StoredObject) {
  return { id, type: 'text/plain', size: 1, uploaderId: 'u1' };
}

function referenceOf({ id }: StoredObject) {
  return { blobId: id, dataType: 'Gadget', objectId: id };
}
