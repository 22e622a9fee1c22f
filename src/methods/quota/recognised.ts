import { hash } from 'node:crypto';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FilterNode, StoredObject } from '../../store/port.js';
import type { CallContext } from '../context.js';
import type { CompiledQuery } from '../query/query-plan.js';
import { idIsIn } from '../query/visible-plans.js';
import type { KeptQuota } from './quota-index.js';

/**
 * RFC 9425 4.1: a client sees of a quota the types whose capabilities its request names in `using`,
 * and no quota without any of these types.
 */

/** Returns the quotas of which the client sees nothing, or not all; null for another type. */
function quotasSeen(type: DataTypeDefinition, { services, request }: CallContext) {
  const { quotas, dataTypes } = services.registry;
  if (quotas === null || type !== quotas.type) return null;
  const isSeen = (name: string): boolean =>
    request.using.has(dataTypes.get(name)?.capability ?? '');
  const isHidden = ({ types }: KeptQuota): boolean => !types.some(isSeen);
  return { quotas, isSeen, isHidden };
}

/** Returns the objects of a type as the client may see them: those of quotas with fewer types. */
export function recognisedObjects(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  context: CallContext,
): readonly StoredObject[] {
  const seen = quotasSeen(type, context);
  if (seen === null) return objects;
  const { quotas, isSeen, isHidden } = seen;
  if (quotas.all.every(({ types }) => types.every(isSeen))) return objects;
  return objects.flatMap((object) => {
    const quota = quotas.byId.get(object.id);
    if (quota === undefined || isHidden(quota)) return [];
    if (!Array.isArray(object['types'])) return [object];
    return [{ ...object, types: quota.types.filter(isSeen) }];
  });
}

/** Returns a query whose result has only what the client may see. */
export function recognisedQuery(
  type: DataTypeDefinition,
  compiled: CompiledQuery,
  context: CallContext,
): CompiledQuery {
  const seen = quotasSeen(type, context);
  if (seen === null) return compiled;
  const { quotas, isSeen, isHidden } = seen;
  if (quotas.all.every(({ types }) => types.every(isSeen))) return compiled;
  const ids = quotas.all.filter((quota) => !isHidden(quota)).map(({ id }) => id);
  const filter: FilterNode = {
    kind: 'operator',
    operator: 'AND',
    conditions: [withoutHidden(compiled.plan.filter, isSeen), idIsIn(quotas.type, ids)],
  };
  const identity = hash('sha256', JSON.stringify([compiled.hash, ids]), 'base64url');
  return {
    plan: { ...compiled.plan, filter },
    hash: identity.slice(0, compiled.hash.length),
  };
}

/** Returns a filter in which no quota has a type that the client doesn't see. */
function withoutHidden(node: FilterNode, isSeen: (name: string) => boolean): FilterNode {
  if (node.kind === 'operator')
    return { ...node, conditions: node.conditions.map((one) => withoutHidden(one, isSeen)) };
  if (node.kind !== 'condition' || node.filter.property.name !== 'types') return node;
  return typeof node.value === 'string' && !isSeen(node.value) ? { kind: 'none' } : node;
}
