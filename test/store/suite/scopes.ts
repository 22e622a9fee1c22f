import { describe, expect, it } from 'vitest';
import type { AccessChange, NewChange, View } from '../../../src/store/port.js';
import { ALL, Gadget, gadget, plan } from '../gadget.js';
import { A, B, type Bench } from './bench.js';

/** The tables of the objects that are shared. */
const sharedTables = ['L'];
const LIST = 'L:1/mayRead';
const STRANGER: View = { userId: 'u1', scopes: ['*'], sharedTables, rules: null };

/** Returns the view of a user who has nothing but what shares give. */
function viewOf(userId: string): View {
  return { userId, scopes: [], sharedTables, rules: null };
}

function created(objectId: string, ...scopes: readonly string[]): NewChange {
  return { objectId, kind: 'created', scopes: { after: scopes, before: null } };
}

function updated(
  objectId: string,
  before: readonly string[] | null,
  ...after: readonly string[]
): NewChange {
  return { objectId, kind: 'updated', scopes: { after, before } };
}

function destroyed(objectId: string, ...before: readonly string[]): NewChange {
  return { objectId, kind: 'destroyed', scopes: { after: [], before } };
}

export function scopeCases(bench: Bench): void {
  const { read, write, insert, counted, ids } = bench;

  const record = (...changes: readonly NewChange[]): Promise<number> =>
    write((transaction) => transaction.record(Gadget, changes));
  const recordAccess = (...changes: readonly AccessChange[]): Promise<number> =>
    write((transaction) => transaction.recordAccess(Gadget, changes));
  const visibleTo = (view: View): Promise<readonly string[]> =>
    ids(plan({ kind: 'visible', view }));
  const numberOf = (view: View): Promise<number> =>
    read((snapshot) => snapshot.viewNumber(Gadget, view));

  describe('scopes', () => {
    it('tell which objects a user sees, by own scopes, by shares and by groups', async () => {
      await insert(['r1', 'r2', 'r3', 'r4', 'r5'].map((id) => gadget(id)));
      await record(
        created('r1', '*'),
        created('r2', 'p:u1', 'L:1/mayRead'),
        created('r3', 'L:1/mayRead'),
        created('r4', 'p:g1'),
        created('r5'),
      );
      await write((t) => t.changeGrants([], [{ principalId: 'g2', scope: 'L:1/mayRead' }]));
      await bench.join('u2', 'g2');
      await bench.join('u3', 'g1');
      expect(await visibleTo(STRANGER)).toEqual(['r1', 'r2']);
      expect(await visibleTo(viewOf('u2'))).toEqual(['r2', 'r3']);
      expect(await visibleTo(viewOf('u3'))).toEqual(['r4']);
      await bench.join('u3', 'g2');
      expect(await visibleTo(viewOf('u3'))).toEqual(['r2', 'r3', 'r4']);
      expect(await visibleTo(viewOf('u4'))).toEqual([]);
      expect(await read((s) => s.count(Gadget, { kind: 'visible', view: STRANGER }))).toBe(2);
      expect(await read((s) => s.count(Gadget, { kind: 'visible', view: STRANGER }), B)).toBe(0);
    });

    it('are asked for by one statement with a filter, however many there are', async () => {
      const objects = Array.from({ length: 50 }, (_, n) => gadget(`r${100 + n}`, { rank: n }));
      await insert(objects);
      await record(...objects.map(({ id }) => created(id, `L:${id}/mayRead`)));
      const grants = objects.map(({ id }) => ({ principalId: 'u1', scope: `L:${id}/mayRead` }));
      await write((t) => t.changeGrants([], grants.slice(0, 40)));
      const visible = { kind: 'visible', view: viewOf('u1') } as const;
      const both = { kind: 'operator', operator: 'AND', conditions: [visible, ALL] } as const;
      const query = plan(both, '-rank');
      const window = { position: 0, limit: 3 };
      const statements = await counted(async () => {
        const page = await bench.store.readPage({
          ...{ accountId: A, type: Gadget, deadline: performance.now() + 20_000 },
          ...{ plan: query, window, selection: null },
        });
        expect(page.ids).toEqual(['r139', 'r138', 'r137']);
      });
      const unrestricted = await counted(() =>
        bench.store.readPage({
          ...{ accountId: A, type: Gadget, deadline: performance.now() + 20_000 },
          ...{ plan: plan(ALL, '-rank'), window, selection: null },
        }),
      );
      expect(statements).toBe(unrestricted);
      const rank = await read((s) => s.rank(Gadget, query, 'r130'));
      expect(rank).toBe(9);
      expect(await read((s) => s.rank(Gadget, query, 'r145'))).toBeNull();
      expect(await read((s) => s.ranks(Gadget, query, ['r139', 'r145', 'r130']))).toEqual([
        { id: 'r139', index: 0 },
        { id: 'r130', index: 9 },
      ]);
    });

    it('lead to the objects of a user who sees few, whatever the order', async () => {
      const objects = Array.from({ length: 1200 }, (_, n) => gadget(`r${1000 + n}`));
      await insert(objects);
      await record(...objects.map(({ id }, n) => created(id, n % 600 === 0 ? 'few' : 'many')));
      const first = async (scope: string): Promise<readonly [readonly string[], boolean]> => {
        const view = { ...viewOf('u1'), scopes: [scope] };
        const found = await ids(plan({ kind: 'visible', view }));
        const read = bench.engine.statements.at(-1) ?? '';
        return [found.slice(0, 2), read.includes('SELECT DISTINCT')];
      };
      expect(await first('few')).toEqual([['r1000', 'r1600'], true]);
      expect(await first('many')).toEqual([['r1001', 'r1002'], false]);
    });

    it('of objects follow their changes', async () => {
      await insert([gadget('r1'), gadget('r2')]);
      await record(created('r1', 'a', 'b'), created('r2', 'b'));
      await record(updated('r1', ['a', 'b'], 'b', 'c'), updated('r2', null, 'b'));
      const scopes = await read((s) => s.scopesOf(Gadget, ['r1', 'r2', 'r3']));
      expect([...scopes]).toEqual([
        ['r1', ['b', 'c']],
        ['r2', ['b']],
      ]);
      await write((t) => t.destroy(Gadget, ['r1']));
      await record(destroyed('r1', 'b', 'c'));
      expect([...(await read((s) => s.scopesOf(Gadget, ['r1', 'r2'])))]).toEqual([['r2', ['b']]]);
      expect(await visibleTo({ userId: 'u1', scopes: ['b'], sharedTables, rules: null })).toEqual([
        'r2',
      ]);
    });

    it('of an object that came and went in one work are gone', async () => {
      await record(created('r1', 'a'), destroyed('r1', 'a'));
      expect((await read((s) => s.scopesOf(Gadget, ['r1']))).size).toBe(0);
      expect(await numberOf({ userId: 'u1', scopes: ['a'], sharedTables, rules: null })).toBe(2);
    });

    it('lead to objects in order of id, at most one more than asked for', async () => {
      await record(created('r3', 'a', 'x'), created('r1', 'a'), created('r2', 'b'));
      await record(created('r4', 'a', 'b'), updated('r3', ['a', 'x'], 'x'));
      const found = await read((s) => s.objectsWith(Gadget, ['a', 'b'], 10));
      expect(found).toEqual([
        { id: 'r1', scopes: ['a'] },
        { id: 'r2', scopes: ['b'] },
        { id: 'r4', scopes: ['a', 'b'] },
      ]);
      const some = await read((s) => s.objectsWith(Gadget, ['a', 'b'], 1));
      expect(some.map(({ id }) => id)).toEqual(['r1', 'r2']);
      expect(await read((s) => s.objectsWith(Gadget, [], 10))).toEqual([]);
    });
  });

  describe('grants', () => {
    it('are added and removed, and one that is there stays', async () => {
      const [one, two] = ['a', 'b'].map((scope) => ({ principalId: 'u1', scope })) as [
        { principalId: string; scope: string },
        { principalId: string; scope: string },
      ];
      await write((t) => t.changeGrants([], [one, two]));
      await write((t) => t.changeGrants([], [one, { principalId: 'g1', scope: 'a' }]));
      const held = async () => {
        const { groupIds, scopes } = await read((s) => s.sharesHeld('u1'));
        return [...groupIds, ...[...scopes].sort()];
      };
      expect(await held()).toEqual(['a', 'b']);
      await bench.join('u1', 'g1');
      expect(await held()).toEqual(['g1', 'a', 'a', 'b']);
      await write((t) => t.changeGrants([one], []));
      expect(await held()).toEqual(['g1', 'a', 'b']);
      expect(await read((s) => s.sharesHeld('u1'), B)).toEqual({ groupIds: ['g1'], scopes: [] });
    });
  });

  describe('very many grants', () => {
    it('are changed in parts', async () => {
      const some = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => ({
          ...{ principalId: `u${index % 400}`, scope: `L:${from + index}/mayRead` },
        }));
      const few = await counted(() => write((t) => t.changeGrants([], some(0, 10))));
      const many = await counted(() => write((t) => t.changeGrants([], some(0, 12_000))));
      // Of two further parts, each inserts. Nobody is new there.
      expect(many - few).toBe(2);
      const scopesOf = (id: string) => read(async (s) => (await s.sharesHeld(id)).scopes);
      expect(await scopesOf('u0')).toHaveLength(30);
      await write((t) => t.changeGrants(some(0, 12_000), some(12_000, 1)));
      expect([await scopesOf('u0'), await scopesOf('u1')]).toEqual([['L:12000/mayRead'], []]);
    });

    it('of one principal are read in parts', async () => {
      const grants = ['a', 'b', 'B', 'c'].map((id) => ({
        ...{ principalId: 'g1', scope: `L:${id}/mayRead` },
      }));
      await write((t) => t.changeGrants([], [...grants, { principalId: 'u1', scope: LIST }]));
      const some = (behind: string, limit: number) =>
        read((s) => s.givenScopes('g1', behind, limit));
      expect(await some('', 2)).toEqual(['L:B/mayRead', 'L:a/mayRead']);
      expect(await some('L:a/mayRead', 9)).toEqual(['L:b/mayRead', 'L:c/mayRead']);
      expect(await some('L:c/mayRead', 9)).toEqual([]);
    });
  });

  describe('the number of a view', () => {
    it('steps by what the user sees, by what leaves the view and by access', async () => {
      const view = viewOf('u1');
      expect(await numberOf(view)).toBe(0);
      await record(created('r1', LIST), created('r2', 'b'));
      expect(await numberOf(view)).toBe(0);
      await write((t) => t.changeGrants([], [{ principalId: 'u1', scope: LIST }]));
      await recordAccess({ kind: 'given', principalId: 'u1', scopes: [LIST] });
      expect(await numberOf(view)).toBe(3);
      await record(updated('r2', null, 'b'));
      expect(await numberOf(view)).toBe(3);
      await record(updated('r1', [LIST], 'b'));
      expect(await numberOf(view)).toBe(5);
      await record(updated('r1', null, 'b'));
      expect(await numberOf(view)).toBe(5);
      await write((t) => t.changeGrants([{ principalId: 'u1', scope: LIST }], []));
      await recordAccess({ kind: 'taken', principalId: 'u1', scopes: [LIST] });
      expect(await numberOf(view)).toBe(7);
      expect(await numberOf(viewOf('u2'))).toBe(0);
      await bench.join('u2', 'g1');
      await recordAccess({ kind: 'given', principalId: 'g1', memberId: 'u2', scopes: ['b'] });
      expect(await numberOf(viewOf('u2'))).toBe(8);
      expect(await numberOf(view)).toBe(7);
    });
  });

  describe('records of a type with scopes', () => {
    it('of access are read from the last one back, of what concerns a view', async () => {
      const access = { kind: 'given', principalId: 'u1', scopes: ['b'] } as const;
      await record(created('r1', 'a'));
      expect(await recordAccess(access)).toBe(2);
      expect(await recordAccess(access)).toBe(3);
      const numbers = (since: number, before: number, limit: number, userId = 'u1') =>
        read(async (s) => {
          const between = { since, before };
          const records = await s.accessRecords(Gadget, viewOf(userId), between, limit);
          return records.map(({ number }) => number);
        });
      expect(await numbers(0, 9, 9)).toEqual([3, 2]);
      expect(await numbers(0, 9, 1)).toEqual([3]);
      expect(await numbers(0, 3, 9)).toEqual([2]);
      expect(await numbers(2, 9, 9)).toEqual([3]);
      expect(await numbers(3, 9, 9)).toEqual([]);
      expect(await numbers(0, 9, 9, 'u2')).toEqual([]);
    });

    it('have the scopes of after and before, and changes of access', async () => {
      await record(created('r1', 'a'));
      bench.now += 5;
      await write((t) => t.record(Gadget, [updated('r1', ['a'], 'b', 'c')], []));
      const access = { kind: 'given', principalId: 'u1', scopes: ['b'] } as const;
      expect(await recordAccess(access)).toBe(3);
      await record(destroyed('r1', 'b', 'c'));
      const of = { objectId: 'r1', at: 1_000_005 };
      expect(await read((s) => s.viewRecords(Gadget, 0, 10))).toEqual([
        {
          ...{ ...of, number: 1, kind: 'created', at: 1_000_000, properties: null },
          ...{ scopes: ['a'], scopesBefore: null },
        },
        {
          ...{ ...of, number: 2, kind: 'updated', properties: [] },
          ...{ scopes: ['b', 'c'], scopesBefore: ['a'] },
        },
        { number: 3, kind: 'access', at: 1_000_005, changes: [access] },
        {
          ...{ ...of, number: 4, kind: 'destroyed', properties: null },
          ...{ scopes: [], scopesBefore: ['b', 'c'] },
        },
      ]);
      const kinds = (await read((s) => s.changes(Gadget, 0, 10))).map(({ kind }) => kind);
      expect(kinds).toEqual(['created', 'updated', 'access', 'destroyed']);
      expect(await read((s) => s.objectCount(Gadget))).toBe(0);
    });

    it('come in parts where their scopes are long, and without those of access alone', async () => {
      await record(created('r1', 'a'));
      // Of 900,000 octets each.
      const scopes = Array.from({ length: 9000 }, (_, n) => `L:${n}`.padEnd(97, '0'));
      for (let count = 0; count < 8; count += 1)
        await recordAccess({ kind: 'given', principalId: 'u1', scopes });
      await record(destroyed('r1', 'a'));
      const numbers = (since: number, limit: number) =>
        read(async (s) => (await s.viewRecords(Gadget, since, limit)).map(({ number }) => number));
      expect(await numbers(0, 20)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await numbers(0, 3)).toEqual([1, 2, 3]);
      expect(await numbers(6, 20)).toEqual([7, 8, 9, 10]);
      expect(await numbers(10, 20)).toEqual([]);
      const objects = await read((s) => s.objectRecords(Gadget, 0, 2));
      expect(objects.map(({ number }) => number)).toEqual([1, 10]);
      // One record is longer than a part.
      await recordAccess({ kind: 'given', principalId: 'u2', scopes: [''.padEnd(5_000_000, 'a')] });
      await recordAccess({ kind: 'given', principalId: 'u2', scopes: ['a'] });
      expect([await numbers(10, 20), await numbers(11, 20)]).toEqual([[11], [12]]);
    });

    it('cost one statement more than those of others, and so do those of access', async () => {
      const others = await counted(() =>
        write((t) => t.record(Gadget, [{ objectId: 'r0', kind: 'created' }])),
      );
      const many = Array.from({ length: 200 }, (_, n) => created(`r${n}`, 'a', `L:${n}/mayRead`));
      expect(await counted(() => record(...many))).toBe(others + 1);
      const access = { kind: 'given', principalId: 'u1', scopes: ['b'] } as const;
      expect(await counted(() => recordAccess(access))).toBe(others + 1);
    });
  });

  describe('records that are removed for their age', () => {
    it('leave the number of the last one of each scope, and no scopes of the past', async () => {
      await record(created('r1', 'a', LIST), created('r2', 'b'), updated('r1', ['a', LIST], 'c'));
      await recordAccess({ kind: 'given', principalId: 'u1', scopes: ['b'] });
      bench.now += 5;
      await record(updated('r2', null, 'b'));
      expect(await bench.store.pruneChanges(1_000_001, 2)).toBe(2);
      expect(await bench.store.pruneChanges(1_000_001, 100)).toBe(2);
      const pruned = (view: View, ...scopes: readonly string[]) =>
        read((snapshot) => snapshot.prunedNumber(Gadget, view, scopes));
      const of = (...scopes: readonly string[]): View => ({ ...viewOf('u2'), scopes });
      expect([await pruned(of('a')), await pruned(of('b')), await pruned(of('c'))]).toEqual([
        ...[3, 2, 3],
      ]);
      expect([await pruned(of()), await pruned(of(), 'b'), await pruned(viewOf('u1'))]).toEqual([
        ...[0, 2, 4],
      ]);
      await write((t) => t.changeGrants([], [{ principalId: 'u2', scope: LIST }]));
      expect(await pruned(viewOf('u2'))).toBe(3);
      expect([await numberOf(of('a')), await numberOf(of('b')), await numberOf(of('c'))]).toEqual([
        ...[3, 5, 3],
      ]);
    });

    it('keep the numbers of so many scopes alone: one stands for the others', async () => {
      const scopesOf = (name: string, count: number): readonly string[] =>
        Array.from({ length: count }, (_, n) => `${name}${n}`);
      await record(created('r1', ...scopesOf('a', 5001)));
      await record(created('r2', ...scopesOf('b', 14_999)));
      bench.now += 5;
      const view = (...scopes: readonly string[]): View => ({ ...viewOf('u2'), scopes });
      const pruned = (...scopes: readonly string[]): Promise<number> =>
        read((snapshot) => snapshot.prunedNumber(Gadget, view(...scopes), []));
      expect(await bench.store.pruneChanges(1_000_001, 100)).toBe(2);
      expect([await pruned('a1'), await pruned('b1'), await pruned('z')]).toEqual([1, 2, 0]);
      await record(created('r3', 'c'));
      bench.now += 5;
      expect(await bench.store.pruneChanges(1_000_006, 100)).toBe(1);
      expect([await pruned('a1'), await pruned('b1'), await pruned('c')]).toEqual([1, 2, 3]);
      // A user without a known scope is refused the states before.
      expect(await pruned('z')).toBe(1);
      // The number of a view never gets less.
      expect([await numberOf(view('a1')), await numberOf(view('z'))]).toEqual([1, 1]);
    });
  });
}
