import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BlobMissingError, type BlobStore, BlobTooLargeError } from '../../src/blobs/blob-store.js';
import { openBlobStore } from '../../src/blobs/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { readConfig } from '../../src/server/config.js';
import { Client } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import { startServer } from '../support/server.js';

const BUCKET = 'blobs-of-tests';
const MAX = 100_000_000;
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

let folder: string;
let service: S3rver;
let endpoint: string;
let store: BlobStore;
let run = 0;

beforeAll(async () => {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  folder = mkdtempSync(join(tmpdir(), 'jmapsmith-s3-'));
  service = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: BUCKET }],
  });
  endpoint = `http://127.0.0.1:${(await service.run()).port}`;
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  run += 1;
  store = await openBlobStore(location(`run/${run}`));
});

function location(prefix: string) {
  return readConfig({ BLOB_STORE: `s3://${BUCKET}/${prefix}?endpoint=${endpoint}` }, '/').blobStore;
}

async function octets(accountId: string, blobId: string, range?: { start: number; end: number }) {
  return buffer(await store.read(accountId, blobId, range));
}

async function kept(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { accountId, blobId } of store.list()) ids.push(`${accountId}/${blobId}`);
  return ids.sort();
}

describe('blobs in S3', () => {
  it('are the octets that were written, an empty one too', async () => {
    const text = Readable.from([Buffer.from('Grüße '), Buffer.from('dort')]);
    expect(await store.write('a1', 'b1', text, MAX)).toEqual({ size: 12 });
    expect((await octets('a1', 'b1')).toString()).toBe('Grüße dort');
    expect(await store.write('a1', 'b2', Readable.from([]), MAX)).toEqual({ size: 0 });
    expect(await octets('a1', 'b2')).toHaveLength(0);
  });

  it('are sent in parts if they are large', async () => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    const large = Readable.from(
      Array.from({ length: 20 }, (_, n) => Buffer.concat([chunk, Buffer.from([n])])),
    );
    expect(await store.write('a1', 'b1', large, MAX)).toEqual({ size: 20_000_020 });
    const read = await octets('a1', 'b1');
    expect(read).toHaveLength(20_000_020);
    expect(read.at(-1)).toBe(19);
  });

  it('are read in part: start to end, the end left out', async () => {
    await store.write('a1', 'b1', Readable.from([Buffer.from('0123456789')]), MAX);
    expect((await octets('a1', 'b1', { start: 2, end: 5 })).toString()).toBe('234');
    expect((await octets('a1', 'b1', { start: 9, end: 10 })).toString()).toBe('9');
    expect(await octets('a1', 'b1', { start: 4, end: 4 })).toHaveLength(0);
  });

  it('take exactly maxSize octets; one more is refused and leaves nothing', async () => {
    await store.write('a1', 'b1', Readable.from([Buffer.alloc(10)]), 10);
    const larger = Readable.from([Buffer.alloc(6), Buffer.alloc(5)]);
    await expect(store.write('a1', 'b2', larger, 10)).rejects.toBeInstanceOf(BlobTooLargeError);
    expect(await kept()).toEqual(['a1/b1']);
  });

  it('leave nothing of a source that fails, and reject with its error', async () => {
    const failure = new Error('the sender hung up');
    const failing = Readable.from(
      (async function* () {
        yield Buffer.alloc(1000);
        throw failure;
      })(),
    );
    await expect(store.write('a1', 'b1', failing, MAX)).rejects.toBe(failure);
    expect(await kept()).toEqual([]);
  });

  it('say that a blob is not there', async () => {
    await expect(store.read('a1', 'b1')).rejects.toBeInstanceOf(BlobMissingError);
    await expect(store.read('../etc', 'passwd')).rejects.toBeInstanceOf(BlobMissingError);
    const copy = store.copy({ accountId: 'a1', blobId: 'b1' }, { accountId: 'a2', blobId: 'b1' });
    await expect(copy).rejects.toBeInstanceOf(BlobMissingError);
  });

  it('are known in a second account by copy, whatever becomes of the first', async () => {
    await store.write('a1', 'b1', Readable.from([Buffer.from('octets')]), MAX);
    await store.copy({ accountId: 'a1', blobId: 'b1' }, { accountId: 'a2', blobId: 'b2' });
    await store.delete('a1', 'b1');
    await store.delete('a1', 'b1');
    expect((await octets('a2', 'b2')).toString()).toBe('octets');
    expect(await kept()).toEqual(['a2/b2']);
  });

  it('go with their account, and no others with them', async () => {
    for (const [account, blob] of [
      ['a1', 'b1'],
      ['a1', 'b2'],
      ['a12', 'b1'],
    ] as const) {
      await store.write(account, blob, Readable.from([Buffer.from('x')]), MAX);
    }
    await store.deleteAccount('a1');
    await store.deleteAccount('a1');
    expect(await kept()).toEqual(['a12/b1']);
  });

  it('are unavailable if the service does not answer', async () => {
    const nowhere = await openBlobStore(
      readConfig({ BLOB_STORE: `s3://${BUCKET}?endpoint=http://127.0.0.1:9` }, '/').blobStore,
    );
    await expect(nowhere.read('a1', 'b1')).rejects.toBeInstanceOf(UnavailableError);
    const write = nowhere.write('a1', 'b1', Readable.from([Buffer.from('x')]), MAX);
    await expect(write).rejects.toBeInstanceOf(UnavailableError);
  });
});

it('RFC 8620 6: a server keeps its blobs in S3: upload, download, ranges, Blob/copy', async () => {
  const server = await startServer({
    env: { ...CREDENTIALS, BLOB_STORE: `s3://${BUCKET}/server?endpoint=${endpoint}` },
  });
  try {
    const account = (name: string) =>
      server.tool('scripts/account', ['create', '--name', name, '--user', 'u']);
    const from = await account('A');
    const to = await account('B');
    const client = new Client(server.url, await makeToken(server, ['--user', 'u']));
    const { blobId, size } = await client.upload(from, 'octets in a bucket', 'text/plain');
    expect(size).toBe(18);
    const { copied } = await client.ok('Blob/copy', {
      fromAccountId: from,
      accountId: to,
      blobIds: [blobId],
    });
    const copy = (copied as Record<string, string>)[blobId];
    const path = `/jmap/download/${to}/${copy}/name.txt`;
    expect((await client.http(path)).text).toBe('octets in a bucket');
    const part = await client.http(path, { headers: { range: 'bytes=0-5' } });
    expect([part.status, part.text]).toEqual([206, 'octets']);
    await server.tool('scripts/account', ['delete', to, '--yes']);
    const ids: string[] = [];
    for await (const { accountId } of (await openBlobStore(location('server'))).list()) {
      ids.push(accountId);
    }
    expect(ids).toEqual([from]);
  } finally {
    await server.remove();
  }
});
