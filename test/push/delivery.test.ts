import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { revokeAccess, revokeToken } from '../../src/accounts/index.js';
import { until } from '../http/harness.js';
import { type PushClient, usePush } from '../methods/push-subscription/rig.js';
import { CORE } from '../support/client.js';
import { usePostgresql } from '../support/postgresql.js';
import { metric } from './push-servers.js';
import { makeReceiver } from './webpush/receiver.js';
import { makeIdentity, type Received, type Respond, startSink } from './webpush/sink.js';

const TODOS = 'urn:example:todos';
const VAPID = 'urn:ietf:params:jmap:webpush-vapid';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-push-'));
const { authority, certificate } = makeIdentity();
writeFileSync(join(folder, 'ca.pem'), authority.ca);

let respond: Respond = (_, response) => response.writeHead(201).end();
const sink = await startSink((request, response) => respond(request, response), certificate);

afterAll(async () => {
  await sink.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  respond = (_, response) => response.writeHead(201).end();
});

/** Returns what came to a path, parsed. */
function receivedAt(path: string): Record<string, unknown>[] {
  return requestsTo(path).map(({ body }) => JSON.parse(body.toString()) as never);
}

function requestsTo(path: string): Received[] {
  return sink.received.filter((request) => request.path === path);
}

async function verify(client: PushClient, path: string): Promise<string> {
  await until(() => requestsTo(path).length > 0);
  const [verification = {}] = receivedAt(path);
  const { pushSubscriptionId: id, verificationCode } = verification as Record<string, string>;
  await client.change({ update: { [id ?? '']: { verificationCode } } });
  return id ?? '';
}

let paths = 0;

async function subscribed(client: PushClient, more: object = {}) {
  paths += 1;
  const path = `/device/${paths}`;
  const { id } = await client.subscribe({ url: sink.url(path).href, ...more });
  return { path, id: id as string };
}

