import type { ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { equal, type Stored, shown, type Types, typeOf } from './account.js';
import { idsAt, linksOf, mapPlaces, unknownBlobs } from './places.js';

/** Objects of all types of an account, by type and id. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, Stored>>;

export interface Refusal {
  readonly type: string;
  /** Another type that is as right: no rule says which of two reasons is told. */
  readonly or?: string;
  readonly properties?: readonly string[];
  readonly existingId?: string;
  /** Names of the properties whose values the other object has. */
  readonly unique?: readonly string[];
  readonly objectIds?: readonly string[];
}

/** A create or an update that is right by itself: what its object becomes. */
export interface Operation {
  /** The creation id, or the id as it was sent. */
  readonly key: string;
  readonly isCreate: boolean;
  readonly id: string;
  readonly after: Stored;
  /** The client's view of the object once this is done: values as it sent them. */
  readonly view: Stored;
}

export interface Settled {
  /** Of operations, by creation id or id as sent. */
  readonly refused: ReadonlyMap<Operation, Refusal>;
  /** Of destroys, by id. */
  readonly kept: ReadonlyMap<string, Refusal>;
  /** With creates and updates, before destroys. */
  readonly proposed: Contents;
  readonly after: Contents;
}

interface Scene {
  readonly types: Types;
  readonly type: ModelType;
  readonly before: Contents;
  /**
   * In the order in which they are judged: creates, those that others refer to first, then updates.
   */
  readonly operations: readonly Operation[];
  readonly destroys: readonly string[];
}

type Draft = Map<string, Map<string, Stored>>;

const copyOf = (contents: Contents): Draft =>
  new Map([...contents].map(([name, objects]) => [name, new Map(objects)]));

/**
 * The final state of the call is judged. As long as it breaks a rule, what breaks it is
 * refused (of those that collide the later), and all is judged anew without it.
 */
export function judgeCall(scene: Scene): Settled {
  const refused = new Map<Operation, Refusal>();
  for (;;) {
    for (const one of scene.operations)
      if (!refused.has(one) && lacksObject(scene, one, refused))
        refused.set(one, { type: 'notFound' });
    const standing = scene.operations.filter((one) => !refused.has(one));
    const draft = copyOf(scene.before);
    for (const { id, after } of standing) draft.get(scene.type.name)?.set(id, after);
    const found = tooLarge(scene, standing, draft) ?? wrongReferences(scene, standing, draft);
    if (found !== undefined) {
      for (const [operation, refusal] of found) refused.set(operation, refusal);
      continue;
    }
    const proposed = copyOf(draft);
    const { kept, after } = destroy(scene, draft);
    const collided = collisions(scene, standing, after) ?? overCount(scene, standing, after);
    if (collided !== undefined) {
      for (const [operation, refusal] of collided) refused.set(operation, refusal);
      continue;
    }
    retell(scene, refused, proposed, after);
    count(scene, after);
    return { refused, kept, proposed, after };
  }
}

/** An update of what a create of the same call was to make, which is refused. */
function lacksObject(scene: Scene, { id, isCreate }: Operation, refused: Refusals): boolean {
  if (isCreate || scene.before.get(scene.type.name)?.has(id) === true) return false;
  return scene.operations.every((one) => one.id !== id || !one.isCreate || refused.has(one));
}

type Refusals = ReadonlyMap<Operation, Refusal>;
const some = (refusals: Map<Operation, Refusal>): Refusals | undefined =>
  refusals.size === 0 ? undefined : refusals;

function octets(type: ModelType, object: Stored): number {
  const id = 'r'.repeat(27);
  const date = '2026-01-02T03:04:05.678Z';
  const whole = shown(type).map((one) => {
    if (one.role === 'id') return [one.name, id];
    return [one.name, one.role === undefined ? object[one.name] : date];
  });
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(whole)));
}

function tooLarge({ type, before }: Scene, standing: readonly Operation[], _: Draft) {
  const limit = type.limits?.octets ?? Infinity;
  const found = new Map<Operation, Refusal>();
  for (const operation of lastsOf(standing)) {
    const old = before.get(type.name)?.get(operation.id);
    const size = octets(type, operation.after);
    const was = old === undefined ? 0 : octets(type, old);
    if (size > limit && size > was) found.set(operation, { type: 'tooLarge' });
  }
  return some(found);
}

/**
 * The last operation on an object that gave it one of these properties: it is refused for what they
 * are.
 */
function guilty(
  { type, before }: Scene,
  standing: readonly Operation[],
  id: string,
  names: readonly string[],
): Operation | undefined {
  const own = standing.filter((one) => one.id === id);
  const had = (n: number) => own[n - 1]?.after ?? before.get(type.name)?.get(id);
  const last = own.findLastIndex(({ after, isCreate }, n) =>
    names.some((name) => isCreate || !equal(had(n)?.[name], after[name])),
  );
  return own[last] ?? own.at(-1);
}

