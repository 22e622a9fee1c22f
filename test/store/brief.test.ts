import { describe, expect, it } from 'vitest';
import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
} from '../../src/capability/definition.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import type { FilterNode, QueryPlan, SortKey } from '../../src/store/port.js';
import { name, render } from '../../src/store/sql/fragment.js';
import { fewQuery } from '../../src/store/sql/query.js';
import { boundOf, LONGEST } from '../../src/store/sqlite/brief.js';
import { sqlite, sqliteBriefly } from '../../src/store/sqlite/dialect.js';
import { Gadget, PROPERTIES } from './gadget.js';

const type: DataTypeDefinition = { ...Gadget, characters: 1000, shadows: [] };

function condition(operator: FilterDefinition['operator'], value: string, more = {}): FilterNode {
  const property = PROPERTIES.code;
  const filter = { name: 'x', property, operator, column: 'title', ...more };
  return { kind: 'condition', filter, value };
}

const text = condition('contains', 'word');

const by = (filter: FilterNode, sort: readonly SortKey[] = []): QueryPlan => ({ filter, sort });
const ordered = (property: PropertyDefinition, more = {}): SortKey => ({
  sort: { property, ...more },
  ascending: true,
  collation: 'i;ascii-numeric',
});
const { title, created, rank } = PROPERTIES;

/** Where nothing is known but the bound of texts. */
const isBrief = (of: DataTypeDefinition, plan: QueryPlan, kept: number, objects: number): boolean =>
  boundOf(of, plan, kept, of.characters ?? Number.POSITIVE_INFINITY) * objects <= LONGEST;

