import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import { formatNamed } from '../../capability/formats/index.js';
import { BOUNDS } from '../bounds.js';
import { branchesIn, isUnion, type UnionSchema } from '../branches.js';

/**
 * `stored`: values that go into columns; U+0000 is refused and any JSON is readied for storing.
 * `message`: arguments, which are judged by their types alone.
 */
export type ValidationUse = 'stored' | 'message';

/** A schema for ajv: draft-07 and the keywords of keywords.ts beside it. */
export type AjvSchema = Readonly<Record<string, unknown>>;

/**
 * Rewrites a model schema into the one that is compiled: our formats and number rules become
 * keywords.
 */
export function validationSchema(
  schema: JSONSchema7Definition,
  use: ValidationUse,
  depth = 0,
): AjvSchema {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (schema.const !== undefined) return { const: schema.const };
  if (isUnion(schema)) return composeUnion(schema, use, depth);
  if (isListed(schema)) {
    const { description: _words, ...checks } = schema;
    return checks;
  }
  switch (mainType(schema)) {
    case 'string':
      return composeString(schema, use, depth);
    case 'number': {
      const { description: _words, ...checks } = schema;
      return { nearest: true, allOf: [checks] };
    }
    case 'array': {
      const { description: _words, items, ...checks } = schema;
      return { ...checks, items: validationSchema(items as JSONSchema7, use, depth + 1) };
    }
    case 'object':
      return composeObject(schema, use, depth);
    default: {
      const { description: _words, ...checks } = schema;
      return checks;
    }
  }
}

/** Returns the schema of a union: keywords of ours in the place of `oneOf`. */
function composeUnion(schema: UnionSchema, use: ValidationUse, depth: number): AjvSchema {
  const { description: _words, oneOf: _branches, discriminator, ...checks } = schema;
  const branches = branchesIn(schema);
  return {
    ...checks,
    noNumber: true,
    unionBy: { member: discriminator, branches: branches.map(({ step }) => step) },
    union: branches.map((branch) => validationSchema(branch.schema, use, depth)),
  };
}

/** Returns whether the schema lists its values, so that nothing within them is left to judge. */
function isListed(schema: JSONSchema7): boolean {
  const type = mainType(schema);
  return schema.enum !== undefined && (type === 'array' || type === 'object');
}

/** Returns the schema's type without null. */
export function mainType(schema: JSONSchema7): string | undefined {
  const types = [schema.type].flat();
  return types.find((type) => type !== 'null');
}

/** Returns the schema of a string, whose format is checked, or made canonical, by use and depth. */
function composeString(schema: JSONSchema7, use: ValidationUse, depth: number): AjvSchema {
  const { description: _words, format, normalize: _changes, ...checks } = schema as Normalized;
  // The engine has put the text into its one form before.
  if (formatNamed(format) !== undefined)
    return { ...checks, [use === 'message' || depth === 0 ? 'format' : 'canonicalFormat']: format };
  return use === 'stored' && checks.enum === undefined ? { ...checks, storable: true } : checks;
}

/** `normalize` is no check: the engine normalises a text before it is judged. */
type Normalized = JSONSchema7 & { readonly normalize?: unknown };

/** Returns the schema of an object, with the schemas of its members. */
function composeObject(schema: JSONSchema7, use: ValidationUse, depth: number): AjvSchema {
  const {
    description: _words,
    properties,
    additionalProperties,
    propertyNames,
    ...checks
  } = schema;
  const inner = Object.entries(properties ?? {}).map(([name, value]) => [
    name,
    validationSchema(value, use, depth + 1),
  ]);
  return {
    ...checks,
    ...(inner.length === 0 ? {} : { properties: Object.fromEntries(inner) }),
    ...composeFurther(additionalProperties ?? true, propertyNames, use, depth),
  };
}

/** Returns the keywords for undeclared members: refused, or bounded in names and values. */
function composeFurther(
  further: JSONSchema7Definition,
  names: JSONSchema7Definition | undefined,
  use: ValidationUse,
  depth: number,
): AjvSchema {
  // A number that no double holds is an object to ajv, one without members.
  if (further === false) return { noNumber: true, additionalProperties: false };
  const nameChecks = {
    ...(use === 'stored' ? { maxLength: BOUNDS.keyLength, storable: true } : {}),
    ...(typeof names === 'object' ? keySchema(names) : {}),
  };
  return {
    noNumber: true,
    ...(Object.keys(nameChecks).length === 0
      ? {}
      : { propertyNames: { type: 'string', ...nameChecks } }),
    ...(further === true && use === 'message'
      ? {}
      : { additionalProperties: validationSchema(further, use, depth + 1) }),
  };
}

/** Returns the schema of a map's names or a set's keys: texts, whose format must be canonical. */
function keySchema(names: JSONSchema7): AjvSchema {
  const {
    description: _words,
    type: _string,
    format,
    normalize: _changes,
    ...checks
  } = names as Normalized;
  return formatNamed(format) === undefined ? checks : { ...checks, canonicalFormat: format };
}
