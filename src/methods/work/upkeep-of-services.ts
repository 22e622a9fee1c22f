import type { Services } from '../context.js';
import type { Registry } from '../registry.js';
import { clock } from '../states.js';
import type { Upkeep } from './aggregate-upkeep.js';
import type { AccessRelations } from './scope-upkeep.js';

/** Returns what keeps the aggregates of a server's types. */
export function upkeepOf(services: Services): Upkeep {
  const { registry, hooks, limits } = services;
  return {
    aggregates: registry.relations.aggregates,
    compute: (type, object) => hooks?.compute(type, object) ?? object,
    now: () => clock(services),
    quotas: registry.quotas,
    access: accessRelationsOf(registry, limits.maxCascade),
  };
}

/** Objects that a call's cascades may change, where the settings don't say it. */
const MAX_CASCADE = 10_000;

/** Returns how the access to the objects of a server's types follows others. */
export function accessRelationsOf(
  { dataTypes, relations }: Pick<Registry, 'dataTypes' | 'relations'>,
  maximum = MAX_CASCADE,
): AccessRelations {
  const { inheriting, sharedTables } = relations;
  return { types: dataTypes, inheriting, sharedTables, maximum };
}
