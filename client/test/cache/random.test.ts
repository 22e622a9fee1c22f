import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { makeUser } from '../../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import { CORE, type Session } from '../../src/call/session.js';
import { type CachedClient, type CacheStore, connect, memory } from '../../src/index.js';
import { type Fault, makeFaultyFetch } from '../support/faulty-fetch.js';
import { type TodosProject, todos } from '../support/schema.js';

// Three clients of one account write at random through a network that loses requests and answers.
// Some end without a word, and others go on with their stores. In the end all of them show what
// the server has, and each write that was saved was made once or refused.

const SEEDS = Number(process.env['CLIENT_SEEDS'] ?? 10);
const FIRST = Number(process.env['CLIENT_SEED'] ?? Date.now() % 1_000_000);
const STEPS = 60;

/** So small that many writes and changes take several requests. */
const LIMITS = { maxCallsInRequest: 6, maxObjectsInGet: 3, maxObjectsInSet: 2 };

const ONCE = 'urn:jmapsmith:once';

/** Servers with keys of calls, and without. */
const SERVERS = [
  { server: 'that makes calls once', hasOnceKeys: true },
  { server: 'of the RFC alone', hasOnceKeys: false },
] as const;

let server: RunningServer;
let owner: Awaited<ReturnType<typeof makeUser>>;
beforeAll(async () => {
  server = await startServer({ env: { MAX_OBJECTS_IN_GET: '100000' } });
  owner = await makeUser(server, 'owner');
});
afterAll(() => server.remove());

/** Returns numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A device: its store, and the client that has it at present. */
interface Device {
  readonly store: CacheStore;
  client: CachedClient<TodosProject>;
}

class Run {
  readonly devices: Device[] = [];
  /** Texts of creates that are durable, and that nobody destroyed. */
  readonly saved = new Set<string>();
  readonly abandoned: CachedClient<TodosProject>[] = [];
  readonly #random: () => number;
  readonly #seed: number;
  readonly #hasOnceKeys: boolean;
  #isFaulty = true;
  #made = 0;

  constructor(seed: number, hasOnceKeys: boolean) {
    this.#seed = seed;
    this.#hasOnceKeys = hasOnceKeys;
    this.#random = randomOf(seed);
  }

  async start(): Promise<void> {
    for (let n = 0; n < 3; n += 1) {
      const store = memory();
      this.devices.push({ store, client: await this.#connect(store) });
    }
  }

  heal(): void {
    this.#isFaulty = false;
  }

  async step(): Promise<void> {
    const device = this.#pick(this.devices);
    const { Todo } = device.client.account();
    const { rows } = Todo.live().getSnapshot();
    const row = rows.length === 0 ? null : this.#pick(rows);
    const kind = this.#random();
    if (row === null || kind < 0.3) await this.#create(device);
    else if (kind < 0.6)
      Todo.update(row.$key, (todo) => {
        todo.done = !todo.done;
      });
    else if (kind < 0.7) {
      this.saved.delete(row.text);
      Todo.destroy(row.$key);
    } else if (kind < 0.8) void device.client.sync.settled();
    else if (kind < 0.84) await this.#replace(device);
    else if (kind < 0.86) device.client.sync.wake();
    else await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(new Set(rows.map(({ $key }) => $key)).size).toBe(rows.length);
  }

  async #create({ client }: Device): Promise<void> {
    const text = `${this.#hasOnceKeys} ${this.#seed} ${this.#made++}`;
    const write = client.account().Todo.create({ text });
    if (await write.saved) this.saved.add(text);
  }

  /** The client of a device ends without a word. It may be alive still, as a frozen page is. */
  async #replace(device: Device): Promise<void> {
    this.abandoned.push(device.client);
    device.client = await this.#connect(device.store);
  }

  #connect(store: CacheStore): Promise<CachedClient<TodosProject>> {
    const fetch = makeFaultyFetch(
      () => (this.#isFaulty ? this.#judge() : null),
      (session) => this.#editSession(session),
    );
    return connect(todos, { url: server.url, token: owner.token, store, fetch });
  }

  #editSession(session: Session): Session {
    const { [CORE]: core, [ONCE]: once, ...others } = session.capabilities;
    const capabilities = {
      ...others,
      [CORE]: { ...core, ...LIMITS },
      ...(this.#hasOnceKeys && once && { [ONCE]: once }),
    };
    return { ...session, capabilities };
  }

  #judge(): Fault {
    if (this.#random() < 0.2) return 'answer';
    return this.#random() < 0.2 ? 'request' : null;
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}

/** Objects of the server by their ids. */
async function readServer(): Promise<ReadonlyMap<string, JsonObject>> {
  const { list } = await owner.client.get('Todo', { accountId: owner.accountId, ids: null });
  return new Map(list.map((object) => [object.id, object as JsonObject]));
}

async function check({ devices, saved }: Run): Promise<void> {
  const stored = await readServer();
  const texts = [...stored.values()].map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  for (const text of saved) expect(texts).toContain(text);
  for (const { client } of devices) {
    expect(client.sync.getSnapshot()).toMatchObject({ pending: 0, status: 'live' });
    const { rows, complete } = client.account().Todo.live().getSnapshot();
    expect(complete).toBe(true);
    const shown = rows.map(
      ({ $key: _key, $pending: _pending, ...row }) => [row.id, row as JsonObject] as const,
    );
    expect(new Map(shown)).toEqual(stored);
    // Updates and destroys of what another client has destroyed are refused; nothing else is.
    const errors = client.problems.getSnapshot().map(({ error }) => error.type);
    expect(errors.filter((type) => type !== 'notFound')).toEqual([]);
  }
}

describe.each(SERVERS)('clients that write at random, on a server $server', ({ hasOnceKeys }) => {
  for (let index = 0; index < SEEDS; index += 1) {
    it(`end as the server is: seed ${FIRST + index}`, async () => {
      const run = new Run(FIRST + index, hasOnceKeys);
      await run.start();
      for (let step = 0; step < STEPS; step += 1) await run.step();
      run.heal();
      const clients = run.devices.map(({ client }) => client);
      for (let round = 0; round < 2; round += 1)
        for (const client of clients) await client.sync.settled();
      await check(run);
      for (const client of [...clients, ...run.abandoned]) await client.close();
    });
  }
});
