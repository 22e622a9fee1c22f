import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectsRequest, StateAndObjects, StoredObject } from '../../src/store/port.js';
import { ALL, Gadget, gadget, gadgets, PROPERTIES, plan } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

/**
 * Tests the reads that SQLite does by one statement. That it is right is in suite/state-reads.ts.
 */

const A = 'aone';
const NOW = 1_000_000;
/** All kinds that are the same in SQLite's JSON. */
const PLAIN = Object.values(PROPERTIES).filter(({ kind }) => kind !== 'json' && kind !== 'number');
const WHOLE = Object.values(PROPERTIES);

let engine: Awaited<ReturnType<typeof openSqlite>>;

beforeEach(async () => {
  engine = await openSqlite({ now: () => NOW });
});
afterEach(() => engine.close());

const soon = (): number => performance.now() + 20_000;
const asked = () => ({ accountId: A, deadline: soon(), type: Gadget });

function insert(objects: readonly StoredObject[]): Promise<unknown> {
  return engine.store.write(A, { deadline: soon() }, async (transaction) => {
    await transaction.writeRows('insert', Gadget, objects);
    const changes = objects.map(({ id }) => ({ objectId: id, kind: 'created' as const }));
    return transaction.record(Gadget, changes);
  });
}

function objects(ids: ObjectsRequest['ids'], properties = PLAIN): Promise<StateAndObjects> {
  return engine.store.readObjects({ ...asked(), ids, properties, maxOctets: 1e12 });
}

function changes(since: number, limit: number) {
  return engine.store.readChanges({ ...asked(), since, limit });
}

function page(limit: number, properties: typeof PLAIN | null = null) {
  const selection = properties && { properties, maxOctets: 1e12 };
  const query = { plan: plan(ALL), window: { position: 0, limit }, selection };
  return engine.store.readPage({ ...asked(), ...query });
}

/** How many statements it took. */
async function counted(work: () => Promise<unknown>): Promise<number> {
  engine.statements.length = 0;
  await work();
  return engine.statements.length;
}

describe('one statement', () => {
  it('has none, one and 500 objects, changes and a page with their state', async () => {
    await insert(gadgets(500));
    const ids = gadgets(500).map(({ id }) => id);
    for (const count of [0, 1, 500])
      expect(await counted(() => objects(ids.slice(0, count)))).toBe(1);
    expect(await counted(() => objects(ids.slice(0, 1), WHOLE))).toBe(1);
    expect(await counted(() => changes(100, 100))).toBe(1);
    expect(await counted(() => page(100))).toBe(1);
    expect(await counted(() => page(100, PLAIN))).toBe(1);
  });

  it('has no objects that are large, differ in JSON, or exceed one text', async () => {
    await insert([gadget('r1', { title: 'x'.repeat(9000) }), gadget('r2', { score: 0.1 + 0.2 })]);
    // The text without the large row, the state, the rows.
    expect(await counted(() => objects(['r1', 'r2']))).toBe(3);
    expect(await counted(() => objects(['r1', 'r2'], WHOLE))).toBe(2);
    expect(await counted(() => objects(gadgets(1001).map(({ id }) => id)))).toBe(2);
    expect(await counted(() => objects({ first: 9 }))).toBe(2);
  });

  it('leaves such objects out of pages', async () => {
    await insert([gadget('r1', { title: 'x'.repeat(9000) }), gadget('r2', {})]);
    const ids = ['r1', 'r2'];
    for (const properties of [PLAIN, WHOLE])
      expect(await page(9, properties)).toEqual({ number: 2, ids, found: null });
    expect(await page(1001, PLAIN)).toMatchObject({ ids, found: null });
  });
});

describe('the statements', () => {
  it('look up rows by key: only the list of ids is gone through', async () => {
    await insert(gadgets(5));
    engine.statements.length = 0;
    await objects(['r000000']);
    await objects(['r000000', 'r000001']);
    await changes(2, 2);
    expect(engine.statements).toHaveLength(3);
    for (const text of engine.statements) {
      const values = Array.from({ length: text.split('?').length - 1 }, () => '[]');
      const steps = engine.writerDatabase.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
      const details = steps.map((step) => (step as { readonly detail: string }).detail);
      const scans = details.filter((step) => step.startsWith('SCAN'));
      for (const scan of scans)
        expect(scan).toMatch(/^SCAN (j VIRTUAL TABLE|s|CONSTANT ROW|\(subquery)/);
      expect(details.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(1);
    }
  });

  it('are not planned again for each number of rows', async () => {
    for (const object of gadgets(5)) await insert([object]);
    engine.statements.length = 0;
    for (const limit of [1, 2, 3]) expect((await changes(0, limit)).records).toHaveLength(limit);
    // SQLite plans with what is bound to a bare parameter behind LIMIT.
    for (const text of engine.statements) expect(text).not.toMatch(/LIMIT \?(?! \+ 0)/);
  });
});

describe('the connection that reads share', () => {
  it('has no transaction open when a read by one statement has its turn', async () => {
    await insert(gadgets(3));
    const seen: unknown[] = [];
    const reading = engine.store.read(A, { deadline: soon() }, async (snapshot) => {
      const before = await snapshot.stateNumber(Gadget);
      // Another connection commits within the transaction of this read.
      engine.writerDatabase.exec(`UPDATE "JmapState" SET "number" = "number" + 1`);
      seen.push(before, await snapshot.stateNumber(Gadget));
    });
    const behind = objects(['r000000']);
    await reading;
    expect([...seen, (await behind).number]).toEqual([3, 3, 4]);
  });
});
