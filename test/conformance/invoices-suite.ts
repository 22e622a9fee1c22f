import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// Rules as data and errors of a type's own: test/hooks/invoices.yaml.
const INVOICES = 'https://example.com/jmap/invoices';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

/** The tests of rules as data, on a database. */
export function invoicesSuite(database: 'SQLite' | 'PostgreSQL'): void {
  const postgresql = usePostgresql();
  let server: RunningServer;
  let client: Client;
  let accountId: string;
  let otherId: string;

  beforeAll(async () => {
    const project = await sharedProject();
    const url =
      database === 'PostgreSQL' ? await postgresql().createDatabase('invoices') : undefined;
    server = await startServer({ project, env: url === undefined ? {} : { DATABASE_URL: url } });
    const fixtures = await makeFixtures(server, ['A2']);
    client = fixtures.u1.with([CORE, INVOICES]);
    [accountId, otherId] = [fixtures.A1, fixtures.A2];
  }, 600_000);
  afterAll(() => server?.remove());

  const request = async (...calls: readonly [string, object][]): Promise<Json[]> => {
    const all = calls.map(([name, args], at) => [name, { accountId, ...args }, `c${at}`] as const);
    return (await client.api(all)).methodResponses.map(([, args]) => args);
  };
  const set = async (args: object): Promise<Json> => (await request(['Invoice/set', args]))[0];
  const whole = { number: 'R1', lineItems: ['work'] };
  /** Returns the id of a new invoice that has come to a status by legal steps. */
  const make = async (status: string, values: object = {}): Promise<string> => {
    const { created } = await set({ create: { k: { ...whole, ...values } } });
    const { id } = created.k;
    const steps = { draft: [], void: ['void'], sent: ['sent'], paid: ['sent', 'paid'] }[status];
    for (const step of steps ?? [])
      expect((await set({ update: { [id]: { status: step } } })).notUpdated).toBeNull();
    return id;
  };
  const update = async (id: string, patch: object): Promise<Json> =>
    (await set({ update: { [id]: patch } })).notUpdated?.[id] ?? null;
  const read = async (id: string): Promise<Json> =>
    (await request(['Invoice/get', { ids: [id] }]))[0].list[0];
  const force = async (id: string, patch: object): Promise<Json> =>
    (await request(['Invoice/force', { id, patch }]))[0].refused ?? null;

  describe('transitions', () => {
    test('let clients change a value along its steps, and leave it as it is', async () => {
      const id = await make('draft');
      expect(await update(id, { status: 'draft', note: 'n' })).toBeNull();
      expect(await update(id, { status: 'paid' })).toEqual({
        type: 'invalidProperties',
        properties: ['status'],
        description: '"status" can\'t change from "draft" to "paid": legal is "sent" or "void".',
      });
      expect(await update(id, { status: 'sent' })).toBeNull();
      expect(await update(id, { status: 'void' })).toBeNull();
      expect(await update(id, { status: 'draft' })).toMatchObject({
        description: '"status" can\'t change from "void" to "draft": legal is nothing else.',
      });
    });

    test('a null patch restores the default, which must be a legal step', async () => {
      const id = await make('sent');
      expect(await update(id, { status: null })).toMatchObject({ properties: ['status'] });
      expect(await read(id)).toMatchObject({ status: 'sent' });
    });

    test('a new object begins with one of the initial values', async () => {
      const create = { a: { ...whole, status: 'sent' }, b: { status: 'draft' } };
      const { created, notCreated } = await set({ create });
      expect(Object.keys(created)).toEqual(['b']);
      expect(notCreated.a).toEqual({
        type: 'invalidProperties',
        properties: ['status'],
        description: '"status" can\'t begin as "sent": legal is "draft".',
      });
    });

    test('one call takes one step: updates of one object are judged together', async () => {
      const [{ created }] = await request(['Invoice/set', { create: { k: whole } }]);
      const { id } = created.k;
      const [made, both] = await request(
        ['Invoice/set', { create: { k: whole } }],
        ['Invoice/set', { update: { '#k': { status: 'sent' }, [id]: { status: 'sent' } } }],
      );
      expect(both.notUpdated).toBeNull();
      const other = made.created.k.id;
      const [again] = await request([
        'Invoice/set',
        { update: { [id]: { status: 'paid' }, [other]: { status: 'void' } } },
      ]);
      expect(again.notUpdated).toBeNull();
      const [, two] = await request(
        ['Invoice/set', { create: { k: whole } }],
        ['Invoice/set', { create: { n: whole }, update: { '#n': { status: 'sent' } } }],
      );
      // The object would begin as "sent": the update goes, the create stays.
      expect(two.created.n).toBeDefined();
      expect(Object.values(two.notUpdated)).toMatchObject([{ properties: ['status'] }]);
      expect(await read(two.created.n.id)).toMatchObject({ status: 'draft' });
    });

    test('bind neither a tx.set of hooks nor its create', async () => {
      const id = await make('draft');
      expect(await force(id, { status: 'paid' })).toBeNull();
      expect(await force(id, { status: 'draft', lineItems: ['less'] })).toBeNull();
      expect(await read(id)).toMatchObject({ status: 'draft', lineItems: ['less'] });
    });
  });

  describe('immutableWhen', () => {
    test('keeps listed properties, whatever form names them, and no others', async () => {
      const id = await make('sent');
      const refused = await update(id, { line_items: [], number: 'R2', note: 'n' });
      expect(refused).toEqual({
        type: 'invalidProperties',
        properties: ['lineItems', 'number'],
        description:
          '"lineItems" must stay as it is while "status" is "sent"; "number" must stay as it is ' +
          'while "status" is "sent".',
      });
      expect(await update(id, { 'lineItems/0': 'other' })).toMatchObject({
        type: 'invalidPatch',
      });
      expect(await update(id, { lineItems: ['work'], number: 'R1', note: 'n' })).toBeNull();
      expect(await update(id, (await read(id)) as object)).toBeNull();
    });

    test('is judged by the stored object: the step into a status may change all', async () => {
      const id = await make('draft');
      expect(await update(id, { status: 'sent', number: 'R7', lineItems: ['a'] })).toBeNull();
      const refused = await update(id, { status: 'void', number: 'R8' });
      expect(refused).toMatchObject({ properties: ['number'] });
      expect(await read(id)).toMatchObject({ status: 'sent', number: 'R7' });
    });

    test('with "except" keeps all others, by an error of the type', async () => {
      const id = await make('paid');
      expect(await update(id, { number: 'R2', lineItems: [] })).toEqual({
        type: 'invoiceIsPaid',
        properties: ['number', 'lineItems'],
        description: expect.stringContaining('must stay as it is while "status" is "paid"'),
      });
      expect(await update(id, { note: 'thanks' })).toBeNull();
    });

    test('tells clients nothing of an internal property', async () => {
      const id = await make('draft');
      expect(await force(id, { frozen: true })).toBeNull();
      expect(await update(id, { note: 'n' })).toMatchObject({
        description: '"note" must stay as it is while the object is as it is now.',
      });
    });

    test('refuses a destroy, also one that would take the object along', async () => {
      const [{ created }] = await request(['Batch/set', { create: { a: {}, b: {} } }]);
      const [full, free] = [created.a.id, created.b.id];
      const paid = await make('paid', { batchId: full });
      const [draft, beside] = [
        await make('draft', { batchId: free }),
        await make('draft', { batchId: full }),
      ];
      const alone = await set({ destroy: [paid], update: { [paid]: { note: 'stays' } } });
      expect(alone.notDestroyed).toEqual({
        [paid]: {
          type: 'invoiceIsPaid',
          description: 'Clients can\'t destroy it while "status" is "paid".',
        },
      });
      expect(alone.updated).toMatchObject({ [paid]: expect.anything() });
      const [gone] = await request(['Batch/set', { destroy: [full, free] }]);
      expect(gone.destroyed).toEqual([free]);
      expect(gone.notDestroyed).toMatchObject({
        [full]: { type: 'objectIsLinked', objectIds: [paid] },
      });
      const [{ notFound }] = await request(['Invoice/get', { ids: [paid, draft, beside] }]);
      expect(notFound).toEqual([draft]);
      const [forced] = await request(['Invoice/force', { id: paid, patch: {}, isDestroyed: true }]);
      expect(forced.refused).toBeUndefined();
    });
  });

  describe('requiredWhen', () => {
    test('refuses null and empty values by a status, all of them at once', async () => {
      const id = await make('draft', { number: null, lineItems: [] });
      expect(await update(id, { status: 'sent' })).toEqual({
        type: 'invalidProperties',
        properties: ['number', 'lineItems'],
        description:
          '"number" must be neither null nor empty while "status" is "sent" or "paid"; ' +
          '"lineItems" must be neither null nor empty while "status" is "sent" or "paid".',
      });
      expect(await update(id, { status: 'sent', ...whole })).toBeNull();
    });

    test('binds hooks; an object that breaks it already is judged by what changes', async () => {
      const id = await make('draft', { number: null });
      expect(await force(id, { status: 'sent' })).toMatchObject({ properties: ['number'] });
    });
  });

  describe('/copy', () => {
    const copy = async (id: string, overrides: object): Promise<Json> => {
      const args = { fromAccountId: accountId, accountId: otherId };
      const create = { k: { id, ...overrides } };
      return (await request(['Invoice/copy', { ...args, create }]))[0];
    };

    test('makes an object that begins by the rules', async () => {
      const id = await make('sent');
      const { notCreated } = await copy(id, {});
      expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['status'] });
      expect((await copy(id, { status: 'draft' })).created.k).toBeDefined();
    });
  });

  describe('errors of a type’s own', () => {
    test('are given by restrict, with the ids of the objects that refer', async () => {
      const create = { a: { name: 'Ann' }, b: { name: 'the state' }, c: { name: 'free' } };
      const [{ created }] = await request(['Customer/set', { create }]);
      const ids = ['a', 'b', 'c'].map((key) => created[key].id);
      const linked = await make('draft', { customerId: ids[0] });
      await make('draft', { customerId: ids[1] });
      const [{ destroyed, notDestroyed }] = await request(['Customer/set', { destroy: ids }]);
      expect(destroyed).toEqual([ids[2]]);
      expect(notDestroyed).toMatchObject({
        [ids[0] ?? '']: { type: 'customerHasInvoices', objectIds: [linked] },
        // A check is asked before restrict is judged.
        [ids[1] ?? '']: { type: 'forbidden', description: 'The state is for ever.' },
      });
    });

    test('may be standard ones with further members (RFC 8621 4.6: blobNotFound)', async () => {
      const id = await make('draft');
      expect(await update(id, { note: 'no scan' })).toEqual({
        type: 'blobNotFound',
        description: 'It is gone.',
        notFound: ['b1'],
      });
    });

    test('are given by a check with their members; another name or member fails', async () => {
      const id = await make('draft');
      expect(await update(id, { note: 'too many' })).toEqual({
        type: 'tooManyOpen',
        description: 'There are 7 drafts.',
        open: 7,
      });
      for (const note of ['wrong member', 'wrong name'])
        expect(await set({ update: { [id]: { note } } })).toMatchObject({ type: 'serverFail' });
      const why = 'has blobNotFound, invoiceIsPaid, tooManyOpen and those of RFC 8620';
      await eventually(() => expect(server.stdout() + server.stderr()).toContain(why));
    });
  });
}
