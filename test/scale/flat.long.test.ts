import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot, StoredObject } from '../../src/store/port.js';
import { raw } from '../../src/store/sql/fragment.js';
import {
  countQuery,
  rankQuery,
  ranksQuery,
  windowQuery,
} from '../../src/store/sql/query-statements.js';
import { queryIds } from '../store/gadget.js';
import { usePostgresql } from '../support/postgresql.js';
import { fill, postgresqlRig, type Rig, sqliteRig } from './rig.js';
import { ALL, definition, meets, plan } from './thing.js';

/** Compares the cost of calls in an account of 1,000,000 objects with one of 10,000. */

/** SCALE_OBJECTS=100000 for a try. */
const LARGE = Number(process.env['SCALE_OBJECTS'] ?? 1_000_000);
const SIZES = { small: LARGE / 100, middle: LARGE / 10, large: LARGE };
type Size = keyof typeof SIZES;

const RUNS = 15;
/** Rows or pages that are no growth: a level of an index more, a page here and there. */
const SLACK = 12;
/**
 * Of an index of trigrams: what has the same ones elsewhere, and its lists of rows, which it reads
 * packed.
 */
const OF_TRIGRAMS = { rows: LARGE / 20_000, pages: LARGE / 1000 };

const first = { position: 0, limit: 50 };
const soon = () => ({ deadline: performance.now() + 60_000 });
const id = (n: number): string => `r${10_000_000 + n}`;

/** First pages. The filters find as many objects in either account. */
const PAGES = {
  'no filter, no sort': plan(ALL),
  'no filter, newest first': plan(ALL, '-weight'),
  'no filter, by time of creation': plan(ALL, '-created'),
  'no filter, newest first, those of one time by text': plan(ALL, '-created', 'title'),
  'no filter, by text': plan(ALL, 'title'),
  'no filter, by text, descending': plan(ALL, '-title'),
  'no filter, by what may be null': plan(ALL, 'code'),
  'an integer, by text': plan(meets('rank', 404964), 'title'),
  'an integer, by what has no index': plan(meets('rank', 404964), 'size'),
  'the beginning of a text': plan(meets('begins', 'text 1357647'), '-title'),
  'a text, by text': plan(meets('title', '1357647'), 'title'),
  'words, by an integer': plan(meets('words', 'text 1357647'), 'weight'),
};

type Work = (snapshot: Snapshot, size: Size) => Promise<unknown>;

const CALLS: Readonly<Record<string, Work>> = {
  'get 100': (snapshot, size) => {
    const ids = Array.from({ length: 100 }, (_, n) => id((n + 1) * (SIZES[size] / 200)));
    return snapshot.get(definition, ids, definition.properties, 1e9);
  },
  'changes 100': (snapshot, size) => snapshot.changes(definition, SIZES[size] - 100, 100),
  ...Object.fromEntries(
    Object.entries(PAGES).map(([what, query]): [string, Work] => [
      `first page: ${what}`,
      (snapshot) => queryIds(snapshot, definition, query, 0, 50),
    ]),
  ),
  'queryChanges, upToId at 50': async (snapshot, size) => {
    const query = plan(ALL);
    const index = await snapshot.rank(definition, query, id(50));
    const ids = [id(SIZES[size]), id(20)];
    expect(await snapshot.ranks(definition, query, ids, (index ?? 0) + 1)).toHaveLength(1);
  },
};

/** The work that grows, and how much: told in docs/performance.md. */
const GROWING: Readonly<Record<string, Work>> = {
  'position in the middle': (snapshot, size) =>
    queryIds(snapshot, definition, plan(ALL, 'title'), SIZES[size] / 2, 50),
  'anchor in the middle (rank)': (snapshot, size) =>
    snapshot.rank(definition, plan(ALL), id(SIZES[size] / 2)),
  'calculateTotal, no filter': (snapshot) => snapshot.objectCount(definition),
  'calculateTotal, filter without index': (snapshot) =>
    snapshot.count(definition, meets('size', 3)),
  'page by a sort without index': (snapshot) =>
    queryIds(snapshot, definition, plan(ALL, 'size'), 0, 50),
  'queryChanges without upToId': (snapshot) =>
    snapshot.ranks(definition, plan(ALL, 'title'), [id(20)]),
};

