import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Checks that the lock file says which packages npm must not compile. A package with a binding.gyp
 * and no install script is compiled by npm 10 unless its entry has `"gypfile": false`. Each
 * `npm install` removes that member (https://github.com/npm/cli/issues/9837).
 *
 * Usage: node scripts/check-lock.mjs [--write]
 */

/** Entries of packages that bring their binaries. */
const WITH_BINARIES = ['node_modules/better-sqlite3-13'];

const file = join(import.meta.dirname, '../package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const wrong = WITH_BINARIES.filter((path) => lock.packages[path]?.gypfile !== false);

if (wrong.length > 0 && process.argv.includes('--write')) {
  for (const path of wrong) lock.packages[path].gypfile = false;
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
} else if (wrong.length > 0) {
  for (const path of wrong)
    process.stderr.write(`package-lock.json: ${path} needs "gypfile": false\n`);
  process.stderr.write('Run: node scripts/check-lock.mjs --write\n');
  process.exitCode = 1;
}
