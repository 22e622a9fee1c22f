import { describe, expect, it } from 'vitest';
import { AccountWrites } from '../../src/cache/account-writes.js';
import { Problems } from '../../src/cache/problems.js';
import { writeCreate, writeDestroy, writeUpdate } from '../../src/cache/write-forms.js';
import { recordGroup } from '../../src/cache/write-group.js';
import { type Change, Replica } from '../../src/store/replica.js';
import type { PendingWrite } from '../../src/store/write.js';
import { LIMITS, makeTable } from '../support/toy-server.js';

// Work for a write that doesn't grow with the log.

const SOME = 1000;
/** So many times as many. */
const FACTOR = 5;
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

  it('is recorded in a time that grows with their number alone', () => {
    const taken: PendingWrite[] = [];
    const record = (many: number): void => {
      recordGroup(
        target,
        new Replica([thing]),
        (tx) => {
          let name = 'first';
          for (let n = 0; n < many; n += 1)
            name = String(writeCreate(tx, thing, { name }).object?.$key);
          for (let n = 0; n < many; n += 1) writeDestroy(tx, 'Thing', `x${n}`);
        },
        (_, log) => {
          taken.push(...log);
          return [];
        },
      );
    };
    const few = measure(() => record(SOME));
    // With the square of their number it would be 25 times as much.
    expect(measure(() => record(SOME * FACTOR))).toBeLessThan(3 * FACTOR * few);
    expect(taken).toHaveLength(2 * SOME * (1 + FACTOR));
  });
});
