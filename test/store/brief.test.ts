import { describe, expect, it } from 'vitest';
import type { DataTypeDefinition, FilterDefinition } from '../../src/capability/definition.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import type { FilterNode } from '../../src/store/port.js';
import { name, render } from '../../src/store/sql/fragment.js';
import { fewQuery } from '../../src/store/sql/query.js';
import { isBrief, Sizes } from '../../src/store/sqlite/brief.js';
import { sqlite, sqliteBriefly } from '../../src/store/sqlite/dialect.js';
import { Gadget } from './gadget.js';

const type: DataTypeDefinition = { ...Gadget, characters: 1000 };

function condition(operator: FilterDefinition['operator'], value: string, more = {}): FilterNode {
  const [property] = Gadget.properties;
  if (property === undefined) throw new Error('A type has properties.');
  const filter = { name: 'x', property, operator, column: 'title', ...more };
  return { kind: 'condition', filter, value };
}

const text = condition('contains', 'word');

describe('A scan on SQLite that ends soon by its bound', () => {
  it('is one of few objects with short texts', () => {
    expect(isBrief(type, text, 20_000)).toBe(true);
    expect(isBrief(type, text, 30_000)).toBe(false);
    expect(isBrief({ ...type, characters: 100_000 }, text, 1000)).toBe(false);
  });

  it('is none where nobody knows how long a row may be, or what its JSON holds', () => {
    const { characters: _, ...boundless } = type;
    expect(isBrief(boundless, text, 10)).toBe(false);
    expect(isBrief(type, condition('hasKey', 'a'), 10)).toBe(false);
  });

  it('counts each condition, and each word of a text', () => {
    const conditions = [text, text, text];
    expect(isBrief(type, { kind: 'operator', operator: 'OR', conditions }, 20_000)).toBe(false);
    expect(isBrief(type, condition('text', 'one two three'), 20_000)).toBe(false);
    expect(isBrief(type, condition('equals', 'one'), 100_000)).toBe(true);
  });

  it('is composed without asking for the time, until the account is written to', () => {
    const sizes = new Sizes();
    const dialect = () => sizes.dialectOf('a', type, text);
    expect(dialect()).toBe(sqlite);
    const page = { number: 1, ids: [], found: null };
    expect(sizes.note('a', type.table, { ...page, objects: 100 })).toEqual(page);
    expect(dialect()).toBe(sqliteBriefly);
    expect(sizes.dialectOf('b', type, text)).toBe(sqlite);
    sizes.forget('a');
    expect(dialect()).toBe(sqlite);
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
