import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { makeProject, type QuotaProject } from '../methods/quota-rig.js';
import { type Served, serve } from '../scripts/generator/random/serve.js';
import { type Harness, head, http, RawConnection, startHarness } from './harness.js';

/** Uploads over HTTP, with a store and blobs as a server has them. */

const YAML = `capability: urn:example:album
quotas:
  uploads: { types: [], octets: 2kB, of: unreferenced, per: user }
types:
  Photo: { properties: { blobId: { type: [string, 'null'], blob: true } } }
`;

let project: QuotaProject;
let folder: string;
let served: Served;

beforeAll(async () => {
  project = await makeProject({ 'album.yaml': YAML });
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-kept-'));
  served = await serve(project.root, undefined, folder);
  const database = openDatabase({ file: join(folder, 'jmap.db') });
  database.exec(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('A1', '', 'u', 1)`);
  database.close();
});

afterAll(async () => {
  await served.close();
  await project.remove();
  await rm(folder, { recursive: true, force: true });
});

function start(blobsHeld?: () => Promise<boolean>): Promise<Harness> {
  const { registry, store, blobs } = served;
  const once = { capability: 'urn:jmapsmith:once', keep: 60_000 };
  return startHarness({ parts: { registry, store, blobs, blobsHeld, once } });
}

async function upload(harness: Harness, size: number, headers = {}): Promise<string> {
  const init = { method: 'POST', body: 'x'.repeat(size), headers };
  const response = await http(harness, '/jmap/upload/A1', init);
  expect(response.status).toBe(200);
  return ((await response.json()) as { blobId: string }).blobId;
}

async function status(harness: Harness, blobId: string): Promise<number> {
  const path = `/jmap/download/A1/${blobId}/name?type=text%2Fplain`;
  const response = await http(harness, path);
  await response.arrayBuffer();
  return response.status;
}

async function octetsLeft(blobId: string): Promise<boolean> {
  const stream = await served.blobs.read('A1', blobId).catch(() => null);
  stream?.destroy();
  return stream !== null;
}

describe('RFC 8620 6.1: the quota of unreferenced blobs', () => {
  it('an upload beyond it removes the oldest ones, with their octets', async () => {
    const harness = await start();
    const [a, b] = [await upload(harness, 1000), await upload(harness, 900)];
    expect([await status(harness, a), await status(harness, b)]).toEqual([200, 200]);
    const c = await upload(harness, 500);
    expect(await status(harness, a)).toBe(404);
    expect([await status(harness, b), await status(harness, c)]).toEqual([200, 200]);
    expect([await octetsLeft(a), await octetsLeft(b)]).toEqual([false, true]);
  });

  it('an upload as large as the quota passes; a larger one is 413, and nothing goes', async () => {
    const harness = await start();
    const old = await upload(harness, 2000);
    const response = await http(harness, '/jmap/upload/A1', {
      method: 'POST',
      body: 'x'.repeat(2001),
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect([response.status, await response.json()]).toEqual([
      413,
      {
        type: 'urn:ietf:params:jmap:error:limit',
        status: 413,
        limit: 'uploads',
        hardLimit: 2000,
        detail: 'The quota "uploads" allows 2000 octets of unreferenced blobs: the blob has more.',
      },
    ]);
    const raw = new RawConnection(harness);
    raw.write(head('/jmap/upload/A1', ['Transfer-Encoding: chunked', 'Connection: close']));
    raw.write(`7d1\r\n${'x'.repeat(2001)}\r\n0\r\n\r\n`);
    expect(await raw.until(/hardLimit/)).toMatch(/^HTTP\/1.1 413/);
    await raw.closed;
    expect(await status(harness, old)).toBe(200);
  });

  it('an upload with a key makes room once, and counts as new when it comes again', async () => {
    const harness = await start();
    const headers = { 'idempotency-key': 'k1' };
    const first = await upload(harness, 1000, headers);
    const second = await upload(harness, 1000);
    expect(await upload(harness, 1000, headers)).toBe(first);
    await upload(harness, 500);
    expect([await status(harness, first), await status(harness, second)]).toEqual([200, 404]);
  });

  it('octets stay while a backup runs; the daily sweep takes them', async () => {
    const harness = await start(async () => true);
    const old = await upload(harness, 2000);
    await upload(harness, 1);
    expect(await status(harness, old)).toBe(404);
    expect(await octetsLeft(old)).toBe(true);
  });
});
