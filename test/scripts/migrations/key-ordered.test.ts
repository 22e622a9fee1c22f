import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/database/sqlite/index.js';
import type { Model, ModelProperty } from '../../../src/descriptor/model.js';
import { referring } from '../../support/references.js';
import { advanceTo, emptyProject } from './database.js';
import { indexed, model, property, todo, type } from './models.js';
import { generate, names, sql, write } from './project.js';

/** Data tables that SQLite keeps in the order of their key: those whose declared rows are short. */

const text = (name: string, maxLength?: number, rest: Partial<ModelProperty> = {}) =>
  property(name, 'string', {
    ...(maxLength === undefined ? {} : { schema: { maxLength } }),
    ...rest,
  });

const short = (more: readonly ModelProperty[] = [], rest = {}) =>
  type('Item', [text('label', 200), ...more], rest);

let root: string;
let db: Database;

beforeEach(() => {
  ({ root, db } = emptyProject());
});

const advance = (of: Model): Promise<readonly string[]> => advanceTo(root, db, of);

const keyed = (): readonly unknown[] =>
  db
    .prepare(
      `SELECT "name" FROM pragma_table_list WHERE "wr" = 1 AND "schema" = 'main'
       AND "name" NOT LIKE 'Jmap%' AND "type" = 'table' ORDER BY "name"`,
    )
    .pluck()
    .all()
    .filter((name) => !String(name).includes('_search'));

function add(id: string, label = 'Milk'): void {
  db.prepare(
    `INSERT INTO "Item" ("accountId", "id", "created", "updated", "label")
      VALUES ('a', ?, 1, 2, ?)`,
  ).run(id, label);
}

const rows = (statement: string): unknown[] => db.prepare(statement).all();

/** Makes the last migrations as an older generator would have: it knew of one shape. */
async function releaseWithout(of: ReturnType<typeof model>): Promise<void> {
  const plan = await generate(root, of);
  expect(plan.problems).toEqual([]);
  for (const [path, content] of plan.files) {
    const old = path.endsWith('model.json')
      ? content.replaceAll(/,\s*"keyOrdered": (true|false)/g, '')
      : content.replace(/(CREATE TABLE "(?:Item|Todo)" \([^;]*\)) WITHOUT ROWID;/g, '$1;');
    write(root, path, old);
  }
  migrate(db, join(root, 'prisma/sqlite/migrations'));
}

