import { describe, expect, it } from 'vitest';
import { leastValue } from '../../../scripts/generator/migrations/least-value.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { referring } from '../../support/references.js';
import { model, property, type } from './models.js';
import { generate, sql, temporaryRoot } from './project.js';

/** The value of objects of a new version in a column of the version before that had no default. */

type Kind = ModelProperty['kind'];

const LONG = { type: 'string', minLength: 9_000_000, maxLength: 10_000_000 } as const;

describe('the least legal value', () => {
  const cases: readonly [string, Kind, ModelProperty['schema'], JsonValue][] = [
    ['a text', 'string', { type: 'string', maxLength: 5 }, ''],
    ['a text of three characters at least', 'string', { type: 'string', minLength: 3 }, '000'],
    ['more characters than are tried', 'string', { type: 'string', minLength: 40 }, '0'.repeat(40)],
    ['more characters than a migration should have', 'string', LONG, null],
    ['capitals', 'string', { type: 'string', pattern: '^[A-Z]{3}$' }, 'AAA'],
    ['digits', 'string', { type: 'string', pattern: '^[0-9]+$', minLength: 2 }, '00'],
    ['a pattern that no plain text has', 'string', { type: 'string', pattern: '^x-\\d$' }, null],
    ['one of a few', 'string', { type: 'string', enum: ['b', 'a'] }, 'b'],
    ['an Id', 'string', { type: 'string', format: 'id' }, '0'],
    ['a Date', 'string', { type: 'string', format: 'date' }, '1970-01-01T00:00:00Z'],
    [
      'a local date',
      'string',
      { type: 'string', format: 'local-date-time' },
      '1970-01-01T00:00:00',
    ],
    ['a UTCDate', 'date', { type: 'string', format: 'utc-date' }, '1970-01-01T00:00:00Z'],
    ['a whole number', 'integer', { type: 'integer', minimum: -3, maximum: 3 }, 0],
    ['from five on', 'integer', { type: 'integer', minimum: 5, maximum: 9 }, 5],
    ['below zero', 'number', { type: 'number', minimum: -9.5, maximum: -1.5 }, -9],
    ['a true one', 'boolean', { type: 'boolean', enum: [true] }, true],
    ['a list', 'json', { type: 'array', items: { type: 'string' } }, []],
    ['a list of two', 'json', { type: 'array', items: { type: 'string' }, minItems: 2 }, null],
    ['a map', 'json', { type: 'object', additionalProperties: { type: 'integer' } }, {}],
    [
      'an object that must have a member',
      'json',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      null,
    ],
  ];
  it.each(cases)('of %s', (_, kind, schema, expected) => {
    expect(leastValue(property('it', kind, { required: true, schema }))).toEqual(expected);
  });

  it('does not exist for references, blobs, hashed and encrypted values', () => {
    const schema = { type: 'string', format: 'id' } as const;
    const link = referring({ type: 'List', form: 'single', onDestroy: 'cascade', acyclic: false });
    for (const rest of [link, { blobs: [[]] }, { secret: 'hash' as const }])
      expect(leastValue(property('it', 'string', { schema, ...rest }))).toBeNull();
  });
});

it('PostgreSQL: a dropped column without a fitting value takes null, with a note', async () => {
  const root = temporaryRoot();
  const required = (name: string, schema: ModelProperty['schema']) =>
    property(name, 'string', { required: true, schema });
  const code = required('code', { type: 'string', pattern: '^[A-Z]{2}$' });
  const key = required('key', { type: 'string', pattern: '^x-\\d$' });
  const text = required('text', { type: 'string' });
  await generate(root, model([type('Todo', [text, code, key])]));
  const plan = await generate(root, model([type('Todo', [text], { drops: ['code', 'key'] })]));
  expect(plan.problems).toEqual([]);
  const written = sql(plan, '0002_todo', 'postgresql');
  expect(written).toContain(`ALTER COLUMN "code" SET DEFAULT 'AA'`);
  expect(written).toContain('ALTER COLUMN "key" DROP NOT NULL');
  expect(written).toMatch(/^-- The previous version finds null in "Todo"[.]"key" [^\n]+\n/m);
  expect(written).not.toContain('"Todo"."code"');
});
