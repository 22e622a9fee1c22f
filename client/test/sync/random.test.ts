import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { makeUser } from '../../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import { TestCopy, todoTable } from './copy.js';
import { type Fault, FaultyWire, HttpWire } from './wires.js';

// Three copies of one account write at random through a network that loses requests and answers.
// In the end all of them have what the server has, and each write was made once or refused.

const SEEDS = Number(process.env['CLIENT_SEEDS'] ?? 10);
const FIRST = Number(process.env['CLIENT_SEED'] ?? Date.now() % 1_000_000);
const STEPS = 60;

let server: RunningServer;
let owner: Awaited<ReturnType<typeof makeUser>>;
beforeAll(async () => {
  server = await startServer();
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

/** Objects of the server by their ids. */
async function readServer(): Promise<ReadonlyMap<string, JsonObject>> {
  const { list } = await owner.client.get('Todo', { accountId: owner.accountId, ids: null });
  return new Map(list.map((object) => [object.id, object as JsonObject]));
}

class Run {
  readonly random: () => number;
  readonly copies: readonly TestCopy[];
  readonly #wires: readonly FaultyWire[];
  readonly #seed: number;
  #made = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.random = randomOf(seed);
    this.#wires = [1, 2, 3].map(() => new FaultyWire(new HttpWire(server.url, owner.token)));
    const { accountId } = owner;
    const limits = { calls: 6, get: 3, set: 2 };
    this.copies = this.#wires.map(
      (wire) => new TestCopy({ wire, accountId, tables: [todoTable], limits }),
    );
    this.fail(true);
  }

  fail(isFaulty: boolean): void {
    const fault = (): Fault =>
      this.random() < 0.2 ? 'answer' : this.random() < 0.2 ? 'request' : null;
    for (const wire of this.#wires) wire.next = isFaulty ? fault : () => null;
  }

  async step(): Promise<void> {
    const copy = this.#pick(this.copies);
    const rows = [...copy.replica.rows('Todo')];
    const row = rows.length === 0 ? null : this.#pick(rows);
    const kind = this.random();
    if (row === null || kind < 0.3) copy.create('Todo', { text: `${this.#seed}-${this.#made++}` });
    else if (kind < 0.6) copy.update('Todo', row.$key, { done: row['done'] !== true });
    else if (kind < 0.7) copy.destroy('Todo', row.$key);
    else if (kind < 0.9) copy.want();
    else await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(new Set(rows.map(({ $key }) => $key)).size).toBe(rows.length);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }
}

async function check(run: Run): Promise<void> {
  const stored = await readServer();
  for (const copy of run.copies) {
    expect(copy.replica.log).toEqual([]);
    const rows = [...copy.replica.rows('Todo')].map(
      ({ $key: _key, $pending: _pending, ...row }) => [row.id, row] as const,
    );
    expect(new Map(rows)).toEqual(stored);
    const ended = copy.outcomes.flatMap(({ write }) => write.ids);
    expect(new Set(ended).size).toBe(ended.length);
  }
  const texts = [...stored.values()].map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
}

describe('copies of an account that write at random', () => {
  for (let index = 0; index < SEEDS; index += 1) {
    it(`end as the server is: seed ${FIRST + index}`, async () => {
      const run = new Run(FIRST + index);
      for (let step = 0; step < STEPS; step += 1) await run.step();
      run.fail(false);
      for (const copy of run.copies) await copy.settle();
      for (const copy of run.copies) await copy.settle();
      await check(run);
      for (const copy of run.copies) await copy.close();
    });
  }
});
