import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { tracesOf } from '../../src/accounts/membership-records.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';

/** The plans by which the places of a group are found, however many accounts there are. */

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const postgresql = usePostgresql();

const QUERY = tracesOf('p:g1', ['Folder', 'List']);
const FOUND = [
  { accountId: 'a7', type: 'Folder' },
  { accountId: 'a9', type: 'Folder' },
  { accountId: 'a9', type: 'List' },
];

/** Accounts; in two of them the group has scopes at many objects. */
const ACCOUNTS = 5000;
const OBJECTS = 500;
const insertRows = (numbers: (count: number) => string): string => `
  INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
  SELECT 'a' || "n", 'A', 'u' || "n", 1 FROM ${numbers(ACCOUNTS)};
  INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
  SELECT 'a' || "n", 'Folder', 'o', 'p:u' || "n", 1, FALSE FROM ${numbers(ACCOUNTS)};
  INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
  SELECT "a", "t", 'o' || "n", "s", "n", FALSE FROM (
  SELECT 'a7' AS "a", 'Folder' AS "t", 'p:g1' AS "s" UNION ALL SELECT 'a9', 'Folder', 'p:g1'
  UNION ALL SELECT 'a9', 'List', 'p:g1' UNION ALL SELECT 'a9', 'Paper', 'p:g1'
  UNION ALL SELECT 'a8', 'Folder', 'p:g10') AS "some" CROSS JOIN ${numbers(OBJECTS)};`;

interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Returns the rows that the nodes of a plan have read, and how often they were asked. */
function workOf(node: Node): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = (rows + 1) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((all, below) => all + workOf(below), own);
}

it('PostgreSQL looks at the accounts alone where a group has something', async () => {
  const url = await postgresql().createDatabase('group_places');
  const pool = openPool({ url, size: 1 });
  onTestFinished(() => pool.end());
  await migrate(pool, MIGRATIONS);
  await pool.query(insertRows((count) => `generate_series(1, ${count}) AS "numbers" ("n")`));
  await pool.query('VACUUM ANALYZE "JmapScope"');
  await pool.query('VACUUM ANALYZE "JmapAccount"');
  const [text, values] = [QUERY.text, [...QUERY.values]];
  const { rows } = await pool.query({ text, values });
  expect(rows).toEqual(FOUND);
  const { rows: plans } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: Node }] }>({
    ...{ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values },
  });
  expect(workOf(plans[0]?.['QUERY PLAN'][0].Plan as Node)).toBeLessThanOrEqual(120);
});

it('SQLite finds each account of a group by a look in an index', async () => {
  const { db, close } = openTestDatabase();
  onTestFinished(close);
  const numbers = (count: number): string => `(WITH RECURSIVE "all" ("n") AS (
    SELECT 1 UNION ALL SELECT "n" + 1 FROM "all" WHERE "n" < ${count}) SELECT "n" FROM "all")`;
  db.exec(insertRows(numbers));
  const values = [...QUERY.values];
  expect(db.prepare(QUERY.sql).all(...values)).toEqual(FOUND);
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${QUERY.sql}`).all(...values) as {
    readonly detail: string;
  }[];
  const details = steps.map(({ detail }) => detail);
  const looks = details.filter((detail) => /\bs\b/.test(detail));
  // One for the first account, one further on, and one for the types.
  expect(looks).toHaveLength(3);
  for (const look of looks) expect(look).toMatch(/^SEARCH s USING COVERING INDEX .*scope=\?/);
  expect(details.filter((detail) => detail.includes('JmapAccount'))).toEqual([]);
});
