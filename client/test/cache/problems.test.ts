import { describe, expect, it } from 'vitest';
import { Problems } from '../../src/cache/problems.js';
import type { PendingWrite } from '../../src/store/write.js';

function makeWrite(ids: readonly string[]): PendingWrite {
  return { ids, type: 'Thing', key: 'x', sentAs: null, kind: 'destroy' };
}

const error = { type: 'forbidden' };
const openProblems = (): Problems =>
  new Problems(
    () => undefined,
    { settle: async () => undefined, lacks: () => false },
    () => false,
  );

describe('a problem', () => {
  it('goes once all of its writes have been asked for', () => {
    const problems = openProblems();
    problems.add([{ accountId: 'A', write: makeWrite(['one', 'two']), error }]);
    problems.dismiss('other');
    problems.dismiss('one');
    expect(problems.list.getSnapshot()).toHaveLength(1);
    problems.dismiss('two');
    problems.dismiss('two');
    expect(problems.list.getSnapshot()).toEqual([]);
  });

  it('stays that another tab tells while the store is being read', async () => {
    const problems = openProblems();
    const write = makeWrite(['one']);
    problems.add([{ accountId: 'A', write, error }]);
    const told = problems.rowsOf([{ accountId: 'A', write, error }]);
    const store = {
      async load() {
        problems.follow(told);
        return [];
      },
    };
    await problems.read(store as never);
    expect(problems.list.getSnapshot()).toHaveLength(1);
  });

  it('stays that is being written as the store is read', async () => {
    let isWritten = false;
    const problems = new Problems(
      () => undefined,
      {
        async settle() {
          isWritten = true;
        },
        lacks: () => false,
      },
      () => false,
    );
    const one = { accountId: 'A', write: makeWrite(['one']), error };
    problems.report(one);
    const rows = problems.rows.map(({ key, value }) => [key, value]);
    await problems.read({ load: async () => (isWritten ? rows : []) } as never);
    expect(problems.list.getSnapshot()).toHaveLength(1);
  });

  it('stays that a lost store has yet to get', async () => {
    const unsaved = new Set<string>();
    const problems = new Problems(
      (rows) => rows.map(({ key }) => unsaved.add(key)),
      { settle: async () => undefined, lacks: ({ key }) => unsaved.has(key) },
      () => false,
    );
    problems.report({ accountId: 'A', write: makeWrite(['one']), error });
    await problems.read({ load: async () => [] } as never);
    expect(problems.list.getSnapshot()).toHaveLength(1);
    unsaved.clear();
    await problems.read({ load: async () => [] } as never);
    expect(problems.list.getSnapshot()).toEqual([]);
  });

  it('is as the store has it, where another tab refuses the same write', async () => {
    const problems = openProblems();
    const write = makeWrite(['one']);
    problems.add([{ accountId: 'A', write, error }]);
    const theirs = { accountId: 'A', write, error: { type: 'accountNotFound' } };
    const rows = problems.rowsOf([theirs]).map(({ key, value }) => [key, value]);
    await problems.read({ load: async () => rows } as never);
    expect(problems.list.getSnapshot()).toMatchObject([{ error: theirs.error }]);
  });

  it('goes that others have dealt with, where two readings overlap', async () => {
    const problems = openProblems();
    const one = { accountId: 'A', write: makeWrite(['one']), error };
    const rows = problems.rowsOf([one]).map(({ key, value }) => [key, value]);
    let reads = 0;
    const store = { load: async () => (reads++ === 0 ? rows : []) };
    await Promise.all([problems.read(store as never), problems.read(store as never)]);
    expect(problems.list.getSnapshot()).toEqual([]);
  });

  it('is one of many, and no work for the end of another write', () => {
    const problems = openProblems();
    const all = Array.from({ length: 10_000 }, (_, n) => makeWrite([`w${n}`]));
    problems.add(all.map((write) => ({ accountId: 'A', write, error })));
    const before = process.cpuUsage();
    for (let n = 0; n < 20_000; n += 1) problems.dismiss(`other${n}`);
    const { user, system } = process.cpuUsage(before);
    // A look at all problems each time takes ten times as long, ms.
    expect((user + system) / 1000).toBeLessThan(300);
    expect(problems.list.getSnapshot()).toHaveLength(10_000);
  });
});
