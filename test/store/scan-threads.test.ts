import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Snapshot } from '../../src/store/port.js';
import { ALL, Gadget } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

/** Threads that scan, where they can't be had or must end. */

let opened: Awaited<ReturnType<typeof openSqlite>>;
afterEach(() => opened.close());

async function open(module: URL): Promise<void> {
  const scans = { module, slice: -1, moment: -1, threads: 1 };
  opened = await openSqlite({ now: Date.now, scans });
}

const count = (snapshot: Snapshot): Promise<number> => snapshot.count(Gadget, ALL);
const soon = () => ({ deadline: performance.now() + 20_000 });
const scan = (): Promise<number> => opened.store.read('aone', { ...soon(), mayScan: true }, count);

describe('Without a thread', () => {
  it('scans are turned away, nothing else is, and no start is tried again and again', async () => {
    await open(new URL('./broken-thread.mjs', import.meta.url));
    for (let tried = 0; tried < 6; tried += 1)
      await expect(scan()).rejects.toBeInstanceOf(UnavailableError);
    expect(readFileSync(`${opened.file}.starts`, 'utf8')).toBe('xxx');
    expect(await opened.store.read('aone', soon(), count)).toBe(0);
    // It is tried again after a while.
    writeFileSync(`${opened.file}.starts`, '');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await expect(scan()).rejects.toBeInstanceOf(UnavailableError);
    expect(readFileSync(`${opened.file}.starts`, 'utf8')).toBe('x');
  });

  it('scans are turned away if the system refuses a thread at once', async () => {
    await open(new URL('none:such'));
    for (let tried = 0; tried < 6; tried += 1)
      await expect(scan()).rejects.toBeInstanceOf(UnavailableError);
    expect(await opened.store.read('aone', soon(), count)).toBe(0);
  });
});

describe('A thread that ends within a statement', () => {
  it('does not count as one that could not start: the next one is started at once', async () => {
    await open(new URL('./scan-thread.mjs', import.meta.url));
    writeFileSync(`${opened.file}.die`, '');
    for (let tried = 0; tried < 4; tried += 1)
      await expect(scan()).rejects.toThrow('The thread that reads has ended.');
    rmSync(`${opened.file}.die`);
    expect(await scan()).toBe(0);
  });
});

describe('While the store closes', () => {
  it('a scan that waits for a thread is turned away, and a long one is ended', async () => {
    await open(new URL('./scan-thread.mjs', import.meta.url));
    expect(await scan()).toBe(0);
    writeFileSync(`${opened.file}.hold`, 'count(');
    const all = [scan(), scan(), scan()];
    const told = Promise.allSettled(all);
    await opened.close();
    for (const outcome of await told)
      expect(outcome).toMatchObject({ reason: expect.any(UnavailableError) });
    await open(new URL('none:such'));
  });
});
