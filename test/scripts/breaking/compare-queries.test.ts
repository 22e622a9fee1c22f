import { expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import type { Model } from '../../../src/descriptor/model.js';
import { parseDescriptor } from '../../../src/descriptor/parse.js';
import { viewCapability } from '../../../src/descriptor/view.js';

const PROPERTIES = `
      place: { type: object, properties: { city: { type: string, maxLength: 9 } }, default: {} }
      tags: { setOf: string, default: {} }
      mails: { type: array, items: { type: string, maxLength: 9 }, default: [] }`;

/** Returns the model of a type with these keys beside its properties. */
function modelOf(keys: string, properties = PROPERTIES): Model {
  const type = `  Todo:\n    properties:${properties}\n${keys}`;
  const text = `capability: urn:example:todos\ntypes:\n${type}`;
  const { root, problems } = parseDescriptor('capabilities/todos.yaml', text);
  if (root === undefined) throw new Error(problems.map(({ message }) => message).join());
  const file = 'capabilities/todos.yaml';
  return buildModel([viewCapability({ file, base: 'todos', start: root.at, root })]);
}

function lines(before: Model, after: Model): readonly string[] {
  return compareModels(before, after)
    .filter(({ layer }) => layer === 'wire')
    .map(({ breaking, where, what }) => `${breaking ? 'breaking' : 'fine'} ${where}: ${what}`);
}

it('breaking: a sort that goes by something else breaks clients', () => {
  const sort = (text: string) => modelOf(`    sort: [${text}]\n`);
  const byCity = sort('{ name: a, property: place/city }');
  const byTag = sort('{ name: a, property: tags, is: hasKey, argument: tag }');
  expect(lines(byCity, byTag)).toEqual([
    'breaking Todo.a: sort reads tags, not place/city',
    'breaking Todo.a: sort is by hasKey with tag, not the values',
  ]);
  expect(lines(byTag, sort('{ name: a, property: tags, is: hasKey, argument: key }'))).toEqual([
    'breaking Todo.a: sort is by hasKey with key, not hasKey with tag',
  ]);
  expect(lines(byCity, sort('{ name: b, property: place/city }'))).toEqual([
    'fine Todo.b: sort added',
    'breaking Todo.a: sort removed',
  ]);
});

it('breaking: a condition that asks all items, or reads another part, breaks clients', () => {
  const filter = (text: string) => modelOf(`    filter: { a: { ${text}, is: equals } }\n`);
  const any = filter('property: mails/*');
  expect(lines(any, filter('property: mails/*, items: all'))).toEqual([
    'breaking Todo.a: filter asks all of the items now',
  ]);
  expect(lines(any, filter('property: place/city'))).toEqual([
    'breaking Todo.a: filter reads place/city, not mails/*',
  ]);
});

it('breaking: a part keeps its meaning if its property is renamed', () => {
  const keys = (property: string) =>
    `    filter: { a: { property: ${property}/city, is: equals } }\n`;
  const renamed = PROPERTIES.replace('place: { ', 'home: { renamedFrom: place, ');
  expect(lines(modelOf(keys('place')), modelOf(keys('home'), renamed))).toEqual([
    'breaking Todo.home: property renamed from place',
  ]);
});
