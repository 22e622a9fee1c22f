import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leapAt } from '../../scripts/backup/reset-states.js';
import { Workplace } from '../scripts/commands/tool.js';
import { Client } from '../support/client.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';

const postgresql = usePostgresql();
const SORT = { sort: [{ property: 'text' }] };

/**
 * Everything that a client may hold of an account: each state it was ever given, and those in
 * between.
 */
class Held {
  readonly states = new Set<string>();
  readonly queryStates = new Set<string>();
}

async function write(client: Client, accountId: string, count: number, held: Held): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const create = { k: { text: `${n}` } };
    const { oldState, newState } = await client.set('Todo', { accountId, create });
    held.states.add(String(oldState)).add(String(newState));
    const { queryState } = await client.query('Todo', { accountId, ...SORT, limit: 1 });
    held.queryStates.add(String(queryState));
  }
}

/**
 * 5.2, 5.3, 5.6: what was given out before is refused by name, wherever it is said, and never given
 * out again.
 */
async function expectRefused(client: Client, accountId: string, held: Held, fresh: Held) {
  for (const state of held.states) {
    expect(fresh.states.has(state), state).toBe(false);
    const [, changes] = await client.call('Todo/changes', { accountId, sinceState: state });
    expect(changes, state).toMatchObject({ type: 'cannotCalculateChanges' });
    const set = { accountId, ifInState: state, create: { k: { text: 'never' } } };
    const [, refused] = await client.call('Todo/set', set);
    expect(refused, state).toMatchObject({ type: 'stateMismatch' });
  }
  for (const sinceQueryState of held.queryStates) {
    expect(fresh.queryStates.has(sinceQueryState)).toBe(false);
    const [, changes] = await client.call('Todo/queryChanges', {
      accountId,
      ...SORT,
      sinceQueryState,
    });
    expect(changes, sinceQueryState).toMatchObject({ type: 'cannotCalculateChanges' });
  }
}

it('a later restore leaps beyond any number that imports since the last one gave', () => {
  const monday = Date.UTC(2026, 10, 23);
  for (const pause of [1, 1000, 3_600_000]) {
    const issued = leapAt(monday) + BigInt(pause) * 60n;
    expect(leapAt(monday + pause)).toBeGreaterThan(issued);
  }
  // Hundreds of restores of restores stay within what a state can say.
  expect(leapAt(Date.UTC(2036, 0, 1)) * 400n).toBeLessThan(2n ** 53n);
});

it.each([['sqlite'], ['postgresql']])(
  'RFC 8620 5.2: after two restores from one backup no earlier state is given out again (%s)',
  async (engine) => {
    const place = async (): Promise<readonly [Workplace, Record<string, string>]> => {
      const here = new Workplace();
      if (engine === 'sqlite') return [here, {}];
      const name = `g${Math.random().toString(36).slice(2)}`;
      return [here, { DATABASE_URL: await postgresql().createDatabase(name) }];
    };
    const [first, env] = await place();
    const places = [first];
    const servers: RunningServer[] = [];
    try {
      const origin = await startServer({ env, dataDir: first.dataDir });
      servers.push(origin);
      const args = ['create', '--name', 'A', '--user', 'u'];
      const accountId = await origin.tool('scripts/account', args);
      const token = await origin.tool('scripts/token', ['create', '--user', 'u']);
      const held = new Held();
      await write(new Client(origin.url, token), accountId, 10, held);
      const file = join(first.dataDir, 'b.tar');
      await origin.tool('scripts/backup', [file]);
      // Ahead of the backup.
      await write(new Client(origin.url, token), accountId, 17, held);
      await origin.stop();
      for (const writes of [30, 45]) {
        const [next, nextEnv] = await place();
        places.push(next);
        expect(await next.run('restore', [file], nextEnv)).toMatchObject({ code: 0 });
        const server = await startServer({ env: nextEnv, dataDir: next.dataDir });
        servers.push(server);
        const client = new Client(server.url, token);
        const fresh = new Held();
        await expectRefused(client, accountId, held, fresh);
        // As many writes as there were, and more: no number comes a second time.
        await write(client, accountId, writes, fresh);
        await expectRefused(client, accountId, held, fresh);
        for (const state of fresh.states) held.states.add(state);
        for (const state of fresh.queryStates) held.queryStates.add(state);
        await server.stop();
      }
    } finally {
      for (const server of servers) await server.kill();
      for (const each of places) each.remove();
    }
  },
);

it.each([['sqlite'], ['postgresql']])(
  'account reset-states beside a running server that is written to (%s)',
  async (engine) => {
    const env =
      engine === 'sqlite' ? {} : { DATABASE_URL: await postgresql().createDatabase('beside') };
    const server = await startServer({ env });
    try {
      const args = ['create', '--name', 'A', '--user', 'u'];
      const accountId = await server.tool('scripts/account', args);
      const token = await server.tool('scripts/token', ['create', '--user', 'u']);
      const client = new Client(server.url, token);
      const held = new Held();
      await write(client, accountId, 20, held);
      let isOver = false;
      const newest = { last: 0 };
      const writer = async (): Promise<void> => {
        while (!isOver) {
          const create = { k: { text: 'meanwhile' } };
          const { newState } = await client.set('Todo', { accountId, create });
          newest.last = Number(newState);
        }
      };
      const writers = [writer(), writer(), writer()];
      expect(await server.command('scripts/account', ['reset-states'])).toMatchObject({ code: 0 });
      // At once: the next call of whoever holds a state of before.
      await expectRefused(client, accountId, held, new Held());
      const { state } = await client.get('Todo', { accountId, ids: [] });
      expect(Number(state)).toBeGreaterThan(1_000_000_000);
      const before = newest.last;
      await expect.poll(() => newest.last, { timeout: 100_000 }).toBeGreaterThan(before + 10);
      isOver = true;
      await Promise.all(writers);
      const { created, newState } = await client.changes('Todo', { accountId, sinceState: state });
      expect(created).toHaveLength(Number(newState) - Number(state));
    } finally {
      await server.remove();
    }
  },
);
