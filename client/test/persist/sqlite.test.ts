import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../../test/support/server.js';
import { sqliteFile } from '../../src/persist/sqlite.js';
import { loadDriver } from '../../src/persist/sqlite-driver.js';
import { QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { describeStore } from './contract.js';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shared = join(folder, 'new/client.db');

describeStore('the store in a file', { makeStore: () => sqliteFile(shared) });

it('a store in a file says that it needs a driver', async () => {
  const outfile = join(folder, 'alone.mjs');
  const entryPoints = [join(ROOT, 'client/src/persist/sqlite.ts')];
  const options = { bundle: true, format: 'esm', platform: 'node' } as const;
  await build({ ...options, entryPoints, outfile });
  const alone = (await import(outfile)) as { readonly sqliteFile: typeof sqliteFile };
  const message = 'The package better-sqlite3 is not installed: npm install it.';
  expect(() => alone.sqliteFile(join(folder, 'none.db'))).toThrow(message);
});

describe('the file of a store', () => {
  it('has no trace of what a wipe removed', async () => {
    const file = join(folder, 'wiped.db');
    const store = await sqliteFile(file).open('n');
    const value = 'a secret of the user';
    for (const key of ['k', 'l'])
      await store.commit([{ table: 'objects', key, value }], { durable: true });
    const read = (): string =>
      [file, `${file}-wal`].map((path) => (existsSync(path) ? readFileSync(path) : '')).join('');
    expect(read()).toContain(value);
    await store.wipe();
    expect(read()).not.toContain(value);
    await store.close();
  });

  it('that is full rejects with QuotaError and keeps what it has', async () => {
    const pragma = vi.spyOn(loadDriver().prototype, 'pragma');
    const store = await sqliteFile(join(folder, 'full.db')).open('n');
    const [db] = pragma.mock.contexts as Database[];
    await store.commit([{ table: 'log', key: 'a', value: 1 }], {});
    const pages = db?.pragma('page_count', { simple: true });
    db?.pragma(`max_page_count = ${Number(pages) + 2}`);
    const text = 'x'.repeat(1000);
    const rows = Array.from({ length: 50 }, (_, index) => ({
      table: 'log' as const,
      key: `b${index}`,
      value: text,
    }));
    await expect(store.commit(rows, {})).rejects.toBeInstanceOf(QuotaError);
    expect(await store.load('log')).toEqual([['a', 1]]);
    await store.commit([{ table: 'log', key: 'a', value: 2 }], {});
    expect(await store.load('log')).toEqual([['a', 2]]);
    await store.close();
  });

  it('of another program is left as it is', async () => {
    const file = join(folder, 'other.db');
    const Driver = loadDriver();
    const other = new Driver(file);
    other.exec('CREATE TABLE mail (id)');
    other.close();
    const text = join(folder, 'text.db');
    writeFileSync(text, 'no database '.repeat(1000));
    for (const path of [file, text]) {
      const before = readFileSync(path);
      await expect(sqliteFile(path).open('n')).rejects.toBeInstanceOf(StoreLostError);
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it('of a later version of the client is not opened', async () => {
    const file = join(folder, 'later.db');
    await (await sqliteFile(file).open('n')).close();
    const Driver = loadDriver();
    const db = new Driver(file);
    db.pragma('user_version = 2');
    db.close();
    await expect(sqliteFile(file).open('n')).rejects.toThrow('no store of this version');
  });

  it('must have a folder', async () => {
    writeFileSync(join(folder, 'file'), '');
    const open = sqliteFile(join(folder, 'file/client.db')).open('n');
    await expect(open).rejects.toBeInstanceOf(StoreLostError);
  });
});

describe('a store of several processes', () => {
  const program = join(folder, 'committer.mjs');

  beforeAll(async () => {
    await build({
      entryPoints: [join(ROOT, 'client/test/persist/committer.ts')],
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
  });

  /** Starts a process that commits; `told` has the numbers of its commits. */
  function commit(...args: readonly string[]): { child: ChildProcess; told: number[] } {
    const env = { ...process.env, NODE_PATH: join(ROOT, 'node_modules') };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const told: number[] = [];
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      told.push(Number(line)),
    );
    return { child, told };
  }

  it('has every commit that a killed process has told of, and no half one', async () => {
    const file = join(folder, 'killed.db');
    let last = 0;
    for (let round = 0; round < 20; round += 1) {
      const { child, told } = commit(file, 'a');
      const closed = once(child, 'close');
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      await delay(Math.random() * 50);
      child.kill('SIGKILL');
      await closed;
      const store = await sqliteFile(file).open('n');
      const rows = await store.load('log');
      const numbers = rows.map((_, index) => ({ number: index + 1 }));
      expect(rows.map(([, value]) => value)).toEqual(numbers);
      expect(rows.length - (told.at(-1) ?? Number.NaN)).toBeOneOf([0, 1]);
      expect(rows.length).toBeGreaterThan(last);
      expect(await store.load('meta')).toEqual([['a', rows.length]]);
      const objects = await store.load('objects', 'a0');
      expect(objects).toMatchObject([['a0', { number: rows.length }]]);
      last = rows.length;
      await store.close();
    }
  });

  it('has the commits of all of them, which make the file at the same moment', async () => {
    const file = join(folder, 'several.db');
    const all = ['a', 'b', 'c'].map((letter) => commit(file, letter, '100'));
    const ends = await Promise.all(all.map(({ child }) => once(child, 'close')));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0]);
    const store = await sqliteFile(file).open('n');
    for (const letter of ['a', 'b', 'c']) expect(await store.load('log', letter)).toHaveLength(100);
    await store.close();
  });
});
