import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  account,
  blobFiles,
  head,
  http,
  principal,
  RawConnection,
  startHarness,
  until,
} from './harness.js';

describe('RFC 8620 6.1: upload', () => {
  it('answers with account, blob id, type and size, and keeps the octets', async () => {
    const harness = await startHarness();
    const response = await http(harness, '/jmap/upload/A1', {
      method: 'POST',
      body: 'octets',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(response.status).toBe(200);
    const uploaded = (await response.json()) as { blobId: string };
    expect(uploaded).toEqual({
      accountId: 'A1',
      blobId: expect.stringMatching(/^b[0-9a-z]+$/),
      type: 'multipart/form-data; boundary=x',
      size: 6,
    });
    expect(await blobFiles(harness)).toEqual([uploaded.blobId]);
    expect(harness.store.rows.get(`A1/${uploaded.blobId}`)).toMatchObject({
      uploaderId: 'u1',
      size: 6,
    });
  });

  it('a header that names no media type counts as application/octet-stream', async () => {
    const harness = await startHarness();
    for (const lines of [[], ['Content-Type: rubbish'], ['Content-Type: text/plain; "x']]) {
      const raw = new RawConnection(harness);
      raw.write(`${head('/jmap/upload/A1', [...lines, 'Content-Length: 3'])}abc`);
      expect(await raw.until(/"size":3/)).toContain('"type":"application/octet-stream"');
      raw.socket.destroy();
    }
  });

  it('an account out of reach, or without blobs, is 404; a read-only one 403', async () => {
    const harness = await startHarness();
    const status = async (accountId: string): Promise<number> =>
      (await http(harness, `/jmap/upload/${accountId}`, { method: 'POST', body: 'x' })).status;
    expect(await status('AX')).toBe(404);
    expect(await status('nothing')).toBe(404);
    expect(await status('AN')).toBe(404);
    expect(await status('AR')).toBe(403);
    expect(await status('..%2F..%2Fetc')).toBe(404);
    expect(await blobFiles(harness)).toEqual([]);
  });

  it('maxSizeUpload octets pass, one more is 413; chunked too', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_UPLOAD: '100000' } });
    const length = new RawConnection(harness);
    length.write(head('/jmap/upload/A1', ['Content-Length: 100001']));
    expect(await length.until(/maxSizeUpload/)).toMatch(/^HTTP\/1.1 413/);
    const chunked = (octets: number): RawConnection => {
      const raw = new RawConnection(harness);
      raw.write(head('/jmap/upload/A1', ['Transfer-Encoding: chunked', 'Connection: close']));
      return raw.write(`${octets.toString(16)}\r\n${'x'.repeat(octets)}\r\n0\r\n\r\n`);
    };
    expect(await chunked(100_000).until(/\}$/)).toMatch(/^HTTP\/1.1 200/);
    const refused = chunked(100_001);
    expect(await refused.until(/maxSizeUpload/)).toMatch(/^HTTP\/1.1 413/);
    await refused.closed;
    expect(await blobFiles(harness)).toHaveLength(1);
    expect(harness.store.rows.size).toBe(1);
  });

  it('an aborted, slow or unrecorded upload leaves nothing and frees its slot', async () => {
    const harness = await startHarness({
      env: { MAX_CONCURRENT_UPLOAD: '1' },
      timings: { bodyWindow: 200, bodyRate: 1000 },
    });
    const fine = async (): Promise<boolean> =>
      (await http(harness, '/jmap/upload/A1', { method: 'POST', body: 'x' })).status === 200;
    const begun = (): RawConnection =>
      new RawConnection(harness).write(`${head('/jmap/upload/A1', ['Content-Length: 9'])}abc`);

    const aborted = begun();
    await until(async () => !(await fine()));
    aborted.socket.destroy();
    await until(fine);

    const slow = begun();
    expect(await slow.until(/too slowly/)).toMatch(/^HTTP\/1.1 408/);
    await slow.closed;
    await until(fine);

    const before = await blobFiles(harness);
    harness.store.failure = new Error('no room');
    const failed = await http(harness, '/jmap/upload/A1', { method: 'POST', body: 'x' });
    expect([failed.status, await failed.text()]).toEqual([
      500,
      expect.not.stringContaining('room'),
    ]);
    expect(await blobFiles(harness)).toEqual(before);
    expect(before).toHaveLength(harness.store.rows.size);
  });

  it('a database that is slow to record it is not taken for a slow client', async () => {
    const harness = await startHarness({ timings: { bodyWindow: 400, bodyRate: 1000 } });
    const { store } = harness;
    const write = store.write.bind(store);
    vi.spyOn(store, 'write').mockImplementation(async (...args) => {
      // The watch looks at its transfers several times meanwhile.
      await pause(1600);
      return write(...args);
    });
    const response = await http(harness, '/jmap/upload/A1', { method: 'POST', body: 'octets' });
    expect(response.status).toBe(200);
    expect(harness.logs.join()).not.toContain('defect');
    expect(await blobFiles(harness)).toHaveLength(1);
  });

  it('an upload that ends after it was given up is not recorded, and is no defect', async () => {
    const harness = await startHarness({ timings: { bodyWindow: 100, bodyRate: 1000 } });
    const { blobs, store } = harness;
    const write = blobs.write.bind(blobs);
    let hasEnded = false;
    vi.spyOn(blobs, 'write').mockImplementation(async (accountId, blobId, source, maxSize) => {
      source.resume();
      const stored = await write(accountId, blobId, Readable.from(['abc']), maxSize);
      await slow.until(/too slowly/);
      hasEnded = true;
      return stored;
    });
    const slow = new RawConnection(harness);
    slow.write(`${head('/jmap/upload/A1', ['Content-Length: 9'])}abc`);
    expect(await slow.until(/too slowly/)).toMatch(/^HTTP\/1.1 408/);
    await until(async () => hasEnded && (await blobFiles(harness)).length === 0);
    expect(store.rows.size).toBe(0);
    expect(harness.logs.join()).not.toContain('defect');
  });

  it('maxConcurrentUpload holds for each user; the surplus is a limit error', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_UPLOAD: '1' } });
    const held = new RawConnection(harness);
    held.write(`${head('/jmap/upload/A1', ['Content-Length: 4'])}abc`);
    const upload = (token?: string): Promise<Response> =>
      http(harness, '/jmap/upload/A1', {
        method: 'POST',
        body: 'x',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    await until(async () => {
      const response = await upload();
      if (response.status === 200) return false;
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ limit: 'maxConcurrentUpload' }),
      ]);
      return true;
    });
    expect((await upload('token-of-u2')).status).toBe(200);
    held.write('d');
    expect(await held.until(/"size":4/)).toMatch(/^HTTP\/1.1 200/);
    expect((await upload()).status).toBe(200);
  });

  it('a token that lost the account while octets arrived stores nothing', async () => {
    const harness = await startHarness();
    const held = new RawConnection(harness);
    held.write(`${head('/jmap/upload/A1', ['Content-Length: 4', 'Expect: 100-continue'])}`);
    await held.until(/100 Continue/);
    harness.users.principals.set('t1', principal('u1', 't1', [account('AR')]));
    held.write('abcd');
    expect(await held.until(/\}$/)).toContain('HTTP/1.1 404');
    expect(await blobFiles(harness)).toEqual([]);
  });

  it('a token that was revoked while octets arrived stores nothing, and is 401', async () => {
    const harness = await startHarness();
    const held = new RawConnection(harness);
    held.write(`${head('/jmap/upload/A1', ['Content-Length: 4', 'Expect: 100-continue'])}`);
    await held.until(/100 Continue/);
    harness.users.principals.delete('t1');
    held.write('abcd');
    expect(await held.until(/\}$/)).toMatch(
      /HTTP\/1.1 401[\s\S]*WWW-Authenticate: Bearer .*error="invalid_token"/i,
    );
    expect(await blobFiles(harness)).toEqual([]);
  });
});
