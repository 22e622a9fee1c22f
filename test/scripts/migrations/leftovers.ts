import { expect, it } from 'vitest';
import type { ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import { referring } from '../../support/references.js';
import { begin, type Evolving } from './evolving.js';
import { find, model, property, TODO_PROPERTIES, type } from './models.js';
import { placedAt } from './project.js';

const TEXT = find(TODO_PROPERTIES, 'text');
const LIST = property('listId', 'string', {
  nullable: true,
  ...referring({ type: 'List', form: 'single', onDestroy: 'setNull', acyclic: false }),
});
const NAME = property('name', 'string', { default: '' });
/** Returns a time within what a start looks at again. */
const recent = (): number => Date.now();

/**
 * Tests values derived from rows that exist, or that the version before writes: the same on every
 * database.
 */
export function finishes(open: () => Promise<Evolving>): void {
  /** As a server writes it that knows these columns alone. */
  const insert = async (
    db: Evolving,
    table: string,
    rows: readonly Readonly<Record<string, string | number | null>>[],
  ) => {
    for (const row of rows) {
      const all = { accountId: 'a', created: 1, updated: recent(), ...row };
      const names = Object.keys(all).map((name) => `"${name}"`);
      const values = Object.values(all).map((value) =>
        typeof value === 'string' ? `'${value}'` : String(value),
      );
      await db.run(`INSERT INTO "${table}" (${names.join(', ')}) VALUES (${values.join(', ')})`);
    }
  };
  const notes = (db: Evolving) =>
    db.rows(
      `SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'compute:%' OR "key" LIKE 'follow:%' OR "key"
        LIKE 'reset:%'
       ORDER BY "key"`,
    );
  const computed = (name: string, how: ModelProperty['computed']) =>
    property(name, 'integer', {
      default: 0,
      access: 'serverSet',
      ...(how === undefined ? {} : { computed: how }),
    });

  it('computes a property of a hook file for 1,200 objects that exist, once', async () => {
    const { db, advance } = await begin(open, model([type('Todo', [TEXT])]));
    const values = Array.from(
      { length: 1200 },
      (_, n) => `('${n % 2 === 0 ? 'a' : 'b'}', 'r${n}', 1, 2, '${'x'.repeat(n % 7)}')`,
    );
    await db.run(
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text")
        VALUES ${values.join(', ')}`,
    );
    await db.run(
      `INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
        VALUES ('a', 'Todo', 7, 600)`,
    );
    const length = computed('length', { kind: 'from', properties: ['text'] });
    const todo = type('Todo', [TEXT, length]);
    await advance(model([todo]));
    let calls = 0;
    const hooks = {
      Todo: {
        compute: {
          length: ({ text }: Readonly<Record<string, unknown>>) => {
            calls += 1;
            return String(text).length;
          },
        },
      },
    };
    await db.start({ types: [todo], hooks });
    expect(await db.rows(`SELECT * FROM "Todo" WHERE "length" <> length("text")`)).toEqual([]);
    expect(await db.rows(`SELECT DISTINCT "updated" FROM "Todo"`)).toEqual([{ updated: 2 }]);
    const known = calls;
    await db.start({ types: [todo], hooks });
    expect(calls).toBe(known);
    // A state that a client knows from before, or from the old server after the migration, is
    // refused.
    const states = await db.rows(
      `SELECT "accountId", "number" FROM "JmapState" WHERE "type" = 'Todo' ORDER BY "accountId"`,
    );
    expect(states).toEqual([
      { accountId: 'a', number: 9 },
      { accountId: 'b', number: 2 },
    ]);
    expect(await db.rows(`SELECT * FROM "JmapChange"`)).toEqual([]);
  });

  it('goes on behind the last object where a function failed, and says which', async () => {
    const { db, advance } = await begin(open, model([type('Todo', [TEXT])]));
    const values = Array.from({ length: 700 }, (_, n) => `('a', 'r${n + 1000}', 1, 2, 'x${n}')`);
    await db.run(
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text")
        VALUES ${values.join(', ')}`,
    );
    const todo = type('Todo', [TEXT, computed('length', { kind: 'from', properties: ['text'] })]);
    await advance(model([todo]));
    const seen: string[] = [];
    const hooks = (fails: boolean) => ({
      Todo: {
        compute: {
          length: ({ text }: Readonly<Record<string, unknown>>) => {
            seen.push(String(text));
            if (fails && text === 'x600') throw new Error('six hundred is too many');
            return String(text).length;
          },
        },
      },
    });
    await expect(db.start({ types: [todo], hooks: hooks(true) })).rejects.toThrow(
      /account a, r1500 to r1699 of Todo: .*compute of Todo[.]length threw .*hook file/,
    );
    seen.length = 0;
    await db.start({ types: [todo], hooks: hooks(false) });
    expect(seen).not.toContain('x0');
    expect(await db.rows(`SELECT * FROM "Todo" WHERE "length" <> length("text")`)).toEqual([]);
    expect(await db.rows(`SELECT * FROM "JmapMeta" WHERE "key" LIKE 'compute:%'`)).toEqual([]);
  });

  it('computes counts and a property that follows others, and follows a rename', async () => {
    const before = [type('List', [NAME]), type('Item', [TEXT, { ...LIST }])];
    const { db, root, advance } = await begin(open, model(before));
    await insert(db, 'List', [
      { id: 'l1', name: '' },
      { id: 'l2', name: '' },
    ]);
    await insert(db, 'Item', [
      { id: 'i1', text: 'one', listId: 'l1' },
      { id: 'i2', text: 'three', listId: 'l1' },
    ]);
    const refer = (id: string, to: string) =>
      db.run(
        `INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "property",
          "fromId")
         VALUES ('a', 'List', '${to}', 'Item', 'listId', '${id}')`,
      );
    for (const id of ['i1', 'i2']) await refer(id, 'l1');
    const sum = computed('sum', {
      kind: 'on',
      sources: [{ type: 'Item', property: 'text' }],
    });
    const items = computed('items', { kind: 'count', type: 'Item', by: 'listId' });
    const item = type('Item', [TEXT, LIST]);
    await advance(model([type('List', [NAME, sum, items]), item]));
    // A second migration before any start: what is left follows, whatever its name.
    const total = { ...sum, name: 'total', column: 'total', renamedFrom: 'sum' };
    const group = {
      ...type('Group', [NAME, total, items]),
      renamedFrom: 'List',
    } satisfies ModelType;
    const grouped = {
      ...LIST,
      ...referring({ type: 'Group', form: 'single', onDestroy: 'setNull', acyclic: false }),
    } satisfies ModelProperty;
    const after = [group, type('Item', [TEXT, grouped])];
    await advance(model(after));
    // The version before writes one more meanwhile.
    await insert(db, 'Item', [{ id: 'i3', text: 'seven', listId: 'l2' }]);
    await db.run(
      `INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "property", "fromId")
       VALUES ('a', 'List', 'l2', 'Item', 'listId', 'i3')`,
    );
    const computeOn = {
      total: async (
        { Item }: Readonly<Record<string, { readonly created: readonly object[] }>>,
        _call: unknown,
        reader: { get(of: never, ids: null): Promise<readonly object[]> },
      ) => {
        const touched = new Set((Item?.created ?? []).map((one) => Reflect.get(one, 'listId')));
        const definition = { ...types[1], capability: 'urn:example:things' } as never;
        const sums = new Map<string, unknown>();
        for (const one of await reader.get(definition, null)) {
          const list = Reflect.get(one, 'listId') as string;
          if (!touched.has(list)) continue;
          sums.set(list, Number(sums.get(list) ?? 0) + String(Reflect.get(one, 'text')).length);
        }
        return sums;
      },
    };
    const types = placedAt(root, model(after)).capabilities.flatMap((one) => one.types);
    await db.start({ types, hooks: { Group: { computeOn } } });
    expect(await db.rows(`SELECT "id", "sum", "items" FROM "List" ORDER BY "id"`)).toEqual([
      { id: 'l1', sum: 8, items: 2 },
      { id: 'l2', sum: 5, items: 1 },
    ]);
  });

  it('refuses a unique where objects collide, names them, and changes nothing', async () => {
    const code = property('code', 'string', { nullable: true });
    const { db, root, advance } = await begin(open, model([type('Todo', [TEXT, code])]));
    await insert(db, 'Todo', [
      ...['r1', 'r2', 'r3'].map((id) => ({ id, text: '', code: 'twice' })),
      ...['r4', 'r5'].map((id) => ({ id, text: '', code: null })),
      { accountId: 'b', id: 'r6', text: '', code: 'twice' },
    ]);
    const unique = (of: readonly ModelProperty[], properties: readonly ModelProperty[]) =>
      type('Todo', of, {
        uniques: [{ name: properties.map(({ name }) => name).join('+'), properties, at: TEXT.at }],
      });
    // Under a new name, with an index: all of it is undone.
    const label = { ...code, name: 'label', column: 'label', renamedFrom: 'code' };
    const after = model([unique([TEXT, label], [label])]);
    await expect(advance(after)).rejects.toThrow(
      /0002_\w+ makes Todo[.]label unique.*"twice" in account a: 3 objects, r1 and r3 among them.*Nothing/,
    );
    expect(await db.rows(`SELECT count("code") AS "n" FROM "Todo"`)).toEqual([{ n: 4 }]);
    await db.run(`UPDATE "Todo" SET "code" = "id" WHERE "id" IN ('r2', 'r3')`);
    expect(await db.migrate(root)).toHaveLength(1);
    // A unique property stays so without a look; another set of properties is looked at.
    expect(await advance(after)).toEqual([]);
    const wider = model([unique([TEXT, label], [TEXT, label])]);
    expect(await advance(wider)).toHaveLength(1);
    const texts = model([unique([TEXT, label], [TEXT])]);
    await expect(advance(texts)).rejects.toThrow('Todo.text unique');
  });

  it('finds objects that the version before writes during and after the migration', async () => {
    const before = type(
      'Todo',
      [TEXT, { ...LIST, name: 'list', column: 'list' }].map(withoutReference),
    );
    const { db, advance } = await begin(open, model([before, type('List', [NAME])]));
    await insert(db, 'Todo', [{ id: 'r1', text: 'Straße', list: 'l1' }]);
    const list = { ...LIST, name: 'list', column: 'list' };
    const after = [
      type('Todo', [TEXT, list], { folded: ['text'], casemapped: ['text'], drops: ['list'] }),
      type('List', [NAME, computed('todos', { kind: 'count', type: 'Todo', by: 'list' })]),
    ];
    await insert(db, 'List', [
      { id: 'l1', name: '' },
      { id: 'l2', name: '' },
    ]);
    await advance(model(after));
    // It knows neither shadow columns nor references: an insert and an update of its own.
    await insert(db, 'Todo', [{ id: 'r2', text: 'ÄRGER', list: 'l2' }]);
    await db.run(
      `UPDATE "Todo" SET "text" = 'NEU', "list" = 'l2', "updated" = ${recent()} WHERE "id" = 'r1'`,
    );
    await db.start({ types: after });
    const found = await db.rows(
      `SELECT "id", "text_folded", "text_casemap" FROM "Todo" ORDER BY "id"`,
    );
    expect(found).toEqual([
      { id: 'r1', text_folded: fold('NEU'), text_casemap: casemapKey('NEU') },
      { id: 'r2', text_folded: fold('ÄRGER'), text_casemap: casemapKey('ÄRGER') },
    ]);
    expect(await db.rows(`SELECT "fromId", "toId" FROM "JmapReference" ORDER BY "fromId"`)).toEqual(
      [
        { fromId: 'r1', toId: 'l2' },
        { fromId: 'r2', toId: 'l2' },
      ],
    );
    expect(await db.rows(`SELECT "id", "todos" FROM "List" ORDER BY "id"`)).toEqual([
      { id: 'l1', todos: 0 },
      { id: 'l2', todos: 2 },
    ]);
    // Clients of the new version hear of what it changed after the reset.
    expect(await notes(db)).toEqual(
      db.isShared ? [{ key: 'follow:List' }, { key: 'follow:Todo' }] : [],
    );
  });

  it('fills moments and makes the records of blobs for objects that exist', async () => {
    const due = property('due', 'string', { nullable: true, format: 'date' });
    const file = property('fileId', 'string', { nullable: true });
    const { db, advance } = await begin(open, model([type('Todo', [due, file])]));
    for (const [id, since] of [
      ['B1', '5'],
      ['B2', '5'],
    ])
      await db.run(
        `INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId", "created",
          "unreferencedSince")
         VALUES ('a', '${id}', 'text/plain', 1, 'u', 1, ${since})`,
      );
    await insert(db, 'Todo', [
      { id: 'r1', due: '2026-01-01T01:00:00+01:00', fileId: 'B1' },
      { id: 'r2', due: null, fileId: 'nowhere' },
      { id: 'r3', due: '1969-12-31T23:59:59.5Z', fileId: null },
    ]);
    const shadows = [{ column: 'due_instant', property: due, transform: 'instant' as const }];
    const after = [type('Todo', [due, { ...file, blobs: [[]] }], { shadows, drops: ['fileId'] })];
    await advance(model(after));
    await insert(db, 'Todo', [{ id: 'r4', due: '2026-01-01T00:00:00Z', fileId: 'B2' }]);
    await db.start({ types: after });
    expect(await db.rows(`SELECT "due_instant" FROM "Todo" ORDER BY "id"`)).toEqual([
      { due_instant: 1767225600000 },
      { due_instant: null },
      { due_instant: -500 },
      { due_instant: 1767225600000 },
    ]);
    const blobs = await db.rows(
      `SELECT "blobId", "objectId" FROM "JmapBlobReference" ORDER BY "objectId"`,
    );
    expect(blobs).toEqual([
      { blobId: 'B1', objectId: 'r1' },
      { blobId: 'B2', objectId: 'r4' },
    ]);
    expect(
      await db.rows(`SELECT "id" FROM "JmapBlob" WHERE "unreferencedSince" IS NOT NULL`),
    ).toEqual([]);
  });
}

/** Before it was a reference. */
function withoutReference(property: ModelProperty): ModelProperty {
  return { ...property, references: [] };
}
