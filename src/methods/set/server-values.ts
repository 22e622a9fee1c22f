import type { PropertyDefinition } from '../../capability/definition.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import { type Complaint, complaintsOf, quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';

/**
 * What is wrong with values that clients don't give (internal, serverSet and computed properties),
 * in stored form: hooks are held to the schema as clients are. The validator may put a double in the
 * place of a number that none holds exactly.
 */
export function complaintsOfServerValues(
  index: TypeIndex,
  values: JsonObject,
): readonly Complaint[] {
  const { server } = index.type.validate;
  return server === undefined ? complaintsOfKinds(index, values) : complaintsOf(server, values);
}

/** A definition without that validator was not emitted by us: its kinds alone are known. */
function complaintsOfKinds(index: TypeIndex, values: JsonObject): readonly Complaint[] {
  return index.type.properties.flatMap((property) => {
    const { name, kind } = property;
    if (!Object.hasOwn(values, name)) return [];
    if (isOfKind(property, values[name] ?? null)) return [];
    const text = `${quoted(name)} must be ${kind === 'json' ? 'JSON' : `a ${kind}`}`;
    return [{ member: name, text }];
  });
}

function isOfKind({ kind, nullable }: PropertyDefinition, value: JsonValue): boolean {
  if (value === null) return nullable;
  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'json':
      return true;
    case 'string':
    case 'date':
      return typeof value === 'string' && !value.includes('\u0000');
  }
}
