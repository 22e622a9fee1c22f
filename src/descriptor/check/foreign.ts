import type { Location, Problem } from '../model.js';
import { besides, byPlace, isError } from '../problems.js';
import type { CapabilityView } from '../view.js';
import { checkDescriptors } from './index.js';

/**
 * Codes of descriptors from which this project's own server can't be generated. They are about
 * names of folders, columns and TypeScript, contents of indexes and columns, migrations, clients
 * that could slow the server down, and decisions where RFC 8620 leaves room. Some miss the access
 * rules of a type, which no server tells. A type that somebody else's server has may be like that.
 */
export const OURS: ReadonlySet<string> = new Set([
  'bad-condition-name',
  'bad-definition-name',
  'bad-file-name',
  'bad-method-name',
  'bad-property-name',
  'bad-rename',
  'bad-type-name',
  'bad-urn',
  'duplicate-capability',
  'duplicate-file-name',
  'duplicate-method',
  'missing-account-id',
  'nullable-default',
  'over-limit',
  'readable-alone',
  'required-set-argument',
  'session-contradiction',
  'stray-account-id',
  'unindexable',
  'unknown-capability',
  'unsafe-pattern',
]);

/**
 * Returns what is wrong with descriptors of types that another server may have: words that the
 * language doesn't know, what is missing, what contradicts itself. All of it, in order of place,
 * what was found in reading them among it.
 */
export function checkForeign(
  views: readonly CapabilityView[],
  read: readonly Problem[],
): readonly Problem[] {
  const unsaid = findServerSet(views);
  const found = checkDescriptors(
    views,
    (code, at) => OURS.has(code) || (code === 'missing-default' && unsaid.has(at)),
  );
  return [...read, ...besides(read, found)].filter(isError).sort(byPlace);
}

/**
 * Returns the places of properties that the server sets. Another server may compute them, so they
 * need no default; ours has to store something.
 */
function findServerSet(views: readonly CapabilityView[]): ReadonlySet<Location> {
  const properties = views.flatMap(({ types }) => types).flatMap((type) => type.properties);
  return new Set(
    properties.flatMap(({ access, nameAt }) => (access === 'serverSet' ? [nameAt] : [])),
  );
}
