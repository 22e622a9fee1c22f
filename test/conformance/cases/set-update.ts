import { expect } from 'vitest';
import { at, entry, setError, utcDate } from '../../support/expected.js';
import type { Item, Json } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section J of cases.md: /set update and PatchObject (RFC 8620 5.3) as far as every type has it. */
export function setUpdateCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const update = (patches: Readonly<Record<string, Json>>) =>
    suite.client.set(name, { accountId: suite.A1, update: patches });
  const read = async (id: string): Promise<Item> =>
    at((await suite.client.get(name, { accountId: suite.A1, ids: [id] })).list, 0);

  describe(`${name}: J. /set update`, () => {
    it('case 246, 5.3: the whole response of one update', async () => {
      const id = await suite.one(suite.A1, 'before');
      const before = await read(id);
      const oldState = await suite.state(suite.A1);
      const answer = await update({ [id]: { [text]: 'after' } });
      expect(answer).toEqual({
        accountId: suite.A1,
        oldState,
        newState: await suite.state(suite.A1),
        created: null,
        updated: { [id]: suite.updated },
        destroyed: null,
        notCreated: null,
        notUpdated: null,
        notDestroyed: null,
      });
      expect(Number(answer.newState)).toBe(Number(oldState) + 1);
      expect(await read(id)).toEqual({ ...before, [text]: 'after', ...entry(answer.updated, id) });
    });

    it('cases 248 and 283, 5.3: a whole object sent back unchanged is no change', async () => {
      const id = await suite.one(suite.A1, 'same');
      const object = await read(id);
      const answer = await update({ [id]: object });
      expect(answer.updated).toEqual({ [id]: null });
      expect(answer.notUpdated).toBeNull();
      expect(answer.newState).toBe(answer.oldState);
      expect(await read(id)).toEqual(object);
      const empty = await update({ [id]: {} });
      expect(empty.updated).toEqual({ [id]: null });
      expect(empty.newState).toBe(empty.oldState);
    });

    it('case 250, 5.3: server-set values as they are now are fine beside a change', async () => {
      const id = await suite.one(suite.A1, 'before');
      const object = await read(id);
      const answer = await update({ [id]: { ...object, [text]: 'after' } });
      expect(answer.updated).toEqual({ [id]: suite.updated });
      expect(await read(id)).toEqual(expect.objectContaining({ [text]: 'after' }));
    });

    it('5.3: other server-set values are invalidProperties', async () => {
      const id = await suite.one(suite.A1, 'before');
      const object = await read(id);
      const answer = await update({
        [id]: {
          id: 'x1',
          created: '2001-02-03T04:05:06Z',
          updated: null,
          [text]: 'after',
        },
      });
      expect(answer.updated).toBeNull();
      expect(answer.notUpdated).toEqual({
        [id]: setError('invalidProperties', ['id', 'created', 'updated']),
      });
      expect(await read(id)).toEqual(object);
    });

    it('case 253, 5.3: an unknown id is notFound', async () => {
      const foreign = await suite.one(suite.A2);
      const wrong = ['x1', foreign, '', 'é', '__proto__'];
      const patches = Object.fromEntries(wrong.map((id) => [id, { [text]: 'x' }]));
      const answer = await update(patches);
      expect(answer.updated).toBeNull();
      expect(answer.notUpdated).toEqual(
        Object.fromEntries(wrong.map((id) => [id, setError('notFound')])),
      );
    });

    it('case 255, 5.3: one bad property among good ones leaves the record as it was', async () => {
      const id = await suite.one(suite.A1, 'before');
      const object = await read(id);
      const answer = await update({ [id]: { [text]: 'after', nope: 1, other: null } });
      expect(answer.notUpdated).toEqual({ [id]: setError('invalidProperties', ['nope', 'other']) });
      expect(answer.newState).toBe(answer.oldState);
      expect(await read(id)).toEqual(object);
    });

    it('case 256, 5.3: one bad record among good ones leaves the others alone', async () => {
      const [good = '', bad = ''] = await suite.make(suite.A1, 'a', 'b');
      const answer = await update({ [good]: { [text]: 'after' }, [bad]: { [text]: 5 } });
      expect(answer.updated).toEqual({ [good]: suite.updated });
      expect(answer.notUpdated).toEqual({ [bad]: setError('invalidProperties', [text]) });
      expect((await read(good))[text]).toBe('after');
      expect((await read(bad))[text]).toBe('b');
    });

    it('cases 258 and 261, 5.3: a pointer whose parents are not there is invalidPatch', async () => {
      const id = await suite.one(suite.A1, 'before');
      for (const pointer of [
        `${text}/x`,
        'nope/x',
        `${text}/x/y`,
        'created/x',
        '__proto__/x',
        'constructor/prototype/x',
      ]) {
        for (const value of [5, null]) {
          const answer = await update({ [id]: { [pointer]: value } });
          expect({ pointer, answer: answer.notUpdated }).toEqual({
            pointer,
            answer: { [id]: expect.objectContaining({ type: 'invalidPatch' }) },
          });
        }
      }
      expect((await read(id))[text]).toBe('before');
    });

    it('case 265, 5.3: a pointer that is the prefix of another is invalidPatch', async () => {
      const id = await suite.one(suite.A1, 'before');
      const answer = await update({ [id]: { [text]: 'x', [`${text}/a`]: 'y' } });
      expect(answer.notUpdated).toEqual({
        [id]: expect.objectContaining({ type: 'invalidPatch', description: expect.any(String) }),
      });
    });

    it('cases 268 and 270, 5.3: wrong escapes and leading slashes are never the property', async () => {
      const id = await suite.one(suite.A1, 'before');
      for (const pointer of [`${text}~2`, `${text}~`]) {
        const answer = await update({ [id]: { [pointer]: 'x' } });
        expect(answer.notUpdated).toEqual({
          [id]: expect.objectContaining({ type: 'invalidPatch' }),
        });
      }
      const slash = await update({ [id]: { [`/${text}`]: 'x' } });
      expect(['invalidPatch', 'invalidProperties']).toContain(entry(slash.notUpdated, id)['type']);
      expect((await read(id))[text]).toBe('before');
    });

    it('cases 273, 275 and 290, 5.3: null restores a default, and is invalid where none is', async () => {
      const id = await suite.one(suite.A1, 'before');
      if (profile.defaulted !== undefined) {
        const { property, default: value, other } = profile.defaulted;
        await update({ [id]: { [property]: other } });
        const answer = await update({ [id]: { [property]: null } });
        expect(answer.updated).toEqual({
          [id]: expect.objectContaining({ updated: utcDate, [property]: value }),
        });
        expect((await read(id))[property]).toEqual(value);
      }

      const nulled = await update({ [id]: { [text]: null } });
      const { textDefault } = profile;
      if (textDefault === undefined) {
        expect(nulled.notUpdated).toEqual({ [id]: setError('invalidProperties', [text]) });
        expect((await read(id))[text]).toBe('before');
      } else {
        const { [text]: reported = textDefault } = entry(nulled.updated, id) ?? {};
        expect([reported, (await read(id))[text]]).toEqual([textDefault, textDefault]);
      }
    });

    it('case 280, 5.3: names of Object.prototype are unknown properties', async () => {
      const id = await suite.one(suite.A1, 'before');
      const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":1}') as Json;
      const answer = await update({ [id]: patch });
      expect(answer.notUpdated).toEqual({
        [id]: setError('invalidProperties', ['__proto__', 'constructor']),
      });
    });

    it('decision 13: a patch that is no object is invalidPatch', async () => {
      const id = await suite.one(suite.A1, 'before');
      for (const patch of [null, 5, 'x', [], [{}], true]) {
        const answer = await update({ [id]: patch });
        expect(answer.notUpdated).toEqual({ [id]: setError('invalidPatch') });
      }
    });

    it('case 285: updates are applied to the records that they name', async () => {
      const ids = await suite.make(suite.A1, 'a', 'b', 'c');
      const patches = Object.fromEntries(ids.map((id, index) => [id, { [text]: `new ${index}` }]));
      const answer = await update(patches);
      expect(Object.keys(answer.updated ?? {}).sort()).toEqual([...ids].sort());
      for (const [index, id] of ids.entries()) expect((await read(id))[text]).toBe(`new ${index}`);
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 3);
    });

    it('case 288, decision 13: an update of what the call destroys is willDestroy', async () => {
      const id = await suite.one(suite.A1, 'before');
      const answer = await suite.client.set(name, {
        accountId: suite.A1,
        update: { [id]: { [text]: 'after' } },
        destroy: [id],
      });
      expect(answer.updated).toBeNull();
      expect(answer.notUpdated).toEqual({ [id]: setError('willDestroy') });
      expect(answer.destroyed).toEqual([id]);
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 1);
    });

    it('decision 10: `updated` moves on and `created` stays', async () => {
      const id = await suite.one(suite.A1, 'before');
      const before = await read(id);
      await update({ [id]: { [text]: 'after' } });
      const after = await read(id);
      expect(after['created']).toBe(before['created']);
      expect(Date.parse(String(after['updated']))).toBeGreaterThanOrEqual(
        Date.parse(String(before['updated'])),
      );
    });
  });
}
