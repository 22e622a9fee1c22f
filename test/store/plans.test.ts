import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ModelFilter, ModelProperty, ModelType } from '../../scripts/generator/model.js';
import type { DataTypeDefinition, FilterOperator } from '../../src/capability/definition.js';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { migrate as migrateSqlite, openDatabase } from '../../src/database/sqlite/index.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type { FilterNode, SortKey, StoredObject } from '../../src/store/port.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import type { Dialect } from '../../src/store/sql/dialect.js';
import { type Fragment, render } from '../../src/store/sql/fragment.js';
import { countQuery, idsQuery } from '../../src/store/sql/query.js';
import { holdersQuery } from '../../src/store/sql/uniques.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { casemapKey } from '../../src/text/index.js';
import { indexed, model, property, type } from '../scripts/migrations/models.js';
import { generate, temporaryRoot } from '../scripts/migrations/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';

/** What `indexed: true` promises, by the databases' own word, over tables that the generator makes. */

const ROWS = 12_000;
const A = 'aone';

const title = property('title', 'string');
const code = property('code', 'string', { nullable: true });
const rank = property('rank', 'integer', { nullable: true });
const weight = property('weight', 'integer');
const AT = title.at;

const filters = {
  title: condition('title', title, 'contains', 'title_folded'),
  words: {
    ...condition('words', title, 'text', 'title_folded'),
    columns: ['title_folded', 'code_folded'],
  },
  rank: condition('rank', rank, 'equals', 'rank'),
};

const sorts = {
  title: indexed(title, 'title_casemap'),
  code: indexed(code, 'code_casemap'),
  rank: indexed(rank),
  weight: indexed(weight),
};

const Thing: ModelType = type('Thing', [title, code, rank, weight], {
  filters: Object.values(filters),
  sorts: Object.values(sorts),
  folded: ['title', 'code'],
  casemapped: ['title', 'code'],
  uniques: [{ name: 'code+rank', properties: [code, rank], at: AT }],
  indexes: [{ properties: [rank, weight], columns: ['rank', 'weight'], at: AT }],
  search: { name: 'Thing_search', columns: ['title_folded', 'code_folded'] },
});

const definition = Thing as unknown as DataTypeDefinition;

function condition(
  name: string,
  of: ModelProperty,
  operator: FilterOperator,
  column: string,
): ModelFilter {
  const more = { schema: {}, description: '', at: AT, indexed: true as const };
  return { name, property: of, operator, column, ...more };
}

function meets(name: keyof typeof filters, value: JsonValue): FilterNode {
  return { kind: 'condition', filter: filters[name], value };
}

const ALL: FilterNode = { kind: 'all' };

function ids(dialect: Dialect, filter: FilterNode, ...sort: readonly string[]): Fragment {
  const keys = sort.map((text): SortKey => {
    const name = text.replace('-', '') as keyof typeof sorts;
    const ascending = !text.startsWith('-');
    return { sort: sorts[name] as SortKey['sort'], ascending, collation: 'i;unicode-casemap' };
  });
  return idsQuery(definition, A, { filter, sort: keys }, { position: 0, limit: 50 }, dialect);
}

/** Half of them another account's. Text of three scripts, a null now and then. */
const COLUMNS = `"accountId", "id", "created", "updated", "title", "code", "rank", "weight",
 "title_folded", "code_folded", "title_casemap", "code_casemap"`;
const VALUES = `CASE n % 2 WHEN 0 THEN '${A}' ELSE 'atwo' END, 'r' || n, n, n,
 'text ' || n || ' война ' || n || ' 北京市' || n, 'c' || n,
 CASE n % 50 WHEN 0 THEN NULL ELSE n * 7919 % 10007 END, n * 31 % 9973,
 'text ' || n || ' война ' || n || ' 北京市' || n, 'c' || n,
 'TEXT ' || n || ' ВОЙНА ' || n, 'C' || n`;

const SEARCHES: readonly (readonly [string, FilterNode])[] = [
  ['a text', meets('title', 'ext 4242')],
  ['a Cyrillic text', meets('title', 'война 4242')],
  ['a Chinese text', meets('title', '北京市4242')],
  ['words', meets('words', 'text 4242')],
];

