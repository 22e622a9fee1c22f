import { describe, expect, it } from 'vitest';
import { thing } from '../project.js';
import { judge } from '../random/texts.js';

const OTHER = '  Other:\n    properties: { name: { type: string, default: "" } }\n';
const REST = `properties:
  title: { type: string, default: "" }
  size: { type: integer, default: 0 }
  tags: { setOf: string, default: {} }
  list: { type: array, items: { type: string }, default: [] }
`;

/** The rest of Thing, with the mistyped word; properties go on where REST ends. */
const TYPE: readonly (readonly [what: string, lines: string, meant: string])[] = [
  ['a key of a type', 'propertis: {}', 'properties'],
  ['a key of a type, in other words', 'singelton: true', 'singleton'],
  ['a standard method', 'standardMethods: [get, qeury]', 'query'],
  ['a standard method with more', 'standardMethods: { get: {}, chnages: {} }', 'changes'],
  ["a filter's property", 'filter: { a: { property: titel, is: equals } }', 'title'],
  ["a filter's property by its name", 'filter: { titel: equals }', 'title'],
  ["a filter's operator", 'filter: { title: contians }', 'contains'],
  ["a filter's operator, spelled out", 'filter: { title: { is: startWith } }', 'startsWith'],
  ["a filter's operator, of SQL", 'filter: { title: like }', 'contains'],
  ["a filter's key", 'filter: { title: { is: equals, index: true } }', 'indexed'],
  ["a text filter's property", 'filter: { a: { is: text, properties: [titel] } }', 'title'],
  ["a sort's property", 'sort: [titel]', 'title'],
  ["a sort's key", 'sort: [{ property: title, indxed: true }]', 'indexed'],
  ["a unique's property", 'unique: [[titel, size]]', 'title'],
  ["an index's property", 'indexes: [[titel, size]]', 'title'],
  ['a required property', 'required: [titel]', 'title'],
  ['a limit', 'limits: { cuont: 4 }', 'count'],
];

const PROPERTY: readonly (readonly [what: string, schema: string, meant: string])[] = [
  ['a key of a property', '{ type: string, maxLenght: 3, default: "" }', 'maxLength'],
  ['a type', '{ type: strng, default: "" }', 'string'],
  ['a type in a list', '{ type: [strin, "null"] }', 'string'],
  ['a format', '{ type: [string, "null"], format: utc-dat }', 'utc-date'],
  ['access', '{ type: string, access: imutable, default: "" }', 'immutable'],
  ['access, in other words', '{ type: string, access: readonly, default: "" }', 'serverSet'],
  ['stored', '{ type: [string, "null"], access: secret, stored: encript }', 'encrypt'],
  ['a referenced type', '{ type: [string, "null"], references: Othr }', 'Other'],
  ['the type of a set', '{ setOf: Othre, default: {} }', 'Other'],
  ['onDestroy', '{ type: [string, "null"], references: Other, onDestroy: casacde }', 'cascade'],
  [
    'onDestroy, of SQL',
    '{ type: [string, "null"], references: Other, onDestroy: nullify }',
    'setNull',
  ],
  [
    'a source',
    '{ type: string, access: serverSet, default: "", computed: { from: [titel] } }',
    'title',
  ],
  [
    'what is counted',
    '{ type: integer, access: serverSet, default: 0, computed: { count: Othr, by: name } }',
    'Other',
  ],
  ['a definition', '{ $ref: "#/$defs/adress" }', 'address'],
  [
    'a member',
    '{ type: object, properties: { a: { type: string } }, required: [ab], default: {} }',
    'a',
  ],
  [
    'a key of a member',
    '{ type: object, properties: { a: { tpye: string } }, default: {} }',
    'type',
  ],
];

const WHOLE: readonly (readonly [what: string, lines: string, meant: string])[] = [
  ['a key of a descriptor', 'typse: {}', 'types'],
  ['a key of a method', 'methods: { Thing/do: { acount: none } }', 'account'],
  ["a method's account", 'methods: { Thing/do: { account: raed } }', 'read'],
];

const DEFS = '$defs: { address: { type: object, properties: { a: { type: string } } } }\n';

describe('names the nearest legal word for', () => {
  it.each([
    ...TYPE.map(([what, lines, meant]) => [what, thing(`${REST}${lines}`) + OTHER, meant]),
    ...PROPERTY.map(([what, schema, meant]) => [
      what,
      thing(`${REST}  mine: ${schema}`) + OTHER + DEFS,
      meant,
    ]),
    ...WHOLE.map(([what, lines, meant]) => [what, thing(REST) + OTHER + lines, meant]),
  ] as const)('%s', (_what, source, meant) => {
    const messages = judge(String(source)).map(({ message }) => message);
    expect(messages.join('\n')).toContain(`Did you mean "${meant}"?`);
  });

  it('names none for a word that is far from every legal one', () => {
    const messages = judge(thing(`${REST}xyzzyplugh: 1\nsort: [qqqqqqqq]`)).map(
      (one) => one.message,
    );
    expect(messages).toHaveLength(2);
    expect(messages.join('\n')).not.toContain('Did you mean');
  });
});
