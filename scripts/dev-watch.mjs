import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { helperSources } from './quick-build.mjs';

/** Editors write a file in several steps; ms. */
const SETTLE = 30;

/** Where the system tells of no changes, as on some network folders, this is the delay; ms. */
const POLL = 1500;

/** The folders of a team's sources. */
const FOLDERS = ['capabilities', 'evolve'];

const COUNTS = /^[^.].*\.(?:ts|yaml|yml|json)$/;

/**
 * Calls `update` at first with null, then with the names of the sources that changed, one call
 * after the other. Node's own watcher tells of folders alone, which every system can: what changed
 * is then seen by the times and sizes of the files.
 */
export class SourceWatch {
  #root;
  #update;
  #seen = new Map();
  #watchers = new Map();
  #timer;
  #poll;
  #isClosed = false;
  #running = Promise.resolve();

  constructor(root, update) {
    this.#root = root;
    this.#update = update;
  }

  /** Resolves once the first update is done. */
  async begin() {
    this.#seen = this.#look();
    this.#watchFolders();
    this.#running = this.#update(null).then(() => {
      // The generator writes one for a new project.
      this.#seen.set('tsconfig.json', this.#look().get('tsconfig.json'));
      this.#watchFolders();
    });
    this.#poll = setInterval(() => this.#soon(), POLL);
    await this.#running;
  }

  /** Resolves once no update runs any more. */
  async close() {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#running;
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#running = this.#running.then(() => this.#compare());
    }, SETTLE);
  }

  async #compare() {
    if (this.#isClosed) return;
    const before = this.#seen;
    this.#seen = this.#look();
    const names = new Set([...before.keys(), ...this.#seen.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== this.#seen.get(name));
    if (changed.length > 0) await this.#update(changed);
    this.#watchFolders();
  }

  /** Returns each source's time and size by its name. */
  #look() {
    const own = FOLDERS.flatMap((folder) => filesBelow(this.#root, folder));
    const names = new Set([...own, ...helperSources(this.#root), 'tsconfig.json']);
    return new Map(
      [...names].map((name) => {
        const stat = statSync(join(this.#root, name), { throwIfNoEntry: false });
        return [name, stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`];
      }),
    );
  }

  #watchFolders() {
    if (this.#isClosed) return;
    const folders = new Set([...this.#seen.keys()].map((name) => dirname(name)));
    for (const folder of FOLDERS) folders.add(folder);
    for (const [folder, watcher] of this.#watchers)
      if (!folders.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder) {
    const path = join(this.#root, folder);
    if (!existsSync(path)) return;
    try {
      const watcher = watch(path, () => this.#soon());
      // The folder is gone: `#watchFolders` looks for it again.
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // The system has no watcher left, or the folder went: the poll sees what changes.
      if (error.syscall === undefined) throw error;
    }
  }
}

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(root, name);
    return COUNTS.test(entry.name) ? [name] : [];
  });
}
