import type { JSONSchema7 } from 'json-schema';

/** Schemas of keys that take a text, a flag, a number or a list. Pages show the descriptions. */

export const text = (description: string, ...examples: string[]): JSONSchema7 => ({
  type: 'string',
  description,
  ...(examples.length > 0 ? { examples } : {}),
});
export const flag = (description: string, fallback: boolean): JSONSchema7 => ({
  type: 'boolean',
  description,
  default: fallback,
  examples: [!fallback],
});
export const count = (
  description: string,
  maximum: number,
  { minimum = 0, example = 100 } = {},
): JSONSchema7 => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  examples: [example],
});
export const ref = (name: string): JSONSchema7 => ({ $ref: `#/definitions/${name}` });

export const names = (description: string, ...examples: string[]): JSONSchema7 => ({
  ...ref('names'),
  description,
  examples: [examples],
});

export const lists = (description: string, item: JSONSchema7, example: unknown[]): JSONSchema7 => ({
  type: 'array',
  description,
  items: item,
  examples: [example as string[]],
});

export const freeObject = (description: string): JSONSchema7 => ({
  type: 'object',
  description,
  examples: [{ maxExportSize: 1000 }],
  default: {},
});

/** `{ nulls: equal }`; `more`: further members. */
export const nullsEqualBeside = (more: Record<string, JSONSchema7>): JSONSchema7 => ({
  type: 'object',
  properties: {
    ...more,
    nulls: { enum: ['equal'], description: 'equal: null equals null.', examples: ['equal'] },
  },
  required: [...Object.keys(more), 'nulls'],
  additionalProperties: false,
});
export const nullsEqual = nullsEqualBeside({});

export const deprecated = text('The replacement to use: `@deprecated` in the types.', 'Use title.');
export const renamedFrom = text(
  'Its name in the last released migration: stored data is kept.',
  'label',
);
