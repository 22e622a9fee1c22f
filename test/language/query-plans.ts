import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { openPool } from '../../src/database/postgresql/index.js';
import { migrate, openDatabase } from '../../src/database/sqlite/index.js';
import { compileQuery } from '../../src/methods/query/query-plan.js';
import { indexOf } from '../../src/methods/type-index.js';
import { capabilitiesOf } from '../../src/server/project.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import type { Dialect } from '../../src/store/sql/dialect-port.js';
import { type Fragment, raw, render } from '../../src/store/sql/fragment.js';
import { windowQuery } from '../../src/store/sql/query-statements.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import type { Project } from '../scripts/generator/project.js';

/** A query of a type, and the index that each database reads for it. */
export interface Planned {
  readonly type: string;
  readonly filter: Readonly<Record<string, string | number>> | null;
  readonly sort: readonly { readonly property: string; readonly isAscending?: boolean }[];
  readonly index: RegExp;
}

type Types = ReadonlyMap<string, DataTypeDefinition>;

async function typesOf({ root }: Project): Promise<Types> {
  const module = await import(pathToFileURL(join(root, 'generated/registry.ts')).href);
  const types = capabilitiesOf(module).flatMap(({ dataTypes }) => dataTypes ?? []);
  return new Map(types.map((type) => [type.name, type]));
}

function statementOf(types: Types, { type, filter, sort }: Planned, dialect: Dialect): Fragment {
  const definition = types.get(type);
  if (definition === undefined) throw new Error(`There is no ${type}.`);
  const { plan } = compileQuery(indexOf(definition), filter, sort);
  const window = { position: 0, limit: 10 };
  const way = { list: raw('"id"'), leads: filter !== null };
  return windowQuery({ type: definition, accountId: 'a1', dialect }, plan, window, way);
}

/** Expects that no query sorts all that it finds, on either database. `url`: of PostgreSQL. */
export async function expectPlans(
  project: Project,
  url: string,
  queries: readonly Planned[],
): Promise<void> {
  const types = await typesOf(project);
  const database = openDatabase({ file: join(project.root, 'plans.db') });
  migrate(database, join(project.root, 'prisma/sqlite/migrations'));
  const pool = openPool({ url, size: 1 });
  try {
    // The tables are empty: without this PostgreSQL would read them whole.
    await pool.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    for (const query of queries) {
      const onSqlite = statementOf(types, query, sqlite);
      const lines = database
        .prepare(`EXPLAIN QUERY PLAN ${render(onSqlite, sqlite.placeholder)}`)
        .all(...onSqlite.values) as readonly { readonly detail: string }[];
      const plan = lines.map(({ detail }) => detail).join('\n');
      expect({ query, plan }).toEqual({ query, plan: expect.stringMatching(query.index) });
      expect({ query, plan }).toEqual({
        query,
        plan: expect.not.stringMatching(/TEMP B-TREE FOR ORDER/),
      });
      const onPostgresql = statementOf(types, query, postgresql);
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>({
        text: `EXPLAIN ${render(onPostgresql, postgresql.placeholder)}`,
        values: [...onPostgresql.values],
      });
      const text = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect({ query, text }).toEqual({ query, text: expect.stringMatching(query.index) });
      expect({ query, text }).toEqual({
        query,
        text: expect.not.stringMatching(/-> +Sort {2}/),
      });
    }
  } finally {
    database.close();
    await pool.end();
  }
}
