import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import { eventually, within } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type Network, startProxy } from './proxy.js';
import { expectServed, expectSound, type Rig, startRig } from './rig.js';

const postgresql = usePostgresql();

/**
 * Far longer than REQUEST_TIMEOUT below and all that src/ waits for a silent server, on a busy
 * machine too, ms.
 */
const PATIENCE = 60_000;

describe('the network between the server and PostgreSQL fails under sixteen writers', () => {
  let proxy: Network;
  let rig: Rig;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const url = new URL(await postgresql().createDatabase('network'));
    proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
    rig = await startRig({ DATABASE_URL: url.href, REQUEST_TIMEOUT: '2s' });
  });
  afterAll(async () => {
    await rig.server.remove();
    await proxy.close();
  });
  beforeEach(async () => {
    stop = rig.load.start(rig.server.url);
    await expectServed(rig.load);
  });

  // Where a test fails, its writers and its fault must not go on into the next one.
  afterEach(async () => {
    proxy.watch(undefined);
    proxy.resume();
    await stop();
  });

  async function expectRecovered(): Promise<void> {
    await expectServed(rig.load);
    await stop();
    await expectSound(rig);
  }

  /** Answers that are neither an acknowledgement nor a cut connection to the server itself. */
  function refused(): number {
    return ['serverUnavailable', 'serverUnavailable, unknown', '503']
      .map((kind) => rig.load.count(kind))
      .reduce((sum, count) => sum + count);
  }

  it('all connections are reset, twenty times', async () => {
    for (let round = 0; round < 20; round += 1) {
      proxy.cut();
      await expectServed(rig.load, 3);
    }
    await expectRecovered();
    expect(refused()).toBeGreaterThan(0);
  });

  it('a connection is reset within a transaction, at every thirtieth message', async () => {
    const before = refused();
    let messages = 0;
    proxy.watch(() => {
      messages += 1;
      return messages % 30 === 0 ? 'cut' : 'send';
    });
    await eventually(() => expect(refused()).toBeGreaterThan(before + 10), PATIENCE);
    proxy.watch(undefined);
    await expectRecovered();
  });

  it('a lost commit, or a lost answer to it, is never "nothing was changed"', async () => {
    const before = rig.load.count('serverUnavailable, unknown');
    let commits = 0;
    proxy.watch((chunk) => {
      if (!chunk.includes('COMMIT')) return 'send';
      commits += 1;
      return commits % 4 === 0 ? 'cut' : commits % 4 === 2 ? 'send, then cut' : 'send';
    });
    await eventually(
      () => expect(rig.load.count('serverUnavailable, unknown')).toBeGreaterThan(before + 10),
      PATIENCE,
    );
    proxy.watch(undefined);
    await expectRecovered();
  });

  it("PostgreSQL's side of every connection is closed, the server's is not", async () => {
    proxy.halfClose();
    await expectRecovered();
  });

  it('a silent network: REQUEST_TIMEOUT answers; a retry succeeds once it is back', async () => {
    const fresh = await makeToken(rig.server, ['--user', 'u']);
    const before = refused();
    proxy.stall();
    await eventually(() => expect(refused()).toBeGreaterThan(before + 16), PATIENCE);
    // A token that was not asked for before, and the version of the access tables: no request hangs
    // for ever.
    const client = new Client(rig.server.url, fresh);
    const answer = await within(
      'an answer to a new token',
      client.http('/.well-known/jmap'),
      PATIENCE,
    );
    expect(answer.status).toBe(503);
    expect((await client.http('/readyz')).status).toBe(503);
    // The connections of before stay silent for ever, as behind a firewall that forgot them.
    proxy.resume();
    await expectServed(rig.load, 40, PATIENCE);
    await expectRecovered();
    expect((await client.session())['username']).toBeDefined();
  });

  it('SIGTERM ends a server whose network is silent', async () => {
    await stop();
    proxy.stall();
    expect((await rig.server.stop()).code).toBe(0);
  });
});
