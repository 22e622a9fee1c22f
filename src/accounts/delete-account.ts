import { setTimeout as sleep } from 'node:timers/promises';
import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { quote } from '../database/quote.js';
import { UnavailableError } from '../protocol/errors.js';
import { grantId } from './admin-port.js';
import {
  type Change,
  changeAccess,
  DELETION,
  deletionKey,
  retryBusy,
  type TransactionClient,
} from './change.js';
import { existingAccount } from './directory.js';

/** Rows a step removes: a few milliseconds of the write lock. */
const STEP = 500;
/** The same of objects, which SQLite takes out of a search index one by one: 0.1 ms each. */
const OBJECT_STEP = 100;
/** Milliseconds between two steps, in which others get the lock. */
const PAUSE = 5;
/** How often all is gone through again for what calls that were running have written meanwhile. */
const PASSES = 20;
/** Before it is, ms, times their number. */
const PASS_PAUSE = 50;
/** The deleting process renews its note this often at least, ms; else another one goes on. */
const LEASE = 60_000;

interface Table {
  readonly name: string;
  /** Columns of its key behind accountId. */
  readonly key: readonly string[];
  /** Rows a step removes. */
  readonly step: number;
}

/** The engine's own tables with rows of an account, in the order in which the rows go. */
const ENGINE_TABLES: readonly Table[] = [
  { name: 'JmapBlobReference', key: ['blobId', 'type', 'objectId'], step: STEP },
  { name: 'JmapBlob', key: ['id'], step: STEP },
  {
    name: 'JmapReference',
    key: ['toType', 'toId', 'fromType', 'property', 'fromId'],
    step: STEP,
  },
  { name: 'JmapOnce', key: ['key'], step: STEP },
  { name: 'JmapTask', key: ['id'], step: STEP },
  { name: 'JmapScope', key: ['type', 'objectId', 'scope'], step: STEP },
  { name: 'JmapGrant', key: ['principalId', 'scope'], step: STEP },
  { name: 'JmapUserValue', key: ['type', 'objectId', 'userId'], step: STEP },
  { name: 'JmapChange', key: ['type', 'number'], step: STEP },
  { name: 'JmapState', key: ['type'], step: STEP },
];

/** Where the data of accounts are. */
export interface AccountData {
  /** Tables of registered data types. PostgreSQL adds those that another version serves. */
  readonly tables: readonly string[];
  readonly database: 'sqlite' | 'postgresql';
  /** Removes an account's files. */
  readonly deleteBlobs: (accountId: string) => Promise<void>;
}

/**
 * Deletes an account with all of its data. Access goes first, with a note in JmapMeta, so that
 * nothing new comes. The data go in small steps, which never block a running server; the account's
 * row and the note go last. After an interruption a caller may repeat it, or a server goes on
 * (`resumeDeletions`). Throws DirectoryError where there is no such account.
 */
export async function deleteAccount(
  prisma: PrismaClient,
  { id, ...data }: AccountData & { readonly id: string },
): Promise<void> {
  await changeAccess(prisma, (change) => beginDeletion(change, id, Date.now()));
  await new Removal(prisma, data, id, () => false).run();
}

/**
 * Takes away the access to an account for a caller whose change is open, and notes its deletion.
 * From 0: nobody works at it yet, so that a server goes on with it within a minute.
 */
export async function beginDeletion(
  { transaction, note }: Change,
  id: string,
  from = 0,
): Promise<void> {
  const { name } = await existingAccount(transaction, id);
  const key = deletionKey(id);
  const isNew = (await transaction.jmapMeta.count({ where: { key } })) === 0;
  const [grants, scopes] = [
    await transaction.jmapAccess.findMany({ where: { accountId: id } }),
    await transaction.jmapTokenAccount.findMany({ where: { accountId: id } }),
  ];
  await removeAll(transaction, id);
  const value = from === 0 ? '0' : leaseFrom(from);
  await transaction.jmapMeta.upsert({ where: { key }, create: { key, value }, update: { value } });
  const also = [
    ...grants.map(({ userId }) => {
      return { type: 'AdminGrant', kind: 'destroyed', id: grantId(id, userId) } as const;
    }),
    ...scopes.map(({ tokenId }) => {
      return { type: 'AdminToken', kind: 'updated', id: tokenId } as const;
    }),
  ];
  const act = { objectId: id, detail: { name }, also } as const;
  // A repeated one goes on with a deletion that was interrupted.
  await note({ action: isNew ? 'account/delete' : 'account/delete-again', ...act });
}

/** Goes on with deletions whose process was killed; `stopped` ends it early. */
export async function resumeDeletions(
  prisma: PrismaClient,
  data: AccountData,
  stopped: () => boolean,
): Promise<void> {
  const notes = await prisma.jmapMeta.findMany({ where: { key: { startsWith: DELETION } } });
  for (const { key, value } of notes) {
    if (stopped()) return;
    if (Number(value) > Date.now()) continue;
    // One of several servers gets it.
    const { count } = await prisma.jmapMeta.updateMany({
      where: { key, value },
      data: { value: leaseFrom(Date.now()) },
    });
    if (count === 1) await new Removal(prisma, data, key.slice(DELETION.length), stopped).run();
  }
}

function leaseFrom(now: number): string {
  return String(now + LEASE);
}

