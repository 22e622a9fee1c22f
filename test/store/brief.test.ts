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
import { boundOf, Sizes } from '../../src/store/sqlite/brief.js';
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

const isBrief = (...[of, plan, kept, objects]: [...Parameters<typeof boundOf>, number]): boolean =>
  boundOf(of, plan, kept) * objects <= 40_000_000;

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
    expect(isBrief(type, by(all, [ordered(created), ordered(title)]), 50, 12_000)).toBe(true);
    expect(isBrief(type, by(all, [ordered(title, { indexed: true })]), 50, 12_000)).toBe(true);
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

  it('is composed without asking for the time, until the account is written to', () => {
    const sizes = new Sizes();
    const dialect = () => sizes.dialectOf('a', type, by(text), 50);
    expect(dialect()).toBe(sqlite);
    const page = { number: 1, ids: [], found: null };
    expect(sizes.note('a', type.table, { ...page, objects: 100 })).toEqual(page);
    expect(dialect()).toBe(sqliteBriefly);
    expect(sizes.dialectOf('b', type, by(text), 50)).toBe(sqlite);
    sizes.forget('a');
    expect(dialect()).toBe(sqlite);
    const { texts } = sqliteBriefly.contains(name('title'), 'word');
    expect(texts.join('') + sqliteBriefly.tick.text).not.toMatch(/octet_length|random\(\)/);
  });
});

describe('A scan whose time is watched', () => {
  it('may be longer, unless one of the same rows was slow', () => {
    const sizes = new Sizes();
    const dialect = (isWatched: boolean) =>
      sizes.dialectOf('a', type, by(text), 50, isWatched) === sqliteBriefly;
    sizes.note('a', type.table, { number: 1, ids: [], found: null, objects: 7000 });
    expect([dialect(false), dialect(true)]).toEqual([false, true]);
    sizes.took('a', type.table, 9);
    sizes.took('b', type.table, 50);
    sizes.took('a', 'Other', 50);
    expect(dialect(true)).toBe(true);
    sizes.took('a', type.table, 11);
    expect(dialect(true)).toBe(false);
    sizes.note('a', type.table, { number: 1, ids: [], found: null, objects: 5000 });
    expect(dialect(true)).toBe(true);
    sizes.forget('a');
    sizes.note('a', type.table, { number: 2, ids: [], found: null, objects: 7000 });
    expect(dialect(true)).toBe(false);
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
