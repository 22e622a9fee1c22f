import { randomFillSync } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FilesystemBlobStore } from '../../../src/blobs/filesystem.js';
import { openDatabase } from '../../../src/database/sqlite/index.js';
import { usePostgresql } from '../../support/postgresql.js';
import { Workplace } from './tool.js';

/**
 * The memory of `backup` and `restore` doesn't grow with what they copy. The peak of each process,
 * as the kernel counts it (VmHWM), is taken with nearly nothing, and with several times as much as
 * it may grow by.
 */

const MIB = 1024 ** 2;
/**
 * Blobs that are streamed, and those that are read as a whole, several at a time
 * (scripts/backup/blobs.ts).
 */
const LARGE = { count: 200, octets: MIB };
const SMALL = { count: 400, octets: 256 * 1024 };
const BLOBS = LARGE.count + SMALL.count;
/** Of 500 characters, which stand in the row three times: some 100 MB. */
const OBJECTS = 65_000;
const TEXT = 'x'.repeat(490);
/** The octets to copy: blobs and objects. */
const DATA = LARGE.count * LARGE.octets + SMALL.count * SMALL.octets + OBJECTS * 3 * TEXT.length;
/**
 * Buffers of a streamed file that wait to be collected, SQLite's cache: measured are 20 to 85 MB.
 */
const GROWTH = 128 * MIB;
/** Of JavaScript's own heap, MB: rows that gather would end the process. */
const HEAP = 64;

const numbers = (to: number): string =>
  `(WITH RECURSIVE "numbers"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "numbers" WHERE n < ${to})
    SELECT n FROM "numbers") AS "all"`;

/** The same for both engines. */
const filling = (accountId: string): readonly string[] => [
  `INSERT INTO "Todo"
    ("accountId", "id", "created", "updated", "text", "done", "text_folded", "text_casemap")
    SELECT '${accountId}', 't' || n, 1, 1, '${TEXT}' || n, false, '${TEXT}' || n, '${TEXT}' || n
    FROM ${numbers(OBJECTS)}`,
  `INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId", "created")
    SELECT '${accountId}', 'b' || n, 'text/plain',
      CASE WHEN n <= ${LARGE.count} THEN ${LARGE.octets} ELSE ${SMALL.octets} END, 'u', 1
    FROM ${numbers(BLOBS)}`,
];

async function fillBlobs(folder: string, accountId: string): Promise<void> {
  const blobs = new FilesystemBlobStore(folder);
  const octets = randomFillSync(Buffer.alloc(MIB));
  for (let n = 1; n <= BLOBS; n += 1) {
    octets.writeUInt32LE(n);
    const size = n <= LARGE.count ? LARGE.octets : SMALL.octets;
    await blobs.write(accountId, `b${n}`, Readable.from([octets.subarray(0, size)]), size);
  }
}

type Env = Readonly<Record<string, string>>;

/**
 * A command with a small heap, which must succeed; resolves to the octets of memory that it had at
 * the most.
 */
async function peakOf(place: Workplace, name: string, file: string, env: Env): Promise<number> {
  const told = join(place.dataDir, `${name}.peak`);
  const teller = join(place.dataDir, 'teller.mjs');
  writeFileSync(
    teller,
    `import { readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, readFileSync('/proc/self/status')));`,
  );
  const NODE_OPTIONS = `--max-old-space-size=${HEAP} --import=${teller}`;
  const { code, stderr } = await place.run(name, [file], { ...env, NODE_OPTIONS, PEAK_FILE: told });
  expect(code, stderr).toBe(0);
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(told, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

interface Engine {
  /** The environment of a database of its own. */
  make(): Promise<Env>;
  run(place: Workplace, env: Env, statements: readonly string[]): Promise<void>;
}

const postgresql = usePostgresql();
let databases = 0;

const ENGINES: Readonly<Record<string, Engine>> = {
  SQLite: {
    make: async () => ({}),
    async run(place, _, statements) {
      const db = openDatabase({ file: place.file });
      for (const statement of statements) db.exec(statement);
      db.close();
    },
  },
  PostgreSQL: {
    async make() {
      databases += 1;
      return { DATABASE_URL: await postgresql().createDatabase(`memory${databases}`) };
    },
    async run(_, env, statements) {
      const client = new pg.Client({ connectionString: String(env['DATABASE_URL']) });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    },
  },
};

// VmHWM is Linux's.
describe.skipIf(process.platform !== 'linux').each(Object.entries(ENGINES))('%s', (_, engine) => {
  it(`${Math.round(DATA / MIB)} MB are copied and restored in hardly any memory`, async () => {
    const place = new Workplace();
    onTestFinished(() => place.remove());
    const env = await engine.make();
    const made = await place.run('account', ['create', '--name', 'A'], env);
    const accountId = made.stdout.trim();

    const both = async (name: string) => {
      const file = join(place.dataDir, `${name}.tar`);
      const backup = await peakOf(place, 'backup', file, env);
      const target = new Workplace();
      onTestFinished(() => target.remove());
      const restore = await peakOf(target, 'restore', file, await engine.make());
      return { backup, restore, octets: statSync(file).size };
    };

    const empty = await both('empty');
    await engine.run(place, env, filling(accountId));
    await fillBlobs(join(place.dataDir, 'blobs'), accountId);
    const full = await both('full');
    expect(full.octets - empty.octets).toBeGreaterThan(DATA);
    const growth = { backup: full.backup - empty.backup, restore: full.restore - empty.restore };
    expect(growth.backup).toBeLessThan(GROWTH);
    expect(growth.restore).toBeLessThan(GROWTH);
    expect(DATA).toBeGreaterThan(3 * GROWTH);
  });
});
