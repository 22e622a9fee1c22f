import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { InstantReads, StoredObject } from '../../src/store/port.js';
import { Gadget, gadget, gadgets, PROPERTIES } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

const A = 'aone';
const NOW = 1_000_000;
/** All kinds that are the same in SQLite's JSON. */
const PLAIN = Object.values(PROPERTIES).filter(({ kind }) => kind !== 'json' && kind !== 'number');
const ALL = Object.values(PROPERTIES);

let engine: Awaited<ReturnType<typeof openSqlite>>;
let instant: InstantReads;

beforeEach(async () => {
  engine = await openSqlite({ now: () => NOW });
  if (engine.store.instant === undefined) throw new Error('SQLite has instant reads.');
  instant = engine.store.instant;
});
afterEach(() => engine.close());

const soon = (): number => performance.now() + 20_000;

function insert(objects: readonly StoredObject[]): Promise<unknown> {
  return engine.store.write(A, { deadline: soon() }, async (transaction) => {
    await transaction.insert(Gadget, objects);
    const changes = objects.map(({ id }) => ({ objectId: id, kind: 'created' as const }));
    return transaction.record(Gadget, changes);
  });
}

function objectsNow(ids: readonly string[], properties = PLAIN, maxOctets = 1e12) {
  return instant.objects(A, soon(), Gadget, ids, properties, maxOctets);
}

/** In a turn of its own: on a slow machine those before would have had all of one, and it would be left to a read. */
async function objects(...args: Parameters<typeof objectsNow>) {
  await setImmediate();
  return objectsNow(...args);
}

async function changes(since: number, limit: number) {
  await setImmediate();
  return instant.changes(A, soon(), Gadget, since, limit, null);
}

/** The same by `read`. */
function slowly(ids: readonly string[], properties = PLAIN) {
  return engine.store.read(A, { deadline: soon() }, async (snapshot) => ({
    number: await snapshot.stateNumber(Gadget),
    objects: await snapshot.get(Gadget, ids, properties, 1e12),
  }));
}

const STRANGE: readonly StoredObject[] = [
  gadget('r1', { title: 'Åland — 日本語 — \u202emirror\u2028', code: 'e\u0301 👩‍👩‍👧‍👦' }),
  gadget('r2', { title: `"'\\/ {"a":[1]}`, code: '' }),
  gadget('r3', { title: '\u0001\b\t\n\u000b\f\r\u001f\u007f', code: '007' }),
  gadget('r4', { rank: Number.MAX_SAFE_INTEGER, done: true, due: '2026-02-28T23:59:59.12Z' }),
  gadget('r5', { rank: Number.MIN_SAFE_INTEGER, due: '0001-01-01T00:00:00Z' }),
];

