import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { ACCESS_VERSION, DELETION } from '../capability/access-version.js';
import { SHARE_VERSION } from '../capability/share-version.js';
import { inChunks } from '../database/in-chunks.js';
import { UnavailableError } from '../protocol/errors.js';
import { type Act, writeAct } from './audit.js';

/** An account, user, token or name from a caller is wrong; the message tells a person which. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
}

export { ACCESS_VERSION, DELETION } from '../capability/access-version.js';

export type TransactionClient = Prisma.TransactionClient;

/** The keys of the counters that are raised where users reach other accounts, or otherwise. */
export const VERSION_KEYS: readonly string[] = Object.freeze([ACCESS_VERSION, SHARE_VERSION]);

/** The counters, as far as they are known by such a text. */
export interface Versions {
  readonly access: string;
  readonly shares: number;
}

/** Reads a text of `formatVersion`. Any other text is a version without shares. */
export function parseVersion(text: string): Versions {
  const [access = '', shares = '0'] = text.split('.');
  return { access, shares: Number(shares) };
}

/** Returns a text that differs whenever one of these counters does. */
export function formatVersion(
  rows: readonly { readonly key: string; readonly value: string }[],
): string {
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return VERSION_KEYS.map((key) => values.get(key) ?? '0').join('.');
}

export function deletionKey(accountId: string): string {
  return `${DELETION}${accountId}`;
}

const ATTEMPTS = 12;
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 1000;

/** Limits of an interactive transaction, ms: another server may hold the write lock for a while. */
const TRANSACTION = { maxWait: 10_000, timeout: 30_000 };

/** A change of users, accounts, access or tokens while its transaction is open. */
export class Change {
  readonly transaction: TransactionClient;
  readonly #version: bigint;
  readonly #actorId: string | null;
  #acts = 0;

  constructor(transaction: TransactionClient, version: bigint, actorId: string | null) {
    this.transaction = transaction;
    this.#version = version;
    this.#actorId = actorId;
  }

  /** How many acts were written down. */
  get acts(): number {
    return this.#acts;
  }

  /** Writes an act of this change into the audit. */
  readonly note = async (act: Act): Promise<void> => {
    const place = this.#acts;
    this.#acts += 1;
    const where = { version: this.#version, place, actorId: this.#actorId };
    await writeAct(this.transaction, act, where);
  };
}

/**
 * Runs a change of users, accounts, access or tokens in one transaction that raises the access
 * version, so that every process sees it a moment later. The raise comes first: it takes the write
 * lock, so nothing that `work` reads can change under it. `work` notes each of its acts for the
 * audit. It resolves to null where there is nothing to change: then all is undone. `actorId` is the
 * user who asks for the change; null: a command does, or the server.
 */
export async function changeAccess<T>(
  prisma: PrismaClient,
  work: (change: Change) => Promise<T>,
  actorId: string | null = null,
): Promise<T> {
  try {
    return await retryBusy(() =>
      prisma.$transaction(async (transaction) => {
        const change = new Change(transaction, await raiseVersion(transaction), actorId);
        const result = await work(change);
        if (result === null) throw new UnchangedError();
        if (change.acts === 0) throw new Error('A change of access is not in the audit.');
        return result;
      }, TRANSACTION),
    );
  } catch (error) {
    // Only a work whose type has null gives it.
    if (error instanceof UnchangedError) return null as T;
    throw error;
  }
}

/** Undoes the transaction of a work that has nothing to change. */
class UnchangedError extends Error {
  override readonly name = 'UnchangedError';
}

/** Returns the version that the transaction makes. */
async function raiseVersion(transaction: TransactionClient): Promise<bigint> {
  const [row] = await transaction.$queryRaw<readonly { readonly value: string }[]>`
    INSERT INTO "JmapMeta" ("key", "value") VALUES (${ACCESS_VERSION}, '1')
    ON CONFLICT ("key")
    DO UPDATE SET "value" = CAST(CAST("JmapMeta"."value" AS BIGINT) + 1 AS TEXT)
    RETURNING "value"`;
  if (row === undefined) throw new Error('The access version was not raised.');
  return BigInt(row.value);
}

/** Repeats `work`, a whole transaction, while the database is busy. Throws UnavailableError. */
export async function retryBusy<T>(work: () => Promise<T>): Promise<T> {
  let pause = FIRST_PAUSE;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw isLate(error) ? lateTransaction(error) : error;
      if (attempt === ATTEMPTS) {
        throw new UnavailableError('The database stays busy.', { cause: error });
      }
    }
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** A transaction that took too long takes as long again: it is not repeated. */
function lateTransaction(cause: unknown): UnavailableError {
  return new UnavailableError('The transaction took too long.', { cause });
}

/** Recognizes Prisma's error for a transaction that had begun, and ran out of its time. */
function isLate(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'P2028')) return false;
  return /already closed|expired transaction/i.test(error.message);
}

/** The words of busy databases; 55P03 is PostgreSQL's code where a lock took too long. */
const BUSY = /SQLITE_BUSY|database is locked|SocketTimeout|55P03|due to lock timeout/;

/** Recognizes Prisma's errors for a lock that it didn't get: in a statement, begin or commit. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || isLate(error)) return false;
  if ('code' in error && typeof error.code === 'string') {
    if (['P1008', 'P2028', 'P2034'].includes(error.code) || error.code.startsWith('SQLITE_BUSY'))
      return true;
  }
  return BUSY.test(error.message) || isBusy(error.cause);
}

/** Returns those of the accounts that are being deleted. */
export async function findDeleted(
  prisma: PrismaClient | TransactionClient,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = ids.map(deletionKey);
  const deletions = await inChunks(keys, (chunk) =>
    prisma.jmapMeta.findMany({ where: { key: { in: chunk } } }),
  );
  const found = new Set(deletions.map(({ key }) => key));
  return new Set(ids.filter((id) => found.has(deletionKey(id))));
}
