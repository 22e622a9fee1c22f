import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '../../scripts/backup/manifest.js';
import { Progress } from '../../scripts/backup/progress.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { Workplace } from '../scripts/commands/tool.js';
import { Client } from '../support/client.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type Env, killedAt } from './interrupted.js';

const BLOBS = 300;
const TODOS = 1500;
const postgresql = usePostgresql();

interface Origin {
  readonly server: RunningServer;
  readonly accountId: string;
  readonly token: string;
  readonly place: Workplace;
  readonly file: string;
}

async function fill(env: Env): Promise<Origin> {
  const server = await startServer({ env });
  const place = new Workplace();
  const args = ['create', '--name', 'A', '--user', 'u'];
  const accountId = await server.tool('scripts/account', args);
  const token = await server.tool('scripts/token', ['create', '--user', 'u']);
  const client = new Client(server.url, token);
  for (let from = 0; from < TODOS; from += 500) {
    const objects = Array.from({ length: 500 }, (_, n) => [`k${n}`, { text: `${from + n}` }]);
    await client.set('Todo', { accountId, create: Object.fromEntries(objects) });
  }
  for (let from = 0; from < BLOBS; from += 4) {
    const octets = (n: number) => Buffer.alloc(from % 40 === 0 ? 300_000 : 3000, String(from + n));
    const four = [0, 1, 2, 3].map((n) => client.upload(accountId, octets(n), 'text/plain'));
    await Promise.all(four);
  }
  const file = join(place.dataDir, 'b.tar');
  await server.tool('scripts/backup', [file]);
  return { server, accountId, token, place, file };
}

function blobFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.incoming'))
    .map(({ name }) => name);
}

/** All is there, and no state of before is answered. */
async function expectWhole(env: Env, dataDir: string, { accountId, token }: Origin) {
  const server = await startServer({ env, dataDir });
  try {
    const client = new Client(server.url, token);
    const { total } = await client.query('Todo', { accountId, limit: 1, calculateTotal: true });
    expect(total).toBe(TODOS);
    for (const blobId of blobFiles(join(dataDir, 'blobs')).slice(0, 20)) {
      const { status } = await client.http(`/jmap/download/${accountId}/${blobId}/x`);
      expect(status, blobId).toBe(200);
    }
    const since = { accountId, sinceState: String(TODOS) };
    const [, refused] = await client.call('Todo/changes', since);
    expect(refused).toMatchObject({ type: 'cannotCalculateChanges' });
  } finally {
    await server.kill();
  }
}

describe('kill -9 of a restore: nothing serves the half of it, and the next one completes', () => {
  let origin: Origin;
  beforeAll(async () => {
    origin = await fill({});
  });
  afterAll(async () => {
    await origin.server.remove();
    origin.place.remove();
  });

  const marker = (place: Workplace) => `${place.file}.restoring`;
  const blobs = (place: Workplace) => blobFiles(join(place.dataDir, 'blobs')).length;
  it.each<[string, (place: Workplace) => boolean]>([
    ['as the database begins', (place) => existsSync(marker(place))],
    ['with a part of it', (place) => existsSync(marker(place)) && statSync(marker(place)).size > 0],
    ['as states are raised', (place) => existsSync(`${marker(place)}-wal`)],
    ['before the blobs', (place) => existsSync(`${marker(place)}-blobs`)],
    ['with some blobs', (place) => blobs(place) > 0],
    ['with half of them', (place) => blobs(place) > BLOBS / 2],
    ['with nearly all of them', (place) => blobs(place) > BLOBS - 10],
  ])('SQLite: %s', async (_, moment) => {
    const place = new Workplace();
    const env = { DATA_DIR: place.dataDir };
    const { killed } = await killedAt('restore', [origin.file], env, () => moment(place));
    // The last moments are short: it may have ended, or have given the database its name, before it
    // was killed.
    if (!killed || existsSync(place.file)) {
      await expectWhole({}, place.dataDir, origin);
      place.remove();
      return;
    }
    expect(existsSync(place.file)).toBe(false);
    expect(existsSync(marker(place))).toBe(true);
    await expect(startServer({ dataDir: place.dataDir })).rejects.toThrow(
      /ended with 1[\s\S]*jmapsmith: A restore to \S+jmap.db has not ended: run it again/,
    );
    for (const [tool, ...args] of [['account', 'list'], ['migrate']] as const) {
      const refused = await place.run(tool, args);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('has not ended') });
    }
    expect(existsSync(place.file)).toBe(false);
    const again = await place.run('restore', [origin.file]);
    expect([again.code, again.stderr.replaceAll(/^(verifying|restoring): .*\n/gm, '')]).toEqual([
      0,
      expect.stringMatching(/^(restore: an earlier one was cut short; .*\n)?$/),
    ]);
    expect(readdirSync(place.dataDir).filter((name) => name.includes('restoring'))).toEqual([]);
    expect(blobs(place)).toBe(BLOBS);
    await expectWhole({}, place.dataDir, origin);
    place.remove();
  });

  it('SQLite: an interrupted restore goes on only with its own blobs', async () => {
    const place = new Workplace();
    const env = { DATA_DIR: place.dataDir };
    await killedAt('restore', [origin.file], env, () => blobs(place) > 10);
    const other = join(place.dataDir, 'other');
    await place.run('restore', [origin.file], {
      DATABASE_URL: `file:${other}/x.db`,
      BLOB_STORE: `file:${other}/b`,
    });
    const mixed = await place.run('restore', [origin.file], { BLOB_STORE: `file:${other}/b` });
    expect(mixed).toMatchObject({ code: 2, stderr: expect.stringContaining('not empty') });
    expect(existsSync(marker(place))).toBe(true);
    expect(blobFiles(join(other, 'b'))).toHaveLength(BLOBS);
    place.remove();
  });
});