describe('a state and its objects by one statement', () => {
  it('are what a read gives, whatever is in them', async () => {
    await insert(STRANGE);
    const ids = STRANGE.map(({ id }) => id);
    const found = await objects(ids);
    expect(found).toEqual(await slowly(ids));
    expect(JSON.stringify(found)).toBe(JSON.stringify(await slowly(ids)));
    for (const id of ids) expect(await objects([id])).toEqual(await slowly([id]));
    for (const id of ids) expect(await objects([id], ALL)).toEqual(await slowly([id], ALL));
  });

  it('costs one statement for none, one and 500', async () => {
    await insert(gadgets(500));
    const ids = gadgets(500).map(({ id }) => id);
    for (const count of [0, 1, 500]) {
      engine.statements.length = 0;
      expect(await objects(ids.slice(0, count))).toMatchObject({ number: 500 });
      expect(engine.statements.length, `${count} objects`).toBe(1);
    }
  });

  it('comes with state 0 and no objects where there are none', async () => {
    for (const ids of [[], ['r1'], ['r1', 'r2']])
      expect(await objects(ids)).toEqual({ number: 0, objects: [] });
  });

  it('leaves out ids that do not exist', async () => {
    await insert(STRANGE);
    expect((await objects(['r9', 'r2', '', 'r1']))?.objects.map(({ id }) => id)).toEqual([
      'r2',
      'r1',
    ]);
    expect(await objects(['r9'])).toEqual({ number: 5, objects: [] });
  });

  it('sees what was committed in the same turn', async () => {
    await insert([gadget('r1', {})]);
    let number = 1;
    await vi.waitFor(async () => {
      await setImmediate();
      const before = objectsNow(['r1']);
      engine.writerDatabase.exec(`UPDATE "JmapState" SET "number" = ${number + 1}`);
      const after = objectsNow(['r1']);
      const seen = [await before, await after].map((answer) => answer?.number);
      number += 1;
      // A machine that took all of a turn for the first has another one.
      expect(seen).toEqual([number - 1, number]);
    });
  });

  it('is left to a read while one runs, whose transaction is older', async () => {
    await insert([gadget('r1', {})]);
    const seen: unknown[] = [];
    await engine.store.read(A, { deadline: soon() }, async (snapshot) => {
      await snapshot.stateNumber(Gadget);
      seen.push(await objects(['r1']), await changes(0, 10));
    });
    expect(seen).toEqual([null, null]);
    expect(await objects(['r1'])).not.toBeNull();
  });

  it('is left to a read where a row is large, or more are asked for than one text may hold', async () => {
    await insert([gadget('r1', { title: 'x'.repeat(9000) }), gadget('r2', {})]);
    expect(await objects(['r1', 'r2'])).toBeNull();
    expect((await objects(['r1']))?.objects).toHaveLength(1);
    expect(await objects(gadgets(1001).map(({ id }) => id))).toBeNull();
  });

  it('is left to a read where a column is not the same in JSON', async () => {
    await insert([gadget('r1', { score: 0.1 + 0.2 }), gadget('r2', {})]);
    expect(await objects(['r1', 'r2'], ALL)).toBeNull();
  });

  it('is refused beyond its octets and its deadline', async () => {
    await insert(STRANGE);
    await expect(objects(['r1', 'r2'], PLAIN, 100)).rejects.toThrow(/larger than one call may/);
    await expect(objects(['r1'], PLAIN, 10)).rejects.toThrow(/larger than one call may handle/);
    await setImmediate();
    const late = performance.now() - 1;
    expect(() => instant.objects(A, late, Gadget, ['r1'], PLAIN, 1e12)).toThrow(UnavailableError);
    expect(() => instant.changes(A, late, Gadget, 0, 1, null)).toThrow(UnavailableError);
  });
});

