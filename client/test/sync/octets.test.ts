import { describe, expect, it } from 'vitest';
import { makeKey, type PendingWrite } from '../../src/store/write.js';
import { planFlush } from '../../src/sync/flush.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

const LIMITS = { maxCalls: 13, maxObjectsInSet: 500, maxOctets: 8000 };
const base = { kind: 'update', unchanged: null, sentAs: null } as const;

describe('a large write of which another patch is sent than its program gave', () => {
  it('counts once among the octets of a request', async () => {
    const { store, sync } = await openAccount(new ToyServer(), [makeTable('Thing')]);
    await sync.settle();
    const parent = makeKey();
    await store.commit({ aliases: new Map([[parent, { type: 'Thing', id: 'p' }]]) });
    const front: PendingWrite = {
      ...{ ...base, ids: ['i'], type: 'Thing', key: 'a', patch: { text: 'x' } },
    };
    const patch = { text: 'x'.repeat(6000), parentId: parent };
    const large: PendingWrite = { ...base, ids: ['j'], type: 'Thing', key: 'b', patch };
    await store.commit({ log: [front, large] });
    const planned = planFlush(store.replica, { ...LIMITS, held: new Set([front]) });
    expect(planned).toMatchObject([{ sentAs: null }, { sentAs: expect.any(String), given: patch }]);
    await sync.close();
  });
});

describe('a large write behind one that waits', () => {
  it('is planned alone', async () => {
    const { store, sync } = await openAccount(new ToyServer(), [makeTable('Thing')]);
    await sync.settle();
    const update = (key: string, text: string): PendingWrite => ({
      ...{ ids: [key], type: 'Thing', key, sentAs: null },
      ...{ kind: 'update', patch: { text }, unchanged: null },
    });
    const front = update('a', 'x');
    await store.commit({ log: [front, update('b', 'x'.repeat(6000))] });
    const limits = { maxCalls: 13, maxObjectsInSet: 500, maxOctets: 4000, held: new Set([front]) };
    expect(planFlush(store.replica, limits)).toMatchObject([
      { sentAs: null },
      { sentAs: expect.any(String) },
    ]);
    await sync.close();
  });
});
