import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { makeUser } from '../../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import type { TypeTable } from '../../src/index.js';
import { compileFilter } from '../../src/query/filters.js';
import { LocalList } from '../../src/query/local-list.js';
import { compileSort } from '../../src/query/sorts.js';
import { UNICODE_RULES } from '../../src/query/unicode.js';

// Random filters and sorts of awkward texts give the same list here and on a real server.

const todo: TypeTable = {
  name: 'Todo',
  capability: 'urn:example:todos',
  hash: '',
  methods: ['get', 'set', 'query'],
  properties: {
    id: { kind: 'string', access: 'serverSet' },
    created: { kind: 'date', access: 'serverSet' },
    updated: { kind: 'date', access: 'serverSet' },
    text: { kind: 'string' },
    done: { kind: 'boolean', default: false },
  },
  filters: {
    text: { property: 'text', operator: 'contains' },
    done: { property: 'done', operator: 'equals' },
  },
  sorts: {
    text: { property: 'text' },
    done: { property: 'done' },
    created: { property: 'created' },
    updated: { property: 'updated' },
  },
};

const TEXTS = [
  ...[
    'a',
    'A',
    'á',
    'a\u0301',
    'Á',
    'ß',
    'SS',
    'ss',
    'ẞ',
    'İ',
    'i',
    'ı',
    'I',
    'ﬁ',
    'FI',
    'ς',
    'σ',
    'Σ',
  ],
  ...[
    '10',
    '9',
    '009',
    '1e3',
    '',
    ' ',
    'x y',
    'K',
    'K',
    'Å',
    'Å',
    'ǆ',
    'ǅ',
    'Ǆ',
    '\ue000',
    '😀',
    '𐐀',
    '𐐨',
  ],
  ...[
    'straße',
    'STRASSE',
    'Ünïcödé',
    'zeta',
    'Zeta',
    '~',
    '%',
    '_',
    '\\',
    '"',
    "'",
    '*',
    '한글',
    'ᄒ',
  ],
];

type Todo = JsonObject & { readonly id: string; readonly $key: string };

let server: RunningServer;
let owner: Awaited<ReturnType<typeof makeUser>>;
let rows: readonly Todo[] = [];
beforeAll(async () => {
  server = await startServer();
  owner = await makeUser(server, 'owner');
  const create = Object.fromEntries(
    TEXTS.map((text, index) => [
      `k${index}`,
      { text: text === '' ? '-' : text, done: index % 3 === 0 },
    ]),
  );
  const { accountId } = owner;
  await owner.client.ok('Todo/set', { accountId, create });
  const { list } = await owner.client.get('Todo', { accountId, ids: null });
  rows = list.map((object) => ({ ...(object as JsonObject), id: object.id, $key: object.id }));
});
afterAll(() => server.remove());

const piece = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...TEXTS).map((text) => [...text].slice(0, 1).join('')),
);
const condition = fc.oneof(
  piece.map((text) => ({ text })),
  fc.option(fc.boolean(), { nil: null }).map((done) => ({ done })),
  fc.tuple(piece, fc.boolean()).map(([text, done]) => ({ text, done })),
);
const filter = fc.letrec<{ filter: JsonObject }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    condition,
    fc.record({
      operator: fc.constantFrom('AND', 'OR', 'NOT'),
      conditions: fc.array(tie('filter'), { maxLength: 3 }),
    }),
  ),
})).filter;
const collation = fc.constantFrom(
  ...['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet'],
);
const comparator = fc.record(
  {
    property: fc.constantFrom('text', 'done', 'created', 'updated'),
    isAscending: fc.boolean(),
    collation,
  },
  { requiredKeys: ['property'] },
);
const search = fc.record({
  filter: fc.option(filter, { nil: null }),
  sort: fc.array(comparator, { maxLength: 3 }),
});

function findHere(one: {
  readonly filter: JsonObject | null;
  readonly sort: readonly JsonObject[];
}) {
  const match = compileFilter(todo, one.filter, UNICODE_RULES);
  const order = compileSort(todo, one.sort, UNICODE_RULES);
  if (match === null || order === null) throw new Error('It can be told here.');
  const list = new LocalList<Todo>(match, order);
  list.fill(rows);
  return list.rows.map(({ id }) => id);
}

describe('a list that is found here', () => {
  it('is the one that the server finds', async () => {
    const searches = fc.sample(search, 200);
    const { accountId } = owner;
    for (let from = 0; from < searches.length; from += 10) {
      const part = searches.slice(from, from + 10);
      const calls = part.map((one, index) => ['Todo/query', { accountId, ...one }, `c${index}`]);
      const { methodResponses } = await owner.client.api(calls as never);
      for (const [index, one] of part.entries()) {
        const [name, args] = methodResponses[index] ?? [];
        expect(name, JSON.stringify(args)).toBe('Todo/query');
        expect(findHere(one), JSON.stringify(one)).toEqual((args as { ids: string[] }).ids);
      }
    }
  });
});
