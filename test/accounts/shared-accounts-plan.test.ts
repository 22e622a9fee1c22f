import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { accountsSharedWith } from '../../src/accounts/shared-accounts.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';

/** The plans by which a user's accounts are found, whatever strangers share with the user. */

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const postgresql = usePostgresql();

const QUERY = accountsSharedWith(['bob', 'eve'], ['Folder', 'List']);
/** Each principal ends with a row without an account. Eve is in a group. */
const FOUND = [
  { userId: 'bob', principalId: 'bob', accountId: 'a1' },
  { userId: 'bob', principalId: 'bob', accountId: 'a2' },
  { userId: 'bob', principalId: 'bob', accountId: null },
  { userId: 'eve', principalId: 'eve', accountId: 'a2' },
  { userId: 'eve', principalId: 'eve', accountId: null },
  { userId: 'eve', principalId: 'g1', accountId: 'a1' },
  { userId: 'eve', principalId: 'g1', accountId: null },
];
const ORDER = `ORDER BY 1, 2, coalesce("accountId", 'z')`;
const MEMBER = `INSERT INTO "JmapMember" ("userId", "groupId") VALUES ('eve', 'g1')`;

/** Two accounts give many grants; those of a third are at objects that nobody shares now. */
const GRANTS = 20_000;
const USERS = `INSERT INTO "JmapUser" ("id", "name", "created")
  VALUES ('bob', 'bob', 1), ('eve', 'eve', 1)`;
const insertGrants = (numbers: string): string => `${numbers}
  INSERT INTO "JmapGrant" ("accountId", "principalId", "scope")
  SELECT "a", "p", "t" || ':' || "n" || '/mayRead' FROM (
  SELECT 'a1' AS "a", 'bob' AS "p", 'Folder' AS "t" UNION ALL SELECT 'a2', 'bob', 'List'
  UNION ALL SELECT 'a1', 'g1', 'List' UNION ALL SELECT 'a2', 'eve', 'List'
  UNION ALL SELECT 'a3', 'bob', 'Gone') AS "some"
  CROSS JOIN "numbers"`;

interface Node {
  readonly Alias?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Returns the rows of grants that a plan has read. */
function grantsRead(node: Node): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = /^g/.test(node.Alias ?? '') ? rows * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((all, below) => all + grantsRead(below), own);
}

it('PostgreSQL reads a few grants of each account', async () => {
  const url = await postgresql().createDatabase('shared_accounts');
  const pool = openPool({ url, size: 1 });
  onTestFinished(() => pool.end());
  await migrate(pool, MIGRATIONS);
  await pool.query(USERS);
  await pool.query(MEMBER);
  await pool.query(insertGrants(`WITH "numbers" AS (SELECT generate_series(1, ${GRANTS}) AS "n")`));
  await pool.query('VACUUM ANALYZE "JmapGrant"');
  const [text, values] = [QUERY.text, [...QUERY.values]];
  const { rows } = await pool.query({
    text: `SELECT * FROM (${text}) AS "found" ${ORDER}`,
    values,
  });
  expect(rows).toEqual(FOUND);
  const { rows: plans } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: Node }] }>({
    ...{ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values },
  });
  expect(grantsRead(plans[0]?.['QUERY PLAN'][0].Plan as Node)).toBeLessThanOrEqual(20);
});

it('SQLite finds each account by a look in an index', async () => {
  const { db, close } = openTestDatabase();
  onTestFinished(close);
  db.exec(USERS);
  db.exec(MEMBER);
  const numbers = `WITH RECURSIVE "numbers" ("n") AS (
    SELECT 1 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < ${GRANTS})`;
  db.exec(insertGrants(numbers));
  const values = [...QUERY.values];
  const all = `SELECT * FROM (${QUERY.sql}) AS "found" ${ORDER}`;
  expect(db.prepare(all).all(...values)).toEqual(FOUND);
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${QUERY.sql}`).all(...values) as {
    readonly detail: string;
  }[];
  const details = steps.map(({ detail }) => detail);
  // One for users, one for their groups, one further on, and one for each table.
  const looks = details.filter((detail) => /\bg\b/.test(detail));
  expect(looks).toHaveLength(5);
  for (const look of looks) expect(look).toMatch(/^SEARCH g USING .*principalId=\?/);
  // None is sorted: the first one in the index ends the look.
  expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
});
