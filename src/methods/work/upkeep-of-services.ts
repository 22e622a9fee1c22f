import type { Services } from '../context.js';
import { clock } from '../states.js';
import type { Upkeep } from './aggregate-upkeep.js';

/** Returns what keeps the aggregates of a server's types. */
export function upkeepOf(services: Services): Upkeep {
  const { registry, hooks } = services;
  return {
    aggregates: registry.relations.aggregates,
    compute: (type, object) => hooks?.compute(type, object) ?? object,
    now: () => clock(services),
    quotas: registry.quotas,
  };
}
