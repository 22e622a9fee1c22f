import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.js';
import type { ChangeKind, Transaction } from '../../src/store/port.js';
import { Gadget, gadget } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

/** A single row is written by another statement than a batch: what stays must be the same. */

const NOW = 1_000_000;

let engine: Awaited<ReturnType<typeof openSqlite>>;

beforeEach(async () => {
  engine = await openSqlite({ now: () => NOW });
});
afterEach(() => engine.close());

function write<T>(account: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return engine.store.write(account, { deadline: performance.now() + 20_000 }, work);
}

const VALUES: readonly JsonObject[] = [
  { title: 'Åland \u0001\t" 👩‍👩‍👧‍👦', code: '007', done: true },
  { title: '', code: '1e5', done: false, rank: 0, score: -0 },
  { rank: Number.MAX_SAFE_INTEGER, score: 1e300 },
  { rank: Number.MIN_SAFE_INTEGER, score: 0.1 + 0.2 },
  { rank: -0, score: 5, meta: 5, due: '2026-02-28T23:59:59.12Z' },
  { meta: '12', tags: { a: true }, list: ['x', 1, null, false] },
  { meta: { a: 1e21, b: 'ß' }, held: '2026-01-31T09:30:00+02:00', local: '2026-01-31T09:30:00' },
  { meta: true, list: [] },
];
const ids = VALUES.map((_, n) => `r${n}`);
const BEFORE = VALUES.map((more, n) => gadget(`r${n}`, more));
const AFTER = VALUES.map((more, n) => gadget(`r${(n + 3) % VALUES.length}`, more));

/** All rows of an account, each value with SQLite's type of it. */
function rows(account: string): unknown {
  const { writerDatabase: db } = engine;
  const columns = db.pragma(`table_info("${Gadget.table}")`) as { name: string }[];
  const list = columns
    .filter(({ name }) => name !== 'accountId')
    .map(({ name }) => `typeof("${name}"), hex(CAST("${name}" AS BLOB)), "${name}"`);
  return db
    .prepare(`SELECT ${list.join(', ')} FROM "${Gadget.table}" WHERE "accountId" = ? ORDER BY "id"`)
    .raw()
    .all(account);
}

describe('a row that is written alone', () => {
  it('is the same as in a batch', async () => {
    await write('atwo', (transaction) => transaction.writeRows('insert', Gadget, BEFORE));
    for (const object of BEFORE)
      await write('aone', (one) => one.writeRows('insert', Gadget, [object]));
    expect(rows('aone')).toEqual(rows('atwo'));
    expect(rows('aone')).toHaveLength(VALUES.length);
  });

  it('is changed as in a batch', async () => {
    for (const account of ['aone', 'atwo'])
      await write(account, (transaction) => transaction.writeRows('insert', Gadget, BEFORE));
    const unchanged = rows('aone');
    await write('atwo', (transaction) => transaction.writeRows('update', Gadget, AFTER));
    for (const object of AFTER)
      await write('aone', (one) => one.writeRows('update', Gadget, [object]));
    expect(rows('aone')).toEqual(rows('atwo'));
    expect(rows('aone')).not.toEqual(unchanged);
  });

  it('costs one statement, as a batch does', async () => {
    for (const count of [1, 2, VALUES.length]) {
      engine.statements.length = 0;
      await write('aone', (one) => one.writeRows('update', Gadget, AFTER.slice(0, count)));
      expect(engine.statements).toHaveLength(1);
    }
  });
});

describe('change records', () => {
  const records = (kinds: readonly ChangeKind[]) =>
    kinds.map((kind, n) => ({ objectId: ids[n] ?? '', kind }));
  const kept = (account: string): unknown =>
    engine.writerDatabase
      .prepare('SELECT "number", "objectId", "kind", "at" FROM "JmapChange" WHERE "accountId" = ?')
      .raw()
      .all(account);
  const KINDS: readonly (readonly ChangeKind[])[] = [
    ['created'],
    ['created', 'created', 'created'],
    ['updated', 'destroyed', 'updated'],
    ['destroyed'],
    ['destroyed', 'destroyed'],
  ];

  it.each([
    ['is known', true],
    ['is not known', false],
  ])('go on from the state where it %s', async (_name, known) => {
    let state = 0;
    const expected: unknown[] = [];
    for (const kinds of KINDS) {
      const changes = records(kinds);
      for (const [n, { objectId, kind }] of changes.entries()) {
        const code = ['created', 'updated', 'destroyed'].indexOf(kind);
        expected.push([state + n + 1, objectId, code, NOW]);
      }
      state += kinds.length;
      const made = await write('aone', async (transaction) => {
        if (known) await transaction.stateNumber(Gadget);
        return transaction.record(Gadget, changes);
      });
      expect(made).toBe(state);
    }
    expect(kept('aone')).toEqual(expected);
    const counted = await write('aone', async (one) => [
      await one.stateNumber(Gadget),
      await one.objectCount(Gadget),
    ]);
    expect(counted).toEqual([state, 4 - 4]);
  });

  it('of two calls in a transaction are numbered on', async () => {
    const states = await write('aone', async (one) => [
      await one.stateNumber(Gadget),
      await one.record(Gadget, records(['created', 'created'])),
      await one.record(Gadget, records(['updated'])),
      await one.stateNumber(Gadget),
    ]);
    expect(states).toEqual([0, 2, 3, 3]);
  });
});
