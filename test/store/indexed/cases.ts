import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { FilterNode, QueryPlan, Snapshot, StoredObject } from '../../../src/store/port.js';
import type { Rig } from '../../scale/rig.js';
import { ALL, definition, meets, sortKey } from '../../scale/thing.js';
import { Random } from '../../support/random.js';
import { queryIds } from '../gadget.js';
import { referenceIds } from '../reference.js';

/**
 * Queries by every kind of index, of accounts that are hard on them, compared with plain
 * JavaScript. No matter which index leads, and what the database believes of its tables, the
 * answers are the same.
 */

export interface Sizes {
  readonly equal: number;
  readonly mixed: number;
  readonly long: number;
  /** How often each account is asked. */
  readonly rounds: number;
  /** Whether the database has statistics, which are wrong for most accounts. */
  readonly analyzed: boolean;
}

const soon = () => ({ deadline: performance.now() + 60_000 });
/** Objects of one call. */
const BATCH = 1000;

const WORDS = [
  'война',
  'Straße',
  'STRASSE',
  'text',
  'Text 1',
  'te',
  '北京市',
  'ab',
  'aB',
  'é',
  'e\u0301',
  '\u{10ffff}',
  '퟿',
  't%',
  't_x\\',
  '*[t]?',
  '',
];
const DUES = ['1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z'];

function wordsOf(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(random.pick(['', ' ']));
}

type Values = Readonly<Record<'title' | 'code' | 'rank' | 'weight' | 'due' | 'size', JsonValue>>;

function mixed(random: Random, nulls: number, of: number): Values {
  const maybe = (value: JsonValue): JsonValue => (random.chance(nulls) ? null : value);
  return {
    title: wordsOf(random, random.integer(0, 3)),
    code: maybe(random.pick([wordsOf(random, 1), `c${random.integer(0, of)}`])),
    rank: maybe(random.integer(-of, of)),
    weight: random.integer(0, of),
    due: maybe(random.pick(DUES)),
    size: random.integer(0, 3),
  };
}

/** Alike for longer than an index holds (600 code points), and then another. */
function long(random: Random): Values {
  const alike = random.pick(['a', '\ufdfa', '京']).repeat(random.integer(590, 610));
  return { ...mixed(random, 0.5, 3), title: alike + wordsOf(random, 2), code: alike.slice(0, 500) };
}

/** All the same in each order, but a few. */
function equal(random: Random, n: number): Values {
  const same = { title: 'Text 1', code: null, rank: 7, weight: 1, due: null, size: 1 };
  return n % 97 === 0 ? mixed(random, 0.5, 9) : same;
}

