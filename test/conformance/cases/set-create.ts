import { expect } from 'vitest';
import { entry, err, serverId, setError, utcDate } from '../../support/expected.js';
import type { Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section I of cases.md: /set create (RFC 8620 5.3). */
export function setCreateCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const create = (objects: Readonly<Record<string, Json>>) =>
    suite.client.set(name, { accountId: suite.A1, create: objects });

  describe(`${name}: I. /set create`, () => {
    it('cases 213 and 215, 5.3: the whole response of one create', async () => {
      const before = await suite.state(suite.A1);
      const answer = await create({ k: suite.create('a') });
      expect(answer).toEqual({
        accountId: suite.A1,
        oldState: before,
        newState: await suite.state(suite.A1),
        created: { k: { id: serverId, created: utcDate, updated: utcDate, ...profile.defaults } },
        updated: null,
        destroyed: null,
        notCreated: null,
        notUpdated: null,
        notDestroyed: null,
      });
      // Decision 8: one step for each change record.
      expect(Number(answer.newState)).toBe(Number(before) + 1);
      const { id } = entry(answer.created, 'k');
      const { list } = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
      expect(list).toEqual([{ ...suite.shown('a'), ...entry(answer.created, 'k') }]);
    });

    const { required, textDefault } = profile;
    if (required.length > 0) {
      it('case 216, 5.3: a missing required property is invalidProperties', async () => {
        const nulls = Object.fromEntries(required.map((property) => [property, null]));
        const answer = await create({ k: {}, m: nulls });
        expect(answer.created).toBeNull();
        expect(answer.notCreated).toEqual({
          k: setError('invalidProperties', required),
          m: setError('invalidProperties', required),
        });
      });
    }
    if (textDefault !== undefined) {
      it('5.3: properties with a default may be left out and are reported', async () => {
        const answer = await create({ k: suite.beside() });
        expect(entry(answer.created, 'k')).toEqual({
          id: serverId,
          created: utcDate,
          updated: utcDate,
          ...profile.defaults,
          [text]: textDefault,
        });
      });
    }

    const { textMax } = profile;
    // Four octets a fox, and the rest of the object.
    if (textMax > 0 && textMax * 4 + 1000 < profile.octets) {
      it('case 218: the length of a text is counted in code points', async () => {
        const answer = await create({
          letters: suite.create('x'.repeat(textMax)),
          emoji: suite.create('🦊'.repeat(textMax)),
          long: suite.create('x'.repeat(textMax + 1)),
          foxes: suite.create('🦊'.repeat(textMax + 1)),
        });
        expect(Object.keys(answer.created ?? {}).sort()).toEqual(['emoji', 'letters']);
        expect(answer.notCreated).toEqual({
          long: setError('invalidProperties', [text]),
          foxes: setError('invalidProperties', [text]),
        });
      });
    }

    it('case 220, 5.3: an unknown property is invalidProperties, its object is not made', async () => {
      const before = await suite.snapshot(suite.A1);
      const answer = await create({
        k: { ...suite.create('a'), foo: 1 },
        n: { ...suite.create('a'), foo: null },
      });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        k: setError('invalidProperties', ['foo']),
        n: setError('invalidProperties', ['foo']),
      });
      expect(answer.newState).toBe(answer.oldState);
      expect(await suite.snapshot(suite.A1)).toEqual(before);
    });

    it('case 221, 5.3: all bad properties are listed', async () => {
      const answer = await create({
        k: { ...suite.beside(), [text]: 5, foo: 1, bar: null, 'x/y': 2 },
      });
      expect(answer.notCreated).toEqual({
        k: setError('invalidProperties', [text, 'foo', 'bar', 'x/y']),
      });
    });

    it('5.3: server-set properties of a create are invalidProperties', async () => {
      const now = '2026-01-02T03:04:05Z';
      const answer = await create({
        k: { ...suite.create('a'), id: 'x1', created: now, updated: now },
      });
      expect(answer.notCreated).toEqual({
        k: setError('invalidProperties', ['id', 'created', 'updated']),
      });
    });

    it('5.3: wrong types of a property are invalidProperties', async () => {
      const values: readonly Json[] = [5, true, [], {}, ['a'], { a: 1 }];
      const objects = Object.fromEntries(
        values.map((value, index) => [`k${index}`, { ...suite.create('a'), [text]: value }]),
      );
      const answer = await create(objects);
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual(
        Object.fromEntries(
          Object.keys(objects).map((key) => [key, setError('invalidProperties', [text])]),
        ),
      );
    });

    it('decision 13: a create that is no object is invalidProperties', async () => {
      const answer = await create({ a: null, b: 5, c: 'x', d: [], e: true });
      expect(answer.created).toBeNull();
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        expect(entry(answer.notCreated, key)).toEqual(
          expect.objectContaining({ type: 'invalidProperties', description: expect.any(String) }),
        );
      }
    });

    it('case 223, 5.3: a bad create leaves a good one alone', async () => {
      const answer = await create({ good: suite.create('good'), bad: { nope: 1 } });
      expect(Object.keys(answer.created ?? {})).toEqual(['good']);
      expect(Object.keys(answer.notCreated ?? {})).toEqual(['bad']);
      const { id } = entry(answer.created, 'good');
      const { list } = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
      expect(list).toHaveLength(1);
    });

    it('case 225, 5.3: a default that is given is stored', async () => {
      const given = Object.fromEntries(
        Object.entries(profile.defaults).filter(([key]) => !Object.hasOwn(profile.serverSet, key)),
      );
      const answer = await create({ k: { ...suite.create('a'), ...given } });
      const { id } = entry(answer.created, 'k');
      const { list } = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
      expect(list).toEqual([expect.objectContaining(profile.defaults)]);
    });

    it('case 243, 5.3: names of Object.prototype are unknown properties', async () => {
      const polluted = JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"toString":2}',
      ) as JsonMap;
      const object = Object.defineProperties(
        suite.create('a'),
        Object.getOwnPropertyDescriptors(polluted),
      );
      const answer = await create({ k: object });
      expect(answer.notCreated).toEqual({
        k: setError('invalidProperties', ['__proto__', 'constructor', 'toString']),
      });
      const later = await create({ k: suite.create('after') });
      expect(Object.keys(entry(later.created, 'k')).sort()).toEqual(
        ['id', 'created', 'updated', ...Object.keys(profile.defaults)].sort(),
      );
    });

    it('decision 13: an illegal creation id is invalidArguments, nothing is made', async () => {
      const before = await suite.snapshot(suite.A1);
      for (const key of ['', 'a b', '#a', 'é', 'a/b', 'x'.repeat(256)]) {
        expect(
          await suite.client.call(`${name}/set`, {
            accountId: suite.A1,
            create: { good: suite.create('a'), [key]: suite.create('b') },
          }),
        ).toEqual(err('invalidArguments'));
      }
      expect(await suite.snapshot(suite.A1)).toEqual(before);
    });

    suite.needsRoom(600)(
      'case 241, 5.3: more than maxObjectsInSet objects are requestTooLarge, nothing is made',
      async () => {
        const before = await suite.snapshot(suite.A1);
        const objects = Object.fromEntries(
          Array.from({ length: 501 }, (_, index) => [`k${index}`, suite.create('a')]),
        );
        const destroy = Array.from({ length: 250 }, (_, index) => `x${index}`);
        const update = Object.fromEntries(destroy.map((id) => [id, {}]));
        expect(
          await suite.client.call(`${name}/set`, {
            accountId: suite.A1,
            create: objects,
            update,
            destroy,
          }),
        ).toEqual(err('requestTooLarge'));
        expect(await suite.snapshot(suite.A1)).toEqual(before);
        const { k0: _, ...fewer } = objects;
        const answer = await suite.client.set(name, {
          accountId: suite.A1,
          create: fewer,
          update,
          destroy,
        });
        expect(Object.keys(answer.created ?? {})).toHaveLength(500);
        expect(Object.keys(answer.notUpdated ?? {})).toHaveLength(250);
        expect(Object.keys(answer.notDestroyed ?? {})).toHaveLength(250);
        await suite.clear(suite.A1);
      },
    );
  });
}
