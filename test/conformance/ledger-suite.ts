import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgresql } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// Hooks across types, served as a team would, on both databases: test/hooks/ledger.yaml.
const LEDGER = 'https://example.com/jmap/ledger';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

/** Tests hooks of a ledger on a database: SQLite in the fast tier, PostgreSQL in the long one. */
export function ledgerSuite(database: 'SQLite' | 'PostgreSQL'): void {
  const postgresql = usePostgresql();
  describe(`hooks on ${database}`, () => {
    let project: string;
    let folder: string;
    let server: RunningServer;
    let client: Client;
    let fixtures: Fixtures;
    let accountId: string;
    let out: string;
    let url = '';
    /** All answers of the server: nothing hidden may be in them. */
    const answers: string[] = [];

    beforeAll(async () => {
      project = await sharedProject();
      folder = await mkdtemp(join(tmpdir(), 'jmapsmith-ledger-'));
      out = join(folder, database);
      const env = { HOOK_TIMEOUT: '2s', LEDGER_OUT: out };
      if (database === 'PostgreSQL') url = await postgresql().createDatabase('ledger');
      server = await startServer({ project, env: { ...env, ...(url && { DATABASE_URL: url }) } });
      fixtures = await makeFixtures(server, ['A2']);
      client = fixtures.u1.with([CORE, LEDGER]);
      accountId = fixtures.A1;
    }, 600_000);
    afterAll(async () => {
      await server?.remove();
      await rm(folder, { recursive: true, force: true });
    });

    let heard = 0;
    const readLines = (): string[] => {
      try {
        return readFileSync(out, 'utf8').trimEnd().split('\n').slice(heard);
      } catch {
        return [];
      }
    };
    beforeEach(() => {
      heard = 0;
      heard = readLines().length;
    });

    async function request(calls: readonly [string, object][]): Promise<Json[]> {
      const all = calls.map(
        ([name, args], at) => [name, { accountId, ...args }, `c${at}`] as const,
      );
      const { methodResponses } = await client.api(all);
      answers.push(JSON.stringify(methodResponses));
      return methodResponses.map(([name, args]) =>
        name === 'error' ? { error: args['type'], ...args } : args,
      );
    }
    const call = async (name: string, args: object = {}): Promise<Json> =>
      (await request([[name, args]]))[0];
    const read = async (type: string): Promise<Json[]> =>
      (await call(`${type}/get`, { ids: null })).list;
    const makeBook = async (title: string): Promise<Json> =>
      (await call('Book/set', { create: { b: { title, pin: 'pin-1234' } } })).created.b;

    test('counts, own-row chains and computeOn follow another type, with records', async () => {
      const book = await makeBook('Cash Book');
      expect(book).toMatchObject({ slug: 'cash-book', heading: 'cash-book (0)', total: 0 });
      const other = await makeBook('Other');
      const since = (await call('Book/get', { ids: [] })).state;
      heard = 0;
      heard = readLines().length;
      const line = (bookId: string, amount: number): object => ({ bookId, amount });
      // Line has no hook that waits; the books that it changes do.
      const { created } = await call('Line/set', {
        create: { a: line(book.id, 5), b: line(book.id, 7), c: line(other.id, 1) },
      });
      const { list } = await call('Book/get', { ids: [book.id, other.id] });
      expect(list).toMatchObject([
        { lines: 2, total: 12, heading: 'cash-book (2)' },
        { lines: 1, total: 1, heading: 'other (1)' },
      ]);
      const { updated } = await call('Book/changes', { sinceState: since });
      expect(updated.sort()).toEqual([book.id, other.id].sort());
      // Once for the whole call, and nobody asks whether lines may be.
      await eventually(() => expect(readLines()).toContain('afterCommit 0 2 0'));
      expect(readLines().filter((what) => what.startsWith('check'))).toEqual([]);
      expect(readLines().filter((what) => what.startsWith('inTransaction'))).toEqual([
        'inTransaction 0 2 0',
      ]);
      await call('Line/set', { update: { [created.a.id]: { amount: 10, bookId: other.id } } });
      expect((await call('Book/get', { ids: [book.id, other.id] })).list).toMatchObject([
        { lines: 1, total: 7 },
        { lines: 2, total: 11 },
      ]);
      await call('Line/set', { destroy: [created.b.id] });
      expect((await call('Book/get', { ids: [book.id] })).list).toMatchObject([
        { lines: 0, total: 0 },
      ]);
    });

    test('a value that the schema refuses undoes the write that it follows', async () => {
      const book = await makeBook('Full');
      const create = { a: { bookId: book.id, amount: 1_000_001 } };
      expect((await call('Line/set', { create })).error).toBe('serverFail');
      expect((await call('Book/get', { ids: [book.id] })).list).toMatchObject([
        { total: 0, lines: 0 },
      ]);
      await eventually(() => expect(server.stderr()).toContain('gave 1000001 for Book.total'));
    });

    test('a cascade calls the hooks of the objects that it destroys', async () => {
      const book = await makeBook('Doomed');
      const line = { bookId: book.id, amount: 1 };
      await call('Line/set', { create: { a: line, b: line, c: line } });
      const { destroyed } = await call('Book/set', { destroy: [book.id] });
      expect(destroyed).toEqual([book.id]);
      await eventually(() => expect(readLines()).toContain('lines destroyed 3'));
      expect(readLines()).toContain('inTransaction 0 0 1');
    });

    test('a hook that throws, or rejects with nothing, undoes its call alone', async () => {
      const before = [(await read('Book')).length, (await read('Post')).length];
      for (const title of ['throw', 'reject']) {
        const [first, second, third] = await request([
          ['Line/set', {}],
          ['Book/set', { create: { b: { title } } }],
          ['Post/set', { create: { p: { what: `beside ${title}` } } }],
        ]);
        expect(first.error).toBeUndefined();
        expect(second.error).toBe('serverFail');
        expect(second.description).toMatch(/the log has it as|The log has it as/);
        expect(third.created.p).toBeDefined();
      }
      const after = [(await read('Book')).length, (await read('Post')).length];
      expect(after).toEqual([before[0], (before[1] ?? 0) + 2]);
      await eventually(() => {
        expect(server.stderr()).toContain(
          'inTransaction of Book threw Error: the cause is for the',
        );
        expect(server.stderr()).toContain(
          'inTransaction of Book threw what is no Error: undefined',
        );
      });
      expect(readLines().filter((what) => what.startsWith('afterCommit'))).toEqual([]);
    });

    test('a call of 500 objects asks each hook once', async () => {
      const create = Object.fromEntries(
        Array.from({ length: 500 }, (_, at) => [`b${at}`, { title: `Book ${at}` }]),
      );
      const { created } = await call('Book/set', { create, greet: 'hello' });
      expect(Object.keys(created)).toHaveLength(500);
      await eventually(() => expect(readLines()).toHaveLength(3));
      expect(readLines()).toEqual(['check 500', 'inTransaction 500 0 0', 'afterCommit 500 0 0']);
      const ids = Object.values(created).map(({ id }: Json) => id);
      expect((await call('Book/set', { destroy: ids })).destroyed).toHaveLength(500);
    });

    test('check refuses one; after adds its member; afterCommit changes no answer', async () => {
      const answer = await call('Book/set', {
        create: { a: { title: 'after' }, b: { title: 'forbidden' } },
        greet: 'hello',
      });
      expect(Object.keys(answer.created)).toEqual(['a']);
      expect(answer.notCreated.b).toEqual({ type: 'forbidden', description: 'No.' });
      expect(answer.greeting).toBe('hello');
      await eventually(() => expect(server.stderr()).toContain('outside is down'));
      expect(server.stderr()).toContain('"hook":"afterCommit of Book"');
    });

    test('RFC 8620 5.4: hooks compute and hear of a copy in its own account', async () => {
      const book = await makeBook('To Copy');
      const { A2 } = fixtures;
      const answer = await call('Book/copy', {
        fromAccountId: accountId,
        accountId: A2,
        create: { c: { id: book.id, title: 'Copied' } },
      });
      const { list } = await call('Book/get', { accountId: A2, ids: [answer.created.c.id] });
      expect(list).toMatchObject([{ title: 'Copied', slug: 'copied', heading: 'copied (0)' }]);
      expect(await call('Post/get', { accountId: A2, ids: null })).toMatchObject({
        list: [{ what: '+1 ~0 -0' }],
      });
    });

    test('tx.set writes internal properties and records; Prisma sees them', async () => {
      const { state } = await call('Line/get', { ids: [] });
      expect(await call('Ledger/run', { mode: 'plain' })).toEqual({ accountId, seen: 1 });
      expect((await call('Line/changes', { sinceState: state })).created).toHaveLength(1);
    });

    test.each(['refused', 'refused, caught'])(
      '%s: a tx.set that refuses an object undoes the call, and the log says why',
      async (mode) => {
        const before = await read('Post');
        const { error, description } = await call('Ledger/run', { mode });
        expect(error).toBe('serverFail');
        expect(description).not.toContain('Post');
        expect(await read('Post')).toEqual(before);
        const words = 'tx.set of Post refused create \\"bad\\": invalidProperties: \\"what\\" ';
        await eventually(() => expect(server.stderr()).toContain(words));
      },
    );

    test('a hook may tell the client why its tx.set was refused', async () => {
      const before = await read('Post');
      const { error, description } = await call('Ledger/run', { mode: 'refused, said' });
      expect([error, description]).toEqual(['forbidden', 'RefusedObjectsError']);
      expect(await read('Post')).toEqual(before);
    });

    test('{ partial: true } asks a tx.set for the answer', async () => {
      expect((await call('Ledger/run', { mode: 'refused, partial' })).seen).toBe(1);
      expect(await read('Post')).toContainEqual(
        expect.objectContaining({ what: 'refused, partial' }),
      );
    });

    test('check refuses by a type of its own, and is asked before a restrict', async () => {
      const shelf = (name: string, more: object = {}) => ({ name, ...more });
      const create = { a: shelf('bottom'), b: shelf('middle'), c: shelf('top') };
      const { created } = await call('Shelf/set', { create });
      const [a, b, c] = ['a', 'b', 'c'].map((key) => created[key].id);
      await call('Shelf/set', { update: { [b]: { onId: a }, [c]: { onId: b } } });
      const { notDestroyed } = await call('Shelf/set', { destroy: [a, b] });
      expect(notDestroyed).toEqual({
        [a]: { type: 'example.com:holdsAll', description: 'Everything stands on it.' },
        [b]: expect.objectContaining({ type: 'objectIsLinked', objectIds: [c] }),
      });
      const all = await call('Shelf/set', { destroy: [c, b, a] });
      expect([all.destroyed, Object.keys(all.notDestroyed)]).toEqual([[c, b], [a]]);
    });

    test('alreadyExists names no internal property', async () => {
      const create = { a: { name: 'same' }, b: { name: 'same' } };
      const { created, notCreated } = await call('Shelf/set', { create });
      expect(notCreated.b).toEqual({
        type: 'alreadyExists',
        existingId: created.a.id,
        description: `"row" has the value of "${created.a.id}", and must be unique.`,
      });
      const tagged = { c: { name: 'tag one here' }, d: { name: 'tag one there' } };
      const answer = await call('Shelf/set', { create: tagged });
      const existingId = answer.created.c.id;
      expect(answer.notCreated.d).toEqual({
        type: 'alreadyExists',
        existingId,
        description: `The server would give it the value of "${existingId}", which must be unique.`,
      });
    });

    test('after HOOK_TIMEOUT its tx is revoked, and no lock or connection is kept', async () => {
      const before = (await read('Book')).length;
      const answer = await call('Ledger/run', { mode: 'late' });
      expect(answer.error).toBe('serverFail');
      expect(answer.description).toContain('HOOK_TIMEOUT (2000 ms)');
      // While the function still runs, a write has what it waits for.
      await makeBook('meanwhile');
      expect(readLines().filter((what) => /^late/.test(what))).toEqual([]);
      if (url !== '') expect(await openTransactions(url)).toBe(0);
      await eventually(() =>
        expect(readLines().filter((what) => /^late/.test(what))).toHaveLength(3),
      );
      expect(readLines()).toContain('aborted');
      expect(readLines().filter((what) => /^late .*\bover\b/.test(what))).toHaveLength(3);
      expect(await read('Book')).toHaveLength(before + 1);
    });

    test('while an own method waits, others read', async () => {
      const slow = call('Ledger/look', { wait: true });
      let ended = false;
      const end = slow.then(() => {
        ended = true;
      });
      for (let at = 0; at < 5; at += 1) await call('Line/get', { ids: [] });
      expect(ended).toBe(false);
      await end;
      expect((await slow).books).toBe((await read('Book')).length);
    });

    test('internal properties and secrets are in no answer, session, log or artefact', async () => {
      const book = await makeBook('Hidden');
      const asked: Json[] = [];
      for (const name of ['markup', 'vault', 'nothing']) {
        const [got, set, patched, found, sorted] = await request([
          ['Book/get', { ids: [book.id], properties: [name] }],
          ['Book/set', { create: { b: { title: 'x', [name]: 1 } } }],
          ['Book/set', { update: { [book.id]: { [name]: 1 } } }],
          ['Book/query', { filter: { [name]: 1 } }],
          ['Book/query', { sort: [{ property: name }] }],
        ]);
        const all = [got, set.notCreated, patched.notUpdated, found, sorted];
        asked.push(JSON.parse(JSON.stringify(all).replaceAll(name, 'NAME')));
        answers.splice(-1);
      }
      // A client that guesses its name gets the same answer as for a name that does not exist.
      expect(asked[0]).toEqual(asked[2]);
      expect(asked[1]).toEqual(asked[2]);
      const pin = await call('Book/get', { ids: [book.id], properties: ['id', 'pin'] });
      expect(JSON.stringify(pin)).not.toContain('pin-1234');
      answers.splice(-1);
      await call('Book/query', { filter: { title: 'Hidden' }, sort: [{ property: 'title' }] });

      const { text: session } = await client.http('/.well-known/jmap');
      const texts: [string, string][] = [
        ...answers.map((text): [string, string] => ['an answer', text]),
        ['the session', session],
      ];
      for (const [what, text] of texts) {
        expect(text, what).not.toMatch(/markup|vault|memo|pin-|scrypt|987654321/);
      }
      expect(server.stderr()).not.toMatch(/vault of|hidden-memo|pin-|scrypt|987654321/);
    });

    test('afterCommit ends with its process; a row of inTransaction is sent later', async () => {
      const { state: since } = await call('Post/get', { ids: [] });
      // Whether the client still gets its answer is the network's to say.
      await makeBook('crash').catch(() => undefined);
      await eventually(() => expect(readLines()).toContain('crash'));
      server = await server.restart();
      expect((await read('Book')).filter(({ title }) => title === 'crash')).toHaveLength(1);

      const delivered: string[] = [];
      const deliver = async (dies: boolean): Promise<void> => {
        const { created } = await call('Post/changes', { sinceState: since });
        const { list } = await call('Post/get', { ids: created });
        delivered.push(...list.map(({ id }: Json) => id));
        if (!dies) await call('Post/set', { destroy: list.map(({ id }: Json) => id) });
      };
      // Twice where it dies between: the receiver knows the id.
      for (const dies of [true, false, false]) await deliver(dies);
      expect(delivered).toHaveLength(2);
      expect(new Set(delivered).size).toBe(1);
      expect(readLines().filter((what) => what.startsWith('afterCommit'))).toEqual([]);
    });
  });
}

/** Transactions that wait for nothing of the database, and locks that are not had. */
async function openTransactions(url: string): Promise<number> {
  const database = new Postgresql({ connectionString: url });
  await database.connect();
  try {
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND (state LIKE 'idle in transaction%' OR wait_event_type = 'Lock')`,
    );
    return rows[0]?.n ?? -1;
  } finally {
    await database.end();
  }
}
