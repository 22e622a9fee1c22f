import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Compiles better-sqlite3 12 where Node can't load 13 (src/database/sqlite/driver.ts). npm runs
// this file behind `npm ci` in a checkout. npm can't allow the install script of one version alone
// here. It tells versions apart by their addresses, which our lock file doesn't have.
const folder = join(import.meta.dirname, '../node_modules/better-sqlite3');
if (Number(process.versions.napi) < 10 && existsSync(folder) && !canOpen())
  execSync('npm run install', { cwd: folder, stdio: 'inherit' });

/** Returns whether the driver has a binary for this Node. */
function canOpen() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}