describe('A data table is in the order of its key', () => {
  it('if its texts are short by declaration, filter columns included', async () => {
    const of = (name: string, properties: readonly ModelProperty[], rest = {}) =>
      type(name, properties, rest);
    await advance(
      model([
        of('Plain', [property('done', 'boolean'), property('n', 'number'), property('d', 'date')]),
        of('Folded', [text('a', 512)], { folded: ['a'], casemapped: ['a'] }),
        of('FoldedLong', [text('a', 513)], { folded: ['a'], casemapped: ['a'] }),
        of('Full', [text('a', 1000), text('b', 536)]),
        of('FullLong', [text('a', 1000), text('b', 537)]),
        of('Words', [text('a', undefined, { schema: { enum: ['low', 'high', null] } })]),
        of('Without', [text('a')]),
        of('Json', [property('a', 'json')]),
        of('Sealed', [text('a', 20, { secret: 'hash' })]),
        of('Refers', [
          text('a', undefined, {
            format: 'id',
            schema: { type: 'string', format: 'id' },
            ...referring({ type: 'Plain', form: 'single', onDestroy: 'restrict', acyclic: false }),
          }),
        ]),
      ]),
    );
    expect(keyed()).toEqual(['Folded', 'Full', 'Plain', 'Refers', 'Words']);
  });

  it('and stays so if its rows may be long from then on, or SQLite copies it', async () => {
    await advance(model([short()]));
    add('r1');
    await advance(model([short([text('more', 5000, { default: '' })])]));
    expect(keyed()).toEqual(['Item']);
    const nullable = short([text('more', 5000, { nullable: true })]);
    const plan = await generate(root, model([nullable]));
    expect(sql(plan, names(plan).at(-1) ?? '')).toMatch(/"new_Item" \([^;]*\) WITHOUT ROWID;/);
    migrate(db, join(root, 'prisma/sqlite/migrations'));
    expect(rows(`SELECT "id", "label", "more" FROM "Item"`)).toEqual([
      { id: 'r1', label: 'Milk', more: '' },
    ]);
    expect(keyed()).toEqual(['Item']);
  });

  it('or not, and stays so if its rows can only be short from then on', async () => {
    await advance(model([type('Item', [text('label')])]));
    add('r1');
    expect(keyed()).toEqual([]);
    const drops = { drops: ['label'] };
    expect(await advance(model([short([], drops)]))).toHaveLength(1);
    const more = text('more', 50, { default: '' });
    expect(await advance(model([short([more])]))).toHaveLength(1);
    expect(keyed()).toEqual([]);
  });

  it('from the next migration on if the release is older, with all its rows', async () => {
    const label = text('label', 200);
    const sorts = [indexed(label)];
    const search = { name: 'Item_search', columns: ['label'] };
    const filters = [
      {
        ...{ name: 'label', property: label, operator: 'contains' as const, column: 'label' },
        ...{ indexed: true as const, schema: {}, description: '', at: label.at },
      },
    ];
    const item = type('Item', [label], { sorts, search, filters });
    const long = todo();
    await releaseWithout(model([item, long]));
    for (const id of ['r3', 'r1', 'r2']) add(id, `Milk ${id}`);
    expect(keyed()).toEqual([]);

    expect(await advance(model([item, long]))).toEqual(['0002_item']);
    expect(keyed()).toEqual(['Item']);
    expect(rows(`SELECT "id", "label" FROM "Item"`)).toEqual(
      ['r1', 'r2', 'r3'].map((id) => ({ id, label: `Milk ${id}` })),
    );
    expect(rows(`SELECT "name" FROM pragma_index_list('Item') WHERE "origin" = 'c'`)).toEqual([
      { name: 'Item_accountId_label_id_idx' },
    ]);
    add('r4', 'Milk r4');
    const found = `SELECT "id" FROM "Item_search_row" WHERE "docid" IN
      (SELECT rowid FROM "Item_search" WHERE "Item_search" MATCH ?) ORDER BY "id"`;
    expect(db.prepare(found).pluck().all('"ilk"')).toEqual(['r1', 'r2', 'r3', 'r4']);
    db.exec(`DELETE FROM "Item" WHERE "id" = 'r1'`);
    expect(db.prepare(found).pluck().all('"ilk"')).toEqual(['r2', 'r3', 'r4']);

    const again = await generate(root, model([item, long]));
    expect(names(again)).toEqual(['0001_init', '0002_item']);
    expect(names(again, 'postgresql')).toEqual(['0001_init']);
  });

  it('together with what else changes of an older release', async () => {
    const rank = property('rank', 'integer', { default: 0 });
    await releaseWithout(model([short([rank])]));
    add('r1');
    const due = property('due', 'date', { nullable: true });
    const nullable = property('rank', 'integer', { nullable: true });
    expect(await advance(model([short([nullable, due])]))).toEqual(['0002_item_due']);
    expect(keyed()).toEqual(['Item']);
    expect(rows(`SELECT "id", "label", "rank", "due" FROM "Item"`)).toEqual([
      { id: 'r1', label: 'Milk', rank: 0, due: null },
    ]);
    const long = text('more', 9, { default: "it's ) WITHOUT ROWID;\n" });
    expect(await advance(model([short([nullable, due, long])]))).toHaveLength(1);
    expect(rows(`SELECT "more" FROM "Item"`)).toEqual([{ more: "it's ) WITHOUT ROWID;\n" }]);
  });
});
