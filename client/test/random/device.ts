import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../../conform/src/random.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import { within } from '../../../test/support/poll.js';
import { sqliteFile } from '../../src/cache/sqlite-store.js';
import { type CacheStore, memory } from '../../src/index.js';
import type { OpenStore } from '../../src/persist/port.js';
import { Browser } from './browser.js';
import type { MarkedFile } from './files.js';
import type { MarkedWrite } from './marks.js';
import { readStored, type StoredAccount } from './model.js';
import { Tab } from './tab.js';
import type { World } from './world.js';

/** How long a client may take to end, in milliseconds. */
const PATIENCE = 20_000;

/** The row of an upload in a store. */
export interface StoredUpload {
  readonly accountId: string;
  readonly key: string;
  readonly row: JsonObject;
}

/**
 * A device: a store with the clients that have it open. Without tabs one client is in use; the ones
 * before are gone, or don't know yet that another one has their store.
 */
export class Device {
  readonly name: string;
  /** The keys of objects by their ids, of each account: they stay for as long as the store does. */
  readonly #keys = new Map<string, Map<string, string>>();
  readonly store: CacheStore;
  /** How many clients it has had. */
  count = 0;
  /** The clients that are in use. */
  readonly tabs: Tab[] = [];
  /** Tabs share the store by it; null: a client has the store alone. */
  readonly browser: Browser | null;
  /** A tab has lost its roles without a word. */
  isRobbed = false;
  /** A client has lost its store: what it has seen meanwhile may be forgotten. */
  hasLost = false;
  /** Its store has refused a commit: it may have the objects of an earlier time. */
  wasFull = false;
  /** How many commits its store refuses, from 0 to 1. */
  #fullness = 0;
  readonly earlier: Tab[] = [];
  readonly #world: World;
  readonly #views = new Map<string, Set<string>>();
  readonly #folder: string | null;
  /** The name under which clients keep their data. */
  #data = '';

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.browser = world.profile.tabs > 0 ? new Browser() : null;
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

  /** Has its store refuse so many commits from now on. */
  fill(fullness: number): void {
    this.#fullness = fullness;
  }

  /** Returns whether its store has no room for a commit. */
  isFull(random: Random): boolean {
    const isFull = random.chance(this.#fullness);
    this.wasFull ||= isFull;
    return isFull;
  }

  async start(): Promise<void> {
    const count = Math.max(this.#world.profile.tabs, 1);
    for (let at = 0; at < count; at += 1) await this.open();
  }

  /** A client is in use no more: it is killed, or doesn't know yet. */
  leave(tab: Tab, isKilled: boolean): void {
    tab.endRecords();
    if (isKilled) tab.kill();
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    this.earlier.push(tab);
  }

  /** Opens a client more. */
  async open(): Promise<void> {
    this.count += 1;
    // Other tabs may save more while this one reads.
    const saved = this.#world.marks.writes.filter(({ isSaved }) => isSaved === true);
    const tab = await Tab.open(this.#world, this);
    await tab.settleStore();
    this.tabs.push(tab);
    this.#checkStart(tab, saved);
  }

  /** Returns the ids of the accounts that its clients show. */
  get accounts(): ReadonlySet<string> {
    return new Set(this.tabs.flatMap(({ records }) => records.map(({ accountId }) => accountId)));
  }

  /** Reads the rows of an account. */
  read(accountId: string): Promise<StoredAccount> {
    return this.#use((store) => readStored(store, accountId));
  }

  /** Reads the rows of uploads, of all accounts. */
  async readUploads(): Promise<readonly StoredUpload[]> {
    const rows = await this.#use((store) => store.load('meta', 'upload '));
    return rows.map(([name, row]) => {
      const [, accountId = '', key = ''] = name.split(' ');
      return { accountId, key, row: row as JsonObject };
    });
  }

  async hasOctets({ accountId, key }: MarkedFile): Promise<boolean> {
    const octets = await this.#use((store) => store.loadBlob(`upload ${accountId} ${key}`));
    return octets !== null;
  }

  async #use<T>(work: (store: OpenStore) => Promise<T>): Promise<T> {
    const store = await this.store.open(this.#data);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    const tabs = [...this.earlier, ...this.tabs];
    const ends = tabs.map((tab) => within(`The end of ${tab.name}`, tab.close(), PATIENCE));
    await Promise.all(ends);
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A client begins with the state of some commit, which has every write that was saved. */
  #checkStart(tab: Tab, saved: readonly MarkedWrite[]): void {
    for (const record of tab.records) {
      const views = this.#views.get(record.accountId);
      // Two tabs may have committed, and none of them shows both commits yet. Lists of the server
      // forget what nobody has looked at.
      const isExact =
        this.browser === null && this.#world.profile.known.length === 0 && !this.wasFull;
      if (isExact && views !== undefined && !views.has(record.view))
        this.#world.fail(`${this.name} begins with a state that it never had: ${record.view}`);
      this.noteView(record.accountId, record.view);
      // The data of an account that the user had lost are read anew.
      if (!(record.isLeft && this.#world.wasUnshared)) tab.checkSaved(record, saved);
    }
  }
}
