export { isUnavailable, isUnusable } from './driver-errors.js';
export { appliedMigrations, locked, migrate, migrationStatus, requireRestored } from './migrate.js';
export { hasTable, openPool, Pool, type PoolClient, type PoolOptions } from './pool.js';
export { blindCtype } from './trigrams.js';
export { recordUnicodeVersion } from './unicode-version.js';
