import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.js';
import { BlobMissingError, BlobTooLargeError } from '../../src/blobs/blob-store.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';

const ACCOUNT = 'a01';
const OTHER = 'a02';
const MAX = 1_000_000;

let folder: string;
let store: BlobStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  store = new FilesystemBlobStore(join(folder, 'deep', 'blobs'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Every file below the store's folder, temporary ones included. */
function files(): string[] {
  const root = join(folder, 'deep', 'blobs');
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

async function put(blobId: string, text: string, accountId = ACCOUNT): Promise<void> {
  await store.write(accountId, blobId, Readable.from([Buffer.from(text)]), MAX);
}

async function text(blobId: string, accountId = ACCOUNT, range?: { start: number; end: number }) {
  return (await buffer(await store.read(accountId, blobId, range))).toString();
}

describe('writing a blob', () => {
  it('keeps the octets under account and id, for the owner of the process alone', async () => {
    const size = await store.write(
      ACCOUNT,
      'b0001xy',
      Readable.from([Buffer.from('Grüße '), Buffer.from('dort')]),
      MAX,
    );
    expect(size).toEqual({ size: 12 });
    expect(files()).toEqual([join(ACCOUNT, 'xy', 'b0001xy')]);
    const path = join(folder, 'deep', 'blobs', ACCOUNT, 'xy', 'b0001xy');
    expect(readFileSync(path, 'utf8')).toBe('Grüße dort');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'deep', 'blobs', ACCOUNT)).mode & 0o777).toBe(0o700);
  });

  it('makes the folders above its own, and syncs them to disk', async () => {
    const open = vi.spyOn(fs, 'open');
    syncBuiltinESMExports();
    try {
      await put('b1', 'text');
      const synced = open.mock.calls.filter(([, flags]) => flags === 'r').map(([path]) => path);
      const own = ['', 'deep', 'deep/blobs', `deep/blobs/${ACCOUNT}`, `deep/blobs/${ACCOUNT}/b1`];
      if (process.platform !== 'win32') {
        expect(synced.sort()).toEqual(own.map((path) => join(folder, path)));
      }
    } finally {
      open.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('keeps an empty blob', async () => {
    expect(await store.write(ACCOUNT, 'b1', Readable.from([]), MAX)).toEqual({ size: 0 });
    expect(await text('b1')).toBe('');
  });

  it('takes exactly maxSize octets, and refuses one more leaving nothing', async () => {
    await store.write(ACCOUNT, 'b1', Readable.from([Buffer.alloc(6), Buffer.alloc(4)]), 10);
    const larger = Readable.from([Buffer.alloc(6), Buffer.alloc(5)]);
    await expect(store.write(ACCOUNT, 'b2', larger, 10)).rejects.toBeInstanceOf(BlobTooLargeError);
    expect(files()).toEqual([join(ACCOUNT, 'b1', 'b1')]);
  });

  it('stops reading a source that is too large and leaves it open', async () => {
    let produced = 0;
    const endless = new Readable({
      highWaterMark: 1000,
      read() {
        produced += 1000;
        this.push(Buffer.alloc(1000));
      },
    });
    await expect(store.write(ACCOUNT, 'b1', endless, 5000)).rejects.toBeInstanceOf(
      BlobTooLargeError,
    );
    expect(endless.destroyed).toBe(false);
    expect(produced).toBeLessThan(20_000);
    endless.destroy();
  });

  it('leaves nothing of a source that fails, and rejects with its error', async () => {
    const failure = new Error('the disk of the sender broke');
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('some');
        throw failure;
      })(),
    );
    await expect(store.write(ACCOUNT, 'b1', failing, MAX)).rejects.toBe(failure);
    expect(files()).toEqual([]);
    await expect(store.read(ACCOUNT, 'b1')).rejects.toBeInstanceOf(BlobMissingError);
  });

  it('leaves nothing of a source that had failed before it was read', async () => {
    const failed = new Readable({ read: () => undefined });
    const failure = new Error('gone');
    const writing = store.write(ACCOUNT, 'b1', failed, MAX);
    failed.destroy(failure);
    await expect(writing).rejects.toBe(failure);
    expect(files()).toEqual([]);
  });

  it('leaves nothing of an upload whose client hangs up', async () => {
    const outcome = new Promise<unknown>((settle) => {
      const server = createServer((incoming) => {
        store.write(ACCOUNT, 'b1', incoming, MAX).then(settle, settle);
        server.close();
      });
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        const upload = request({
          port,
          host: '127.0.0.1',
          method: 'POST',
          headers: { 'content-length': 100 },
        });
        upload.on('error', () => undefined);
        upload.write('half of it', () => upload.destroy());
      });
    });
    expect(await outcome).toBeInstanceOf(Error);
    expect(files()).toEqual([]);
  });

  it('refuses wrong ids before they touch a path', async () => {
    for (const id of ['', '..', '../x', 'a/b', 'a\\b', 'a.b', 'a\0b', 'é']) {
      await expect(put('b1', 'x', id)).rejects.toBeInstanceOf(TypeError);
      await expect(put(id, 'x')).rejects.toBeInstanceOf(TypeError);
      await expect(store.read(ACCOUNT, id)).rejects.toBeInstanceOf(BlobMissingError);
      await store.delete(ACCOUNT, id);
      await store.deleteAccount(id);
    }
    expect(files()).toEqual([]);
  });

  it('makes a folder again that another process has removed', async () => {
    await put('b1', 'one');
    rmSync(join(folder, 'deep', 'blobs', ACCOUNT), { recursive: true });
    await put('b1', 'two');
    expect(await text('b1')).toBe('two');
  });

  it('serves many writers of one folder at once', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `b${index}zz`);
    await Promise.all(ids.map((id) => put(id, id)));
    expect(await Promise.all(ids.map((id) => text(id)))).toEqual(ids);
    expect(files()).toHaveLength(40);
  });
});

