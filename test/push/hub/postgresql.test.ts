import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { type HeardHub, openHub } from './hubs.js';

const postgresql = usePostgresql();

/** Opens hubs of one new database, which hear each other. */
async function openHubs(count: number) {
  const url = await postgresql().createDatabase('hub');
  const hubs = Array.from({ length: count }, () => openHub({ url }));
  await eventually(() => {
    for (const { hub } of hubs) expect(hub.counts()).toMatchObject({ listen: 1, peers: count - 1 });
  });
  return { url, hubs: hubs as [HeardHub, HeardHub, ...HeardHub[]] };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function send(client: pg.Client, payload: string): Promise<unknown> {
  return client.query(`SELECT pg_notify('jmapsmith_push', $1)`, [payload]);
}

describe('The hubs of servers that share a PostgreSQL', () => {
  it('tell each other of commits, and not themselves', async () => {
    const { hubs } = await openHubs(3);
    const [first, ...others] = hubs;
    first.hub.publish({ accountId: 'a', changed: { Todo: '7', Note: '2' } });
    first.hub.publish({ accountId: 'a', changed: { Todo: '8' } });
    first.hub.publish({ accountId: 'b', changed: { Todo: '1' } });
    for (const { heard } of others) {
      await eventually(() =>
        expect(Object.fromEntries(heard)).toEqual({ a: { Todo: 8, Note: 2 }, b: { Todo: 1 } }),
      );
    }
    expect(first.heard.size).toBe(0);
    expect(first.hub.counts().hints.out).toBeGreaterThanOrEqual(2);
  });
});
