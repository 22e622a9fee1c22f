import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { type Fragment, raw, render, type SqlValue, sql } from '../../src/store/sql/fragment.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';

/**
 * A scan asks for the time at one row in 256 by chance, which is left out here, and at each one
 * that is large: those take long themselves.
 */

const db = openDatabase({ file: ':memory:' });
afterAll(() => db.close());
for (const table of ['small', 'large'])
  db.exec(`CREATE TABLE "${table}" ("text" TEXT, "json" BLOB)`);
for (const [table, length] of [
  ['small', 60_000],
  ['large', 70_000],
] as const)
  db.prepare(
    `INSERT INTO "${table}" VALUES (?, jsonb_object(?, 1)), (NULL, NULL), ('a', jsonb_object('a',
      1))`,
  ).run('x'.repeat(length), 'x'.repeat(length));

const text = raw('"text"');
const json = raw('"json"');
const CONDITIONS: readonly (readonly [string, Fragment])[] = [
  ['contains', sqlite.timely(text, sqlite.contains(text, 'a'))],
  ['startsWith', sqlite.timely(text, sqlite.startsWith(text, 'a'))],
  ['hasKey', sqlite.timely(json, sqlite.hasKey(json, 'a'))],
  ['hasItem', sqlite.timely(json, sqlite.hasItem(json, 1))],
];

function count(table: string, condition: Fragment) {
  const query = sql`SELECT count(*) FROM ${raw(`"${table}"`)} WHERE ${condition}`;
  const values = query.values as readonly SqlValue[];
  return db
    .prepare(render(query, sqlite.placeholder))
    .pluck()
    .get(...values);
}

it.each(CONDITIONS)('%s is stopped at a large row, and at no small one', (name, condition) => {
  db.setDeadline(Number.POSITIVE_INFINITY);
  const found = name === 'hasItem' ? 2 : 1;
  for (const table of ['small', 'large']) expect(count(table, condition)).toBe(found);
  db.setDeadline(0);
  expect(count('small', condition)).toBe(found);
  expect(() => count('large', condition)).toThrow('longer');
});
