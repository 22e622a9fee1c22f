import { expect, it } from 'vitest';
import type { Json } from '../src/client/json.js';
import { readWorld } from '../src/subject/described.js';
import { removeId } from '../src/subject/removal.js';

// The runner expects `onDestroy: setNull` to leave this of a value: 'x' is the id that goes.

const TEXT = `
capability: urn:example:removal
$defs:
  May: { type: [string, 'null'], references: Thing, onDestroy: setNull }
  Id: { type: string, references: Thing, onDestroy: setNull }
types:
  Thing:
    properties:
      nullable: { $ref: '#/$defs/May' }
      absent: { type: string, references: Thing, onDestroy: setNull, optional: true }
      list: { type: array, items: { $ref: '#/$defs/Id' }, default: [] }
      set: { setOf: Thing, onDestroy: setNull, default: {} }
      members:
        type: object
        properties:
          may: { $ref: '#/$defs/May' }
          id: { $ref: '#/$defs/Id' }
          note: { type: string }
        default: {}
      items:
        type: array
        items: { type: object, properties: { may: { $ref: '#/$defs/May' } } }
        default: []
      keys:
        type: object
        propertyNames: { references: Thing, onDestroy: setNull }
        additionalProperties: { type: object, properties: { may: { $ref: '#/$defs/May' } } }
        default: {}
      entries: { type: object, additionalProperties: { $ref: '#/$defs/Id' }, default: {} }
      union:
        type: [object, 'null']
        oneOf:
          - type: object
            properties: { kind: { const: may }, of: { $ref: '#/$defs/May' } }
            required: [kind]
          - type: object
            properties: { kind: { const: id }, of: { $ref: '#/$defs/Id' } }
            required: [kind]
          - type: object
            properties: { kind: { const: text }, of: { type: string } }
            required: [kind]
        discriminator: kind
`;

const ROWS: readonly (readonly [string, Json, Json | undefined])[] = [
  ['nullable', 'x', null],
  ['nullable', 'y', 'y'],
  ['absent', 'x', undefined],
  ['list', ['x', 'y', 'x'], ['y']],
  ['set', { x: true, y: true }, { y: true }],
  ['members', { may: 'x', note: 'n' }, { may: null, note: 'n' }],
  ['members', { may: 'y', id: 'x' }, { may: 'y' }],
  ['items', [{ may: 'x' }, { may: 'y' }, {}], [{ may: null }, { may: 'y' }, {}]],
  ['keys', { x: { may: 'y' }, y: { may: 'x' } }, { y: { may: null } }],
  ['entries', { a: 'x', b: 'y' }, { b: 'y' }],
  ['union', { kind: 'may', of: 'x' }, { kind: 'may', of: null }],
  ['union', { kind: 'id', of: 'x' }, { kind: 'id' }],
  ['union', { kind: 'id', of: 'y' }, { kind: 'id', of: 'y' }],
  ['union', null, null],
];

const thing = readWorld([{ file: 'removal.yaml', text: TEXT }]).get('Thing');

it.each(ROWS)('of %s, which is %j, it leaves %j', (name, value, left) => {
  const property = thing?.type.properties.find((one) => one.name === name);
  if (property === undefined) throw new Error(`Nothing is called ${name}.`);
  expect(removeId(property, value, 'x')).toEqual(left);
});