export function indexedCases(
  open: () => Promise<Rig>,
  { equal: many, mixed: some, long: few, rounds, analyzed }: Sizes,
): void {
  const random = Random.fromEnvironment();
  const accounts = new Map<string, readonly StoredObject[]>();
  let rig: Rig;

  const fill = async (account: string, count: number, of: (n: number) => Values) => {
    const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
    const objects = Array.from({ length: count }, (_, n): StoredObject => {
      const id = `r${String(n).padStart(7, '0')}`;
      return { id, ...dates, ...of(n) };
    });
    accounts.set(account, objects);
    await rig.exec(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
 VALUES ('${account}', '', 'u', 1)`);
    for (let from = 0; from < count; from += BATCH) {
      await rig.store.write(account, soon(), (transaction) =>
        transaction.writeRows('insert', definition, objects.slice(from, from + BATCH)),
      );
    }
  };

  beforeAll(async () => {
    rig = await open();
    await fill('equal', many, (n) => equal(random, n));
    // The statistics of the tables are then wrong for all others.
    if (analyzed) await rig.exec('ANALYZE');
    await fill('mixed', some, () => mixed(random, 0.1, 20));
    await fill('nulls', some, () => mixed(random, 0.9, 2));
    await fill('long', few, () => long(random));
    await fill('none', 0, () => mixed(random, 0, 1));
  }, 600_000);
  afterAll(() => rig?.close());

  for (const [account, asked] of [
    ['equal', Math.ceil(rounds / 4)],
    ['mixed', rounds],
    ['nulls', rounds],
    ['long', rounds],
    ['none', 5],
  ] as const) {
    it(`answers as plain JavaScript does: ${account}`, async () => {
      const objects = accounts.get(account) ?? [];
      for (let round = 0; round < asked; round += 1) {
        const query = randomQuery(random, objects);
        const sorts = query.sort.map(({ sort, ascending }) => [sort.property.name, ascending]);
        const said = `seed ${random.seed}, ${JSON.stringify([query.filter, sorts])}`;
        const expected = referenceIds(objects, query);
        const position = random.integer(0, 20);
        const within = random.integer(1, 60);
        const wanted = random.chance(0.5)
          ? objects.filter(() => random.chance(0.05)).map(({ id }) => id)
          : expected.slice(0, 3);
        const one = random.chance(0.7) ? expected[random.integer(0, expected.length)] : 'r0000001';
        const work = async (snapshot: Snapshot) => ({
          page: await queryIds(snapshot, definition, query, position, 50),
          all: await queryIds(snapshot, definition, query, 0, objects.length + 1),
          count: await snapshot.count(definition, query.filter),
          rank: await snapshot.rank(definition, query, one ?? 'none'),
          ranks: await snapshot.ranks(definition, query, wanted),
          within: await snapshot.ranks(definition, query, wanted, within),
        });
        const answers = await rig.store.read(account, soon(), work);
        const places = expected
          .map((id, index) => ({ id, index }))
          .filter(({ id }) => wanted.includes(id));
        const index = one === undefined ? -1 : expected.indexOf(one);
        expect(answers, said).toEqual({
          page: expected.slice(position, position + 50),
          all: expected,
          count: expected.length,
          rank: index < 0 ? null : index,
          ranks: places,
          within: places.filter((place) => place.index < within),
        });
      }
    });
  }
}

function randomQuery(random: Random, objects: readonly StoredObject[]): QueryPlan {
  const keys = ['title', 'code', 'rank', 'weight', 'size'] as const;
  const sort = Array.from({ length: random.integer(0, 2) }, () =>
    sortKey(`${random.pick(['', '-'])}${random.pick(keys)}`),
  );
  return { filter: randomFilter(random, objects, 2), sort };
}

function randomFilter(random: Random, objects: readonly StoredObject[], depth: number): FilterNode {
  if (depth > 0 && random.chance(0.5)) {
    const conditions = Array.from({ length: random.integer(1, 3) }, () =>
      randomFilter(random, objects, depth - 1),
    );
    return { kind: 'operator', operator: random.pick(['AND', 'AND', 'OR', 'NOT']), conditions };
  }
  const object = objects.length === 0 ? undefined : random.pick(objects);
  const rank = Number(object?.['rank'] ?? random.integer(-3, 3));
  const title = [...String(object?.['title'] ?? 'text')];
  const begins = title.slice(0, random.integer(1, Math.max(1, title.length))).join('') || 'a';
  const part = title.slice(random.integer(0, title.length)).join('') || 't';
  return random.pick<() => FilterNode>([
    () => ALL,
    () => meets('rank', random.pick([rank, null])),
    () => meets('ranks', [rank, rank + 1]),
    () => meets('ranks', [rank, null]),
    () => meets('atLeast', rank),
    () => meets('atMost', rank),
    () => meets('noRank', random.chance(0.5)),
    () => meets('due', random.pick([...DUES, null])),
    () => meets('before', random.pick(DUES)),
    () => meets('after', random.pick(DUES)),
    () => meets('code', random.pick([object?.['code'] ?? null, 'c1', null])),
    () => meets('size', random.integer(0, 3)),
    () => meets('begins', begins),
    () => meets('begins', random.pick([...WORDS, 't\0', '\0', '\u{10ffff}\u{10ffff}']) || 'T'),
    () => meets('title', part),
    () => meets('words', `${part.slice(0, 20)} ${random.pick(WORDS)}`),
  ])();
}
