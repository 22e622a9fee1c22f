import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Network, startProxy } from '../../faults/proxy.js';
import { eventually, within } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { expectDivided, type HeardHub, openHub } from './hubs.js';

const postgresql = usePostgresql();

/** A hub that reaches its database over a network of the test's own, and one that needs none. */
async function setUp(prepare: (network: Network) => void = () => undefined) {
  const url = await postgresql().createDatabase('network');
  const direct = new URL(url);
  const network = await startProxy(Number(direct.port));
  onTestFinished(() => network.close());
  prepare(network);
  const through = new URL(url);
  through.port = String(network.port);
  const times = { patience: 500, silence: 60_000 };
  const near = openHub({ url });
  const far = openHub({ url: through.href, poolUrl: url, times });
  return { network, near, far };
}

async function expectHeard(near: HeardHub, far: HeardHub): Promise<void> {
  await eventually(() => {
    near.hub.publish({ accountId: 'a', changed: { Todo: '1' } });
    far.hub.publish({ accountId: 'b', changed: { Todo: '1' } });
    expect(far.heard.has('a')).toBe(true);
    expect(near.heard.has('b')).toBe(true);
  });
}

describe('A hub whose network to PostgreSQL swallows everything without a word', () => {
  it('notices that its beat is missing, connects anew, and doubts', async () => {
    const { network, near, far } = await setUp();
    await expectHeard(near, far);
    await eventually(() => expectDivided([near, far]));
    const doubts = far.doubts.length;
    network.stall();
    await eventually(() => expect(far.hub.counts().listen).toBe(0));
    // Another process may have its shards by now.
    expect(far.shards()).toEqual([]);
    far.hub.publish({ accountId: 'x', changed: { Todo: '1' } });
    network.resume();
    await eventually(() => expect(far.doubts.slice(doubts)).toContain('connected'));
    far.heard.clear();
    near.heard.clear();
    await expectHeard(near, far);
    // PostgreSQL still takes the old session for a good one: it holds its locks until it is ended.
    await eventually(() => expectDivided([near, far]));
  });

  it('connects as soon as it can where it starts in such a network', async () => {
    const { network, near, far } = await setUp((it) => it.stall());
    near.hub.publish({ accountId: 'x', changed: { Todo: '1' } });
    await eventually(() => expect(network.connections()).toBeGreaterThan(0));
    expect(far.hub.counts().listen).toBe(0);
    network.resume();
    await eventually(() => expect(far.doubts).toContain('connected'));
    await expectHeard(near, far);
  });

  it('ends in time, whether its session or its leases are what it can not give back', async () => {
    const url = await postgresql().createDatabase('network');
    const network = await startProxy(Number(new URL(url).port));
    onTestFinished(() => network.close());
    const through = new URL(url);
    through.port = String(network.port);
    const { href } = through;
    const locks = openHub({ url: href });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('CREATE TABLE "JmapMeta" ("key" text PRIMARY KEY, "value" text NOT NULL)');
    await client.end();
    const times = { patience: 500 };
    const leases = openHub({ url: href, times, answerWithin: 60_000, isDeaf: () => true });
    await eventually(() => {
      expect(locks.hub.counts()).toMatchObject({ listen: 1, shards: 16 });
      expect(leases.hub.counts()).toMatchObject({ listen: 0, shards: 16 });
    });
    network.stall();
    await within('The end', Promise.all([locks.hub.close(), leases.hub.close()]), 20_000);
    expect([locks.shards(), leases.shards()]).toEqual([[], []]);
    await network.close();
  });
});

describe('A hub whose connections are reset', () => {
  it('connects anew each time', async () => {
    const { network, near, far } = await setUp();
    for (let round = 0; round < 3; round += 1) {
      far.heard.clear();
      near.heard.clear();
      await expectHeard(near, far);
      network.cut();
    }
    await eventually(() => expect(far.hub.counts().listen).toBe(1));
  });
});
