import { createECDH, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createAccount, createToken } from '../../src/accounts/index.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { until } from '../http/harness.js';
import { PushClient } from '../methods/push-subscription/rig.js';
import { CORE } from '../support/client.js';
import { startServer } from '../support/server.js';
import { makeIdentity, type Respond, startSink } from './webpush/sink.js';

const TODOS = 'urn:example:todos';
const MANY = 500;

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-push-'));
const { authority, certificate } = makeIdentity();
writeFileSync(join(folder, 'ca.pem'), authority.ca);
const take: Respond = (_, response) => response.writeHead(201).end();
let respond = take;
const sink = await startSink((request, response) => respond(request, response), certificate);

afterAll(async () => {
  await sink.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  respond = take;
});

/** Returns how many requests came to a path. */
function countTo(path: string): number {
  return sink.received.filter((request) => request.path === path).length;
}

/** A server on SQLite, its database, and a client that writes to-dos. */
async function start() {
  const env = {
    PUSH_CONTACT: 'mailto:operator@example.com',
    PUSH_ALLOW: '127.0.0.0/8',
    PUSH_CA: join(folder, 'ca.pem'),
  };
  const server = await startServer({ env });
  onTestFinished(() => server.remove());
  const prisma = openPrismaStandalone(join(server.dataDir, 'jmap.db'));
  onTestFinished(() => prisma.$disconnect());
  const ids = createIdGenerator();
  const accountId = await createAccount(prisma, ids, { name: 'A', user: 'alice' });
  const token = await createToken(prisma, ids, { user: 'alice' });
  const client = new PushClient(server.url, token, 'alice', [CORE, TODOS]);
  const write = () => client.ok('Todo/set', { accountId, create: { k: { text: 'x' } } });
  return { server, prisma, client, write };
}

it('RFC 8620 7.2.2: a verification is sent once, whatever its answer, over a restart', async () => {
  const { server, prisma, client, write } = await start();
  // The connection of the first is kept, and might serve the others.
  const paths = ['/fine', '/failing', '/reset', '/silent'];
  respond = ({ path }, response) => {
    if (path === '/reset') response.socket?.destroy();
    else if (path !== '/silent') response.writeHead(path === '/fine' ? 201 : 500).end();
  };
  for (const path of paths) {
    const { id } = await client.subscribe({ url: sink.url(path).href });
    await until(async () => {
      const row = await prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } });
      return row.lastSuccess !== null || row.lastFailure !== null;
    });
  }
  respond = take;
  await write();
  const again = await server.restart();
  onTestFinished(() => again.remove());
  await write();
  const { id } = await client.subscribe({ url: sink.url('/later').href });
  const verificationCode = (await prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } }))
    .code;
  await client.change({ update: { [id]: { verificationCode } } });
  await write();
  await until(() => countTo('/later') === 2);
  expect(paths.map(countTo)).toEqual([1, 1, 1, 1]);
});

it('a push that waited for want of a contact goes out when a start has one again', async () => {
  const { server, prisma, client, write } = await start();
  const { id } = await client.subscribe({ url: sink.url('/signed').href });
  await until(() => countTo('/signed') === 1);
  const { code } = await prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } });
  await client.change({ update: { [id]: { verificationCode: code } } });
  const unsigned = await server.restart({ PUSH_CONTACT: '' });
  onTestFinished(() => unsigned.remove());
  await write();
  const reason = async () =>
    (await prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } })).lastFailureReason;
  await until(async () => (await reason()) === 'unsigned');
  // Its wait is one of minutes by now.
  const notBefore = BigInt(Date.now() + 3_600_000);
  await unsigned.stop();
  await prisma.jmapPushSubscription.update({ where: { id }, data: { notBefore } });
  const signed = await unsigned.restart({ PUSH_CONTACT: 'mailto:operator@example.com' });
  onTestFinished(() => signed.remove());
  await until(() => countTo('/signed') === 2);
});

it('RFC 8620 8.6: creations of the last hour count over a restart', async () => {
  const { server, client } = await start();
  for (let n = 0; n < 9; n += 1) {
    const { id } = await client.subscribe({ url: sink.url('/often').href });
    await client.change({ destroy: [id] });
  }
  const again = await server.restart();
  onTestFinished(() => again.remove());
  await client.subscribe({ url: sink.url('/often').href });
  expect((await client.refused({ url: sink.url('/often').href })).type).toBe('rateLimit');
});

it(`a stop with ${MANY} pushes that hang or wait is an end; the next start tells all`, async () => {
  const { server, prisma, client, write } = await start();
  const { userId } = await prisma.jmapToken.findUniqueOrThrow({ where: { id: client.tokenId } });
  const now = BigInt(Date.now());
  const key = await prisma.jmapVapidKey.findFirst();
  await prisma.jmapPushSubscription.createMany({
    data: Array.from({ length: MANY }, (_, n) => ({
      ...{ id: `p${n}`, tokenId: client.tokenId, userId, deviceClientId: `d${n}` },
      ...{ url: sink.url(`/of/${n}`).href, code: 'code', created: now, verified: now },
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
      ...{ expires: now + 86_400_000n, wrongCodes: 0n, failures: 0n, shard: n % 16 },
      vapidKey: key?.id ?? null,
    })),
  });
  await write();
  const silent: Respond = () => undefined;
  respond = silent;
  const hanging = await server.restart();
  onTestFinished(() => hanging.remove());
  await until(() => sink.received.some(({ path }) => path.startsWith('/of/')));
  respond = take;
  // The contract: it ends within ten seconds, by itself.
  const again = await hanging.restart();
  onTestFinished(() => again.remove());
  expect(hanging.stderr()).toBe('');
  const pathsOfPushes = (): number =>
    new Set(sink.received.map(({ path }) => path).filter((path) => path.startsWith('/of/'))).size;
  await until(() => pathsOfPushes() === MANY);
  await until(
    async () => (await prisma.jmapPushSubscription.count({ where: { told: null } })) === 0,
  );
});
