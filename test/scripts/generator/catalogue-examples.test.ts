import { expect, it } from 'vitest';
import type { CodeRow } from '../../../src/descriptor/codes/code-row.js';
import { CODES } from '../../../src/descriptor/codes/index.js';
import { judge } from './random/texts.js';

/** The things that examples speak of beside what they show. */
const PROPERTIES = [
  "name: { type: string, default: '' }",
  "title: { type: string, default: '' }",
  "operator: { type: string, default: '' }",
  'done: { type: boolean, default: false }',
  'tags: { setOf: string, default: {} }',
  "pin: { type: [string, 'null'], access: secret }",
  "theme: { type: string, default: '' }",
  "c: { type: string, default: '' }",
  'status: { type: string, enum: [draft, sent, paid], default: draft }',
];
const OTHERS = [
  "Person: { properties: { name: { type: string, default: '' } } }",
  "Gadget: { properties: { name: { type: string, default: '' } } }",
  "Line: { properties: { thingId: { type: [string, 'null'], references: Thing } } }",
  "Note: { properties: { thingId: { type: [string, 'null'], references: Thing } }, " +
    'access: [{ who: creator, read: true }] }',
];
const PART = '$defs: { part: { type: object, properties: { n: { type: integer } } } }';

/** The properties of the type, without those that the example declares itself. */
function around(example: string): string {
  return PROPERTIES.filter((each) => !example.includes(`${each.split(':')[0]}: {`)).join(', ');
}

function descriptor(type: string, more = PART): string {
  return (
    `{ capability: 'urn:example:things', ${more}, types: { ${OTHERS.join(', ')}, Thing: { ` +
    `${type} } } }`
  );
}

/** Where an example may stand: as properties, within one, in the type, or in the capability. */
const PLACES: readonly ((example: string) => string)[] = [
  (example) => descriptor(`properties: { ${around(example)}, ${example} }`),
  (example) => descriptor(`properties: { x: { ${example}, default: {} } }`),
  (example) => descriptor(`properties: { x: { type: string, default: '', ${example} } }`),
  (example) => descriptor(`properties: { x: { type: string, ${example} } }`),
  (example) => descriptor(`properties: { x: { type: integer, default: 6, ${example} } }`),
  (example) =>
    descriptor(`properties: { x: { type: integer, access: serverSet, default: 0, ${example} } }`),
  (example) => descriptor(`properties: { x: { ${example} } }`),
  (example) => descriptor(`properties: { x: { type: [string, 'null'], ${example} } }`),
  (example) => descriptor(`properties: { ${around(example)} }, ${example}`),
  (example) => descriptor(`properties: { ${around('')} }`, `${PART}, ${example}`),
  (example) => descriptor(`properties: { ${around('')} }`, example),
  (example) => descriptor("properties: { x: { $ref: '#/$defs/part', default: {} } }", example),
  (example) =>
    descriptor('properties: { n: { type: integer } }', `methods: { Thing/do: { ${example} } }`),
  (example) => descriptor(example),
  (example) => `{ ${example}, types: {} }`,
  (example) => `{ capability: 'urn:example:things', ${example} }`,
  (example) => example,
];

/**
 * Examples that can't stand in a text of one descriptor, or are shown by words: other tests try
 * them.
 */
const SHORTENED = new RegExp(
  [
    String.raw`…|capabilities/|\.yaml|\(|file|alone|\.ts|folder|generated|_a and|0002|npm|hook`,
    'import|plain|an? |two |one | in ',
  ].join('|'),
);

const entries = Object.entries<CodeRow>(CODES).flatMap(([code, { wrong = '', right = '' }]) =>
  wrong === '' || SHORTENED.test(wrong) ? [] : [{ code, wrong, right }],
);

it('most examples of docs/reference/errors.md are whole', () => {
  expect(entries.length).toBeGreaterThan(50);
});

it.each(entries)('$code: $wrong', ({ code, wrong, right }) => {
  const problemsOf = (source: string) => judge(source).filter((problem) => problem.code === code);
  const places = PLACES.filter((put) => problemsOf(put(wrong)).length > 0);
  expect(places.length, wrong).toBeGreaterThan(0);
  // Where the wrong one is told, at its line, the right one is not, in one of the places at least.
  for (const put of places) expect(problemsOf(put(wrong))[0]?.at.line).toBe(1);
  if (!SHORTENED.test(right))
    expect(
      places.some((put) => problemsOf(put(right)).length === 0),
      right,
    ).toBe(true);
});
