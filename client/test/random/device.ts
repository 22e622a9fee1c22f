import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteFile } from '../../src/cache/sqlite-store.js';
import { type CacheStore, memory } from '../../src/index.js';
import { readStored, type StoredAccount } from './model.js';
import { Tab } from './tab.js';
import type { World } from './world.js';

/**
 * A device: a store with the clients that have it open. The last one is in use; the ones before are
 * gone, or don't know yet that another one has their store.
 */
export class Device {
  readonly name: string;
  /** The keys of objects by their ids, of each account: they stay for as long as the store does. */
  readonly #keys = new Map<string, Map<string, string>>();
  readonly store: CacheStore;
  /** How many clients it has had. */
  count = 0;
  tab!: Tab;
  readonly earlier: Tab[] = [];
  readonly #world: World;
  readonly #views = new Map<string, Set<string>>();
  readonly #folder: string | null;
  /** The name under which clients keep their data. */
  #data = '';

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.#folder = world.profile.isFile ? mkdtempSync(join(tmpdir(), 'random-')) : null;
    this.store = this.#folder === null ? memory() : sqliteFile(join(this.#folder, 'client.sqlite'));
  }

  noteData(name: string): void {
    this.#data = name;
  }

  /** Returns the keys of an account's objects by their ids. */
  keysOf(accountId: string): Map<string, string> {
    const keys = this.#keys.get(accountId) ?? new Map<string, string>();
    this.#keys.set(accountId, keys);
    return keys;
  }

  /** The user has lost an account: its data is gone. */
  forget(accountId: string): void {
    this.#keys.delete(accountId);
    this.#views.delete(accountId);
  }

  noteView(accountId: string, view: string): void {
    const views = this.#views.get(accountId) ?? new Set();
    this.#views.set(accountId, views.add(view));
  }

  /** Opens a client in the place of the one before, which lives on or is killed. */
  async open(isKilled = false): Promise<void> {
    if (this.count > 0) {
      const before = this.tab;
      before.endRecords();
      if (isKilled) before.kill();
      this.earlier.push(before);
    }
    this.count += 1;
    this.tab = await Tab.open(this.#world, this);
    this.#checkStart();
  }

  /** Reads the rows of an account. */
  async read(accountId: string): Promise<StoredAccount> {
    const store = await this.store.open(this.#data);
    try {
      return await readStored(store, accountId);
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    const tabs = [...this.earlier, this.tab];
    await Promise.all(tabs.map((tab) => tab.close()));
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A client begins with the state of some commit, which has every write that was saved. */
  #checkStart(): void {
    for (const record of this.tab.records) {
      const views = this.#views.get(record.accountId);
      if (views !== undefined && !views.has(record.view))
        this.#world.fail(`${this.name} begins with a state that it never had: ${record.view}`);
      this.noteView(record.accountId, record.view);
      this.tab.checkSaved(record);
    }
  }
}
