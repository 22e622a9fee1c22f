import type { SetOperation } from '../../capability/set-operations.js';
import type { SetArguments } from '../../capability/standard.js';
import { MethodError, type SetError, setError } from '../../protocol/errors.js';
import type { IdGenerator } from '../../protocol/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/paused-work.js';
import { resolveId } from '../creation-ids.js';
import { declaredMembers, firstToken, type TypeIndex } from '../type-index.js';
import { referredIds } from '../work/links.js';
import { groupsOf } from './circles.js';
import {
  type Author,
  type Birth,
  type CreationIds,
  draftCreate,
  type PlannedCreate,
} from './draft.js';

/* README.md in this folder has the stages of a /set, and what each adds. */

/**
 * The object that an entry of `update` or `destroy` names. "#" and a creation id may be of this
 * call. If its create fails they name nothing, and never what an earlier call created under them.
 */
export interface Target {
  /** As sent: an id, or "#" and a creation id. */
  readonly key: string;
  /** The id created under the key. The key itself if there is none: no object has such an id. */
  readonly id: string;
}

/** One entry of `update`, its names as declared; not yet applied to anything. */
export interface PlannedUpdate extends Target {
  readonly patch: JsonObject;
  /** The client's patch: the same one, unless a hook has replaced it. */
  readonly sent: JsonObject;
  /** By property: the stored form of the secrets in the patch. */
  readonly sealed?: JsonObject | undefined;
  /** Names of properties that it gives in both spellings, if any. */
  readonly doubled?: readonly string[] | undefined;
  /** Why it is no patch of anything. */
  readonly refused: SetError | null;
}

/** The things that planning needs beside the arguments. */
export interface PlanScene {
  /** Of earlier calls. */
  readonly createdIds: ReadonlyMap<string, string>;
  /** maxObjectsInSet. */
  readonly maximum: number;
  readonly ids: IdGenerator;
  readonly author?: Author;
  /** The type as the client knows it; absent where it knows all. */
  readonly known?: TypeIndex;
  /** The client's arguments, if a hook has replaced them. */
  readonly sent?: SentEntries | undefined;
  /** How entries of `create` are judged, if not as those of a /set. */
  readonly draft?: typeof draftCreate;
}

/** The client's own entries: its response tells what it can't know (5.3). */
export type SentEntries = Pick<SetArguments, 'create' | 'update'>;

/** A /set, or a /copy, judged as far as that goes without data. */
export interface SetPlan {
  readonly index: TypeIndex;
  /** The type as the client knows it: by what it may name, and what it is told. */
  readonly known: TypeIndex;
  /** In the order in which they are judged. */
  readonly creates: readonly PlannedCreate[];
  readonly createdIds: CreationIds;
  readonly author: Author;
  readonly updates: readonly PlannedUpdate[];
  /** Each key once. */
  readonly destroys: readonly Target[];
}

/**
 * Pauses before each object, so that others can have a turn. Throws `requestTooLarge` where
 * creates, updates and destroys together are more than `maximum` (5.3).
 */
export function* planSet(
  index: TypeIndex,
  args: Pick<SetArguments, 'create' | 'update' | 'destroy'>,
  scene: PlanScene,
): Steps<SetPlan> {
  const create = args.create ?? {};
  const creates = Object.keys(create);
  const updates = Object.entries(args.update ?? {});
  const others = creates.length + updates.length;
  const destroys = collectIds(args.destroy ?? NO_IDS, scene.maximum - others);
  requireObjects(others + destroys.length, scene.maximum);
  const { author = 'client', draft: draftOne = draftCreate, known = index, sent } = scene;
  const own = new Map<string, string>();
  const births = creates.map((key): Birth => {
    const birth = scene.ids.next('r');
    own.set(key, birth.id);
    return birth;
  });
  const createdIds = { earlier: scene.createdIds, own, ownType: index.type.name };
  const drafting = { index: known, createdIds, author, required: index.required };
  const planned: PlannedCreate[] = [];
  // Only now: each may refer to any other.
  let at = 0;
  for (const birth of births) {
    yield;
    const key = creates[at] ?? '';
    at += 1;
    const draft = yield* draftOne(drafting, create[key] ?? null);
    const entry = sent === undefined ? draft.sent : sentEntry(known, sent.create, key);
    const refused = refusalOf(index, 'create', author) ?? draft.refused;
    const isAsDrafted = entry === draft.sent && refused === draft.refused;
    planned.push({ key, draft: isAsDrafted ? draft : { ...draft, sent: entry, refused }, birth });
  }
  const targetOf = (key: string): Target => {
    return { key, id: resolveId(key, own, createdIds.earlier) ?? key };
  };
  const patches: PlannedUpdate[] = [];
  for (const [key, value] of updates) {
    yield;
    const update = planUpdate(known, targetOf(key), value);
    const entry = sent && sentEntry(known, sent.update, key, firstToken);
    patches.push(entry === undefined ? update : { ...update, sent: entry });
  }
  return {
    index,
    known,
    creates: index.references.length > 0 ? yield* inOrder(index, planned) : planned,
    createdIds,
    author,
    updates: patches,
    destroys: destroys.map(targetOf),
  };
}

