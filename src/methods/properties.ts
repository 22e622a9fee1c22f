import type { PropertyDefinition } from '../capability/definition.js';
import { declaredName } from './snake-case.js';
import type { TypeIndex } from './type-index.js';

/**
 * Names that no property has, after which no further name is looked at: an error tells a few of
 * them.
 */
export const MAX_UNKNOWN = 1000;

/**
 * 5.1: the properties that a /get of these names shows, the id always among them, and the names that
 * are none's.
 */
export function propertiesNamed(
  index: TypeIndex,
  names: readonly string[],
): { readonly properties: readonly PropertyDefinition[]; readonly unknown: readonly string[] } {
  const { visible, type } = index;
  const known = new Set(visible.map(({ name }) => name));
  const seen = new Set<string>();
  const wanted = new Set<string>();
  const unknown = new Set<string>();
  for (const text of names) {
    if (seen.has(text)) continue;
    seen.add(text);
    const name = declaredName(text, index.properties, type.acceptSnakeCase);
    if (known.has(name)) wanted.add(name);
    else unknown.add(name);
    if (unknown.size === MAX_UNKNOWN) break;
  }
  return {
    properties: visible.filter(({ name, role }) => role === 'id' || wanted.has(name)),
    unknown: [...unknown],
  };
}
