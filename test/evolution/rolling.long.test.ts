import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { copyProject, type ProjectCopy } from '../support/project.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type Load, startLoad, type Words } from './load.js';
import { cloned, git, release } from './releases.js';

// A fleet goes from one version to the next on PostgreSQL. While the database migrates, and until
// the last server of the version before is stopped, both serve (docs/reference/evolution.md, "The
// version before").
const LIBRARY = 'https://example.com/jmap/library';

const BEFORE = `
capability: ${LIBRARY}
description: Books that are lent.
types:
  Book:
    description: A book.
    properties:
      title: { type: string, maxLength: 200 }
      author: { type: string, maxLength: 200, default: '' }
      pages: { type: integer }
      size: { type: integer, default: 0 }
      shelf: { type: [string, 'null'], maxLength: 50 }
    required: [title, pages]
    filter:
      title: { is: contains, indexed: true }
      author: startsWith
      shelf: equals
    sort: [title, pages]
  Loan:
    description: A book that is lent.
    properties:
      bookId: { type: [string, 'null'], references: Book, onDestroy: setNull }
  Tag:
    description: What a book is about.
    properties:
      label: { type: string, maxLength: 100 }
      bookId: { type: string, references: Book, onDestroy: restrict }
    required: [label, bookId]
`;

const after = (more: string, drops: string, given: string) => `
capability: ${LIBRARY}
description: Books that are lent.
${drops}
types:
  Volume:
    description: A book.
    renamedFrom: Book
    properties:
      heading: { type: string, maxLength: 200, renamedFrom: title }
      author: { type: string, maxLength: 200, default: '' }
      size: { type: string, maxLength: 10, default: small }
      shelf: { type: string, maxLength: 50, default: hall }
      rating: { type: integer, default: 3 }
      loans:
        { type: integer, default: 0, access: serverSet, computed: { count: Loan, by: volumeId } }
      ${more}
    required: [heading]
    ${given}
    filter:
      heading: { is: contains, indexed: true }
      author: startsWith
      size: equals
      shelf: equals
    sort: [heading, size]
  Loan:
    description: A book that is lent.
    properties:
      volumeId:
        { type: [string, 'null'], references: Volume, onDestroy: setNull, renamedFrom: bookId }
`;

const AFTER = after('', 'drops: [Tag]', 'drops: [pages, size, shelf]');
const LATER = after("isbn: { type: [string, 'null'], maxLength: 13 }", '', '');

// Prisma's client knows names alone; null that the version before writes is no trouble to it.
const HOOKS = `
import type { PrismaClient } from '../build/prisma/postgresql/client.js';
import type { Hooks } from '../generated/library/hooks.js';
export const hooks = {
  types: {
    Loan: {
      async check(_wanted, { accountId }, { prisma }) {
        const where = { accountId, heading: { not: '' } };
        const orderBy = { updated: 'desc' } as const;
        const found = await prisma.volume.findMany({ where, orderBy, take: 50 });
        for (const { heading, size, rating } of found) {
          const types = typeof heading + typeof size + typeof rating;
          if (types !== 'stringstringbigint') throw new Error(heading);
        }
        await prisma.loan.findFirst({ where: { accountId, volumeId: found[0]?.id ?? '' } });
      },
    },
  },
} satisfies Hooks<PrismaClient>;
`;

const OLD: Words = {
  ...{ book: 'Book', title: 'title', link: 'bookId', tag: 'Tag' },
  more: (n) => ({ pages: n, author: 'Ann Ärger', shelf: n % 2 === 0 ? null : 'attic' }),
};
const NEW: Words = {
  ...{ book: 'Volume', title: 'heading', link: 'volumeId' },
  more: () => ({ author: 'Ann Ärger', size: 'large' }),
};

