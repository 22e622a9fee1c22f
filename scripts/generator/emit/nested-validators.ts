import type { AjvSchema } from '../../../src/descriptor/validation/schema.js';

/** Schemas of which parts are functions of their own. */
export interface Divided {
  /** In the order given. */
  readonly schemas: readonly AjvSchema[];
  /** By name: the parts, which the schemas and other parts refer to. */
  readonly definitions: ReadonlyMap<string, AjvSchema>;
}

/**
 * Returns the schemas with a reference in the place of each level of a definition that contains
 * itself. Levels within levels would make code whose size grows with each of them, and doubles if a
 * definition contains itself twice.
 */
export function divideNested(schemas: readonly AjvSchema[]): Divided {
  const names = new Map<string, string>();
  const definitions = new Map<string, AjvSchema>();
  const divide = (schema: AjvSchema): { schema: AjvSchema; isNested: boolean } => {
    let isNested = 'beyondDepth' in schema;
    if (isNested) return { schema, isNested };
    const inner = mapParts(schema, (part) => {
      const divided = divide(part);
      isNested ||= divided.isNested;
      return divided.schema;
    });
    const title = schema['title'];
    if (!isNested) return { schema, isNested };
    if (typeof title !== 'string') return { schema: inner, isNested };
    const text = JSON.stringify(inner);
    const name = names.get(text) ?? `${title}-${names.size + 1}`;
    names.set(text, name);
    definitions.set(name, inner);
    return { schema: { $ref: name }, isNested };
  };
  return { schemas: schemas.map((schema) => divide(schema).schema), definitions };
}

/** Keys whose value is a schema or a list of schemas. */
const PARTS: readonly string[] = ['items', 'additionalProperties', 'union', 'allOf'];

function mapParts(schema: AjvSchema, change: (part: AjvSchema) => AjvSchema): AjvSchema {
  const changed: Record<string, unknown> = { ...schema };
  for (const key of PARTS) {
    const value = schema[key];
    if (Array.isArray(value)) changed[key] = value.map((each) => change(each as AjvSchema));
    else if (isSchema(value)) changed[key] = change(value);
  }
  const { properties } = schema;
  if (isSchema(properties))
    changed['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, change(each as AjvSchema)]),
    );
  return changed;
}

function isSchema(value: unknown): value is AjvSchema {
  return typeof value === 'object' && value !== null;
}
