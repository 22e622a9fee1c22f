import { describe, expect, it } from 'vitest';
import { AccountWrites } from '../../src/cache/account-writes.js';
import { Problems } from '../../src/cache/problems.js';
import { writeCreate, writeDestroy, writeUpdate } from '../../src/cache/write-forms.js';
import { recordGroup } from '../../src/cache/write-group.js';
import { type Change, Replica } from '../../src/store/replica.js';
import type { PendingWrite } from '../../src/store/write.js';
import { LIMITS, makeTable } from '../support/toy-server.js';

// Work for a write that doesn't grow with the log.

const MANY = 5000;
/** Work that grows with the square of the writes takes many times as long, ms. */
const MOST = 2000;
const thing = makeTable('Thing');

/** Returns the time of the processor that work takes, ms. */
function measure(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the writes of an account whose log counts how often somebody looks into its writes. */
function openLog() {
  const replica = new Replica([thing]);
  let looks = 0;
  const log = Array.from({ length: 100 }, (_, n): PendingWrite => {
    const common = { type: 'Thing', kind: 'destroy', sentAs: null } as const;
    return {
      ...common,
      get ids() {
        looks += 1;
        return [`w${n}`];
      },
      get key() {
        looks += 1;
        return `x${n}`;
      },
    };
  });
  replica.apply({ log });
  const store = {
    ...{ isLoaded: true, replica, aliasRowsOf: () => [] },
    commit: (change: Change) => Promise.resolve(replica.apply(change).size > 0),
  };
  const problems = new Problems(
    () => undefined,
    { settle: async () => undefined, lacks: () => false },
    () => false,
  );
  const writes = new AccountWrites({
    ...{
      store,
      problems,
      peers: { isShared: false },
      uploads: { mark: (write: PendingWrite) => write },
    },
    ...{ limits: () => LIMITS, findRefusal: () => null, onWrite: () => undefined },
  } as never);
  const before = looks;
  return { writes, replica, count: () => looks - before };
}

describe('a write of an object that no other write is of', () => {
  it('looks into no other write of the log', () => {
    const { writes, replica, count } = openLog();
    writeDestroy(writes, 'Thing', 'other');
    writeUpdate(writes, ['Thing', 'another'], { name: 'a' });
    writeCreate(writes, thing, { name: 'b' });
    expect(replica.log).toHaveLength(103);
    expect(count()).toBe(0);
    writeUpdate(writes, ['Thing', 'another'], { name: 'b' });
    expect(replica.log).toHaveLength(103);
  });
});

describe('a group of many writes', () => {
  const target = { refusal: null, isLoading: false, hasDeferred: false } as never;

  it('is recorded in little time', () => {
    const replica = new Replica([thing]);
    const taken: PendingWrite[] = [];
    const work = () => {
      recordGroup(
        target,
        replica,
        (tx) => {
          let name = 'first';
          for (let n = 0; n < MANY; n += 1)
            name = String(writeCreate(tx, thing, { name }).object?.$key);
          for (let n = 0; n < MANY; n += 1) writeDestroy(tx, 'Thing', `x${n}`);
        },
        (_, log) => {
          taken.push(...log);
          return [];
        },
      );
    };
    expect(measure(work)).toBeLessThan(MOST);
    expect(taken).toHaveLength(2 * MANY);
  });
});