/** Returns why clients may not do an operation of a type; null where they may. */
export function refusalOf(
  { type }: TypeIndex,
  operation: SetOperation,
  author: Author,
): SetError | null {
  if (author !== 'client' || type.refuses?.includes(operation) !== true) return null;
  return setError('forbidden', `The server alone may ${operation} objects of ${type.name}.`);
}

const NO_IDS: readonly string[] = Object.freeze([]);

/** Returns each of `ids` once; stops at the first that is beyond `maximum`. */
function collectIds(ids: readonly string[], maximum: number): readonly string[] {
  if (ids.length === 0) return ids;
  const found = new Set<string>();
  for (const id of ids) {
    found.add(id);
    if (found.size > maximum) break;
  }
  return [...found];
}

export function requireObjects(count: number, maximum: number): void {
  if (count <= maximum) return;
  throw new MethodError(
    'requestTooLarge',
    `The call is about more objects than maxObjectsInSet (${maximum}).`,
  );
}

function planUpdate(index: TypeIndex, target: Target, value: JsonValue): PlannedUpdate {
  const { key, id } = target;
  if (!isJsonObject(value)) {
    const refused = setError('invalidPatch', 'A PatchObject must be an object.');
    return { key, id, patch: NOTHING, sent: NOTHING, refused };
  }
  const { acceptSnakeCase } = index.type;
  const { object, doubled } = declaredMembers(value, index.properties, acceptSnakeCase, firstToken);
  const planned = { key, id, patch: object, sent: object, refused: null };
  return doubled.length === 0 ? planned : { ...planned, doubled };
}

const NOTHING: JsonObject = Object.freeze({});

/** Returns a client's object or patch under a key, its names as declared; no members if none. */
function sentEntry(
  index: TypeIndex,
  entries: SentEntries['create'],
  key: string,
  prefix?: (member: string) => string,
): JsonObject {
  const value = entries && Object.hasOwn(entries, key) ? entries[key] : null;
  if (!isJsonObject(value)) return NOTHING;
  return declaredMembers(value, index.properties, index.type.acceptSnakeCase, prefix).object;
}

/** A create and the creates that must come before it. */
interface Needs {
  readonly create: PlannedCreate;
  readonly references: readonly { readonly property: string; readonly id: string }[];
}

/**
 * Orders creates (or copies) as they were sent, but each behind those that it refers to. If two
 * collide, or there are too many, the later one is refused together with those that refer to it.
 * Creates that refer to one another in a circle have no order: each is refused. A client can't know
 * the ids that this call makes, so it wrote a reference to one of them as a creation id.
 */
function* inOrder(index: TypeIndex, creates: SetPlan['creates']): Steps<SetPlan['creates']> {
  const own = new Set(creates.map(({ birth }) => birth.id));
  const all = new Map<string, Needs>();
  for (const create of creates) {
    yield;
    const references = index.references.flatMap((reference) =>
      referredIds(reference, create.draft.values)
        .filter((id) => own.has(id))
        .map((id) => ({ property: reference.property.name, id })),
    );
    all.set(create.birth.id, { create, references });
  }
  if ([...all.values()].every(({ references }) => references.length === 0)) return creates;
  const sorted: PlannedCreate[] = [];
  const needed = (id: string) => all.get(id)?.references.map((need) => need.id) ?? [];
  for (const { ids, isCircle } of groupsOf(own, needed)) {
    for (const id of ids) {
      const needs = all.get(id);
      if (needs === undefined) continue;
      sorted.push(needs.create);
      if (isCircle) refuseCircle(needs, ids);
    }
  }
  return sorted;
}

function refuseCircle({ create, references }: Needs, circle: ReadonlySet<string>): void {
  for (const { property, id } of references) {
    if (circle.has(id))
      create.draft.problems.add(property, 'is part of a circle of creation references');
  }
}
