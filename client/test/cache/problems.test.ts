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