async function removeAll(transaction: TransactionClient, accountId: string): Promise<void> {
  await transaction.jmapAccess.deleteMany({ where: { accountId } });
  await transaction.jmapTokenAccount.deleteMany({ where: { accountId } });
}

/** Undoes the transaction that would have ended a removal. */
class NotEmptyError extends Error {
  override readonly name = 'NotEmptyError';
}

/** Takes the data of an account away, and its row. */
class Removal {
  readonly #prisma: PrismaClient;
  readonly #data: AccountData;
  readonly #id: string;
  readonly #stopped: () => boolean;
  #renewed = Date.now();

  constructor(prisma: PrismaClient, data: AccountData, id: string, stopped: () => boolean) {
    this.#prisma = prisma;
    this.#data = data;
    this.#id = id;
    this.#stopped = stopped;
  }

  async run(): Promise<void> {
    const { tables, database, deleteBlobs } = this.#data;
    const others = database === 'postgresql' ? await dataTables(this.#prisma) : [];
    const names = [...new Set([...tables, ...others])];
    const all = [
      ...names.map((name) => ({ name, key: ['id'], step: OBJECT_STEP })),
      ...ENGINE_TABLES,
    ];
    for (let pass = 1; pass <= PASSES; pass += 1) {
      for (const table of all) {
        await this.#empty(table);
        if (this.#stopped()) return this.#renew(0);
      }
      await deleteBlobs(this.#id);
      if (await this.#end(all)) return;
      await sleep(PASS_PAUSE * pass);
    }
    throw new UnavailableError('The account is still written to.');
  }

  /**
   * Removes the account's row first: that waits for running writes, and later ones find no account.
   * Undoes all and returns false where something was written since the tables were emptied.
   */
  async #end(tables: readonly Table[]): Promise<boolean> {
    const id = this.#id;
    try {
      await changeAccess(this.#prisma, async (change) => {
        const { transaction } = change;
        await transaction.jmapAccount.deleteMany({ where: { id } });
        for (let from = 0; from < tables.length; from += 100) {
          const rows = tables.slice(from, from + 100).map(({ name }) => {
            const table = Prisma.raw(quote(name));
            return Prisma.sql`EXISTS (SELECT 1 FROM ${table} WHERE "accountId" = ${id})`;
          });
          const left = await transaction.$queryRaw<readonly unknown[]>`
            SELECT 1 WHERE ${Prisma.join(rows, ' OR ')}`;
          if (left.length > 0) throw new NotEmptyError();
        }
        await removeAll(transaction, id);
        await transaction.jmapMeta.deleteMany({ where: { key: deletionKey(id) } });
        await change.note({ action: 'account/erase', objectId: id });
      });
      return true;
    } catch (error) {
      if (error instanceof NotEmptyError) return false;
      throw error;
    }
  }

  /**
   * Removes an account's rows of one table, step by step. Each step begins behind the last one:
   * PostgreSQL would go through removed rows again. LIMIT bounds a step, not a range: PostgreSQL
   * takes a range of several columns for as large as that of the first, and would scan the table.
   */
  async #empty(table: Table): Promise<void> {
    const prisma = this.#prisma;
    const key = Prisma.raw(table.key.map(quote).join(', '));
    const name = Prisma.raw(quote(table.name));
    const account = Prisma.sql`"accountId" = ${this.#id}`;
    for (let undeleted = account; !this.#stopped(); ) {
      const step = Prisma.sql`SELECT ${key} FROM ${name} WHERE ${undeleted} ORDER BY ${key} LIMIT`;
      const [last] = await retryBusy(
        () =>
          prisma.$queryRaw<readonly Readonly<Record<string, string | bigint>>[]>`
          ${step} 1 OFFSET ${table.step - 1}`,
      );
      await retryBusy(
        () =>
          prisma.$executeRaw`DELETE FROM ${name}
            WHERE ${account} AND (${key}) IN (${step} ${table.step})`,
      );
      if (last === undefined) return;
      const end = Prisma.join(table.key.map((column) => last[column]));
      undeleted = Prisma.sql`${account} AND (${key}) > (${end})`;
      if (Date.now() > this.#renewed + LEASE / 4) await this.#renew(Date.now());
      await sleep(PAUSE);
    }
  }

  /** From 0: nobody works at it any more. */
  async #renew(from: number): Promise<void> {
    this.#renewed = from;
    const data = { value: from === 0 ? '0' : leaseFrom(from) };
    await retryBusy(() =>
      this.#prisma.jmapMeta.updateMany({ where: { key: deletionKey(this.#id) }, data }),
    );
  }
}

/**
 * Finds tables by the key and the collation of a data type's table: no other table is likely to
 * have them. A dropped type keeps its table for one release, and the version before doesn't know
 * the types of the next one.
 */
async function dataTables(prisma: PrismaClient): Promise<readonly string[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT "table_name"::text AS "name"
    FROM information_schema.columns
    JOIN information_schema.tables USING ("table_schema", "table_name")
    WHERE "table_schema" = current_schema() AND "table_type" = 'BASE TABLE'
    AND "table_name" NOT LIKE 'Jmap%'
    AND "column_name" IN ('accountId', 'id') AND "data_type" = 'text' AND "collation_name" = 'C'
    GROUP BY "table_name" HAVING count(*) = 2`;
  return rows.map(({ name }) => name);
}
