import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, CORE, PUSH, VAPID } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { makeUser } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { type RunningServer, startServer } from '../support/server.js';

const CONTACT = { PUSH_CONTACT: 'mailto:operator@example.com' };
const [ONE = '', OTHER = ''] = [1, 2].map((octet) => Buffer.alloc(32, octet).toString('base64'));

// One server, which each test starts again with another configuration.
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'info' } });
  const { token } = await makeUser(server);
  client = new Client(server.url, token, [CORE]);
});
afterAll(() => server.remove());

async function restart(env: Readonly<Record<string, string>>): Promise<void> {
  server = await server.restart(env);
}

async function capabilities(): Promise<Readonly<Record<string, JsonMap>>> {
  return (await client.session())['capabilities'] as Record<string, JsonMap>;
}

describe('a server and push subscriptions', () => {
  it('without a contact pushes are not signed, and the log says so', async () => {
    const shown = await capabilities();
    expect(Object.keys(shown[PUSH] ?? {})).toContain('maxSubscriptionsOfToken');
    expect(shown).not.toHaveProperty([VAPID]);
    expect(server.stderr()).toContain('pushes are not signed: set PUSH_CONTACT');
  });

  it('PUSH=off takes their methods and limits away, but nothing of event sources', async () => {
    await restart({ ...CONTACT, PUSH: 'off' });
    const shown = await capabilities();
    expect(shown).not.toHaveProperty([VAPID]);
    expect(shown[PUSH]).toEqual({
      lastEventIdParameter: 'lastEventId',
      descriptorHash: expect.any(String),
    });
    for (const name of ['PushSubscription/get', 'PushSubscription/set'])
      expect((await client.call(name, {}))[1]).toMatchObject({ type: 'unknownMethod' });
    expect((await client.call('Core/echo', { a: 1 }))[1]).toEqual({ a: 1 });
    const query = { types: '*', closeafter: 'state', ping: '0', lastEventId: 'of another server' };
    const stream = await EventStream.open(client, query);
    await stream.find(({ event }) => event === 'state');
  });

  it('SECRETS_KEY: a later one encrypts the VAPID key, another one is refused', async () => {
    await restart({ ...CONTACT, PUSH: 'on' });
    const { [VAPID]: key } = await capabilities();
    expect(key).toMatchObject({ applicationServerKey: expect.any(String) });
    await restart({ SECRETS_KEY: ONE });
    expect((await capabilities())[VAPID]).toEqual(key);
    await expect(restart({ SECRETS_KEY: OTHER })).rejects.toThrow(
      'the key that the VAPID key of the database was encrypted with',
    );
  });
});