const ORDERS: readonly (readonly [string, ...(readonly string[])])[] = [
  ['a collation key', 'title'],
  ['a collation key', '-title'],
  ['a collation key that may be null', 'code'],
  ['a collation key that may be null', '-code'],
  ['a number that may be null', 'rank'],
  ['a number that may be null', '-rank'],
  ['a number', 'weight'],
  ['a number', '-weight'],
  ['an index over two', 'rank', 'weight'],
  ['an index over two', '-rank', '-weight'],
];

describe('what PostgreSQL reads', () => {
  const server = usePostgresql();
  let pool: ReturnType<typeof openPool>;
  let url: string;

  beforeAll(async () => {
    const root = temporaryRoot();
    const plan = await generate(root, model([Thing]));
    expect(plan.problems).toEqual([]);
    url = await server().createDatabase('plans');
    pool = openPool({ url, size: 1 });
    await migratePostgresql(pool, join(root, 'prisma/postgresql/migrations'));
    await pool.query(
      `INSERT INTO "Thing" (${COLUMNS}) SELECT ${VALUES} FROM generate_series(1, ${2 * ROWS}) AS n`,
    );
    await pool.query('VACUUM ANALYZE "Thing"');
    await pool.query(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('along', '', 'u', 1)`,
    );
  });

  afterAll(() => pool.end());

  async function planOf(fragment: Fragment): Promise<string> {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>({
      text: `EXPLAIN ${render(fragment, postgresql.placeholder)}`,
      values: [...fragment.values],
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  for (const [what, filter] of SEARCHES) {
    it(`is the trigram index, of one account, for ${what}`, async () => {
      for (const query of [
        ids(postgresql, filter),
        ids(postgresql, filter, '-title'),
        countQuery(definition, A, filter, postgresql),
      ]) {
        const plan = await planOf(query);
        expect(plan).toMatch(/Scan on "Thing_search".*\n +Index Cond: .*"accountId" = .* ~~ /);
        expect(plan).not.toMatch(/Seq Scan/);
      }
    });
  }

  for (const [what, ...sort] of ORDERS) {
    it(`is an ordered index for a page by ${what}: ${sort.join(', ')}`, async () => {
      const plan = await planOf(ids(postgresql, ALL, ...sort));
      expect(plan).toMatch(/Index (Only )?Scan (Backward )?using "Thing_accountId_/);
      expect(plan).not.toMatch(/Bitmap|Seq Scan|^ *-> +Sort/m);
    });
  }

  it('is an ordered index for the values that must be unique, and for an indexed filter', async () => {
    const [unique] = definition.uniques ?? [];
    if (unique === undefined) throw new Error('no unique');
    const keys = Array.from({ length: 500 }, (_, index) => [`c${index}`, index]);
    const plan = await planOf(holdersQuery(definition, A, unique, keys, postgresql));
    expect(plan).toMatch(/using "Thing_accountId_code_rank/);
    expect(plan).not.toMatch(/Seq Scan/);
    expect(await planOf(ids(postgresql, meets('rank', 7)))).toMatch(/"Thing_accountId_rank/);
  });

  it('takes the longest texts, whatever their collation keys are', async () => {
    const store = createPostgresqlStore({
      pool: openPool({ url, size: 1 }),
      types: [definition],
    });
    onTestFinished(() => store.close());
    const soon = () => ({ deadline: performance.now() + 20_000 });
    const random = Random.fromEnvironment();
    const points = (count: number, from: number, of: number): string =>
      Array.from({ length: count }, () =>
        String.fromCodePoint(from + random.integer(0, of - 1)),
      ).join('');
    const wide = points(500, 0x20000, 40_000);
    // In a key a syllable of Hangul is three code points, U+FDFA eighteen; so much of both kinds
    // PostgreSQL doesn't compress.
    const syllables = points(180, 0xac00, 11_172);
    const long = (first: string): string => first + syllables + points(319, 0x20000, 40_000);
    const alike = '\ufdfa'.repeat(499);
    const titles = [long('b'), long('a'), `${alike}b`, `${alike}a`, wide];
    const objects = titles.map((text, index): StoredObject => {
      const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
      return { id: `r${index}`, ...dates, title: text, code: wide, rank: index, weight: 1 };
    });
    await store.write('along', soon(), (transaction) => transaction.insert(definition, objects));
    const order = (sort: SortKey) =>
      store.read('along', soon(), (snapshot) =>
        snapshot.queryIds(definition, { filter: ALL, sort: [sort] }, 0, 10),
      );
    const sort = sorts.title as SortKey['sort'];
    const collation = 'i;unicode-casemap';
    const expected = objects
      .map(({ id, title: text }) => ({ id, key: Buffer.from(casemapKey(String(text))) }))
      .sort((one, other) => Buffer.compare(one.key, other.key))
      .map(({ id }) => id);
    expect(await order({ sort, ascending: true, collation })).toEqual(expected);
    expect(await order({ sort, ascending: false, collation })).toEqual(expected.reverse());
  });

  it('is the account alone for a needle of two code points', async () => {
    const plan = await planOf(countQuery(definition, A, meets('title', '42'), postgresql));
    expect(plan).toMatch(/Index Cond: \("accountId" = /);
  });
});

describe('what SQLite reads', () => {
  let db: ReturnType<typeof openDatabase>;

  beforeAll(async () => {
    const root = temporaryRoot();
    await generate(root, model([Thing]));
    db = openDatabase({ file: join(root, 'plans.db') });
    migrateSqlite(db, join(root, 'prisma/sqlite/migrations'));
    db.exec(`WITH RECURSIVE "numbers"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "numbers" LIMIT ${ROWS})
 INSERT INTO "Thing" (${COLUMNS}) SELECT ${VALUES} FROM "numbers"`);
  });

  afterAll(() => {
    db.close();
  });

  function planOf(fragment: Fragment): string {
    return db
      .prepare<unknown[], { readonly detail: string }>(
        `EXPLAIN QUERY PLAN ${render(fragment, sqlite.placeholder)}`,
      )
      .all(...fragment.values)
      .map(({ detail }) => detail)
      .join('\n');
  }

  for (const [what, filter] of SEARCHES) {
    it(`is the trigram index for ${what}, and the data by key alone`, () => {
      for (const query of [
        ids(sqlite, filter),
        ids(sqlite, filter, '-title'),
        countQuery(definition, A, filter, sqlite),
      ]) {
        const plan = planOf(query);
        expect(plan).toMatch(/Thing_search VIRTUAL TABLE/);
        expect(plan).toMatch(/SEARCH Thing USING (COVERING )?INDEX \S+ \(accountId=\? AND id=\?\)/);
        expect(plan).not.toMatch(/SCAN Thing( |$)/m);
      }
    });
  }

  for (const [what, ...sort] of ORDERS) {
    it(`is an ordered index for a page by ${what}: ${sort.join(', ')}`, () => {
      const plan = planOf(ids(sqlite, ALL, ...sort));
      expect(plan).toMatch(/^SEARCH Thing USING (COVERING )?INDEX Thing_accountId_/);
      expect(plan).not.toMatch(/TEMP B-TREE/);
    });
  }

  it('is an ordered index for the values that must be unique, and for an indexed filter', () => {
    const [unique] = definition.uniques ?? [];
    if (unique === undefined) throw new Error('no unique');
    const plan = planOf(holdersQuery(definition, A, unique, [['c1', 1]], sqlite));
    expect(plan).toMatch(/INDEX Thing_accountId_code_rank_id_idx \(accountId=\? AND code=\?/);
    expect(planOf(ids(sqlite, meets('rank', 7)))).toMatch(/\(accountId=\? AND rank=\?/);
  });

  it('is the part of one account for a needle of two code points', () => {
    const plan = planOf(countQuery(definition, A, meets('title', '42'), sqlite));
    expect(plan).toMatch(/^SEARCH Thing USING .*\(accountId=\?\)/);
  });
});
