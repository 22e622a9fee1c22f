import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { freePort } from '../support/postgresql-cluster.js';
import { commandOf, oneValueOf } from './dockerfile.js';
import { JAIL } from './jail.js';
import { tool, write } from './pack.js';
import { REFUSED_BY_HOOK, runStage, SERVE, tryHooks, useStandalone } from './standalone-project.js';

// Goes on where standalone-folder.long.test.ts ends: each database, S3, and the operator's tools.

const BUCKET = 'blobs-of-tests';
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

const postgresql = usePostgresql();
const standalone = useStandalone();
const { app, jail } = standalone;

beforeAll(async () => {
  await tool(standalone.root, standalone.buildArgs());
}, 600_000);

describe(`the folder in ${JAIL}`, () => {
  it("is healthy by the image's check while it runs", async () => {
    const { env } = standalone;
    const served = await standalone.serve();
    const [program, ...check] = commandOf(oneValueOf(runStage, 'HEALTHCHECK'));
    expect(program).toBe('node');
    expect((await jail.run(check, env)).code).toBe(0);
    expect((await jail.run(check, { ...env, PORT: String(await freePort()) })).code).toBe(1);
    expect(await served.stop()).toBe(0);
  });

  it('runs the tools of the operator beside the server', async () => {
    const { env } = standalone;
    const served = await standalone.serve();
    const { operate, accountId } = await standalone.makeOperator(served.url);
    expect(await operate('migrate', '--status')).toMatch(/^applied 0001_init/);
    expect(await operate('account', 'list')).toContain(accountId);
    expect(await operate('backup', '/data/backup.tar')).toContain('verified');
    const elsewhere = { ...env, DATA_DIR: '/data/restored' };
    const restored = await jail.run([...SERVE, 'restore', '/data/backup.tar'], elsewhere);
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('restored')]);
    expect(await operate('--help')).toContain('Usage: node server.mjs');
    expect(await operate('account', '--help')).toContain('Usage: node server.mjs account');
    const unknown = await jail.run([...SERVE, 'generate'], env);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"generate"')]);
    expect(await served.stop()).toBe(0);
  });

  it('serves from PostgreSQL', async () => {
    const url = await postgresql().createDatabase('standalone');
    const place = { DATABASE_URL: url.replace('localhost', '127.0.0.1') };
    const served = await standalone.serve(place);
    const operator = await standalone.makeOperator(served.url, place);
    expect(await tryHooks(operator)).toBe(REFUSED_BY_HOOK);
    expect(await served.stop()).toBe(0);
  });
});

describe('the folder, written again with S3', () => {
  it('keeps what is not of the build, and has blobs in S3', async () => {
    await write(app, 'data/ours.txt', 'ours');
    await tool(standalone.root, standalone.buildArgs('--with', 's3'));
    expect(await readFile(join(app, 'data/ours.txt'), 'utf8')).toBe('ours');
    const endpoint = await startS3();
    const place = {
      ...CREDENTIALS,
      // As in every image: Amazon's client looks there for its configuration.
      HOME: '/data',
      BLOB_STORE: `s3://${BUCKET}/blobs?endpoint=${endpoint}`,
      DATA_DIR: '/data/s3',
    };
    const served = await standalone.serve(place);
    const { accountId, client } = await standalone.makeOperator(served.url, place);
    const octets = 'Grüße '.repeat(10_000);
    const { blobId } = await client.upload(accountId, octets, 'text/plain');
    const path = `/jmap/download/${accountId}/${blobId}/a.txt`;
    expect((await client.http(path)).text).toBe(octets);
    expect(await served.stop()).toBe(0);
  }, 600_000);
});

/** Starts a service of S3 for one test; returns its address. */
async function startS3(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'jmapsmith-s3-'));
  const configureBuckets = [{ name: BUCKET }];
  const service = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets,
  });
  const { port } = await service.run();
  onTestFinished(async () => {
    await service.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}`;
}
