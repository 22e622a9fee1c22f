import type { PropertyKind } from '../../../src/capability/definition.js';
import { type Located, member, text } from '../load/located.js';
import { formatOf } from './formats.js';

/** The types of a schema. */
export type TypeName = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object';

/** How a property of each type is kept, where no format says otherwise. */
const KINDS: Readonly<Record<TypeName, PropertyKind>> = Object.freeze({
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  array: 'json',
  object: 'json',
});

export const TYPE_NAMES = Object.freeze(Object.keys(KINDS)) as readonly TypeName[];

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
  if (type === undefined || !Object.hasOwn(KINDS, type)) return undefined;
  const kind = KINDS[type as TypeName];
  return kind === 'string' ? (formatOf(format)?.kind ?? kind) : kind;
}
