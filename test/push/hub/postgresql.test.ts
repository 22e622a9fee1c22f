import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { expectDivided, type HeardHub, openHub } from './hubs.js';

const postgresql = usePostgresql();
let url: string;
beforeAll(async () => {
  url = await postgresql().createDatabase('hub');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE "JmapMeta" ("key" text PRIMARY KEY, "value" text NOT NULL)');
  await client.end();
});

/** Opens hubs that hear each other. */
async function openHubs(count: number) {
  const hubs = Array.from({ length: count }, () => openHub({ url }));
  await expectConnected(hubs);
  return hubs as [HeardHub, HeardHub, ...HeardHub[]];
}

function expectConnected(hubs: readonly HeardHub[]): Promise<void> {
  return eventually(() => {
    for (const { hub } of hubs) {
      expect(hub.counts()).toMatchObject({ listen: 1, peers: hubs.length - 1 });
    }
  });
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function send(client: pg.Client, payload: unknown): Promise<unknown> {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return client.query(`SELECT pg_notify('jmapsmith_push', $1)`, [text]);
}

/** Waits until a hub has heard all that was sent before. */
async function settle({ hub, heard }: HeardHub, from: HeardHub): Promise<void> {
  const accountId = `settle${Math.random().toString(36).slice(2)}`;
  from.hub.publish({ accountId, changed: { Todo: '1' } });
  await eventually(() => expect(heard.has(accountId)).toBe(true));
  heard.delete(accountId);
  expect(hub.counts().listen).toBe(1);
}

const ALL = Array.from({ length: 16 }, (_, shard) => shard);

describe('The hubs of servers that share a PostgreSQL', () => {
  it('tell each other of commits and of subscriptions, and not themselves', async () => {
    const hubs = await openHubs(3);
    const [first, ...others] = hubs;
    first.hub.publish({ accountId: 'a', changed: { Todo: '7', Note: '2' } });
    first.hub.publish({ accountId: 'a', changed: { Todo: '8' } });
    first.hub.publish({ accountId: 'b', changed: { Todo: '1' } });
    first.hub.announceSubscription('s1');
    for (const { heard, subscriptions } of others) {
      await eventually(() =>
        expect(Object.fromEntries(heard)).toEqual({ a: { Todo: 8, Note: 2 }, b: { Todo: 1 } }),
      );
      expect(subscriptions).toEqual(['s1']);
    }
    expect([first.heard.size, first.subscriptions]).toEqual([0, []]);
    await eventually(() =>
      expect(first.hub.counts().hints).toMatchObject({ out: 2, in: 0, shed: 0 }),
    );
  });

  it('tell every commit whose types or accounts are too many for one payload', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    const client = await connect();
    const lengths: number[] = [];
    client.on('notification', ({ payload = '' }) => lengths.push(Buffer.byteLength(payload)));
    await client.query('LISTEN jmapsmith_push');
    // 400 types with names of 64 characters of four octets each.
    const names = Array.from({ length: 400 }, (_, at) => `${at}`.padEnd(66, '🌍'.repeat(64)));
    first.hub.publish({
      accountId: 'many',
      changed: Object.fromEntries(names.map((name) => [name, '1'])),
    });
    for (let at = 0; at < 1900; at += 1) {
      first.hub.publish({ accountId: `account${at}`, changed: { Todo: String(at) } });
    }
    await eventually(() => expect(second.heard.size).toBe(1901));
    expect(second.heard.get('many')).toBe(null);
    expect(second.heard.get('account1899')).toEqual({ Todo: 1899 });
    await eventually(() => expect(lengths.length).toBeGreaterThan(8));
    expect(Math.max(...lengths)).toBeLessThan(8000);
    await eventually(() => expect(first.hub.counts().hints).toMatchObject({ out: 1901, shed: 0 }));
  });

  it('have the others compare where more waits than is kept', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    const before = second.doubts.length;
    for (let at = 0; at < 3000; at += 1) {
      first.hub.publish({ accountId: `account${at}`, changed: { Todo: '1' } });
    }
    await eventually(() => expect(second.heard.has('account2999')).toBe(true));
    expect(first.hub.counts().hints.shed).toBe(2000);
    expect(second.doubts.slice(before)).toContain('shed');
  });

  it('doubt when they begin to listen, and when they first hear a process', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    expect(first.doubts).toContain('connected');
    expect(first.doubts).toContain('peerFound');
    expect(second.doubts).toContain('connected');
    expect(second.doubts).toContain('peerFound');
    const found = first.doubts.filter((reason) => reason === 'peerFound').length;
    await expectConnected([first, second, openHub({ url })]);
    await eventually(() =>
      expect(first.doubts.filter((reason) => reason === 'peerFound').length).toBeGreaterThan(found),
    );
  });

  it('divide the shards, and take over those of a process that says good-bye', async () => {
    const hubs = await openHubs(3);
    await eventually(() => expectDivided(hubs));
    const [first, second, third] = hubs;
    let changes = 0;
    first.hub.shards.onChange(() => {
      changes += 1;
    });
    await third?.hub.close();
    expect(third?.shards()).toEqual([]);
    await eventually(() => expectDivided([first, second]));
    expect(changes).toBeGreaterThan(0);
    // Nobody fears anything because of a good-bye.
    expect([...first.doubts, ...second.doubts]).not.toContain('peerLost');
    await second.hub.close();
    await eventually(() => expect(first.shards()).toEqual(ALL));
  });

  it('are all served by one process where the others that it hears take none', async () => {
    const hub = openHub({ url, times: { silence: 60_000 } });
    const client = await connect();
    await eventually(() => expect(hub.hub.counts().listen).toBe(1));
    await send(client, { o: 'forged', g: 'g', b: 1 });
    await eventually(() => expect(hub.hub.counts().peers).toBe(1));
    await eventually(() => expect(hub.shards()).toEqual(ALL));
  });

  it('doubt when a process falls silent, and take the shards that its session holds', async () => {
    const frozen = new pg.Client({
      connectionString: url,
      application_name: 'jmapsmith push frozen',
    });
    frozen.on('error', () => undefined);
    await frozen.connect();
    await frozen.query('SELECT pg_advisory_lock(1785553264, "n") FROM generate_series(0, 7) "n"');
    const { hub, doubts, shards } = openHub({ url, times: { silence: 500 } });
    await eventually(() => expect(hub.counts().listen).toBe(1));
    await send(frozen, { o: 'frozen', g: 'g', b: 1 });
    await eventually(() => expect(doubts).toContain('peerFound'));
    await eventually(() => expect(doubts).toContain('peerLost'));
    expect(hub.counts().peers).toBe(0);
    await eventually(() => expect(shards()).toEqual(ALL));
  });

  it('open a lost session again, serve no shard meanwhile, and doubt', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    await eventually(() => expectDivided(hubs));
    const client = await connect();
    const lost: number[] = [];
    second.hub.shards.onChange(() => void lost.push(second.shards().length));
    const doubts = second.doubts.length;
    const { rows } = await client.query(
      `SELECT pg_terminate_backend("pid") AS "ended" FROM pg_stat_activity
        WHERE "application_name" LIKE 'jmapsmith push %' AND "datname" = current_database()`,
    );
    expect(rows).toEqual([{ ended: true }, { ended: true }]);
    first.hub.publish({ accountId: 'meanwhile', changed: { Todo: '1' } });
    await eventually(() => expect(second.doubts.slice(doubts)).toContain('connected'));
    expect(lost[0]).toBe(0);
    await expectConnected(hubs);
    await settle(second, first);
    await settle(first, second);
    await eventually(() => expectDivided(hubs));
    expect(second.lines).toEqual([
      'other servers are not heard: the session is lost; it is opened again',
      'other servers are heard again',
    ]);
  });
});

