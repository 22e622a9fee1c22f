import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { Json, JsonMap } from '../client/json.js';
import { satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';
import { findFreeMaps, findObjects, listPlaces, type Place } from './patch-places.js';

/** Objects that checks of patches make, and what becomes of them. */

/**
 * Stores these values in an object and works with it. Destroys it again; a singleton gets its own
 * values back.
 */
export async function withValues(
  subject: Subject,
  values: JsonMap,
  work: (id: string) => Promise<void>,
): Promise<void> {
  const { profile } = subject;
  const before: JsonMap = profile.singleton ? await subject.read('singleton') : {};
  const id = await subject.putOne(values);
  try {
    await work(id);
  } finally {
    if (!profile.singleton) await subject.set({ destroy: [id] });
    else {
      const own = Object.keys(values).map((name) => [name, before[name] ?? null] as const);
      await subject.update(id, Object.fromEntries(own));
    }
  }
}

/** An object that holds a value of one of its properties, to be patched. */
export interface Holding {
  readonly id: string;
  readonly property: ModelProperty;
  readonly name: string;
  readonly start: JsonMap;
}

/**
 * Stores for each property of objects or maps a value that `startOf` chooses, and works with the
 * object that holds it.
 */
export async function forEachObject(
  subject: Subject,
  startOf: (subject: Subject, property: ModelProperty) => JsonMap,
  work: (holding: Holding & { readonly places: readonly Place[] }) => Promise<void>,
): Promise<void> {
  for (const property of findObjects(subject)) {
    const { name } = property;
    const start = startOf(subject, property);
    const places = listPlaces(property, start);
    await withValues(subject, { [name]: start }, (id) =>
      work({ id, property, name, start, places }),
    );
  }
}

/**
 * Stores in each map whose keys may be any short text the entries that `startOf` makes of a legal
 * value, and works with the object.
 */
export async function forEachFreeMap(
  subject: Subject,
  startOf: (value: Json) => JsonMap,
  work: (holding: Holding & { readonly value: Json }) => Promise<void>,
): Promise<void> {
  for (const { property, value } of findFreeMaps(subject)) {
    const { name } = property;
    const start = startOf(value);
    await withValues(subject, { [name]: start }, (id) =>
      work({ id, property, name, start, value }),
    );
  }
}

/** Returns a map without entries. */
export const buildNoEntries = (): JsonMap => ({});
/** Returns a map with the value as its only entry. */
export const buildOneEntry = (value: Json): JsonMap => ({ a: value });

/** Applies a patch, which must be taken. Returns what the property is then. */
export async function applyPatch(
  subject: Subject,
  { id, name }: Pick<Holding, 'id' | 'name'>,
  patch: JsonMap,
): Promise<Json | undefined> {
  const { refused } = await subject.update(id, patch);
  expect({ patch, refused }).toEqual({ patch, refused: null });
  return (await subject.read(id))[name];
}

/** Matches the SetError of a patch that RFC 8620 5.3 forbids. */
export const invalidPatch = satisfying(
  'invalidPatch',
  (error) => (error as JsonMap | null)?.['type'] === 'invalidPatch',
);

/** Expects each of the patches to be refused, and the object to be as it was. */
export async function expectAllRefused(
  subject: Subject,
  id: string,
  refusal: object,
  patches: readonly JsonMap[],
): Promise<void> {
  const before = await subject.read(id);
  for (const patch of patches) {
    const { refused } = await subject.update(id, patch);
    expect({ patch, refused }).toEqual({ patch, refused: refusal });
  }
  expect(await subject.read(id)).toEqual(before);
}
