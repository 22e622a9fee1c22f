import { describe, expect, it } from 'vitest';
import { stateViewIn } from '../../../src/access/views.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../../src/capability/definition.js';
import { principalScope } from '../../../src/capability/scopes.js';
import type { NewChange, View } from '../../../src/store/port.js';
import { Gadget, gadget } from '../gadget.js';
import { A, B, type Bench, HUGE } from './bench.js';

const MARK: PropertyDefinition = {
  ...{ name: 'mark', column: 'mark_1', kind: 'json', nullable: false, required: false },
  ...{ access: 'mutable', default: {}, perUser: true },
};
/** Each user has a mark of its own. */
const Marked: DataTypeDefinition = { ...Gadget, properties: [...Gadget.properties, MARK] };

/** Two of these take longer than others may wait. */
const HUGE_VALUE = 600_000;

const RULES = { sharedTables: new Map(), hashes: new Map(), judgedWith: new Map() };
const ACCOUNT = { id: A, name: A, isPersonal: false, isReadOnly: false, capabilities: null };

/** Returns the view of a user who sees all objects. */
function viewOf(userId: string): View {
  const view = stateViewIn(ACCOUNT, { userId, roles: [] }, Marked, RULES);
  if (view === null) throw new Error('The user has no state of its own.');
  return view;
}

const change = (kind: NewChange['kind'], objectId: string): NewChange => ({ kind, objectId });

