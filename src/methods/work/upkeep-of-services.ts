import type { Services } from '../context.js';
import type { Registry } from '../registry.js';
import { MAX_CASCADE } from '../set/destroys.js';
import { clock } from '../states.js';
import type { Upkeep } from './aggregate-upkeep.js';
import type { AccessRelations } from './scope-upkeep.js';

/** Returns what keeps the aggregates of a server's types. */
export function upkeepOf(services: Services): Upkeep {
  const { registry, hooks, limits, principals, ids } = services;
  return {
    aggregates: registry.relations.aggregates,
    compute: (type, object) => hooks?.compute(type, object) ?? object,
    now: () => clock(services),
    quotas: registry.quotas,
    access: accessRelationsOf(registry, limits.maxCascade),
    principals: principals === undefined ? null : { ids, isLimited: principals.mode !== 'all' },
  };
}

/** Rows of scopes that a call may write: one for each object and each scope that sees it. */
const MAX_SCOPE_ROWS = 100_000;

/** Returns how the access to the objects of a server's types follows others. */
export function accessRelationsOf(
  { dataTypes: types, relations }: Pick<Registry, 'dataTypes' | 'relations'>,
  maximum = MAX_CASCADE,
  maximumRows = MAX_SCOPE_ROWS,
): AccessRelations {
  const { inheriting, followed, viewRules } = relations;
  const { sharedTables } = viewRules;
  return { types, inheriting, followed, sharedTables, maximum, maximumRows };
}
