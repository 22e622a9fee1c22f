export { isUnavailable, isUnusable } from './errors.js';
export { migrate, migrationStatus } from './migrate.js';
export { openPool, type Pool, type PoolOptions } from './pool.js';
export { recordUnicodeVersion } from './unicode-version.js';
