import { describe, expect, it } from 'vitest';
import { States } from '../../src/push/account-states.js';
import type { StateNumbers } from '../../src/store/port.js';

/** A database whose reads wait until the test lets them end. */
function setUp() {
  const stored = new Map<string, StateNumbers>();
  const reads: { ids: readonly string[]; end: (error?: Error) => void }[] = [];
  const errors: unknown[] = [];
  let lookAtAccess = async (): Promise<void> => undefined;
  const states = new States({
    read: (ids) =>
      new Promise((resolve, reject) => {
        const seen = new Map(stored);
        reads.push({ ids, end: (error) => (error ? reject(error) : resolve(seen)) });
      }),
    beforeComparison: async () => undefined,
    lookAtAccess: () => lookAtAccess(),
    onError: (error) => errors.push(error),
  });
  const heard: string[][] = [];
  const listener = { changed: (types: Iterable<string>) => void heard.push([...types]) };
  const onLook = (look: () => Promise<void>): void => {
    lookAtAccess = look;
  };
  return { stored, reads, errors, states, heard, listener, onLook };
}

async function nextRead(reads: { length: number }, count: number): Promise<void> {
  while (reads.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

const Todo = (number: number): StateNumbers => new Map([['Todo', number]]);

describe('the known states of accounts', () => {
  it('a commit that comes while the database is read is not undone by the read', async () => {
    const { stored, reads, states, listener } = setUp();
    stored.set('A', Todo(5));
    const account = states.listen('A', listener);
    await nextRead(reads, 1);
    states.raise('A', Todo(6));
    reads[0]?.end();
    await states.loaded('A');
    expect(account.numberOf('Todo')).toBe(6);
  });

  it('late commits and hints change nothing, and a comparison counts downwards too', async () => {
    const { stored, reads, states, heard, listener } = setUp();
    stored.set('A', Todo(5));
    const account = states.listen('A', listener);
    await nextRead(reads, 1);
    reads[0]?.end();
    await states.loaded('A');
    states.raise('A', Todo(4));
    states.hint('A', Todo(5));
    expect(heard).toEqual([['Todo']]);
    // A forged hint would mute the account otherwise.
    states.hint('A', Todo(900));
    const comparison = states.compare();
    await nextRead(reads, 2);
    reads[1]?.end();
    await comparison;
    expect([account.numberOf('Todo'), heard.length]).toEqual([5, 3]);
  });

  it('a hint that is far ahead, or names no states, has the database read', async () => {
    const { stored, reads, states, listener } = setUp();
    const account = states.listen('A', listener);
    await nextRead(reads, 1);
    reads[0]?.end();
    await states.loaded('A');
    stored.set('A', Todo(7));
    states.hint('A', Todo(1_000_000));
    await nextRead(reads, 2);
    reads[1]?.end();
    while (account.numberOf('Todo') === 0) await new Promise(setImmediate);
    expect(account.numberOf('Todo')).toBe(7);
    stored.set('A', Todo(8));
    states.hint('A', null);
    await nextRead(reads, 3);
    reads[2]?.end();
    while (account.numberOf('Todo') === 7) await new Promise(setImmediate);
    expect(account.numberOf('Todo')).toBe(8);
  });

  it('reads accounts that are listened to at once together, and no others', async () => {
    const { reads, states, listener } = setUp();
    const ids = Array.from({ length: 600 }, (_, n) => `A${n}`);
    for (const id of ids) states.listen(id, listener);
    await nextRead(reads, 1);
    reads[0]?.end();
    await nextRead(reads, 2);
    reads[1]?.end();
    await states.loaded('A599');
    expect(reads.map(({ ids: read }) => read.length)).toEqual([500, 100]);
    states.hint('B', null);
    states.raise('B', Todo(1));
    expect(states.has('B')).toBe(false);
  });

  it('a comparison that fails is made again', async () => {
    const { stored, reads, errors, states, listener } = setUp();
    const account = states.listen('A', listener);
    await nextRead(reads, 1);
    reads[0]?.end();
    await states.loaded('A');
    stored.set('A', Todo(3));
    const comparison = states.compare();
    await nextRead(reads, 2);
    reads[1]?.end(new Error('lost'));
    await nextRead(reads, 3);
    reads[2]?.end();
    await comparison;
    expect([errors.length, account.numberOf('Todo')]).toEqual([1, 3]);
  });

  it('an account whose first read fails is read again for whoever waits', async () => {
    const { stored, reads, errors, states, heard, listener } = setUp();
    stored.set('A', Todo(3));
    states.listen('A', listener);
    await nextRead(reads, 1);
    reads[0]?.end(new Error('lost'));
    while (errors.length === 0) await new Promise(setImmediate);
    const known = states.loaded('A');
    await nextRead(reads, 2);
    reads[1]?.end();
    await known;
    expect(heard).toEqual([['Todo']]);
  });

  it.each([
    ['the access is gone too', [['Todo']]],
    ['others still have access', [['Todo'], ['Todo']]],
  ])('a state that is lost is told after a look at access: %s', async (said, expected) => {
    const { stored, reads, states, heard, listener, onLook } = setUp();
    stored.set('A', Todo(5));
    const account = states.listen('A', listener);
    await nextRead(reads, 1);
    reads[0]?.end();
    await states.loaded('A');
    let looks = 0;
    onLook(async () => {
      await new Promise(setImmediate);
      looks += 1;
      if (said === 'the access is gone too') states.leave(account, listener);
    });
    stored.delete('A');
    const comparison = states.compare();
    await nextRead(reads, 2);
    reads[1]?.end();
    await comparison;
    expect([looks, heard]).toEqual([1, expected]);
  });

  it('forgets an account that nobody listens to', () => {
    const { states, listener } = setUp();
    const account = states.listen('A', listener);
    const other = { changed: () => undefined };
    states.listen('A', other);
    states.leave(account, listener);
    expect(states.has('A')).toBe(true);
    states.leave(account, other);
    expect(states.has('A')).toBe(false);
  });
});