export function userValueCases(bench: Bench): void {
  const { read, write, insert, counted } = bench;

  const valuesOf = (userId: string, ids: readonly string[], account?: string) =>
    read(async (s) => Object.fromEntries(await s.userValues(Marked, userId, ids)), account);
  const numbers = () =>
    read(async (s) => [
      await s.viewNumber(Marked, viewOf('u1')),
      await s.viewNumber(Marked, viewOf('u2')),
    ]);
  const marked = (userId: string, ...ids: readonly string[]) =>
    write((t) =>
      t.recordOwn(
        Marked,
        ids.map((objectId) => ({
          ...{ objectId, columns: [MARK.column], scopes: [principalScope(userId)] },
        })),
      ),
    );

  describe('values of each user', () => {
    it('are kept by user, replaced as a whole, and gone with their object', async () => {
      await insert(['r1', 'r2'].map((id) => gadget(id)));
      const one = { mark: { x: 'é"\\', n: 4.5 } };
      await write((t) =>
        t.writeUserValues(
          Marked,
          'u1',
          new Map([
            ['r1', one],
            ['r2', one],
          ]),
        ),
      );
      await write((t) => t.writeUserValues(Marked, 'u2', new Map([['r1', { mark: { y: 1 } }]])));
      expect(await valuesOf('u1', ['r1', 'r2', 'r3'])).toEqual({ r1: one, r2: one });
      expect(await valuesOf('u2', ['r1', 'r2'])).toEqual({ r1: { mark: { y: 1 } } });
      expect(await valuesOf('u1', ['r1'], B)).toEqual({});
      await write((t) => t.writeUserValues(Marked, 'u1', new Map([['r1', {}]])));
      expect(await valuesOf('u1', ['r1'])).toEqual({ r1: {} });
      await write((t) => t.destroy(Marked, ['r1']));
      expect(await valuesOf('u1', ['r1', 'r2'])).toEqual({ r2: one });
      expect(await valuesOf('u2', ['r1'])).toEqual({});
    });

    it('are counted in octets, and refused beyond those that may be read', async () => {
      await insert(['r1', 'r2'].map((id) => gadget(id)));
      const give = (userId: string, id: string, mark: object) =>
        write((t) => t.writeUserValues(Marked, userId, new Map([[id, { mark } as never]])));
      await give('u1', 'r1', { x: 'é' });
      await give('u1', 'r2', { x: 'ab' });
      await give('u2', 'r2', {});
      const octets = (...which: [(readonly string[])?, string?]) =>
        read((s) => s.valueOctets(Marked, ...which));
      const sizes = ['{"mark_1":{"x":"é"}}', '{"mark_1":{"x":"ab"}}', '{"mark_1":{}}'];
      const [a = 0, b = 0, c = 0] = sizes.map((text) => Buffer.byteLength(text));
      expect(await octets()).toBe(a + b + c);
      expect(await octets(['r2'])).toBe(b + c);
      expect(await octets(['r1', 'r2'], 'u1')).toBe(a + b);
      expect(await octets(['r3'])).toBe(0);
      const readUpTo = (limit: number) =>
        read((s) => s.userValues(Marked, 'u1', ['r1', 'r2'], limit));
      expect((await readUpTo(a + b)).size).toBe(2);
      await expect(readUpTo(a + b - 1)).rejects.toMatchObject({ type: 'requestTooLarge' });
    });

    it('are read in slices where they are large', async () => {
      await insert(['r1', 'r2'].map((id) => gadget(id)));
      const mark = { x: 'a'.repeat(HUGE_VALUE) };
      const large = new Map(['r1', 'r2'].map((id) => [id, { mark }]));
      await write((t) => t.writeUserValues(Marked, 'u1', large));
      const values = await valuesOf('u1', ['r1', 'r2']);
      expect(values).toEqual({ r1: { mark }, r2: { mark } });
    });

    it('are no part of the rows of their objects', async () => {
      await write((t) => t.writeRows('insert', Marked, [{ ...gadget('r1'), mark: { x: 1 } }]));
      const [row] = await read((s) => s.get(Marked, ['r1'], Marked.properties, HUGE));
      expect(row).toEqual(gadget('r1'));
      expect(await read((s) => s.stale(Marked, [gadget('r1')]))).toEqual(new Set());
    });

    it('move the state of their user alone', async () => {
      await write((t) => t.record(Marked, [change('created', 'r1'), change('created', 'r2')]));
      expect(await numbers()).toEqual([2, 2]);
      expect(await marked('u1', 'r1', 'r2')).toBe(4);
      expect(await numbers()).toEqual([4, 2]);
      await marked('u2', 'r1');
      expect(await numbers()).toEqual([4, 5]);
      await write((t) => t.record(Marked, [change('updated', 'r2')]));
      expect(await numbers()).toEqual([6, 6]);
      const records = await read((s) => s.viewRecords(Marked, 2, 10));
      expect(records).toMatchObject([
        { number: 3, kind: 'own', objectId: 'r1', scopes: ['p:u1'], properties: ['mark'] },
        { number: 4, kind: 'own', objectId: 'r2', scopes: ['p:u1'] },
        { number: 5, kind: 'own', objectId: 'r1', scopes: ['p:u2'] },
        { number: 6, kind: 'updated', objectId: 'r2' },
      ]);
    });

    it('leave the number of the last record that was removed to those it concerns', async () => {
      await write((t) => t.record(Marked, [change('created', 'r1')]));
      await marked('u1', 'r1');
      bench.now += 1000;
      await marked('u2', 'r1');
      expect(await bench.store.pruneChanges(bench.now, 10)).toBe(2);
      const pruned = (userId: string) => read((s) => s.prunedNumber(Marked, viewOf(userId), []));
      expect([await pruned('u1'), await pruned('u2')]).toEqual([2, 1]);
      expect(await numbers()).toEqual([2, 3]);
    });

    it('take as many statements for many objects', async () => {
      const ids = Array.from({ length: 300 }, (_, n) => `r${n}`);
      const all = new Map(ids.map((id) => [id, { mark: { id } }]));
      const written = (some: ReadonlyMap<string, { mark: object }>) =>
        counted(() => write((t) => t.writeUserValues(Marked, 'u1', new Map(some) as never)));
      expect(await written(all)).toBe(await written(new Map([...all].slice(0, 1))));
      const few = await counted(() => valuesOf('u1', ids.slice(0, 1)));
      expect(await counted(() => valuesOf('u1', ids))).toBe(few);
    });
  });
}
