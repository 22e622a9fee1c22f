import { createECDH, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { makeAuthority } from '../../test/support/certificates.js';
import { type StartedJmapsmith, startJmapsmith } from '../start/jmapsmith.js';
import { ROOT } from '../start/processes.js';
import { MEMORY_FILE, MEMORY_OPTIONS } from './streams.js';
import { makeUsers, write } from './users.js';

/** Where a subscription leads: an address of the loopback, and a path of the push service there. */
export interface Endpoint {
  readonly host: string;
  readonly path: string;
}

/** A server, and a push service of this process that its subscriptions lead to. */
export interface PushScene {
  readonly server: StartedJmapsmith;
  readonly memoryFile: string;
  /** The port of the push service. */
  readonly port: number;
  /** The certificate to trust, a file. */
  readonly ca: string;
  /** Commits once; resolves to when the answer was there, epoch ms. */
  commit(): Promise<number>;
  /** Resolves when the push service has taken so many pushes in all, to the time of the last. */
  until(pushes: number): Promise<number>;
}

interface Count {
  readonly count: number;
  /** Epoch ms. */
  readonly lastAt: number;
}

/** Runs `measure` on a server whose subscriptions are verified, and were told of nothing yet. */
export async function onPushScene<T>(
  endpoints: readonly Endpoint[],
  measure: (scene: PushScene) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  const authority = makeAuthority();
  const sink = new Worker(new URL('./sink.mjs', import.meta.url), {
    workerData: authority.issue([...new Set(endpoints.map(({ host }) => host))]),
  });
  const port = await answerOf<number>(sink);
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, authority.ca);
  Object.assign(process.env, {
    ...{ PUSH_CA: ca, PUSH_ALLOW: '127.0.0.0/8', PUSH_CONTACT: 'mailto:bench@example.com' },
  });
  await mkdir(join(folder, 'data'));
  const memoryFile = join(folder, 'memory.json');
  process.env[MEMORY_FILE] = memoryFile;
  const options = { name: 'jmapsmith', folder, root: ROOT, nodeOptions: MEMORY_OPTIONS };
  let server = await startJmapsmith(options);
  try {
    const prisma = openPrismaStandalone(join(folder, 'data', 'jmap.db'));
    const { accountId, tokens } = await makeUsers(prisma, 1);
    const [token = ''] = tokens;
    const urls = endpoints.map(({ host, path }) => `https://${host}:${port}/${path}`);
    await subscribe(prisma, urls, token);
    await prisma.$disconnect();
    await server.stop();
    server = await startJmapsmith(options);
    return await measure({
      ...{ server, memoryFile, port, ca },
      async commit() {
        return performance.timeOrigin + (await write(server.url, token, accountId));
      },
      async until(pushes) {
        for (;;) {
          sink.postMessage('count');
          const { count, lastAt } = await answerOf<Count>(sink);
          if (count >= pushes) return lastAt;
          await pause(20);
        }
      },
    });
  } finally {
    await server.stop();
    await sink.terminate();
    await rm(folder, { recursive: true, force: true });
  }
}

function answerOf<T>(worker: Worker): Promise<T> {
  return new Promise((resolve) => worker.once('message', resolve));
}

/** Stores verified subscriptions: the limits of creations are not measured. */
async function subscribe(
  prisma: PrismaClient,
  urls: readonly string[],
  token: string,
): Promise<void> {
  const tokenId = token.split('_')[1] ?? '';
  const { userId } = await prisma.jmapToken.findUniqueOrThrow({ where: { id: tokenId } });
  const key = await prisma.jmapVapidKey.findFirst();
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  const now = BigInt(Date.now());
  await prisma.jmapPushSubscription.createMany({
    data: urls.map((url, n) => ({
      ...{ id: `p${String(n).padStart(8, '0')}`, tokenId, userId, deviceClientId: `device-${n}` },
      ...{ url, p256dh, auth, code: 'code', created: now, verified: now },
      expires: now + 86_400_000n,
      ...{ wrongCodes: 0n, failures: 0n, shard: n % 16, vapidKey: key?.id ?? null },
    })),
  });
}
