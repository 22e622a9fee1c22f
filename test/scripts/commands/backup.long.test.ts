import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import S3rver from 's3rver';
import { describe, expect, it } from 'vitest';
import { verify } from '../../../scripts/backup/manifest.js';
import { Progress } from '../../../scripts/backup/progress.js';
import { openDatabase } from '../../../src/database/sqlite/index.js';
import { Client } from '../../support/client.js';
import { makeUser } from '../../support/fixtures.js';
import { useOwnPostgresql } from '../../support/postgresql.js';
import { ROOT, startServer } from '../../support/server.js';
import { Workplace } from './tool.js';

const postgresql = useOwnPostgresql();

const TEXTS = [
  '',
  'a\u2028b\nc\\n"d"',
  '\u{1f600}é漢',
  '{"a": [1.10]}',
  '\\N\t\\.',
  '漢'.repeat(512),
];

it('PostgreSQL: copies data beside its server, and restores it to an empty database', async () => {
  const from = { DATABASE_URL: await postgresql().createDatabase('origin') };
  const to = { DATABASE_URL: await postgresql().createDatabase('destination') };
  const server = await startServer({ env: from });
  const place = new Workplace();
  let restored: Awaited<ReturnType<typeof startServer>> | undefined;
  try {
    const { accountId, token, client } = await makeUser(server);
    const many = Array.from({ length: 1200 }, (_, n) => `t${n}`);
    for (const texts of [TEXTS, many.slice(0, 600), many.slice(600)]) {
      const objects = texts.map((text, n) => [`k${n}`, { text }] as const);
      const { notCreated } = await client.set('Todo', {
        accountId,
        create: Object.fromEntries(objects),
      });
      expect(notCreated ?? {}).toEqual({});
    }
    const { blobId } = await client.upload(accountId, 'octets', 'text/plain');
    const { ids } = await client.query('Todo', { accountId, limit: 500 });
    const before = await client.get('Todo', { accountId, ids });
    const file = join(place.dataDir, 'b.tar');
    expect(await server.tool('scripts/backup', [file])).toContain('1 blobs of 6 octets');
    await client.set('Todo', { accountId, create: { k: { text: 'after' } } });
    const ahead = await client.get('Todo', { accountId, ids: [] });

    const target = { ...to, BLOB_STORE: `file:${join(place.dataDir, 'blobs')}` };
    const { code, stdout } = await place.run('restore', [file], target);
    expect(code).toBe(0);
    expect(stdout).toContain('1 blobs of 6 octets');
    const again = await place.run('restore', [file], target);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('not empty') });

    restored = await startServer({ env: target, dataDir: place.dataDir });
    const back = new Client(restored.url, token);
    const after = await back.get('Todo', { accountId, ids });
    expect(after.list).toEqual(before.list);
    expect((await back.query('Todo', { accountId, limit: 500 })).ids).toEqual(ids);
    expect((await back.http(`/jmap/download/${accountId}/${blobId}/x`)).text).toBe('octets');
    const since = { accountId, sinceState: ahead.state };
    const [, refused] = await back.call('Todo/changes', since);
    expect(refused).toMatchObject({ type: 'cannotCalculateChanges' });
  } finally {
    await restored?.kill();
    await server.remove();
    place.remove();
  }
});

it('PostgreSQL: restores its own tables alone, those in partitions too, and no roles', async () => {
  const url = await postgresql().createDatabase('mixed');
  const place = new Workplace();
  const from = { DATABASE_URL: url };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const made = await place.run('account', ['create', '--name', 'A', '--user', 'u'], from);
    const accountId = made.stdout.trim();
    await client.query(`CREATE TABLE "Other" ("a" integer); INSERT INTO "Other" VALUES (1);
      CREATE TABLE "pg_authid" ("rolname" text); INSERT INTO public."pg_authid" VALUES ('intruder');
      ALTER TABLE "JmapState" RENAME TO "Plain";
      CREATE TABLE "JmapState" (LIKE "Plain" INCLUDING DEFAULTS) PARTITION BY HASH ("accountId");
      CREATE TABLE "JmapState_0" PARTITION OF "JmapState" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
      CREATE TABLE "JmapState_1" PARTITION OF "JmapState" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
      DROP TABLE "Plain"`);
    await client.query(
      `INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
        VALUES ($1, 'Todo', 5, 0)`,
      [accountId],
    );
    const file = join(place.dataDir, 'b.tar');
    expect(await place.run('backup', [file], from)).toMatchObject({ code: 0 });
    const parts = (await verify(file, new Progress('test'))).database.parts.map(({ name }) => name);
    expect(parts).toContain('database/JmapState.ndjson');
    expect(parts).not.toContain('database/JmapState_0.ndjson');
    const onSqlite = await place.run('restore', [file]);
    expect(onSqlite).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holds a database of postgresql'),
    });
    const to = await postgresql().createDatabase('restored');
    const back = await place.run('restore', [file], { DATABASE_URL: to });
    expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('table Other is none') });
    const restored = new pg.Client({ connectionString: to });
    await restored.connect();
    const { rows } = await restored.query(
      `SELECT (SELECT "number" > 5 FROM "JmapState" WHERE "type" = 'Todo') AS "states",
        to_regclass('"Other"') AS "other",
        (SELECT count(*) FROM pg_catalog.pg_roles WHERE rolname = 'intruder') AS "roles"`,
    );
    await restored.end();
    expect(rows).toEqual([{ states: true, other: null, roles: '0' }]);
  } finally {
    await client.end();
    place.remove();
  }
});