function measure(engine: 'sqlite' | 'postgresql', open: () => Promise<Rig>): void {
  let rig: Rig;

  beforeAll(async () => {
    rig = await open();
    await fill(rig, engine, SIZES);
  }, 1_200_000);
  afterAll(() => rig?.close());

  it('reads no more of a large account than of a small one', async () => {
    const { dialect } = rig;
    for (const [what, query] of Object.entries(PAGES)) {
      const cost = (size: Size) =>
        rig.cost(
          windowQuery({ type: definition, accountId: size, dialect }, query, first, {
            list: raw('"id"'),
            leads: query.filter.kind !== 'all',
          }),
        );
      const [small, large] = [await cost('small'), await cost('large')];
      report(`${engine}: ${what}: reads ${small} of ${SIZES.small}, ${large} of ${LARGE}`);
      const { filter } = query;
      const isSearched =
        filter.kind === 'condition' && ['contains', 'text'].includes(filter.filter.operator);
      const { rows, pages } = OF_TRIGRAMS;
      const lists = dialect.said === undefined ? pages : rows;
      const most = small + SLACK + (isSearched ? lists : 0);
      expect([what, large <= most, large, most]).toEqual([what, true, large, most]);
    }
    const counted = (size: Size) =>
      rig.cost(countQuery({ type: definition, accountId: size, dialect }, meets('rank', 404964)));
    expect(await counted('large')).toBeLessThan((await counted('small')) + SLACK);
    const newest = plan(ALL);
    const rank = (size: Size) =>
      rig.cost(rankQuery({ type: definition, accountId: size, dialect }, newest, [id(50)]));
    expect(await rank('large')).toBeLessThan((await rank('small')) + SLACK);
    const ranks = (size: Size) =>
      rig.cost(ranksQuery({ type: definition, accountId: size, dialect }, newest, [id(20)], 50));
    expect(await ranks('large')).toBeLessThan((await ranks('small')) + SLACK);
  });

  it('takes about as long (printed, not asserted)', async () => {
    for (const [what, work] of Object.entries({ ...CALLS, ...GROWING })) {
      const isGrowing = Object.hasOwn(GROWING, what);
      const times = new Map<Size, number[]>();
      for (let run = 0; run < (isGrowing ? 5 : RUNS); run += 1) {
        for (const size of Object.keys(SIZES) as Size[]) {
          const begun = performance.now();
          await rig.store.read(size, soon(), (snapshot) => work(snapshot, size));
          times.set(size, [...(times.get(size) ?? []), performance.now() - begun]);
        }
      }
      tell(engine, what, times);
    }
    const times = new Map<Size, number[]>();
    for (let run = 0; run < RUNS; run += 1) {
      for (const size of Object.keys(SIZES) as Size[]) {
        const begun = performance.now();
        await rig.store.write(size, soon(), async (transaction) => {
          await transaction.writeRows('insert', definition, [thing(`s${run}`, run)]);
          await transaction.writeRows('update', definition, [thing(id(500), run)]);
          const changes = [
            { objectId: `s${run}`, kind: 'created' as const },
            { objectId: id(500), kind: 'updated' as const },
          ];
          await transaction.record(definition, changes);
        });
        times.set(size, [...(times.get(size) ?? []), performance.now() - begun]);
      }
    }
    tell(engine, 'set: create 1, update 1', times);
  });
}

function thing(key: string, n: number): StoredObject {
  const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
  const rest = { code: `k${n}`, rank: n, weight: n, due: null, size: n };
  return { id: key, ...dates, title: `made ${n}`, ...rest };
}

function tell(engine: string, what: string, times: ReadonlyMap<Size, readonly number[]>): void {
  const median = (size: Size): number => {
    const sorted = (times.get(size) ?? []).toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  };
  const figures = (Object.keys(SIZES) as Size[]).map((size) => median(size).toFixed(2));
  const ratio = (median('small') / median('large')).toFixed(2);
  report(`${engine} | ${what} | ${figures.join(' | ')} | ${ratio}`);
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

describe('SQLite', () => measure('sqlite', sqliteRig));

describe('PostgreSQL', () => {
  const server = usePostgresql();
  measure('postgresql', async () => postgresqlRig(await server().createDatabase('scale')));
});