describe('kill -9 of a restore on PostgreSQL: the next one completes', () => {
  let origin: Origin;
  beforeAll(async () => {
    origin = await fill({ DATABASE_URL: await postgresql().createDatabase('origin') });
  });
  afterAll(async () => {
    await origin.server.remove();
    origin.place.remove();
  });

  const counted = (sql: string) => async (client: pg.Client) => {
    const { rows } = await client.query<{ n: string }>(sql);
    return Number(rows[0]?.n) > 0;
  };
  const table = (name: string) =>
    counted(`SELECT count(*) AS n FROM pg_class WHERE relname = '${name}'`);
  const isMarked = table('JmapRestoring');
  const isAlone = async (client: pg.Client) => {
    const { rows } = await client.query<{ n: string }>(
      'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()',
    );
    return Number(rows[0]?.n) === 1;
  };
  it.each<[string, (client: pg.Client, blobs: number) => boolean | Promise<boolean>]>([
    ['once it is marked', isMarked],
    ['once there are tables', table('Todo')],
    [
      'as rows are there',
      counted(`SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'INSERT INTO "Todo"%'
        AND datname = current_database()`),
    ],
    ['with some blobs', (_, blobs) => blobs > 0],
    ['with half of them', (_, blobs) => blobs > BLOBS / 2],
    ['with nearly all of them', (_, blobs) => blobs > BLOBS - 10],
  ])('%s', async (name, moment) => {
    const place = new Workplace();
    const url = await postgresql().createDatabase(name.replaceAll(' ', '_'));
    const env = { DATABASE_URL: url, DATA_DIR: place.dataDir };
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const blobs = () => blobFiles(join(place.dataDir, 'blobs')).length;
    const { killed, code, stderr } = await killedAt('restore', [origin.file], env, () =>
      moment(client, blobs()),
    );
    // Its statements are done, or undone, by PostgreSQL alone.
    await expect.poll(() => isAlone(client)).toBe(true);
    const hasEnded = !(await isMarked(client));
    await client.end();
    // The last moments are short: it may have ended before it was killed, or come to its last
    // commit.
    if (!killed) expect(code, stderr).toBe(0);
    if (hasEnded) {
      await expectWhole(env, place.dataDir, origin);
      place.remove();
      return;
    }
    await expect(startServer({ env, dataDir: place.dataDir })).rejects.toThrow(
      /ended with 1[\s\S]*jmapsmith: A restore to the database has not ended: run it again/,
    );
    for (const [tool, ...args] of [
      ['account', 'list'],
      ['migrate'],
      ['backup', 'x.tar'],
    ] as const) {
      const refused = await place.run(tool, args, env);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('has not ended') });
    }
    await expect
      .poll(() => place.run('restore', [origin.file], env), { timeout: 60_000 })
      .toMatchObject({ code: 0, stderr: expect.stringContaining('cut short') });
    expect(blobs()).toBe(BLOBS);
    await expectWhole(env, place.dataDir, origin);
    place.remove();
  });
});

describe('kill -9 of a backup: nothing looks whole, and its hold on blobs ends by itself', () => {
  it.each([['SQLite'], ['PostgreSQL']])('%s', async (engine) => {
    const url = engine === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase('k') };
    const origin = await fill(url);
    const folder = origin.place.dataDir;
    const file = join(folder, 'killed.tar');
    const of = (end: RegExp) => readdirSync(folder).find((name) => end.test(name));
    const size = (end: RegExp) => {
      const name = of(end);
      return name === undefined
        ? -1
        : (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? -1);
    };
    const partial = /^killed\.tar\.partial-[0-9a-f]{8}$/;
    for (const moment of [
      () => size(/\.database$/) >= 0,
      () => size(partial) >= 0,
      () => size(partial) > 1_000_000,
      () => size(partial) > 3_000_000,
    ]) {
      const { killed } = await killedAt('backup', [file], origin.server.env, moment);
      expect(killed).toBe(true);
      expect(existsSync(file)).toBe(false);
      for (const name of readdirSync(folder).filter((each) => each.startsWith('killed'))) {
        await expect(verify(join(folder, name), new Progress('test'))).rejects.toThrow(
          /can't be restored from/,
        );
        rmSync(join(folder, name));
      }
    }
    await origin.server.tool('scripts/backup', [file]);
    await verify(file, new Progress('test'));
    if (engine === 'SQLite') {
      const server = await origin.server.restart({ BLOBS_KEEP: '1s' });
      const db = openDatabase({ file: join(server.dataDir, 'jmap.db') });
      const notes = db
        .prepare(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'backup:%'`)
        .pluck();
      const kept = () => blobFiles(join(server.dataDir, 'blobs')).length;
      expect(notes.all()).toHaveLength(4);
      for (const value of notes.all()) expect(Number(value)).toBeLessThan(Date.now() + 900_000);
      // A backup that begins and ends in the ordinary way leaves them to their time.
      await server.tool('scripts/backup', [file, '--force']);
      expect([notes.all().length, kept()]).toEqual([4, BLOBS]);
      // A quarter of an hour later, no octets are kept.
      db.exec(`UPDATE "JmapMeta" SET "value" = '${Date.now() - 1}' WHERE "key" LIKE 'backup:%'`);
      await expect.poll(kept, { timeout: 100_000 }).toBe(0);
      await server.tool('scripts/backup', [file, '--force']);
      expect(notes.all()).toEqual([]);
      db.close();
    }
    await origin.server.remove();
    origin.place.remove();
  });
});
