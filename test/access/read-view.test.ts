import { expect, it } from 'vitest';
import { BeyondReachError, readViewChanges } from '../../src/access/read-view.js';
import type { AccessRecord, Snapshot, View } from '../../src/store/port.js';
import { Gadget } from '../store/gadget.js';

// Changes of a view behind which the access of many others has changed.

const VIEW: View = { userId: 'u1', scopes: ['*'], sharedTables: [], rules: null };
const LIMITS = { records: 10, objects: 10, reach: 10 };

/** Has so many access records, in each of which so many others leave a group. */
function snapshotOf(records: number, changes: number): Snapshot {
  const change = { kind: 'taken', principalId: 'g1', memberId: 'u2', scopes: [] } as const;
  const all = Array.from({ length: changes }, () => change);
  const reads: Partial<Snapshot> = {
    viewRecords: async () => [],
    sharesHeld: async () => ({ groupIds: [], scopes: [] }),
    accessRecords: async (_type, _view, { before }, limit) => {
      const last = Math.min(before - 1, records);
      const count = Math.min(limit, last);
      return Array.from(
        { length: count },
        (_, index): AccessRecord => ({ number: last - index, kind: 'access', changes: all }),
      );
    },
  };
  return reads as Snapshot;
}

const read = (snapshot: Snapshot) => {
  const question = { type: Gadget, view: VIEW, since: { number: 0 }, current: 1_000_000 };
  return readViewChanges(snapshot, question, LIMITS);
};

it('changes of members without scopes are passed over, up to a bound', async () => {
  expect((await read(snapshotOf(15, 10_000))).isMoved).toBe(false);
  await expect(read(snapshotOf(125, 10_000))).rejects.toThrow(BeyondReachError);
});
