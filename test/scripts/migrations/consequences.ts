import { expect, it } from 'vitest';
import type { Changes, HookCall } from '../../../src/capability/hooks.js';
import { HookRefusal } from '../../../src/capability/refusal.js';
import { MigrationError } from '../../../src/database/migrations.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { referring } from '../../support/references.js';
import { startOf } from './conversions.js';
import { begin, type Evolving } from './evolving.js';
import { model, property, type } from './models.js';
import { placedAt } from './project.js';

const AT = { file: 'evolve/0002-lines.ts', line: 1, column: 1 };

const whole = (name: string, more: Partial<ModelProperty> = {}): ModelProperty =>
  property(name, 'integer', { default: 0, schema: { type: 'integer' }, ...more });

const made = (name: string, computed: NonNullable<ModelProperty['computed']>): ModelProperty =>
  whole(name, { access: 'serverSet', computed });

const link = (name: string, to: string): ModelProperty =>
  property(name, 'string', {
    nullable: true,
    ...referring({ type: to, form: 'single', onDestroy: 'setNull', acyclic: false }),
  });

const TO_INVOICE = {
  ...({ type: 'Invoice', form: 'single' } as const),
  ...({ onDestroy: 'setNull', acyclic: false } as const),
};

const sum = (name: string, of: string, by: string, from: string) =>
  made(name, { kind: 'sum', type: from, by, of });

const LINE = [whole('hours'), property('invoiceId', 'string', { default: '' })];
const INVOICE_HOURS = made('hours', { kind: 'on', sources: [{ type: 'Line', property: 'hours' }] });

function invoices(before: readonly ModelProperty[], after: readonly ModelProperty[]): Model {
  return model([
    type('Line', LINE),
    type('Invoice', [link('customerId', 'Customer'), ...before]),
    type('Customer', [property('name', 'string', { default: '' }), ...after]),
  ]);
}

const INVOICES = invoices([INVOICE_HOURS], [sum('hours', 'hours', 'customerId', 'Invoice')]);

/** Converts lines by the file of migration 2. */
function converting(of: Model): Model {
  const types = [{ name: 'Line', at: AT }];
  return { ...of, evolveFiles: [{ migration: 2, file: AT.file, types }] };
}

/** Hooks that add the hours of an invoice's lines, and those of a customer's invoices. */
function addHours(types: readonly ModelType[]) {
  return {
    Invoice: { computeOn: { hours: adding(types, 'Line', 'invoiceId') } },
    Customer: { computeOn: { hours: adding(types, 'Invoice', 'customerId') } },
  };
}

function adding(types: readonly ModelType[], name: string, by: string) {
  const source = { ...types.find((one) => one.name === name), capability: 'urn:example:things' };
  return async (
    changes: Readonly<Record<string, Changes<object>>>,
    _call: unknown,
    reader: { get(of: never, ids: null): Promise<readonly object[]> },
  ) => {
    const touched = objectsIn(changes[name]).map((one) => Reflect.get(one, by) as string);
    const sums = new Map<string, unknown>(touched.map((id) => [id, 0]));
    for (const one of await reader.get(source as never, null)) {
      const id = Reflect.get(one, by) as string;
      if (sums.has(id)) sums.set(id, Number(sums.get(id) ?? 0) + Reflect.get(one, 'hours'));
    }
    return sums;
  };
}

/** Returns the objects of changes, as they were and as they are. */
function objectsIn(changes: Changes<object> | undefined): readonly object[] {
  const { created = [], updated = [] } = changes ?? {};
  return [...created, ...updated.flatMap(({ before, after }) => [before, after])];
}

/** Inserts an object of the account a, unless the values name another. */
export async function insert(
  db: Evolving,
  table: string,
  id: string,
  values: object,
): Promise<void> {
  const row = { accountId: 'a', id, created: 1, updated: Date.now(), ...values };
  const names = Object.keys(row).map((name) => `"${name}"`);
  const texts = Object.values(row).map((value) =>
    typeof value === 'string' ? `'${value}'` : String(value),
  );
  await db.run(`INSERT INTO "${table}" (${names.join(', ')}) VALUES (${texts.join(', ')})`);
}

