import {
  countsBlobs,
  countsObjects,
  type UnreferencedQuota,
} from '../../../src/capability/quota-definition.js';
import type { Model } from '../../../src/descriptor/model.js';
import type { Tell } from './model-change.js';

type Capability = Pick<Model['capabilities'][number], 'urn' | 'quotas' | 'unreferencedBlobs'>;
type Quota = NonNullable<Capability['quotas']>[number];

/** Tells which quotas refuse more than before, and which less. */
export function compareQuotas(
  { urn, quotas: was = [], unreferencedBlobs: before }: Capability,
  { quotas: is = [], unreferencedBlobs: after }: Capability,
  tell: Tell,
): void {
  compareUnreferenced(before, after, (isMore, text) => tell('wire', isMore, urn, text));
  for (const old of was)
    if (!is.some(({ name }) => name === old.name))
      tell('wire', false, urn, `quota ${old.name} removed`);
  for (const quota of is) {
    const old = was.find(({ name }) => name === quota.name);
    if (old === undefined) {
      tell('wire', true, urn, `quota ${quota.name} added: ${limitText(quota)}`);
      continue;
    }
    const isMore = old.resource !== quota.resource || quota.limit < old.limit;
    if (limitText(old) !== limitText(quota))
      tell('wire', isMore, urn, `quota ${quota.name}: ${limitText(old)} -> ${limitText(quota)}`);
    const counted = quota.types.filter((type) => !old.types.includes(type));
    if (counted.length > 0)
      tell('wire', true, urn, `quota ${quota.name} counts ${counted.join(', ')} too`);
    for (const [thing, does] of THINGS) {
      if (does(quota) === does(old)) continue;
      const more = does(quota) ? `${thing} too` : `no ${thing} any more`;
      tell('wire', does(quota), urn, `quota ${quota.name} counts ${more}`);
    }
    const left = old.types.filter((type) => !quota.types.includes(type));
    if (left.length > 0)
      tell('wire', false, urn, `quota ${quota.name} counts no ${left.join(', ')} any more`);
  }
}

function compareUnreferenced(
  was: UnreferencedQuota | undefined,
  is: UnreferencedQuota | undefined,
  tell: (isMore: boolean, text: string) => void,
): void {
  const [before, after] = [was, is].map((quota) => quota?.limit ?? Number.POSITIVE_INFINITY);
  if (before === undefined || after === undefined || before === after) return;
  const text = (limit: number): string => (Number.isFinite(limit) ? `${limit} octets` : 'no limit');
  tell(after < before, `unreferenced blobs of a user: ${text(before)} -> ${text(after)}`);
}

const THINGS = [
  ['objects', countsObjects],
  ['blobs', countsBlobs],
] as const;

function limitText({ resource, limit }: Quota): string {
  return `${limit} ${resource === 'count' ? 'objects' : 'octets'}`;
}
