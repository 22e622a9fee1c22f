import { expect, it, vi } from 'vitest';
import { evolutionValue } from '../../../scripts/generator/emit/evolutions.js';
import type { Convert } from '../../../src/capability/evolution.js';
import type { Model, ModelProperty } from '../../../src/descriptor/model.js';
import { begin, type Evolving } from './evolving.js';
import { model, property, type } from './models.js';
import { generate, placedAt } from './project.js';
import type { Started } from './starting.js';

const text = (name: string, more: Partial<ModelProperty> = {}): ModelProperty =>
  property(name, 'string', { schema: { type: 'string', maxLength: 50 }, default: '', ...more });

const AT = { file: 'evolve/0002-split.ts', line: 1, column: 1 };

function evolving(of: Model, ...numbers: readonly number[]): Model {
  const evolveFiles = numbers.map((migration) => ({
    migration,
    file: `evolve/000${migration}-split.ts`,
    types: [{ name: 'Contact', at: AT }],
  }));
  return { ...of, evolveFiles };
}

const NAMED = model([type('Contact', [text('name'), text('size')])]);
const size = property('size', 'integer', { schema: { type: 'integer', minimum: 0 } });
const SPLIT = model([type('Contact', [text('first'), text('last'), size])]);

type Functions = Readonly<Record<number, Convert<never, object>>>;

/** Returns what a server starts with: the model as it is placed, and its conversions. */
export function startOf(root: string, of: Model, functions: Functions): Started {
  const [capability] = placedAt(root, of).capabilities;
  const { types = [], evolutions = [] } = capability ?? {};
  return {
    types,
    evolutions: evolutions.map((one) => {
      const convert = functions[one.migration];
      if (convert === undefined) throw new Error(`no function for ${one.migration}`);
      return { ...evolutionValue(one, types), convert };
    }),
  };
}

const split = ({ name, size }: { readonly name: string; readonly size: string }): object => {
  const [first = '', last = ''] = name.split(' ');
  if (last === '') throw new Error('there is one name alone');
  return { first, last, size: Number(size) };
};

const insert = (id: string, name: string, size: string): string =>
  `INSERT INTO "Contact" ("accountId", "id", "created", "updated", "name", "size")
   VALUES ('a', '${id}', 1, ${Date.now()}, '${name}', '${size}')`;

const NOTES = `SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`;

