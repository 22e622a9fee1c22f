import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import { referring } from '../../support/references.js';
import { begin, type Evolving } from './evolving.js';
import { drop, find, model, property, TODO_PROPERTIES, todo, type } from './models.js';
import { placedAt } from './project.js';

const TEXT = find(TODO_PROPERTIES, 'text');
const DONE = find(TODO_PROPERTIES, 'done');
const COUNTRY = type('Country', [property('name', 'string')]);

/** The same on every database. */
export function evolves(open: () => Promise<Evolving>): void {
  const changes = (name: string) =>
    `SELECT "accountId", "number" FROM "JmapState" WHERE "type" = '${name}' ORDER BY "accountId"`;

  const ROW = `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done",
    "text_folded", "text_casemap")
    VALUES ('a', 'r1', 1, 2, 'Straße', true, 'strasse', 'k')`;

  const STATES = `INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
    VALUES ('a', 'Todo', 7, 1), ('a', 'Country', 3, 0)`;

  const RECORDS = `INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind",
    "at")
    VALUES ('a', 'Todo', 7, 'r1', 0, 1), ('a', 'Country', 3, 'c', 0, 1)`;

  it('renames a property with its shadows, and keeps its values where they are', async () => {
    const { db, root, advance } = await begin(open, model([todo(), COUNTRY]));
    for (const sql of [ROW, STATES, RECORDS]) await db.run(sql);
    const title = { ...TEXT, name: 'title', column: 'title', renamedFrom: 'text' };
    const renamed = type('Todo', [title, DONE], { folded: ['title'], casemapped: ['title'] });
    expect(await advance(model([renamed, COUNTRY]))).toEqual(['0002_todo_title']);
    const [now] = placedAt(root, model([renamed])).capabilities[0]?.types ?? [];
    expect(now?.shadows.map(({ column }) => column)).toEqual(['text_folded', 'text_casemap']);
    // The version before goes on.
    await db.run(ROW.replace("'r1'", "'r2'"));
    expect(
      await db.rows(`SELECT "text", "text_folded", "text_casemap" FROM "Todo" WHERE "id" = 'r1'`),
    ).toEqual([{ text: 'Straße', text_folded: 'strasse', text_casemap: 'k' }]);
    // Once released, the key says nothing any more.
    expect(await advance(model([renamed, COUNTRY]))).toEqual([]);
    // The type's old states are refused, in accounts without a change too; another's are not.
    expect(await db.rows(changes('Todo'))).toEqual([
      { accountId: 'a', number: 8 },
      { accountId: 'b', number: 1 },
    ]);
    expect(await db.rows(changes('Country'))).toEqual([{ accountId: 'a', number: 3 }]);
    expect(await db.rows(`SELECT "type" FROM "JmapChange"`)).toEqual([{ type: 'Country' }]);
    // The old name is free for another property.
    const plain = { ...title, renamedFrom: undefined } as unknown as ModelProperty;
    const text = property('text', 'string', { default: 'new' });
    const both = type('Todo', [plain, DONE, text], {
      ...{ folded: ['title', 'text'], casemapped: ['title'] },
    });
    expect(await advance(model([both, COUNTRY]))).toEqual(['0003_todo_text_2']);
    expect(
      await db.rows(`SELECT "text", "text_2", "text_2_folded" FROM "Todo" WHERE "id" = 'r1'`),
    ).toEqual([{ text: 'Straße', text_2: 'new', text_2_folded: 'new' }]);
  });

  it('renames a type, and keeps its table and the engine’s records of it', async () => {
    const { db, advance } = await begin(open, model([todo()]));
    for (const sql of [ROW, STATES, RECORDS]) await db.run(sql);
    const task = { ...todo(), name: 'Task', table: 'Task', renamedFrom: 'Todo' };
    expect(await advance(model([task]))).toEqual(['0002_task']);
    expect(await db.rows(`SELECT "text" FROM "Todo"`)).toEqual([{ text: 'Straße' }]);
    expect(await db.rows(changes('Todo'))).toEqual([{ accountId: 'a', number: 7 }]);
    const other = todo();
    const next = { ...task, renamedFrom: undefined } as unknown as ModelType;
    expect(await advance(model([next, other]))).toEqual(['0003_todo_2']);
    expect(await db.rows(`SELECT "text" FROM "Todo_2"`)).toEqual([]);
    expect(await db.rows(`SELECT "text" FROM "Todo"`)).toHaveLength(1);
  });

  it('drops a property and a type that the descriptor gives up, and no other', async () => {
    const { db, advance } = await begin(open, model([todo(), COUNTRY]));
    for (const sql of [ROW, STATES, RECORDS]) await db.run(sql);
    const less = (drops: readonly string[]) =>
      type('Todo', [TEXT], { folded: ['text'], casemapped: ['text'], drops });
    const [capability] = model([less(['done'])]).capabilities;
    if (capability === undefined) throw new Error('no capability');
    await advance({ capabilities: [{ ...capability, drops: [drop('Country')] }] });
    if (db.isShared) {
      // The version before serves both until it is stopped; the new one's rows have a value there.
      await db.run(ROW.replace("'r1'", "'r2'"));
      await db.run(ROW.replace(', "done"', '').replace(', true', '').replace("'r1'", "'r3'"));
      expect(await db.rows(`SELECT "id", "done" FROM "Todo" ORDER BY "id"`)).toEqual([
        { id: 'r1', done: true },
        { id: 'r2', done: true },
        { id: 'r3', done: false },
      ]);
      expect(await db.rows(`SELECT * FROM "Country"`)).toEqual([]);
      expect(await db.rows(changes('Country'))).toEqual([{ accountId: 'a', number: 3 }]);
      expect(await advance(model([less([])])), 'no migration for this alone').toEqual([]);
      expect(await advance(model([less([])]), true)).toEqual(['0003__contract']);
      expect(await advance(model([less([])]), true), 'nothing is left').toEqual([]);
    }
    expect((await db.rows(`SELECT * FROM "Todo"`))[0]).not.toHaveProperty('done');
    expect(await db.rows(`SELECT "objects" FROM "JmapState" WHERE "type" = 'Country'`)).toEqual([
      { objects: 0 },
    ]);
    expect(await db.rows(`SELECT * FROM "JmapChange"`)).toEqual([]);
    await expect(db.rows(`SELECT * FROM "Country"`)).rejects.toThrow();
  });

  it('begins a type whose name another had behind every state of that one', async () => {
    const { db, advance } = await begin(open, model([todo(), COUNTRY]));
    for (const sql of [ROW, STATES, RECORDS]) await db.run(sql);
    const without = (drops: readonly string[], types: readonly ModelType[]): Model => ({
      capabilities: model(types).capabilities.map((of) => ({ ...of, drops: drops.map(drop) })),
    });
    await advance(without(['Todo'], [COUNTRY]));
    await advance(model([todo(), COUNTRY]));
    const states = async (table: string) =>
      (await db.rows(changes(table))).find(({ accountId }) => accountId === 'a');
    expect(await states('Todo'), 'it was 7').toEqual({ accountId: 'a', number: 8 });
    // A name that moves on to another type's objects.
    const land = { ...COUNTRY, name: 'Land', table: 'Land', renamedFrom: 'Country' };
    await advance(model([todo(), land]));
    await db.run(`UPDATE "JmapState" SET "number" = 20 WHERE "type" = 'Country'`);
    await advance(model([todo(), land, COUNTRY].map(({ renamedFrom: _, ...of }) => of)));
    expect(await states('Country_2')).toEqual({ accountId: 'a', number: 21 });
    expect(await states('Country')).toEqual({ accountId: 'a', number: 20 });
    await advance(without(['Country'], [todo(), { ...COUNTRY, name: 'Land', table: 'Land' }]));
    const back = { ...COUNTRY, renamedFrom: 'Land' };
    await advance(model([todo(), back]));
    expect(await states('Country')).toEqual({ accountId: 'a', number: 22 });
    // Under a name of its own its states go on.
    await advance(model([todo(), land]));
    expect(await states('Country')).toEqual({ accountId: 'a', number: 22 });
  });

  it('fills null with the default where a narrowing is accepted', async () => {
    const { db, root, advance } = await begin(
      open,
      model([todo([property('place', 'string', { nullable: true })], { folded: ['place'] })]),
    );
    const rows = `SELECT "place", "place_folded" FROM "Todo" ORDER BY "id"`;
    const narrow = (drops: readonly string[], more: readonly ModelProperty[] = []) => {
      const place = property('place', 'string', { default: "IT's here" });
      return model([todo([place, ...more], { drops, folded: ['place'] })]);
    };
    const insert = (id: string) =>
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done", "place",
        "place_folded")
       VALUES ('a', '${id}', 1, 2, '', true, NULL, NULL)`;
    await db.run(insert('r1'));
    await advance(narrow(['place']));
    const filled = { place: "IT's here", place_folded: "it's here" };
    expect(await db.rows(rows)).toEqual([filled]);
    if (db.isShared) {
      // The version before may write null until it is stopped.
      await db.run(insert('r2'));
      expect(await db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'follow:%'`)).toEqual([
        { key: 'follow:Todo' },
      ]);
      const more = property('more', 'boolean', { default: false });
      await advance(narrow([], [more]));
      expect(await db.rows(rows)).toEqual([filled, filled]);
      const text = readFileSync(
        join(root, 'prisma/postgresql/migrations/0003_todo_more/model.json'),
        'utf8',
      );
      expect(JSON.parse(text)).not.toHaveProperty('left');
    }
    await expect(db.run(`UPDATE "Todo" SET "place" = NULL`)).rejects.toThrow();
  });

  it('changes the type of a property that the descriptor gives up', async () => {
    const { db, advance } = await begin(
      open,
      model([todo([property('rank', 'integer', { required: true })])]),
    );
    const insert = (id: string) =>
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done", "rank")
       VALUES ('a', '${id}', 1, 2, '', true, 5)`;
    await db.run(insert('r1'));
    const rank = property('rank', 'string', { default: 'low' });
    await advance(model([todo([rank], { drops: ['rank'] })]));
    expect(await db.rows(`SELECT "rank_2" FROM "Todo"`)).toEqual([{ rank_2: 'low' }]);
    if (db.isShared) {
      await db.run(insert('r2'));
      await db.run(insert('r3').replace(', "rank")', ', "rank_2")').replace(', 5)', `, 'high')`));
      expect(await db.rows(`SELECT "rank", "rank_2" FROM "Todo" ORDER BY "id"`)).toEqual([
        { rank: 5, rank_2: 'low' },
        { rank: 5, rank_2: 'low' },
        { rank: 0, rank_2: 'high' },
      ]);
    }
    // Once more: the first column's name is free again, and what was left goes.
    const again = property('rank', 'boolean', { default: true });
    await advance(model([todo([again], { drops: ['rank'] })]));
    expect((await db.rows(`SELECT "rank" FROM "Todo"`)).map(({ rank: is }) => Boolean(is))).toEqual(
      db.isShared ? [true, true, true] : [true],
    );
  });

  it('gives up the values of a reference to another type, with its records', async () => {
    const link = (to: string) => {
      const link = referring({ type: to, form: 'single', onDestroy: 'setNull', acyclic: false });
      return property('link', 'string', { nullable: true, ...link });
    };
    const { db, advance } = await begin(open, model([todo([link('Todo')]), COUNTRY]));
    for (const sql of [ROW, STATES, RECORDS, `UPDATE "Todo" SET "link" = 'r1'`]) await db.run(sql);
    await db.run(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType",
      "property", "fromId")
      VALUES ('a', 'Todo', 'r1', 'Todo', 'link', 'r1')`);
    await advance(model([todo([link('Country')], { drops: ['link'] }), COUNTRY]));
    expect(await db.rows(`SELECT "id", "link_2" FROM "Todo"`)).toEqual([
      { id: 'r1', link_2: null },
    ]);
    if (db.isShared) {
      expect(await db.rows(`SELECT "property" FROM "JmapReference"`)).toHaveLength(1);
      await advance(model([todo([link('Country')]), COUNTRY]), true);
    }
    expect(await db.rows(`SELECT * FROM "JmapReference"`)).toEqual([]);
    // Clients that hold an old state fetch this type anew, and this one alone.
    expect(await db.rows(`SELECT "type" FROM "JmapChange"`)).toEqual([{ type: 'Country' }]);
  });

  it('keeps records of references and blobs while the version before needs them', async () => {
    const blob = (name: string) => property(name, 'string', { nullable: true, blobs: [[]] });
    const restrict = { onDestroy: 'restrict', acyclic: false } as const;
    const references = referring({ type: 'Country', form: 'single', ...restrict });
    const link = property('link', 'string', { nullable: true });
    const { db, advance } = await begin(
      open,
      model([todo([blob('file'), blob('cover'), { ...link, ...references }]), COUNTRY]),
    );
    await db.run(ROW);
    await db.run(`UPDATE "Todo" SET "file" = 'B1', "cover" = 'B2', "link" = 'c1'`);
    for (const id of ['B1', 'B2']) {
      await db.run(`INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId",
        "created")
        VALUES ('a', '${id}', 'text/plain', 1, 'u', 1)`);
      await db.run(`INSERT INTO "JmapBlobReference" VALUES ('a', '${id}', 'Todo', 'r1')`);
    }
    await db.run(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType",
      "property", "fromId")
      VALUES ('a', 'Country', 'c1', 'Todo', 'link', 'r1')`);
    const kept = async () => [
      ...(await db.rows(`SELECT "blobId" FROM "JmapBlobReference" ORDER BY "blobId"`)),
      ...(await db.rows(`SELECT "property" FROM "JmapReference"`)),
    ];
    const [file, cover, records] = [{ blobId: 'B1' }, { blobId: 'B2' }, { property: 'link' }];
    // One is dropped, one is text like any other from now on.
    await advance(model([todo([blob('cover'), link], { drops: ['file'] }), COUNTRY]));
    expect(await kept()).toEqual(db.isShared ? [file, cover, records] : [cover]);
    await advance(model([todo([property('cover', 'string', { nullable: true }), link]), COUNTRY]));
    expect(await kept()).toEqual(db.isShared ? [cover] : []);
    await advance(model([todo([link], { drops: ['cover'] }), COUNTRY]));
    expect(await kept()).toEqual([]);
    const unreferenced = `SELECT "id" FROM "JmapBlob" WHERE "unreferencedSince" IS NOT NULL`;
    expect(await db.rows(unreferenced)).toHaveLength(2);
  });

  it('drops what a release had that kept no model, whatever it is', async () => {
    const kinds = ['boolean', 'integer', 'number', 'date', 'json', 'string'] as const;
    const given = kinds.map((kind) => property(`${kind}s`, kind));
    const { db, root, advance } = await begin(open, model([type('Todo', [TEXT, ...given])]));
    for (const provider of ['sqlite', 'postgresql'])
      rmSync(join(root, `prisma/${provider}/migrations/0001_init/model.json`));
    const names = given.map(({ name }) => name);
    await advance(model([type('Todo', [TEXT], { drops: names })]));
    await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text")
      VALUES ('a', 'r1', 1, 2, '')`);
    const [row = {}] = await db.rows(`SELECT * FROM "Todo"`);
    expect(names.filter((name) => name in row)).toHaveLength(db.isShared ? 6 : 0);
    await advance(model([type('Todo', [TEXT])]), true);
    expect(Object.keys((await db.rows(`SELECT * FROM "Todo"`))[0] ?? {})).toHaveLength(5);
  });

  it('computes again from dropped values, but not from renamed ones', async () => {
    const serverSet = (name: string, computed: NonNullable<ModelProperty['computed']>) =>
      property(name, 'integer', { default: 0, access: 'serverSet', computed });
    const length = (from: string) => serverSet('length', { kind: 'from', properties: [from] });
    const uses = (by: string) => serverSet('uses', { kind: 'count', type: 'Todo', by });
    const link = (name: string, form: 'single' | 'set', rest: Partial<ModelProperty> = {}) =>
      property(name, form === 'single' ? 'string' : 'json', {
        ...(form === 'single' ? { nullable: true } : { default: {} }),
        ...referring({ type: 'Country', form, onDestroy: 'setNull', acyclic: false }),
        ...rest,
      });
    const country = (by: string) => type('Country', [find(COUNTRY.properties, 'name'), uses(by)]);
    const size = property('size', 'integer', { nullable: true });
    const { db, advance } = await begin(
      open,
      model([todo([size, length('size'), link('at', 'single')]), country('at')]),
    );
    await db.run(ROW);
    await db.run(`UPDATE "Todo" SET "at" = 'c1'`);
    await db.run(`INSERT INTO "Country" ("accountId", "id", "created", "updated", "name", "uses")
      VALUES ('a', 'c1', 1, 1, '', 1)`);
    await db.run(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType",
      "property", "fromId")
      VALUES ('a', 'Country', 'c1', 'Todo', 'at', 'r1')`);
    const notes = () => db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'compute:%'`);
    const renamed = { ...size, name: 'extent', column: 'extent' };
    const links = [link('place', 'single', { renamedFrom: 'at' })];
    const extent = { ...renamed, renamedFrom: 'size' };
    await advance(model([todo([extent, length('extent'), ...links]), country('place')]));
    expect(await notes()).toEqual([]);
    expect(await db.rows(`SELECT "uses" FROM "Country"`)).toEqual([{ uses: 1 }]);
    // Null becomes the default, and the count is of what refers now.
    const given = [{ ...renamed, nullable: false, default: 3 }, link('place', 'set')];
    const drops = ['extent', 'place'];
    await advance(model([todo([...given, length('extent')], { drops }), country('place')]));
    const anew = [{ key: 'compute:Country/uses' }, { key: 'compute:Todo/length' }];
    expect((await notes()).toSorted(byKey)).toEqual(anew);
    await db.run(`DELETE FROM "JmapMeta"`);
    const text = property('extent', 'string', { default: '' });
    const other = [text, link('place', 'set'), length('extent')];
    await advance(model([todo(other, { drops: ['extent'] }), country('place')]));
    expect(await notes()).toEqual([{ key: 'compute:Todo/length' }]);
  });

  it('fills folded text and collation keys of 2,500 rows that exist', async () => {
    const place = property('place', 'string', { nullable: true });
    const { db, advance } = await begin(
      open,
      model([todo([place], { folded: [], casemapped: [] })]),
    );
    const values = Array.from({ length: 2500 }, (_, index) => {
      const value = index % 2 === 0 ? `'Ålesund ${index}'` : 'NULL';
      const id = `r${String(index).padStart(4, '0')}`;
      return `('a', '${id}', 1, 2, 'STRASSE ${index}', false, ${value})`;
    });
    await db.run(
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done", "place")
       VALUES ${values.join(', ')}`,
    );
    await advance(model([todo([place], { folded: ['text', 'place'], casemapped: ['text'] })]));
    const rows = await db.rows(
      `SELECT "text", "place", "text_folded", "place_folded", "text_casemap" FROM "Todo"
        ORDER BY "id"`,
    );
    expect(rows).toHaveLength(2500);
    for (const { text, place: at, ...shadows } of rows)
      expect(shadows).toEqual({
        text_folded: fold(String(text)),
        place_folded: at === null ? null : fold(String(at)),
        text_casemap: casemapKey(String(text)),
      });
  });

  it('makes the records of a property that becomes a reference, in each form', async () => {
    const forms = [
      property('one', 'string', { nullable: true }),
      property('list', 'json', { default: [] }),
      property('set', 'json', { default: {} }),
    ];
    const { db, advance } = await begin(open, model([todo(forms), COUNTRY]));
    await db.run(ROW);
    await db.run(`UPDATE "Todo" SET "one" = 'c1', "list" = '["c2","c3"]', "set" = '{"c4":true}'`);
    // Random text, which PostgreSQL can't compress: no id, and no room for it in an index.
    const long = randomBytes(6000).toString('base64');
    await db.run(
      ROW.replace("'r1'", "'r2'")
        .replace('"text",', '"text", "one", "list",')
        .replace("'Straße',", `'', '${long}', '["${long}", ""]',`),
    );
    const linking = forms.map((of, index) => ({
      ...of,
      ...referring({
        type: 'Country',
        form: (['single', 'list', 'set'] as const)[index] ?? 'single',
        onDestroy: 'restrict' as const,
        acyclic: false,
      }),
    }));
    const count = property('uses', 'integer', {
      default: 0,
      access: 'serverSet',
      computed: { kind: 'count', type: 'Todo', by: 'one' },
    });
    await db.run(
      `INSERT INTO "Country" ("accountId", "id", "created", "updated", "name")
        VALUES ('a', 'c1', 1, 1, '')`,
    );
    const counted = type('Country', [property('name', 'string'), count]);
    const drops = forms.map(({ name }) => name);
    const now = [todo(linking, { drops }), counted];
    await advance(model(now));
    expect(await db.rows(`SELECT "property", "toId" FROM "JmapReference" ORDER BY "toId"`)).toEqual(
      [
        { property: 'one', toId: 'c1' },
        { property: 'list', toId: 'c2' },
        { property: 'list', toId: 'c3' },
        { property: 'set', toId: 'c4' },
      ],
    );
    await db.start({ types: now });
    expect(await db.rows(`SELECT "uses" FROM "Country"`)).toEqual([{ uses: 1 }]);
  });
}

function byKey(one: object, other: object): number {
  return String(Reflect.get(one, 'key')) < String(Reflect.get(other, 'key')) ? -1 : 1;
}