/** Inserts an object that refers to another one, as a server does. */
async function insertLinked(
  db: Evolving,
  table: string,
  id: string,
  { by, to, toType, ...values }: Readonly<Record<string, string | number>>,
): Promise<void> {
  await insert(db, table, id, { [String(by)]: to, ...values });
  await db.run(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "property",
      "fromId")
    VALUES ('a', '${toType}', '${to}', '${table}', '${by}', '${id}')`);
}

/** A migration that adds a count of a customer's lines, and a report that is made of it. */
export async function beginReported<Database extends Evolving>(open: () => Promise<Database>) {
  const name = property('name', 'string', { default: '' });
  const of = (customer: readonly ModelProperty[], report: readonly ModelProperty[]) =>
    model([
      type('Line', [link('customerId', 'Customer')]),
      type('Customer', [name, ...customer]),
      type('Report', [name, ...report]),
    ]);
  const { db, root, advance } = await begin(open, of([], []));
  await insert(db, 'Customer', 'c1', { name: '', updated: 1 });
  await insert(db, 'Report', 'r1', { name: '', updated: 1 });
  const sources = [{ type: 'Customer', property: 'lines' }];
  const lines = made('lines', { kind: 'count', type: 'Line', by: 'customerId' });
  const after = of([lines], [made('lines', { kind: 'on', sources })]);
  await advance(after);
  const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
  /** `first`: runs ahead of the hook. */
  const started = (first: (call: HookCall) => Promise<void> = async () => undefined) => {
    const lines = async (
      { Customer }: Readonly<Record<string, Changes<object>>>,
      call: HookCall,
    ): Promise<Map<string, unknown>> => {
      await first(call);
      const last = objectsIn(Customer).at(-1);
      return new Map(last === undefined ? [] : [['r1', Reflect.get(last, 'lines')]]);
    };
    return { types, hooks: { Report: { computeOn: { lines } } } };
  };
  return {
    db,
    started,
    start: (...first: Parameters<typeof started>) => db.start(started(...first)),
    insertLine: (id: string) =>
      insertLinked(db, 'Line', id, { by: 'customerId', toType: 'Customer', to: 'c1' }),
    counts: () =>
      db.rows(`SELECT "c"."lines" AS "lines", "r"."lines" AS "report"
        FROM "Customer" AS "c", "Report" AS "r"`),
  };
}

/** As a day later: the version before is followed no more. */
const endFollowing = (db: Evolving) => db.run(`DELETE FROM "JmapMeta" WHERE "key" LIKE 'follow:%'`);

/** Expects a start to fail, and to say where: the process then ends as it does by intention. */
async function expectRefusal(started: Promise<unknown>, message: string): Promise<void> {
  const failure = await started.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MigrationError);
  expect(String(failure)).toMatch(new RegExp(message));
}

/** Values that are made of objects which a start, or the version before, writes. */
export function mendsConsequences(open: () => Promise<Evolving>): void {
  it('adds up again what a later start converts', async () => {
    const size = (kind: 'string' | 'integer') =>
      kind === 'string'
        ? property('size', 'string', { schema: { type: 'string', maxLength: 9 }, default: '' })
        : whole('size', { schema: { type: 'integer', minimum: 0 } });
    const of = (kind: 'string' | 'integer', ...more: readonly ModelProperty[]) =>
      model([
        type('Line', [size(kind), link('customerId', 'Customer')]),
        type('Customer', [property('name', 'string', { default: '' }), ...more]),
      ]);
    const { db, root, advance } = await begin(open, of('string'));
    await insert(db, 'Customer', 'c1', { name: '' });
    const to = { by: 'customerId', toType: 'Customer', to: 'c1' };
    await insertLinked(db, 'Line', 'l1', { ...to, size: '7' });
    await insertLinked(db, 'Line', 'l2', { ...to, size: 'eight' });
    const parts = { type: 'Line', by: 'customerId' };
    const where = [{ property: 'size', values: [8] }];
    const after = converting(
      of(
        'integer',
        sum('total', 'size', 'customerId', 'Line'),
        made('most', { kind: 'max', of: 'size', ...parts }),
        made('eights', { kind: 'count', where, ...parts }),
      ),
    );
    await advance(after);
    const convert = (words: Readonly<Record<string, number>>) => ({
      2: ({ size }: { readonly size: string }) => {
        const value = words[size] ?? Number(size);
        if (Number.isNaN(value)) throw new Error('no number');
        return { size: value };
      },
    });
    let turns = 0;
    const next = async () => {
      turns += 1;
    };
    const conductor = { startSlices: () => ({ isOver: () => true, next }) };
    await db.start({ ...startOf(root, after, convert({}) as never), conductor });
    // Others have their turns meanwhile.
    expect(turns).toBeGreaterThan(0);
    const rows = () => db.rows(`SELECT "total", "most", "eights" FROM "Customer"`);
    expect(await rows()).toEqual([{ total: 7, most: 7, eights: 0 }]);
    await endFollowing(db);
    await db.start(startOf(root, after, convert({ eight: 8 }) as never));
    expect(await rows()).toEqual([{ total: 15, most: 8, eights: 1 }]);
  });

  it('follows a conversion through computed values to their sums, at each start', async () => {
    const { db, root, advance } = await begin(open, INVOICES);
    await insert(db, 'Customer', 'c1', { name: '', hours: 5 });
    const to = { by: 'customerId', toType: 'Customer', to: 'c1' };
    await insertLinked(db, 'Invoice', 'i1', { ...to, hours: 5 });
    await insert(db, 'Line', 'l1', { hours: 2, invoiceId: 'i1' });
    await insert(db, 'Line', 'l2', { hours: 3, invoiceId: 'i1' });
    const after = converting(INVOICES);
    await advance(after);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    const started = (refused: number) => {
      const convert = ({ hours }: { readonly hours: number }) => {
        if (hours === refused) throw new Error('not yet');
        return { hours: hours * 10 };
      };
      return { ...startOf(root, after, { 2: convert } as never), hooks: addHours(types) };
    };
    const sums = () =>
      db.rows(`SELECT "c"."hours" AS "customer", "i"."hours" AS "invoice"
        FROM "Customer" AS "c", "Invoice" AS "i"`);
    await db.start(started(3));
    expect(await sums()).toEqual([{ customer: 23, invoice: 23 }]);
    await endFollowing(db);
    await db.start(started(0));
    expect(await sums()).toEqual([{ customer: 50, invoice: 50 }]);
  });

  it('undoes a conversion if what follows from it fails, and converts again', async () => {
    // The generator refuses the second one: it lets hooks go round in a circle.
    const sources = ['Invoice', 'Customer'].map((type) => ({ type, property: 'hours' }));
    const of = invoices([INVOICE_HOURS], [made('hours', { kind: 'on', sources })]);
    const { db, root, advance } = await begin(open, of);
    await insert(db, 'Customer', 'c1', { name: '', hours: 5 });
    await insert(db, 'Invoice', 'i1', { customerId: 'c1', hours: 5 });
    await insert(db, 'Line', 'l1', { hours: 5, invoiceId: 'i1' });
    const after = converting(of);
    await advance(after);
    await endFollowing(db);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    const { Invoice, Customer } = addHours(types);
    const convert = ({ hours }: { readonly hours: number }) => ({ hours: hours * 10 });
    const start = (hours: typeof Customer.computeOn.hours) => {
      const hooks = { Invoice, Customer: { computeOn: { hours } } };
      return db.start({ ...startOf(root, after, { 2: convert } as never), hooks });
    };
    const all = () =>
      db.rows(`SELECT "l"."hours" AS "line", "i"."hours" AS "invoice", "c"."hours" AS "customer"
        FROM "Line" AS "l", "Invoice" AS "i", "Customer" AS "c"`);
    const where = 'account a, l1 to l1 of Line: .*';
    const named = `${where}computeOn of Customer[.]hours .*not now.*hook file`;
    for (const failure of [new Error('not now'), new HookRefusal('forbidden', 'not now')])
      await expectRefusal(
        start(() => Promise.reject(failure)),
        named,
      );
    let last = 0;
    const endless = async () => {
      last += 1;
      return new Map([['c1', last]]);
    };
    await expectRefusal(start(endless), `${where}circle.*hook file`);
    // The next start goes on at once, on whichever server.
    const [held] = await db.rows(`SELECT "value" FROM "JmapMeta" WHERE "key" LIKE 'evolve:%'`);
    expect(JSON.parse(String(held?.['value'])).until).toBeLessThanOrEqual(Date.now());
    expect(await all()).toEqual([{ line: 5, invoice: 5, customer: 5 }]);
    await start(Customer.computeOn.hours);
    expect(await all()).toEqual([{ line: 50, invoice: 50, customer: 50 }]);
  });

  it('mends a count with all that follows from it, or not at all', async () => {
    const { db, start, insertLine, counts } = await beginReported(open);
    await start();
    // On SQLite nobody serves beside the new version.
    if (!db.isShared) return;
    await insertLine('l1');
    const fails = start(() => Promise.reject(new Error('not now')));
    await expectRefusal(fails, 'account a, c1 to c1 of Customer: .*Report[.]lines .*not now');
    expect(await counts()).toEqual([{ lines: 0, report: 0 }]);
    await start();
    expect(await counts()).toEqual([{ lines: 1, report: 1 }]);
    // Clients are told, although the objects keep the time of their last change.
    expect(await db.rows(`SELECT "type", "objectId" FROM "JmapChange" ORDER BY "type"`)).toEqual([
      { type: 'Customer', objectId: 'c1' },
      { type: 'Report', objectId: 'r1' },
    ]);
    const updated = await db.rows(`SELECT "updated" FROM "Customer" UNION SELECT "updated" FROM
      "Report"`);
    expect(updated).toEqual([{ updated: 1 }]);
  });

  it('mends a count again if the database undoes it for another’s sake', async () => {
    const { db, start, insertLine, counts } = await beginReported(open);
    await start();
    // On SQLite nobody serves beside the new version.
    if (!db.isShared) return;
    await insertLine('l1');
    await db.run(`CREATE SEQUENCE deadlocks`);
    await db.run(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('deadlocks') = 1 THEN
        RAISE EXCEPTION 'lost' USING ERRCODE = 'deadlock_detected'; END IF; RETURN NEW; END $$`);
    await db.run(`CREATE TRIGGER lose BEFORE UPDATE ON "Report" FOR EACH ROW
      EXECUTE FUNCTION lose()`);
    await start();
    expect(await counts()).toEqual([{ lines: 1, report: 1 }]);
  });

  it('ends a start although the version before goes on writing', async () => {
    const { db, start, insertLine, counts } = await beginReported(open);
    await start();
    if (!db.isShared) return;
    await insertLine('l0');
    let written = 1;
    await start(async () => {
      await insertLine(`l${written}`);
      written += 1;
    });
    await start();
    expect(await counts()).toEqual([{ lines: written, report: written }]);
  });

  it('compares again what is normalised once another object gives way', async () => {
    const of = (normalize: readonly 'lowercase'[]) => {
      const login = property('login', 'string', { normalize, schema: { normalize } as object });
      const first = property('first', 'string', {
        ...{ nullable: true, access: 'serverSet' },
        computed: { kind: 'min', type: 'Member', by: 'teamId', of: 'login' },
      });
      const uniques = [{ name: 'login', properties: [login], at: AT }];
      return model([
        type('Member', [login, link('teamId', 'Team')], { uniques }),
        type('Team', [first]),
      ]);
    };
    const { db, advance } = await begin(open, of([]));
    await insert(db, 'Team', 't1', { first: 'ANN' });
    const to = { by: 'teamId', toType: 'Team', to: 't1' };
    for (const [id, login] of Object.entries({ r1: 'Ann', r2: 'ANN' }))
      await insertLinked(db, 'Member', id, { ...to, login });
    const after = of(['lowercase']);
    await advance(after);
    const types = after.capabilities[0]?.types ?? [];
    await db.start({ types });
    await endFollowing(db);
    expect(await db.rows(`SELECT "first" FROM "Team"`)).toEqual([{ first: 'ANN' }]);
    await db.run(`UPDATE "Member" SET "login" = 'bob' WHERE "id" = 'r1'`);
    await db.start({ types });
    expect(await db.rows(`SELECT "login" FROM "Member" ORDER BY "id"`)).toEqual([
      { login: 'bob' },
      { login: 'ann' },
    ]);
    expect(await db.rows(`SELECT "first" FROM "Team"`)).toEqual([{ first: 'ann' }]);
  });

  it('keeps a text whose normal form another object takes meanwhile', async () => {
    const of = (normalize: readonly 'lowercase'[]) => {
      const login = property('login', 'string', { normalize, schema: { normalize } as object });
      const uniques = [{ name: 'login', properties: [login], at: AT }];
      return model([type('Member', [login], { uniques })]);
    };
    const { db, advance } = await begin(open, of([]));
    for (const [id, login] of Object.entries({ r1: 'Ann', r2: 'bob' }))
      await insert(db, 'Member', id, { login, updated: 1 });
    const after = of(['lowercase']);
    await advance(after);
    const types = after.capabilities[0]?.types ?? [];
    const behindRead = () => db.run(`UPDATE "Member" SET "login" = 'ann' WHERE "id" = 'r2'`);
    await db.start({ types, behindRead });
    const kept = await db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'kept:%'`);
    expect(kept).toEqual([{ key: 'kept:Member/a/r1' }]);
    expect(await db.rows(`SELECT "login" FROM "Member" ORDER BY "id"`)).toEqual([
      { login: 'Ann' },
      { login: 'ann' },
    ]);
  });

  it('tells hooks of a value that it replaces in what the version before writes', async () => {
    const of = (normalize: readonly 'lowercase'[]) => {
      const key = property('key', 'string', { normalize, schema: { normalize } as object });
      const sources = ['key', 'hours'].map((name) => ({ type: 'Entry', property: name }));
      const hours = made('hours', { kind: 'on', sources });
      return model([type('Entry', [key, whole('hours')]), type('Sum', [hours])]);
    };
    const { db, advance } = await begin(open, of([]));
    for (const id of ['ann', 'ANN']) await insert(db, 'Sum', id, { hours: 0 });
    const after = of(['lowercase']);
    await advance(after);
    const types = after.capabilities[0]?.types ?? [];
    const started = {
      types,
      hooks: { Sum: { computeOn: { hours: adding(types, 'Entry', 'key') } } },
    };
    await db.start(started);
    // On SQLite nobody serves beside the new version.
    if (!db.isShared) return;
    await insert(db, 'Entry', 'e1', { key: 'ANN', hours: 2 });
    await db.run(`UPDATE "Sum" SET "hours" = 2 WHERE "id" = 'ANN'`);
    await db.start(started);
    expect(await db.rows(`SELECT "id", "hours" FROM "Sum" ORDER BY "id"`)).toEqual([
      { id: 'ANN', hours: 0 },
      { id: 'ann', hours: 2 },
    ]);
  });

  it('computes new properties behind those that they are made of', async () => {
    const { db, root, advance } = await begin(open, invoices([], []));
    await insert(db, 'Customer', 'c1', { name: '' });
    await insert(db, 'Invoice', 'i1', { customerId: 'c1', updated: 1 });
    await insert(db, 'Line', 'l1', { hours: 4, invoiceId: 'i1', updated: 1 });
    const sources = [{ type: 'Invoice', property: 'hours' }];
    const after = invoices([INVOICE_HOURS], [made('hours', { kind: 'on', sources })]);
    await advance(after);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    await db.start({ types, hooks: addHours(types) });
    expect(await db.rows(`SELECT "hours" FROM "Customer"`)).toEqual([{ hours: 4 }]);
  });

  it.each([
    ['the sum', ['Invoice', 'Line']],
    ['what is made of it', ['Line', 'Invoice']],
  ])('computes a new sum of `from` values ahead of its share, with %s first', async (_, order) => {
    const amount = made('amount', { kind: 'from', properties: ['price'] });
    const link = property('invoiceId', 'string', { nullable: true, ...referring(TO_INVOICE) });
    const of = (line: readonly ModelProperty[], invoice: readonly ModelProperty[]) => {
      const text = property('name', 'string', { default: '' });
      const types = [
        type('Line', [whole('price'), amount, link, ...line]),
        type('Invoice', [text, ...invoice]),
      ];
      return model(order.flatMap((name) => types.filter((one) => one.name === name)));
    };
    const { db, root, advance } = await begin(open, of([], []));
    await insert(db, 'Invoice', 'i1', { name: '', updated: 1 });
    const to = { by: 'invoiceId', toType: 'Invoice', to: 'i1', updated: 1 };
    await insertLinked(db, 'Line', 'l1', { ...to, price: 1, amount: 1 });
    await insertLinked(db, 'Line', 'l2', { ...to, price: 3, amount: 3 });
    const sources = [{ type: 'Invoice', property: 'total' }];
    const share = made('share', { kind: 'on', sources });
    const after = of([share], [sum('total', 'amount', 'invoiceId', 'Line')]);
    await advance(after);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    const shares = async ({ Invoice }: Readonly<Record<string, Changes<object>>>) => {
      const totals = (Invoice?.created ?? []).map((one) => Number(Reflect.get(one, 'total')));
      return new Map(totals.flatMap((total) => ['l1', 'l2'].map((id) => [id, total / 2])));
    };
    const compute = { amount: (line: Readonly<Record<string, unknown>>) => line['price'] };
    await db.start({ types, hooks: { Line: { compute, computeOn: { share: shares } } } });
    expect(await db.rows(`SELECT "total" FROM "Invoice"`)).toEqual([{ total: 4 }]);
    expect(await db.rows(`SELECT "share" FROM "Line"`)).toEqual([{ share: 2 }, { share: 2 }]);
  });

  it('computes a singleton that nobody has written from objects that exist', async () => {
    const text = property('name', 'string', { default: '' });
    const { db, root, advance } = await begin(open, model([type('Line', [whole('hours')])]));
    await insert(db, 'Line', 'l1', { hours: 4, updated: 1 });
    const sources = [{ type: 'Line', property: 'hours' }];
    const overview = type('Overview', [text, made('hours', { kind: 'on', sources })], {
      singleton: true,
    });
    const after = model([type('Line', [whole('hours')]), overview]);
    await advance(after);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    const hours = async ({ Line }: Readonly<Record<string, Changes<object>>>) =>
      new Map((Line?.created ?? []).map((one) => ['singleton', Reflect.get(one, 'hours')]));
    await db.start({ types, hooks: { Overview: { computeOn: { hours } } } });
    expect(await db.rows(`SELECT "id", "hours" FROM "Overview"`)).toEqual([
      { id: 'singleton', hours: 4 },
    ]);
  });

  it('computes from texts in their new form', async () => {
    const of = (normalize: readonly 'lowercase'[]) => {
      const login = property('login', 'string', { normalize, schema: { normalize } as object });
      const sources = [{ type: 'Member', property: 'login' }];
      const computed = { kind: 'on', sources } as const;
      const last = property('last', 'string', { default: '', access: 'serverSet', computed });
      return model([type('Member', [login]), type('Team', [last])]);
    };
    const { db, advance } = await begin(open, of([]));
    await insert(db, 'Team', 't1', { last: 'Ann' });
    await insert(db, 'Member', 'r1', { login: 'Ann', updated: 1 });
    const after = of(['lowercase']);
    await advance(after);
    const last = async ({ Member }: Readonly<Record<string, Changes<object>>>) =>
      new Map((Member?.created ?? []).map((one) => ['t1', Reflect.get(one, 'login')]));
    const types = after.capabilities[0]?.types ?? [];
    await db.start({ types, hooks: { Team: { computeOn: { last } } } });
    expect(await db.rows(`SELECT "last" FROM "Team"`)).toEqual([{ last: 'ann' }]);
  });

  it('follows the objects of which a new property of another type is made', async () => {
    const { db, root, advance } = await begin(open, invoices([], []));
    await insert(db, 'Invoice', 'i1', {});
    const bill = type('Bill', [INVOICE_HOURS]);
    const [things] = invoices([INVOICE_HOURS], []).capabilities;
    const after = model([...(things?.types ?? []), bill]);
    await advance(after);
    const followed = `SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'follow:%' ORDER BY "key"`;
    const notes = [{ key: 'follow:Invoice' }, { key: 'follow:Line' }];
    expect(await db.rows(followed)).toEqual(notes);
    const types = placedAt(root, after).capabilities.flatMap((one) => one.types);
    const { Invoice } = addHours(types);
    const start = () => db.start({ types, hooks: { Invoice, Bill: Invoice } });
    await start();
    // On SQLite nobody serves beside the new version.
    if (!db.isShared) return;
    await insert(db, 'Bill', 'i1', {});
    await insert(db, 'Line', 'l1', { hours: 4, invoiceId: 'i1' });
    await start();
    for (const table of ['Invoice', 'Bill'])
      expect(await db.rows(`SELECT "hours" FROM "${table}"`)).toEqual([{ hours: 4 }]);
  });
}
