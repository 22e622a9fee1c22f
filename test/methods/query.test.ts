import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import { type Json, Rig } from './rig.js';

let rig: Rig;
/** Title to id. */
let widgets: Map<string, string>;

const TITLES = ['Äpfel', 'apfel', 'Zebra', 'zoo', 'Öl', 'item 10', 'item 9', 'ÅLAND'];

beforeAll(async () => {
  rig = new Rig({ queryMaxLimit: 6 });
  const objects = TITLES.map((title, index) => ({
    title,
    rankNumber: index % 3,
    kind: index % 2 === 0 ? 'small' : 'large',
    score: index < 3 ? null : index,
    due: `2026-01-0${index + 1}T00:00:00Z`,
  }));
  const ids = await rig.create('Widget', objects);
  widgets = new Map(TITLES.map((title, index) => [title, ids[index] ?? '']));
  await rig.call('Widget/set', { accountId: 'a2', create: { k: { title: 'Zebra' } } });
});
afterAll(() => rig.close());

async function query(args: object): Promise<Json> {
  const response = await rig.call('Widget/query', args);
  if (response.error !== undefined) return response.error;
  const titles = new Map([...widgets].map(([title, id]) => [id, title]));
  return { ...response, titles: response.ids.map((id: string) => titles.get(id)) };
}

async function titles(filter: Json, sort: Json = null): Promise<Json> {
  const response = await query({ filter, sort, limit: 6 });
  return response.titles ?? response;
}

describe('RFC 8620 5.5: canCalculateChanges', () => {
  it('is true if the type has /queryChanges, and otherwise false', async () => {
    const methods = rig.services.registry.methods as Map<string, MethodDefinition>;
    const queryChanges = methods.get('Widget/queryChanges');
    if (queryChanges === undefined) throw new Error('Widgets have /queryChanges.');
    expect(await query({})).toMatchObject({ canCalculateChanges: true });
    methods.delete('Widget/queryChanges');
    try {
      expect(await query({})).toMatchObject({ canCalculateChanges: false });
    } finally {
      methods.set('Widget/queryChanges', queryChanges);
    }
  });
});

describe('RFC 8620 5.5: filters', () => {
  it.each([null, {}, { title: null }, { title: '' }, { operator: 'NOT', conditions: [] }])(
    'the filter %j finds all objects',
    async (filter) => {
      expect(await query({ filter, calculateTotal: true })).toMatchObject({ total: TITLES.length });
    },
  );

  it('`contains` folds case, in full and for every script', async () => {
    expect(await titles({ title: 'åland' })).toEqual(['ÅLAND']);
    expect(await titles({ title: 'ÖL' })).toEqual(['Öl']);
    expect(await titles({ title: 'PFEL' })).toEqual(['Äpfel', 'apfel']);
  });

  it('takes all members of a condition together, and AND, OR and NOT', async () => {
    expect(await titles({ title: 'e', kind: 'small' })).toEqual(['Äpfel', 'Zebra', 'item 9']);
    const conditions = [{ title: 'z' }, { title: 'item' }];
    expect(await titles({ operator: 'OR', conditions })).toEqual([
      'Zebra',
      'zoo',
      'item 10',
      'item 9',
    ]);
    expect(await titles({ operator: 'AND', conditions })).toEqual([]);
    expect(await titles({ operator: 'NOT', conditions })).toEqual([
      'Äpfel',
      'apfel',
      'Öl',
      'ÅLAND',
    ]);
    expect(await titles({ operator: 'OR', conditions: [] })).toEqual([]);
  });

  it('null finds null if `equals` allows it, and an empty `in` finds nothing', async () => {
    expect(await titles({ score: null })).toEqual(['Äpfel', 'apfel', 'Zebra']);
    expect(await titles({ kindIn: [] })).toEqual([]);
    expect(await titles({ kindIn: ['large'], minRank: 1 })).toEqual(['apfel', 'item 10', 'ÅLAND']);
  });

  it('`before` leaves out the value itself', async () => {
    expect(await titles({ dueBefore: '2026-01-03T00:00:00.000Z' })).toEqual(['Äpfel', 'apfel']);
  });

  it('takes snake_case names, and refuses both spellings of one', async () => {
    expect(await titles({ min_rank: 2 })).toEqual(['Zebra', 'item 10']);
    expect(await titles({ min_rank: 2, minRank: 2 })).toBe('invalidArguments');
  });

  it.each([
    ['an unknown property in a filter', { foo: 1 }, 'unsupportedFilter'],
    [
      'an unknown property deep in a filter',
      { operator: 'AND', conditions: [{ foo: null }] },
      'unsupportedFilter',
    ],
    ['a value of a wrong type', { minRank: 'x' }, 'invalidArguments'],
    ['an operator without conditions', { operator: 'AND' }, 'invalidArguments'],
    ['conditions that are no array', { operator: 'AND', conditions: {} }, 'invalidArguments'],
    ['conditions with null in them', { operator: 'AND', conditions: [null] }, 'invalidArguments'],
    ['an unknown operator', { operator: 'XOR', conditions: [] }, 'invalidArguments'],
    [
      'an operator with more members',
      { operator: 'AND', conditions: [], kind: 'x' },
      'invalidArguments',
    ],
  ])('refuses %s: %j is %s', async (_, filter, error) => {
    expect(await titles(filter)).toBe(error);
  });

  it('refuses lists of more than 100,000 items together', async () => {
    const items = (count: number) => ({ kindIn: Array.from({ length: count }, () => 'small') });
    expect(await titles(items(100_000))).toHaveLength(4);
    expect(await titles(items(100_001))).toBe('unsupportedFilter');
    const conditions = [items(60_000), items(60_000)];
    expect(await titles({ operator: 'OR', conditions })).toBe('unsupportedFilter');
  });

  it('refuses a filter that is too deep or too wide', async () => {
    let deep: object = { title: 'a' };
    for (let depth = 0; depth < 1000; depth += 1) deep = { operator: 'NOT', conditions: [deep] };
    expect(await titles(deep)).toBe('unsupportedFilter');
    const conditions = Array.from({ length: 10_000 }, () => ({ title: 'a' }));
    expect(await titles({ operator: 'OR', conditions })).toBe('unsupportedFilter');
    const most = conditions.slice(0, 999);
    expect(await titles({ operator: 'OR', conditions: most })).toContain('Zebra');
  });

  it('does not resolve creation ids in a filter', async () => {
    const using = { createdIds: { k: 'small' } };
    const response = await rig.call('Widget/query', { filter: { kind: '#k' } }, using);
    expect(response.ids).toEqual([]);
  });
});

