import { expect } from 'vitest';
import type { ModelProperty } from '../../../scripts/generator/model.js';
import { entry } from '../../support/expected.js';
import type { Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';
import { valuesOf } from '../values.js';

/** `unique` of a descriptor, of one property or of several together (cases 235, 236 and 285). */
export function describedUniqueCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  if (described.uniques.length === 0 || profile.singleton) return;

  /** A value of each property of a key; those of which all objects may have the same are the same. */
  const key = async (properties: readonly ModelProperty[]): Promise<JsonMap> => {
    const values: [string, Json][] = [];
    for (const { name, reference, schema } of properties) {
      const prepared = suite.moved(suite.A1)[name];
      if (prepared !== undefined) values.push([name, prepared]);
      else if (reference !== undefined) {
        const target = suite.of(reference.type);
        await target.prepare([suite.A1]);
        values.push([name, await target.one(suite.A1, 'of a key')]);
      } else if (schema.enum !== undefined) values.push([name, schema.enum[0] as Json]);
      else values.push([name, suite.differing(name)]);
    }
    return Object.fromEntries(values);
  };
  const exists = (existingId: string) =>
    expect.objectContaining({ type: 'alreadyExists', existingId });
  const set = (args: object) => suite.set(args);

  describe(`${profile.name}: unique, as its descriptor says`, () => {
    for (const { name, properties } of described.uniques) {
      it(`cases 235 and 236, 5.3: no two objects share ${name}`, async () => {
        await suite.clear(suite.A1);
        const same = await key(properties);
        const { created, notCreated } = await set({
          create: {
            a: { ...suite.create('a'), ...same },
            b: { ...suite.create('b'), ...same },
          },
        });
        const { id } = entry(created, 'a');
        expect({ name, notCreated }).toEqual({ name, notCreated: { b: exists(id) } });
        const again = await suite.put(same);
        expect(again.refused).toEqual(exists(id));
        const answer = await set({
          create: { k: { ...suite.create('k'), ...same } },
          destroy: [id],
        });
        expect(entry(answer.created, 'k').id).not.toBe(id);
        await set({ destroy: [entry(answer.created, 'k').id] });
      });

      it(`5.3: ${name}: one that differs, or that is null, is no conflict`, async () => {
        await suite.clear(suite.A1);
        const same = await key(properties);
        const ids = [await suite.put1(same)];
        for (const property of properties) {
          const values = valuesOf(property).good.filter((one) => one !== same[property.name]);
          const canDiffer = property.reference === undefined && property.schema.enum === undefined;
          const other = canDiffer ? suite.differing(property.name) : values[0];
          if (property.nullable) {
            ids.push(await suite.put1({ ...same, [property.name]: null }));
            ids.push(await suite.put1({ ...same, [property.name]: null }));
            await set({ destroy: ids.splice(1) });
          }
          if (property.reference === undefined && other !== undefined && other !== null)
            ids.push(await suite.put1({ ...same, [property.name]: other }));
          await set({ destroy: ids.splice(1) });
        }
        await set({ destroy: ids });
      });

      const mutable = properties.find(
        ({ access, schema, reference }) =>
          access === 'mutable' && schema.enum === undefined && reference === undefined,
      );
      if (mutable === undefined) continue;
      it(`case 285, decision 13: updates of ${name} are judged on the final state`, async () => {
        await suite.clear(suite.A1);
        const first = await key(properties);
        const second = { ...first, [mutable.name]: suite.differing(mutable.name) };
        const [a, b] = [await suite.put1(first), await suite.put1(second)];
        const conflict = await suite.update(b, { [mutable.name]: first[mutable.name] ?? null });
        expect(conflict.refused).toEqual(expect.objectContaining({ type: 'alreadyExists' }));
        expect((await suite.read(b))[mutable.name]).toEqual(second[mutable.name]);
        const { notUpdated } = await set({
          update: {
            [a]: { [mutable.name]: second[mutable.name] ?? null },
            [b]: { [mutable.name]: first[mutable.name] ?? null },
          },
        });
        expect(notUpdated).toBeNull();
        expect((await suite.read(a))[mutable.name]).toEqual(second[mutable.name]);
        await set({ destroy: [a, b] });
      });
    }
  });
}
