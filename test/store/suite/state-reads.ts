import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../src/protocol/errors.js';
import type { ObjectsRequest, StateAndObjects, StoredObject } from '../../../src/store/port.js';
import { ALL, Gadget, gadget, gadgets, PROPERTIES, plan } from '../gadget.js';
import { A, type Bench, HUGE } from './bench.js';

const WHOLE = Gadget.properties;
/** Kinds that SQLite reads in one text. */
const PLAIN: typeof WHOLE = Object.values(PROPERTIES).filter(
  ({ kind }) => kind !== 'json' && kind !== 'number',
);

const STRANGE: readonly StoredObject[] = [
  gadget('r1', { title: 'Åland — 日本語 — \u202emirror\u2028', code: 'e\u0301 👩‍👩‍👧‍👦' }),
  gadget('r2', { title: `"'\\/ {"a":[1]}`, code: '', score: 0.1 + 0.2 }),
  gadget('r3', { title: '\u0001\b\t\n\u000b\f\r\u001f\u007f', code: '007' }),
  gadget('r4', { rank: Number.MAX_SAFE_INTEGER, done: true, due: '2026-02-28T23:59:59.12Z' }),
  gadget('r5', { rank: Number.MIN_SAFE_INTEGER, due: '0001-01-01T00:00:00Z' }),
];

/** A read of a state with its objects gives the same as a snapshot's operations. */
export function stateReadCases(bench: Bench): void {
  const asked = (): { accountId: string; deadline: number; type: typeof Gadget } => ({
    ...{ accountId: A, deadline: bench.soon().deadline, type: Gadget },
  });

  /** In order of id. */
  const objects = async (
    ids: ObjectsRequest['ids'],
    properties = PLAIN,
    maxOctets = HUGE,
  ): Promise<StateAndObjects> => {
    const found = await bench.store.readObjects({ ...asked(), ids, properties, maxOctets });
    return { ...found, objects: byId(found.objects) };
  };

  const slowly = (ids: readonly string[], properties = PLAIN): Promise<StateAndObjects> =>
    bench.read(async (snapshot) => ({
      number: await snapshot.stateNumber(Gadget),
      objects: byId(await snapshot.get(Gadget, ids, properties, HUGE)),
    }));

  const create = (made: readonly StoredObject[]): Promise<unknown> =>
    bench.write(async (transaction) => {
      await transaction.writeRows('insert', Gadget, made);
      const changes = made.map(({ id }) => ({ objectId: id, kind: 'created' as const }));
      return transaction.record(Gadget, changes);
    });

  const changes = (since: number, limit: number) =>
    bench.store.readChanges({ ...asked(), since, limit });

  const page = (position: number, limit: number, maxOctets: number | null, of = PLAIN) => {
    const selection = maxOctets === null ? null : { properties: of, maxOctets };
    const query = { plan: plan(ALL), window: { position, limit }, selection };
    return bench.store.readPage({ ...asked(), ...query });
  };

  describe('a state and its objects', () => {
    it('are what a snapshot has, whatever is in them', async () => {
      await create(STRANGE);
      const ids = STRANGE.map(({ id }) => id);
      for (const properties of [PLAIN, WHOLE]) {
        const found = await objects(ids, properties);
        expect(JSON.stringify(found)).toBe(JSON.stringify(await slowly(ids, properties)));
        for (const id of ids)
          expect(await objects([id], properties)).toEqual(await slowly([id], properties));
      }
    });

    it('come with state 0 and no objects where there are none', async () => {
      for (const ids of [[], ['r1'], ['r1', 'r2'], { first: 5 }])
        expect(await objects(ids)).toEqual({ number: 0, objects: [] });
    });

    it('leave out ids that do not exist', async () => {
      await create(STRANGE);
      const { objects: found } = await objects(['r9', 'r2', '', 'r1']);
      expect(found.map(({ id }) => id)).toEqual(['r1', 'r2']);
      expect(await objects(['r9'])).toEqual({ number: 5, objects: [] });
    });

    it('are the first ones in order of id where no ids are named', async () => {
      await create(STRANGE);
      const found = await bench.store.readObjects({
        ...{ ...asked(), ids: { first: 3 }, properties: WHOLE, maxOctets: HUGE },
      });
      expect(found).toEqual(await slowly(['r1', 'r2', 'r3'], WHOLE));
    });

    it('are more than one text may hold, or large', async () => {
      const many = gadgets(1100);
      await create(many);
      await create([gadget('large', { title: 'x'.repeat(9000) })]);
      expect((await objects(many.map(({ id }) => id))).objects).toHaveLength(1100);
      expect((await objects(['large', many[0]?.id ?? ''])).objects).toHaveLength(2);
      expect(await objects(['large'])).toEqual(await slowly(['large']));
    });

    it('see what was committed before they were asked for', async () => {
      for (const [index, object] of STRANGE.entries()) {
        await create([object]);
        const seen = await Promise.all([1, 2, 3].map(() => objects([object.id])));
        for (const { number, objects: found } of seen)
          expect([number, found.length]).toEqual([index + 1, 1]);
      }
    });

    it('are refused beyond their octets and their deadline', async () => {
      await create(STRANGE);
      const tooLarge = { type: 'requestTooLarge' };
      await expect(objects(['r1', 'r2'], PLAIN, 100)).rejects.toMatchObject(tooLarge);
      await expect(objects(['r1'], PLAIN, 10)).rejects.toMatchObject(tooLarge);
      await expect(objects({ first: 9 }, PLAIN, 100)).rejects.toMatchObject(tooLarge);
      const late = { ...asked(), deadline: performance.now() - 1 };
      const none = { plan: plan(ALL), window: { position: 0, limit: 1 }, selection: null };
      for (const refused of [
        () => bench.store.readObjects({ ...late, ids: ['r1'], properties: PLAIN, maxOctets: HUGE }),
        () => bench.store.readChanges({ ...late, since: 0, limit: 1 }),
        () => bench.store.readPage({ ...late, ...none }),
      ])
        await expect(refused()).rejects.toBeInstanceOf(UnavailableError);
    });
  });

  describe('a state and its changes', () => {
    it('are what a snapshot has, in order', async () => {
      for (const object of STRANGE) await create([object]);
      for (const [since, limit] of [
        [0, 100],
        [2, 2],
        [5, 10],
        [9, 10],
      ] as const) {
        const slow = await bench.read(async (snapshot) => ({
          number: await snapshot.stateNumber(Gadget),
          records: await snapshot.changes(Gadget, since, limit),
        }));
        expect(await changes(since, limit)).toEqual(slow);
      }
    });
  });

  describe('a page of a query', () => {
    it('has the state, the ids, and the objects where they are wanted, in order', async () => {
      await create(STRANGE);
      const ids = STRANGE.map(({ id }) => id);
      const { objects: all } = await slowly(ids);
      expect(await page(0, 10, null)).toEqual({ number: 5, ids, found: null });
      expect(await page(1, 2, HUGE)).toMatchObject({
        ...{ number: 5, ids: ids.slice(1, 3), found: { objects: all.slice(1, 3) } },
      });
      const nothing = { objects: [], octets: 0 };
      expect(await page(7, 2, HUGE)).toEqual({ number: 5, ids: [], found: nothing });
      // Too many octets are no failure of the query.
      const { found } = await page(0, 10, HUGE);
      expect(await page(0, 10, (found?.octets ?? 0) - 1)).toEqual({ number: 5, ids, found: null });
    });
  });
}

function byId(objects: readonly StoredObject[]): readonly StoredObject[] {
  return [...objects].sort((a, b) => (a.id < b.id ? -1 : 1));
}
