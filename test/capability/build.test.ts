import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as jmap from '../../src/capability/index.js';

interface Shape {
  readonly object: { readonly id: string; readonly title: string; readonly starts: string | null };
  readonly create: object;
  readonly patch: object;
  readonly filter: { readonly title?: string; readonly from?: string; readonly words?: string };
}

const accept: jmap.Validator = () => true;
const VALIDATORS = { create: accept, update: accept, filter: accept };

const standard: jmap.StandardValidators = {
  getArguments: accept,
  changesArguments: accept,
  setArguments: accept,
  copyArguments: accept,
  queryArguments: accept,
  queryChangesArguments: accept,
  argumentNames: {
    get: ['accountId', 'ids'],
    changes: [],
    set: [],
    copy: [],
    query: ['accountId'],
    queryChanges: [],
  },
};

const type = jmap.dataType<Shape>({
  name: 'Entry',
  capability: 'urn:example:entries',
  properties: {
    id: jmap.id(),
    title: jmap.string({ required: true, column: 'name' }),
    starts: jmap.string({ nullable: true, format: 'date' }),
  },
  filters: {
    title: 'contains',
    from: { property: 'starts', is: 'after', indexed: true },
    words: { properties: ['title', 'starts'], is: 'text' },
  },
  sorts: ['title', { property: 'starts', indexed: true }, 'id'],
  uniques: [['title', 'starts']],
  validate: VALIDATORS,
});

test('a data type gets what most have, and the columns that follow from its properties', () => {
  const [id, title, starts] = type.properties;
  expect(type).toMatchObject({ table: 'Entry', acceptSnakeCase: false });
  expect(id).toEqual({
    name: 'id',
    column: 'id',
    kind: 'string',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'id',
  });
  expect(title).toEqual({
    name: 'title',
    column: 'name',
    kind: 'string',
    nullable: false,
    required: true,
    access: 'mutable',
  });
  expect(starts).toMatchObject({ nullable: true, required: false, default: null, format: 'date' });
  expect(type.filters).toEqual([
    { name: 'title', property: title, operator: 'contains', column: 'name_folded' },
    {
      name: 'from',
      property: starts,
      operator: 'after',
      column: 'starts_instant',
      indexed: true,
    },
    {
      name: 'words',
      property: title,
      operator: 'text',
      column: 'name_folded',
      columns: ['name_folded', 'starts_folded'],
    },
  ]);
  expect(type.sorts).toEqual([
    { property: title, casemapColumn: 'name_casemap' },
    { property: starts, column: 'starts_instant', indexed: true },
    { property: id },
  ]);
  expect(type.shadows.map(({ column }) => column)).toEqual([
    ...['name_folded', 'name_casemap', 'starts_folded', 'starts_instant'],
  ]);
  expect(type.uniques).toEqual([{ name: 'title+starts', properties: [title, starts] }]);
  expect(type.filters[0]?.property).toBe(title);
});

test('all of it is frozen, down to the properties', () => {
  for (const part of [type, type.filters, type.properties[1], type.shadows[0], type.validate])
    expect(Object.isFrozen(part)).toBe(true);
});

test('a name that is no property ends the start', () => {
  const wrong = { ...type, properties: {}, filters: {}, sorts: ['titel'], uniques: [] };
  expect(() => jmap.dataType(wrong as never)).toThrow('Entry has no property "titel".');
});

test('a type has all standard methods, or those that are named, with further arguments', () => {
  const all = jmap.standardMethods(type, standard).map(({ name }) => name);
  expect(all).toEqual(
    ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'].map((name) => `Entry/${name}`),
  );
  const one = jmap.dataType<Shape>({ ...source(), singleton: true });
  expect(jmap.standardMethods(one, standard)).toHaveLength(3);
  const validateArguments: jmap.Validator = () => false;
  const [get, query] = jmap.standardMethods(type, standard, {
    only: ['get', 'query'],
    further: { query: { furtherArguments: ['near'], validateArguments } },
  });
  expect(get).toMatchObject({ account: 'read', argumentNames: ['accountId', 'ids'] });
  expect(query).toMatchObject({
    argumentNames: ['accountId', 'near'],
    furtherArguments: ['near'],
    validateArguments,
    dataType: type,
  });
});

test('the definition of Todo is a page that one can read', () => {
  const path = new URL('../../generated/todos/Todo.definition.ts', import.meta.url);
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(70);
});

function source(): jmap.DataTypeSource<Shape> {
  return {
    name: 'Entry',
    capability: 'urn:example:entries',
    properties: { id: jmap.id(), title: jmap.string(), starts: jmap.string() },
    filters: {
      title: 'equals',
      from: { property: 'starts', is: 'after' },
      words: { properties: ['title'], is: 'text' },
    },
    validate: VALIDATORS,
  };
}
