import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { migrate as migrateSqlite, openDatabase } from '../../src/database/sqlite/index.js';
import type { FilterNode, SortKey, StoredObject } from '../../src/store/port.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import type { Dialect } from '../../src/store/sql/dialect-port.js';
import { type Fragment, raw, render } from '../../src/store/sql/fragment.js';
import {
  countQuery,
  countsQuery,
  countsRanks,
  fewQuery,
  keysOfQuery,
  rankQuery,
  ranksQuery,
  windowQuery,
} from '../../src/store/sql/query-statements.js';
import { holdersQuery } from '../../src/store/sql/unique-holders.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { casemapKey } from '../../src/text/index.js';
import {
  ALL,
  all,
  COLUMNS,
  definition,
  meets,
  plan,
  sortKey,
  Thing,
  values,
} from '../scale/thing.js';
import { model } from '../scripts/migrations/models.js';
import { generate, temporaryRoot } from '../scripts/migrations/project.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { queryIds } from './gadget.js';

/**
 * Tests the promise of `indexed: true`, by the databases' own word, over tables that the generator
 * makes.
 */

const ROWS = 12_000;
const A = 'aone';
/** Half of them another account's. */
const VALUES = values(`CASE n % 2 WHEN 0 THEN '${A}' ELSE 'atwo' END`);

function ids(dialect: Dialect, filter: FilterNode, ...sort: readonly string[]): Fragment {
  return windowQuery(
    { type: definition, accountId: A, dialect },
    plan(filter, ...sort),
    { position: 0, limit: 50 },
    { list: raw('"id"') },
  );
}

const SEARCHES: readonly (readonly [string, FilterNode])[] = [
  ['a text', meets('title', 'ext 1004242')],
  ['a Cyrillic text', meets('title', 'война 4242')],
  ['a Chinese text', meets('title', '北京市4242')],
  ['words', meets('words', 'text 4242')],
];

describe('A filter of several conditions', () => {
  it('compares quickly before it searches texts, in whatever order they came', () => {
    const conditions = [meets('words', '42'), meets('begins', '42'), meets('size', 3)];
    for (const operator of ['AND', 'OR', 'NOT'] as const)
      for (const dialect of [sqlite, postgresql]) {
        const filter: FilterNode = { kind: 'operator', operator, conditions };
        const asked = ids(dialect, filter).values.filter((value) => value === 3 || value === '42');
        expect(asked.indexOf(3)).toBe(0);
      }
  });
});

/** The filter that an index narrows down, and the columns of it that lead there. */
const FILTERS: readonly (readonly [string, FilterNode, string])[] = [
  ['equals', meets('rank', 7), 'rank'],
  ['equals null', meets('rank', null), 'rank'],
  ['equals of a text', meets('code', 'c7'), 'code'],
  ['equals of a moment', meets('due', '1970-01-01T00:00:07Z'), 'due'],
  ['in', meets('ranks', [7, 8, 9]), 'rank'],
  ['atLeast', meets('atLeast', 999_900), 'rank'],
  ['atMost', meets('atMost', 100), 'rank'],
  ['both', all(meets('atLeast', 400), meets('atMost', 500)), 'rank'],
  ['isNull', meets('noRank', true), 'rank'],
  ['before', meets('before', '1970-01-01T00:00:01Z'), 'due'],
  ['after', meets('after', '1970-01-01T00:16:39Z'), 'due'],
  ['the beginning of a text', meets('begins', 'Text 100424'), 'title_folded'],
  ['one that is indexed and one that is not', all(meets('size', 3), meets('rank', 7)), 'rank'],
];

