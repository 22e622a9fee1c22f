import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { CallOptions, Snapshot } from '../../src/store/port.js';
import { Gadget, gadgets } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

/** SQLite's write-ahead log beside reads that overlap without a gap: it must not grow for ever. */

const A = 'aone';
const LIMIT = 1024 * 1024;
/** At eight times the limit reads wait as long as they must; 400 writes make 17 MB. */
const BOUND = 10 * LIMIT;
const TITLE = 'x'.repeat(3000);
const MODULE = new URL('./scan-thread.mjs', import.meta.url);

/** Pages of the log, and how many of them are in the database. */
interface Moved {
  readonly log: number;
  readonly checkpointed: number;
}

let opened: Awaited<ReturnType<typeof openSqlite>>;
let longest = 0;
let written = 0;
/** It has begun anew. */
let shrunk = false;

async function open(threads: boolean): Promise<void> {
  const scans = { module: MODULE, slice: -1, moment: -1, threads: 3 };
  opened = await openSqlite({ now: Date.now, logLimit: LIMIT, ...(threads ? { scans } : {}) });
  opened.writerDatabase.pragma('synchronous = OFF');
  longest = 0;
  written = 0;
  shrunk = false;
}

afterEach(() => opened.close());

const soon = (): CallOptions => ({ deadline: performance.now() + 20_000 });
const hook = (): CallOptions => ({ ...soon(), exclusive: true });
const length = (): number => statSync(`${opened.file}-wal`).size;

/** Pages that are in the log and not in the database. */
function left(): number {
  const [of] = opened.writerDatabase.pragma('wal_checkpoint(NOOP)') as readonly Moved[];
  return of === undefined ? -1 : of.log - of.checkpointed;
}

async function write(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    written += 1;
    const [object] = gadgets(1, () => ({ title: TITLE }));
    if (object === undefined) throw new Error('No object was made.');
    await opened.store.write(A, soon(), (transaction) =>
      transaction.writeRows('insert', Gadget, [{ ...object, id: `g${written}` }]),
    );
    shrunk ||= length() < longest;
    longest = Math.max(longest, length());
  }
}

/** Reads one after the other, each for so many writes, until `isOver`. */
async function reads(
  writes: number,
  isOver: () => boolean,
  options: () => CallOptions,
): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const existing = await opened.store.read(A, options(), async (snapshot: Snapshot) => {
      const end = written + writes;
      const ids = Array.from({ length: end }, (_, n) => `g${n + 1}`);
      const first = await snapshot.existing(Gadget, ids);
      while (written < end && !isOver()) await sleep(1);
      return [first, await snapshot.existing(Gadget, ids)];
    });
    expect(existing[0]).toEqual(existing[1]);
    count += 1;
  }
  return count;
}

async function besides(options: () => CallOptions): Promise<readonly number[]> {
  let over = false;
  await write(1);
  const all = [3, 4, 5].map((writes) => reads(writes, () => over, options));
  try {
    await write(400);
    // How fast a thread is beside the writes is up to the machine.
    while (!shrunk && written < 4000) await write(100);
  } finally {
    over = true;
  }
  return Promise.all(all);
}

describe('The log beside reads without a gap and writes without a pause', () => {
  it('stays bounded beside hooks that hold a snapshot', async () => {
    await open(false);
    for (const count of await besides(hook)) expect(count).toBeGreaterThan(20);
    expect(longest).toBeLessThan(BOUND);
  });

  it('stays bounded beside scans in threads', async () => {
    await open(true);
    const scan = (): CallOptions => ({ ...soon(), mayScan: true });
    // Each of several at once starts a thread; one account has all but one of them.
    const wait = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g1']);
    await Promise.all([1, 2].map(() => opened.store.read(A, scan(), wait)));
    for (const count of await besides(scan)) expect(count).toBeGreaterThan(0);
    expect(shrunk).toBe(true);
  });

  it('makes others wait only while a read lasts, and is emptied after it', async () => {
    await open(false);
    await write(1);
    let end = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      end = resolve;
    });
    const late = opened.store.read(A, hook(), async (snapshot) => {
      await snapshot.stateNumber(Gadget);
      await told;
      return snapshot.existing(Gadget, ['g2']);
    });
    // The store closes, whatever fails below.
    setTimeout(end, 60_000).unref();
    await write(100);
    expect(length()).toBeGreaterThan(LIMIT);
    const short = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g2']);
    // The first one waits, as long as it is worth it; the second one comes right after it.
    expect(await opened.store.read(A, hook(), short)).toEqual(new Set(['g2']));
    const hurried = { deadline: performance.now() + 300, exclusive: true };
    expect(await opened.store.read(A, hurried, short)).toEqual(new Set(['g2']));
    await write(100);
    const impatient = { deadline: performance.now() + 20, exclusive: true };
    await expect(opened.store.read(A, impatient, short)).rejects.toBeInstanceOf(UnavailableError);
    end();
    expect(await late).toEqual(new Set());
    await write(100);
    await opened.store.read(A, hook(), short);
    expect(length()).toBe(0);
  });

  it('costs nobody an answer where another process reads, too', async () => {
    await open(false);
    await write(1);
    const other = openDatabase({ file: opened.file, readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM "JmapMeta"').get();
    await write(60);
    const short = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g2']);
    expect(await opened.store.read(A, hook(), short)).toEqual(new Set(['g2']));
    expect(length()).toBeGreaterThan(LIMIT);
    other.close();
    await write(60);
    await opened.store.read(A, hook(), short);
    expect(length()).toBe(0);
  });

  it('is moved by a thread, not by a commit, once a read that held it has ended', async () => {
    await open(true);
    await opened.store.read(A, { ...soon(), mayScan: true }, async (snapshot) => {
      await snapshot.stateNumber(Gadget);
      await write(200);
    });
    const held = left();
    expect(held).toBeGreaterThan(1000);
    await write(300);
    await expect.poll(left, { timeout: 60_000 }).toBeLessThan(1000);
    // No commit ever does.
    expect(opened.writerDatabase.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
  });

  it('is moved after writes of Prisma, too', async () => {
    await open(true);
    const { writer } = opened;
    for (let n = 0; n < 12; n += 1) {
      await writer.transaction(async (db) => {
        const data = db.prepare(`INSERT INTO "JmapMeta" ("key", "value") VALUES (?, ?)`);
        data.run(`k${n}`, 'x'.repeat(400_000));
      }, soon());
    }
    await expect.poll(left, { timeout: 60_000 }).toBeLessThan(1000);
  });
});