/** Creates a Todo; resolves to the account and the new state. */
async function write({ url, token }: PushClient) {
  const session = (await (
    await fetch(`${url}/.well-known/jmap`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as { primaryAccounts: Record<string, string>; state: string };
  const accountId = session.primaryAccounts[TODOS] ?? '';
  const response = await fetch(`${url}/jmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      using: [CORE, TODOS],
      methodCalls: [['Todo/set', { accountId, create: { k: { text: 'x' } } }, 's']],
    }),
  });
  const { methodResponses } = (await response.json()) as {
    methodResponses: [[string, { newState: string }, string]];
  };
  return { accountId, state: methodResponses[0][1].newState };
}

describe.each(['SQLite', 'PostgreSQL'])('pushes to subscriptions, on %s', (database) => {
  const postgresql = usePostgresql();
  const rig = usePush(database, postgresql, {
    PUSH_CA: join(folder, 'ca.pem'),
    // Nothing listens there: the server must not ask it.
    ...{ HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' },
    NODE_USE_ENV_PROXY: '1',
  });

  it('RFC 8620 7.2.2: a verification comes at once, and nothing else before', async () => {
    const client = await rig().client();
    const { path, id } = await subscribed(client);
    await until(() => requestsTo(path).length === 1);
    const [request] = requestsTo(path);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      ttl: '3600',
      authorization: expect.stringMatching(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=[\w-]{87}$/),
    });
    expect(receivedAt(path)).toEqual([
      {
        '@type': 'PushVerification',
        pushSubscriptionId: id,
        verificationCode: await rig().codeOf(id),
      },
    ]);
    await write(client);
    await write(client);
    // Changes from before the verification are told after it.
    const last = await write(client);
    expect(requestsTo(path)).toHaveLength(1);
    await verify(client, path);
    await until(() => requestsTo(path).length === 2);
    expect(receivedAt(path)[1]).toEqual({
      '@type': 'StateChange',
      changed: { [last.accountId]: { Todo: last.state } },
    });
    expect(requestsTo(path)[1]?.headers).toMatchObject({
      ttl: '86400',
      urgency: 'normal',
      topic: expect.stringMatching(/^[\w-]{1,32}$/),
    });
  });

  it('the code may be given before the create is answered, and changes merge', async () => {
    const client = await rig().client();
    const { path, id } = await subscribed(client);
    await verify(client, path);
    let last = await write(client);
    for (let n = 0; n < 20; n += 1) last = await write(client);
    await until(() => JSON.stringify(receivedAt(path).at(-1)).includes(`"${last.state}"`));
    expect(requestsTo(path).length).toBeLessThan(8);
    await client.change({ destroy: [id] });
    const before = requestsTo(path).length;
    await write(client);
    const { list } = await client.read();
    expect([list, requestsTo(path).length]).toEqual([[], before]);
  });

  it('RFC 8620 7.2.3: the code may be used before the service has answered', async () => {
    const client = await rig().client();
    const verified: Promise<{ updated: object | null }>[] = [];
    respond = ({ body }, response) => {
      const { '@type': type, pushSubscriptionId: id, verificationCode } = JSON.parse(String(body));
      const answer = (): void => void response.writeHead(201).end();
      if (type !== 'PushVerification') return answer();
      const update = { [id]: { verificationCode } };
      const verifying = client.change({ update });
      verified.push(verifying);
      void verifying.then(answer);
    };
    const { path, id } = await subscribed(client);
    await until(() => verified.length === 1);
    expect((await verified[0])?.updated).toHaveProperty(id);
    const { accountId, state } = await write(client);
    await until(() => requestsTo(path).length === 2);
    expect(receivedAt(path)[1]).toMatchObject({ changed: { [accountId]: { Todo: state } } });
  });

  it('metrics tell how long the oldest change waits', async () => {
    const client = await rig().client();
    const { path } = await subscribed(client);
    await verify(client, path);
    const oldest = () => metric(rig().server, 'jmap_push_oldest_pending_seconds');
    await until(async () => (await oldest()) === 0);
    const answers: (() => void)[] = [];
    respond = (_, response) => answers.push(() => response.writeHead(201).end());
    await write(client);
    await until(() => requestsTo(path).length === 2);
    const soon = await oldest();
    expect(soon).toBeGreaterThan(0);
    await until(async () => (await oldest()) > soon);
    respond = (_, response) => response.writeHead(201).end();
    for (const answer of answers) answer();
    await until(async () => (await oldest()) === 0);
  });

  it('one with the types [] is verified, and pushed to never', async () => {
    const client = await rig().client();
    const none = await subscribed(client, { types: [] });
    const all = await subscribed(client);
    for (const { path } of [none, all]) await verify(client, path);
    await write(client);
    await until(() => requestsTo(all.path).length === 2);
    // A change of its types counts from then on.
    expect(requestsTo(none.path)).toHaveLength(1);
    await client.change({ update: { [none.id]: { types: ['Todo'] } } });
    const { accountId, state } = await write(client);
    const told = { changed: { [accountId]: { Todo: state } } };
    await until(() => JSON.stringify(receivedAt(none.path)).includes(`"${state}"`));
    expect(receivedAt(none.path).at(-1)).toMatchObject(told);
  });

  it('one of a token that may only read is told; one without accounts is not', async () => {
    const client = await rig().client();
    const reading = await rig().client({ user: client.user, readOnly: true });
    const watched = await subscribed(reading);
    const bare = await rig().client();
    const { prisma } = rig();
    const owner = await prisma.jmapUser.findUniqueOrThrow({ where: { name: bare.user } });
    const own = await prisma.jmapAccount.findFirstOrThrow({ where: { ownerId: owner.id } });
    await revokeAccess(prisma, own.id, bare.user);
    const empty = await subscribed(bare);
    await verify(reading, watched.path);
    await verify(bare, empty.path);
    const { accountId, state } = await write(client);
    await until(() => requestsTo(watched.path).length === 2);
    expect(receivedAt(watched.path)[1]).toMatchObject({
      changed: { [accountId]: { Todo: state } },
    });
    expect(requestsTo(empty.path)).toHaveLength(1);
  });

  it('one that has expired is pushed to no more', async () => {
    const client = await rig().client();
    const [ended, other] = [await subscribed(client), await subscribed(client)];
    for (const { path } of [ended, other]) await verify(client, path);
    const { prisma } = rig();
    const where = { id: ended.id };
    await prisma.jmapPushSubscription.update({ where, data: { expires: 1n } });
    await write(client);
    await until(() => requestsTo(other.path).length === 2);
    await write(client);
    await until(() => requestsTo(other.path).length === 3);
    expect(requestsTo(ended.path)).toHaveLength(1);
  });

  it('one that has expired is served no more once its client has looked', async () => {
    const client = await rig().client();
    const { path, id } = await subscribed(client);
    await verify(client, path);
    const served = () => metric(rig().server, 'jmap_push_subscriptions');
    // It is served by then, and counted.
    await write(client);
    await until(() => requestsTo(path).length === 2);
    const before = await served();
    const { prisma } = rig();
    await prisma.jmapPushSubscription.update({ where: { id }, data: { expires: 1n } });
    expect((await client.ok('PushSubscription/get', { ids: null }))['list']).toEqual([]);
    await until(async () => (await served()) < before);
  });

  it('RFC 8291: with keys all is encrypted, and the key of the session signs it', async () => {
    const client = await rig().client();
    const receiver = makeReceiver();
    const { path } = await subscribed(client, { keys: receiver.texts });
    await until(() => requestsTo(path).length === 1);
    const [request] = requestsTo(path);
    expect(request?.headers['content-encoding']).toBe('aes128gcm');
    const verification = JSON.parse(receiver.read(request?.body ?? Buffer.of())) as Record<
      string,
      string
    >;
    const session = (await (
      await fetch(`${client.url}/.well-known/jmap`, {
        headers: { authorization: `Bearer ${client.token}` },
      })
    ).json()) as { capabilities: Record<string, { applicationServerKey: string }> };
    const { applicationServerKey = '' } = session.capabilities[VAPID] ?? {};
    expect(request?.headers.authorization).toContain(`k=${applicationServerKey}`);
    const { pushSubscriptionId: id = '', verificationCode } = verification;
    await client.change({ update: { [id]: { verificationCode } } });
    const { accountId, state } = await write(client);
    await until(() => requestsTo(path).length === 2);
    const body = requestsTo(path)[1]?.body ?? Buffer.of();
    expect(JSON.parse(receiver.read(body))).toEqual({
      '@type': 'StateChange',
      changed: { [accountId]: { Todo: state } },
    });
  });

  it('types: an empty list is never pushed to, and added ones are told at once', async () => {
    const client = await rig().client();
    const { accountId, state } = await write(client);
    const none = await subscribed(client, { types: [] });
    const notes = await subscribed(client, { types: ['Note'] });
    const todos = await subscribed(client, { types: ['Todo'] });
    for (const { path } of [none, notes, todos]) await verify(client, path);
    await client.change({ update: { [notes.id]: { types: ['Note', 'Todo'] } } });
    await until(() => requestsTo(notes.path).length === 2);
    const changed = { [accountId]: { Todo: state } };
    expect(receivedAt(notes.path)[1]).toEqual({ '@type': 'StateChange', changed });
    await write(client);
    await until(() => requestsTo(todos.path).length === 2);
    expect(requestsTo(none.path)).toHaveLength(1);
    for (const { id } of [none, notes, todos]) await client.change({ destroy: [id] });
  });

  it('a service that answers 410 is asked no more, and a failure is noted', async () => {
    const client = await rig().client();
    const gone = await subscribed(client);
    await verify(client, gone.path);
    const failing = await subscribed(client);
    await verify(client, failing.path);
    respond = ({ path }, response) =>
      void response.writeHead(path === gone.path ? 410 : 500).end('sorry');
    await write(client);
    await until(async () => {
      const { list } = await client.read();
      return list.length === 1;
    });
    const reporting = await rig().client({ user: client.user });
    expect((await reporting.read()).list).toEqual([]);
    await until(async () => {
      const row = await rig().prisma.jmapPushSubscription.findUnique({
        where: { id: failing.id },
      });
      return row?.lastFailureReason === 'status-500';
    });
    const count = requestsTo(gone.path).length;
    await write(client);
    expect(requestsTo(gone.path).length).toBe(count);
  });

  it('RFC 8620 7.2: a revoked token has its subscriptions end with it', async () => {
    const client = await rig().client();
    const { path } = await subscribed(client);
    await verify(client, path);
    const other = await rig().client({ user: client.user });
    await revokeToken(rig().prisma, client.tokenId);
    expect(
      await rig().prisma.jmapPushSubscription.count({ where: { tokenId: client.tokenId } }),
    ).toBe(0);
    const before = requestsTo(path).length;
    await write(other);
    const watched = await subscribed(other);
    await verify(other, watched.path);
    await write(other);
    await until(() => requestsTo(watched.path).length > 1);
    expect(requestsTo(path).length).toBe(before);
  });

  it('metrics tell how pushes went, and name nobody', async () => {
    const text = await (await fetch(`${rig().server.url}/metrics`)).text();
    expect(text).toMatch(/^jmap_pushes_total\{result="delivered"\} [1-9]/m);
    expect(text).toMatch(/^jmap_pushes_total\{result="gone"\} 1$/m);
    expect(text).toMatch(/^jmap_push_verifications_total\{result="delivered"\} [1-9]/m);
    expect(text).toMatch(/^jmap_push_receivers\{channel="subscription"\} [1-9]/m);
    expect(text).toMatch(/^jmap_push_receivers\{channel="websocket"\} 0$/m);
    expect(text).toMatch(/^jmap_push_shards 16$/m);
    expect(text).toMatch(/^jmap_push_listening 1$/m);
    expect(text).not.toContain(sink.url('').host);
  });
});
