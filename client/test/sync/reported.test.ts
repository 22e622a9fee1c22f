import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { PatchObject } from '../../src/store/patches.js';
import { Replica } from '../../src/store/replica.js';
import type { PendingUpdate } from '../../src/store/write.js';
import { callsOf } from '../../src/sync/flush.js';
import { readFlush } from '../../src/sync/outcomes.js';
import { findConflicts } from '../../src/sync/unchanged.js';
import { makeTable } from '../support/toy-server.js';

function update(id: string, patch: PatchObject, unchanged: JsonObject | null = null) {
  const write = { ids: [id], type: 'T', key: 'x', kind: 'update', sentAs: null } as const;
  return { ...write, patch, unchanged } satisfies PendingUpdate;
}

const send = (write: PendingUpdate, sentAs: string) => ({ ...write, sentAs, sentIn: '1' });

// The server keeps tags in small letters, and says so.
it('a checked update does not end by what the server has made of earlier updates', () => {
  const replica = new Replica([makeTable('T')]);
  replica.apply({
    objects: new Map([['T', new Map([['x', { id: 'x', tags: {} }]])]]),
    cursors: new Map([['T', '1']]),
    log: [
      send(update('one', { tags: { Red: true } }), 'k1'),
      update('two', { 'tags/blue': true }),
      update('three', { 'tags/green': true }, { tags: { Red: true, blue: true } }),
    ],
  });
  const answer = (updated: JsonObject): void => {
    const [call] = callsOf(replica.log);
    if (call === undefined) throw new Error('There is no call.');
    const { change } = readFlush(replica, [
      { call, answer: { isError: false, args: { updated } } },
    ]);
    replica.apply(change);
  };
  answer({ x: { tags: { red: true } } });
  const [two, ...rest] = replica.log as readonly PendingUpdate[];
  replica.apply({ log: two ? [send(two, 'k2'), ...rest] : [] });
  answer({ x: null });
  expect(replica.base('T', 'x')).toMatchObject({ tags: { red: true, blue: true } });
  expect(findConflicts(replica, new Set())).toEqual([]);
});
