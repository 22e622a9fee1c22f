import type { AccountAccess } from '../../accounts/principal.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { replaceSteps, textSteps } from '../../capability/places.js';
import { type SetError, setError } from '../../protocol/errors.js';
import {
  emptyObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
} from '../../protocol/json.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import type { NewBlob, StoredObject } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { decrypt, encrypt } from '../encryption.js';
import { Problems, quoted } from '../issues.js';
import {
  type Draft,
  type DraftScene,
  draftCreate,
  IS_DOUBLED,
  isServerSet,
  type PlannedCreate,
} from '../set/draft.js';
import { type PlanScene, planSet, type SetPlan } from '../set/plan-set.js';
import { judgeUnknown, unknownNames } from '../set/unknown-members.js';
import { type BlobProperty, declaredName, type TypeIndex } from '../type-index.js';
import { referredIds } from '../work/links.js';

/** One /copy. */
export interface CopyScene {
  /** Its creates have the overrides of each copy. */
  readonly plan: SetPlan;
  readonly from: AccountAccess;
  readonly context: CallContext;
}

/** Pauses before each object. Throws `requestTooLarge` for more than maxObjectsInSet. */
export function planCopy(
  index: TypeIndex,
  create: Readonly<Record<string, JsonValue>>,
  scene: PlanScene,
): Steps<SetPlan> {
  return planSet(index, { create }, { ...scene, draft: draftEntry });
}

/**
 * 5.4: the object must have the `id` of the original; all else overrides. Null overrides a property
 * that may be absent: the copy goes without it.
 */
function* draftEntry(scene: DraftScene, value: JsonValue): Steps<Draft> {
  const { index, createdIds } = scene;
  const { name } = index.roles.id;
  const object = isJsonObject(value) ? value : {};
  const id = memberOf(object, name);
  const overrides = emptyObject();
  const removed: string[] = [];
  const strides = new Strides();
  for (const member of Object.keys(object)) {
    if (strides.isOver()) yield;
    if (member === name) continue;
    const given = object[member] ?? null;
    const own = given === null ? removableName(index, member) : undefined;
    if (own === undefined) overrides[member] = given;
    else removed.push(own);
  }
  const draft = withoutThem(yield* draftCreate({ ...scene, required: [] }, overrides), removed);
  if (typeof id !== 'string') {
    const problems = new Problems();
    problems.add(name, `must be the id of the ${index.type.name} to copy`);
    problems.addAll(draft.problems);
    return { ...draft, problems };
  }
  const sourceId = resolveId(id, createdIds.earlier);
  if (sourceId === null) return { ...draft, refused: originalNotFound(id) };
  // A /set refuses to create a singleton, whatever its original.
  if (index.type.singleton === true) return draft;
  // The response compares no refused copy with what the client sent.
  if (draft.problems.any) return { ...draft, sourceId };
  return { ...draft, sent: { ...draft.sent, [name]: id }, sourceId };
}

/** Returns the name of a property that an override of null removes; undefined for others. */
function removableName({ properties, type }: TypeIndex, member: string): string | undefined {
  const name = declaredName(member, properties, type.acceptSnakeCase);
  const property = properties.get(name);
  if (property?.optional !== true || property.nullable || isServerSet(property)) return undefined;
  return name;
}

function withoutThem(draft: Draft, removed: readonly string[]): Draft {
  if (removed.length === 0) return draft;
  const problems = new Problems(draft.problems);
  for (const name of removed) if (Object.hasOwn(draft.values, name)) problems.add(name, IS_DOUBLED);
  const nulls = Object.fromEntries(removed.map((name) => [name, null]));
  return {
    ...draft,
    problems,
    removed,
    sent: Object.assign(emptyObject(), draft.sent, nulls),
    values: Object.assign(emptyObject(), draft.values, nulls),
  };
}

function originalNotFound(id: string): SetError {
  return setError('notFound', `There is no object ${quoted(id)} to copy.`);
}

interface OriginalsScene extends CopyScene {
  /** By id, as the source account has them. */
  readonly originals: ReadonlyMap<string, StoredObject>;
  /** By source id: the copies of their octets. */
  readonly blobs: ReadonlyMap<string, NewBlob>;
}

/** Returns the creates that a /copy comes to: whole objects, judged as far as each goes alone. */
export function* draftCopies(scene: OriginalsScene): Steps<readonly PlannedCreate[]> {
  const creates: PlannedCreate[] = [];
  for (const create of scene.plan.creates) {
    yield;
    creates.push({ ...create, draft: yield* draftCopy(scene, create) });
  }
  return creates;
}

const IS_GONE = 'names a blob that is gone';