describe('the statements', () => {
  it('look up rows by key: only the list of ids is gone through', async () => {
    await insert(STRANGE);
    engine.statements.length = 0;
    await objects(['r1']);
    await objects(['r1', 'r2']);
    await changes(2, 2);
    expect(engine.statements).toHaveLength(3);
    for (const text of engine.statements) {
      const values = Array.from({ length: text.split('?').length - 1 }, () => '[]');
      const plan = engine.writerDatabase.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
      const steps = plan.map((step) => (step as { readonly detail: string }).detail);
      const scans = steps.filter((step) => step.startsWith('SCAN'));
      for (const scan of scans)
        expect(scan).toMatch(/^SCAN (j VIRTUAL TABLE|s|CONSTANT ROW|\(subquery)/);
      expect(steps.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(1);
    }
  });

  it('are not planned anew for each number of rows', async () => {
    for (const object of STRANGE) await insert([object]);
    engine.statements.length = 0;
    for (const limit of [1, 2, 3]) {
      expect((await changes(0, limit))?.records).toHaveLength(limit);
    }
    // SQLite plans with what is bound to a bare parameter behind LIMIT.
    for (const text of engine.statements) expect(text).not.toMatch(/LIMIT \?(?! \+ 0)/);
  });
});

describe('a state and its changes by one statement', () => {
  it('are what a read gives, in order', async () => {
    for (const object of STRANGE) await insert([object]);
    for (const [since, limit] of [
      [0, 100],
      [2, 2],
      [5, 10],
      [9, 10],
    ] as const) {
      const slow = await engine.store.read(A, { deadline: soon() }, async (snapshot) => ({
        number: await snapshot.stateNumber(Gadget),
        records: await snapshot.changes(Gadget, since, limit),
      }));
      engine.statements.length = 0;
      expect(await changes(since, limit)).toEqual({ ...slow, found: null });
      expect(engine.statements).toHaveLength(1);
    }
  });

  it('come with what exists of their objects, unless it is too much', async () => {
    for (const object of STRANGE) await insert([object]);
    await insert([gadget('large', { title: 'x'.repeat(9000) })]);
    await engine.store.write(A, { deadline: soon() }, async (transaction) => {
      await transaction.destroy(Gadget, ['r2']);
      const updated = STRANGE.slice(2, 3);
      await transaction.update(Gadget, updated);
      await transaction.record(Gadget, [
        { objectId: 'r2', kind: 'destroyed' },
        { objectId: 'r3', kind: 'updated' },
      ]);
    });
    const changed = async (since: number, limit: number, maxOctets = 1e12, properties = PLAIN) => {
      await setImmediate();
      return instant.changes(A, soon(), Gadget, since, limit, { properties, maxOctets })?.found;
    };
    const { objects: kept } = await slowly(['r3', 'r4', 'r5']);
    engine.statements.length = 0;
    const some = await changed(1, 4);
    expect(engine.statements).toHaveLength(1);
    expect([...(some?.objects ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(kept);
    expect((await changed(6, 100))?.objects.map(({ id }) => id)).toEqual(['r3']);
    expect(await changed(1, 4, (some?.octets ?? 0) - 1)).toBeNull();
    // A row of more than 8 KiB, kinds that JSON has otherwise, more records than one text may have objects.
    expect(await changed(0, 100)).toBeNull();
    expect(await changed(1, 4, 1e12, ALL)).toBeNull();
    expect(await changed(6, 1001)).toBeNull();
  });
});

describe('a page of a query by one statement', () => {
  const everything = { filter: { kind: 'all' }, sort: [] } as const;
  const page = async (
    position: number,
    limit: number,
    maxOctets: number | null,
    properties = PLAIN,
  ) => {
    await setImmediate();
    return instant.page(
      ...([A, soon(), Gadget, everything, { position, limit }] as const),
      maxOctets === null ? null : { properties, maxOctets },
    );
  };

  it('has the state, the ids, and the objects where they are wanted, in order', async () => {
    await insert(STRANGE);
    const ids = STRANGE.map(({ id }) => id);
    const { objects: all } = await slowly(ids);
    engine.statements.length = 0;
    expect(await page(0, 10, null)).toEqual({ number: 5, ids, found: null });
    expect(await page(1, 2, 1e12)).toMatchObject({
      number: 5,
      found: { objects: all.slice(1, 3) },
    });
    expect(await page(7, 2, 1e12)).toEqual({
      number: 5,
      ids: [],
      found: { objects: [], octets: 0 },
    });
    expect(engine.statements).toHaveLength(3);
    const { found } = (await page(0, 10, 1e12)) ?? {};
    // Too many octets are no failure of the query.
    expect(await page(0, 10, (found?.octets ?? 0) - 1)).toEqual({ number: 5, ids, found: null });
    expect(await page(0, 10, 1e12, ALL)).toEqual({ number: 5, ids, found: null });
    expect(await page(0, 1001, 1e12)).toEqual({ number: 5, ids, found: null });
    await insert([gadget('r3large', { title: 'x'.repeat(9000) })]);
    const more = [...ids.slice(0, 3), 'r3large', ...ids.slice(3)];
    expect(await page(0, 10, 1e12)).toEqual({ number: 6, ids: more, found: null });
  });

  it('is not had so within another read', async () => {
    await engine.store.read(A, { deadline: soon() }, async (snapshot) => {
      expect(await page(0, 10, null)).toBeNull();
      return snapshot.stateNumber(Gadget);
    });
  });
});
