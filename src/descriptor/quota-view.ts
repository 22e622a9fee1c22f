import type { QuotaLevel, QuotaResource } from '../capability/quota-definition.js';
import { readAmount, readLevel } from './amounts.js';
import { type Located, type Member, member, members, text } from './located.js';
import { type NameView, namesIn } from './name-view.js';

/** A value, as far as it is legal, with its place. */
export interface ReadView<T> {
  readonly node: Located;
  /** Undefined where it is none. */
  readonly value: T | undefined;
}

/** A quota as declared. */
export interface QuotaView extends Member {
  readonly types: readonly NameView[];
  /** `count` or `octets`, each where it is given; one of both is legal. */
  readonly limits: readonly (ReadView<number> & { readonly resource: QuotaResource })[];
  /** The things whose octets count; undefined where the quota doesn't say. */
  readonly counts: { readonly node: Located; readonly things: readonly NameView[] } | undefined;
  /** The place of `unreferenced`: the quota is of blobs that no object refers to. */
  readonly of: Located | undefined;
  readonly per: Located | undefined;
  readonly warn: ReadView<QuotaLevel> | undefined;
  readonly soft: ReadView<QuotaLevel> | undefined;
  readonly description: ReadView<string> | undefined;
}

/** A plan as declared: the limits that it sets. */
export interface PlanView extends Member {
  readonly limits: readonly Member[];
}

const RESOURCES: readonly QuotaResource[] = ['count', 'octets'];

/** Returns the quotas that a descriptor declares, in the order of the text. */
export function viewQuotas(root: Located): readonly QuotaView[] {
  return members(member(root, 'quotas')).map((each) => {
    const { node } = each;
    const limits = RESOURCES.flatMap((resource) => {
      const limit = member(node, resource);
      if (limit === undefined) return [];
      return [{ resource, node: limit, value: readAmount(limit.value, resource) }];
    });
    const resource = limits[0]?.resource ?? 'octets';
    const level = (key: string): ReadView<QuotaLevel> | undefined => {
      const found = member(node, key);
      return found && { node: found, value: readLevel(found.value, resource) };
    };
    const counts = member(node, 'counts');
    const description = member(node, 'description');
    return {
      ...each,
      types: namesIn(member(node, 'types')),
      limits,
      counts: counts && { node: counts, things: namesIn(counts) },
      of: member(node, 'of'),
      per: member(node, 'per'),
      warn: level('warn'),
      soft: level('soft'),
      description: description && { node: description, value: text(description)?.trim() },
    };
  });
}

/** Returns the plans that a descriptor declares. */
export function viewPlans(root: Located): readonly PlanView[] {
  return members(member(root, 'plans')).map((each) => ({ ...each, limits: members(each.node) }));
}