describe('RFC 8620 5.5: sorts', () => {
  it('sorts text by i;unicode-casemap if no collation is given', async () => {
    const sorted = await titles(null, [{ property: 'title' }]);
    expect(sorted.slice(0, 3)).toEqual(['ÅLAND', 'Äpfel', 'apfel'].toSorted(compareCasemap));
    expect(sorted.indexOf('item 10')).toBeLessThan(sorted.indexOf('item 9'));
  });

  it('a second comparator breaks ties, and a descending one reverses', async () => {
    const sort = [{ property: 'rank_number', is_ascending: false }, { property: 'created' }];
    expect(await titles(null, sort)).toEqual(['Zebra', 'item 10', 'apfel', 'Öl', 'ÅLAND', 'Äpfel']);
  });

  it('i;ascii-numeric sorts by leading digits, i;octet by octets', async () => {
    const octet = [{ property: 'title', collation: 'i;octet' }];
    expect((await titles(null, octet)).slice(0, 2)).toEqual(['Zebra', 'apfel']);
    const numeric = [{ property: 'title', collation: 'i;ascii-numeric' }];
    expect(await titles({ title: 'item' }, numeric)).toEqual(['item 10', 'item 9']);
  });

  it.each([
    ['a property that has no sort', [{ property: 'meta' }], 'unsupportedSort'],
    ['an unknown property in a sort', [{ property: 'foo' }], 'unsupportedSort'],
    ['an unknown collation', [{ property: 'title', collation: 'x' }], 'unsupportedSort'],
    ['a comparator with a further member', [{ property: 'title', foo: 1 }], 'unsupportedSort'],
    ['more than 1,000 comparators', Array(1001).fill({ property: 'title' }), 'unsupportedSort'],
    ['a comparator without a property', [{}], 'invalidArguments'],
    ['a comparator whose property is a number', [{ property: 1 }], 'invalidArguments'],
    [
      'a comparator whose isAscending is no boolean',
      [{ property: 'title', isAscending: 'no' }],
      'invalidArguments',
    ],
    [
      'a comparator whose is_ascending is no boolean',
      [{ property: 'title', is_ascending: 'no' }],
      'invalidArguments',
    ],
    ['a comparator that is null', [null], 'invalidArguments'],
  ])('refuses %s: %j is %s', async (_, sort, error) => {
    expect(await titles(null, sort)).toBe(error);
  });

  it('ignores a collation of a property that is no string, an unknown one too', async () => {
    const sort = [{ property: 'rankNumber', collation: 'x' }];
    expect((await titles(null, sort))[0]).toBe('Äpfel');
  });

  it('pages of a query concatenate to the whole', async () => {
    const sort = [{ property: 'kind' }];
    const all: string[] = [];
    for (let position = 0; position < TITLES.length; position += 3) {
      all.push(...(await query({ sort, position, limit: 3 })).ids);
    }
    expect(new Set(all).size).toBe(TITLES.length);
    expect(all).toEqual([
      ...(await query({ sort, limit: 6 })).ids,
      ...(await query({ sort, position: 6 })).ids,
    ]);
  });
});

