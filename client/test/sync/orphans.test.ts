import { describe, expect, it } from 'vitest';
import type { TypeTable } from '../../src/index.js';
import { type Change, Replica } from '../../src/store/replica.js';
import type { PendingWrite } from '../../src/store/write.js';
import { findOrphans } from '../../src/sync/orphans.js';
import { Outbox } from '../../src/sync/outbox.js';
import type { Outcome } from '../../src/sync/outcomes.js';
import type { SyncOptions } from '../../src/sync/sync-options.js';

const todo: TypeTable = {
  ...{ name: 'Todo', capability: 'urn:test', hash: '', methods: ['get', 'changes', 'set'] },
  properties: {
    text: { kind: 'string' },
    parentId: { kind: 'string', references: [{ type: 'Todo' }] },
  },
  ...{ filters: {}, sorts: {} },
};

const MADE = '~00000000-0000-4000-8000-000000000001';
const GONE = '~00000000-0000-4000-8000-000000000002';
const NAMED = '~00000000-0000-4000-8000-000000000003';

const common = { type: 'Todo', sentAs: null } as const;

function update(key: string): PendingWrite {
  return { ...common, ids: [key], key, kind: 'update', patch: { text: 'b' }, unchanged: null };
}

const never = (): boolean => false;

/** Returns the ends of writes; `held` stay in any case. */
const findEnds = (replica: Replica, held: readonly PendingWrite[] = [], lacksFile = never) =>
  findOrphans(replica, { isHeld: (write) => held.includes(write), lacksFile }, never);

describe('writes of an object that was made here', () => {
  it('end where it is nowhere any more', () => {
    const replica = new Replica([todo]);
    const create: PendingWrite = {
      ...{ ...common, ids: ['c'], key: MADE, kind: 'create', values: { text: 'a' } },
    };
    const lost = update(GONE);
    const log = [create, update(MADE), lost, update(NAMED), update('x1'), update(GONE)];
    replica.apply({ log, aliases: new Map([[NAMED, { type: 'Todo', id: 'x2' }]]) });
    const ends = findEnds(replica);
    expect(ends.map(({ write }) => write.key)).toEqual([GONE, GONE]);
    expect(ends[0]).toMatchObject({ isMade: false, write: lost, error: { type: 'notFound' } });
    expect(ends[0]?.write).toBe(lost);
  });

  it('end where it is made once more behind them', () => {
    const replica = new Replica([todo]);
    const make = (key: string, parentId: string | null): PendingWrite => ({
      ...{ ...common, ids: [key], key, kind: 'create', values: { text: 'a', parentId } },
    });
    const [early, child] = [update(MADE), make(NAMED, MADE)];
    replica.apply({ log: [early, child, make(MADE, MADE), update(MADE)] });
    expect(findEnds(replica)).toMatchObject([
      { isMade: false, write: early, error: { type: 'notFound' } },
      { isMade: false, write: child, error: { type: 'dependencyFailed' } },
    ]);
  });

  it('end where they name it, and take along what needs them; uploads are no objects', () => {
    const replica = new Replica([todo]);
    const create = (
      key: string,
      parentId: string,
      blobs: readonly string[] = [],
    ): PendingWrite => ({
      ...{ ...common, ids: [key], key, kind: 'create', values: { parentId, text: GONE }, blobs },
    });
    const [named, next] = [create(MADE, GONE), create(NAMED, MADE)];
    const file = create('~00000000-0000-4000-8000-000000000004', GONE, [GONE]);
    replica.apply({ log: [named, next, update(MADE), file, { ...named, sentAs: 'k' }] });
    const ends = findEnds(replica);
    const failed = { isMade: false, error: { type: 'dependencyFailed' } };
    expect(ends).toMatchObject([failed, failed, { error: { type: 'notFound' } }]);
    expect(ends.map(({ write }) => write)).toEqual([named, next, update(MADE)]);
  });
});

it('a held write keeps the object that it makes, and what needs that', () => {
  const replica = new Replica([todo]);
  const make = (key: string, parentId: string): PendingWrite => ({
    ...{ ...common, ids: [key], key, kind: 'create', values: { text: 'a', parentId } },
  });
  const held = make(MADE, GONE);
  replica.apply({ log: [held, update(MADE), make(NAMED, MADE), update(NAMED)] });
  expect(findEnds(replica, [held])).toEqual([]);
  expect(findEnds(replica)).toHaveLength(4);
  expect(findEnds(replica, [held], () => true).map(({ write }) => write)).not.toContain(held);
});

it('a write that comes while others are planned in vain ends where it lacks a file', async () => {
  const replica = new Replica([todo]);
  const create = (key: string): PendingWrite => ({
    ...{ ...common, ids: [key], key, kind: 'create', values: { text: key } },
  });
  replica.apply({ log: [create(MADE)] });
  const ended: string[] = [];
  let commits = 0;
  const options = {
    ...{ accountId: 'A', replica, hasOnceKeys: () => true, tidy: () => undefined },
    types: () => [todo],
    limits: () => ({
      ...{ maxCallsInRequest: 16, maxObjectsInGet: 9, maxObjectsInSet: 9, maxSizeRequest: 1e5 },
    }),
    isHeld: ({ sentAs, key }: PendingWrite) => sentAs !== null && key === MADE,
    lacksFile: ({ key }: PendingWrite) => key === NAMED,
    async commit(change: Change, outcomes: readonly Outcome[]) {
      commits += 1;
      ended.push(...outcomes.map(({ write }) => write.key));
      replica.apply(change);
      // The store is lost while the first plan is being written.
      if (commits === 1) replica.apply({ log: [...replica.log, create(NAMED)] });
      return false;
    },
  };
  const outbox = new Outbox(options as unknown as SyncOptions);
  await outbox.plan();
  expect(ended).toEqual([NAMED]);
  expect(replica.log.map(({ key }) => key)).toEqual([MADE]);
});
