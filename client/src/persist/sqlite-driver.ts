import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** From this version of Node-API on there is a driver that needs no compiler. */
const NODE_API = 10;

/**
 * Loads the driver that the application has installed. The server's package has two: version 13
 * under a name of its own, and version 12, which may crash a Node that can load 13.
 */
export function loadDriver(): typeof BetterSqlite3 {
  const require = createRequire(import.meta.url);
  const isNew = Number(process.versions['napi']) >= NODE_API;
  const names = isNew ? ['better-sqlite3-13', 'better-sqlite3'] : ['better-sqlite3'];
  for (const name of names) {
    try {
      require.resolve(name);
    } catch {
      continue;
    }
    return require(name) as typeof BetterSqlite3;
  }
  throw new Error('The package better-sqlite3 is not installed: npm install it.');
}
