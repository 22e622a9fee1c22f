import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import type { View } from '../../src/store/port.js';
import { postgresql as dialect } from '../../src/store/postgresql/dialect.js';
import { render } from '../../src/store/sql/fragment.js';
import { fewQuery } from '../../src/store/sql/query-statements.js';
import { usePostgresql } from '../support/postgresql.js';
import { Gadget, plan } from './gadget.js';
import { makeGadgets } from './postgresql-gadgets.js';
import { A } from './suite/bench.js';

/** The plans by which PostgreSQL asks whether a user sees few objects of a large account. */

const OBJECTS = 50_000;

const postgresql = usePostgresql();

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Returns the rows of scopes that a plan has read. */
function rowsRead(node: Node): number {
  const own =
    node['Relation Name'] === 'JmapScope'
      ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
      : 0;
  return (node.Plans ?? []).reduce((all, below) => all + rowsRead(below), own);
}

describe('whether a view has few objects', () => {
  let url: string;

  beforeAll(async () => {
    url = await postgresql().createDatabase('views');
    const operator = openPool({ url, size: 1 });
    await makeGadgets(operator);
    // A third is everyone's, and each list is shared by itself.
    await operator.query(
      `INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
 SELECT '${A}', '${Gadget.table}', 'r' || n, "scope", n, n % 10 = 0
 FROM generate_series(1, ${OBJECTS}) AS n CROSS JOIN LATERAL (VALUES
 ('L:' || n / 10 || '/mayRead'), (CASE n % 3 WHEN 0 THEN '*' ELSE 'p:owner' END)) AS s("scope")`,
    );
    await operator.query(
      `INSERT INTO "JmapGrant" ("accountId", "principalId", "scope")
 SELECT '${A}', CASE WHEN n < 20 THEN 'few' ELSE 'many' END, 'L:' || n || '/mayRead'
 FROM generate_series(1, 4000) AS n`,
    );
    await operator.query('VACUUM ANALYZE "JmapScope"');
    await operator.query('VACUUM ANALYZE "JmapGrant"');
    await operator.end();
  });

  const open = (): Pool => {
    const pool = openPool({ url, size: 1 });
    onTestFinished(() => pool.end());
    return pool;
  };

  it.each([
    ['nothing', 'none', [], true],
    ['what is everyone’s', 'none', ['*'], false],
    ['a few lists', 'few', [], true],
    ['many lists', 'many', [], false],
    ['many lists and what is everyone’s', 'many', ['*'], false],
  ])('is asked by a look at as many rows, of a user who sees %s', async (_, userId, own, isFew) => {
    const scopes = own as readonly string[];
    const view: View = { userId, scopes, sharedTables: ['L'], rules: null };
    const asked = plan({ kind: 'visible', view });
    const query = fewQuery({ type: Gadget, accountId: A, dialect }, asked);
    if (query === null) throw new Error('Nothing is asked.');
    const pool = open();
    const text = render(query, dialect.placeholder);
    const { rows } = await pool.query({ text, values: [...query.values], rowMode: 'array' });
    expect(rows).toEqual([[isFew]]);
    const { rows: plans } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: Node }] }>({
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values: [...query.values],
    });
    const node = plans[0]?.['QUERY PLAN'][0].Plan as Node;
    expect(rowsRead(node)).toBeLessThanOrEqual(1001);
  });
});
