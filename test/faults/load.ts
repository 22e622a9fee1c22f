import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client } from '../support/client.js';
import type { Item, JsonMap } from '../support/json.js';

/** Objects in each /set: enough that a half-written one would show. */
const BATCH = 5;
/** A writer that was refused tries again after this, ms. */
export const REFUSED_PAUSE = 20;
/** Where an answer says so, none of the /set may be there. */
export const NOTHING_CHANGED = /nothing was changed/;

export interface LoadOptions {
  readonly accountId: string;
  readonly token: string;
  readonly writers?: number;
}

/** The outcome of a /set, as its client was told. */
type Outcome = 'acknowledged' | 'nothing' | 'unknown';

/**
 * Clients that each write one /set of five objects after the other, and keep in mind what they were
 * told. The objects that the server then has must agree with every answer that was ever given:
 * `expectKept`.
 */
export class Load {
  readonly #accountId: string;
  readonly #token: string;
  readonly #writers: number;
  /** By /set: its ids. */
  readonly #acknowledged = new Map<string, readonly string[]>();
  /** Writes of which an answer said that nothing was changed. */
  readonly #refused = new Set<string>();
  /** How often each kind of answer came: `ok`, `serverUnavailable`, `503`, `cut` ... */
  readonly answers = new Map<string, number>();
  #state = 0;
  #round = 0;

  constructor({ accountId, token, writers = 16 }: LoadOptions) {
    this.#accountId = accountId;
    this.#token = token;
    this.#writers = writers;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  count(kind: string): number {
    return this.answers.get(kind) ?? 0;
  }

  /**
   * Writes to `url` until the returned function is called and all writers have their last answers.
   */
  start(url: string): () => Promise<void> {
    const client = new Client(url, this.#token);
    const run = { over: false };
    const round = this.#round;
    this.#round += 1;
    const writers = Array.from({ length: this.#writers }, (_, writer) =>
      this.#write(client, `${round}-${writer}`, run),
    );
    return async () => {
      run.over = true;
      await Promise.all(writers);
    };
  }

  async #write(client: Client, writer: string, run: { over: boolean }): Promise<void> {
    for (let n = 0; !run.over; n += 1) {
      const outcome = await this.#set(client, `${writer}-${n}`);
      if (outcome !== 'acknowledged') await pause(REFUSED_PAUSE);
    }
  }

  async #set(client: Client, batch: string): Promise<Outcome> {
    const create = Object.fromEntries(
      Array.from({ length: BATCH }, (_, i) => [`k${i}`, { text: `${batch}/${i}` }]),
    );
    const call = ['Todo/set', { accountId: this.#accountId, create }, 'c'];
    const body = JSON.stringify({ using: client.using, methodCalls: [call] });
    const answer = await client.post(body).catch((error: unknown) => {
      // fetch says TypeError when the connection is cut or refused. Anything else is a failure.
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (answer === null) return this.#note('cut', 'unknown');
    if (answer.status === 503) {
      this.#refused.add(batch);
      return this.#note('503', 'nothing');
    }
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.text}`);
    const [name, args] = (answer.json as unknown as { methodResponses: [[string, JsonMap]] })
      .methodResponses[0];
    if (name === 'Todo/set') {
      const created = (args['created'] ?? {}) as Record<string, Item>;
      const ids = Object.values(created).map((item) => String(item['id']));
      expect(ids, JSON.stringify(args)).toHaveLength(BATCH);
      this.#acknowledged.set(batch, ids);
      this.#state = Math.max(this.#state, Number(args['newState']));
      return this.#note('ok', 'acknowledged');
    }
    const { type, description } = args;
    // No other error, and never one that nobody expected (`serverFail` with a reference).
    expect([name, type], String(description)).toEqual(['error', 'serverUnavailable']);
    if (!NOTHING_CHANGED.test(String(description)))
      return this.#note('serverUnavailable, unknown', 'unknown');
    this.#refused.add(batch);
    return this.#note('serverUnavailable', 'nothing');
  }

  #note(kind: string, outcome: Outcome): Outcome {
    this.answers.set(kind, this.count(kind) + 1);
    return outcome;
  }

  /** Whether all that clients were told is so; nothing may write meanwhile. */
  async expectKept(url: string): Promise<void> {
    const client = new Client(url, this.#token);
    const texts = await allTexts(client, this.#accountId);
    for (const [batch, ids] of this.#acknowledged) {
      expect(
        ids.map((id, i) => [id, texts.get(id), i]),
        `the acknowledged /set ${batch}`,
      ).toEqual(ids.map((id, i) => [id, `${batch}/${i}`, i]));
    }
    const sizes = new Map<string, number>();
    for (const text of texts.values()) {
      const batch = text.slice(0, text.indexOf('/'));
      sizes.set(batch, (sizes.get(batch) ?? 0) + 1);
    }
    const half = [...sizes].filter(([, size]) => size !== BATCH);
    expect(half, 'half a /set').toEqual([]);
    const there = [...this.#refused].filter((batch) => sizes.has(batch));
    expect(there, 'answered with "nothing was changed", yet there').toEqual([]);
    const { created, state } = await allChanges(client, this.#accountId);
    expect(state, 'a state that a client has seen').toBeGreaterThanOrEqual(this.#state);
    expect(created.length, 'a change record for each object').toBe(texts.size);
    expect(new Set(created)).toEqual(new Set(texts.keys()));
    expect(state, 'numbers without a gap').toBe(created.length);
  }
}

async function allTexts(client: Client, accountId: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let position = 0; ; ) {
    const { methodResponses } = await client.api([
      ['Todo/query', { accountId, position, limit: 1000 }, 'q'],
      ['Todo/get', { accountId, '#ids': { resultOf: 'q', name: 'Todo/query', path: '/ids' } }, 'g'],
    ]);
    const list = (methodResponses[1]?.[1]['list'] ?? []) as unknown as Item[];
    for (const item of list) texts.set(String(item['id']), String(item['text']));
    if (list.length < 1000) return texts;
    position += list.length;
  }
}

async function allChanges(
  client: Client,
  accountId: string,
): Promise<{ created: string[]; state: number }> {
  const created: string[] = [];
  for (let sinceState = '0'; ; ) {
    const page = await client.changes('Todo', { accountId, sinceState });
    created.push(...page.created);
    expect(page.updated).toEqual([]);
    expect(page.destroyed).toEqual([]);
    if (!page.hasMoreChanges) return { created, state: Number(page.newState) };
    sinceState = page.newState;
  }
}
