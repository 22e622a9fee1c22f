import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { utcDate } from '../support/expected.js';
import { makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import type { ProjectCopy } from '../support/project.js';
import { type RunningServer, startServer } from '../support/server.js';
import { computeWithKills, migrateWithKills } from './kills.js';
import { type Copies, expectWholeAfterKills, postgresqlCopies, sqliteCopies } from './moments.js';
import { release, releasedProject } from './releases.js';

// A team's descriptor, shelf.yaml, changes while its databases have data, as
// docs/reference/evolution.md describes it.
const CAPABILITY = 'https://example.com/jmap/shelf';

const AFTER = `
capability: ${CAPABILITY}
description: Books on a shelf.
types:
  Volume:
    description: A book.
    properties:
      title: { type: string, maxLength: 200 }
      writer: { type: string, maxLength: 200, default: '', renamedFrom: author }
      place: { type: string, maxLength: 50, default: hall }
      rating: { type: integer, default: 3 }
      length: { type: integer, default: 0, access: serverSet, computed: { from: [title] } }
    required: [title]
    unique: [title]
    drops: [pages, place]
    filter:
      titleStart: { property: title, is: startsWith }
      writer: { is: contains, indexed: true }
  Reader:
    description: Someone who reads.
    properties:
      name: { type: string, maxLength: 100 }
    required: [name]
    filter:
      name: startsWith
`;

const HOOKS = `
import type { Hooks } from '../generated/shelf/hooks.js';
export const hooks = {
  types: { Volume: { compute: { length: ({ title }) => [...title].length } } },
} satisfies Hooks;
`;

/** In one /set: what the server takes. */
const BATCH = 500;

interface Served {
  server: RunningServer;
  /** Of PostgreSQL. */
  readonly url: string | undefined;
  readonly client: Client;
  readonly accountId: string;
  readonly book: string;
  reader: string;
  /** The id of what the version before wrote last. */
  late: string;
  readonly first: string;
}

/**
 * Tests that a model which has `count` objects changes, on both databases. `moments`: so many runs
 * that migrate copies of the database are killed, on SQLite. With `isKilled` on both; and runs that
 * migrate, and a start that computes, are killed at places that they tell, and the next ones go on
 * where they stood.
 */
export function evolvesOver(
  count: number,
  timeout: number,
  { moments, isKilled = false }: { readonly moments: number; readonly isKilled?: boolean },
): void {
  const postgresql = usePostgresql();
  const served = new Map<string, Served>();
  let project: ProjectCopy;

  beforeAll(async () => {
    // The version before is shelf.yaml, which the project of all tests has, built.
    project = await releasedProject();
    const urls = [
      ['sqlite', undefined],
      ['postgresql', await postgresql().createDatabase('shelf')],
    ] as const;
    for (const [name, url] of urls) served.set(name, await fill(project.root, url, count));
    const copies = new Map<string, Copies>();
    const filled = served.get('postgresql');
    if (isKilled && filled?.url !== undefined) {
      // Nobody may have a database open that is copied.
      await filled.server.stop();
      copies.set('postgresql', await postgresqlCopies(filled.url));
      filled.server = await filled.server.restart();
    }
    await release(project, { 'shelf.yaml': AFTER, 'shelf.hooks.ts': HOOKS });
    for (const [name, each] of served) {
      // On PostgreSQL the version before goes on serving, and writes what it knows no folded copy
      // of.
      if (name === 'sqlite') await writeLate(each);
      if (name === 'sqlite') {
        await each.server.stop();
        copies.set(name, sqliteCopies(join(each.server.dataDir, 'jmap.db')));
      }
      const { env } = each.server;
      const copied = copies.get(name);
      if (copied !== undefined)
        await expectWholeAfterKills({ root: project.root, env, copies: copied, count: moments });
      const killed = { root: project.root, server: each.server, url: each.url, count };
      const stdout = isKilled ? await migrateWithKills(killed) : await migrated(each.server);
      expect(stdout).toContain("Volume.length is computed at the server's next start");
      if (name === 'postgresql') await writeLate(each);
      await each.server.stop();
      each.server = isKilled ? await computeWithKills(killed) : await each.server.restart();
    }
  }, timeout);

  afterAll(async () => {
    for (const { server } of served.values()) await server.remove();
    await project?.remove();
  });

  describe.each(['sqlite', 'postgresql'])('on %s', (name) => {
    const of = (): Served => {
      const found = served.get(name);
      if (found === undefined) throw new Error(`${name} is not served.`);
      return found;
    };

    test('rows keep their values, also of renamed properties; new ones have defaults', async () => {
      const { client, accountId, first } = of();
      const { list } = await client.get('Volume', { accountId, ids: [first] });
      expect(list).toEqual([
        {
          ...{ id: first, created: utcDate, updated: utcDate },
          ...{ title: 'Straße 0', writer: 'Ann Ärger 0', place: 'hall', rating: 3, length: 8 },
        },
      ]);
      const { total } = await client.query('Volume', { accountId, calculateTotal: true, limit: 1 });
      expect(total).toBe(count);
    });

    test('states of the changed type are forgotten, those of another type are good', async () => {
      const { client, accountId, book, reader, late } = of();
      const [, error] = await client.call('Volume/changes', { accountId, sinceState: book });
      expect(error).toMatchObject({ type: 'cannotCalculateChanges' });
      const changes = await client.changes('Reader', { accountId, sinceState: reader });
      // The last writes of the version before, on PostgreSQL, are told once new filters find them.
      const updated = name === 'postgresql' ? [late] : [];
      expect(changes).toMatchObject({ created: [], updated, destroyed: [] });
      const { state } = await client.get('Volume', { accountId, ids: [] });
      const since = await client.changes('Volume', { accountId, sinceState: state });
      expect(since).toMatchObject({ created: [], updated: [], destroyed: [] });
    });

    test('a computed property has its value, and what must be unique is', async () => {
      const { client, accountId, first } = of();
      let position = 0;
      const lengths = new Map<number, number>();
      while (position < Math.min(count, 2000)) {
        const { ids = [] } = await client.query('Volume', { accountId, position, limit: 500 });
        if (ids.length === 0) break;
        const { list } = await client.get('Volume', { accountId, ids, properties: ['length'] });
        for (const { length } of list)
          lengths.set(Number(length), (lengths.get(Number(length)) ?? 0) + 1);
        position += ids.length;
      }
      expect(lengths.has(0)).toBe(false);
      const { notUpdated } = await client.set('Volume', {
        accountId,
        update: { [first]: { title: 'Straße 1' } },
      });
      expect(notUpdated?.[first]).toMatchObject({ type: 'alreadyExists' });
    });

    test('a filter that the version before doesn’t know finds its last writes', async () => {
      const { client, accountId } = of();
      const { ids } = await client.query('Reader', { accountId, filter: { name: 'ÖDÖN' } });
      expect(ids).toHaveLength(1);
    });

    test('new filters, folded and indexed, find the rows that were there', async () => {
      const { client, accountId, first } = of();
      const ask = (filter: object) =>
        client.query('Volume', { accountId, filter, calculateTotal: true, limit: 1 });
      expect((await ask({ titleStart: 'STRASSE ' })).total).toBe(count);
      const tenth = Math.floor(count / 10);
      expect((await ask({ titleStart: 'strasse 1' })).total).toBeGreaterThan(tenth);
      expect((await ask({ writer: 'ÄRGER' })).total).toBe(count);
      expect((await ask({ writer: `ärger ${count - 1}` })).total).toBe(1);
      expect((await ask({ writer: 'nobody' })).total).toBe(0);
      await client.set('Volume', { accountId, update: { [first]: { writer: 'Nobody' } } });
      expect((await ask({ writer: 'nobody' })).ids).toEqual([first]);
      await client.set('Volume', { accountId, update: { [first]: { writer: 'Ann Ärger 0' } } });
    });
  });
}

/** Serves the project and makes `count` books and a reader. */
async function fill(root: string, url: string | undefined, count: number): Promise<Served> {
  const env: Record<string, string> = url === undefined ? {} : { DATABASE_URL: url };
  const server = await startServer({ project: root, env });
  const made = await makeFixtures(server, []);
  const client = made.u1.with([CORE, CAPABILITY]);
  const accountId = made.A1;
  let first = '';
  for (let from = 0; from < count; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => from + i);
    const create = Object.fromEntries(
      numbers.map((n) => [`b${n}`, { title: `Straße ${n}`, author: `Ann Ärger ${n}`, pages: n }]),
    );
    const { created, notCreated } = await client.set('Volume', { accountId, create });
    expect(notCreated).toBeNull();
    if (from === 0) first = String(created?.['b0']?.['id']);
  }
  await client.set('Reader', { accountId, create: { r: { name: 'Ida' } } });
  const { state: book } = await client.get('Volume', { accountId, ids: [] });
  const { state: reader } = await client.get('Reader', { accountId, ids: [] });
  return { server, url, client, accountId, book, reader, late: '', first };
}

/** A reader more, by the version before; its state is the last that clients know of it. */
async function writeLate(served: Served): Promise<void> {
  const { client, accountId } = served;
  const create = { r: { name: 'Ödön' } };
  const { created, notCreated } = await client.set('Reader', { accountId, create });
  expect(notCreated).toBeNull();
  served.late = String(created?.['r']?.['id']);
  served.reader = (await client.get('Reader', { accountId, ids: [] })).state;
}

async function migrated(server: RunningServer): Promise<string> {
  const { code, stdout, stderr } = await server.command('scripts/migrate', []);
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${stdout}\n${stderr}`);
  expect(stdout).toContain('applied');
  return stdout;
}