/** Keys of an object before which there are a few. */
const RANKS: readonly (readonly [string, readonly (string | number | null)[]])[] = [
  ['title', ['TEXT 1004242', 'r10000042']],
  ['-title', ['TEXT 1995000', 'r10000042']],
  ['rank', [500, 'r10000042']],
  ['-rank', [999_500, 'r10000042']],
  ['weight', [500, 'r10000042']],
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

/** PostgreSQL's index holds the beginning of a collation key: that is a key of its own. */
function onPostgresql(
  sort: string,
  keys: readonly (string | number | null)[],
): readonly (string | number | null)[] {
  return sort.endsWith('title') ? [keys[0] ?? null, ...keys] : keys;
}

describe('a read of PostgreSQL', () => {
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
        countQuery({ type: definition, accountId: A, dialect: postgresql }, filter),
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

  it('is an ordered index for unique values and for an indexed filter', async () => {
    const [unique] = definition.uniques ?? [];
    if (unique === undefined) throw new Error('no unique');
    const keys = Array.from({ length: 500 }, (_, index) => [`c${index}`, index]);
    const plan = await planOf(
      holdersQuery({ type: definition, accountId: A, dialect: postgresql }, unique, keys),
    );
    expect(plan).toMatch(/using "Thing_accountId_code_rank/);
    expect(plan).not.toMatch(/Seq Scan/);
    expect(await planOf(ids(postgresql, meets('rank', 7)))).toMatch(/"Thing_accountId_rank/);
  });

  for (const [what, filter, column] of FILTERS) {
    it(`is an index of the filter's for ${what}, in whatever order`, async () => {
      for (const sort of [[], ['title'], ['-weight'], ['size']]) {
        const text = await planOf(ids(postgresql, filter, ...sort));
        expect(text).toMatch(new RegExp(`Index Cond: .*"?accountId"? = .*"?${column}"?`));
        expect(text).not.toMatch(/Seq Scan/);
      }
    });
  }

  for (const [sort, keys] of RANKS) {
    it(`is what comes before alone for a rank by ${sort}`, async () => {
      const term = `"?${sort.replace('-', '').replace('title', 'title_casemap')}"?`;
      const text = await planOf(
        rankQuery(
          { type: definition, accountId: A, dialect: postgresql },
          plan(ALL, sort),
          onPostgresql(sort, keys),
        ),
      );
      const conditions = text.match(/Index Cond: .*/g) ?? [];
      expect(conditions.length).toBeGreaterThan(1);
      for (const condition of conditions)
        expect(condition).toMatch(new RegExp(`accountId.*${term}`));
      expect(text).not.toMatch(/Seq Scan/);
    });
  }

  it('is the beginning of an order for indexes within it', async () => {
    const text = await planOf(
      ranksQuery(
        { type: definition, accountId: A, dialect: postgresql },
        plan(ALL, '-weight'),
        ['r10000042'],
        51,
      ),
    );
    expect(text).toMatch(/Limit[\s\S]*using "Thing_accountId_weight/);
    expect(text).not.toMatch(/Seq Scan/);
  });

  it('takes the longest texts, whatever their collation keys are', async () => {
    const store = createPostgresqlStore({
      conductor,
      pool: openPool({ url, size: 1, pipeline: true }),
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
      const rest = { rank: index, weight: 1, due: null, size: 1 };
      return { id: `r${index}`, ...dates, title: text, code: wide, ...rest };
    });
    await store.write('along', soon(), (transaction) =>
      transaction.writeRows('insert', definition, objects),
    );
    const order = (sort: SortKey) =>
      store.read('along', soon(), (snapshot) =>
        queryIds(snapshot, definition, { filter: ALL, sort: [sort] }, 0, 10),
      );
    const key = sortKey('title');
    const down = sortKey('-title');
    const expected = objects
      .map(({ id, title: text }) => ({ id, key: Buffer.from(casemapKey(String(text))) }))
      .sort((one, other) => Buffer.compare(one.key, other.key))
      .map(({ id }) => id);
    expect(await order(key)).toEqual(expected);
    expect(await order(down)).toEqual(expected.reverse());
  });

  it('is the account alone for a needle of two code points', async () => {
    const plan = await planOf(
      countQuery({ type: definition, accountId: A, dialect: postgresql }, meets('title', '42')),
    );
    expect(plan).toMatch(/Index Cond: \("accountId" = /);
  });
});

/** Both shapes that a data table may have there (scripts/generator/emit/key-ordered.ts). */
const SHAPES = [
  ['with rowids', false],
  ['in the order of its key', true],
] as const;

describe.each(SHAPES)('a read of SQLite, of a table %s', (_shape, keyOrdered) => {
  let db: ReturnType<typeof openDatabase>;

  beforeAll(async () => {
    const root = temporaryRoot();
    await generate(root, model([{ ...Thing, keyOrdered }]));
    db = openDatabase({ file: join(root, 'plans.db') });
    migrateSqlite(db, join(root, 'prisma/sqlite/migrations'));
    db.exec(`WITH RECURSIVE "numbers"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "numbers"
      LIMIT ${ROWS})
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
        countQuery({ type: definition, accountId: A, dialect: sqlite }, filter),
      ]) {
        const plan = planOf(query);
        expect(plan).toMatch(/Thing_search VIRTUAL TABLE/);
        expect(plan).toMatch(
          /SEARCH Thing USING (PRIMARY KEY|(COVERING )?INDEX \S+) \(accountId=\? AND id=\?\)/,
        );
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

  it('is an ordered index for the first key of a page by several, whatever the filter', () => {
    for (const filter of [ALL, meets('size', 3), meets('title', '42')])
      for (const sort of [
        ['weight', 'size'],
        ['-weight', '-size'],
        // By `created` alone the primary key is the index; with what follows it one is needed.
        ['-created', 'title'],
      ]) {
        const plan = planOf(ids(sqlite, filter, ...sort));
        const first = sort[0]?.replace('-', '');
        const index = `^SEARCH Thing USING INDEX Thing_accountId_${first}_id_idx \\(accountId`;
        expect(plan).toMatch(new RegExp(index));
        expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
      }
  });

  it('is an ordered index for unique values and for an indexed filter', () => {
    const [unique] = definition.uniques ?? [];
    if (unique === undefined) throw new Error('no unique');
    const plan = planOf(
      holdersQuery({ type: definition, accountId: A, dialect: sqlite }, unique, [['c1', 1]]),
    );
    expect(plan).toMatch(/INDEX Thing_accountId_code_rank_id_idx \(accountId=\? AND code=\?/);
    expect(planOf(ids(sqlite, meets('rank', 7)))).toMatch(/\(accountId=\? AND rank=\?/);
  });

  for (const [what, filter, column] of FILTERS) {
    it(`is an index of the filter's for ${what}, in whatever order`, () => {
      const window = { position: 0, limit: 50 };
      const queries = [
        fewQuery({ type: definition, accountId: A, dialect: sqlite }, plan(filter, 'title')),
        countQuery({ type: definition, accountId: A, dialect: sqlite }, filter),
        ...[[], ['title'], ['-weight'], ['size'], ['rank']].map((sort) =>
          windowQuery(
            { type: definition, accountId: A, dialect: sqlite },
            plan(filter, ...sort),
            window,
            { list: raw('"id"'), leads: true },
          ),
        ),
      ];
      for (const query of queries) {
        if (query === null) throw new Error('no index to ask');
        const text = planOf(query);
        expect(text).toMatch(
          new RegExp(`SEARCH Thing USING .*\\(accountId=\\? AND ${column}[=<>]`),
        );
        expect(text).not.toMatch(/\(accountId=\?\)/);
      }
    });
  }

  it('is sorted where no order is indexed, and otherwise where it is little', () => {
    const asked = (filter: FilterNode, sort: string): unknown => {
      const query = fewQuery(
        { type: definition, accountId: A, dialect: sqlite },
        plan(filter, sort),
      );
      if (query === null) return null;
      return db
        .prepare(render(query, sqlite.placeholder))
        .pluck()
        .get(...query.values);
    };
    expect(asked(meets('rank', 7), 'title')).toBe(1);
    expect(asked(meets('atLeast', 1), 'title')).toBe(0);
    expect(asked(meets('atLeast', 1), 'size')).toBe(1);
    expect(asked(meets('size', 3), 'title')).toBeNull();
  });

  for (const [sort, keys] of RANKS) {
    it(`is what comes before alone for a rank by ${sort}`, () => {
      const term = sort.replace('-', '').replace('title', 'title_casemap');
      const text = planOf(
        rankQuery({ type: definition, accountId: A, dialect: sqlite }, plan(ALL, sort), keys),
      );
      const searches = text.split('\n').filter((line) => line.startsWith('SEARCH'));
      expect(searches.length).toBeGreaterThan(1);
      for (const line of searches)
        expect(line).toMatch(new RegExp(`\\(accountId=\\? AND ${term}[=<>]`));
    });
  }

  it('is the beginning of an order for indexes within it', () => {
    const text = planOf(
      ranksQuery(
        { type: definition, accountId: A, dialect: sqlite },
        plan(ALL, '-weight'),
        ['r10000042'],
        51,
      ),
    );
    expect(text).toMatch(/INDEX Thing_accountId_weight_id_idx \(accountId=\?\)/);
    expect(text.match(/TEMP B-TREE/g)).toHaveLength(1);
  });

  it('is the key for an order of objects, and one reading for indexes in that order', () => {
    const order = plan(meets('size', 3), '-size');
    const found = planOf(
      keysOfQuery({ type: definition, accountId: A, dialect: sqlite }, order, [
        'r10000042',
        'r10000044',
      ]),
    );
    expect(found).toMatch(/SEARCH Thing USING (PRIMARY KEY|INDEX \S+) \(accountId=\? AND id=\?\)/);
    expect(found).not.toMatch(/SCAN Thing( |$)/m);
    const keys = [
      [3, 'r10000042'],
      [null, 'r10000044'],
    ];
    const counts = planOf(
      countsQuery({ type: definition, accountId: A, dialect: sqlite }, order, keys),
    );
    expect(counts).toMatch(
      /^SEARCH Thing USING (PRIMARY KEY|INDEX \S+) \(accountId=\? AND id>\?\)$/m,
    );
    expect(counts.match(/^\S+ Thing/gm)).toHaveLength(1);
  });

  it('is the key for counts and sorts of a whole account, whatever indexes exist', () => {
    const filter = meets('size', 3);
    const byKey =
      /^SEARCH Thing USING (PRIMARY KEY|INDEX sqlite_autoindex_Thing_1) \(accountId=\? AND id>\?\)/;
    expect(planOf(countQuery({ type: definition, accountId: A, dialect: sqlite }, filter))).toMatch(
      byKey,
    );
    expect(planOf(ids(sqlite, filter, '-size'))).toMatch(byKey);
    const keys = [[3, 'r10000042']];
    const order = plan(filter, '-size');
    expect(
      planOf(countsQuery({ type: definition, accountId: A, dialect: sqlite }, order, keys)),
    ).toMatch(byKey);
  });

  it('numbers all rows for many ids, and for an order that is indexed or computed', () => {
    expect(countsRanks(plan(ALL, 'size'), 16, sqlite)).toBe(true);
    expect(countsRanks(plan(ALL, 'size'), 17, sqlite)).toBe(false);
    expect(countsRanks(plan(ALL, '-weight'), 1, sqlite)).toBe(false);
    expect(countsRanks(plan(ALL), 1, sqlite)).toBe(false);
    const [title] = definition.properties.filter(({ name }) => name === 'title');
    if (title === undefined) throw new Error('no title');
    const sort = { ...sortKey('size').sort, property: title };
    const computed = { sort, ascending: true, collation: 'i;ascii-numeric' as const };
    expect(countsRanks({ filter: ALL, sort: [computed] }, 1, sqlite)).toBe(false);
    expect(countsRanks(plan(ALL, 'size'), 16, postgresql)).toBe(true);
    expect(countsRanks(plan(ALL, 'size'), 17, postgresql)).toBe(false);
  });

  it('is the part of one account for a needle of two code points', () => {
    const plan = planOf(
      countQuery({ type: definition, accountId: A, dialect: sqlite }, meets('title', '42')),
    );
    expect(plan).toMatch(/^SEARCH Thing USING .*\(accountId=\?\)/);
  });
});
