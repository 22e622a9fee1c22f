import { describe, expect, it } from 'vitest';
import type { TypeTable } from '../../src/index.js';
import { coalesce, type Log } from '../../src/store/log.js';
import { LogRows } from '../../src/store/log-rows.js';
import { Replica } from '../../src/store/replica.js';
import type { PendingWrite } from '../../src/store/write.js';
import { planFlush } from '../../src/sync/flush.js';

// Work that grows no faster than the log.

const COUNT = 20_000;
/** Work that grows with the square of the log takes many times as long, ms. */
const MOST = 1000;

const todo: TypeTable = {
  ...{ name: 'Todo', capability: 'urn:test', hash: '', methods: [], filters: {}, sorts: {} },
  properties: { text: { kind: 'string' } },
};

function update(id: string, key: string, group?: string): PendingWrite {
  return {
    ...{ ids: [id], type: 'Todo', key, sentAs: null, kind: 'update', unchanged: null },
    ...{ patch: { text: id }, ...(group !== undefined && { group }) },
  };
}

const log = Array.from({ length: COUNT }, (_, n) => update(`${n}`, `o${n}`));

/** Returns the time of the processor that work takes, ms. */
function measure(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('a log of many writes', () => {
  it('is made as small as it can be in little time', () => {
    const last = update('last', 'o0', 'group');
    const grouped = log.map((_, n) => update(`${n}`, `o${n % 100}`, `${n}`));
    let made: Log = [];
    expect(measure(() => (made = coalesce([...log, last], () => () => null)))).toBeLessThan(MOST);
    expect(made).toHaveLength(COUNT + 1);
    expect(measure(() => (made = coalesce(grouped, () => () => null)))).toBeLessThan(MOST);
    expect(made).toBe(grouped);
  });

  it('is put into calls in little time', () => {
    const replica = new Replica([todo]);
    const objects = new Map(log.map(({ key }) => [key, { id: key, text: '' }]));
    replica.apply({ objects: new Map([['Todo', objects]]), log });
    const limits = { maxCalls: 100, maxObjectsInSet: 500, maxOctets: 1e8 };
    let planned: Log = [];
    expect(measure(() => (planned = planFlush(replica, limits)))).toBeLessThan(MOST);
    expect(planned.every(({ sentAs }) => sentAs !== null)).toBe(true);
  });

  it('is left alone by a commit that brings no ids', () => {
    const replica = new Replica([todo]);
    replica.apply({ log });
    const work = () => {
      for (let n = 0; n < 200; n += 1) replica.apply({ aliases: new Map() });
    };
    expect(measure(work)).toBeLessThan(MOST);
    expect(replica.log).toBe(log);
  });

  it('is told by another tab, row by row, in little time', () => {
    const rows = new LogRows('A').change([], log);
    const own = new LogRows('A');
    let taken: Log = [];
    const work = () => {
      for (const row of rows.slice(0, COUNT / 4)) taken = own.take(taken, [row], true);
    };
    expect(measure(work)).toBeLessThan(MOST);
    expect(taken).toEqual(log.slice(0, COUNT / 4));
    expect(own.rows).toEqual(rows.slice(0, COUNT / 4));
    expect(own.take(taken, rows.slice(9, 10), true)).toEqual(taken);
  });
});
