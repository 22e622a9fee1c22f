import { expect, it } from 'vitest';
import { listPlaces } from '../src/checks/patch-places.js';
import type { Json } from '../src/client/json.js';
import { findBlobHolders } from '../src/subject/blob-holders.js';
import { readWorld } from '../src/subject/described.js';
import type { Subject } from '../src/subject/subject.js';
import { listValues } from '../src/subject/values.js';

// Values that the runner takes to be legal or wrong. A legal one that it calls wrong would fail a
// server that is right.

const TEXT = `
capability: urn:example:values
$defs:
  Offset:
    type: object
    properties: { '@type': { const: Offset }, by: { type: integer } }
    required: ['@type', by]
  Other:
    type: object
    properties: { '@type': { type: string } }
    additionalProperties: true
    required: ['@type']
types:
  Thing:
    properties:
      closed: { type: object, properties: { a: { type: integer } }, default: {} }
      open:
        type: object
        properties: { a: { type: integer } }
        additionalProperties: true
        default: {}
      typed:
        type: object
        properties: { a: { type: integer } }
        additionalProperties: { type: string }
        default: {}
      known:
        oneOf: [{ $ref: '#/$defs/Offset' }]
        discriminator: '@type'
        default: { '@type': Offset, by: 1 }
      any:
        oneOf: [{ $ref: '#/$defs/Offset' }, { $ref: '#/$defs/Other' }]
        discriminator: '@type'
        default: { '@type': Offset, by: 1 }
      code: { type: string, access: immutable, default: '' }
      number: { type: [string, 'null'], access: serverSet, unique: true }
    unique: [code]
`;

const world = readWorld([{ file: 'values.yaml', text: TEXT }]);

function propertyOf(name: string) {
  const property = world.get('Thing')?.type.properties.find((one) => one.name === name);
  if (property === undefined) throw new Error(`There is no property ${name}.`);
  return property;
}

it.each([
  ['closed', false, true],
  ['open', true, false],
  // Whether it is wrong depends on its value.
  ['typed', false, false],
])(
  'a member that is not declared, of the object "%s": legal %s, wrong %s',
  (name, isGood, isBad) => {
    const has = (values: readonly Json[]): boolean =>
      values.some((one) => JSON.stringify(one).includes('noSuchMember'));
    const { good, bad } = listValues(propertyOf(name));
    expect([has(good), has(bad)]).toEqual([isGood, isBad]);
  },
);

it.each([
  ['known', true, false],
  ['any', false, true],
])('a text that no branch of "%s" names: wrong %s, left alone %s', (name, isBad, isLeft) => {
  const property = propertyOf(name);
  const { bad } = listValues(property);
  expect(bad.some((one) => JSON.stringify(one) === '{"@type":"No such value"}')).toBe(isBad);
  const places = listPlaces(property, { '@type': 'Offset', by: 1 });
  expect(places.map(({ pointer, opens }) => [pointer, opens])).toEqual([
    [`${name}/@type`, isLeft],
    [`${name}/by`, false],
  ]);
});

it('values of clients may collide, immutable ones too, and those of the server not', () => {
  const uniques = world.get('Thing')?.type.uniques ?? [];
  expect(uniques.map(({ properties }) => properties.map(({ name }) => name))).toEqual([['code']]);
});

const FILES = `
capability: urn:example:files
types:
  Folder:
    properties:
      files:
        type: object
        additionalProperties:
          type: object
          properties:
            note: { type: string }
            roles: { setOf: string, minProperties: 1 }
            blobId: { type: string, blob: true }
          required: [roles]
        minProperties: 1
        default: { a: { roles: { own: true } } }
`;

it('gives a blob the least value of a property that samples give, a whole one of others', () => {
  const described = readWorld([{ file: 'files.yaml', text: FILES }]).get('Folder')?.type;
  const build = (samples: readonly object[]) =>
    findBlobHolders({ described, samples } as unknown as Subject)[0]?.buildHolding('B1');
  expect(Object.values(build([{}]) as object)).toEqual([
    { note: 'Some note', roles: { text: true }, blobId: 'B1' },
  ]);
  expect(build([{ files: {} }])).toEqual({ k0: { roles: { text: true }, blobId: 'B1' } });
});

const LINES = `
capability: urn:example:lines
types:
  Bill:
    properties:
      total:
        type: integer
        default: 0
        access: serverSet
        computed: { sum: Line.amount, by: billId }
  Line:
    properties:
      billId: { type: [string, 'null'], references: Bill, onDestroy: setNull }
      amount: { type: integer, default: 5000000000, minimum: 5000000000, maximum: 9e15 }
`;

it('leaves large bounds of what is summed alone, but for those that keep small numbers out', () => {
  const described = readWorld([{ file: 'lines.yaml', text: LINES }]).get('Line')?.type;
  const amount = described?.properties.find(({ name }) => name === 'amount');
  expect([amount?.schema.minimum, amount?.schema.maximum]).toEqual([5e9, undefined]);
});
