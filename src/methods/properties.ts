import type { PropertyDefinition } from '../capability/definition.js';
import { declaredName } from './snake-case.js';
import type { TypeIndex } from './type-index.js';

/**
 * 5.1: the properties that a /get of these names shows, the id always among them, and the names that
 * are none's.
 */
export function propertiesNamed(
  index: TypeIndex,
  names: readonly string[],
): { readonly properties: readonly PropertyDefinition[]; readonly unknown: readonly string[] } {
  const { visible, type } = index;
  const wanted = new Set(
    names.map((name) => declaredName(name, index.properties, type.acceptSnakeCase)),
  );
  const known = new Set(visible.map(({ name }) => name));
  return {
    properties: visible.filter(({ name, role }) => role === 'id' || wanted.has(name)),
    unknown: [...wanted].filter((name) => !known.has(name)),
  };
}