describe('A scan on SQLite that ends soon by its bound', () => {
  it('is one of few objects with short texts', () => {
    expect(isBrief(type, by(text), 50, 5000)).toBe(true);
    expect(isBrief(type, by(text), 50, 12_000)).toBe(false);
    expect(isBrief({ ...type, characters: 100_000 }, by(text), 50, 300)).toBe(false);
  });

  it('counts what it takes to read a row, whatever is asked of it', () => {
    const done = condition('equals', 'no', { property: rank });
    expect(isBrief(type, by(done), 50, 18_000)).toBe(true);
    expect(isBrief({ ...type, characters: 200_000 }, by(done), 50, 300)).toBe(false);
    expect(isBrief({ ...type, characters: 200_000 }, by({ kind: 'all' }), 50, 300)).toBe(false);
  });

  it('searches a text that its shadow columns hold once more as one of several', () => {
    const shadows = [{ column: 'folded', property: title, transform: 'fold' } as const];
    const searched = by(condition('contains', 'word', { property: title }));
    expect(isBrief(type, searched, 50, 7500)).toBe(false);
    expect(isBrief({ ...type, shadows }, searched, 50, 7500)).toBe(true);
  });

  it('is none where nobody knows how long a row may be, or what its JSON holds', () => {
    const { characters: _, ...boundless } = type;
    expect(isBrief(boundless, by(text), 50, 10)).toBe(false);
    expect(isBrief(type, by(condition('hasKey', 'a')), 50, 10)).toBe(false);
  });

  it('counts each condition, each value, and each word of a text', () => {
    const conditions = [text, text, text];
    expect(isBrief(type, by({ kind: 'operator', operator: 'OR', conditions }), 50, 5000)).toBe(
      false,
    );
    expect(isBrief(type, by(condition('text', 'one two three')), 50, 5000)).toBe(false);
    expect(isBrief(type, by(condition('equals', 'one')), 50, 5000)).toBe(true);
    const thousand = Array.from({ length: 1000 }, () => condition('equals', 'one'));
    const filter = { kind: 'operator', operator: 'OR', conditions: thousand } as const;
    expect(isBrief(type, by(filter), 50, 10_000)).toBe(false);
    expect(isBrief({ ...type, characters: 10 }, by(filter), 50, 10_000)).toBe(false);
  });

  it('counts how long a text is looked for: each place may begin with most of it', () => {
    expect(isBrief(type, by(condition('contains', 'a'.repeat(500))), 50, 5000)).toBe(false);
  });

  it('counts what it takes to sort, by a function, too, where no index has the order', () => {
    const all = { kind: 'all' } as const;
    expect(isBrief(type, by(all), 50, 12_000)).toBe(true);
    expect(isBrief(type, by(all, [ordered(created)]), 50, 12_000)).toBe(true);
    // What follows decides between objects of one millisecond: they are sorted.
    expect(isBrief(type, by(all, [ordered(created), ordered(title)]), 50, 12_000)).toBe(false);
    const indexed = ordered(title, { indexed: true });
    expect(isBrief(type, by(all, [{ ...indexed, collation: 'i;octet' }]), 50, 12_000)).toBe(true);
    // The index is of another collation.
    expect(isBrief(type, by(all, [indexed]), 50, 5000)).toBe(false);
    expect(isBrief(type, by(all, [ordered(rank)]), 50, 21_000)).toBe(true);
    expect(isBrief(type, by(all, [ordered(rank)]), 5000, 21_000)).toBe(false);
    expect(isBrief(type, by(all, [ordered(title)]), 50, 5000)).toBe(false);
    const keyed: SortKey = { ...ordered(title), collation: 'i;unicode-casemap' };
    const held = { ...keyed, sort: { ...keyed.sort, casemapColumn: 'key' } };
    expect(isBrief(type, by(all, [keyed]), 50, 9000)).toBe(false);
    expect(isBrief(type, by(all, [held]), 50, 9000)).toBe(true);
    expect(isBrief(type, by(all, [held]), 5000, 9000)).toBe(false);
    const both = [ordered(rank, { indexed: true }), ordered(title)];
    expect(isBrief(type, by(all, both), 50, 5000)).toBe(false);
  });

  it('counts what it takes to go to rows that need not lie beside each other', () => {
    const short = { ...type, characters: 10 };
    const byRank = by(text, [{ ...ordered(rank, { indexed: true }), collation: 'i;octet' }]);
    const bound = (plan: QueryPlan, isNumbered: boolean) =>
      boundOf(short, plan, 50, 10, isNumbered);
    // Measured: 1,240 ns by an index in a table that is in the order of its key, 2,840 by a rowid.
    expect(bound(byRank, false)).toBeGreaterThan(1240);
    expect(bound(byRank, true)).toBeGreaterThan(2840);
    expect(bound(by(text), true)).toBeGreaterThan(2240);
    for (const plan of [by(text), by(text, [ordered(created)])])
      expect(bound(plan, false)).toBeLessThan(300);
  });

  it('grows evenly with the texts: what rows take on average they take together', () => {
    const plan = by(text, [ordered(title)]);
    const [none, some, more] = [0, 700, 1400].map((length) => boundOf(type, plan, 50, length));
    expect((more ?? 0) - (some ?? 0)).toBeCloseTo((some ?? 0) - (none ?? 0));
    expect(some).toBeGreaterThan(none ?? 0);
  });

  it('is composed without asking for the time', () => {
    const { texts } = sqliteBriefly.contains(name('title'), 'word');
    expect(texts.join('') + sqliteBriefly.tick.text).not.toMatch(/octet_length|random\(\)/);
  });
});

describe('What an ordered index finds', () => {
  it('is few up to 5,000 rows', () => {
    const db = openDatabase({ file: ':memory:' });
    const filter = condition('equals', 'same', { indexed: true });
    const query = fewQuery(type, 'a', { filter, sort: [] }, sqlite);
    if (query === null) throw new Error('It depends on how many there are.');
    db.exec(`CREATE TABLE "${type.table}" ("accountId" TEXT, "title" TEXT)`);
    const insert = db.prepare(`INSERT INTO "${type.table}" SELECT 'a', 'same' FROM (
 WITH RECURSIVE "n"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "n" LIMIT ?) SELECT n FROM "n")`);
    const isFew = () =>
      db
        .prepare(render(query, sqlite.placeholder))
        .pluck()
        .get(...query.values);
    insert.run(5000);
    expect(isFew()).toBe(1);
    insert.run(1);
    expect(isFew()).toBe(0);
    db.close();
  });
});
