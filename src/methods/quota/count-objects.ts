import type { DataTypeDefinition } from '../../capability/definition.js';
import { countsBlobs, countsObjects } from '../../capability/quota-definition.js';
import { hasUserValues } from '../../capability/user-values.js';
import type { Slices } from '../../runtime/slices.js';
import type { QueryPlan, Snapshot } from '../../store/port.js';
import { readInParts } from '../read-in-parts.js';
import { octetsOf } from '../set/object-octets.js';
import { indexOf } from '../type-index.js';
import type { KeptQuota, Quotas } from './quota-index.js';

/** Ids of a page, and objects that are read at once. */
const PAGE = 5000;
const BATCH = 200;
/** Octets that are read at once. */
const BATCH_OCTETS = 100_000_000;

/** In order of id. */
const ALL: QueryPlan = Object.freeze({
  filter: Object.freeze({ kind: 'all' }),
  sort: Object.freeze([]),
});

/** Returns what an account uses of a quota, by the objects and blobs that the snapshot has. */
export async function countObjects(
  quota: KeptQuota,
  { types }: Quotas,
  snapshot: Snapshot,
  slices: Slices,
): Promise<number> {
  if (quota.resource === 'count') return sumCounts(quota, types, snapshot);
  const counted = quota.types.flatMap((name) => types.get(name) ?? []);
  let used = countsBlobs(quota) ? await snapshot.blobOctets(counted.map(({ name }) => name)) : 0;
  if (!countsObjects(quota)) return used;
  for (const type of counted) {
    used += await sumOctets(type, snapshot, slices);
    if (hasUserValues(type)) used += await snapshot.valueOctets(type);
  }
  return used;
}

/** Returns how many objects an account has of a quota's types, by the counters of their states. */
export async function sumCounts(
  quota: KeptQuota,
  types: Quotas['types'],
  snapshot: Pick<Snapshot, 'objectCount'>,
): Promise<number> {
  let used = 0;
  for (const name of quota.types) {
    const type = types.get(name);
    if (type !== undefined) used += await snapshot.objectCount(type);
  }
  return used;
}

async function sumOctets(
  type: DataTypeDefinition,
  snapshot: Snapshot,
  slices: Slices,
): Promise<number> {
  let octets = 0;
  for (let position = 0; ; position += PAGE) {
    const { ids } = await snapshot.page(type, ALL, { position, limit: PAGE }, null);
    for (let at = 0; at < ids.length; at += BATCH) {
      const read = { type, properties: type.properties, maxOctets: BATCH_OCTETS };
      const some = ids.slice(at, at + BATCH);
      for await (const objects of readInParts(snapshot, { ...read, ids: some }))
        for (const object of objects) octets += octetsOf(indexOf(type), object);
      if (slices.isOver()) await slices.next();
    }
    if (ids.length < PAGE) return octets;
  }
}
