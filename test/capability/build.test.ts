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

const methods: jmap.StandardMethods = {
  get: { account: 'read', argumentNames: ['accountId', 'ids'], validateArguments: accept },
  set: { account: 'write', argumentNames: ['accountId'], validateArguments: accept },
};

const SOURCE: jmap.DataTypeSource<Shape> = {
  name: 'Entry',
  capability: 'urn:example:entries',
  table: 'Entry',
  acceptSnakeCase: true,
  properties: {
    id: { kind: 'string', role: 'id' },
    title: { kind: 'string', required: true, column: 'name' },
    starts: { kind: 'string', nullable: true, format: 'date' },
  },
  filters: {
    title: { property: 'title', operator: 'contains', column: 'name_folded' },
    from: { property: 'starts', operator: 'after', column: 'starts_instant', indexed: true },
    words: {
      ...{ property: 'title', operator: 'text' },
      ...{ column: 'name_folded', columns: ['name_folded', 'starts_folded'] },
    },
  },
  sorts: [{ property: 'title', casemapColumn: 'name_casemap' }, { property: 'id' }],
  shadows: [{ property: 'title', column: 'name_folded', transform: 'fold' }],
  uniques: [['title', 'starts']],
  validate: { update: accept, filter: accept },
};

const type = jmap.dataType<Shape>(SOURCE);

test('a data type gets defaults of properties, and holds properties instead of names', () => {
  const [id, title, starts] = type.properties;
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
    { name: 'title', property: title, casemapColumn: 'name_casemap' },
    { name: 'id', property: id },
  ]);
  expect(type.shadows).toEqual([{ property: title, column: 'name_folded', transform: 'fold' }]);
  expect(type.uniques).toEqual([{ name: 'name+starts', properties: [title, starts] }]);
  for (const part of [type.filters[0], type.sorts[0], type.shadows[0]])
    expect(part?.property).toBe(title);
});

test('a data type is frozen, down to its properties', () => {
  for (const part of [type, type.filters, type.properties[1], type.shadows[0], type.validate])
    expect(Object.isFrozen(part)).toBe(true);
});

test('an unknown property name stops the start', () => {
  const wrong = { ...SOURCE, sorts: [{ property: 'titel' }] };
  expect(() => jmap.dataType(wrong as never)).toThrow('Entry has no property "titel".');
});

test('a standard method has the name, the capability and the spelling of its type', () => {
  expect(jmap.standardMethods(type, methods)).toEqual([
    {
      ...{ ...methods.get, name: 'Entry/get', capability: 'urn:example:entries' },
      ...{ dataType: type, acceptSnakeCase: true, body: 'get' },
    },
    {
      ...{ ...methods.set, name: 'Entry/set', capability: 'urn:example:entries' },
      ...{ dataType: type, acceptSnakeCase: true, body: 'set' },
    },
  ]);
});

test('the definition of Todo fits on a page', () => {
  const path = new URL('../../generated/todos/Todo.definition.ts', import.meta.url);
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(90);
});
