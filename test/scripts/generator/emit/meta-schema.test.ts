import { Ajv, type AnySchemaObject } from 'ajv';
import { expect, test } from 'vitest';
import { META_SCHEMA } from '../../../../src/descriptor/meta-schema.js';

test('the published meta-schema of descriptors is draft-07, with no keyword that it lacks', () => {
  const ajv = new Ajv({ allErrors: true, strictTypes: false });
  expect(ajv.validateSchema(META_SCHEMA as AnySchemaObject)).toBe(true);
  expect(ajv.errors).toBeNull();
  expect(() => ajv.compile(META_SCHEMA as AnySchemaObject)).not.toThrow();
});
