import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { createProject, WITH_CLIENT } from '../../../test/scripts/generator/project.js';
import { type Served, serve } from '../../../test/scripts/generator/random/serve.js';
import type { TypeTable } from '../../src/index.js';
import { compileFilter } from '../../src/query/filters.js';
import { LocalList } from '../../src/query/local-list.js';
import { compileSort } from '../../src/query/sorts.js';
import { UNICODE_RULES } from '../../src/query/unicode.js';

// Every condition and sort of a type with all operators: what a client finds by itself is what the
// server finds. The table is the generator's.

type Row = JsonObject & { readonly id: string; readonly $key: string };

interface Search {
  readonly filter: JsonObject | null;
  readonly sort: readonly JsonObject[];
}

const TEXTS = [
  ...[
    'a',
    'A',
    'á',
    'a\u0301',
    'ß',
    'SS',
    'ss',
    'İ',
    'i',
    'ı',
    'ﬁ',
    'fi',
    'ς',
    'Σ',
    '10',
    '9',
    '009',
  ],
  ...[
    ' ',
    'x y',
    'Å',
    'ǆ',
    '\ue000',
    '😀',
    '𐐀',
    '𐐨',
    'straße',
    '"new york" hotel',
    'new york',
    'new',
  ],
  ...['\\', '"', '%', '_', '한글', 'Zeta', 'zeta', 'x\u3000y'],
];
const KEYS = ['red', 'RED', 'blue', 'key', '*', '~1', 'a/b'];
const NUMBERS = [-1, 0, 1, 2, 10, 1_000_000];
const MOMENTS = [
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.500Z'],
  ...['2025-12-31T23:59:59.999Z', '2027-05-05T05:05:05Z'],
];
const DAYS = [
  ...['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-01T02:00:00+01:00'],
  ...['2026-01-01T00:00:00.000Z', '2027-02-02T00:00:00-05:00'],
];
const UUID = '018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8f';

/** Values of each property, in forms that are stored as they come and in others. */
const VALUES: Readonly<Record<string, readonly JsonValue[]>> = {
  text: TEXTS,
  login: ['ann', ' Ann ', 'ANN', 'bob'],
  mail: ['a@b.de', 'a@B.de', 'Bob@Example.com'],
  key: [UUID, UUID.toUpperCase()],
  language: ['en-GB', 'EN-gb', 'de'],
  whole: NUMBERS,
  number: [-1.5, 0, 0.5, 1, 1e10],
  flag: [true, false],
  due: MOMENTS,
  day: DAYS,
  local: ['2026-01-01T00:00:00', '2026-01-01T00:00:01', '2027-01-01T10:00:00'],
  length: ['PT60M', 'PT1H', 'P1D', 'PT24H', 'PT0S'],
  price: ['1', '1.0', '01.00', '2', '-1', '0', '10'],
  tags: KEYS,
  labels: KEYS,
  map: KEYS,
  words: TEXTS,
  numbers: NUMBERS,
  days: DAYS,
  moments: MOMENTS,
  'place/city': TEXTS,
  'place/size': NUMBERS,
  'place/since': MOMENTS,
};

const COLLATIONS = ['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet'];

/** The server alone judges these: texts with a stored form, or with an order of their own. */
const LEFT = [
  ...['day', 'dayBefore', 'dayIn', 'entry', 'hasDay', 'hasLabel', 'hasMoment', 'hasOtherTag'],
  ...['key', 'lacksDay', 'lacksLabel', 'language', 'lengthAtLeast', 'localBefore', 'login'],
  ...['loginIn', 'mail', 'price', 'priceIn', 'priceLess', 'since', 'sinceBefore', 'sort city'],
  ...['sort day', 'sort key', 'sort length', 'sort local', 'sort mail', 'sort price'],
  ...['sort size', 'sort tagged'],
];

/** Returns the nth value; of some objects there is none. */
function pickValue(property: string, n: number): JsonValue {
  const values = [...(VALUES[property] ?? []), null];
  return values[n % values.length] ?? null;
}

/** Returns the values of a property, n and the one behind it, that are there. */
function pickSome(property: string, n: number): readonly JsonValue[] {
  return [pickValue(property, n), pickValue(property, n + 2)].filter((value) => value !== null);
}