/** Of each object the first operation: in this order objects claim a value. */
const firstsOf = (standing: readonly Operation[]): readonly Operation[] =>
  standing.filter(({ id }, n) => standing.findIndex((one) => one.id === id) === n);

/** Of each object the last operation: what it is at the end is judged. */
const lastsOf = (standing: readonly Operation[]): readonly Operation[] =>
  standing.filter(({ id }, n) => standing.findLastIndex((one) => one.id === id) === n);

/**
 * Ids that operations bring in must be those of objects and blobs; no object leads back to itself.
 */
function wrongReferences(scene: Scene, standing: readonly Operation[], draft: Draft) {
  const { type, before } = scene;
  const found = new Map<Operation, Refusal>();
  for (const { id, after } of lastsOf(standing)) {
    const old = before.get(type.name)?.get(id);
    for (const name of unknownReferences(type, draft, after, old)) {
      const operation = guilty(scene, standing, id, [name]);
      if (operation === undefined) continue;
      const properties = [...(found.get(operation)?.properties ?? []), name];
      found.set(operation, { type: 'invalidProperties', properties });
    }
  }
  return some(found) ?? circle(scene, standing, draft);
}

/** Names of properties with ids that were not there before, and that no object or blob has. */
export function unknownReferences(
  type: ModelType,
  contents: Contents,
  object: Stored,
  old: Stored | undefined,
): readonly string[] {
  const names = linksOf(type).flatMap((link) => {
    const had = idsAt(link, old);
    const objects = contents.get(link.type);
    const added = idsAt(link, object).filter((id) => !had.includes(id));
    return added.every((id) => objects?.has(id) === true) ? [] : [link.name];
  });
  return [...new Set([...names, ...unknownBlobs(type, object, old)])];
}

/** The last of the operations that make a circle. */
function circle({ type, before }: Scene, standing: readonly Operation[], draft: Draft) {
  const objects = draft.get(type.name) ?? new Map<string, Stored>();
  for (const link of linksOf(type)) {
    const { name, acyclic } = link;
    if (!acyclic) continue;
    const leadsTo = (from: string, to: string, seen: Set<string>): boolean =>
      idsAt(link, objects.get(from)).some((id) => {
        if (id === to) return true;
        if (seen.has(id)) return false;
        seen.add(id);
        return leadsTo(id, to, seen);
      });
    const last = standing.findLast(
      ({ id, after }) =>
        !equal(before.get(type.name)?.get(id)?.[name], after[name]) && leadsTo(id, id, new Set()),
    );
    if (last !== undefined)
      return new Map([[last, { type: 'invalidProperties', properties: [name] }]]);
  }
  return undefined;
}

/**
 * Destroys come last: what holds them, what goes with them, what loses a link
 * (docs/reference/properties.md).
 */
function destroy({ types, type, destroys }: Scene, draft: Draft) {
  const kept = new Map<string, Refusal>();
  for (;;) {
    const roots = destroys.filter((id) => !kept.has(id) && draft.get(type.name)?.has(id) === true);
    const going = new Set(roots.flatMap((id) => [...withFollowers(types, draft, type.name, id)]));
    const held = roots.flatMap((id) => {
      const holders = [...withFollowers(types, draft, type.name, id)].flatMap((gone) =>
        linksTo(types, draft, gone, 'restrict').filter((holder) => !going.has(holder)),
      );
      const objectIds = [...new Set(holders.map(idOf))].sort();
      return holders.length === 0 ? [] : [[id, { type: 'objectIsLinked', objectIds }] as const];
    });
    for (const [id, refusal] of held) kept.set(id, refusal);
    if (held.length > 0) continue;
    for (const gone of going) unlink(types, draft, gone);
    for (const gone of going) draft.get(nameOf(gone))?.delete(idOf(gone));
    return { kept, after: draft };
  }
}

const keyOf = (type: string, id: string): string => `${type} ${id}`;
const nameOf = (key: string): string => key.slice(0, key.indexOf(' '));
const idOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

/** Keys of objects that refer to one by references of a kind. */
function linksTo(types: Types, draft: Draft, key: string, onDestroy: string): readonly string[] {
  return [...draft].flatMap(([name, objects]) => {
    const links = linksOf(typeOf(types, name)).filter(
      (link) => link.type === nameOf(key) && link.onDestroy === onDestroy,
    );
    return [...objects].flatMap(([id, object]) =>
      links.some((link) => idsAt(link, object).includes(idOf(key))) ? [keyOf(name, id)] : [],
    );
  });
}

