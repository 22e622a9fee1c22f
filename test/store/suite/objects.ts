import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import { Random } from '../../support/random.js';
import { condition, Gadget, gadget, gadgets, PROPERTIES } from '../gadget.js';
import { B, type Bench, HUGE } from './bench.js';

export function objectCases(bench: Bench): void {
  const { read, write, insert, all, found } = bench;

  describe('objects', () => {
    const values: readonly [string, Readonly<Record<string, JsonValue>>][] = [
      ['an empty object', {}],
      ['Unicode text', { title: 'Åland — 日本語 — ‮mirror', code: 'e\u0301' }],
      ['emoji', { title: '👩‍👩‍👧‍👦 🏳️‍🌈', code: '𝒳' }],
      ['quotes and JSON text', { title: `"'\\ {"a":[1]} ; DROP TABLE`, code: '' }],
      ['text that looks like a number', { title: '007', code: '1e3' }],
      ['the largest integers', { rank: Number.MAX_SAFE_INTEGER, done: true }],
      ['the smallest integer', { rank: Number.MIN_SAFE_INTEGER }],
      ['a double', { score: 0.1 + 0.2 }],
      ['the largest double', { score: Number.MAX_VALUE }],
      ['the smallest double', { score: Number.MIN_VALUE }],
      ['a whole number as a double', { score: 5 }],
      ['a date with a fraction', { due: '2026-02-28T23:59:59.12Z' }],
      ['a date before 1970', { due: '0001-01-01T00:00:00Z' }],
      ['a nested object', { meta: { a: { b: [1, null, 'x', { c: 1.5 }] }, ü: {} } }],
      ['an empty list', { meta: [] }],
      ['a number as JSON', { meta: 12 }],
      ['a text as JSON', { meta: '12' }],
      ['a boolean as JSON', { meta: false }],
      ['prototype names as JSON members', { meta: JSON.parse('{"__proto__":{"a":1}}') }],
    ];

    for (const [what, more] of values) {
      it(`keep ${what}`, async () => {
        const object = gadget('r1', more);
        await insert([object]);
        expect(await all()).toEqual([object]);
      });
    }

    // Few rows, many and more are written in ways of their own.
    for (const count of [2, 9, 10, 11, 87, 100, 101, 250]) {
      it(`keep all of that, ${count} at once, created and updated`, async () => {
        const gadgetsAt = (step: number) =>
          gadgets(count, (index) => values[(index + step) % values.length]?.[1] ?? {});
        await insert(gadgetsAt(0));
        expect(await all()).toEqual(gadgetsAt(0));
        await write((transaction) => transaction.writeRows('update', Gadget, gadgetsAt(1)));
        expect(await all()).toEqual(gadgetsAt(1));
      });
    }

    it('store -0 as 0', async () => {
      await insert([gadget('r1', { rank: -0, score: -0 })]);
      await insert(['r2', 'r3'].map((id) => gadget(id, { rank: -0, score: -0 })));
      for (const object of await all()) {
        expect(Object.is(object['rank'], 0)).toBe(true);
        expect(Object.is(object['score'], 0)).toBe(true);
      }
    });

    it('keep random doubles to the last bit', async () => {
      const view = new DataView(new ArrayBuffer(8));
      const random = Random.fromEnvironment();
      const doubles = Array.from({ length: 2000 }, () => {
        view.setUint32(0, random.integer(0, 2 ** 32 - 1));
        view.setUint32(4, random.integer(0, 2 ** 32 - 1));
        const double = view.getFloat64(0);
        return Number.isFinite(double) ? double : 0.1;
      });
      await insert(gadgets(2000, (index) => ({ score: doubles[index] ?? 0 })));
      const stored = (await all()).map((object) => object['score']);
      expect(stored, `seed ${random.seed}`).toEqual(doubles);
    });

    it('are replaced as a whole by an update', async () => {
      await insert([gadget('r1', { title: 'a', code: 'c', done: true }), gadget('r2')]);
      const changed = gadget('r1', { title: 'B', rank: 7, updated: '2026-05-05T00:00:00.5Z' });
      await write((transaction) => transaction.writeRows('update', Gadget, [changed]));
      expect(await all()).toEqual([changed, gadget('r2')]);
      expect(await found(condition('title', 'b'))).toEqual(['r1']);
      expect(await found(condition('title', 'a'))).toEqual([]);
    });

    it('are seen by no other account', async () => {
      await insert([gadget('r1', { title: 'mine' })]);
      await insert([gadget('r1', { title: 'theirs' }), gadget('r2')], B);
      await write((transaction) => transaction.destroy(Gadget, ['r1', 'r2']), B);
      expect(await all()).toEqual([gadget('r1', { title: 'mine' })]);
      expect(await all(B)).toEqual([]);
    });

    it('come with the properties asked for and the id', async () => {
      await insert([gadget('r1', { title: 'x', done: true })]);
      const get = (...properties: readonly (keyof typeof PROPERTIES)[]) =>
        read((snapshot) =>
          snapshot.get(
            Gadget,
            ['r1'],
            properties.map((property) => PROPERTIES[property]),
            HUGE,
          ),
        );
      expect(await get('done', 'title')).toEqual([{ id: 'r1', done: true, title: 'x' }]);
      expect(await get('id')).toEqual([{ id: 'r1' }]);
      expect(await get()).toEqual([{ id: 'r1' }]);
    });

    it('are left out by get where they are not there', async () => {
      await insert([gadget('r1'), gadget('r2')]);
      const get = (...wanted: readonly string[]) =>
        read((snapshot) => snapshot.get(Gadget, wanted, [PROPERTIES.id], HUGE));
      expect(await get()).toEqual([]);
      expect(await get('r3')).toEqual([]);
      expect(await get('r3', 'r2', "'")).toEqual([{ id: 'r2' }]);
    });

    it('come in order of id, at most so many', async () => {
      await insert([gadget('r3'), gadget('r1'), gadget('r2')]);
      const first = await read((snapshot) =>
        snapshot.get(Gadget, { first: 2 }, [PROPERTIES.id], HUGE),
      );
      expect(first.map((object) => object.id)).toEqual(['r1', 'r2']);
    });

    it('beyond maxOctets are requestTooLarge', async () => {
      await insert(gadgets(10, () => ({ title: 'x'.repeat(1000) })));
      const getFirst = (octets: number) =>
        read((snapshot) => snapshot.get(Gadget, { first: 10 }, Gadget.properties, octets));
      await expect(getFirst(5000)).rejects.toMatchObject({ type: 'requestTooLarge' });
      expect(await getFirst(20_000)).toHaveLength(10);
    });
  });
}
