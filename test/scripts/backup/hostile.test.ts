import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NAMES, sumLine, verify } from '../../../scripts/backup/manifest.js';
import { Progress } from '../../../scripts/backup/progress.js';
import { TarWriter } from '../../../scripts/backup/tar.js';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FIRST = '{"format":1}\n';
type Entry = readonly [name: string, text: string];

/** An archive whose sums are all right, whatever its entries and its manifest say. */
async function forged(
  entries: readonly Entry[],
  change: (manifest: Record<string, unknown>) => unknown = (manifest) => manifest,
  after: readonly Entry[] = [],
): Promise<string> {
  const file = join(folder, 'forged.tar');
  const handle = await open(file, 'w');
  const tar = new TarWriter(handle, 0);
  const add = (name: string, octets: Buffer) => tar.add(name, octets.byteLength, [octets]);
  const parts: object[] = [];
  for (const [name, text] of [[NAMES.first, FIRST] as const, ...entries]) {
    const sha256 = await add(name, Buffer.from(text));
    if (name.startsWith('database')) parts.push({ name, octets: text.length, sha256 });
  }
  const manifest = change({
    ...{ format: 1, jmapsmith: '0.1.0', created: '2026-01-01T00:00:00Z' },
    database: { kind: 'sqlite', migrations: [], parts },
    blobs: { count: 0, octets: 0, sha256: '', missing: [], missingCount: 0 },
    contents: { octets: tar.octets, sha256: tar.digest() },
  });
  const text = Buffer.from(typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  await add(NAMES.manifest, text);
  for (const [name, body] of after) await add(name, Buffer.from(body));
  await add(NAMES.sum, sumLine(text));
  await tar.end();
  await handle.close();
  return file;
}

const refused = (file: string) =>
  expect(verify(file, new Progress('test'))).rejects.toThrow(
    /forged\.tar can't be restored from: /,
  );

it('takes the file that backup writes', async () => {
  const blob = 'blobs/a1/b1';
  const file = await forged([
    ['database.sqlite', 'x'],
    [blob, 'octets'],
  ]);
  expect((await verify(file, new Progress('test'))).database.parts).toHaveLength(1);
});

it.each([
  '../escaped',
  '/etc/passwd',
  'blobs/../../escaped',
  'blobs/a1/../../../escaped',
  'blobs/a1/b1/c1',
  'blobs/a1',
  'blobs/a1/b.1',
  'blobs//b1',
  'database/../jmap.db.ndjson',
  'database/a/b.ndjson',
  'database/.ndjson',
  'jmap.db',
  'database.sqlite/x',
])('refuses an entry called %s', async (name) => {
  await refused(await forged([[name, 'x']]));
});

it('refuses links, devices and folders, as tar writes them', async () => {
  const inside = join(folder, 'inside');
  mkdirSync(join(inside, 'blobs', 'a1'), { recursive: true });
  writeFileSync(join(inside, NAMES.first), FIRST);
  symlinkSync('/etc/passwd', join(inside, 'blobs', 'a1', 'b1'));
  const file = join(folder, 'forged.tar');
  for (const last of ['blobs/a1/b1', 'blobs']) {
    const names = ['--format=ustar', '-cf', file, '-C', inside, NAMES.first, last];
    execFileSync('tar', names);
    await refused(file);
  }
});

it('refuses a wrong or too large manifest, other parts and a wrong order', async () => {
  const entries = [['database.sqlite', 'x']] as const;
  for (const change of [
    () => 'no JSON',
    () => 'null',
    () => '{}',
    (manifest: Record<string, unknown>) => ({ ...manifest, contents: null }),
    (manifest: Record<string, unknown>) => ({
      ...manifest,
      database: { kind: 'sqlite', migrations: [], parts: [] },
    }),
    (manifest: Record<string, unknown>) => ({
      ...manifest,
      database: { kind: 'oracle', migrations: [], parts: [] },
    }),
    () => `"${'x'.repeat(65 * 1024 ** 2)}"`,
  ]) {
    await refused(await forged(entries, change));
  }
  await refused(await forged(entries, undefined, [['blobs/a1/b1', 'x']]));
  await refused(await forged([[NAMES.first, FIRST]]));
  await refused(await forged([[NAMES.first, 'x'.repeat(2000)]]));
});

it('refuses a file that ends at any border of its entries', async () => {
  const blobs = [1, 512, 600].map((size, n) => [`blobs/a1/b${n}`, 'x'.repeat(size)] as const);
  const file = await forged([['database.sqlite', 'y'.repeat(1000)], ...blobs]);
  const whole = readFileSync(file);
  for (let end = 0; end < whole.length; end += 512) {
    writeFileSync(file, whole.subarray(0, end));
    await refused(file);
  }
});
