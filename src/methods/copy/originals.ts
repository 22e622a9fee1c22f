import { textSteps } from '../../capability/places.js';
import { runInSlices, type Steps } from '../../runtime/slices.js';
import type { BlobRow, Snapshot, StoredObject } from '../../store/port.js';
import { WORKING_OCTETS } from '../long-calls.js';
import type { Draft } from '../set/draft.js';
import { requireState } from '../states.js';
import type { BlobProperty, TypeIndex } from '../type-index.js';
import type { CopyPlan, CopyScene } from './copy-plan.js';

/**
 * The source account's part of a /copy. The blobs are read after the objects: one that has gone
 * meanwhile is lost to its copy.
 */
export interface Originals {
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** The blobs that copies will take along. */
  readonly blobs: readonly BlobRow[];
}

/** RFC 8620 5.4, phase 1. Throws `stateMismatch`. */
export async function readOriginals(
  { index, plan, from, context }: CopyScene,
  ifFromInState: string | null | undefined,
): Promise<Originals> {
  const ids = new Set(plan.sourceIds.values());
  const { store } = context.services;
  const objects = await store.read(from.id, context, async (snapshot) => {
    const state = await snapshot.stateNumber(index.type);
    requireState('ifFromInState', ifFromInState, state);
    const rows =
      ids.size === 0
        ? []
        : await snapshot.get(index.type, [...ids], index.type.properties, WORKING_OCTETS);
    return new Map(rows.map((row) => [row.id, row]));
  });
  // Not in the snapshot: reads that share its connection would wait for each turn.
  const blobIds = await runInSlices(blobsToCopy(index, plan, objects), context.startSlices());
  const readBlobs = (snapshot: Snapshot) => snapshot.blobs([...blobIds]);
  const blobs = blobIds.size === 0 ? [] : await store.read(from.id, context, readBlobs);
  return { objects, blobs };
}

/** The blobs of originals in properties that the copy doesn't override. */
function* blobsToCopy(
  index: TypeIndex,
  plan: CopyPlan,
  objects: ReadonlyMap<string, StoredObject>,
): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (index.blobs.length === 0) return ids;
  for (const { key, draft } of plan.creates) {
    const original = objects.get(plan.sourceIds.get(key) ?? '');
    if (original === undefined || draft.problems.any) continue;
    yield;
    for (const { name, blobs } of inheritedBlobs(index, draft)) {
      for (const id of yield* textSteps(blobs, original[name])) ids.add(id);
    }
  }
  return ids;
}

/**
 * The properties that hold blobs and that the copy takes over: they are neither overridden nor
 * computed anew.
 */
export function inheritedBlobs(index: TypeIndex, overrides: Draft): readonly BlobProperty[] {
  return index.blobs.filter(
    ({ name, computed }) => computed?.kind !== 'from' && !Object.hasOwn(overrides.values, name),
  );
}
