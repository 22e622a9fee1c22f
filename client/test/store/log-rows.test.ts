import { describe, expect, it } from 'vitest';
import { LogRows } from '../../src/store/log-rows.js';
import type { PendingWrite } from '../../src/store/write.js';

function makeWrite(id: string, group?: string): PendingWrite {
  const common = { ids: [id], type: 'Todo', key: id, sentAs: null, ...(group && { group }) };
  return { ...common, kind: 'destroy' };
}

describe('writes of tabs that share a store', () => {
  it('stay together where they were made together', () => {
    const group = [1, 2, 3].map((number) => makeWrite(`g${number}`, 'g'));
    const tabs = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => [makeWrite(`w${number}`)]);
    // None of the tabs has heard of what the others write.
    const rows = [group, ...tabs].flatMap((log) => new LogRows('a').change([], log));
    const reader = new LogRows('a');
    const log = reader.take([], rows);
    const first = log.findIndex((write) => write.group === 'g');
    expect(log.slice(first, first + 3)).toEqual(group);
    // The ones that are left keep their places, and the next ones come behind them.
    const rest = log.filter(({ key }) => key !== 'g1');
    const next = makeWrite('n');
    const changed = [...rows, ...reader.change(log, [...rest, next])];
    const last = new Map(changed.map((row) => [row.key, row]));
    const present = [...last.values()].filter(({ value }) => value !== undefined);
    expect(new LogRows('a').take([], present)).toEqual([...rest, next]);
  });

  it('stay in their order where one takes the place of others', () => {
    const before = ['update', 'x', 'destroy', 'create'].map((id) => makeWrite(id));
    const tab = new LogRows('a');
    const rows = tab.change([], before);
    const other = new LogRows('a');
    const heard = other.take([], rows);
    const needing = makeWrite('n');
    const more = other.change(heard, [...heard, needing]);
    const taken = { ...makeWrite('destroy'), ids: ['update', 'destroy'] };
    const after = before.slice(1).map((write) => (write.key === 'destroy' ? taken : write));
    const changes = tab.change(before, after);
    const last = new Map([...rows, ...more, ...changes].map((row) => [row.key, row]));
    const present = [...last.values()].filter(({ value }) => value !== undefined);
    expect(new LogRows('a').take([], present)).toEqual([...after, needing]);
  });

  it('have ended for good where their tab tells of them late', () => {
    const [row] = new LogRows('a').change([], [makeWrite('w')]);
    if (row === undefined) throw new Error('A write has no row.');
    const tab = new LogRows('a');
    const read = tab.take([], [row]);
    const ended = tab.take(read, [{ table: row.table, key: row.key }]);
    expect([read.length, tab.take(ended, [row], true)]).toEqual([1, []]);
  });
});