describe('Hubs that open a session and hear nobody', () => {
  it('divide the shards by leases, and take locks once they hear each other', async () => {
    let isDeaf = true;
    const times = { patience: 100, deafPause: 200, lease: 20_000, renewal: 50 };
    const hubs = [1, 2].map(() => openHub({ url, times, isDeaf: () => isDeaf }));
    await eventually(() => {
      for (const { hub } of hubs) expect(hub.counts()).toMatchObject({ listen: 0, peers: 1 });
      expectDivided(hubs);
    });
    for (const { hub, lines } of hubs) {
      expect(lines).toEqual([expect.stringContaining('set PUSH_BUS=poll:1s')]);
      expect(hub.problem).toBe('Other servers are not heard: their changes are pushed late.');
    }
    isDeaf = false;
    await expectConnected(hubs);
    for (const { hub } of hubs) expect(hub.problem).toBe(null);
    const client = await connect();
    await eventually(async () => {
      expectDivided(hubs);
      const { rows } = await client.query(`SELECT
        (SELECT count(*)::int FROM pg_locks WHERE "locktype" = 'advisory' AND "classid" = 1785553264
          AND "database" = (SELECT "oid" FROM pg_database WHERE "datname" = current_database()))
          AS "locks",
        (SELECT count(*)::int FROM "JmapMeta") AS "leases"`);
      expect(rows).toEqual([{ locks: 16, leases: 0 }]);
    });
  });
});

describe('A hub whose first session hears nothing', () => {
  it('takes no lease: the next one hears the others, who hold locks', async () => {
    let hellos = 0;
    const isDeaf = (): boolean => {
      hellos += 1;
      return hellos === 1;
    };
    const { hub, lines } = openHub({ url, times: { patience: 500 }, isDeaf });
    const listens: number[] = [];
    hub.shards.onChange(() => void listens.push(hub.counts().listen));
    await eventually(() => expect(hub.counts()).toMatchObject({ listen: 1, shards: 16 }));
    expect(lines).toEqual([
      expect.stringContaining('a pooler shares its sessions'),
      'other servers are heard again',
    ]);
    expect(new Set(listens)).toEqual(new Set([1]));
  });
});

