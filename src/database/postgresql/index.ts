export { isUnavailable, isUnusable } from './errors.js';
export { appliedMigrations, migrate, migrationStatus } from './migrate.js';
export { openPool, type Pool, type PoolOptions } from './pool.js';
export { openRest } from './rest.js';
export { blindCtype } from './trigrams.js';
export { recordUnicodeVersion } from './unicode-version.js';
