import type { JSONSchema7 } from 'json-schema';
import { expect } from 'vitest';
import type { ModelProperty } from '../../../scripts/generator/model.js';
import type { Json, JsonMap } from '../../support/json.js';
import { givable } from '../descriptor.js';
import { same } from '../profile.js';
import type { Suite } from '../suite.js';
import { keysOf, kindsOf, ofSchema, schemaOf, size, valuesOf } from '../values.js';
import { refusal } from './described.js';

/** A place within a property's value that a patch can name. */
interface Place {
  /** Tokens after the property's name, unescaped. */
  readonly path: readonly string[];
  readonly schema: JSONSchema7;
  readonly value: Json;
  /** What must be there can't be removed. */
  readonly required: boolean;
}

const MOST = 14;

/** PatchObject (RFC 8620 5.3) on objects, maps and sets, as deep as the descriptor has them. */
export function describedPatchCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const json = givable(described).filter(
    ({ kind, access }) => kind === 'json' && access === 'mutable',
  );
  const objects = json.filter(({ schema }) => kindsOf(schema).includes('object'));
  const invalidPatch = expect.objectContaining({ type: 'invalidPatch' });

  /** The largest value that is not one of many entries, so that there is most to name in it. */
  const richest = (property: ModelProperty): JsonMap => {
    const values = valuesOf(property).good.filter((one) => size(one) < profile.octets / 4);
    const few = values.filter(
      (one) => one !== null && size(one) < 4000 && Object.keys(one).length < 20,
    );
    return few.toSorted((a, b) => size(b) - size(a))[0] as JsonMap;
  };

  describe(`${profile.name}: patches, as its descriptor says`, () => {
    for (const { name } of json.filter((one) => !objects.includes(one))) {
      it(`case 263, 5.3: ${name} is replaced as a whole`, async () => {
        const id = await suite.put1({});
        for (const pointer of [`${name}/0`, `${name}/-`, `${name}/x`])
          for (const value of ['x', null])
            expect((await suite.update(id, { [pointer]: value })).refused).toEqual(invalidPatch);
      });
    }

    for (const property of objects) {
      const { name, schema } = property;
      it(`cases 260, 261, 265 and 276, 5.3: ${name}: each place within it is set and removed`, async () => {
        const start = richest(property);
        const id = await suite.put1({ [name]: start });
        const found = placesIn(schema, start).slice(0, MOST);
        for (const place of found) {
          const pointer = pointerTo(name, place.path);
          const { good, bad } = ofSchema(place.schema);
          const isFlag = place.schema.enum?.[0] === true;
          const other = isFlag
            ? undefined
            : good.find((one) => one !== null && !same(one, place.value) && size(one) < 2000);
          const expectStored = async (value: JsonMap) =>
            expect({ pointer, value: (await suite.read(id))[name] }).toEqual({ pointer, value });

          if (other !== undefined) {
            expect((await suite.update(id, { [pointer]: other })).refused).toBeNull();
            await expectStored(replaced(start, place.path, other));
            await suite.update(id, { [pointer]: place.value });
            await expectStored(start);
          }
          for (const value of (isFlag ? [false, 1] : bad)
            .filter((one) => one !== null)
            .slice(0, 5)) {
            const { refused } = await suite.update(id, { [pointer]: value });
            expect({ pointer, value, refused }).toEqual({ pointer, value, refused: refusal(name) });
          }
          const removed = await suite.update(id, { [pointer]: null });
          if (place.required) expect(removed.refused).toEqual(refusal(name));
          else {
            await expectStored(replaced(start, place.path, undefined));
            // Again it is no change.
            expect(await suite.update(id, { [pointer]: null })).toEqual({
              set: null,
              refused: null,
            });
            await suite.update(id, { [pointer]: place.value });
          }
          const whole = { [name]: start, [pointer]: place.value };
          expect((await suite.update(id, whole)).refused).toEqual(invalidPatch);
          if (typeof place.value !== 'object' || Array.isArray(place.value))
            for (const value of [1, null])
              expect((await suite.update(id, { [`${pointer}/0`]: value })).refused).toEqual(
                invalidPatch,
              );
          await expectStored(start);
        }
      });

      it(`cases 258, 268 and 280, 5.3: ${name}: what is not there, and escapes`, async () => {
        const start = richest(property);
        const id = await suite.put1({ [name]: start });
        for (const value of [1, null, {}])
          expect((await suite.update(id, { [`${name}/nowhere/x`]: value })).refused).toEqual(
            invalidPatch,
          );
        for (const wrong of [`${name}/a~2`, `${name}/a~`])
          expect((await suite.update(id, { [wrong]: null })).refused).toEqual(invalidPatch);
        if (schema.properties !== undefined) {
          const { refused } = await suite.update(id, { [`${name}/noSuchMember`]: 1 });
          expect(refused).toEqual(refusal(name));
        }
        const of = schemaOf(schema.additionalProperties);
        const value = of.enum?.[0] === true ? true : ofSchema(of).good.find((one) => one !== null);
        if (schema.additionalProperties !== false && value !== undefined) {
          const { good, bad } = keysOf(schema);
          const added = good.filter((key) => !Object.hasOwn(start, String(key))).slice(0, 3);
          for (const key of added.map(String)) {
            const pointer = pointerTo(name, [key]);
            expect((await suite.update(id, { [pointer]: value as Json })).refused).toBeNull();
            expect((await suite.read(id))[name]).toEqual(replaced(start, [key], value as Json));
            await suite.update(id, { [pointer]: null });
          }
          for (const key of bad.map(String)) {
            const { refused } = await suite.update(id, { [pointerTo(name, [key])]: value as Json });
            expect({ key, refused }).toEqual({ key, refused: refusal(name) });
          }
        }
        expect((await suite.read(id))[name]).toEqual(start);
      });
    }
  });
}

/** Members and entries of a value, those of them, and so on. */
function placesIn(schema: JSONSchema7, value: Json, path: readonly string[] = []): Place[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const { properties, additionalProperties, required = [], minProperties } = schema;
  if (properties === undefined && schemaOf(additionalProperties).type === undefined) return [];
  const near: Place[] = [];
  const deep: Place[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const of = schemaOf(properties?.[key] ?? additionalProperties);
    const here = [...path, key];
    near.push({
      path: here,
      schema: of,
      value: inner,
      required: required.includes(key) || minProperties !== undefined,
    });
    deep.push(...placesIn(of, inner, here));
  }
  // Some of each level: the deepest are what is told apart last.
  return interleaved(near, deep);
}

function interleaved<T>(a: readonly T[], b: readonly T[]): T[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, index) =>
    [a[index], b[index]].filter((one) => one !== undefined),
  ).flat();
}

const pointerTo = (name: string, path: readonly string[]): string =>
  [name, ...path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

/** A value with another one at a place, or without it. */
function replaced(whole: JsonMap, [key = '', ...rest]: readonly string[], value?: Json): JsonMap {
  const entries = Object.entries(whole).filter(([name]) => name !== key);
  const inner = Object.entries(whole).find(([name]) => name === key)?.[1];
  const now = rest.length === 0 ? value : replaced(inner as JsonMap, rest, value);
  return Object.fromEntries(now === undefined ? entries : [...entries, [key, now]]);
}
