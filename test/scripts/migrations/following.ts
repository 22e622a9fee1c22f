import { expect, it } from 'vitest';
import { beginReported, insert } from './consequences.js';
import type { Evolving } from './evolving.js';
import type { Started } from './starting.js';

/** A database whose server goes on following the version before, until it is stopped. */
export interface Served extends Evolving {
  /** `pause`: how often it looks, ms. */
  serve(of: Started, pause?: number): Promise<{ stop(): Promise<void> }>;
}

const PAUSE = 20;
const PATIENCE = { timeout: 60_000 };

/** Functions that fail while clients are served. */
export function followsWhileServing(open: () => Promise<Served>): void {
  it('gives a function up after its time, and tries again', async () => {
    const { db, started, insertLine, counts } = await beginReported(open);
    const signals: AbortSignal[] = [];
    let isHanging = false;
    const first = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      if (!isHanging) return;
      signals.push(signal);
      await new Promise(() => undefined);
    };
    const serving = await db.serve({ ...started(first), timeout: 100 }, PAUSE);
    try {
      isHanging = true;
      await insertLine('l1');
      await expect.poll(() => signals.length, PATIENCE).toBeGreaterThan(1);
      expect(signals[0]?.aborted).toBe(true);
      isHanging = false;
      await expect.poll(counts, PATIENCE).toEqual([{ lines: 1, report: 1 }]);
    } finally {
      await serving.stop();
    }
  });

  it('goes on with other accounts where a function fails, and tries again', async () => {
    const { db, started } = await beginReported(open);
    for (const [table, id] of [
      ['Customer', 'c1'],
      ['Report', 'r1'],
    ] as const)
      await insert(db, table, id, { accountId: 'b', name: '', updated: 1 });
    await insert(db, 'Customer', 'c2', { accountId: 'a', name: '', updated: 1 });
    const told = new Set<string>();
    let isFailing = false;
    const first = async ({ accountId }: { readonly accountId: string }): Promise<void> => {
      if (isFailing && accountId === 'a') throw new Error('not now');
      told.add(accountId);
    };
    const errors: object[] = [];
    const nothing = () => undefined;
    const log = { info: nothing, warn: nothing, error: (what: object) => errors.push(what) };
    const serving = await db.serve({ ...started(first), log: log as never }, PAUSE);
    const notes = () => db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'follow:%'`);
    try {
      isFailing = true;
      told.clear();
      await db.run(`UPDATE "Customer" SET "updated" = ${Date.now() - 5000}`);
      await expect.poll(() => told.has('b'), PATIENCE).toBe(true);
      // One by one: an object that fails holds up no other.
      const what = { type: 'Customer', account: 'a', count: 1, err: { name: 'MigrationError' } };
      expect(errors.slice(0, 2)).toMatchObject([
        { ...what, objects: ['c1'] },
        { ...what, objects: ['c2'] },
      ]);
      // A day later this type alone is followed.
      await db.run(`UPDATE "JmapMeta" SET "value" = '1' WHERE "key" LIKE 'follow:%'`);
      await db.run(`UPDATE "_prisma_migrations" SET "finished_at" = to_timestamp(1)`);
      await expect.poll(notes, PATIENCE).toEqual([{ key: 'follow:Customer' }]);
      expect(told).toEqual(new Set(['b']));
      isFailing = false;
      await expect.poll(() => told.has('a'), PATIENCE).toBe(true);
      await expect.poll(notes, PATIENCE).toEqual([]);
    } finally {
      await serving.stop();
    }
  });
}
