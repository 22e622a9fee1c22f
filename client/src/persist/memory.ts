import type { JsonValue } from '../../../src/protocol/json.js';
import { type OpenStore, type Store, TABLES, type Table } from './port.js';
import { FencedError, StoreLostError } from './store-errors.js';

/** The data of a name. */
interface Data {
  epoch: number;
  readonly tables: Readonly<Record<Table, Map<string, JsonValue>>>;
}

/** Returns a store in memory: it has its data for as long as the program has the store. */
export function memory(): Store {
  const all = new Map<string, Data>();
  return {
    open: (name) => {
      const data = all.get(name) ?? { epoch: 0, tables: makeTables() };
      all.set(name, data);
      return Promise.resolve(openData(data));
    },
  };
}

function makeTables(): Data['tables'] {
  const tables = TABLES.map((table) => [table, new Map<string, JsonValue>()] as const);
  return Object.fromEntries(tables) as Record<Table, Map<string, JsonValue>>;
}

function openData(data: Data): OpenStore {
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new StoreLostError('The store is closed.');
  };
  return {
    async load(table, prefix = '') {
      assertOpen();
      const rows = [...data.tables[table]].filter(([key]) => key.startsWith(prefix));
      return rows.sort(([one], [other]) => (one < other ? -1 : 1));
    },
    async commit(changes, { epoch = data.epoch }) {
      assertOpen();
      if (epoch !== data.epoch) throw new FencedError('Another client has the data.');
      for (const { table, key, value } of changes) {
        if (value === undefined) data.tables[table].delete(key);
        else data.tables[table].set(key, value);
      }
    },
    async fence() {
      assertOpen();
      data.epoch += 1;
      return data.epoch;
    },
    async wipe() {
      assertOpen();
      for (const table of TABLES) data.tables[table].clear();
    },
    async close() {
      isOpen = false;
    },
  };
}
