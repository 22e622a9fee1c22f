import type { JSONSchema7 } from 'json-schema';
import { type Located, member } from '../located.js';
import { referenceTarget } from '../property-view.js';
import { isBlob } from '../schema-places.js';

/**
 * The key under which a schema says whose ids its texts are, or the keys of a set. Only emitters of
 * types look at it: it is a symbol, so that neither validators nor hashes see it.
 */
const IDS_OF: unique symbol = Symbol('whose ids these are');

/** The name of a type; null for blobs. */
export type IdTarget = string | null;

interface IdSchema extends JSONSchema7 {
  readonly [IDS_OF]?: IdTarget;
}

/** Returns the schema of ids of the target. */
export function withTarget(schema: JSONSchema7, target: IdTarget | undefined): JSONSchema7 {
  const marked: IdSchema = target === undefined ? schema : { ...schema, [IDS_OF]: target };
  return marked;
}

/** Returns whose ids the texts of a schema are; undefined if nothing says so. */
export function targetOf(schema: IdSchema): IdTarget | undefined {
  return schema[IDS_OF];
}

/** Returns the target that a node of a descriptor declares by `references`, `blob` or `setOf`. */
export function declaredTarget(node: Located | undefined): IdTarget | undefined {
  if (node === undefined) return undefined;
  const name = referenceTarget(node)?.name;
  if (name !== undefined) return name;
  return isBlob(node) || isBlob(member(node, 'setOf')) ? null : undefined;
}
