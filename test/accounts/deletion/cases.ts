import { expect, it, onTestFinished } from 'vitest';
import { Prisma, type PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import {
  type AccountData,
  deleteAccount,
  resumeDeletions,
} from '../../../src/accounts/delete-account.js';
import { createAccount, grantAccess, listAccounts } from '../../../src/accounts/index.js';
import { MethodError } from '../../../src/protocol/errors.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import type { Store } from '../../../src/store/port.js';
import { writeColumns } from '../../../src/store/sql/row-codec.js';
import { ALL, Gadget, gadget } from '../../store/gadget.js';
import { Clients, quietShare } from '../../support/clients.js';

/** Accounts of any size are deleted beside a server, on either engine. */

export interface Opened {
  readonly database: 'sqlite' | 'postgresql';
  readonly store: Store;
  /** As a command has it, or the server of several. */
  readonly prisma: PrismaClient;
  /** The plan of a statement, as the database tells it. */
  explain(statement: Prisma.Sql): Promise<string>;
  close(): Promise<void>;
}

/** Words that no plan of a step may have, and words that say that it reads a range of the key. */
const PLANS = {
  sqlite: { bad: /SCAN|TEMP B-TREE/, good: /SEARCH .*\(accountId=\? AND .*>/m },
  postgresql: { bad: /Sort/, good: /Limit.*\n.*Index.*\n *Index Cond: .*"accountId" = .* > / },
};
/**
 * PostgreSQL's units: as much as it takes to look for 500 rows one by one. It may read all of a
 * small table.
 */
const COST = 6000;

/** Rows of a step: of objects, and of others. */
const OBJECT_STEP = 100;
const STEP = 500;
const ids = createIdGenerator();
const soon = () => ({ deadline: performance.now() + 30_000 });
const made = (id: string) => [{ objectId: id, kind: 'created' as const }];

/** Every how many objects one has a blob: those of a small account are more than a step too. */
const blobEvery = (count: number): number => Math.max(1, Math.min(10, Math.floor(count / 500)));

/** `count` objects, each with a change record, a reference and some with a blob. */
async function fill({ store, prisma }: Opened, accountId: string, count: number): Promise<void> {
  await store.write(accountId, soon(), (transaction) =>
    transaction.writeRows('insert', Gadget, [
      gadget('first', { title: 'a text that is looked for' }),
    ]),
  );
  const columns = writeColumns(Gadget).map(({ column }) => column);
  const every = Prisma.raw(`n % ${blobEvery(count)} = 0`);
  const of = Prisma.raw(columns.map((column) => `"${column}"`).join(', '));
  const values = Prisma.raw(
    columns.map((column) => (column === 'id' ? `'m' || n` : `"g"."${column}"`)).join(', '),
  );
  const table = Prisma.raw(`"${Gadget.table}"`);
  const numbers = Prisma.sql`WITH RECURSIVE "numbers"(n) AS (SELECT 1 UNION ALL SELECT n + 1
    FROM "numbers"
 WHERE n < CAST(${count} AS INTEGER))`;
  const run = (statement: Prisma.Sql) => prisma.$executeRaw(statement);
  await run(Prisma.sql`INSERT INTO ${table} ("accountId", ${of}) ${numbers}
 SELECT "accountId", ${values} FROM "numbers" CROSS JOIN (SELECT * FROM ${table}
 WHERE "accountId" = ${accountId} AND "id" = 'first') AS "g"`);
  await run(Prisma.sql`INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind",
    "at") ${numbers}
 SELECT CAST(${accountId} AS TEXT), 'Gadget', n, 'm' || n, 0, 1 FROM "numbers"`);
  await run(Prisma.sql`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
 VALUES (${accountId}, 'Gadget', ${count}, ${count})`);
  await run(Prisma.sql`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType",
    "property", "fromId") ${numbers}
 SELECT CAST(${accountId} AS TEXT), 'Gadget', 'm1', 'Gadget', 'parentId', 'm' || n FROM "numbers"`);
  await run(Prisma.sql`INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId",
    "created") ${numbers}
 SELECT CAST(${accountId} AS TEXT), 'b' || n, 'text/plain', 1, 'u', 1 FROM "numbers"
 WHERE ${every}`);
  await run(Prisma.sql`INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
    ${numbers}
 SELECT CAST(${accountId} AS TEXT), 'b' || n, 'Gadget', 'm' || n FROM "numbers" WHERE ${every}`);
}

/** Tables with rows of the account, and how many. */
export async function rowsOf(
  prisma: PrismaClient,
  accountId: string,
): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  const tables = ['JmapBlobReference', 'JmapBlob', 'JmapReference', 'JmapChange', 'JmapState'];
  for (const name of [Gadget.table, ...tables, 'JmapAccess', 'JmapTokenAccount']) {
    const [row] = await prisma.$queryRaw<readonly { n: bigint }[]>`
      SELECT count(*) AS "n" FROM ${Prisma.raw(`"${name}"`)} WHERE "accountId" = ${accountId}`;
    if (Number(row?.n) > 0) found[name] = Number(row?.n);
  }
  return found;
}

/** The same client; each statement that deletes is told, and how many rows it deleted. */
function watched(
  prisma: PrismaClient,
  told: (statement: Prisma.Sql, rows: number) => Promise<void> | void,
): PrismaClient {
  return new Proxy(prisma, {
    get(target, name) {
      if (name !== '$executeRaw') return Reflect.get(target, name);
      return async (strings: TemplateStringsArray, ...values: readonly Prisma.Sql[]) => {
        const statement = Prisma.sql(strings, ...values);
        const rows = await target.$executeRaw(statement);
        await told(statement, rows);
        return rows;
      };
    },
  });
}

export function deletionCases(count: number, open: () => Promise<Opened>): void {
  const begin = async () => {
    const opened = await open();
    onTestFinished(() => opened.close());
    const { prisma, database } = opened;
    const [id, other] = [
      await createAccount(prisma, ids, {
        name: 'Large',
        user: 'alice',
        tasks: ['accountCreated:things'],
      }),
      await createAccount(prisma, ids, { name: 'Other', user: 'alice' }),
    ];
    const data: AccountData = {
      tables: [Gadget.table],
      database,
      deleteBlobs: async () => undefined,
    };
    return { ...opened, id, other, data };
  };

  it(
    `an account of ${count} objects goes in steps, while others write and read`,
    async () => {
      const opened = await begin();
      const { store, prisma, id, other, data, database } = opened;
      await fill(opened, id, count);
      await prisma.$executeRawUnsafe('ANALYZE');
      const clients = new Clients();
      onTestFinished(() => clients.stop());
      let last = 0;
      clients.go((n) =>
        store.write(other, soon(), async (transaction) => {
          await transaction.writeRows('insert', Gadget, [gadget(`w${n}`)]);
          last = await transaction.record(Gadget, made(`w${n}`));
        }),
      );
      clients.go(() => store.read(other, soon(), (snapshot) => snapshot.changes(Gadget, 0, 100)));
      const steps: { readonly rows: number; readonly calls: number; readonly table: unknown }[] =
        [];
      const plans = new Map<string, string>();
      let before = 0;
      const deleting = watched(prisma, async (statement, rows) => {
        if (!plans.has(statement.sql)) plans.set(statement.sql, await opened.explain(statement));
        const table = /DELETE FROM "(\w+)"/.exec(statement.sql)?.[1];
        steps.push({ rows, calls: clients.answered - before, table });
        before = clients.answered;
      });
      await deleteAccount(deleting, { id, ...data });
      await clients.stop();
      expect(await rowsOf(prisma, id)).toEqual({});
      expect((await listAccounts(prisma)).map((account) => account.id)).toEqual([other]);
      expect(await prisma.jmapMeta.count({ where: { key: { startsWith: 'deletion:' } } })).toBe(0);

      // Three tables of as many rows, two of blobs; one row of a state, one of the task that seeds
      // the account; the object that the others are copies of.
      const sum = steps.reduce((all, { rows }) => all + rows, 0);
      expect(sum).toBe(3 * count + 2 * Math.floor(count / blobEvery(count)) + 3);
      const rowsIn = (ofObjects: boolean) =>
        steps.flatMap(({ rows, table }) => ((table === Gadget.table) === ofObjects ? [rows] : []));
      expect(Math.max(...rowsIn(true))).toBe(OBJECT_STEP);
      expect(Math.max(...rowsIn(false))).toBe(STEP);
      expect(rowsIn(true).length).toBeLessThanOrEqual(count / OBJECT_STEP + 2);
      // The last step of a table is not full, and each table may be gone through twice.
      expect(rowsIn(false).length).toBeLessThanOrEqual((sum - count) / STEP + 2 * 9);
      // A step of an empty table takes no time, in which anybody could be answered.
      const answered = steps.flatMap(({ rows, calls }) => (rows > 0 ? [calls] : []));
      expect(quietShare(answered, 5)).toBeLessThan(0.1);
      // Steps behind the first one of a table say from where.
      const behind = [...plans].filter(([text]) => text.includes('>'));
      expect(behind.length).toBeGreaterThanOrEqual(5);
      for (const [, plan] of behind) {
        expect(plan).not.toMatch(PLANS[database].bad);
        expect(plan).toMatch(PLANS[database].good);
        expect(Number(/\.\.(\d+)/.exec(plan)?.[1] ?? 0)).toBeLessThan(COST);
      }
      const kept = await store.read(other, soon(), async (snapshot) => [
        await snapshot.count(Gadget, ALL),
        await snapshot.stateNumber(Gadget),
      ]);
      expect(kept).toEqual([last, last]);
    },
    60_000 + 2 * count,
  );

  it('removes the commit of a call that still runs; later calls find no account', async () => {
    const { store, prisma, id, data } = await begin();
    let writes = 0;
    const write = (key: string) =>
      store.write(id, soon(), async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget(key)]);
        await transaction.record(Gadget, made(key));
      });
    // The moment between the last look at the data and the end.
    const deleteBlobs = async (): Promise<void> => {
      writes += 1;
      if (writes <= 3) await write(`late${writes}`);
    };
    await deleteAccount(prisma, { id, ...data, deleteBlobs });
    expect(writes).toBe(4);
    expect(await rowsOf(prisma, id)).toEqual({});
    const late = write('later');
    await expect(late).rejects.toBeInstanceOf(MethodError);
    await expect(late).rejects.toMatchObject({ type: 'accountNotFound' });
    expect(await rowsOf(prisma, id)).toEqual({});
  });

  it('waits for a call that holds the account, and removes its commit', async () => {
    const { store, prisma, id, data } = await begin();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let isHeld = (): void => undefined;
    const holds = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    // Nothing is left, and the end is near.
    const deleteBlobs = async (): Promise<void> => {
      if (writing !== undefined) return;
      writing = store.write(id, { ...soon(), exclusive: true }, async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('held')]);
        await transaction.record(Gadget, made('held'));
        isHeld();
        await held;
      });
      await holds;
      setTimeout(go, 100);
    };
    let writing: Promise<void> | undefined;
    await deleteAccount(prisma, { id, ...data, deleteBlobs });
    await writing;
    expect(await rowsOf(prisma, id)).toEqual({});
    expect(await prisma.jmapAccount.count({ where: { id } })).toBe(0);
  });

  it('another process finishes the deletion of a dead one; meanwhile access is gone', async () => {
    const opened = await begin();
    const { prisma, id, other, data } = opened;
    await fill(opened, id, 3000);
    let steps = 0;
    const dying = watched(prisma, () => {
      steps += 1;
      if (steps === 3) throw new Error('killed');
    });
    await expect(deleteAccount(dying, { id, ...data })).rejects.toThrow('killed');
    const left = await rowsOf(prisma, id);
    expect(left[Gadget.table]).toBe(2701);
    expect(left['JmapAccess']).toBeUndefined();
    const grant = grantAccess(prisma, ids, { accountId: id, user: 'bob', readOnly: false });
    await expect(grant).rejects.toThrow('is being deleted');

    const never = () => false;
    // It may live.
    await resumeDeletions(prisma, data, never);
    expect(await rowsOf(prisma, id)).toEqual(left);
    await prisma.jmapMeta.updateMany({
      where: { key: `deletion:${id}` },
      data: { value: String(Date.now() - 1) },
    });
    // A server that stops gives it up at once, for the next one.
    let looks = 0;
    await resumeDeletions(prisma, data, () => {
      looks += 1;
      return looks > 3;
    });
    const rest = await rowsOf(prisma, id);
    expect(rest[Gadget.table]).toBeLessThan(2701);
    expect(rest[Gadget.table]).toBeGreaterThan(0);
    const cleared: string[] = [];
    const deleteBlobs = async (accountId: string) => void cleared.push(accountId);
    const servers = [1, 2, 3].map(() => resumeDeletions(prisma, { ...data, deleteBlobs }, never));
    await Promise.all(servers);
    expect(cleared).toEqual([id]);
    expect(await rowsOf(prisma, id)).toEqual({});
    expect((await listAccounts(prisma)).map((account) => account.id)).toEqual([other]);
    await expect(deleteAccount(prisma, { id, ...data })).rejects.toThrow('no account');
  });
}