describe('RFC 8620 5.5: windows', () => {
  it('takes positions from the start, from the end and beyond both', async () => {
    expect(await query({ position: -2 })).toMatchObject({
      position: 6,
      titles: ['item 9', 'ÅLAND'],
    });
    expect(await query({ position: -999, limit: 1 })).toMatchObject({
      position: 0,
      titles: ['Äpfel'],
    });
    expect(await query({ position: 100 })).toMatchObject({ position: 100, titles: [] });
  });

  it('clamps a limit above QUERY_MAX_LIMIT, or none, and says so', async () => {
    expect(await query({})).toMatchObject({ limit: 6, ids: { length: 6 } });
    expect(await query({ limit: 7 })).toMatchObject({ limit: 6, ids: { length: 6 } });
    expect(await query({ limit: 6 })).not.toHaveProperty('limit');
    expect(await query({ limit: 0 })).toMatchObject({ ids: [] });
  });

  it('answers the total of the whole filter, if asked for', async () => {
    const filter = { kind: 'large' };
    expect(await query({ filter, limit: 1, calculateTotal: true })).toMatchObject({ total: 4 });
    expect(await query({ filter, position: -1, limit: 1 })).not.toHaveProperty('total');
  });

  it('an anchor takes precedence over the position', async () => {
    const anchor = widgets.get('Zebra');
    const first = async (args: object): Promise<Json> => {
      const { position, titles: found } = await query({ anchor, limit: 1, ...args });
      return [position, ...found];
    };
    expect(await first({ position: 7 })).toEqual([2, 'Zebra']);
    expect(await first({ anchorOffset: 1 })).toEqual([3, 'zoo']);
    expect(await first({ anchorOffset: -1 })).toEqual([1, 'apfel']);
    expect(await first({ anchorOffset: -50 })).toEqual([0, 'Äpfel']);
    const beyond = { anchorOffset: Number.MAX_SAFE_INTEGER };
    expect((await first(beyond))[0]).toBe(Number.MAX_SAFE_INTEGER);
    expect(await first({ anchor: null, anchorOffset: 3 })).toEqual([0, 'Äpfel']);
  });

  it('refuses an anchor that is not in the results', async () => {
    expect(await query({ anchor: 'nope' })).toBe('anchorNotFound');
    expect(await query({ anchor: '#nope' })).toBe('anchorNotFound');
    const anchor = widgets.get('Zebra');
    expect(await query({ anchor, filter: { kind: 'large' } })).toBe('anchorNotFound');
  });

  it('RFC 8620 8.5: refuses too long texts, all of a filter together', async () => {
    const conditions = (length: number) => [
      { title: 'x'.repeat(65_000) },
      { title: 'y'.repeat(length) },
    ];
    const ask = (length: number) =>
      query({ filter: { operator: 'OR', conditions: conditions(length) } });
    expect(await ask(536)).toMatchObject({ ids: [] });
    expect(await ask(537)).toBe('unsupportedFilter');
  });

  it('queryState depends on type, filter, sort and data', async () => {
    const state = async (args: object, type = 'Widget'): Promise<string> =>
      (await rig.call(`${type}/query`, args)).queryState;
    const filter = { kind: 'large', minRank: 1 };
    const one = await state({ filter });
    expect(await state({ filter: { min_rank: 1, kind: 'large', title: null } })).toBe(one);
    expect(await state({ filter, sort: [] })).toBe(one);
    expect(await state({ filter, sort: [{ property: 'title' }] })).not.toBe(one);
    expect(await state({})).not.toBe(one);
    expect(await state({}, 'Todo')).not.toBe(await state({}, 'Note'));
  });
});

/** RFC 5051: title case, then decomposed, compared by code point. */
function compareCasemap(one: string, other: string): number {
  const key = (text: string): string =>
    [...text]
      .map((letter) => letter.toUpperCase())
      .join('')
      .normalize('NFD');
  return key(one) < key(other) ? -1 : 1;
}
