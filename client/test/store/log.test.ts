import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../../src/index.js';
import { append, coalesce, type Log } from '../../src/store/log.js';
import { Replica, type Row } from '../../src/store/replica.js';
import type { PendingWrite } from '../../src/store/write.js';

const todo: TypeTable = {
  name: 'Todo',
  capability: 'urn:example:todos',
  hash: '',
  methods: ['get', 'changes', 'set', 'query'],
  properties: {
    text: { kind: 'string' },
    done: { kind: 'boolean', default: false },
    tags: { kind: 'json', default: {} },
    parentId: { kind: 'string', default: null, references: [{ type: 'Todo' }] },
  },
  filters: {},
  sorts: {},
};

const FIRST = '~00000000-0000-4000-8000-000000000001';
const SECOND = '~00000000-0000-4000-8000-000000000002';
const KEYS = ['a', 'b', FIRST, SECOND];
const key = fc.constantFrom(...KEYS);
const patch = fc.oneof(
  fc.boolean().map((done) => ({ done })),
  fc.constantFrom('x', 'y').map((text) => ({ text })),
  fc.constantFrom('red', 'blue').map((tag) => ({ [`tags/${tag}`]: true })),
  fc.constantFrom('red', 'blue').map((tag) => ({ [`tags/${tag}`]: null })),
  fc.constant({ tags: { green: true } }),
  key.map((parentId) => ({ parentId })),
  fc.constant({ parentId: null }),
);
const write = (id: string, one: string): fc.Arbitrary<PendingWrite> => {
  const common = { ids: [id], type: 'Todo', key: one, sentAs: null };
  return fc.oneof(
    {
      weight: 4,
      arbitrary: patch.map((each) => ({
        ...common,
        kind: 'update' as const,
        patch: each,
        unchanged: null,
      })),
    },
    { weight: 1, arbitrary: fc.constant({ ...common, kind: 'destroy' as const }) },
    {
      weight: 2,
      arbitrary: fc.option(key, { nil: null }).map((parentId) => ({
        ...common,
        kind: 'create' as const,
        values: { text: 'new', parentId },
      })),
    },
  );
};
const writes = fc
  .array(key, { maxLength: 12 })
  .chain((keys) => fc.tuple(...keys.map((one, index) => write(String(index), one))))
  .map(legal);

/** Writes as a client makes them: of objects that are there, and creates of new ones alone. */
function legal(all: readonly PendingWrite[]): readonly PendingWrite[] {
  const there = new Set(['a', 'b']);
  const made = new Set(there);
  return all.filter((one) => {
    const isNew = one.kind === 'create';
    if (isNew ? made.has(one.key) : !there.has(one.key)) return false;
    const refersTo = valuesOf(one)['parentId'];
    if (typeof refersTo === 'string' && !there.has(refersTo)) return false;
    if (one.kind === 'destroy') there.delete(one.key);
    else there.add(one.key);
    made.add(one.key);
    return true;
  });
}

function valuesOf(one: PendingWrite): JsonObject {
  if (one.kind === 'destroy') return {};
  return one.kind === 'create' ? one.values : one.patch;
}

const OBJECTS = new Map([
  ['a', { id: 'a', text: 'A', done: false, tags: { red: true }, parentId: null }],
  ['b', { id: 'b', text: 'B', done: true, tags: {}, parentId: 'a' }],
]);

function replicaWith(log: Log): Replica {
  const replica = new Replica([todo]);
  replica.apply({ objects: new Map([['Todo', OBJECTS]]), log });
  return replica;
}

function rowsOf(replica: Replica): readonly Row[] {
  return [...replica.rows('Todo')].sort((one, other) => (one.$key < other.$key ? -1 : 1));
}