describe('on PostgreSQL the version before serves while the next one comes', () => {
  const postgresql = usePostgresql();
  const projects: ProjectCopy[] = [];
  const servers: RunningServer[] = [];
  let pool: Pool;
  let accountId: string;
  let oldClient: Client;
  let newClient: Client;
  let oldLoad: Load;
  let newLoad: Load;

  beforeAll(async () => {
    const before = await copyProject();
    projects.push(before);
    git(before.root, 'init', '--quiet');
    await release(before, { 'library.yaml': BEFORE });
    // A folder of its own: the servers of the version before keep theirs.
    const next = await cloned(before, `${before.root}-next`);
    projects.push(next);
    await release(next, { 'library.yaml': AFTER, 'library.hooks.ts': HOOKS });

    const url = await postgresql().createDatabase('library');
    pool = new Pool({ connectionString: url, max: 1 });
    const env = { DATABASE_URL: url };
    const old = await startServer({ project: before.root, env });
    servers.push(old);
    const made = await makeFixtures(old, []);
    accountId = made.A1;
    oldClient = made.u1.with([CORE, LIBRARY]);
    const create = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`b${n}`, { title: `First ${n}`, ...OLD.more(n) }]),
    );
    for (let batch = 0; batch < 6; batch += 1)
      expect((await oldClient.set('Book', { accountId, create })).notCreated).toBeNull();

    oldLoad = startLoad(oldClient, accountId, 'old', OLD);
    await rounds(oldLoad, 5);
    const { dataDir } = old;
    const migrating = await startServer({ project: next.root, env, dataDir });
    servers.push(migrating);
    await rounds(oldLoad, 20);
    newClient = new Client(migrating.url, made.u1.token, [CORE, LIBRARY]);
    newLoad = startLoad(newClient, accountId, 'new', NEW);
    await Promise.all([rounds(oldLoad, 40), rounds(newLoad, 40)]);
    await Promise.all([oldLoad.stop(), newLoad.stop()]);
  }, 600_000);

  afterAll(async () => {
    await pool?.end();
    for (const server of servers.reverse()) await server.remove();
    for (const project of projects) await project.remove();
  });

  test('no call of either version fails', () => {
    expect({ old: oldLoad.problems, new: newLoad.problems }).toEqual({ old: [], new: [] });
  });

  test('each reads what the other has written, under its own names', async () => {
    for (const [id, title] of [...oldLoad.books].slice(-3)) {
      const { list } = await newClient.get('Volume', { accountId, ids: [id] });
      expect(list).toEqual([
        expect.objectContaining({ heading: title, author: 'Ann Ärger', size: 'small', rating: 3 }),
      ]);
      expect(list[0]).not.toHaveProperty('pages');
    }
    for (const [id, title] of [...newLoad.books].slice(-3)) {
      const { list } = await oldClient.get('Book', { accountId, ids: [id] });
      // Properties that the new version knows nothing of have their default, or the least that is
      // legal.
      expect(list).toEqual([
        expect.objectContaining({ title, author: 'Ann Ärger', pages: 0, size: 0, shelf: 'hall' }),
      ]);
    }
  });

  test('both count the same states, and tell the same changes', async () => {
    const [old, now] = [
      await oldClient.get('Book', { accountId, ids: [] }),
      await newClient.get('Volume', { accountId, ids: [] }),
    ];
    // The new version may still be redoing what the other wrote: it never counts less.
    expect(Number(now.state)).toBeGreaterThanOrEqual(Number(old.state));
    const since = String(Number(now.state) - 5);
    const told = await newClient.changes('Volume', { accountId, sinceState: since });
    const same = await oldClient.changes('Book', { accountId, sinceState: since });
    for (const list of ['created', 'updated', 'destroyed'] as const)
      expect(same[list]).toEqual(expect.arrayContaining(told[list]));
  });

  test('null of the version before is the default in the next, and is found as such', async () => {
    const ids = [...oldLoad.books.keys()];
    await eventually(async () => {
      const { list } = await newClient.get('Volume', { accountId, ids, properties: ['shelf'] });
      const halls = list.filter(({ shelf }) => shelf === 'hall').map(({ id }) => id);
      expect(halls.length).toBeGreaterThan(0);
      const found = await newClient.query('Volume', { accountId, filter: { shelf: 'hall' } });
      expect(found.ids).toEqual(expect.arrayContaining(halls));
    });
  });

  test('counts take in what the version before has written', async () => {
    const ids = [...oldLoad.books.keys()].slice(-5);
    await eventually(async () => {
      const { list } = await newClient.get('Volume', { accountId, ids, properties: ['loans'] });
      expect(list.map(({ loans }) => loans)).toEqual(ids.map(() => 1));
    });
  });

  test('a link that only the version before knows restricts that version alone', async () => {
    const [first, second] = [...oldLoad.books.keys()];
    const kept = await oldClient.set('Book', { accountId, destroy: [first] });
    expect(kept.notDestroyed?.[String(first)]).toMatchObject({ type: 'objectIsLinked' });
    const gone = await newClient.set('Volume', { accountId, destroy: [second] });
    expect(gone.destroyed).toEqual([second]);
    const { notFound } = await oldClient.get('Book', { accountId, ids: [second] });
    expect(notFound).toEqual([second]);
  });

  test('the release after drops the leftovers while the version before serves', async () => {
    const [, next] = projects;
    const [old, migrating] = servers;
    if (next === undefined || migrating === undefined || old === undefined) throw new Error('none');
    await old.stop();
    const last = await cloned(next, `${next.root}-last`);
    projects.push(last);
    await release(last, { 'library.yaml': LATER });
    expect(await columns(pool, 'Book')).toEqual(
      expect.arrayContaining(['pages', 'size', 'size_2']),
    );
    const load = startLoad(newClient, accountId, 'later', NEW);
    await rounds(load, 5);
    const server = await startServer({
      ...{ project: last.root, dataDir: migrating.dataDir },
      env: { DATABASE_URL: String(migrating.env['DATABASE_URL']) },
    });
    servers.push(server);
    await rounds(load, 20);
    await load.stop();
    expect(load.problems).toEqual([]);
    const left = await columns(pool, 'Book');
    expect(left).toEqual(expect.arrayContaining(['title', 'author', 'size_2', 'shelf', 'isbn']));
    for (const name of ['pages', 'size']) expect(left).not.toContain(name);
    expect(await columns(pool, 'Tag')).toEqual([]);
    const { rows } = await pool.query<{ n: string }>(
      `SELECT count(*) AS "n" FROM "JmapReference" WHERE "fromType" = 'Tag'`,
    );
    expect(rows).toEqual([{ n: '0' }]);
    const { rows: nulls } = await pool.query(
      `SELECT "is_nullable" FROM information_schema.columns WHERE "table_name" = 'Book'
        AND "column_name" = 'shelf'`,
    );
    expect(nulls).toEqual([{ is_nullable: 'NO' }]);
  });
});

/** Waits until so many more rounds are done: what happens meanwhile happens under load. */
async function rounds(load: Load, count: number): Promise<void> {
  const goal = load.rounds + count;
  await eventually(() => {
    if (load.problems.length > 20) throw new Error(load.problems.join('\n'));
    expect(load.rounds).toBeGreaterThanOrEqual(goal);
  }, 180_000);
}

async function columns(pool: Pool, table: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT "column_name" AS "name" FROM information_schema.columns WHERE "table_name" = $1',
    [table],
  );
  return rows.map(({ name }) => name);
}