it('blobs in S3: copied from a bucket, and brought back to another or to a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-s3-'));
  const service = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory: folder },
    configureBuckets: [{ name: 'one' }, { name: 'two' }],
  });
  const endpoint = `http://127.0.0.1:${(await service.run()).port}`;
  const aws = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  const inBucket = (name: string) => ({
    ...aws,
    BLOB_STORE: `s3://${name}/p?endpoint=${endpoint}`,
  });
  const server = await startServer({ env: inBucket('one') });
  const places = [new Workplace(), new Workplace(), new Workplace()];
  try {
    const { accountId, token, client } = await makeUser(server);
    const octets = ['', 'small', 'x'.repeat(300_000)];
    const ids: string[] = [];
    for (const each of octets) {
      ids.push((await client.upload(accountId, each, 'text/plain')).blobId);
    }
    const file = join(server.dataDir, 'b.tar');
    expect(await server.tool('scripts/backup', [file])).toContain('3 blobs');
    for (const [index, env] of [inBucket('two'), {}].entries()) {
      const place = places[index] ?? new Workplace();
      expect(await place.run('restore', [file], env)).toMatchObject({ code: 0 });
      const restored = await startServer({ dataDir: place.dataDir, env });
      const back = new Client(restored.url, token);
      for (const [n, id] of ids.entries()) {
        const { text } = await back.http(`/jmap/download/${accountId}/${id}/x`);
        expect(text === octets[n], String(n)).toBe(true);
      }
      await restored.kill();
    }
    const taken = await places[2]?.run('restore', [file], inBucket('two'));
    expect(taken).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('blobs in s3://two/p/'),
    });
  } finally {
    await server.remove();
    for (const place of places) place.remove();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('PostgreSQL: a database that is not there, or has nothing of ours, is not copied', async () => {
  const place = new Workplace();
  const file = join(place.dataDir, 'b.tar');
  const url = await postgresql().createDatabase('nothing');
  const nothing = await place.run('backup', [file], { DATABASE_URL: url });
  expect(nothing).toMatchObject({ code: 2, stdout: '' });
  const away = await place.run('backup', [file], { DATABASE_URL: `${url}s` });
  expect(away).toMatchObject({ code: 2, stdout: '' });
  expect(readdirSync(place.dataDir).filter((name) => name.startsWith('b.tar'))).toEqual([]);
  place.remove();
});

it('backups under a server that collects blobs each second miss no octets, 20 times', async () => {
  const server = await startServer({ env: { BLOBS_KEEP: '1s' } });
  const place = new Workplace();
  let over = false;
  try {
    const { accountId, client } = await makeUser(server);
    const upload = async (): Promise<void> => {
      while (!over) await client.upload(accountId, Buffer.alloc(100_000, 'x'), 'text/plain');
    };
    const uploads = [upload(), upload(), upload()];
    const counts: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const file = join(place.dataDir, `${round}.tar`);
      await server.tool('scripts/backup', [file]);
      const { blobs } = await verify(file, new Progress('test'));
      expect(blobs.missingCount).toBe(0);
      counts.push(blobs.count);
    }
    over = true;
    await Promise.all(uploads);
    expect(Math.max(...counts)).toBeGreaterThan(10);
    // Collection goes on where no backup runs.
    const left = () => readdirSync(join(server.dataDir, 'blobs', accountId), { recursive: true });
    await expect
      .poll(() => left().filter((name) => String(name).includes('/')).length, {
        timeout: 30_000,
      })
      .toBe(0);
  } finally {
    over = true;
    await server.remove();
    place.remove();
  }
});

describe('backup', () => {
  it('copies no database of something else', async () => {
    const other = new Workplace();
    const db = openDatabase({ file: other.file });
    db.exec('CREATE TABLE "T" ("a")');
    db.close();
    const { code, stderr } = await other.run('backup', [join(other.dataDir, 'b.tar')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no tables of jmapsmith')]);
    expect(readdirSync(other.dataDir).filter((name) => name.startsWith('b.tar'))).toEqual([]);
    other.remove();
  });

  it('names blobs without octets, and keeps all else', async () => {
    const torn = new Workplace();
    const accountId = await torn.lines('account', 'create', '--name', 'A');
    const db = openDatabase({ file: torn.file });
    db.prepare(`INSERT INTO "JmapBlob" VALUES (?, 'b1', 'text/plain', 3, 'u', 1, 1)`).run(
      accountId,
    );
    db.close();
    const torso = join(torn.dataDir, 'torso.tar');
    const { code, stdout, stderr } = await torn.run('backup', [torso]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('verified')]);
    expect(stderr).toContain('blob b1 of account');
    expect((await verify(torso, new Progress('test'))).blobs).toMatchObject({
      count: 0,
      missingCount: 1,
    });
    torn.remove();
  });

  // The limit on the size of files is the disk that any user can fill.
  it.skipIf(process.platform === 'win32')('leaves nothing where the disk is full', async () => {
    const small = new Workplace();
    await small.lines('account', 'create', '--name', 'A');
    const target = join(small.dataDir, 'b.tar');
    const before = readdirSync(small.dataDir);
    for (const blocks of [200, 250]) {
      const args = ['-c', `ulimit -f ${blocks}; exec "$0" dist/scripts/backup.js "$1"`];
      const { status, stderr } = spawnSync('/bin/sh', [...args, process.execPath, target], {
        cwd: ROOT,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', DATA_DIR: small.dataDir },
      });
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^backup: No backup .+\n$/)]);
      expect(readdirSync(small.dataDir).filter((name) => !before.includes(name))).toEqual([
        'blobs',
      ]);
    }
    small.remove();
  });
});
