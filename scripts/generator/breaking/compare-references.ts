import {
  isWholePlace,
  type Reference,
  referencesOf,
} from '../../../src/capability/named-references.js';
import { placeText } from '../../../src/capability/places.js';
import { mayHaveText } from '../../../src/descriptor/schema-places.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { SnapshotProperty } from '../migrations/snapshot.js';
import type { Tell } from './model-change.js';

/** `tellSeen` is silent about the wire where clients don't see the property. */
interface Tellers {
  readonly tell: Tell;
  readonly tellSeen: Tell;
}

/** Compares what a property refers to. Returns whether its ids would lead to another type. */
export function compareReferences(
  before: SnapshotProperty,
  after: SnapshotProperty,
  where: string,
  { tell, tellSeen }: Tellers,
): boolean {
  const [old, now] = [byPlace(before), byPlace(after)];
  let isRetargeted = false;
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)];
    if (factsOf(was) === factsOf(is)) continue;
    const { place } = (is ?? was) as Reference;
    const at = isWholePlace(place) ? '' : ` at ${placeText(place)}`;
    const isNew = was === undefined && at !== '' && !mayHaveText(before.schema, place);
    // Clients notice a hidden reference if it keeps an object that they destroy, or follows it.
    const isQuiet = is === undefined || is.onDestroy === 'setNull' || is.onDestroy === 'keep';
    const tellDestroys = isQuiet ? tellSeen : tell;
    tellDestroys('wire', is !== undefined && !isNew, where, `what it refers to changed${at}`);
    if (was !== undefined && is !== undefined && was.type !== is.type) isRetargeted = true;
    else tell('storage', false, where, `its reference records are made anew${at}`);
  }
  if (isRetargeted)
    tell('storage', true, where, 'refers to objects of another type: its values go');
  return isRetargeted;
}

function byPlace(property: SnapshotProperty): ReadonlyMap<string, Reference> {
  return new Map(referencesOf([property]).map((one) => [canonicalJson(one.place), one]));
}

function factsOf(reference: Reference | undefined): string {
  if (reference === undefined) return '';
  const { type, onDestroy, acyclic } = reference;
  return canonicalJson([type, onDestroy, acyclic]);
}
