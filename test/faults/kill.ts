import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import type { Item } from '../support/json.js';
import { eventually } from '../support/poll.js';
import { type RunningServer, startServer } from '../support/server.js';

const WRITERS = 16;
/** Objects in each /set: enough that a half-written one would show. */
const BATCH = 5;

/** What the clients were told: ids by the /set that made them, and the highest state of all answers. */
interface Acknowledged {
  readonly batches: Map<string, readonly string[]>;
  state: number;
}

/** Kills a server `rounds` times while clients write, and looks each time whether all they were told is there. */
export async function killUnderLoad(rounds: number): Promise<void> {
  let server = await startServer({ env: { MAX_CONCURRENT_REQUESTS: '64' } });
  try {
    const accountId = await server.tool('scripts/account', [
      'create',
      '--name',
      'A',
      '--user',
      'u',
    ]);
    const token = await makeToken(server, ['--user', 'u']);
    const acknowledged: Acknowledged = { batches: new Map(), state: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const client = new Client(server.url, token);
      const before = acknowledged.batches.size;
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        writeUntilKilled(client, accountId, `${round}-${writer}`, acknowledged),
      );
      // The moment moves, so that the kills meet all parts of a commit.
      await eventually(() => expect(acknowledged.batches.size).toBeGreaterThan(before + WRITERS));
      await pause((round * 37) % 400);
      await server.kill();
      await Promise.all(writers);

      server = await revive(server);
      await expectAllThere(new Client(server.url, token), accountId, acknowledged);
    }
  } finally {
    await server.remove();
  }
}

/** A second process on the folder of one that was killed. */
function revive(server: RunningServer): Promise<RunningServer> {
  return startServer({ dataDir: server.dataDir, env: { MAX_CONCURRENT_REQUESTS: '64' } });
}

async function writeUntilKilled(
  client: Client,
  accountId: string,
  writer: string,
  acknowledged: Acknowledged,
): Promise<void> {
  for (let n = 0; ; n += 1) {
    const batch = `${writer}-${n}`;
    const create = Object.fromEntries(
      Array.from({ length: BATCH }, (_, i) => [`k${i}`, { text: `${batch}/${i}` }]),
    );
    try {
      const answer = await client.set('Todo', { accountId, create });
      const ids = Object.values(answer.created ?? {}).map((created) => String(created['id']));
      expect(ids).toHaveLength(BATCH);
      acknowledged.batches.set(batch, ids);
      acknowledged.state = Math.max(acknowledged.state, Number(answer.newState));
    } catch (error) {
      // fetch says TypeError when the connection is cut or refused: the kill. Anything else is a failure.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function expectAllThere(
  client: Client,
  accountId: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const texts = await allTexts(client, accountId);
  for (const [batch, ids] of acknowledged.batches) {
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
  expect(
    [...sizes].filter(([, size]) => size !== BATCH),
    'half a /set',
  ).toEqual([]);
  const { created, state } = await allChanges(client, accountId);
  expect(state, 'a state that a client has seen').toBeGreaterThanOrEqual(acknowledged.state);
  expect(created.length, 'a change record for each object').toBe(texts.size);
  expect(new Set(created)).toEqual(new Set(texts.keys()));
  expect(state, 'numbers without a gap').toBe(created.length);
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
