import { describe, expect, it } from 'vitest';
import { asSet } from '../../support/client.js';
import { at, entry, err, sameMembers, setError, utcDate } from '../../support/expected.js';
import type { Item, Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Sections F, H, I, J and K of cases.md for references, unique values and computed counts. */
export function gadgetReferenceCases(suite: Suite): void {
  const set = (args: object) => suite.client.set('Gadget', { accountId: suite.A1, ...args });
  const g = (more: JsonMap = {}): JsonMap => ({ title: 'g', ...more });
  const make = async (...gadgets: JsonMap[]): Promise<string[]> => {
    const create = Object.fromEntries(gadgets.map((one, index) => [`k${index}`, g(one)]));
    const { created } = await set({ create });
    return gadgets.map((_, index) => entry(created, `k${index}`).id);
  };
  const one = async (gadget: JsonMap = {}): Promise<string> => at(await make(gadget), 0);
  const read = async (id: string): Promise<Item> =>
    at((await suite.client.get('Gadget', { accountId: suite.A1, ids: [id] })).list, 0);
  const refused = (properties: readonly string[]) => setError('invalidProperties', properties);
  /** What a SetError must have, whatever is told beside it. */
  const kind = (type: string, more: JsonMap = {}): object =>
    expect.objectContaining({ type, description: expect.any(String), ...more });

  describe('Gadget: F. creation ids in references', () => {
    it('case 145, 5.3: of an earlier call; the real id is stored and reported', async () => {
      const { methodResponses } = await suite.client.api([
        ['Gadget/set', { accountId: suite.A1, create: { p: g() } }, 'a'],
        ['Gadget/set', { accountId: suite.A1, create: { c: g({ parentId: '#p' }) } }, 'b'],
      ]);
      const parent = entry(asSet(at(methodResponses, 0)[1]).created, 'p').id;
      const child = entry(asSet(at(methodResponses, 1)[1]).created, 'c');
      expect(child['parentId']).toBe(parent);
      expect((await read(child.id))['parentId']).toBe(parent);
      expect((await read(parent))['count']).toBe(1);
    });

    it('case 146, 5.3: of the same call, the child first; as keys of a set too', async () => {
      const { created } = await set({
        create: { c: g({ parentId: '#p', links: { '#p': true, '#q': true } }), p: g(), q: g() },
      });
      const [p, q] = [entry(created, 'p').id, entry(created, 'q').id];
      const child = entry(created, 'c');
      expect(child).toMatchObject({ parentId: p, links: { [p]: true, [q]: true } });
      expect(await read(child.id)).toMatchObject({ parentId: p, links: { [p]: true, [q]: true } });
    });

    it('5.3: a chain of creation ids, deepest first', async () => {
      const create: Record<string, JsonMap> = {};
      for (let depth = 40; depth > 0; depth -= 1)
        create[`k${depth}`] = g({ parentId: `#k${depth - 1}` });
      create['k0'] = g();
      const { created, notCreated } = await set({ create });
      expect(notCreated).toBeNull();
      for (let depth = 1; depth <= 40; depth += 1) {
        expect(entry(created, `k${depth}`)['parentId']).toBe(entry(created, `k${depth - 1}`).id);
      }
    });

    it('case 156, 5.3: a circle fails on each of it, and on what hangs from it', async () => {
      const { created, notCreated } = await set({
        create: {
          a: g({ parentId: '#b' }),
          b: g({ parentId: '#a' }),
          self: g({ parentId: '#self' }),
          hangs: g({ links: { '#a': true } }),
          fine: g(),
        },
      });
      expect(Object.keys(created ?? {})).toEqual(['fine']);
      expect(notCreated).toEqual({
        a: refused(['parentId']),
        b: refused(['parentId']),
        self: refused(['parentId']),
        hangs: kind('invalidProperties'),
      });
    });

    it('5.3: an update takes creation ids, as a value and in a pointer', async () => {
      const id = await one();
      const { created, updated } = await set({
        create: { p: g() },
        update: { [id]: { parentId: '#p', 'links/#p': true } },
      });
      const parent = entry(created, 'p').id;
      expect(entry(updated, id)).toMatchObject({ updated: utcDate, parentId: parent });
      expect(await read(id)).toMatchObject({ parentId: parent, links: { [parent]: true } });
      expect(entry(created, 'p')).toMatchObject({ count: 1 });
    });
  });

  describe('Gadget: I. what a reference may be', () => {
    it('cases 160 and 231, 5.3: no record of the account, no id', async () => {
      const made = await suite.client.set('Gadget', { accountId: suite.A2, create: { k: g() } });
      const foreign = entry(made.created, 'k').id;
      const wrong: readonly Json[] = [foreign, 'r1', '', '#nobody', 'no id', 5, {}, [], true];
      for (const parentId of wrong) {
        const { notCreated } = await set({ create: { k: g({ parentId }) } });
        expect({ parentId, notCreated }).toEqual({
          parentId,
          notCreated: { k: refused(['parentId']) },
        });
      }
      const id = await one();
      for (const parentId of [foreign, 'r1', '#nobody']) {
        const { notUpdated } = await set({ update: { [id]: { parentId } } });
        expect(notUpdated).toEqual({ [id]: refused(['parentId']) });
      }
      for (const links of [{ [foreign]: true }, { r1: true }, { [id]: false }, { [id]: null }]) {
        const { notCreated } = await set({ create: { k: g({ links }) } });
        expect(notCreated).toEqual({ k: kind('invalidProperties') });
      }
    });

    it('5.3: a record that is gone, or goes in the same call, is none', async () => {
      const [gone, going] = (await make({}, {})) as [string, string];
      await set({ destroy: [gone] });
      const { notCreated } = await set({ create: { k: g({ parentId: gone }) } });
      expect(notCreated).toEqual({ k: refused(['parentId']) });
      const answer = await set({ create: { k: g({ parentId: going }) }, destroy: [going] });
      // The final state is what counts: either the child is refused or the parent stays.
      const stays = answer.notDestroyed !== null;
      expect(stays).toBe(answer.created !== null);
    });

    it('decision 17: a copied reference is invalidProperties unless overridden', async () => {
      const parent = await one();
      const id = await one({ parentId: parent, links: { [parent]: true } });
      const answer = await suite.client.copy('Gadget', {
        fromAccountId: suite.A1,
        accountId: suite.A2,
        create: { a: { id }, b: { id, parentId: null }, c: { id, parentId: null, links: {} } },
      });
      expect(Object.keys(answer.created ?? {})).toEqual(['c']);
      expect(answer.notCreated).toEqual({
        a: kind('invalidProperties'),
        b: kind('invalidProperties'),
      });
    });
  });

  describe('Gadget: H. what is computed', () => {
    it('case 210, 5.2: a parent is updated with each child that comes, moves and goes', async () => {
      const [a, b] = (await make({}, {})) as [string, string];
      const step = async (change: object, updated: readonly string[]) => {
        const sinceState = await suite.state(suite.A1);
        const answer = await set(change);
        const changes = await suite.client.changes('Gadget', { accountId: suite.A1, sinceState });
        expect(changes.updated).toEqual(sameMembers(updated));
        expect(changes.newState).toBe(answer.newState);
        return answer;
      };
      const { created } = await step({ create: { c: g({ parentId: a }) } }, [a]);
      const child = entry(created, 'c').id;
      expect((await read(a))['count']).toBe(1);
      await step({ update: { [child]: { title: 'other' } } }, [child]);
      await step({ update: { [child]: { parentId: b } } }, [a, b, child]);
      expect([(await read(a))['count'], (await read(b))['count']]).toEqual([0, 1]);
      await step({ destroy: [child] }, [b]);
      expect((await read(b))['count']).toBe(0);
    });

    it('5.3: a computed property is the server’s; sent as it is, it changes nothing', async () => {
      const { notCreated } = await set({ create: { k: g({ count: 0 }) } });
      expect(notCreated).toEqual({ k: refused(['count']) });
      const id = await one();
      expect((await set({ update: { [id]: { count: 0 } } })).updated).toEqual({ [id]: null });
      const { notUpdated } = await set({ update: { [id]: { count: 5 } } });
      expect(notUpdated).toEqual({ [id]: refused(['count']) });
    });

    it('5.3: an internal property is unknown', async () => {
      const { notCreated } = await set({ create: { k: g({ cost: 1 }) } });
      expect(notCreated).toEqual({ k: refused(['cost']) });
      const id = await one();
      expect((await set({ update: { [id]: { cost: 0 } } })).notUpdated).toEqual({
        [id]: refused(['cost']),
      });
      expect(await read(id)).not.toHaveProperty('cost');
      const get = { accountId: suite.A1, ids: [id], properties: ['cost'] };
      expect(await suite.client.call('Gadget/get', get)).toEqual(err('invalidArguments', 'cost'));
    });
  });

  describe('Gadget: I, J. unique values', () => {
    it('case 235, 5.3: of two creates with one code the later one loses', async () => {
      const { created, notCreated } = await set({
        create: { a: g({ code: 'u235' }), b: g({ code: 'u235' }), c: g({ code: 'U235' }) },
      });
      expect(Object.keys(created ?? {})).toEqual(['a', 'c']);
      const { id } = entry(created, 'a');
      expect(notCreated).toEqual({ b: kind('alreadyExists', { existingId: id }) });
      const again = await set({ create: { k: g({ code: 'u235' }) } });
      expect(again.notCreated).toEqual({ k: kind('alreadyExists', { existingId: id }) });
      const elsewhere = { accountId: suite.A2, create: { k: g({ code: 'u235' }) } };
      expect((await suite.client.set('Gadget', elsewhere)).notCreated).toBeNull();
      expect((await set({ create: { x: g({ code: null }), y: g() } })).notCreated).toBeNull();
    });

    it('case 236, 5.3: the value of a destroyed record is free, in the same call too', async () => {
      const id = await one({ code: 'u236' });
      const { created } = await set({ create: { k: g({ code: 'u236' }) }, destroy: [id] });
      const next = entry(created, 'k').id;
      expect(next).not.toBe(id);
      await set({ destroy: [next] });
      expect(await one({ code: 'u236' })).not.toBe(next);
    });

    it('decision 13: two records may swap their values', async () => {
      const [a, b] = (await make({ code: 'u284a' }, { code: 'u284b' })) as [string, string];
      const { notUpdated } = await set({
        update: { [a]: { code: 'u284b' }, [b]: { code: 'u284a' } },
      });
      expect(notUpdated).toBeNull();
      expect([(await read(a))['code'], (await read(b))['code']]).toEqual(['u284b', 'u284a']);
    });

    it('case 285, 5.3: a conflict that stays: the later one is untouched', async () => {
      const [a, b, c] = (await make({ code: 'u285' }, {}, {})) as [string, string, string];
      const before = await read(c);
      const { updated, notUpdated } = await set({
        update: { [b]: { code: 'u285x' }, [c]: { code: 'u285x', title: 'no' } },
      });
      expect(Object.keys(updated ?? {})).toEqual([b]);
      expect(notUpdated).toEqual({ [c]: kind('alreadyExists') });
      expect(await read(c)).toEqual(before);
      expect((await set({ update: { [c]: { code: 'u285' } } })).notUpdated).toEqual({
        [c]: kind('alreadyExists'),
      });
      expect((await read(a))['code']).toBe('u285');
    });
  });

  describe('Gadget: J, K. trees and links', () => {
    it('case 286, 5.3: neither itself nor a descendant may be the parent', async () => {
      const top = await one();
      const middle = await one({ parentId: top });
      const leaf = await one({ parentId: middle });
      for (const parentId of [top, middle, leaf]) {
        expect((await set({ update: { [top]: { parentId } } })).notUpdated).toEqual({
          [top]: refused(['parentId']),
        });
      }
      const turned = await set({
        update: { [top]: { parentId: leaf }, [middle]: { parentId: null } },
      });
      expect(turned.notUpdated).toBeNull();
    });

    it('case 286: two updates of one call may not close a circle together', async () => {
      const [a, b] = (await make({}, {})) as [string, string];
      const { notUpdated } = await set({ update: { [a]: { parentId: b }, [b]: { parentId: a } } });
      expect(Object.values(notUpdated ?? {})).toContainEqual(refused(['parentId']));
      const [first, second] = [(await read(a))['parentId'], (await read(b))['parentId']];
      expect(first === b && second === a).toBe(false);
    });

    it('decision 13: what is linked stays, the first ten that link are told', async () => {
      const top = await one();
      const children = await make(...Array.from({ length: 12 }, () => ({ parentId: top })));
      const before = await suite.snapshot(suite.A1);
      const { destroyed, notDestroyed } = await set({ destroy: [top] });
      expect(destroyed).toBeNull();
      expect(notDestroyed).toEqual({
        [top]: kind('objectIsLinked', { objectIds: children.slice(0, 10) }),
      });
      expect(await suite.snapshot(suite.A1)).toEqual(before);
    });

    it('case 298, 5.3: parent and child go in one call, the parent first', async () => {
      const top = await one();
      const child = await one({ parentId: top });
      const { destroyed, newState, oldState } = await set({ destroy: [top, child] });
      expect(destroyed).toEqual(sameMembers([top, child]));
      expect(Number(newState) - Number(oldState)).toBe(2);
    });

    it('setNull: links to what goes are taken out, and that is a change', async () => {
      const [a, b] = (await make({}, {})) as [string, string];
      const user = await one({ links: { [a]: true, [b]: true } });
      const sinceState = await suite.state(suite.A1);
      await set({ destroy: [a] });
      expect((await read(user))['links']).toEqual({ [b]: true });
      const changes = await suite.client.changes('Gadget', { accountId: suite.A1, sinceState });
      expect([changes.updated, changes.destroyed]).toEqual([[user], [a]]);
    });

    it('case 131, 3.7: references fill any argument, and references among objects too', async () => {
      const reference = (path: string) => ({ resultOf: 'v', name: 'Core/echo', path });
      const parent = await one();
      const { methodResponses } = await suite.client.api([
        [
          'Core/echo',
          {
            accountId: suite.A1,
            state: await suite.state(suite.A1),
            create: { k: g({ parentId: parent, tags: { x: true } }) },
            filter: { parentId: parent },
            properties: ['parentId'],
            limit: 1,
            sort: [{ property: 'title' }],
          },
          'v',
        ],
        [
          'Gadget/set',
          {
            '#accountId': reference('/accountId'),
            '#ifInState': reference('/state'),
            '#create': reference('/create'),
          },
          's',
        ],
        [
          'Gadget/query',
          {
            '#accountId': reference('/accountId'),
            '#filter': reference('/filter'),
            '#sort': reference('/sort'),
            '#limit': reference('/limit'),
          },
          'q',
        ],
        [
          'Gadget/get',
          {
            '#accountId': reference('/accountId'),
            '#properties': reference('/properties'),
            '#ids': { resultOf: 'q', name: 'Gadget/query', path: '/ids' },
          },
          'g',
        ],
        [
          'Gadget/changes',
          { '#accountId': reference('/accountId'), '#sinceState': reference('/state') },
          'c',
        ],
        [
          'Gadget/set',
          {
            '#accountId': reference('/accountId'),
            '#destroy': { resultOf: 'q', name: 'Gadget/query', path: '/ids' },
          },
          'd',
        ],
      ]);
      const child = entry(asSet(at(methodResponses, 1)[1]).created, 'k').id;
      expect(at(methodResponses, 2)[1]['ids']).toEqual([child]);
      expect(at(methodResponses, 3)[1]['list']).toEqual([{ id: child, parentId: parent }]);
      expect(at(methodResponses, 4)[1]).toMatchObject({ created: [child], updated: [parent] });
      expect(at(methodResponses, 5)[1]['destroyed']).toEqual([child]);
    });
  });
}
