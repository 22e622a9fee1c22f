import { replaceSteps, textSteps } from '../../capability/places.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import type { NewBlob, StoredObject } from '../../store/port.js';
import { resolveId } from '../creation-ids.js';
import { Problems } from '../issues.js';
import { type Draft, isServerSet, type PlannedCreate } from '../set/draft.js';
import { sentObject } from '../set/report.js';
import type { TypeIndex } from '../type-index.js';
import { referredIds } from '../work/reference-values.js';
import { type CopyScene, originalNotFound } from './copy-plan.js';
import { inheritedSecrets } from './inherited-secrets.js';
import { inheritedBlobs } from './originals.js';

interface DraftScene extends CopyScene {
  /** By id, as the source account has them. */
  readonly originals: ReadonlyMap<string, StoredObject>;
  /** By source id: the copies of their octets. */
  readonly blobs: ReadonlyMap<string, NewBlob>;
}

/** Returns the creates that a /copy comes to: whole objects, judged as far as each goes alone. */
export function* draftCopies(scene: DraftScene): Steps<readonly PlannedCreate[]> {
  const creates: PlannedCreate[] = [];
  for (const create of scene.plan.creates) {
    yield;
    creates.push({ ...create, draft: yield* draftCopy(scene, create) });
  }
  return creates;
}

const IS_GONE = 'names a blob that is gone';

function* draftCopy(scene: DraftScene, create: PlannedCreate): Steps<Draft> {
  const { index, plan, originals } = scene;
  const { key, draft } = create;
  const sourceId = plan.sourceIds.get(key);
  if (sourceId === undefined) return draft;
  const original = originals.get(sourceId);
  if (original === undefined) return { ...draft, refused: originalNotFound(sourceId) };
  const problems = new Problems(draft.problems);
  for (const name of inheritedReferences(index, original, draft))
    problems.add(name, 'refers to objects of the source account');
  const secrets = inheritedSecrets(scene, original, create, problems);
  const { values: moved, lost } = yield* moveBlobs(scene, original, draft);
  // Octets are copied for overrides that are fine alone.
  if (!draft.problems.any) for (const name of lost) problems.add(name, IS_GONE);
  if (problems.any) return { ...draft, problems };
  const values = Object.assign(emptyObject(), original, draft.values, moved, secrets);
  return { ...draft, sent: expectedOf(scene, create, original, moved), values };
}

/** D17: names of properties that would refer to objects of another account. */
function inheritedReferences(
  index: TypeIndex,
  original: StoredObject,
  overrides: Draft,
): readonly string[] {
  return index.references
    .filter((property) => !Object.hasOwn(overrides.values, property.name))
    .filter((property) => referredIds(property, original[property.name]).length > 0)
    .map(({ name }) => name);
}

interface MovedBlobs {
  readonly values: JsonObject;
  /** Names of the properties whose blobs are gone. */
  readonly lost: readonly string[];
}

/**
 * 5.4 and 6: the blobs that the copy takes along are known under new ids in the target account.
 */
function* moveBlobs(
  { index, blobs }: DraftScene,
  original: StoredObject,
  overrides: Draft,
): Steps<MovedBlobs> {
  const values = emptyObject();
  const lost: string[] = [];
  for (const { name, blobs: places } of inheritedBlobs(index, overrides)) {
    const value = original[name] ?? null;
    const ids = [...(yield* textSteps(places, value))];
    if (ids.some((id) => !blobs.has(id))) lost.push(name);
    if (ids.length === 0) continue;
    values[name] = yield* replaceSteps(places, value, (id) => blobs.get(id)?.id ?? id);
  }
  return { values, lost };
}

/**
 * The copy as the client expects it, without what the server sets (5.4). The client knows nothing
 * of an original that a hook chose.
 */
function expectedOf(
  { index, plan, sent }: CopyScene,
  { key, draft }: PlannedCreate,
  original: StoredObject,
  moved: JsonObject,
): JsonObject {
  const given = sent === undefined ? draft.sent : sentObject(index, sent.create, key);
  const id = sent === undefined ? original.id : given[index.roles.id.name];
  const isKnown = typeof id === 'string' && resolveId(id, plan.createdIds.earlier) === original.id;
  const expected = Object.assign(emptyObject(), isKnown ? original : {}, given);
  for (const property of index.visible) {
    const { name } = property;
    if (isServerSet(property) || Object.hasOwn(moved, name)) delete expected[name];
  }
  return expected;
}