describe('reading a blob', () => {
  it('gives octets from start to end, the end left out', async () => {
    await put('b1', '0123456789');
    expect(await text('b1')).toBe('0123456789');
    expect(await text('b1', ACCOUNT, { start: 2, end: 5 })).toBe('234');
    expect(await text('b1', ACCOUNT, { start: 9, end: 10 })).toBe('9');
    expect(await text('b1', ACCOUNT, { start: 4, end: 4 })).toBe('');
  });

  it('rejects if the account has no such blob', async () => {
    await put('b1', 'x');
    await expect(store.read(OTHER, 'b1')).rejects.toBeInstanceOf(BlobMissingError);
    await expect(store.read(ACCOUNT, 'b2')).rejects.toBeInstanceOf(BlobMissingError);
  });

  it('finishes a read of a blob that is deleted meanwhile', async () => {
    await put('b1', 'x'.repeat(500_000));
    const reading = await store.read(ACCOUNT, 'b1');
    await store.delete(ACCOUNT, 'b1');
    expect(await buffer(reading)).toHaveLength(500_000);
  });
});

describe('copying a blob', () => {
  const from = { accountId: ACCOUNT, blobId: 'b1' };
  const to = { accountId: OTHER, blobId: 'b2' };

  it('makes the octets known in a second account, whatever becomes of the first', async () => {
    await put('b1', 'shared');
    await store.copy(from, to);
    await store.delete(ACCOUNT, 'b1');
    expect(await text('b2', OTHER)).toBe('shared');
    expect(files()).toEqual([join(OTHER, 'b2', 'b2')]);
  });

  it('may be repeated', async () => {
    await put('b1', 'shared');
    await store.copy(from, to);
    await store.copy(from, to);
    expect(await text('b2', OTHER)).toBe('shared');
    expect(files()).toHaveLength(2);
  });

  it('copies the octets on a file system without hard links', async () => {
    const refusal = Object.assign(new Error('no links'), { code: 'EPERM' });
    const link = vi.spyOn(fs, 'link').mockRejectedValue(refusal);
    syncBuiltinESMExports();
    try {
      await put('b1', 'shared');
      await store.copy(from, to);
      expect(link).toHaveBeenCalled();
    } finally {
      link.mockRestore();
      syncBuiltinESMExports();
    }
    const copy = statSync(join(folder, 'deep', 'blobs', OTHER, 'b2', 'b2'));
    expect(copy.nlink).toBe(1);
    expect(copy.mode & 0o777).toBe(0o600);
    expect(await text('b2', OTHER)).toBe('shared');
  });

  it('rejects if the source is gone, and leaves nothing', async () => {
    await expect(store.copy(from, to)).rejects.toBeInstanceOf(BlobMissingError);
    await expect(store.copy({ ...from, blobId: '../x' }, to)).rejects.toBeInstanceOf(
      BlobMissingError,
    );
    expect(files()).toEqual([]);
  });
});

describe('removing blobs', () => {
  it('removes one, and takes a second time in good part', async () => {
    await put('b1', 'x');
    await store.delete(ACCOUNT, 'b1');
    await store.delete(ACCOUNT, 'b1');
    await store.delete(OTHER, 'b1');
    expect(files()).toEqual([]);
  });

  it('removes all of an account and none of another, which may write again', async () => {
    await put('b1', 'x');
    await put('b2', 'x', OTHER);
    await store.deleteAccount(ACCOUNT);
    await store.deleteAccount('never-there');
    expect(files()).toEqual([join(OTHER, 'b2', 'b2')]);
    await put('b3', 'again');
    expect(await text('b3')).toBe('again');
  });
});

it('sweeps temporary files at start that are older than an hour, and no younger ones', () => {
  const incoming = join(folder, 'deep', 'blobs', '.incoming');
  const past = new Date(Date.now() - 3601 * 1000);
  writeFileSync(join(incoming, 'old'), 'x');
  utimesSync(join(incoming, 'old'), past, past);
  writeFileSync(join(incoming, 'young'), 'x');
  new FilesystemBlobStore(join(folder, 'deep', 'blobs'));
  expect(readdirSync(incoming)).toEqual(['young']);
});
