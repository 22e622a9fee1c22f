import type { JSONSchema7 } from 'json-schema';
import { compile } from 'json-schema-to-typescript';
import { expect, test } from 'vitest';
import { lean } from '../../../../scripts/generator/emit/lean-schema.js';

/** Lean schemas are there to be compiled sooner; the types must be those of the whole ones. */

const text: JSONSchema7 = { type: 'string', maxLength: 20, pattern: '^a', default: 'a' };
const textOrNull: JSONSchema7 = { ...text, type: ['string', 'null'], description: 'Ends */ so.' };
const count: JSONSchema7 = { type: 'integer', minimum: 0, default: 0 };

const object = (properties: Record<string, JSONSchema7>, rest: JSONSchema7 = {}): JSONSchema7 => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});

const CASES: Record<string, JSONSchema7> = {
  leaves: object({ text, textOrNull, count, both: { type: ['number', 'integer', 'null'] } }),
  required: object({ text, count }, { required: ['text'], description: 'Of\ntwo lines.' }),
  'a value of null': object({ nothing: { type: 'null', description: 'Never.' } }),
  'names that need quotes': object({ 'a-b': text, '1': count, $ref2: text }),
  'names of keywords': object({ type: text, items: textOrNull, properties: count, title: text }),
  choices: object({
    size: { type: 'string', enum: ['small', 'large'] },
    sizeOrNull: { type: ['string', 'null'], enum: ['small', null], description: 'How large.' },
    number: { type: 'integer', enum: [1, 2] },
  }),
  lists: object({
    texts: { type: 'array', items: text, maxItems: 5, description: 'Some.' },
    textsOrNull: { type: ['array', 'null'], items: textOrNull },
    deep: { type: 'array', items: { type: 'array', items: object({ count }) } },
    said: { type: 'array', items: { type: 'string', description: 'Each of them.' } },
    choices: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  }),
  maps: object({
    map: { type: 'object', additionalProperties: count },
    mapOrNull: { type: ['object', 'null'], additionalProperties: textOrNull },
    set: { type: 'object', additionalProperties: { type: 'boolean', enum: [true] } },
    any: { type: 'object', additionalProperties: true },
    mixed: object({ text, size: textOrNull }, { additionalProperties: textOrNull }),
    mixedLeaf: object({ count }, { additionalProperties: text }),
  }),
  'objects in objects': object({
    inner: object({ text, textOrNull, more: object({ count }) }, { type: ['object', 'null'] }),
  }),
  'no type, and a name of its own': object({
    anything: {},
    shared: { description: 'Shared.', tsType: '(Address | null)' } as JSONSchema7,
  }),
  'a leaf by itself': text,
  'a list by itself': { type: 'array', items: textOrNull },
};

test.each(Object.entries(CASES))('the type is the same: %s', async (_name, schema) => {
  const options = {
    format: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
    cwd: '/',
  };
  const typeOf = (given: JSONSchema7): Promise<string> =>
    compile({ ...given, title: 'Named' } as never, 'Named', options);
  expect(await typeOf(lean(schema))).toBe(await typeOf(schema));
});