describe('A hub that the database has no connection for', () => {
  it('says so once, and listens as soon as there is one', async () => {
    const client = await connect();
    await client.query('CREATE ROLE few LOGIN CONNECTION LIMIT 1');
    onTestFinished(async () => void (await client.query('DROP ROLE few')));
    const few = new URL(url);
    few.username = 'few';
    const other = new pg.Client({ connectionString: few.href });
    await other.connect();
    const { hub, lines, doubts, shards } = openHub({ url: few.href, poolUrl: url });
    await eventually(() => expect(hub.problem).not.toBe(null));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lines).toEqual(['other servers are not heard: the session is lost; it is opened again']);
    expect([hub.counts().listen, shards()]).toEqual([0, []]);
    await client.query('ALTER ROLE few CONNECTION LIMIT 3');
    await eventually(() => expect(doubts).toContain('connected'));
    await eventually(() => expect(shards()).toEqual(ALL));
    expect(hub.problem).toBe(null);
    await hub.close();
    await other.end();
  });
});

describe('A hub whose database anybody may send notifications in', () => {
  const ACCOUNT = { a: { Todo: 1 } };

  it('takes nothing that is not one of its payloads in every detail', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    const client = await connect();
    const doubts = second.doubts.length;
    for (const payload of [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '['.repeat(7000),
      'x'.repeat(7999),
      {},
      { o: 'x', g: 'g' },
      { o: 'x', c: ACCOUNT },
      { g: 'g', c: ACCOUNT },
      { o: 'x y', g: 'g', c: ACCOUNT },
      { o: 1, g: 'g', c: ACCOUNT },
      { o: 'x', g: 1, c: ACCOUNT },
      { o: 'x', g: 'g', c: ACCOUNT, more: 1 },
      { o: 'x', g: 'g', unknown: 1 },
      { o: 'x', g: 'g', c: [] },
      { o: 'x', g: 'g', c: { a: { Todo: -1 } } },
      { o: 'x', g: 'g', c: { a: { Todo: 1.5 } } },
      { o: 'x', g: 'g', c: { a: { Todo: '1' } } },
      { o: 'x', g: 'g', c: { a: [] } },
      { o: 'x', g: 'g', c: { 'a b': null } },
      '{"o":"x","g":"g","c":{"a":{"Todo":1e300}}}',
      { o: 'x', g: 'g', s: ['a b'] },
      { o: 'x', g: 'g', s: 'a' },
      { o: 'x', g: 'g', b: '1' },
      { o: 'x', g: 'g', d: true },
      { o: 'x', g: 'g', q: 2 },
    ]) {
      await send(client, payload);
    }
    await settle(second, first);
    expect([second.heard.size, second.subscriptions]).toEqual([0, []]);
    expect(second.doubts.slice(doubts)).toEqual([]);
    expect(second.hub.counts().peers).toBe(1);
    await send(client, '{"o":"x","g":"g","c":{"__proto__":{"__proto__":5}}}');
    await eventually(() => expect(second.heard.has('__proto__')).toBe(true));
    expect(({} as Record<string, unknown>)['5']).toBe(undefined);
  });

  it('hears of a new epoch as soon as it is in one', async () => {
    const hubs = await openHubs(3);
    const [first, second, third] = hubs;
    first.epoch = 'next';
    const doubts = second.doubts.length;
    first.hub.publish({ accountId: 'a', changed: { Todo: '1' } });
    await eventually(() => expect(first.hub.counts().hints.out).toBe(1));
    await settle(second, third as HeardHub);
    // It compares, and so reads the epoch again.
    expect(second.doubts.slice(doubts)).toContain('otherEpoch');
    second.epoch = 'next';
    await eventually(() =>
      expect(second.doubts.filter((it) => it === 'peerFound')).not.toEqual([]),
    );
    await eventually(() => {
      first.hub.publish({ accountId: 'b', changed: { Todo: '2' } });
      expect(second.heard.get('b')).toEqual({ Todo: 2 });
    });
    expect(second.heard.has('a')).toBe(false);
  });

  it('drops a flood and compares, while its own beats come back', async () => {
    const hubs = await openHubs(2);
    const [first, second] = hubs;
    const client = await connect();
    const accounts = Array.from({ length: 400 }, (_, at) => [`flood${at}`, null]);
    const flood = { o: 'flood', g: 'g', c: Object.fromEntries(accounts) };
    await client.query(
      `SELECT count(pg_notify('jmapsmith_push', replace($1, 'flood', 'flood' || "n")))
        FROM generate_series(1, 300) AS "n"`,
      [JSON.stringify(flood)],
    );
    await eventually(() => expect(second.hub.counts().hints.shed).toBeGreaterThan(0));
    await eventually(() => expect(second.doubts).toContain('shed'));
    await eventually(() => {
      first.hub.publish({ accountId: 'a', changed: { Todo: '1' } });
      expect(second.heard.has('a')).toBe(true);
    });
    expect(second.heard.size).toBeLessThan(10_000);
    // It keeps no more processes in mind than there can be.
    expect(second.hub.counts().peers).toBeLessThanOrEqual(256);
    expect(second.lines).toEqual([]);
  });
});
