import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgresql } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import type { Item } from '../support/json.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

/**
 * Three servers on one PostgreSQL, clients that know nothing of it: cascades, counts and hooks that
 * write other types (test/hooks/ledger.yaml), in two accounts.
 */
const LEDGER = 'https://example.com/jmap/ledger';
const TYPES = ['Book', 'Line', 'Post'] as const;
const CLIENTS = 32;
/** Operations of each client. */
const ROUNDS = Number(process.env['PROCESSES_ROUNDS'] ?? 25);
const SEED = Number(process.env['TEST_SEED'] ?? 4);

const postgresql = usePostgresql();
let folder: string;
let servers: readonly RunningServer[];
let fixtures: Fixtures;
let url: string;

beforeAll(async () => {
  const project = await sharedProject();
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-processes-'));
  url = await postgresql().createDatabase('processes');
  // At once, on an empty database: one of them migrates, the others wait for it.
  const env = {
    DATABASE_URL: url,
    LEDGER_OUT: join(folder, 'out'),
    // All clients are one user; what a slow machine needs is nobody's fault.
    MAX_CONCURRENT_REQUESTS: '100',
    REQUEST_TIMEOUT: '120s',
    HOOK_TIMEOUT: '60s',
  };
  servers = await Promise.all([0, 1, 2].map(() => startServer({ project, env })));
  const [first] = servers;
  if (first === undefined) throw new Error('Three servers were started.');
  fixtures = await makeFixtures(first, ['A2']);
}, 600_000);
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.remove()));
  await rm(folder, { recursive: true, force: true });
});

/** A client of one of the servers. */
function clientOf(number: number): Client {
  const server = servers[number % servers.length];
  if (server === undefined) throw new Error('There are servers.');
  return new Client(server.url, fixtures.u1.token, [CORE, LEDGER]);
}

/** What one client does; each must succeed, or lose by ifInState. */
async function write(number: number, won: Map<string, string[]>): Promise<void> {
  const random = new Random(SEED * 1000 + number);
  const accountId = number % 2 === 0 ? fixtures.A1 : fixtures.A2;
  const idsOf = async (type: string): Promise<string[]> =>
    (await clientOf(number).get(type, { accountId, ids: null, properties: ['id'] })).list.map(
      ({ id }) => id,
    );
  for (let round = 0; round < ROUNDS; round += 1) {
    // Any server may have the next request.
    const client = clientOf(random.integer(0, 2));
    const what = random.integer(0, 9);
    const books = await idsOf('Book');
    const book = books[random.integer(0, Math.max(0, books.length - 1))];
    const lines = what > 5 ? await idsOf('Line') : [];
    const line = lines[random.integer(0, Math.max(0, lines.length - 1))];
    let args: object;
    let type = 'Line';
    if (book === undefined || what < 2) {
      type = 'Book';
      args = { create: { b: { title: `Book ${number} ${round}` } } };
    } else if (what < 6) {
      const two = { a: { bookId: book, amount: 1 }, b: { bookId: book, amount: 2 } };
      args = { create: two };
    } else if (what < 8 && line !== undefined) {
      args = { update: { [line]: { amount: round, bookId: book } } };
    } else if (what === 8 && books.length > 3) {
      type = 'Book';
      args = { destroy: [book] };
    } else {
      type = 'Book';
      const { state } = await client.get('Book', { accountId, ids: [] });
      args = { ifInState: state, update: { [book]: { title: `Titled ${number} ${round}` } } };
    }
    const [name, response] = await client.call(`${type}/set`, { accountId, ...args });
    if (name === 'error') {
      expect(['ifInState' in args, response]).toEqual([
        true,
        expect.objectContaining({ type: 'stateMismatch' }),
      ]);
    } else if ('ifInState' in args) {
      const states = won.get(accountId) ?? [];
      won.set(accountId, [...states, String(response['oldState'])]);
    }
  }
}

/** A cache that follows /changes in small pages while others write. */
class Follower {
  readonly #accountId: string;
  readonly #number: number;
  readonly #caches = new Map(TYPES.map((type) => [type, new Map<string, Item>()]));
  readonly #states = new Map<string, string>(TYPES.map((type) => [type, '0']));

  constructor(accountId: string, number: number) {
    this.#accountId = accountId;
    this.#number = number;
  }

