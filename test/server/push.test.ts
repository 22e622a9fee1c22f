import { describe, expect, it, onTestFinished } from 'vitest';
import { Client, CORE, PUSH, VAPID } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { type RunningServer, type ServerOptions, startServer } from '../support/server.js';

async function start(env: Readonly<Record<string, string>>, more: ServerOptions = {}) {
  const server = await startServer({ ...more, env });
  onTestFinished(() => server.remove());
  return server;
}

async function clientOf(server: RunningServer): Promise<Client> {
  const { token } = await makeUser(server);
  return new Client(server.url, token, [CORE]);
}

async function capabilitiesOf(client: Client): Promise<readonly string[]> {
  return Object.keys((await client.session())['capabilities'] as object);
}

const CONTACT = { PUSH_CONTACT: 'mailto:operator@example.com' };
const [ONE, OTHER] = [1, 2].map((octet) => Buffer.alloc(32, octet).toString('base64'));

describe('a server and push subscriptions', () => {
  it('PUSH=off takes their methods and capabilities away', async () => {
    const client = await clientOf(await start({ ...CONTACT, PUSH: 'off' }));
    const capabilities = await capabilitiesOf(client);
    for (const urn of [PUSH, VAPID]) expect(capabilities).not.toContain(urn);
    for (const name of ['PushSubscription/get', 'PushSubscription/set'])
      expect((await client.call(name, {}))[1]).toMatchObject({ type: 'unknownMethod' });
    expect((await client.call('Core/echo', { a: 1 }))[1]).toEqual({ a: 1 });
  });

  it('without a contact pushes are not signed, and the log says so', async () => {
    const server = await start({ LOG_LEVEL: 'info' });
    const capabilities = await capabilitiesOf(await clientOf(server));
    expect(capabilities).toContain(PUSH);
    expect(capabilities).not.toContain(VAPID);
    expect(server.stderr()).toContain('pushes are not signed: set PUSH_CONTACT');
  });

  it('SECRETS_KEY: a later one encrypts the VAPID key, another one is refused', async () => {
    const server = await start(CONTACT);
    const client = await clientOf(server);
    const keyOf = async (): Promise<unknown> =>
      ((await client.session())['capabilities'] as Record<string, object>)[VAPID];
    const key = await keyOf();
    const sealed = await server.restart({ SECRETS_KEY: ONE ?? '' });
    onTestFinished(() => sealed.remove());
    expect(await keyOf()).toEqual(key);
    await expect(sealed.restart({ SECRETS_KEY: OTHER ?? '' })).rejects.toThrow(
      'the key that the VAPID key of the database was encrypted with',
    );
  });
});
