import { statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeRecordAt, Store } from '../../../src/store/port.js';
import { Clients, quietShare } from '../../support/clients.js';
import { Gadget } from '../gadget.js';

/**
 * A long log of change records is pruned while others write and read: on either engine, of any
 * length.
 */

export const A = 'aone';
export const B = 'atwo';

/** The records that upkeep asks for at a time (src/server/upkeep.ts). */
const STEP = 500;
const OLD = 1_000_000;
const NEW = 2_000_000;

export interface Opened {
  readonly store: Store;
  readonly statements: string[];
  /** Another server on the same database, where there may be one. */
  readonly other?: Store;
  /** One statement, without parameters. */
  exec(sql: string): Promise<unknown>;
  /** An SQLite file. */
  readonly file?: string;
  close(): Promise<void>;
}

export type Open = (now: () => number) => Promise<Opened>;

const soon = () => ({ deadline: performance.now() + 30_000 });

/** `count` records of the account as many calls have left them. */
async function fill(opened: Opened, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE "numbers"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "numbers"
    WHERE n < ${count})`;
  await opened.exec(`INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind",
    "at")
 ${numbers} SELECT '${A}', '${Gadget.table}', n, 'r' || n, 0, ${OLD} FROM "numbers"`);
  await opened.exec(`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
 VALUES ('${A}', '${Gadget.table}', ${count}, ${count})`);
}

/**
 * Expects a client's next page to be whole, or without its beginning, which is refused; never with
 * a hole.
 */
function expectWhole(records: readonly ChangeRecordAt[], since: number, state: number): void {
  const [first] = records;
  expect(first?.number ?? state + 1).toBeGreaterThan(since);
  const numbers = records.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => (first?.number ?? 0) + index));
}

export function pruningCases(count: number, open: Open): void {
  describe(`a log of ${count} change records`, () => {
    it('is pruned in steps; others write and read between them, and lose nothing', async () => {
      let now = OLD;
      const opened = await open(() => now);
      onTestFinished(() => opened.close());
      const { store, other } = opened;
      await fill(opened, count);
      // The pages that filling has left in the log before the database are none of pruning's.
      if (opened.file !== undefined) await opened.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      now = NEW;
      const clients = new Clients();
      onTestFinished(() => clients.stop());
      const written = new Map<string, number>();
      for (const accountId of [A, B]) {
        clients.go((n) =>
          store.write(accountId, soon(), async (transaction) => {
            const change = { objectId: `s${n}`, kind: 'created' as const };
            written.set(accountId, await transaction.record(Gadget, [change]));
          }),
        );
      }
      // One pages from the beginning and is overtaken, one begins in the middle, and begins again.
      let refused = 0;
      for (const start of [0, count >> 1]) {
        let since = start;
        clients.go(async () => {
          const page = await (other ?? store).read(A, soon(), async (snapshot) => {
            const state = await snapshot.stateNumber(Gadget);
            return { state, records: await snapshot.changes(Gadget, since, 100) };
          });
          expectWhole(page.records, since, page.state);
          const isWhole = page.records[0]?.number === since + 1;
          if (!isWhole && since < page.state) refused += 1;
          since = isWhole ? (page.records.at(-1)?.number ?? start) : start;
        });
      }
      opened.statements.length = 0;
      const prune = async (by: Store): Promise<readonly number[]> => {
        const steps: number[] = [];
        const between: number[] = [];
        for (let more = true; more; ) {
          const before = clients.answered;
          steps.push(await by.pruneChanges(NEW, STEP));
          between.push(clients.answered - before);
          more = (steps.at(-1) ?? 0) >= STEP;
        }
        expect(quietShare(between, 10)).toBeLessThan(0.1);
        return steps;
      };
      const servers = other === undefined ? [store] : [store, other];
      const steps = (await Promise.all(servers.map(prune))).flat();
      await clients.stop();
      expect(Math.max(...steps)).toBe(STEP);
      expect(steps.reduce((all, step) => all + step, 0)).toBeGreaterThanOrEqual(count);
      const deletes = opened.statements.filter((text) => text.startsWith('DELETE'));
      expect(deletes.length).toBeGreaterThanOrEqual(count / STEP / servers.length);
      expect(clients.answered).toBeGreaterThan(count / STEP);
      expect(refused).toBeGreaterThan(0);

      for (const accountId of [A, B]) {
        const first = accountId === A ? count + 1 : 1;
        const state = written.get(accountId) ?? 0;
        const kept = await store.read(accountId, soon(), (snapshot) =>
          snapshot.changes(Gadget, 0, 1_000_000),
        );
        expect(kept.map(({ number }) => number)).toEqual(
          Array.from({ length: state - first + 1 }, (_, index) => first + index),
        );
      }
      expect(await store.pruneChanges(NEW, STEP)).toBe(0);
      if (opened.file !== undefined) {
        // The log before the database is cut back again and again (1,000 pages, and what a reader
        // holds).
        expect(statSync(`${opened.file}-wal`).size).toBeLessThan(16 * 1024 * 1024);
      }
    });
  });
}
