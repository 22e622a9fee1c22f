import { expect } from 'vitest';
import type { ModelProperty } from '../../../scripts/generator/model.js';
import { setError } from '../../support/expected.js';
import type { Json } from '../../support/json.js';
import { givable, isUnique, visible, writable } from '../descriptor.js';
import { same } from '../profile.js';
import type { Suite } from '../suite.js';
import { size, valuesOf } from '../values.js';
import { describedBlobCases } from './described-blobs.js';
import { describedCountCases } from './described-counts.js';
import { describedLimitCases } from './described-limits.js';
import { describedLinkCases } from './described-links.js';
import { describedPatchCases } from './described-patches.js';
import { describedQueryCases } from './described-query.js';
import { describedUniqueCases } from './described-unique.js';

/** What a type's descriptor says of it, each key by the answers that it leads to. */
export function describedCases(suite: Suite): void {
  describedValueCases(suite);
  describedAccessCases(suite);
  describedQueryCases(suite);
  describedPatchCases(suite);
  describedLinkCases(suite);
  describedUniqueCases(suite);
  describedCountCases(suite);
  describedBlobCases(suite);
  describedLimitCases(suite);
}

/** A SetError that names a property, or something within it. */
export function refusal(property: string): object {
  return expect.objectContaining({
    type: 'invalidProperties',
    properties: [expect.stringMatching(new RegExp(`^${property}(/|$)`))],
  });
}

function describedValueCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const properties = givable(described);

  /** Half of what an object may be: the rest of it takes some, too. */
  const fits = (value: Json) => size(value) < profile.octets / 2;
  const isCopy = ({ name }: ModelProperty) => profile.given.some((one) => one.name === name);

  describe(`${profile.name}: values, as its descriptor says`, () => {
    for (const property of properties) {
      const { name, required } = property;
      const { good, bad } = valuesOf(property);
      it(`${name}: values at its bounds are stored, one past them is refused`, async () => {
        for (const value of good.filter(fits)) {
          const { id, refused } = await suite.put({ [name]: value });
          expect({ value, refused }).toEqual({ value, refused: null });
          expect((await suite.read(id))[name]).toEqual(value);
          const isAlone = isUnique(described, property) || profile.count < 100;
          if (isAlone && !profile.singleton) await suite.set({ destroy: [id] });
        }
        const id = await suite.put1({});
        for (const value of bad.filter(fits)) {
          // A null restores the default of what need not be given.
          if (value !== null || !(profile.singleton || !required)) {
            const { refused } = await suite.update(id, { [name]: value });
            expect({ value, refused }).toEqual({ value, refused: refusal(name) });
          }
          if (profile.singleton) continue;
          const { refused } = await suite.put({ [name]: value });
          expect({ value, refused }).toEqual({ value, refused: refusal(name) });
        }
      });
    }

    if (profile.singleton) return;

    it('what is required must be given, the rest has its default', async () => {
      const { notCreated } = await suite.set({ create: { k: {} } });
      const { required } = profile;
      if (required.length > 0)
        expect(notCreated).toEqual({ k: setError('invalidProperties', required) });
      for (const name of required) {
        const { [name]: _, ...rest } = suite.create('t');
        const answer = await suite.set({ create: { k: rest } });
        expect(answer.notCreated).toEqual({ k: setError('invalidProperties', [name]) });
      }
      const item = await suite.read(await suite.one(suite.A1));
      for (const property of writable(described)) {
        const { name, default: value } = property;
        if (value !== undefined && name !== profile.text && !isCopy(property))
          expect({ [name]: item[name] }).toEqual({ [name]: value });
      }
    });
  });
}

function describedAccessCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const { properties } = described;

  describe(`${profile.name}: access, as its descriptor says`, () => {
    const immutable = writable(described).filter(({ access }) => access === 'immutable');
    if (immutable.length > 0)
      it('case 251, 5.3: what is immutable may be sent as it is, not otherwise', async () => {
        for (const property of immutable) {
          const { name, reference, blob } = property;
          const id = await suite.put1({});
          const value = (await suite.read(id))[name] ?? null;
          expect(await suite.update(id, { [name]: value })).toEqual({ set: null, refused: null });
          if (reference !== undefined || blob) continue;
          const other = isUnique(described, property)
            ? suite.differing(name)
            : valuesOf(property).good.find((one) => !same(one, value));
          if (other === undefined) continue;
          const { refused } = await suite.update(id, { [name]: other });
          expect(refused).toEqual(setError('invalidProperties', [name]));
          expect((await suite.read(id))[name]).toEqual(value);
        }
      });

    const ofServer = visible(described).filter(
      ({ access, role }) => access === 'serverSet' && role === undefined,
    );
    if (ofServer.length > 0)
      it('5.3: what the server sets is refused in a create, and as another value', async () => {
        const id = await suite.put1({});
        const item = await suite.read(id);
        for (const { name } of ofServer) {
          const value = item[name] ?? null;
          const { refused } = await suite.update(id, { [name]: value === 5 ? 6 : 5 });
          expect(refused).toEqual(setError('invalidProperties', [name]));
          expect(await suite.update(id, { [name]: value })).toEqual({ set: null, refused: null });
          if (profile.singleton) continue;
          expect((await suite.put({ [name]: value })).refused).toEqual(
            setError('invalidProperties', [name]),
          );
        }
      });

    const internal = properties.filter(({ access }) => access === 'internal');
    if (internal.length > 0)
      it('5.3: an internal property is unknown, in what is sent and what is answered', async () => {
        for (const { name, default: value = null } of internal) {
          const id = await suite.put1({});
          expect(await suite.read(id)).not.toHaveProperty(name);
          for (const one of [value as Json, 1, 'x']) {
            const { refused } = await suite.update(id, { [name]: one });
            expect(refused).toEqual(setError('invalidProperties', [name]));
            if (!profile.singleton)
              expect((await suite.put({ [name]: one })).refused).toEqual(
                setError('invalidProperties', [name]),
              );
          }
        }
      });

    const secret = properties.filter(({ access }) => access === 'secret');
    if (secret.length > 0)
      it('a secret can be given and changed, and is read by nobody', async () => {
        for (const property of secret) {
          const { name } = property;
          const { id, reported, refused } = await suite.put({ [name]: 's3cret of theirs' });
          expect(refused).toBeNull();
          const answers = [reported, await suite.read(id), await suite.all(suite.A1)];
          answers.push((await suite.update(id, { [name]: 'an0ther of theirs' })) as never);
          expect(JSON.stringify(answers)).not.toContain('of theirs');
          expect(await suite.read(id)).not.toHaveProperty(name);
          for (const value of valuesOf(property).bad) {
            if (value === null) continue;
            const refusedNow = (await suite.update(id, { [name]: value })).refused;
            expect({ value, refusedNow }).toEqual({ value, refusedNow: refusal(name) });
          }
        }
      });
  });
}