describe('a log', () => {
  it('shows the same with writes of one object put together', () => {
    fc.assert(
      fc.property(writes, (all) => {
        const joined = all.reduce<Log>((log, one) => append(log, one, defaultOf), []);
        expect(rowsOf(replicaWith(joined)).map(withoutPending)).toEqual(
          rowsOf(replicaWith(all)).map(withoutPending),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('names each object only behind its create', () => {
    fc.assert(
      fc.property(writes, (all) => {
        const joined = all.reduce<Log>((log, one) => append(log, one, defaultOf), []);
        const created = new Set(['a', 'b']);
        for (const one of joined) {
          if (one.kind === 'create') created.add(one.key);
          expect(created).toContain(one.key);
          const refersTo = valuesOf(one)['parentId'] ?? 'a';
          expect(created).toContain(refersTo);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every write that waits for an answer, but of what was never sent', () => {
    fc.assert(
      fc.property(writes, (all) => {
        const joined = all.reduce<Log>((log, one) => append(log, one, defaultOf), []);
        const kept = new Set(joined.flatMap(({ ids }) => ids));
        for (const { ids, key: one } of all) {
          if (!kept.has(ids[0] ?? '')) expect(one).toMatch(/^~/);
        }
      }),
    );
  });

  it('changes nothing that was sent', () => {
    const sent: PendingWrite = {
      ...{ ids: ['1'], type: 'Todo', key: 'a', sentAs: 'r1' },
      ...{ kind: 'update', patch: { done: true }, unchanged: null },
    };
    const next: PendingWrite = { ...sent, ids: ['2'], sentAs: null, patch: { text: 'z' } };
    expect(append([sent], next, defaultOf)).toEqual([sent, next]);
  });

  it('joins nothing to a write that was sent and is sent again', () => {
    const again: PendingWrite = {
      ...{ ids: ['1'], type: 'Todo', key: 'a', sentAs: null, sentIn: 's1' },
      ...{ kind: 'update', patch: { done: true }, unchanged: null },
    };
    const { sentIn: _, ...fresh } = again;
    const second: PendingWrite = { ...fresh, ids: ['2'], patch: { text: 'y' } };
    const third: PendingWrite = { ...fresh, ids: ['3'], patch: { text: 'z' } };
    const joined = { ...second, ids: ['2', '3'], patch: { text: 'z' } };
    expect(append([again], second, defaultOf)).toEqual([again, second]);
    expect(coalesce([again, second, third], () => defaultOf)).toEqual([again, joined]);
  });
});

function defaultOf(name: string) {
  return todo.properties[name]?.default ?? null;
}

function withoutPending({ $pending: _, ...row }: Row) {
  return row;
}

describe('a replica', () => {
  const step = fc.oneof(
    fc.record({ id: fc.constantFrom('a', 'b', 'c'), text: fc.constantFrom('p', 'q', null) }),
    writes.map((log) => ({ log })),
  );

  it('has the view that its objects and its log make, after any changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const replica = new Replica([todo]);
        const objects = new Map<string, JsonObject | null>();
        let log: Log = [];
        for (const one of steps) {
          if ('log' in one) {
            log = one.log;
            replica.apply({ log });
          } else {
            const object = one.text === null ? null : { id: one.id, text: one.text, done: false };
            objects.set(one.id, object);
            replica.apply({ objects: new Map([['Todo', new Map([[one.id, object]])]]) });
          }
          const anew = new Replica([todo]);
          anew.apply({ objects: new Map([['Todo', objects]]), log });
          expect(rowsOf(replica)).toEqual(rowsOf(anew));
        }
      }),
    );
  });

  it('keeps a row the same while nothing of it changes', () => {
    const replica = replicaWith([]);
    const row = replica.row('Todo', 'a');
    replica.apply({ objects: new Map([['Todo', new Map([['b', { id: 'b', text: 'C' }]])]]) });
    expect(replica.row('Todo', 'a')).toBe(row);
  });

  it('keeps the key of an object that has got its id, and finds it by both', () => {
    const create: PendingWrite = {
      ...{ ids: ['1'], type: 'Todo', key: FIRST, sentAs: 'r1' },
      ...{ kind: 'create', values: { text: 'new' } },
    };
    const replica = replicaWith([create]);
    expect(replica.row('Todo', FIRST)).toMatchObject({ id: FIRST, $key: FIRST, $pending: true });
    const touched = replica.apply({
      aliases: new Map([[FIRST, { type: 'Todo', id: 'n' }]]),
      objects: new Map([['Todo', new Map([['n', { id: 'n', text: 'new', done: false }]])]]),
      log: [],
    });
    expect([...(touched.get('Todo')?.keys() ?? [])]).toEqual([FIRST]);
    const row = replica.row('Todo', 'n');
    expect(row).toMatchObject({ id: 'n', $key: FIRST, $pending: false });
    expect(replica.row('Todo', FIRST)).toBe(row);
    expect([...replica.rows('Todo')]).toHaveLength(3);
  });

  it('takes ids of different types apart', () => {
    const replica = new Replica([todo, { ...todo, name: 'List' }]);
    replica.apply({
      aliases: new Map([[FIRST, { type: 'Todo', id: '1' }]]),
      objects: new Map(['Todo', 'List'].map((type) => [type, new Map([['1', { id: '1' }]])])),
    });
    expect(replica.row('Todo', '1')?.$key).toBe(FIRST);
    expect(replica.row('List', '1')?.$key).toBe('1');
    expect(replica.row('List', FIRST)).toBeUndefined();
  });

  it('shows an object once that came by its id before its create was answered', () => {
    const replica = replicaWith([]);
    replica.apply({ objects: new Map([['Todo', new Map([['n', { id: 'n', text: 'new' }]])]]) });
    const touched = replica.apply({ aliases: new Map([[FIRST, { type: 'Todo', id: 'n' }]]) });
    expect([...(touched.get('Todo')?.keys() ?? [])].sort()).toEqual(['n', FIRST]);
    expect([...replica.rows('Todo')].filter(({ id }) => id === 'n')).toHaveLength(1);
    expect(replica.row('Todo', 'n')?.$key).toBe(FIRST);
  });
});
