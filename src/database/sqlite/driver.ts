import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

type DatabaseClass = typeof BetterSqlite3;

/** The SQLite driver can't be loaded. The message has the command that mends it. */
export class DriverError extends Error {
  override readonly name = 'DriverError';
}

/**
 * Returns the driver's package for a version of Node-API. `better-sqlite3-13` has binaries for
 * every Node with Node-API 10 (22.14 and newer), and crashes an older one. `better-sqlite3` is
 * version 12, which npm compiles for one Node; compiled for 24.19 or newer, it crashes. So a Node
 * that runs 13 never loads 12.
 */
export function driverPackage(nodeApi: number): 'better-sqlite3-13' | 'better-sqlite3' {
  return nodeApi >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';
}

/**
 * Names the binary of the driver that a Node loads: equal names run on the same binary. Version 13
 * has one for every Node; version 12 one for each ABI, such as `better-sqlite3 115`.
 */
export function driverBinary({ napi, modules }: NodeJS.ProcessVersions): string {
  const name = driverPackage(Number(napi));
  return name === 'better-sqlite3' ? `${name} ${modules}` : name;
}

const { napi } = process.versions;
const NAME = driverPackage(Number(napi));
const COMPILER = 'Python 3, make and a C++20 compiler';
const driver = findDriver();

/** The driver's module, for a thread or a process that loads it by itself; null: not installed. */
export const DRIVER_PATH = driver?.path ?? null;

/** A missing driver is an error when a database is opened: a server on PostgreSQL needs none. */
const Base: DatabaseClass = driver?.Base ?? (Object as unknown as DatabaseClass);

/** The driver's `Database`. */
export class SqliteDatabase extends Base {
  /** Throws DriverError where the driver can't be loaded, and the driver's errors otherwise. */
  constructor(file: string, options: BetterSqlite3.Options = {}) {
    if (driver === null) throw new DriverError(missing());
    try {
      super(file, options);
    } catch (error) {
      throw isLoadError(error) ? new DriverError(unloadable(error), { cause: error }) : error;
    }
  }
}

function findDriver(): { readonly path: string; readonly Base: DatabaseClass } | null {
  const require = createRequire(import.meta.url);
  try {
    const path = require.resolve(NAME);
    return { path, Base: require(path) as DatabaseClass };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** Returns true where the driver found no binary, or one for another Node or machine. */
function isLoadError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  // `tries`: the places where the package `bindings` found none.
  return code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND' || 'tries' in error;
}

function missing(): string {
  const what = `The SQLite driver ${NAME} is not installed.`;
  if (NAME === 'better-sqlite3-13') return `${what} Run: npm ci`;
  return (
    `${what} Node ${process.versions.node} needs it compiled, or npm leaves it out. Install ` +
    `${COMPILER}, then run: npm ci (Node 22.14 and newer need no compiler.)`
  );
}

function unloadable({ message }: Error): string {
  const what =
    `The SQLite driver ${NAME} has no binary for Node ${process.versions.node} on ` +
    `${process.platform} ${process.arch} (${message.replaceAll(/\s+/g, ' ').slice(0, 300)}). ` +
    `Install ${COMPILER}, then run: `;
  return NAME === 'better-sqlite3'
    ? `${what}npm explore better-sqlite3 -- npm run install`
    : `${what}npm explore better-sqlite3-13 -- npm run build-release`;
}
