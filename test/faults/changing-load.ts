import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client } from '../support/client.js';
import type { JsonMap } from '../support/json.js';
import { NOTHING_CHANGED, REFUSED_PAUSE } from './load.js';

/** Objects of each writer; each /set updates all but one, destroys that one and creates another. */
const OBJECTS = 5;
/** Change records of a /set. */
const RECORDS = OBJECTS + 1;

/**
 * Clients that each go on changing objects of their own, in an account of their own, and keep in
 * mind what they were told. The server then has exactly the acknowledged objects, and nothing of
 * the refused ones: `expectKept`.
 */
export class ChangingLoad {
  readonly #accountId: string;
  readonly #token: string;
  /** Of each writer: its objects' texts by id, in the order in which they were created. */
  readonly #objects: Map<string, string>[] = [];
  /** The destroyed objects. */
  readonly #gone = new Set<string>();
  #calls = 0;
  acknowledged = 0;
  refused = 0;

  constructor(accountId: string, token: string) {
    this.#accountId = accountId;
    this.#token = token;
  }

  /** Creates the objects of so many writers. */
  async prepare(url: string, writers: number): Promise<void> {
    const client = new Client(url, this.#token);
    for (let writer = 0; writer < writers; writer += 1) {
      const texts = Array.from({ length: OBJECTS }, (_, i) => `${writer} begins/${i}`);
      const create = Object.fromEntries(texts.map((text, i) => [`k${i}`, { text }]));
      const { created } = await client.set('Todo', { accountId: this.#accountId, create });
      const ids = texts.map((text, i): [string, string] => [String(created?.[`k${i}`]?.id), text]);
      this.#objects.push(new Map(ids));
    }
  }

  /**
   * Writes to `url` until the returned function is called and all writers have their last answers.
   */
  start(url: string): () => Promise<void> {
    const client = new Client(url, this.#token);
    const run = { over: false };
    const writers = this.#objects.map(async (objects) => {
      while (!run.over) if (!(await this.#set(client, objects))) await pause(REFUSED_PAUSE);
    });
    return async () => {
      run.over = true;
      await Promise.all(writers);
    };
  }

  /** Whether it was acknowledged. */
  async #set(client: Client, objects: Map<string, string>): Promise<boolean> {
    this.#calls += 1;
    const [first = '', ...others] = objects.keys();
    const text = (i: number): string => `${this.#calls}/${i}`;
    const texts = new Map(others.map((id, i) => [id, text(i)]));
    const fresh = text(OBJECTS);
    const update = Object.fromEntries([...texts].map(([id, each]) => [id, { text: each }]));
    const args = {
      ...{ accountId: this.#accountId, update, destroy: [first] },
      create: { k: { text: fresh } },
    };
    const answer = await client.post(
      JSON.stringify({ using: client.using, methodCalls: [['Todo/set', args, 'c']] }),
    );
    if (answer.status === 503) return this.#refuse();
    expect(answer.status, answer.text).toBe(200);
    const [name, said] = (answer.json as unknown as { methodResponses: [[string, JsonMap]] })
      .methodResponses[0];
    if (name === 'error') {
      expect(said).toMatchObject({
        type: 'serverUnavailable',
        description: expect.stringMatching(NOTHING_CHANGED),
      });
      return this.#refuse();
    }
    const { created, updated, destroyed } = said;
    expect([Object.keys(updated ?? {}).sort(), destroyed]).toEqual([others.sort(), [first]]);
    objects.delete(first);
    this.#gone.add(first);
    for (const [id, each] of texts) objects.set(id, each);
    objects.set(String((created as { k?: JsonMap } | null)?.k?.['id']), fresh);
    this.acknowledged += 1;
    return true;
  }

  #refuse(): false {
    this.refused += 1;
    return false;
  }

  /**
   * Whether the account is exactly what was acknowledged, its change records too; nothing may write
   * meanwhile.
   */
  async expectKept(url: string): Promise<void> {
    const client = new Client(url, this.#token);
    const accountId = this.#accountId;
    const expected = new Map(this.#objects.flatMap((objects) => [...objects]));
    const ids = [...expected.keys()];
    const { list, notFound, state } = await client.get('Todo', {
      accountId,
      ids: [...ids, ...[...this.#gone].slice(-100)],
    });
    expect(new Map(list.map(({ id, text }) => [id, text]))).toEqual(expected);
    expect(notFound).toHaveLength(Math.min(100, this.#gone.size));
    // All that there is, found by another way: nothing of what was refused.
    const { ids: found } = await client.query('Todo', { accountId });
    expect([...found].sort()).toEqual(ids.sort());
    expect(Number(state)).toBe(expected.size + RECORDS * this.acknowledged);
    const changed = { created: new Set<string>(), gone: 0 };
    for (let sinceState = '0'; ; ) {
      const page = await client.changes('Todo', { accountId, sinceState });
      for (const id of page.created) changed.created.add(id);
      for (const id of page.destroyed) if (!changed.created.delete(id)) changed.gone += 1;
      if (!page.hasMoreChanges) break;
      sinceState = page.newState;
    }
    expect([...changed.created].sort()).toEqual(ids.sort());
  }
}
