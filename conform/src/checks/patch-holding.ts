import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { Json, JsonMap } from '../client/json.js';
import { satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';
import { freeMapsOf, objectsOf, type Place, placesOf } from './patch-places.js';

/** Objects that checks of patches make, and what becomes of them. */

/**
 * An object with these values while something is done with it; the only one of a singleton gets its
 * own back.
 */
export async function held(
  subject: Subject,
  values: JsonMap,
  work: (id: string) => Promise<void>,
): Promise<void> {
  const { profile } = subject;
  const before: JsonMap = profile.singleton ? await subject.read('singleton') : {};
  const id = await subject.put1(values);
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
 * Of each property of objects or maps a value that `startOf` chooses, held while something is done
 * with it.
 */
export async function eachObject(
  subject: Subject,
  startOf: (subject: Subject, property: ModelProperty) => JsonMap,
  work: (holding: Holding & { readonly places: readonly Place[] }) => Promise<void>,
): Promise<void> {
  for (const property of objectsOf(subject)) {
    const { name } = property;
    const start = startOf(subject, property);
    const places = placesOf(property, start);
    await held(subject, { [name]: start }, (id) => work({ id, property, name, start, places }));
  }
}

/**
 * Of each map whose keys may be any short text the entries that `startOf` makes of a value that one
 * may have.
 */
export async function eachFreeMap(
  subject: Subject,
  startOf: (value: Json) => JsonMap,
  work: (holding: Holding & { readonly value: Json }) => Promise<void>,
): Promise<void> {
  for (const { property, value } of freeMapsOf(subject)) {
    const { name } = property;
    const start = startOf(value);
    await held(subject, { [name]: start }, (id) => work({ id, property, name, start, value }));
  }
}

export const noEntries = (): JsonMap => ({});
export const oneEntry = (value: Json): JsonMap => ({ a: value });

/** A patch of it is taken; what the property is then. */
export async function patched(
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

/** Each of the patches is refused, and leaves the object as it was. */
export async function refusesAll(
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
