import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
 * write other types (test/hooks/ledger.yaml), in two accounts. One of the servers is killed in the
 * middle.
 */
const LEDGER = 'https://example.com/jmap/ledger';
const TYPES = ['Book', 'Line', 'Post'] as const;
const CLIENTS = 32;
/** Operations of each client. */
const ROUNDS = Number(process.env['PROCESSES_ROUNDS'] ?? 25);
const SEED = Number(process.env['TEST_SEED'] ?? 4);

const postgresql = usePostgresql();
let folder: string;
let servers: RunningServer[];
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

/** The answers that clients got, to be held against what is there in the end. */
interface Observations {
  /** Of each call that was answered: the states that it led from and to. */
  readonly sets: { readonly of: string; readonly from: number; readonly to: number }[];
  /** States in which a call with ifInState was let through. */
  readonly won: string[];
  readonly books: { readonly accountId: string; readonly id: string }[];
  /** Books that a call was to destroy, whatever it was answered. */
  readonly doomed: Set<string>;
  /** Calls that a server which was killed left without an answer. */
  unanswered: number;
  rounds: number;
}

/** True for the error that `fetch` throws where there is nobody any more. */
const isCut = (error: unknown): boolean => error instanceof TypeError;

type DrawnCall = readonly [type: 'Book' | 'Line', args: object];

/** A call for one round; `at` is the server that it will go to. */
async function drawCall(
  at: Client,
  number: number,
  round: number,
  random: Random,
): Promise<DrawnCall> {
  const accountId = accountOf(number);
  const idsOf = async (type: string): Promise<string[]> =>
    (await at.get(type, { accountId, ids: null, properties: ['id'] })).list.map(({ id }) => id);
  const what = random.integer(0, 9);
  const books = await idsOf('Book');
  const book = books[random.integer(0, Math.max(0, books.length - 1))];
  const lines = what > 5 ? await idsOf('Line') : [];
  const line = lines[random.integer(0, Math.max(0, lines.length - 1))];
  if (book === undefined || what < 2)
    return ['Book', { create: { b: { title: `Book ${number} ${round}` } } }];
  if (what < 6)
    return ['Line', { create: { a: { bookId: book, amount: 1 }, b: { bookId: book, amount: 2 } } }];
  if (what < 8 && line !== undefined)
    return ['Line', { update: { [line]: { amount: round, bookId: book } } }];
  if (what === 8 && books.length > 3) return ['Book', { destroy: [book] }];
  const { state } = await at.get('Book', { accountId, ids: [] });
  return ['Book', { ifInState: state, update: { [book]: { title: `Titled ${number} ${round}` } } }];
}

const accountOf = (number: number): string => (number % 2 === 0 ? fixtures.A1 : fixtures.A2);

/**
 * Writes as one client; each call must succeed, or lose by ifInState, or have met the killed
 * server.
 */
async function write(number: number, told: Observations): Promise<void> {
  const random = new Random(SEED * 1000 + number);
  const accountId = accountOf(number);
  for (let round = 0; round < ROUNDS; round += 1) {
    told.rounds += 1;
    try {
      // Any server may have the next request.
      const client = clientOf(random.integer(0, 2));
      const [type, args] = await drawCall(client, number, round, random);
      if ('destroy' in args) for (const id of args.destroy as string[]) told.doomed.add(id);
      const [name, response] = await client.call(`${type}/set`, { accountId, ...args });
      if (name === 'error') {
        const lost = expect.objectContaining({ type: 'stateMismatch' });
        expect(['ifInState' in args, response]).toEqual([true, lost]);
        continue;
      }
      const [from, to] = [Number(response['oldState']), Number(response['newState'])];
      // Of a book that is gone by now nothing changes.
      if (to !== from) told.sets.push({ of: `${accountId} ${type}`, from, to });
      if ('ifInState' in args) told.won.push(`${accountId} ${from}`);
      const made = (response['created'] as Record<string, Item> | null)?.['b'];
      if (type === 'Book' && made !== undefined) told.books.push({ accountId, id: made.id });
    } catch (error) {
      if (!isCut(error)) throw error;
      told.unanswered += 1;
    }
  }
}

/**
 * Half of the work is done: one server dies, and another process takes its place a little later.
 */
async function killOne(told: Observations, over: () => boolean): Promise<void> {
  while (told.rounds < (CLIENTS * ROUNDS) / 2 && !over()) await sleep(20);
  const [, victim] = servers;
  if (victim === undefined) throw new Error('There are servers.');
  await victim.kill();
  expect(over()).toBe(false);
  servers[1] = await victim.restart();
}

