import type { PropertyKind } from '../../../src/capability/definition.js';
import { type Located, member, text } from '../load/located.js';

/** The one type of a schema and whether null is allowed beside it. A set is an object. */
export function typeOf(node: Located): { type: string | undefined; nullable: boolean } {
  const type = member(node, 'type');
  const fallback = member(node, 'setOf') === undefined ? undefined : 'object';
  if (type?.items === undefined) return { type: text(type) ?? fallback, nullable: false };
  const names = type.items.map(text);
  const others = names.filter((name) => name !== 'null');
  return {
    type: others.length === 1 ? others[0] : undefined,
    nullable: names.includes('null'),
  };
}

export function kindOf(
  type: string | undefined,
  format: string | undefined,
): PropertyKind | undefined {
  switch (type) {
    case 'string':
      return format === 'utc-date' ? 'date' : 'string';
    case 'boolean':
    case 'integer':
    case 'number':
      return type;
    case 'array':
    case 'object':
      return 'json';
    default:
      return undefined;
  }
}