function sample(n: number): JsonObject {
  const set = (name: string, value: JsonValue): JsonObject =>
    Object.fromEntries(pickSome(name, n).map((key) => [String(key), value]));
  const parts = ['city', 'size', 'since'].map((name) => [name, pickValue(`place/${name}`, n)]);
  const singles = ['text', 'login', 'mail', 'key', 'language', 'whole', 'number', 'flag', 'due']
    .concat(['day', 'local', 'length', 'price'])
    .map((name) => [name, pickValue(name, n)]);
  return {
    ...Object.fromEntries(singles),
    tags: set('tags', true),
    labels: set('labels', true),
    map: n % 3 === 0 ? null : set('map', 'v'),
    words: pickSome('words', n),
    numbers: n % 3 === 0 ? null : pickSome('numbers', n),
    days: pickSome('days', n),
    moments: pickSome('moments', n),
    place: Object.fromEntries(parts.filter(([, value]) => value !== null)),
  };
}

async function serveSamples(): Promise<{ served: Served; table: TypeTable; rows: readonly Row[] }> {
  const descriptor = readFileSync(new URL('./comparisons.yaml', import.meta.url), 'utf8');
  const project = await createProject({ 'comparisons.yaml': descriptor });
  await project.write('package.json', WITH_CLIENT);
  expect(await project.generate()).toMatchObject({ code: 0 });
  const path = join(project.root, 'generated/client/Sample.ts');
  const { sampleTable: table } = await import(pathToFileURL(path).href);
  const served = await serve(project.root);
  onTestFinished(() => served.close());
  const create = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`k${n}`, sample(n)]));
  expect(await served.call('Sample/set', { create })).toMatchObject({ notCreated: null });
  const { list } = await served.call('Sample/get', { ids: null });
  return { served, table, rows: list.map((row: Row) => ({ ...row, $key: row.id })) };
}

function* searches({ filters, sorts }: TypeTable): Iterable<Search> {
  for (const [name, { property, operator }] of Object.entries(filters)) {
    const one = (value: JsonValue): JsonObject => ({ [name]: value });
    yield { filter: one(null), sort: [] };
    for (const given of conditionsOf(property, operator)) {
      yield { filter: one(given), sort: [] };
      yield { filter: { operator: 'NOT', conditions: [one(given)] }, sort: [] };
    }
  }
  for (const property of Object.keys(sorts))
    for (const isAscending of [true, false])
      for (const collation of [undefined, ...COLLATIONS]) {
        const tag = property === 'tagged' ? { tag: 'red' } : {};
        const way = collation === undefined ? {} : { collation };
        yield { filter: null, sort: [{ property, isAscending, ...way, ...tag }] };
      }
  for (const [first, second] of [
    ['due', 'deadline'],
    ['flag', 'flag'],
    ['flag', 'text'],
  ] as const)
    yield { filter: null, sort: [{ property: first }, { property: second, isAscending: false }] };
}

function conditionsOf(property: string, operator: string): readonly JsonValue[] {
  if (operator === 'isNull' || operator === 'isNotNull') return [true, false];
  const values = VALUES[property] ?? [];
  if (operator === 'hasEntry') return values.map((key) => [key, 'v']);
  if (operator !== 'in' && operator !== 'hasOtherKey') return values;
  return [[], ...values.map((value, n) => [value, values[(n + 1) % values.length] ?? null])];
}

/** Returns the ids that the client finds; null where it leaves it to the server. */
function findHere(table: TypeTable, rows: readonly Row[], { filter, sort }: Search) {
  const match = compileFilter(table, filter, UNICODE_RULES);
  const order = compileSort(table, sort, UNICODE_RULES);
  if (match === null || order === null) return null;
  const list = new LocalList<Row>(match, order);
  list.fill(rows);
  return list.rows.map(({ id }) => id);
}

describe('a comparison that the client makes', () => {
  it('is the one of the server, for each operator, format, sort and collation', async () => {
    const { served, table, rows } = await serveSamples();
    const left = new Set<string>();
    const wrong: string[] = [];
    for (const search of searches(table)) {
      const here = findHere(table, rows, search);
      const { ids, error } = await served.call('Sample/query', { ...search });
      expect(error, JSON.stringify(search)).toBeUndefined();
      if (here === null) left.add(nameOf(search));
      else if (here.join() !== ids.join()) wrong.push(JSON.stringify(search));
    }
    expect(wrong).toEqual([]);
    expect([...left].sort()).toEqual(LEFT);
  });
});

function nameOf({ filter, sort }: Search): string {
  const [condition = filter] = (filter?.['conditions'] ?? []) as readonly JsonObject[];
  return Object.keys(condition ?? {})[0] ?? `sort ${sort.map(({ property }) => property)}`;
}