function* draftCopy(scene: OriginalsScene, create: PlannedCreate): Steps<Draft> {
  const { originals, plan } = scene;
  const { index } = plan;
  const { draft } = create;
  const { sourceId = null } = draft;
  if (sourceId === null) return draft;
  const original = originals.get(sourceId);
  if (original === undefined) return { ...draft, refused: originalNotFound(sourceId) };
  const problems = new Problems(draft.problems);
  for (const name of inheritedReferences(index, original, draft))
    problems.add(name, 'refers to objects of the source account');
  const secrets = inheritedSecrets(scene, original, create, problems);
  const { values: moved, lostNames } = yield* moveBlobs(scene, original, draft);
  // Octets are copied for overrides that are fine alone.
  if (!draft.problems.any) for (const name of lostNames) problems.add(name, IS_GONE);
  if (problems.any) return { ...draft, problems };
  const values = Object.assign(emptyObject(), original);
  // The server sets them anew, as for any new object.
  for (const { name } of serverSetOf(index.type)) delete values[name];
  // A copy is shared with nobody, but by an override.
  const { shareWith } = index.roles;
  if (shareWith !== undefined) delete values[shareWith.name];
  Object.assign(values, draft.values, moved, secrets);
  for (const name of draft.removed ?? []) delete values[name];
  const given = unknownNames(index, draft.values);
  if (given.length > 0) judgeUnknown(index, values, given, problems);
  if (problems.any) return { ...draft, problems };
  return { ...draft, sent: expectedOf(plan, draft.sent, original, moved), values };
}

/** The properties that a client can't give: hooks or the engine write them. */
const serverSetOf = deriveOnce(({ properties }: DataTypeDefinition) =>
  properties.filter((property) => property.role !== 'unknown' && isServerSet(property)),
);

/** Returns names of properties that would refer to objects of another account. */
function inheritedReferences(
  index: TypeIndex,
  original: StoredObject,
  overrides: Draft,
): readonly string[] {
  const names = index.references
    .filter(({ property }) => isInherited(property, overrides))
    .filter((reference) => referredIds(reference, original).length > 0)
    .map(({ property }) => property.name);
  return [...new Set(names)];
}

interface MovedBlobs {
  readonly values: JsonObject;
  /** Names of the properties whose blobs are gone. */
  readonly lostNames: readonly string[];
}

/**
 * 5.4 and 6: the blobs that the copy takes along are known under new ids in the target account.
 */
function* moveBlobs(
  { plan, blobs }: OriginalsScene,
  original: StoredObject,
  overrides: Draft,
): Steps<MovedBlobs> {
  const values = emptyObject();
  const lostNames: string[] = [];
  for (const { name, blobs: places } of inheritedBlobs(plan.index, overrides)) {
    const value = original[name] ?? null;
    const ids = [...(yield* textSteps(places, value))];
    if (ids.some((id) => !blobs.has(id))) lostNames.push(name);
    if (ids.length === 0) continue;
    values[name] = yield* replaceSteps(places, value, (id) => blobs.get(id)?.id ?? id);
  }
  return { values, lostNames };
}

/**
 * Returns the copy as the client expects it, without what the server sets (5.4). The client knows
 * nothing of an original that a hook chose.
 */
function expectedOf(
  { index, createdIds }: SetPlan,
  sent: JsonObject,
  original: StoredObject,
  moved: JsonObject,
): JsonObject {
  const id = sent[index.roles.id.name];
  const isKnown = typeof id === 'string' && resolveId(id, createdIds.earlier) === original.id;
  const expected = Object.assign(emptyObject(), isKnown ? original : {}, sent);
  const { shareWith } = index.roles;
  if (shareWith !== undefined && !Object.hasOwn(sent, shareWith.name))
    delete expected[shareWith.name];
  for (const property of index.visible) {
    const { name } = property;
    if (isServerSet(property) || Object.hasOwn(moved, name)) delete expected[name];
  }
  return expected;
}

/**
 * Returns the secrets of a copy that doesn't override its original's. A user who may not write to
 * the source account gets none of them, nor does one who reaches it by shares alone: they are null.
 * An encrypted secret is encrypted anew for the copy. Notes the properties for which this is
 * impossible.
 */
function inheritedSecrets(
  { plan, from, context }: CopyScene,
  original: StoredObject,
  { draft, birth }: PlannedCreate,
  problems: Problems,
): JsonObject {
  const { secretKey } = context.services;
  const { type, secrets } = plan.index;
  const values = emptyObject();
  for (const property of secrets) {
    const { name } = property;
    const stored = original[name];
    if (typeof stored !== 'string' || Object.hasOwn(draft.values, name)) continue;
    if (from.isReadOnly || from.isShared === true) {
      values[name] = null;
      if (property.required)
        problems.add(
          name,
          'is a secret of an account that you may only read: give the copy its own',
        );
    } else if (property.secret === 'encrypt') {
      const place = { type, property };
      const text =
        secretKey && decrypt(stored, secretKey, { accountId: from.id, id: original.id, ...place });
      if (typeof text === 'string' && secretKey !== undefined)
        values[name] = encrypt(text, secretKey, {
          accountId: accountOf(context).id,
          id: birth.id,
          ...place,
        });
      else problems.add(name, "can't be decrypted: give the copy its own");
    }
  }
  return values;
}

/** Returns whether a copy has the value of its original: no override, and none that is set anew. */
function isInherited(property: PropertyDefinition, { values }: Draft): boolean {
  return !isServerSet(property) && !Object.hasOwn(values, property.name);
}

/** Returns the properties that hold blobs and that the copy takes over. */
export function inheritedBlobs(index: TypeIndex, overrides: Draft): readonly BlobProperty[] {
  return index.blobs.filter((property) => isInherited(property, overrides));
}