/** A cache that follows /changes in small pages while others write. */
class Follower {
  readonly #accountId: string;
  #number: number;
  readonly #caches = new Map(TYPES.map((type) => [type, new Map<string, Item>()]));
  readonly #states = new Map<string, string>(TYPES.map((type) => [type, '0']));

  constructor(accountId: string, number: number) {
    this.#accountId = accountId;
    this.#number = number;
  }

  /** How many pages had something in them. */
  pages = 0;

  /** The same, with another server where one was killed. */
  async step(): Promise<boolean> {
    try {
      return await this.#step();
    } catch (error) {
      if (!isCut(error)) throw error;
      return true;
    }
  }

  /** One page of each type, with its objects; true where there is more. */
  async #step(): Promise<boolean> {
    let more = false;
    for (const type of TYPES) {
      // A state that one server gave is good at any.
      this.#number += 1;
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
      if (ids.length + page.destroyed.length > 0) this.pages += 1;
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

/** Numbers as they are stored: each of 1 to the state's has one record. */
async function expectWholeNumbers(database: Postgresql): Promise<void> {
  const { rows } = await database.query(`SELECT s."number", count(c."number") AS "records",
    count(DISTINCT c."number") AS "numbers", min(c."number") AS "first", max(c."number") AS "last"
    FROM "JmapState" s LEFT JOIN "JmapChange" c USING ("accountId", "type")
    WHERE s."number" > 0 GROUP BY s."accountId", s."type", s."number"`);
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const { number, ...others } of rows)
    expect(others).toEqual({ records: number, numbers: number, first: '1', last: number });
}

/** Numbers as clients were told: no two calls had the same ones. */
function expectNoneTwice({ sets }: Observations): void {
  const last = new Map<string, number>();
  for (const { of, from, to } of sets.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    expect(from).toBeGreaterThanOrEqual(last.get(of) ?? 0);
    expect(to).toBeGreaterThan(from);
    last.set(of, to);
  }
}

describe('three servers on one PostgreSQL', () => {
  test('RFC 8620 5.2: 32 clients write; no gap in states, one winner of ifInState', async () => {
    const told: Observations = {
      sets: [],
      won: [],
      books: [],
      doomed: new Set(),
      unanswered: 0,
      rounds: 0,
    };
    const followers = [fixtures.A1, fixtures.A2].flatMap((accountId) =>
      [0, 1, 2].map((number) => new Follower(accountId, number)),
    );
    let writing = true;
    let pages: readonly number[] = [];
    const following = Promise.all(
      followers.map(async (follower) => {
        while (writing) await follower.step();
        while (await follower.step());
      }),
    );
    const clients = Array.from({ length: CLIENTS }, (_, number) => write(number, told));
    const all = Promise.all(clients).finally(() => {
      writing = false;
      pages = followers.map((follower) => follower.pages);
    });
    await Promise.all([all, following, killOne(told, () => !writing)]);
    // While clients wrote each of them has read, and what it read is part of what is compared
    // below.
    for (const count of pages) expect(count).toBeGreaterThanOrEqual(10);

    for (const accountId of [fixtures.A1, fixtures.A2]) await raceForStates(accountId);
    while ((await Promise.all(followers.map((follower) => follower.step()))).includes(true));
    expect(new Set(told.won).size).toBe(told.won.length);
    expectNoneTwice(told);

    const database = new Postgresql(url);
    await database.connect();
    await expectWholeNumbers(database);

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
      // Acknowledged writes are there, whoever has died since.
      const ids = new Set(books.map(({ id }) => id));
      for (const book of told.books)
        if (book.accountId === accountId && !told.doomed.has(book.id))
          expect(ids).toContain(book.id);
    }
    // A deadlock is run again in silence: the database has counted it.
    const { rows } = await database.query(
      'SELECT "deadlocks" FROM pg_stat_database WHERE "datname" = current_database()',
    );
    await database.end();
    expect(rows).toEqual([{ deadlocks: '0' }]);
    for (const server of servers)
      expect(server.stderr()).not.toMatch(/deadlock|could not serialize/);
    expect(told.sets.length).toBeGreaterThan((CLIENTS * ROUNDS) / 4);
    expect(told.unanswered).toBeLessThan((CLIENTS * ROUNDS) / 4);
  });

  test('a ticket of one server opens an event source at another, once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { json } = await clientOf(round).http('/jmap/ticket', { method: 'POST' });
      const { ticket } = json as { ticket: string };
      const path = `/jmap/eventsource?types=*&closeafter=no&ping=0&ticket=${ticket}`;
      const answers = await Promise.all(
        [1, 2, 1, 2].map(async (further) => {
          const response = await fetch(`${clientOf(round + further).url}${path}`);
          await response.body?.cancel();
          return response.status;
        }),
      );
      expect(answers.toSorted()).toEqual([200, 401, 401, 401]);
    }
  });
});