  /** One page of each type, with its objects; true where there is more. */
  async step(): Promise<boolean> {
    let more = false;
    for (const type of TYPES) {
      const page = await clientOf(this.#number).changes(type, {
        accountId: this.#accountId,
        sinceState: this.#states.get(type),
        maxChanges: 7,
      });
      const cache = this.#caches.get(type) ?? new Map<string, Item>();
      const ids = [...page.created, ...page.updated];
      // Another server's answer: at least as new as the page.
      const { list } = await clientOf(this.#number + 1).get(type, {
        accountId: this.#accountId,
        ids,
      });
      for (const id of [...page.destroyed, ...ids]) cache.delete(id);
      for (const item of list) cache.set(item.id, item);
      this.#states.set(type, page.newState);
      more ||= page.hasMoreChanges;
    }
    return more;
  }

  items(type: (typeof TYPES)[number]): readonly Item[] {
    return sorted([...(this.#caches.get(type)?.values() ?? [])]);
  }
}

const sorted = (items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** All clients at once, each in the state that all have seen: one of them wins each time. */
async function raceForStates(accountId: string): Promise<void> {
  const made = await clientOf(0).set('Book', { accountId, create: { b: { title: 'Race' } } });
  const book = made.created?.['b']?.id ?? '';
  for (let round = 0; round < 5; round += 1) {
    const { state } = await clientOf(round).get('Book', { accountId, ids: [] });
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, number) => {
        const update = { [book]: { title: `Race ${round} ${number}` } };
        return clientOf(number).call('Book/set', { accountId, ifInState: state, update });
      }),
    );
    expect(answers.filter(([name]) => name === 'Book/set')).toHaveLength(1);
    for (const [name, { type }] of answers)
      if (name === 'error') expect(type).toBe('stateMismatch');
  }
}

describe('three servers on one PostgreSQL', () => {
  test('5.2, 5.3: 32 clients write; states have no gap, ifInState one winner, /changes all data', async () => {
    const won = new Map<string, string[]>();
    const followers = [fixtures.A1, fixtures.A2].flatMap((accountId) =>
      [0, 1, 2].map((number) => new Follower(accountId, number)),
    );
    let writing = true;
    const following = Promise.all(
      followers.map(async (follower) => {
        while (writing) await follower.step();
        while (await follower.step());
      }),
    );
    const clients = Array.from({ length: CLIENTS }, (_, number) => write(number, won));
    const all = Promise.all(clients).finally(() => {
      writing = false;
    });
    await Promise.all([all, following]);

    for (const accountId of [fixtures.A1, fixtures.A2]) await raceForStates(accountId);
    while ((await Promise.all(followers.map((follower) => follower.step()))).includes(true));
    for (const states of won.values()) expect(new Set(states).size).toBe(states.length);

    const database = new Postgresql(url);
    await database.connect();
    const { rows } = await database.query(`SELECT s."number", count(c."number") AS "records",
      count(DISTINCT c."number") AS "numbers", min(c."number") AS "first", max(c."number") AS "last"
      FROM "JmapState" s JOIN "JmapChange" c USING ("accountId", "type")
      GROUP BY s."accountId", s."type", s."number"`);
    await database.end();
    expect(rows.length).toBeGreaterThanOrEqual(4);
    for (const { number, ...others } of rows) {
      const all = { records: number, numbers: number, first: '1', last: number };
      expect(others).toEqual(all);
    }

    for (const [at, accountId] of [fixtures.A1, fixtures.A2].entries()) {
      for (const type of TYPES) {
        const { list } = await clientOf(at).get(type, { accountId, ids: null });
        for (const number of [0, 1, 2]) {
          expect(followers[at * 3 + number]?.items(type)).toEqual(sorted(list));
        }
      }
      const { list: books } = await clientOf(at).get('Book', { accountId, ids: null });
      const { list: lines } = await clientOf(at).get('Line', { accountId, ids: null });
      expect(books.length).toBeGreaterThan(0);
      for (const book of books) {
        const own = lines.filter((line) => line['bookId'] === book.id);
        const total = own.reduce((sum, line) => sum + Number(line['amount']), 0);
        expect(book).toMatchObject({ lines: own.length, total });
      }
    }
    for (const server of servers)
      expect(server.stderr()).not.toMatch(/deadlock|could not serialize/);
  });
});
