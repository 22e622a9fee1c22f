import type { JSONSchema7 } from 'json-schema';
import { expect, it } from 'vitest';
import { type Place, textsAt } from '../../../src/capability/places.js';
import type { Model, ModelProperty } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { begin, type Evolving } from './evolving.js';
import { model, property, type } from './models.js';
import { generate, temporaryRoot } from './project.js';

/** One place of each kind of step, and steps behind one another. */
const PLACES: readonly Place[] = [
  [{ member: 'file' }],
  [{ member: "it's" }, { each: 'item' }],
  [{ member: 'list' }, { each: 'item' }, { member: 'blobId' }],
  [{ member: 'map' }, { each: 'value' }, { each: 'item' }, { each: 'item' }],
  [{ member: 'set' }, { each: 'key' }],
  [{ member: 'open' }, { each: 'key', except: ['B1', 'title'] }],
  [{ member: 'open' }, { each: 'value', except: ['B1', 'title'] }, { member: 'thumb' }],
];

const VALUES: readonly JsonValue[] = [
  {},
  { file: 'B1' },
  { file: 'nowhere', other: 'B1' },
  { file: null, list: [] },
  { file: ['B1'], "it's": 'B1', list: { blobId: 'B1' }, map: ['B1'], set: ['B1'] },
  { file: { file: 'B1' }, set: 'B1', open: 5, map: true },
  { "it's": ['B1', 'B2', 'B1', 7, null, ['B3']] },
  { list: [{ blobId: 'B2' }, {}, 'B3', { blobId: 5 }, { blobId: 'B1', name: 'B3' }, null] },
  { map: { a: [['B1'], 'B2', ['B3', 'x']], b: 'B2', c: [] } },
  { set: { B1: true, B2: true, "o'B": true } },
  { open: { B1: { thumb: 'B2' }, B3: { thumb: 'B1' }, title: { thumb: 'B2' } } },
  { open: { B2: 'B3', x: { thumb: ['B1'] } } },
];

const ANY: JSONSchema7 = { type: ['object', 'null'], additionalProperties: true };
const BLOBS = ['B1', 'B2', 'B3'];

/**
 * Records of blobs for objects that exist, where blobs stand within values: the same on every
 * database.
 */
export function indexesNestedBlobs(open: () => Promise<Evolving>): void {
  const page = (blobs: readonly Place[], drops: readonly string[] = ['data']): Model =>
    model([
      type('Page', [property('data', 'json', { nullable: true, schema: ANY, blobs })], { drops }),
    ]);

  async function beginPage(of: Model) {
    const { db, advance } = await begin(open, of);
    for (const id of BLOBS)
      await db.run(
        `INSERT INTO "JmapBlob"
         ("accountId", "id", "type", "size", "uploaderId", "created", "unreferencedSince")
         VALUES ('a', '${id}', 'text/plain', 1, 'u', 1, 5)`,
      );
    const put = async (id: string, value: JsonValue | undefined) => {
      const text =
        value === undefined ? 'NULL' : `'${JSON.stringify(value).replaceAll("'", "''")}'`;
      await db.run(`INSERT INTO "Page" ("accountId", "id", "created", "updated", "data")
        VALUES ('a', '${id}', 1, ${Date.now()}, ${text})`);
    };
    return { db, advance, put };
  }

  const records = async (db: Evolving) =>
    (
      await db.rows(
        `SELECT "objectId", "blobId" FROM "JmapBlobReference" WHERE "type" = 'Page'
         ORDER BY "objectId", "blobId"`,
      )
    ).map(({ objectId, blobId }) => `${String(objectId)} ${String(blobId)}`);

  const expected = (places: readonly Place[], values: readonly JsonValue[]): readonly string[] =>
    values
      .flatMap((value, n) =>
        [...textsAt(places, value)].flatMap((id) =>
          BLOBS.includes(id) ? [`r${n + 10} ${id}`] : [],
        ),
      )
      .sort();

  it('makes the records of the blobs that values name, as the engine finds them', async () => {
    const { db, advance, put } = await beginPage(page([], []));
    for (const [n, value] of VALUES.entries()) await put(`r${n + 10}`, value);
    await put('r99', undefined);
    expect(await records(db)).toEqual([]);
    await advance(page(PLACES));
    const all = expected(PLACES, VALUES);
    expect(all.length).toBeGreaterThan(10);
    expect(await records(db)).toEqual(all);
    expect(
      await db.rows(`SELECT "id" FROM "JmapBlob" WHERE "unreferencedSince" IS NOT NULL`),
    ).toEqual([]);
    // An object of the version before has none until the new version follows it.
    await put('r98', { list: [{ blobId: 'B3' }] });
    await db.start({ types: page(PLACES).capabilities[0]?.types ?? [] });
    expect(await records(db)).toEqual([...all, 'r98 B3']);
  });

  it('makes them again if other places hold blobs, and removes those that none holds', async () => {
    const { db, advance, put } = await beginPage(page([], []));
    for (const [n, value] of VALUES.entries()) await put(`r${n + 10}`, value);
    const [first, second] = [PLACES.slice(0, 3), PLACES.slice(2)];
    await advance(page(first));
    expect(await records(db)).toEqual(expected(first, VALUES));
    await advance(page(second));
    // On PostgreSQL the version before serves on, and needs its own.
    expect(await records(db)).toEqual(expected(db.isShared ? PLACES : second, VALUES));
    await advance(page([], []));
    expect(await records(db)).toEqual(db.isShared ? expected(second, VALUES) : []);
    if (db.isShared) await advance(page([], []), true);
    expect(await records(db)).toEqual([]);
    const left = await db.rows(`SELECT "id" FROM "JmapBlob" WHERE "unreferencedSince" IS NULL`);
    expect(left).toEqual([]);
  });

  it('is refused until the descriptor accepts that texts which exist name blobs now', async () => {
    const root = temporaryRoot();
    const items = (schema: object) =>
      property('data', 'json', {
        nullable: true,
        schema: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } } },
        },
        ...schema,
      });
    const blobs = [[{ each: 'item' }, { member: 'name' }]] as const;
    await generate(root, model([type('Page', [items({})])]));
    const now = (more: ModelProperty, drops: readonly string[] = []) =>
      generate(root, model([type('Page', [more], { drops })]));
    const { problems } = await now(items({ blobs }));
    expect(problems.map(({ code }) => code)).toEqual(['property-narrowed']);
    expect(problems[0]?.message).toContain('names blobs now');
    expect((await now(items({ blobs }), ['data'])).problems).toEqual([]);
    // A member that nothing had before is no narrower.
    const added = {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, blobId: { type: 'string', format: 'id' } },
        additionalProperties: false,
      },
    };
    const other = temporaryRoot();
    const closed = {
      ...added,
      items: { ...added.items, properties: { name: { type: 'string' } } },
    };
    await generate(other, model([type('Page', [items({ schema: closed })])]));
    const wider = items({ schema: added, blobs: [[{ each: 'item' }, { member: 'blobId' }]] });
    expect((await generate(other, model([type('Page', [wider])]))).problems).toEqual([]);
  });
}
