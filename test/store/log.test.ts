import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import type { CallOptions, Snapshot } from '../../src/store/port.js';
import { Gadget } from './gadget.js';
import { ACCOUNT, hook, LIMIT, Log, soon } from './log-rig.js';

/** SQLite's write-ahead log beside reads that overlap without a gap: it must not grow for ever. */

/** At eight times the limit reads wait as long as they must; 400 writes make 17 MB. */
const BOUND = 10 * LIMIT;

let log: Log;
afterEach(() => log.opened.close());

/** Reads one after the other, each for so many writes, until `isOver`. */
async function reads(
  writes: number,
  isOver: () => boolean,
  options: () => CallOptions,
): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const existing = await log.opened.store.read(ACCOUNT, options(), async (snapshot: Snapshot) => {
      const end = log.written + writes;
      const ids = Array.from({ length: end }, (_, n) => `g${n + 1}`);
      const first = await snapshot.existing(Gadget, ids);
      while (log.written < end && !isOver()) await sleep(1);
      return [first, await snapshot.existing(Gadget, ids)];
    });
    expect(existing[0]).toEqual(existing[1]);
    count += 1;
  }
  return count;
}

async function besides(options: () => CallOptions): Promise<readonly number[]> {
  let over = false;
  await log.write(1);
  const all = [3, 4, 5].map((writes) => reads(writes, () => over, options));
  try {
    await log.write(400);
    // How fast a thread is beside the writes is up to the machine.
    while (!log.hasShrunk && log.written < 4000) await log.write(100);
  } finally {
    over = true;
  }
  return Promise.all(all);
}

describe('The log beside reads without a gap and writes without a pause', () => {
  it('stays bounded beside hooks that hold a snapshot', async () => {
    log = await Log.open(false);
    for (const count of await besides(hook)) expect(count).toBeGreaterThan(20);
    expect(log.longest).toBeLessThan(BOUND);
  });

  it('stays bounded beside scans in threads', async () => {
    log = await Log.open(true);
    const scan = (): CallOptions => ({ ...soon(), mayScan: true });
    // Each of several at once starts a thread; one account has all but one of them.
    const wait = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g1']);
    await Promise.all([1, 2].map(() => log.opened.store.read(ACCOUNT, scan(), wait)));
    for (const count of await besides(scan)) expect(count).toBeGreaterThan(0);
    expect(log.hasShrunk).toBe(true);
  });

  it('costs nobody an answer where another process reads, too', async () => {
    log = await Log.open(false);
    await log.write(1);
    const other = openDatabase({ file: log.opened.file, readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM "JmapMeta"').get();
    await log.write(60);
    const short = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g2']);
    expect(await log.opened.store.read(ACCOUNT, hook(), short)).toEqual(new Set(['g2']));
    expect(log.length).toBeGreaterThan(LIMIT);
    other.close();
    await log.write(60);
    await log.opened.store.read(ACCOUNT, hook(), short);
    expect(log.length).toBe(0);
  });

  it('is moved by a thread, not by a commit, once a read that held it has ended', async () => {
    log = await Log.open(true);
    await log.opened.store.read(ACCOUNT, { ...soon(), mayScan: true }, async (snapshot) => {
      await snapshot.stateNumber(Gadget);
      await log.write(200);
    });
    const held = log.left();
    expect(held).toBeGreaterThan(1000);
    await log.write(300);
    await expect.poll(() => log.left(), { timeout: 60_000 }).toBeLessThan(1000);
    // No commit ever does.
    expect(log.opened.writerDatabase.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
  });

  it('is moved after writes of Prisma, too', async () => {
    log = await Log.open(true);
    const { writer } = log.opened;
    for (let n = 0; n < 12; n += 1) {
      await writer.transaction(async (db) => {
        const data = db.prepare(`INSERT INTO "JmapMeta" ("key", "value") VALUES (?, ?)`);
        data.run(`k${n}`, 'x'.repeat(400_000));
      }, soon());
    }
    await expect.poll(() => log.left(), { timeout: 60_000 }).toBeLessThan(1000);
  });
});