function withFollowers(types: Types, draft: Draft, type: string, id: string): Set<string> {
  const found = new Set([keyOf(type, id)]);
  for (const key of found) for (const one of linksTo(types, draft, key, 'cascade')) found.add(one);
  return found;
}

function unlink(types: Types, draft: Draft, gone: string): void {
  for (const key of linksTo(types, draft, gone, 'setNull')) {
    const objects = draft.get(nameOf(key));
    const changed: JsonMap = { ...objects?.get(idOf(key)) };
    for (const { name, type, place, onDestroy } of linksOf(typeOf(types, nameOf(key))))
      if (type === nameOf(gone) && onDestroy === 'setNull')
        changed[name] = mapPlaces([place], changed[name] ?? null, (id) =>
          id === idOf(gone) ? null : id,
        );
    objects?.set(idOf(key), changed);
  }
}

/**
 * An entry that lost to an object of the call that is refused itself is told so: none is there that
 * it could name.
 */
function retell(
  scene: Scene,
  refused: Map<Operation, Refusal>,
  proposed: Contents,
  after: Contents,
): void {
  const { type, before } = scene;
  const unknownOf = ({ id, after: wanted }: Operation) =>
    unknownReferences(type, proposed, wanted, before.get(type.name)?.get(id));
  for (const [operation, refusal] of [...refused]) {
    const { existingId, unique = [], properties = [] } = refusal;
    // The object that it refers to may have been refused after it.
    if (refusal.type === 'invalidProperties') {
      const all = [...new Set([...properties, ...unknownOf(operation)])];
      refused.set(operation, { ...refusal, properties: all });
    }
    if (existingId === undefined) continue;
    const valuesOf = (object: Stored | undefined) => unique.map((name) => object?.[name]);
    const holder = after.get(type.name)?.get(existingId);
    if (equal(valuesOf(holder), valuesOf(operation.after))) continue;
    const first = scene.operations.find(({ id, isCreate }) => isCreate && id === existingId);
    const why = first === undefined ? undefined : refused.get(first);
    refused.set(
      operation,
      why?.type === 'overQuota' && operation.isCreate
        ? { type: 'overQuota' }
        : {
            type: 'invalidProperties',
            properties: [...new Set([...unique, ...unknownOf(operation)])],
          },
    );
  }
}

/** No two objects share a value; null is equal to nothing. */
function collisions(scene: Scene, standing: readonly Operation[], after: Draft) {
  const { type, before } = scene;
  const found = new Map<Operation, Refusal>();
  const objects = after.get(type.name) ?? new Map<string, Stored>();
  for (const { properties } of type.uniques) {
    const key = (object: Stored | undefined): string | null => {
      const values = properties.map(({ name }) => object?.[name] ?? null);
      return values.includes(null) ? null : JSON.stringify(values);
    };
    const names = properties.map(({ name }) => name);
    const taken = new Map<string, string>();
    const claims = firstsOf(standing).filter(({ id }) => {
      const [now, old] = [key(objects.get(id)), key(before.get(type.name)?.get(id))];
      return now !== null && now !== old;
    });
    for (const [id, object] of objects) {
      const value = key(object);
      if (value !== null && claims.every((claim) => claim.id !== id)) taken.set(value, id);
    }
    for (const operation of claims) {
      const value = key(objects.get(operation.id)) ?? '';
      const existingId = taken.get(value);
      if (existingId === undefined) taken.set(value, operation.id);
      else if (existingId !== operation.id) {
        const loser = guilty(scene, standing, operation.id, names) ?? operation;
        found.set(loser, { type: 'alreadyExists', existingId, unique: names });
      }
    }
  }
  return some(found);
}

function overCount({ type }: Scene, standing: readonly Operation[], after: Draft) {
  const creates = standing.filter(
    ({ isCreate, id }) => isCreate && after.get(type.name)?.has(id) === true,
  );
  const over = (after.get(type.name)?.size ?? 0) - (type.limits?.count ?? Infinity);
  if (over <= 0 || creates.length === 0) return undefined;
  return some(new Map(creates.slice(-over).map((one) => [one, { type: 'overQuota' }])));
}

/** `computed: { count }`, for every object of every type. */
function count({ types }: Scene, after: Draft): void {
  for (const [name, objects] of after) {
    for (const { name: counted, computed } of shown(typeOf(types, name))) {
      if (computed?.kind !== 'count') continue;
      const by = linksOf(typeOf(types, computed.type)).find((link) => link.name === computed.by);
      if (by === undefined) continue;
      for (const [id, object] of objects) {
        const refer = [...(after.get(computed.type)?.values() ?? [])].filter((one) =>
          idsAt(by, one).includes(id),
        );
        const value: Json = refer.length;
        if (object[counted] !== value) objects.set(id, { ...object, [counted]: value });
      }
    }
  }
}
