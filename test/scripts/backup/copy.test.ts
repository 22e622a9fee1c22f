import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copySqlite } from '../../../scripts/backup/from-sqlite.js';
import { Progress } from '../../../scripts/backup/progress.js';
import { requireSound } from '../../../scripts/backup/sound.js';
import { readAll, TarReader, TarWriter } from '../../../scripts/backup/tar.js';
import { blobsHeld, HOLD_LASTS, holdBlobs } from '../../../src/database/blob-hold.js';
import { migrate, openDatabase } from '../../../src/database/sqlite/index.js';
import { openPrismaStandalone } from '../../../src/database/sqlite/prisma.js';
import { ROOT } from '../../support/server.js';

class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'jmapsmith-backup-'));
  readonly file = join(this.path, 'jmap.db');

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

it('writes a tar that it reads back, whatever sizes and names', async () => {
  const folder = new Folder();
  const long = `blobs/${'a'.repeat(64)}/${'b'.repeat(64)}`;
  const entries = [
    ...[0, 1, 511, 512, 513, 2_000_000].map(
      (size) => [`n${size}`, Buffer.alloc(size, 'x')] as const,
    ),
    [long, Buffer.from('y')] as const,
  ];
  const file = join(folder.path, 'a.tar');
  const target = await open(file, 'wx');
  const tar = new TarWriter(target, 0);
  for (const [name, octets] of entries) await tar.add(name, octets.byteLength, [octets]);
  await tar.end();
  await target.close();
  const source = await open(file, 'r');
  const found: string[] = [];
  for await (const entry of new TarReader(source).entries()) {
    const { name, size } = entry;
    const octets = await readAll(entry, 3_000_000);
    const expected = entries[found.length]?.[1];
    if (size === octets.byteLength && expected?.equals(octets) === true) found.push(name);
  }
  await source.close();
  expect(found).toEqual(entries.map(([name]) => name));
  const other = await open(join(folder.path, 'b.tar'), 'wx');
  const short = new TarWriter(other, 0).add('short', 2, [Buffer.from('x')]);
  await expect(short).rejects.toThrow(/short has not the 2/);
  await other.close();
  folder.remove();
});

it('copies one state, in steps, while another connection writes between them', async () => {
  const busy = new Folder();
  const db = openDatabase({ file: busy.file });
  db.exec(`CREATE TABLE "JmapBlob" ("accountId", "id", "size"); CREATE TABLE "JmapMeta" ("key");
    CREATE TABLE "Page" ("n" INTEGER, "o");`);
  const insert = db.prepare(`INSERT INTO "Page" VALUES (?, randomblob(4000))`);
  db.transaction(() => {
    for (let n = 0; n < 4000; n += 1) insert.run(n);
  })();
  let written = 4000;
  const writer = setInterval(() => insert.run(written++), 0);
  const copy = join(busy.path, 'copy.db');
  try {
    const source = await copySqlite(busy.file, copy, new Progress('test'));
    expect(written).toBeGreaterThan(4000);
    const copied = openDatabase({ file: copy, readonly: true });
    const [count, highest] = copied
      .prepare<[], [number, number]>('SELECT count(*), max("n") FROM "Page"')
      .raw()
      .get() ?? [0, 0];
    copied.close();
    expect(highest).toBe(count - 1);
    expect(count).toBeGreaterThanOrEqual(4000);
    expect(count).toBeLessThan(written);
    await source.close();
  } finally {
    clearInterval(writer);
    db.close();
  }
  expect(readdirSync(busy.path)).toEqual(['jmap.db']);
  busy.remove();
});

it('checks the copy in a thread, and tells the server that the backup goes on', async () => {
  const folder = new Folder();
  const db = openDatabase({ file: folder.file });
  db.exec('CREATE TABLE "Page" ("n" INTEGER PRIMARY KEY, "o" NOT NULL)');
  db.exec(`WITH RECURSIVE "n"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "n" WHERE n < 100000)
    INSERT INTO "Page" SELECT n, 'x' FROM "n"`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  try {
    await requireSound(folder.file, 'named');
    expect(turns).toBeGreaterThan(2);
    // A page of a table that was overwritten.
    db.pragma('wal_checkpoint(TRUNCATE)');
    const target = await open(folder.file, 'r+');
    await target.write(Buffer.alloc(4096, 1), 0, 4096, 4096 * 100);
    await target.close();
    await expect(requireSound(folder.file, 'named')).rejects.toThrow(
      /The database named is damaged/,
    );
    await writeFile(join(folder.path, 'no.db'), 'no database'.repeat(500));
    const none = requireSound(join(folder.path, 'no.db'), 'named');
    await expect(none).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
  } finally {
    clearInterval(timer);
    db.close();
    folder.remove();
  }
});

it('a note holds the blobs until it is removed or its process has been silent', async () => {
  const noted = new Folder();
  const db = openDatabase({ file: noted.file });
  migrate(db, join(ROOT, 'prisma/sqlite/migrations'));
  db.close();
  const prisma = openPrismaStandalone(noted.file);
  let now = 1_000_000;
  const clock = (): number => now;
  const held = () => blobsHeld(prisma, clock);
  try {
    expect(await held()).toBe(false);
    const killed = await holdBlobs(prisma, clock);
    now += HOLD_LASTS - 1;
    expect(await held()).toBe(true);
    await killed.renew();
    now += HOLD_LASTS;
    expect(await held()).toBe(true);
    now += 1;
    expect(await held()).toBe(false);
    const [one, two] = [await holdBlobs(prisma, clock), await holdBlobs(prisma, clock)];
    await one.release();
    expect(await held()).toBe(true);
    await two.release();
    expect(await held()).toBe(false);
    expect(await prisma.jmapMeta.count({ where: { key: { startsWith: 'backup:' } } })).toBe(0);
  } finally {
    await prisma.$disconnect();
    noted.remove();
  }
});
