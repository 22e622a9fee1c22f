import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MethodError, UnavailableError } from '../../src/protocol/errors.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type {
  CallOptions,
  FilterNode,
  QueryPlan,
  Snapshot,
  StateChange,
  Store,
  StoredObject,
  Transaction,
} from '../../src/store/port.js';
import { Random } from '../support/random.js';
import { ALL, condition, Gadget, gadget, gadgets, operator, PROPERTIES, plan } from './gadget.js';
import { referenceIds } from './reference.js';

/** A store on an empty database that has the tables of the service and of Gadget. */
export interface Engine {
  readonly store: Store;
  /** The text of each statement that operations ran, in order: the test may empty it. */
  readonly statements: string[];
  close(): Promise<void>;
}

export type OpenEngine = (options: { readonly now: () => number }) => Promise<Engine>;

const A = 'aone';
const B = 'atwo';
const HUGE = 1e12;

/** What every engine of the store port must do: each engine's test file calls this with its own factory. */
export function storeSuite(name: string, open: OpenEngine): void {
  describe(`store on ${name}`, () => {
    let engine: Engine;
    let now = 1_000_000;

    beforeEach(async () => {
      now = 1_000_000;
      engine = await open({ now: () => now });
    });

    afterEach(() => engine.close());

    const soon = (): CallOptions => ({ deadline: performance.now() + 20_000 });
    const read = <T>(work: (snapshot: Snapshot) => Promise<T>, account = A): Promise<T> =>
      engine.store.read(account, soon(), work);
    const write = <T>(work: (transaction: Transaction) => Promise<T>, account = A): Promise<T> =>
      engine.store.write(account, soon(), work);
    const insert = (objects: readonly StoredObject[], account = A): Promise<void> =>
      write((transaction) => transaction.insert(Gadget, objects), account);
    const all = (account = A): Promise<readonly StoredObject[]> =>
      read((snapshot) => snapshot.getAll(Gadget, 10_000, Gadget.properties, HUGE), account);
    const ids = (query: QueryPlan, position = 0, limit = 10_000): Promise<readonly string[]> =>
      read((snapshot) => snapshot.queryIds(Gadget, query, position, limit));
    const found = (filter: FilterNode): Promise<readonly string[]> => ids(plan(filter));
    const counted = async (work: () => Promise<unknown>): Promise<number> => {
      engine.statements.length = 0;
      await work();
      return engine.statements.length;
    };

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

      it('D4: store -0 as 0', async () => {
        await insert([gadget('r1', { rank: -0, score: -0 })]);
        const [object] = await all();
        expect(Object.is(object?.['rank'], 0)).toBe(true);
        expect(Object.is(object?.['score'], 0)).toBe(true);
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
        await write((transaction) => transaction.update(Gadget, [changed]));
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

      it('come in order of id from getAll, at most so many', async () => {
        await insert([gadget('r3'), gadget('r1'), gadget('r2')]);
        const first = await read((snapshot) => snapshot.getAll(Gadget, 2, [PROPERTIES.id], HUGE));
        expect(first.map((object) => object.id)).toEqual(['r1', 'r2']);
      });

      it('D6: beyond maxOctets are requestTooLarge', async () => {
        await insert(gadgets(10, () => ({ title: 'x'.repeat(1000) })));
        const getAll = (octets: number) =>
          read((snapshot) => snapshot.getAll(Gadget, 10, Gadget.properties, octets));
        await expect(getAll(5000)).rejects.toMatchObject({ type: 'requestTooLarge' });
        expect(await getAll(20_000)).toHaveLength(10);
      });
    });

    describe('statements', () => {
      // Design: a method call costs the same number of statements for 1 object and for 500.
      const operations: readonly [
        string,
        number,
        (transaction: Transaction, objects: readonly StoredObject[]) => Promise<unknown>,
      ][] = [
        ['insert', 1, (t, objects) => t.insert(Gadget, objects)],
        ['update', 1, (t, objects) => t.update(Gadget, objects)],
        ['get', 1, (t, objects) => t.get(Gadget, objects.map(idOf), Gadget.properties, HUGE)],
        ['getAll', 1, (t) => t.getAll(Gadget, 500, Gadget.properties, HUGE)],
        ['queryIds', 1, (t) => t.queryIds(Gadget, plan(ALL, 'title'), 0, 500)],
        ['count', 1, (t) => t.count(Gadget, ALL)],
        ['rank', 1, (t) => t.rank(Gadget, plan(ALL, 'title'), 'r000000')],
        ['ranks', 1, (t, objects) => t.ranks(Gadget, plan(ALL, '-rank'), objects.map(idOf))],
        [
          'record',
          2,
          (t, objects) =>
            t.record(
              Gadget,
              objects.map(({ id }) => ({ objectId: id, kind: 'created' as const })),
            ),
        ],
        ['stateNumber', 1, (t) => t.stateNumber(Gadget)],
        ['changes', 1, (t) => t.changes(Gadget, 0, 500)],
        ['insertBlobs', 1, (t, objects) => t.insertBlobs(objects.map(blobOf))],
        ['blobs', 1, (t, objects) => t.blobs(objects.map(idOf))],
        [
          'changeBlobReferences',
          3,
          (t, objects) =>
            t.changeBlobReferences(objects.map(referenceOf), objects.map(referenceOf)),
        ],
        ['blobReferences', 1, (t, objects) => t.blobReferences(objects.map(idOf), ['Gadget'])],
        ['destroy', 1, (t, objects) => t.destroy(Gadget, objects.map(idOf))],
      ];

      it('are as many for 500 objects as for one', async () => {
        for (const count of [1, 500]) {
          const objects = gadgets(count, (index) => ({ title: `t${index}`, rank: index % 7 }));
          await write(async (transaction) => {
            for (const [what, statements, run] of operations) {
              const ran = await counted(() => run(transaction, objects));
              expect([what, ran]).toEqual([what, statements]);
            }
          });
        }
      });

      it('are none for empty lists', async () => {
        await write(async (transaction) => {
          const ran = await counted(async () => {
            await transaction.insert(Gadget, []);
            await transaction.update(Gadget, []);
            await transaction.destroy(Gadget, []);
            await transaction.get(Gadget, [], Gadget.properties, HUGE);
            await transaction.ranks(Gadget, plan(ALL), []);
            await transaction.insertBlobs([]);
            await transaction.blobs([]);
            await transaction.changeBlobReferences([], []);
            await transaction.blobReferences([], ['Gadget']);
          });
          expect(ran).toBe(0);
        });
      });
    });

    describe('filters', () => {
      beforeEach(() =>
        insert([
          gadget('r1', {
            title: 'Åland',
            code: 'A',
            done: true,
            rank: 1,
            due: '2026-01-01T00:00:00Z',
          }),
          gadget('r2', { title: 'Straße 100%', code: 'a', rank: 2, score: 0.1 }),
          gadget('r3', { title: 'e\u0301tude_x', rank: -3, due: '2026-01-01T00:00:00.001Z' }),
          gadget('r4', { title: '', code: '', score: 0.30000000000000004 }),
        ]),
      );

      const cases: readonly [string, FilterNode, readonly string[]][] = [
        ['contains folds', condition('title', 'ÅLAND'), ['r1']],
        ['contains takes a decomposed needle', condition('title', 'a\u030A'), ['r1']],
        ['contains folds fully', condition('title', 'STRASSE'), ['r2']],
        ['contains knows no wildcards', condition('title', '_'), ['r3']],
        ['contains takes a percent sign as it is', condition('title', '0%'), ['r2']],
        ['startsWith folds', condition('titleStart', 'éT'), ['r3']],
        ['startsWith is at the start', condition('titleStart', 'land'), []],
        ['equals is exact', condition('titleIs', 'åland'), []],
        ['equals finds the same octets', condition('titleIs', 'Åland'), ['r1']],
        ['equals keeps normal forms apart', condition('titleIs', 'étude_x'), []],
        ['equals takes case into account', condition('code', 'a'), ['r2']],
        ['equals finds the empty string', condition('code', ''), ['r4']],
        ['equals with null finds null', condition('code', null), ['r3']],
        [
          'NOT of equals finds null too',
          operator('NOT', condition('code', 'a')),
          ['r1', 'r3', 'r4'],
        ],
        ['NOT of equals null', operator('NOT', condition('code', null)), ['r1', 'r2', 'r4']],
        ['NOT of contains finds null', operator('NOT', condition('codeText', 'a')), ['r3', 'r4']],
        ['NOT of atLeast finds null', operator('NOT', condition('minRank', 2)), ['r1', 'r3', 'r4']],
        [
          'NOT of before finds null',
          operator('NOT', condition('before', '2027-01-01T00:00:00Z')),
          ['r2', 'r4'],
        ],
        ['in', condition('codeIn', ['a', 'A', 'b']), ['r1', 'r2']],
        ['in of nothing', condition('codeIn', []), []],
        ['NOT in finds null', operator('NOT', condition('codeIn', ['a', 'A'])), ['r3', 'r4']],
        [
          'NOT in of nothing is all',
          operator('NOT', condition('codeIn', [])),
          ['r1', 'r2', 'r3', 'r4'],
        ],
        ['in with null', condition('codeIn', ['a', null]), ['r2', 'r3']],
        ['in with null alone', condition('codeIn', [null]), ['r3']],
        ['in of booleans', condition('doneIn', [true]), ['r1']],
        ['in of integers', condition('rankIn', [1, -3]), ['r1', 'r3']],
        ['in of doubles', condition('scoreIn', [0.1 + 0.2]), ['r4']],
        ['equals a double', condition('score', 0.1 + 0.2), ['r4']],
        ['equals a boolean', condition('done', false), ['r2', 'r3', 'r4']],
        ['isNull', condition('noCode', true), ['r3']],
        ['isNull false', condition('noCode', false), ['r1', 'r2', 'r4']],
        ['atLeast includes', condition('minRank', 1), ['r1', 'r2']],
        ['atMost includes', condition('maxRank', 1), ['r1', 'r3']],
        ['before excludes', condition('before', '2026-01-01T00:00:00.001Z'), ['r1']],
        ['after includes', condition('after', '2026-01-01T00:00:00.001Z'), ['r3']],
        ['equals a date', condition('due', '2026-01-01T00:00:00Z'), ['r1']],
        ['AND of nothing is all', operator('AND'), ['r1', 'r2', 'r3', 'r4']],
        ['OR of nothing is none', operator('OR'), []],
        ['NOT of nothing is all', operator('NOT'), ['r1', 'r2', 'r3', 'r4']],
        ['NOT NOT of nothing is none', operator('NOT', operator('NOT')), []],
        [
          'NOT is none of them',
          operator('NOT', condition('rank', 1), condition('rank', 2)),
          ['r3', 'r4'],
        ],
        [
          'nested operators',
          operator(
            'OR',
            operator('AND', condition('done', true), condition('rank', 1)),
            operator('NOT', operator('OR', condition('minRank', -5), condition('noCode', true))),
          ),
          ['r1', 'r4'],
        ],
        ['SQL in a value is text', condition('titleIs', `' OR 1=1 --`), []],
      ];

      for (const [what, filter, expected] of cases) {
        it(`5.5, D14: ${what}`, async () => {
          expect(await found(filter)).toEqual(expected);
          expect(await read((snapshot) => snapshot.count(Gadget, filter))).toBe(expected.length);
        });
      }

      it('take 2,000 conditions in one list', async () => {
        const many = Array.from({ length: 2000 }, (_, index) => condition('rank', index));
        expect(await found(operator('OR', ...many))).toEqual(['r1', 'r2']);
      });

      it('take 400 levels of alternating operators', async () => {
        let filter = condition('rank', 1);
        for (let level = 0; level < 400; level += 1) {
          filter = operator(
            level % 2 === 0 ? 'OR' : 'AND',
            filter,
            condition('done', level % 2 !== 0),
          );
        }
        expect(await found(filter)).toEqual(['r1']);
      });

      it('take 2,000 levels of NOT', async () => {
        let filter = condition('rank', 1);
        for (let level = 0; level < 2000; level += 1) filter = operator('NOT', filter);
        expect(await found(filter)).toEqual(['r1']);
      });

      it('refuse what no database can parse as unsupportedFilter', async () => {
        const many = Array.from({ length: 100_000 }, (_, index) => condition('rank', index));
        const error = await found(operator('OR', ...many)).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MethodError);
        expect(error).toMatchObject({ type: 'unsupportedFilter' });
      });
    });

    describe('order', () => {
      beforeEach(() =>
        insert([
          gadget('r1', { title: 'b', code: '10' }),
          gadget('r2', { title: 'A', code: null }),
          gadget('r3', { title: 'B', code: '9' }),
          gadget('r4', { title: 'é', code: 'x' }),
          gadget('r5', { title: 'f', code: null }),
        ]),
      );

      const cases: readonly [readonly string[], readonly string[]][] = [
        [[], ['r1', 'r2', 'r3', 'r4', 'r5']],
        [['-created'], ['r5', 'r4', 'r3', 'r2', 'r1']],
        [
          ['created', '-title'],
          ['r1', 'r2', 'r3', 'r4', 'r5'],
        ],
        [['title'], ['r2', 'r1', 'r3', 'r4', 'r5']],
        [['-title'], ['r5', 'r4', 'r3', 'r1', 'r2']],
        [
          ['title', '-id'],
          ['r2', 'r3', 'r1', 'r4', 'r5'],
        ],
        [['title i;octet'], ['r2', 'r3', 'r1', 'r5', 'r4']],
        [['title i;ascii-casemap'], ['r2', 'r1', 'r3', 'r5', 'r4']],
        [['code i;octet'], ['r2', 'r5', 'r1', 'r3', 'r4']],
        [['-code i;octet'], ['r4', 'r3', 'r1', 'r5', 'r2']],
        [['code i;ascii-numeric'], ['r2', 'r5', 'r3', 'r1', 'r4']],
        [['-code i;ascii-numeric'], ['r4', 'r1', 'r3', 'r5', 'r2']],
        [
          ['done', '-code i;octet'],
          ['r4', 'r3', 'r1', 'r5', 'r2'],
        ],
      ];

      for (const [sort, expected] of cases) {
        it(`5.5, D15: by ${sort.length === 0 ? 'nothing' : sort.join(', ')}`, async () => {
          expect(await ids(plan(ALL, ...sort))).toEqual(expected);
        });
      }

      it('5.5: pages one after the other are the whole', async () => {
        const query = plan(ALL, '-code');
        const whole = await ids(query);
        const pages: string[] = [];
        for (let position = 0; position < 6; position += 2) {
          pages.push(...(await ids(query, position, 2)));
        }
        expect(pages).toEqual(whole);
        expect(await ids(query, 5, 10)).toEqual([]);
        expect(await ids(query, 0, 0)).toEqual([]);
      });

      it('5.5: rank is null for what the filter leaves out', async () => {
        const rank = (id: string) =>
          read((snapshot) => snapshot.rank(Gadget, plan(condition('noCode', true)), id));
        expect([await rank('r1'), await rank('r2'), await rank('r5'), await rank('r9')]).toEqual([
          null,
          0,
          1,
          null,
        ]);
      });
    });

    it('agrees with the reference on random filters and sorts, and ranks with queryIds', async () => {
      const random = Random.fromEnvironment();
      const objects = gadgets(60, () => randomValues(random));
      await insert(objects);
      // Another account's objects must not count.
      await insert(
        gadgets(20, () => randomValues(random)),
        B,
      );
      for (let round = 0; round < 150; round += 1) {
        const query = plan(randomFilter(random, 3), ...randomSort(random));
        const said = `seed ${random.seed}, ${JSON.stringify(query)}`;
        const expected = referenceIds(objects, query);
        expect(await ids(query), said).toEqual(expected);
        const wanted = objects.filter(() => random.chance(0.2)).map(idOf);
        const ranks = await read((snapshot) => snapshot.ranks(Gadget, query, wanted));
        const places = expected
          .map((id, index) => ({ id, index }))
          .filter(({ id }) => wanted.includes(id));
        expect(ranks, said).toEqual(places);
        const id = random.pick(objects).id;
        const rank = await read((snapshot) => snapshot.rank(Gadget, query, id));
        expect(rank, said).toBe(expected.includes(id) ? expected.indexOf(id) : null);
      }
    });

    describe('states and changes', () => {
      const record = (...kinds: readonly ('created' | 'updated' | 'destroyed')[]) =>
        write((transaction) =>
          transaction.record(
            Gadget,
            kinds.map((kind, index) => ({ objectId: `r${index}`, kind })),
          ),
        );

      it('D8: a counter that steps by one for each record, "0" at first', async () => {
        expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(0);
        expect(await record('created', 'updated')).toBe(2);
        now += 5;
        expect(await record('destroyed')).toBe(3);
        expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(3);
        expect(await read((snapshot) => snapshot.stateNumber(Gadget), B)).toBe(0);
        expect(await read((snapshot) => snapshot.changes(Gadget, 0, 10))).toEqual([
          { number: 1, objectId: 'r0', kind: 'created', at: 1_000_000 },
          { number: 2, objectId: 'r1', kind: 'updated', at: 1_000_000 },
          { number: 3, objectId: 'r0', kind: 'destroyed', at: 1_000_005 },
        ]);
        expect(await read((snapshot) => snapshot.changes(Gadget, 1, 1))).toMatchObject([
          { number: 2 },
        ]);
      });

      it('D8: a work that fails leaves no gap', async () => {
        await record('created');
        const failing = write(async (transaction) => {
          await transaction.record(Gadget, [{ objectId: 'r5', kind: 'created' }]);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await record('updated')).toBe(2);
      });

      it('D9: old records are pruned from the front, in steps', async () => {
        await record('created', 'created', 'created');
        now += 100;
        await record('updated', 'updated');
        // A clock that stepped back: an old time after a newer one must not leave a hole.
        now -= 1000;
        await record('updated');
        await write((t) => t.record(Gadget, [{ objectId: 'r1', kind: 'created' }]), B);
        expect(await engine.store.pruneChanges(1_000_001, 2)).toBe(2);
        expect(await engine.store.pruneChanges(1_000_001, 100)).toBe(2);
        expect(await engine.store.pruneChanges(1_000_001, 100)).toBe(0);
        const kept = await read((snapshot) => snapshot.changes(Gadget, 0, 10));
        expect(kept.map((change) => change.number)).toEqual([4, 5, 6]);
        expect(await read((snapshot) => snapshot.changes(Gadget, 0, 10), B)).toEqual([]);
        expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(6);
      });

      it('are told to listeners after the commit, in order, for each account', async () => {
        const heard: StateChange[] = [];
        const end = engine.store.onCommit((change) => heard.push(change));
        await Promise.all([record('created'), record('created', 'created')]);
        await write((t) => t.record(Gadget, [{ objectId: 'r1', kind: 'created' }]), B);
        await insert([gadget('r1')]);
        end();
        await record('updated');
        expect(heard).toEqual([
          { accountId: A, changed: { Gadget: '1' } },
          { accountId: A, changed: { Gadget: '3' } },
          { accountId: B, changed: { Gadget: '1' } },
        ]);
      });

      it('are not told by a work that failed, and a listener that throws harms nobody', async () => {
        const heard: StateChange[] = [];
        engine.store.onCommit(() => {
          throw new Error('listener');
        });
        engine.store.onCommit((change) => heard.push(change));
        const failing = write(async (transaction) => {
          await transaction.record(Gadget, [{ objectId: 'r1', kind: 'created' }]);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await record('created')).toBe(1);
        expect(heard).toEqual([{ accountId: A, changed: { Gadget: '1' } }]);
      });
    });

    describe('blobs', () => {
      const blob = (id: string) => ({ id, type: 'text/plain', size: 2 ** 40, uploaderId: 'u1' });
      const reference = (blobId: string, objectId = 'r1', dataType = 'Gadget') => ({
        blobId,
        dataType,
        objectId,
      });
      const collect = (before: number, limit = 10) => engine.store.collectBlobs(before, limit);
      const blobs = (...wanted: readonly string[]) => read((snapshot) => snapshot.blobs(wanted));

      beforeEach(() => write((transaction) => transaction.insertBlobs([blob('b1'), blob('b2')])));

      it('are seen in their account alone', async () => {
        expect(await blobs('b1', 'b3')).toEqual([{ ...blob('b1'), referenced: false }]);
        expect(await read((snapshot) => snapshot.blobs(['b1']), B)).toEqual([]);
      });

      it('6.1: are referenced while an object refers to them', async () => {
        await write((t) => t.changeBlobReferences([], [reference('b1'), reference('b1', 'r2')]));
        expect(await blobs('b1', 'b2')).toMatchObject([
          { referenced: true },
          { referenced: false },
        ]);
        await write((t) => t.changeBlobReferences([reference('b1')], [reference('b2')]));
        expect(await blobs('b1', 'b2')).toMatchObject([{ referenced: true }, { referenced: true }]);
        await write((t) => t.changeBlobReferences([reference('b1', 'r2')], []));
        expect(await blobs('b1', 'b2')).toMatchObject([
          { referenced: false },
          { referenced: true },
        ]);
      });

      it('RFC 9404 4.3: references are found by blob and type, in order of object', async () => {
        await write((t) =>
          t.changeBlobReferences(
            [],
            [
              reference('b1', 'r2'),
              reference('b1'),
              reference('b2'),
              reference('b1', 'r3', 'Other'),
            ],
          ),
        );
        const found = await read((snapshot) => snapshot.blobReferences(['b1', 'b9'], ['Gadget']));
        expect(found).toEqual([reference('b1'), reference('b1', 'r2')]);
        const none = await read((snapshot) => snapshot.blobReferences(['b1'], ['Gadget']), B);
        expect(none).toEqual([]);
      });

      it('D23: are collected when nothing has referred to them since the time given', async () => {
        await write((t) => t.changeBlobReferences([], [reference('b1')]));
        now += 1000;
        await write((t) => t.changeBlobReferences([reference('b1')], []));
        expect(await collect(1_000_000)).toEqual([]);
        expect(await collect(1_001_000)).toEqual([{ accountId: A, id: 'b2' }]);
        expect(await collect(1_001_001)).toEqual([{ accountId: A, id: 'b1' }]);
        expect(await blobs('b1', 'b2')).toEqual([]);
      });

      it('D23: are not collected while referenced, and at most so many at a time', async () => {
        await write((t) => t.insertBlobs([blob('b3'), blob('b4')]));
        await write((t) => t.changeBlobReferences([], [reference('b2')]));
        expect(await collect(HUGE, 2)).toHaveLength(2);
        expect(await collect(HUGE, 2)).toHaveLength(1);
        expect(await collect(HUGE)).toEqual([]);
        expect(await blobs('b2')).toHaveLength(1);
      });

      it('D23: one that is stored again lives on from then', async () => {
        now += 1000;
        await write((t) => t.insertBlobs([blob('b1')]));
        expect(await collect(1_001_000)).toEqual([{ accountId: A, id: 'b2' }]);
      });
    });

    describe('transactions', () => {
      it('see their own changes, and leave nothing where the work throws', async () => {
        const failing = write(async (transaction) => {
          await transaction.insert(Gadget, [gadget('r1')]);
          expect(await transaction.count(Gadget, ALL)).toBe(1);
          throw new MethodError('stateMismatch', 'no');
        });
        await expect(failing).rejects.toMatchObject({ type: 'stateMismatch' });
        expect(await all()).toEqual([]);
      });

      it('that run together fail each by itself', async () => {
        const works = Array.from({ length: 10 }, (_, index) =>
          write(async (transaction) => {
            await transaction.insert(Gadget, [gadget(`r${index}`)]);
            if (index % 3 === 0) throw new Error(`no ${index}`);
            return index;
          }),
        );
        const results = await Promise.allSettled(works);
        expect(results.map((result) => result.status === 'fulfilled')).toEqual(
          results.map((_, index) => index % 3 !== 0),
        );
        expect((await all()).map(idOf)).toEqual(['r1', 'r2', 'r4', 'r5', 'r7', 'r8']);
      });

      it('fail by a broken constraint alone', async () => {
        await insert([gadget('r1')]);
        const works = [insert([gadget('r2')]), insert([gadget('r1')]), insert([gadget('r3')])];
        const results = await Promise.allSettled(works);
        expect(results.map((result) => result.status)).toEqual([
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        expect((await all()).map(idOf)).toEqual(['r1', 'r2', 'r3']);
      });

      it('fail where an operation failed, even where the work caught its error', async () => {
        await insert([gadget('r1')]);
        const stubborn = write(async (transaction) => {
          await transaction.insert(Gadget, [gadget('r2')]);
          await transaction.insert(Gadget, [gadget('r1')]).catch(() => 'caught');
          return 'done';
        });
        await expect(stubborn).rejects.toThrow();
        expect((await all()).map(idOf)).toEqual(['r1']);
      });

      it('refuse operations after their end', async () => {
        let escaped: Transaction | undefined;
        await write(async (transaction) => {
          escaped = transaction;
        });
        await expect(escaped?.insert(Gadget, [gadget('r1')])).rejects.toThrow('after its work');
        expect(await all()).toEqual([]);
      });

      it('5.1: a read sees one snapshot while others write', async () => {
        await insert([gadget('r1')]);
        let writing: Promise<void> | undefined;
        const [before, after] = await read(async (snapshot) => {
          const first = await snapshot.count(Gadget, ALL);
          writing = insert([gadget('r2')]);
          return [first, await snapshot.count(Gadget, ALL)];
        });
        await writing;
        expect([before, after]).toEqual([1, 1]);
        expect(await all()).toHaveLength(2);
      });

      it('D6: a call after its deadline is unavailable and does nothing', async () => {
        const late: CallOptions = { deadline: performance.now() - 1 };
        const writing = engine.store.write(A, late, (t) => t.insert(Gadget, [gadget('r1')]));
        await expect(writing).rejects.toBeInstanceOf(UnavailableError);
        const reading = engine.store.read(A, late, (s) => s.count(Gadget, ALL));
        await expect(reading).rejects.toBeInstanceOf(UnavailableError);
        expect(await all()).toEqual([]);
      });

      it('D6: a scan is stopped at its deadline', async () => {
        await insert(gadgets(3000, (index) => ({ title: `text ${index}` })));
        const query = plan(condition('title', 'zzz'), '-title');
        const reading = engine.store.read(A, { deadline: performance.now() + 200 }, async (s) => {
          for (;;) await s.queryIds(Gadget, query, 0, 10);
        });
        await expect(reading).rejects.toBeInstanceOf(UnavailableError);
        expect(await all()).toHaveLength(3000);
      });
    });

    it('answers a ping', async () => {
      await expect(engine.store.ping()).resolves.toBeUndefined();
    });
  });
}

function idOf(object: { readonly id: string }): string {
  return object.id;
}

function blobOf({ id }: StoredObject) {
  return { id, type: 'text/plain', size: 1, uploaderId: 'u1' };
}

function referenceOf({ id }: StoredObject) {
  return { blobId: id, dataType: 'Gadget', objectId: id };
}

const TEXTS = ['', 'a', 'A', 'ä', 'Ä', 'a\u0308', 'ß', 'SS', '10', '9', '007', 'x10', '😀', '_%'];
const DATES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '1969-12-31T23:59:59.999Z'];

function randomValues(random: Random): Readonly<Record<string, JsonValue>> {
  const maybe = <T extends JsonValue>(value: T): T | null => (random.chance(0.3) ? null : value);
  return {
    title: random.pick(TEXTS) + random.pick(TEXTS),
    code: maybe(random.pick(TEXTS)),
    done: random.chance(0.5),
    rank: maybe(random.integer(-3, 3)),
    score: maybe(random.pick([0, 0.1, -1.5, 1e300, 5])),
    due: maybe(random.pick(DATES)),
    updated: random.pick(DATES),
  };
}

function randomFilter(random: Random, depth: number): FilterNode {
  if (depth > 0 && random.chance(0.6)) {
    const conditions = Array.from({ length: random.integer(0, 3) }, () =>
      randomFilter(random, depth - 1),
    );
    return operator(random.pick(['AND', 'OR', 'NOT'] as const), ...conditions);
  }
  const text = random.pick(TEXTS.slice(1));
  return random.pick<() => FilterNode>([
    () => ({ kind: 'all' }),
    () => ({ kind: 'none' }),
    () => condition('title', text),
    () => condition('titleStart', text),
    () => condition('codeText', text),
    () => condition('code', random.chance(0.3) ? null : text),
    () => condition('codeIn', [text, random.pick(TEXTS)]),
    () => condition('noCode', random.chance(0.5)),
    () => condition('done', random.chance(0.5)),
    () => condition('minRank', random.integer(-3, 3)),
    () => condition('maxRank', random.integer(-3, 3)),
    () => condition('rankIn', [random.integer(-3, 3), null]),
    () => condition('score', random.pick([0, 0.1, 5])),
    () => condition('before', random.pick(DATES)),
    () => condition('after', random.pick(DATES)),
  ])();
}

function randomSort(random: Random): readonly string[] {
  const one = (): string => {
    const name = random.pick(['title', 'code', 'rank', 'score', 'due', 'done', 'updated']);
    const collation = random.pick([
      'i;unicode-casemap',
      'i;ascii-casemap',
      'i;ascii-numeric',
      'i;octet',
    ]);
    return `${random.chance(0.5) ? '-' : ''}${name} ${collation}`;
  };
  const keys = Array.from({ length: random.integer(0, 3) }, one);
  return random.chance(0.1) ? [...keys, '-created', ...keys] : keys;
}