/** Objects that a file of `evolve/` converts. */
export function convertsObjects(open: () => Promise<Evolving>): void {
  it('converts objects by values that are gone, and drops these once the file is', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    await db.run(insert('r1', 'Ann Lee', '7'));
    await db.run(insert('r2', 'Bob', '8'));
    const refused = await generate(root, SPLIT);
    const [problem] = refused.problems;
    expect(problem?.message).toContain('Or convert the values in evolve/0002-contact.ts:\n');
    const after = evolving(SPLIT, 2);
    await advance(after);
    const functions = { 2: split } as Functions;
    await db.start(startOf(root, after, functions));
    const columns = `"id", "first", "last", "size_2" AS "size", "jmap_evolved" AS "mark"`;
    const rows = () => db.rows(`SELECT ${columns} FROM "Contact" ORDER BY "id"`);
    const ann = { id: 'r1', first: 'Ann', last: 'Lee', size: 7, mark: 2 };
    const bob = { id: 'r2', first: '', last: '', size: 0, mark: 0 };
    expect(await rows()).toEqual([ann, bob]);
    // The values of the refused object stay until it is converted.
    const [note] = await db.rows(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
    expect(JSON.parse(String(note?.['value']))).toEqual({
      file: 'evolve/0002-split.ts',
      refused: [{ accountId: 'a', id: 'r2', reason: 'there is one name alone' }],
      refusedCount: 1,
    });
    await expect(advance(SPLIT)).rejects.toThrow(
      'takes away what evolve/0002-split.ts converts Contact from',
    );
    // A client of this version has given it a name; the conversion leaves that.
    await db.run(`UPDATE "Contact" SET "first" = 'Robert' WHERE "id" = 'r2'`);
    await db.start(startOf(root, after, { 2: () => ({ first: 'B', last: 'Bob', size: 8 }) }));
    const robert = { id: 'r2', first: 'Robert', last: 'Bob', size: 8, mark: 2 };
    expect(await rows()).toEqual([ann, robert]);
    expect(await db.rows(NOTES)).toEqual([]);
    await db.migrate(root);
    const [row] = await db.rows(`SELECT * FROM "Contact"`);
    expect(Object.keys(row ?? {})).not.toContain('name');
    expect(Object.keys(row ?? {})).not.toContain('size');
  });

  it('converts in order where a database lacks several migrations', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    await db.run(insert('r1', 'Ann Lee', '7'));
    const initials = property('initials', 'json', { schema: { type: 'array' }, default: [] });
    const last = evolving(model([type('Contact', [initials, size])]), 2, 3);
    await generate(root, evolving(SPLIT, 2));
    await advance(last);
    await db.start(
      startOf(root, last, {
        2: split,
        3: ({ first, last }: { readonly first: string; readonly last: string }) => ({
          initials: [first[0], last[0]],
        }),
      } as Functions),
    );
    const [row] = await db.rows(`SELECT "initials", "size_2" AS "size" FROM "Contact"`);
    const value = row?.['initials'];
    expect([typeof value === 'string' ? JSON.parse(value) : value, row?.['size']]).toEqual([
      ['A', 'L'],
      7,
    ]);
  });

  it('changes values in their place, once for each object, and tells clients', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    await db.run(insert('r1', 'Ann Lee', '7'));
    await db.run(`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
      VALUES ('a', 'Contact', 3, 1)`);
    const after = evolving(NAMED, 2);
    await advance(after);
    const loud = { 2: ({ name }: { readonly name: string }) => ({ name: `${name}!` }) };
    for (const _ of [1, 2]) await db.start(startOf(root, after, loud as Functions));
    expect(await db.rows(`SELECT "name" FROM "Contact"`)).toEqual([{ name: 'Ann Lee!' }]);
    const records = await db.rows(`SELECT "objectId" FROM "JmapChange" WHERE "type" = 'Contact'`);
    expect(records).toEqual([{ objectId: 'r1' }]);
    expect(await advance(after)).toEqual([]);
    if (!db.isShared) return;
    // The version before reads the converted value; nobody knows in which form it writes another.
    await db.run(`UPDATE "Contact" SET "name" = 'Ann Fox!', "updated" = ${Date.now()}`);
    await db.start(startOf(root, after, loud as Functions));
    expect(await db.rows(`SELECT "name" FROM "Contact"`)).toEqual([{ name: 'Ann Fox!' }]);
  });

  it('converts what the version before writes meanwhile', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    await db.run(insert('r1', 'Ann Lee', '7'));
    const after = evolving(SPLIT, 2);
    await advance(after);
    const begun = startOf(root, after, { 2: split } as Functions);
    await db.start(begun);
    // On SQLite nobody serves beside the new version.
    if (!db.isShared) return;
    await db.run(insert('r2', 'Bob Ray', '8'));
    await db.run(`UPDATE "Contact" SET "name" = 'Ann Fox', "updated" = ${Date.now()}
      WHERE "id" = 'r1'`);
    await db.start(begun);
    expect(await db.rows(`SELECT "first", "last" FROM "Contact" ORDER BY "id"`)).toEqual([
      { first: 'Ann', last: 'Fox' },
      { first: 'Bob', last: 'Ray' },
    ]);
  });

  it('names all that is refused, of each account, until it is converted', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    await db.run(insert('r1', 'Bob', '8'));
    await db.run(insert('r2', 'Ann Lee', '7'));
    await db.run(insert('r3', 'Eve', '9').replace("'a'", "'b'"));
    const after = evolving(SPLIT, 2);
    await advance(after);
    const begun = startOf(root, after, { 2: split } as Functions);
    const noted = async () => {
      const [row] = await db.rows(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
      const { refused, refusedCount } = JSON.parse(String(row?.['value']));
      return [refusedCount, ...refused.map(({ id }: { readonly id: string }) => id).sort()];
    };
    await db.start(begun);
    expect(await noted()).toEqual([2, 'r1', 'r3']);
    if (!db.isShared) return;
    // The version before changes one of them, and makes another.
    await db.run(`UPDATE "Contact" SET "name" = 'Bob Ray' WHERE "id" = 'r1'`);
    await db.run(insert('r4', 'Fay', '9'));
    await db.run(`DELETE FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
    await db.start(begun);
    expect(await noted()).toEqual([2, 'r3', 'r4']);
  });

  it('refuses the id of a blob that is not there', async () => {
    const file = property('file', 'string', { nullable: true, default: null, blobs: [[]] });
    const of = model([type('Contact', [text('name'), file])]);
    const { db, root, advance } = await begin(open, of);
    await db.run(`INSERT INTO "Contact" ("accountId", "id", "created", "updated", "name")
      VALUES ('a', 'r1', 1, 1, 'Ann')`);
    const after = evolving(of, 2);
    await advance(after);
    await db.start(startOf(root, after, { 2: () => ({ file: 'B1' }) }));
    expect(await db.rows(`SELECT "file" FROM "Contact"`)).toEqual([{ file: null }]);
    const [note] = await db.rows(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
    expect(note?.['value']).toContain('there is no blob B1.');
  });

  it('ends a transaction whose functions take long, and goes on in another', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    for (const id of ['r1', 'r2']) await db.run(insert(id, 'Ann Lee', '7'));
    const after = evolving(NAMED, 2);
    await advance(after);
    const { now } = performance;
    const seen: unknown[] = [];
    const slow = {
      2: async () => {
        seen.push((await db.rows(`SELECT "id" FROM "Contact" WHERE "jmap_evolved" = 2`)).length);
        vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 10_000);
        return {};
      },
    };
    try {
      await db.start(startOf(root, after, slow as Functions));
    } finally {
      vi.restoreAllMocks();
    }
    expect(seen).toEqual([0, 1]);
  });

  it('gives a function up after its time, lets go of the account, and goes on', async () => {
    const { db, root, advance } = await begin(open, NAMED);
    for (const [id, name] of Object.entries({ r1: 'Ann Lee', r2: 'Bob', r3: 'Eve Fox' }))
      await db.run(insert(id, name, '7'));
    const after = evolving(SPLIT, 2);
    await advance(after);
    const seen: unknown[] = [];
    const signals: AbortSignal[] = [];
    const run: Convert<never, object> = async (object: Parameters<typeof split>[0], { signal }) => {
      // Outside the transaction of the other objects.
      seen.push((await db.rows(`SELECT "id" FROM "Contact" WHERE "jmap_evolved" = 2`)).length);
      if (object.name !== 'Bob') return split(object);
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const reason = async () => {
      const [note] = await db.rows(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
      const { refused, refusedCount } = JSON.parse(String(note?.['value']));
      expect([refusedCount, refused[0].id]).toEqual([1, 'r2']);
      return refused[0].reason;
    };
    const what = 'The hook Contact of evolve/0002-split.ts took longer than';
    await db.start({ ...startOf(root, after, { 2: run }), timeout: 100 });
    expect(await reason()).toBe(`${what} HOOK_TIMEOUT (100 ms)`);
    await db.start(startOf(root, after, { 2: { timeout: '50ms', run } as never }));
    expect(await reason()).toBe(`${what} its timeout (50 ms)`);
    expect(new Set(signals.map(({ aborted }) => aborted))).toEqual(new Set([true]));
    expect(seen.slice(0, 3)).toEqual([0, 0, 1]);
    await db.start(startOf(root, after, { 2: () => ({ last: 'Bob' }) }));
    expect(await db.rows(NOTES)).toEqual([]);
  });
}
