export { MigrationError, type MigrationStatus } from '../migrations.js';
export { watchDataVersion } from './data-version.js';
export { DRIVER_PATH, DriverError, SqliteDatabase } from './driver.js';
export { lockServer, type ServerLock, ServerLockError } from './lock.js';
export { appliedMigrations, migrate, migrationStatus } from './migrate.js';
export { type OpenOptions, openDatabase } from './open.js';
export { DatabaseFileError, OpenFiles } from './open-files.js';
export { recordUnicodeVersion } from './unicode-version.js';
export { type RunOptions, type Work, Writer } from './writer.js';
