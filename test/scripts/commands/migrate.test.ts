import { existsSync, statSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/sqlite/index.js';
import { BUILD_TIMEOUT, buildTools, Workplace } from './tool.js';

let place: Workplace;

beforeAll(() => buildTools(), BUILD_TIMEOUT);

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

function change(sql: string): void {
  const db = openDatabase({ file: place.file });
  db.exec(sql);
  db.close();
}

it('migrate applies pending migrations once; --status lists them and changes nothing', async () => {
  const before = await place.run('migrate', ['--status']);
  expect(before).toMatchObject({ code: 1, stderr: '' });
  expect(before.stdout).toMatch(/^(pending \d{4}_\w+\n)+$/);
  expect(existsSync(place.file)).toBe(false);

  const first = await place.lines('migrate');
  expect(first.map((line) => line.replace('applied', 'pending')).join('\n')).toBe(
    before.stdout.trimEnd(),
  );
  expect(statSync(place.file).mode & 0o777, 'for its owner alone').toBe(0o600);
  expect(await place.lines('migrate')).toEqual(['Nothing is pending.']);
  expect(await place.lines('migrate', '--status')).toEqual(first);
});

it('a newer version’s database is refused by its migration’s name: exit code 2', async () => {
  await place.lines('migrate');
  change(`INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name")
          VALUES ('x', 'y', 1, '9999_future')`);
  for (const [name, ...args] of [['migrate'], ['migrate', '--status'], ['account', 'list']]) {
    const { code, stdout, stderr } = await place.run(name ?? '', args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('9999_future');
  }
});

it('a server refuses such a database by the same name: exit code 1', async () => {
  await place.lines('migrate');
  change(`INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name")
          VALUES ('x', 'y', 1, '9999_future')`);
  const { code, stdout, stderr } = await place.run('../src/server/main', [], { PORT: '0' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'jmapsmith: The database has the migration 9999_future, which this version does not know: it ' +
      'belongs to a newer version or to another project.\n',
  );
});

it('an unknown option is wrong: exit code 2', async () => {
  const { code, stderr } = await place.run('migrate', ['--force']);
  expect(code).toBe(2);
  expect(stderr).toContain('--force');
});
