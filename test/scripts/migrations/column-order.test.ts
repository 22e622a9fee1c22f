import { expect, it } from 'vitest';
import type { ModelFilter } from '../../../src/descriptor/model.js';
import { find, model, property, TODO_PROPERTIES, todo, type } from './models.js';
import { generate, sql, temporaryRoot } from './project.js';

const PROPERTIES = [
  property('notes', 'json'),
  property('rank', 'integer'),
  property('seen', 'boolean'),
  property('title', 'string'),
];

function filter(
  of: (typeof PROPERTIES)[number],
  operator: ModelFilter['operator'],
  column = of.column,
): ModelFilter {
  return { ...{ name: of.name, property: of, operator, column }, ...FILTER };
}

const AT = { file: 'capabilities/things.yaml', line: 1, column: 1 };
const FILTER = { schema: {}, description: '', at: AT };

const TODO = todo([], {
  filters: [
    filter(find(TODO_PROPERTIES, 'text'), 'contains', 'text_folded'),
    filter(find(TODO_PROPERTIES, 'done'), 'equals'),
  ],
  sorts: [
    {
      name: 'text',
      property: find(TODO_PROPERTIES, 'text'),
      casemapColumn: 'text_casemap',
      indexed: false,
      at: AT,
    },
    { name: 'created', property: property('created', 'date'), indexed: false, at: AT },
  ],
});

/** The columns of each table that is made, in order. */
function columns(text: string): Record<string, string[]> {
  const tables = text.matchAll(/CREATE TABLE "([^"]+)" \(([^;]*)\n\)/g);
  return Object.fromEntries(
    [...tables].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {4}"([^"]+)"/gm)].map(([, column = '']) => column),
    ]),
  );
}

it('a new table on PostgreSQL has filtered columns first, then sorted, by length', async () => {
  const things = type('Thing', PROPERTIES, {
    folded: ['title'],
    filters: [
      filter(find(PROPERTIES, 'notes'), 'hasKey'),
      filter(find(PROPERTIES, 'title'), 'contains', 'title_folded'),
      filter(find(PROPERTIES, 'seen'), 'equals'),
      filter(find(PROPERTIES, 'rank'), 'atLeast'),
    ],
  });
  const plan = await generate(temporaryRoot(), model([TODO, things]));
  const { Todo, Thing } = columns(sql(plan, '0001_init', 'postgresql'));
  expect(Todo).toEqual([
    ...['accountId', 'id', 'done', 'text_folded'],
    ...['created', 'text_casemap', 'updated', 'text'],
  ]);
  expect(Thing).toEqual([
    ...['accountId', 'id', 'rank', 'seen', 'title_folded', 'notes'],
    ...['created', 'updated', 'title'],
  ]);
});

it("the engine's own tables, and all tables of SQLite, have the order of the schema", async () => {
  const plan = await generate(temporaryRoot(), model([TODO]));
  const [ours, sqlite] = ['postgresql', 'sqlite'].map((at) => columns(sql(plan, '0001_init', at)));
  expect(sqlite?.['Todo']).toEqual([
    ...['accountId', 'id', 'created', 'updated', 'text', 'done'],
    ...['text_folded', 'text_casemap'],
  ]);
  expect({ ...ours, Todo: [] }).toEqual({ ...sqlite, Todo: [] });
});

it('a table that exists is not made again for a new filter', async () => {
  const root = temporaryRoot();
  await generate(root, model([todo()]));
  const plan = await generate(root, model([TODO, type('Thing', PROPERTIES)]));
  const made = columns(sql(plan, '0002_thing', 'postgresql'));
  expect(Object.keys(made)).toEqual(['Thing']);
});
