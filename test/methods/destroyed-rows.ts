import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import type { StoredObject, Transaction } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { GADGET_TABLES } from './gadget.js';
import { type Json, Rig } from './rig.js';

/*
 * A /set reads the links of objects that it destroys, and of the objects that follow. It reads
 * whole rows only of the objects that stay and lose links. Else large objects that go one by one
 * could not go together.
 */

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

/** A rig on an empty database of PostgreSQL. */
export async function rigOnPostgresql(url: string): Promise<Rig> {
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  await operator.query(GADGET_TABLES.replaceAll(' TEXT', ' TEXT COLLATE "C"'));
  await operator.query(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('a1', '', 'u', 1)`,
  );
  await operator.end();
  const pool = openPool({ url, size: 4, pipeline: true });
  return new Rig(
    {},
    { store: (types, now) => createPostgresqlStore({ conductor, pool, types, now }) },
  );
}

interface Get {
  readonly type: string;
  readonly ids: readonly string[];
  readonly isWhole: boolean;
}

/** The questions that works ask of a store. */
interface Watched {
  readonly operations: string[];
  readonly gets: Get[];
}

/**
 * A stand-in for 100 MB: 40 whole gadgets of these tests have more octets, their links have fewer.
 */
const OCTETS = 10_000;
const TITLE = 'x'.repeat(200);

export function watch({ services: { store } }: Rig): Watched {
  const watched: Watched = { operations: [], gets: [] };
  const write = store.write.bind(store);
  vi.spyOn(store, 'write').mockImplementation((accountId, options, work) =>
    write(accountId, options, (transaction) => work(watching(transaction, watched))),
  );
  return watched;
}

function watching(transaction: Transaction, { operations, gets }: Watched): Transaction {
  const get: Transaction['get'] = (type, ids, properties) => {
    const isWhole = properties.some(({ name }) => name === 'title');
    gets.push({ type: type.name, ids: 'first' in ids ? [] : ids, isWhole });
    return transaction.get(type, ids, properties, OCTETS);
  };
  return new Proxy(transaction, {
    get(target, name) {
      const value: unknown = name === 'get' ? get : Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      operations.push(String(name));
      return value.bind(target);
    },
  });
}

export function destroyedRows(database: string, open: () => Promise<Rig>): void {
  describe(`rows of what is destroyed, on ${database}`, () => destroyedRowsCases(open));
}

function destroyedRowsCases(open: () => Promise<Rig>): void {
  let rig: Rig;

  beforeAll(async () => {
    rig = await open();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    const { list } = await rig.call('Gadget/get', { ids: null, properties: ['id'] });
    await rig.call('Gadget/set', { destroy: list.map(({ id }: Json) => id) });
  });

  const make = (...objects: object[]): Promise<string[]> =>
    rig.create(
      'Gadget',
      objects.map((one) => ({ title: TITLE, ...one })),
    );
  const many = (count: number, more: object): object[] => Array.from({ length: count }, () => more);

  /** All that is stored, hidden properties too. */
  async function row(id: string): Promise<StoredObject | undefined> {
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    const deadline = performance.now() + 60_000;
    const [found] = await rig.services.store.read('a1', { deadline }, (snapshot) =>
      snapshot.get(type, [id], type.properties, 10_000),
    );
    return found;
  }

  it('are not read whole where all go', async () => {
    const [hub = ''] = await make({});
    const ids = await make(...many(40, { links: { [hub]: true } }));
    const { gets } = watch(rig);
    const answer = await rig.call('Gadget/set', { destroy: [hub, ...ids] });
    expect(answer).toMatchObject({ notDestroyed: null, destroyed: [hub, ...ids] });
    expect(gets).toEqual([{ type: 'Gadget', ids: [hub, ...ids], isWhole: false }]);
  });

  it('are not read whole of those that stay as they are', async () => {
    const kept = await make(...many(40, {}));
    const children = await make(...kept.map((parentId) => ({ parentId })));
    const [gone = ''] = await make({});
    const { gets } = watch(rig);
    const { destroyed, notDestroyed, updated } = await rig.call('Gadget/set', {
      destroy: [...kept, gone],
    });
    expect([destroyed, updated]).toEqual([[gone], null]);
    expect(Object.keys(notDestroyed)).toEqual(kept);
    expect(notDestroyed[kept[3] ?? ''].objectIds).toEqual([children[3]]);
    expect(gets.map(({ isWhole }) => isWhole)).toEqual([false]);
  });

  it('are read of those that stay and lose links, which keep all else', async () => {
    const [stays = '', gone = '', other = ''] = await make({}, {}, {});
    const [kept = '', aside = '', owned = ''] = await make(
      {
        ...{ title: 'kept', code: 'K', shelf: 's', slot: 3, pin: '1234', parentId: stays },
        ...{ links: { [gone]: true, [stays]: true }, others: [other, stays, gone] },
      },
      { title: 'aside', links: { [stays]: true } },
      { title: 'owned', ownerId: stays, others: [gone] },
    );
    await make({ parentId: kept }, { parentId: aside }, { parentId: owned });
    const before = await row(kept);
    const asideBefore = await row(aside);
    const ownedBefore = await row(owned);
    const { state } = await rig.call('Gadget/get', { ids: [] });
    const { gets } = watch(rig);
    const answer = await rig.call('Gadget/set', { destroy: [kept, gone, aside, owned, other] });
    expect(answer.destroyed).toEqual([gone, other]);
    expect(Object.keys(answer.notDestroyed).sort()).toEqual([kept, aside, owned].sort());
    const updated = expect.any(String);
    // 5.3: no more than what the client can't know.
    expect(answer.updated).toEqual({
      [kept]: { updated, links: { [stays]: true }, others: [stays] },
      [owned]: { updated, others: [] },
    });
    expect(answer).toMatchObject({ oldState: state, newState: String(Number(state) + 4) });
    const changes = await rig.call('Gadget/changes', { sinceState: state });
    expect(changes).toMatchObject({ created: [], newState: answer.newState });
    expect(changes.updated.toSorted()).toEqual([kept, owned].sort());
    expect(changes.destroyed.toSorted()).toEqual([gone, other].sort());
    const whole = gets.filter(({ isWhole }) => isWhole);
    expect(whole.map(({ ids }) => ids.toSorted())).toEqual([[kept, owned].sort()]);

    expect(before).toMatchObject({ title: 'kept', cost: 7, pin: expect.stringMatching(/^scrypt/) });
    expect(await row(kept)).toEqual({ ...before, ...answer.updated[kept] });
    expect(await row(owned)).toEqual({ ...ownedBefore, ...answer.updated[owned] });
    expect(await row(aside)).toEqual(asideBefore);
    const { list } = await rig.call('Gadget/get', { ids: [kept] });
    expect(list[0]).toMatchObject({ title: 'kept', code: 'K', count: 1, ...answer.updated[kept] });
  });

  it('are not read whole of what follows', async () => {
    const [hub = ''] = await make({});
    const ids = await make(...many(40, { ownerId: hub }));
    const { gets } = watch(rig);
    const { destroyed, notDestroyed } = await rig.call('Gadget/set', { destroy: [hub] });
    expect([destroyed, notDestroyed]).toEqual([[hub, ...ids], null]);
    expect(gets).toEqual([
      { type: 'Gadget', ids: [hub], isWhole: false },
      { type: 'Gadget', ids, isWhole: false },
    ]);
  });

  it('are read of what would have followed, stays and loses links', async () => {
    const [kept = '', gone = ''] = await make({}, {});
    const [follower = ''] = await make({
      ...{ title: 'follower', code: 'F', ownerId: kept, others: [gone, kept], pin: '1234' },
    });
    const [child = ''] = await make({ parentId: kept });
    const before = await row(follower);
    const { gets } = watch(rig);
    const { destroyed, notDestroyed, updated } = await rig.call('Gadget/set', {
      destroy: [kept, gone],
    });
    expect(destroyed).toEqual([gone]);
    expect(notDestroyed[kept].objectIds).toEqual([child]);
    expect(Object.keys(updated)).toEqual([follower]);
    expect(updated[follower]).toEqual({ updated: expect.any(String), others: [kept] });
    expect(await row(follower)).toEqual({ ...before, ...updated[follower] });
    const whole = gets.filter(({ isWhole }) => isWhole);
    expect(whole.map(({ ids }) => ids)).toEqual([[follower]]);
  });

  it('take as many operations for 20 objects as for 2', async () => {
    const cost = async (count: number): Promise<readonly string[]> => {
      const [gone = ''] = await make({});
      const kept = await make(...many(count, { title: 'g', others: [gone] }));
      await make(...kept.map((parentId) => ({ parentId })));
      const { operations } = watch(rig);
      const { destroyed, updated } = await rig.call('Gadget/set', { destroy: [gone, ...kept] });
      expect(destroyed).toEqual([gone]);
      expect(Object.keys(updated)).toEqual(kept);
      vi.restoreAllMocks();
      return operations;
    };
    const few = await cost(2);
    expect(few.filter((name) => name === 'get')).toHaveLength(2);
    expect(await cost(20)).toEqual(few);
  });
}
