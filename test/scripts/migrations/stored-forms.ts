import type { JSONSchema7 } from 'json-schema';
import { expect, it } from 'vitest';
import { textRulesIn } from '../../../src/descriptor/model/text-rules.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { Normalization } from '../../../src/text/index.js';
import { begin, type Evolving } from './evolving.js';
import { find, model, property, type } from './models.js';
import { generate, temporaryRoot } from './project.js';

/** A String with changes, as the generator's model has it. */
function text(name: string, normalize: readonly Normalization[] = [], more = {}): ModelProperty {
  const changes = normalize.length === 0 ? {} : { normalize };
  const schema = { type: 'string', maxLength: 50, ...changes } as JSONSchema7;
  return property(name, 'string', { schema, default: '', ...changes, ...more });
}

function tags(normalize: readonly Normalization[]): ModelProperty {
  const changes = normalize.length === 0 ? {} : { normalize };
  const schema = {
    type: 'object',
    propertyNames: { maxLength: 20, ...changes },
    additionalProperties: { type: 'boolean', enum: [true] },
  } as JSONSchema7;
  return property('tags', 'json', { schema, default: {}, texts: textRulesIn(schema) });
}

const AT = { file: 'capabilities/things.yaml', line: 7, column: 3 };

/** Texts, times and nulls that exist, after a migration and the start behind it. */
export function reformsValues(open: () => Promise<Evolving>): void {
  it('gives texts that exist their normal form, and tells clients of each', async () => {
    const members = (normalize: readonly Normalization[]) => {
      const login = text('login', normalize);
      const uniques = [{ name: 'login', properties: [login], at: AT }];
      return model([type('Member', [login, tags(normalize)], { uniques })]);
    };
    const { db, advance } = await begin(open, members([]));
    await db.run(`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
      VALUES ('a', 'Member', 3, 4)`);
    const rows = { r1: ['Ann', '{"Red":true}'], r2: ['bob', '{}'], r3: ['ANN', '{"x":true}'] };
    for (const [id, [login, keys]] of Object.entries(rows))
      await db.run(`INSERT INTO "Member" ("accountId", "id", "created", "updated", "login", "tags")
        VALUES ('a', '${id}', 1, 5, '${login}', '${keys}')`);
    const after = members(['lowercase']);
    await advance(after);
    await db.start({ types: after.capabilities[0]?.types ?? [] });
    const stored = await db.rows(`SELECT "id", "login", "updated" FROM "Member" ORDER BY "id"`);
    // The third stays: another object has what it would be.
    expect(stored.map(({ id, login }) => `${String(id)} ${String(login)}`)).toEqual([
      'r1 ann',
      'r2 bob',
      'r3 ANN',
    ]);
    expect(stored.map(({ updated }) => Number(updated))).toEqual([5, 5, 5]);
    const keyed = await db.rows(
      `SELECT "id" FROM "Member" WHERE CAST("tags" AS TEXT) LIKE '%red%'`,
    );
    expect(keyed).toEqual([{ id: 'r1' }]);
    const records = await db.rows(`SELECT "objectId" FROM "JmapChange" WHERE "type" = 'Member'`);
    expect(records).toEqual([{ objectId: 'r1' }]);
    expect(await db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'normalize:%'`)).toEqual(
      [],
    );
    // Nothing changes a second time.
    expect(await advance(after)).toEqual([]);
    const kept = () => db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'kept:%'`);
    expect(await kept()).toEqual([{ key: 'kept:Member/a/r3' }]);
    await db.run(`UPDATE "Member" SET "login" = 'cid' WHERE "id" = 'r1'`);
    await db.start({ types: after.capabilities[0]?.types ?? [] });
    expect(await db.rows(`SELECT "login" FROM "Member" WHERE "id" = 'r3'`)).toEqual([
      { login: 'ann' },
    ]);
    expect(await kept()).toEqual([]);
  });

  it('gives objects that exist the time of their creation where the default is now', async () => {
    const start = property('made', 'date', { defaultNow: true, schema: { type: 'string' } });
    const dates = (['date', 'local-date-time', 'local-date'] as const).map((format) =>
      property(format.replaceAll('-', ''), 'string', {
        format,
        defaultNow: true,
        schema: { type: 'string', format },
      }),
    );
    const { db, advance } = await begin(open, model([type('Party', [])]));
    const created = Date.UTC(2020, 1, 29, 12, 30, 45, 678);
    await db.run(`INSERT INTO "Party" ("accountId", "id", "created", "updated")
      VALUES ('a', 'r1', ${created}, ${created})`);
    const shadows = [
      {
        column: 'date_instant',
        property: find(dates, 'date'),
        transform: 'instant' as const,
      },
    ];
    await advance(model([type('Party', [start, ...dates], { shadows })]));
    const [row] = await db.rows(
      `SELECT "made", "date", "localdatetime", "localdate", "date_instant" FROM "Party"`,
    );
    expect({ ...row, made: Number(row?.['made']) }).toEqual({
      made: created,
      date: '2020-02-29T12:30:45Z',
      localdatetime: '2020-02-29T12:30:45',
      localdate: '2020-02-29',
      date_instant: created - 678,
    });
    if (!db.isShared) return;
    // The version before goes on adding rows.
    await db.run(`INSERT INTO "Party" ("accountId", "id", "created", "updated")
      VALUES ('a', 'r2', 1, 1)`);
    const [late] = await db.rows(`SELECT "made" FROM "Party" WHERE "id" = 'r2'`);
    expect(Math.abs(Number(late?.['made']) - Date.now())).toBeLessThan(600_000);
  });

  it('keeps a time that exists where null goes and the default is now', async () => {
    const due = property('due', 'date', {
      nullable: true,
      default: null,
      schema: { type: ['string', 'null'] },
    });
    const { db, advance } = await begin(open, model([type('Party', [due])]));
    for (const [id, time] of [
      ['r1', '0'],
      ['r2', 'NULL'],
    ])
      await db.run(`INSERT INTO "Party" ("accountId", "id", "created", "updated", "due")
        VALUES ('a', '${id}', 5, 5, ${time})`);
    const now = property('due', 'date', { defaultNow: true, schema: { type: 'string' } });
    await advance(model([type('Party', [now], { drops: ['due'] })]));
    const rows = await db.rows(`SELECT "due" FROM "Party" ORDER BY "id"`);
    expect(rows.map((row) => Number(row['due']))).toEqual([0, 5]);
    if (!db.isShared) return;
    // The version before goes on writing null.
    await db.run(`INSERT INTO "Party" ("accountId", "id", "created", "updated", "due")
      VALUES ('a', 'r3', 7, ${Date.now()}, NULL)`);
    await db.start({ types: [type('Party', [now])] });
    const [late] = await db.rows(`SELECT "due" FROM "Party" WHERE "id" = 'r3'`);
    expect(Number(late?.['due'])).toBe(7);
  });

  it('orders texts that exist by the key of their new format, what is none first', async () => {
    const price = (format?: 'decimal') =>
      property('price', 'string', {
        default: '0',
        schema: { type: 'string', maxLength: 50, ...(format === undefined ? {} : { format }) },
        ...(format === undefined ? {} : { format }),
      });
    const { db, root, advance } = await begin(open, model([type('Item', [price()])]));
    for (const [id, text] of Object.entries({ r1: '10', r2: '9.50', r3: 'many', r4: '-1' }))
      await db.run(`INSERT INTO "Item" ("accountId", "id", "created", "updated", "price")
        VALUES ('a', '${id}', 1, 1, '${text}')`);
    const shadows = [
      { column: 'price_decimalkey', property: price('decimal'), transform: 'decimalkey' as const },
    ];
    const next = (drops: readonly string[]) =>
      model([type('Item', [price('decimal')], { shadows, drops })]);
    const { problems } = await generate(root, next([]));
    expect(problems.map(({ code }) => code)).toEqual(['property-narrowed']);
    const after = next(['price']);
    await advance(after);
    await db.start({ types: after.capabilities[0]?.types ?? [] });
    const sorted = await db.rows(`SELECT "price" FROM "Item" ORDER BY "price_decimalkey"`);
    expect(sorted.map((row) => String(row['price']))).toEqual(['many', '-1', '9.5', '10']);
  });

  it('refuses a unique with equal nulls while two objects have none', async () => {
    const slot = property('slot', 'string', {
      nullable: true,
      default: null,
      schema: { type: ['string', 'null'], maxLength: 9 },
    });
    const slots = (nullsEqual: boolean) =>
      model([
        type('Slot', [slot], {
          uniques: [
            {
              name: 'slot',
              properties: [slot],
              ...(nullsEqual ? { nullsEqual } : {}),
              at: AT,
            },
          ],
        }),
      ]);
    const { db, advance } = await begin(open, slots(false));
    for (const id of ['r1', 'r2'])
      await db.run(`INSERT INTO "Slot" ("accountId", "id", "created", "updated")
        VALUES ('a', '${id}', 1, 1)`);
    await expect(advance(slots(true))).rejects.toThrow(
      'makes Slot.slot unique, and objects have the same: null in account a: 2 objects, r1 and r2',
    );
    await db.run(`DELETE FROM "Slot" WHERE "id" = 'r2'`);
    expect(await advance(slots(true))).toEqual(['0002_slot']);
  });

  it('refuses a new property that is unique with equal nulls', async () => {
    const root = temporaryRoot();
    const slot = property('slot', 'string', { nullable: true, default: null, schema: {} });
    await generate(root, model([type('Slot', [])]));
    const uniques = [{ name: 'slot', properties: [slot], nullsEqual: true as const, at: AT }];
    const { problems } = await generate(root, model([type('Slot', [slot], { uniques })]));
    expect(problems.map(({ code }) => code)).toEqual(['unique-by-default']);
    expect(problems[0]?.message).toContain('Release it without nulls: equal first.');
  });
}
