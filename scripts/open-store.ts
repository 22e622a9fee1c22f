import { openDatabase, Writer } from '../src/database/sqlite/index.js';
import type { Registry } from '../src/methods/registry.js';
import { Conductor } from '../src/runtime/slices.js';
import type { Config } from '../src/server/config.js';
import type { Store } from '../src/store/port.js';
import { createSqliteStore } from '../src/store/sqlite/index.js';

/** The store of a command, beside those of servers. */
export interface CommandStore {
  readonly store: Store;
  readonly conductor: Conductor;
  close(): Promise<void>;
}

/** Opens the store of a database whose migrations are all applied. */
export async function openStore(
  database: Config['database'],
  { stateTypes }: Registry,
): Promise<CommandStore> {
  const types = [...stateTypes.values()];
  const conductor = new Conductor();
  if (database.kind === 'sqlite') {
    const writerDatabase = openDatabase({ file: database.file });
    const writer = new Writer(writerDatabase, conductor);
    const reader = openDatabase({ file: database.file, readonly: true });
    const store = createSqliteStore({ writer, writerDatabase, types, reader });
    return { store, conductor, close: () => store.close() };
  }
  const { openPool } = await import('../src/database/postgresql/index.js');
  const { createPostgresqlStore } = await import('../src/store/postgresql/index.js');
  const pool = openPool({ url: database.url, size: 2, pipeline: true });
  const store = createPostgresqlStore({ pool, types, conductor });
  return { store, conductor, close: () => store.close() };
}
