import type {
  CountedThing,
  QuotaDefinition,
  QuotaPlans,
} from '../../capability/quota-definition.js';
import { readAmount } from '../amounts.js';
import type { ModelCapability } from '../model.js';
import type { QuotaView } from '../quota-view.js';
import type { CapabilityView } from '../view.js';

/** Returns the quotas and plans of a capability; nothing where it has none: hashes stay. */
export function quotasOf(
  view: CapabilityView,
): Pick<ModelCapability, 'quotas' | 'plans' | 'unreferencedBlobs'> {
  const quotas = view.quotas.filter((quota) => quota.of === undefined).flatMap(buildQuota);
  const plans = plansOf(view, quotas);
  const unreferenced = view.quotas.find((quota) => quota.of !== undefined);
  const limit = unreferenced?.limits[0]?.value;
  return {
    ...(quotas.length === 0 ? {} : { quotas }),
    ...(quotas.length === 0 || Object.keys(plans).length === 0 ? {} : { plans }),
    ...(unreferenced === undefined || limit === undefined
      ? {}
      : { unreferencedBlobs: { name: unreferenced.name, limit } }),
  };
}

const THINGS: readonly CountedThing[] = ['objects', 'blobs'];

function buildQuota({ name, types, limits, counts, warn, soft, description }: QuotaView) {
  const [limit] = limits;
  if (limit?.value === undefined) return [];
  const counted = THINGS.filter((thing) => counts?.things.some((one) => one.name === thing));
  const quota: QuotaDefinition = {
    name,
    types: types.map((type) => type.name),
    resource: limit.resource,
    ...(counted.includes('blobs') ? { counts: counted } : {}),
    limit: limit.value,
    ...(warn?.value === undefined ? {} : { warn: warn.value }),
    ...(soft?.value === undefined ? {} : { soft: soft.value }),
    ...(description?.value === undefined ? {} : { description: description.value }),
  };
  return [quota];
}

function plansOf(view: CapabilityView, quotas: readonly QuotaDefinition[]): QuotaPlans {
  const resources = new Map(quotas.map(({ name, resource }) => [name, resource]));
  return Object.fromEntries(
    view.plans.map((plan) => [
      plan.name,
      Object.fromEntries(
        plan.limits.flatMap(({ name, node }) => {
          const resource = resources.get(name);
          const amount = resource && readAmount(node.value, resource);
          return amount === undefined ? [] : [[name, amount] as const];
        }),
      ),
    ]),
  );
}
