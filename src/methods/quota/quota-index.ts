import { hash } from 'node:crypto';
import type { CapabilityDefinition } from '../../capability/capability-definition.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { countsBlobs, limitsAt, type QuotaDefinition } from '../../capability/quota-definition.js';
import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { indexOf } from '../type-index.js';

/** The capability of the type whose objects are the quotas of an account (RFC 9425). */
export const QUOTAS = 'urn:ietf:params:jmap:quota';

/** A quota as the engine keeps it. */
export interface KeptQuota extends QuotaDefinition {
  /** The id of its object, the same in each account: of its name. */
  readonly id: string;
  /** A hash of what `used` counts: of objects that were counted by another one it is wrong. */
  readonly basis: string;
}

/** All quotas of a project, indexed. */
export interface Quotas {
  /** The type of their objects. */
  readonly type: DataTypeDefinition;
  readonly all: readonly KeptQuota[];
  readonly byId: ReadonlyMap<string, KeptQuota>;
  /** By the name of a type that they count. */
  readonly byType: ReadonlyMap<string, readonly KeptQuota[]>;
  /** The types that they count. */
  readonly types: ReadonlyMap<string, DataTypeDefinition>;
  /** The limits of accounts with a plan: by the plan's name, by the quota's. */
  readonly plans: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Indexes the quotas of all capabilities; null where there are none. */
export function indexQuotas(
  capabilities: ReadonlyMap<string, CapabilityDefinition>,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): Quotas | null {
  const type = capabilities.get(QUOTAS)?.dataTypes[0];
  const declared = [...capabilities.values()].flatMap(({ quotas }) => quotas ?? []);
  if (type === undefined || declared.length === 0) return null;
  const all = declared.map((quota) => keptQuota(quota, dataTypes));
  const byType = new Map<string, KeptQuota[]>();
  for (const quota of all)
    for (const name of quota.types) byType.set(name, [...(byType.get(name) ?? []), quota]);
  const plans = new Map<string, Map<string, number>>();
  for (const { plans: ofCapability = {} } of capabilities.values()) {
    for (const [name, limits] of Object.entries(ofCapability))
      plans.set(name, new Map([...(plans.get(name) ?? []), ...Object.entries(limits)]));
  }
  return Object.freeze({
    type,
    all,
    byId: new Map(all.map((quota) => [quota.id, quota])),
    byType,
    types: new Map([...dataTypes].filter(([name]) => byType.has(name))),
    plans,
  });
}

function keptQuota(
  quota: QuotaDefinition,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): KeptQuota {
  const { name, types, resource, counts } = quota;
  const counted = types.map((each) => {
    const type = dataTypes.get(each);
    // The octets of an object follow from all that its type declares.
    return resource === 'count' ? type?.table : [type?.table, type?.hash];
  });
  const basis = countsBlobs(quota) ? [resource, counted, counts] : [resource, counted];
  return {
    ...quota,
    id: `q${hash('sha256', name, 'hex').slice(0, 24)}`,
    basis: hash('sha256', JSON.stringify(basis), 'base64url').slice(0, 22),
  };
}

/** The terms of an account: the name of its plan, and a limit of its own. */
export interface OwnTerms {
  readonly plan: string | null;
  readonly ownLimit: number | null;
}

/** Returns the terms that the object of a quota keeps. */
export function termsIn(row: StoredObject | undefined): OwnTerms {
  const plan = row?.['plan'];
  const ownLimit = row?.['ownLimit'];
  return {
    plan: typeof plan === 'string' ? plan : null,
    ownLimit: typeof ownLimit === 'number' ? ownLimit : null,
  };
}

/** Returns the object of a quota as its definition and the account's terms make it. */
export function quotaObject(
  quota: KeptQuota,
  { type, plans }: Quotas,
  terms: OwnTerms,
  counted: { readonly used: number; readonly counted: string },
): StoredObject {
  const { id, name, resource, types, description = null } = quota;
  const planned = terms.plan === null ? undefined : plans.get(terms.plan)?.get(name);
  const limit = terms.ownLimit ?? planned ?? quota.limit;
  const values = {
    ...{ id, name, description, types: [...types], resourceType: resource, scope: 'account' },
    ...{ ...limitsAt(quota, limit), ...terms, ...counted },
  };
  return Object.assign(emptyObject(), indexOf(type).blank, values) as StoredObject;
}

/** Returns whether an object says what the definition of its quota says, and counts as it says. */
export function isUpToDate(row: StoredObject, quotas: Quotas): boolean {
  const quota = quotas.byId.get(row.id);
  const { used, counted } = row;
  if (quota === undefined || typeof used !== 'number' || typeof counted !== 'string') return false;
  if (counted !== quota.basis) return false;
  return jsonEqual(row, quotaObject(quota, quotas, termsIn(row), { used, counted }));
}
