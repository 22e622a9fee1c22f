import { createECDH, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { makeAuthority } from '../../test/support/certificates.js';
import { startJmapsmith } from '../start/jmapsmith.js';
import { ROOT, run } from '../start/processes.js';
import { processorOf } from './streams.js';
import { makeUsers, write } from './users.js';

const ROUNDS = 5;
/** The server pushes to a subscription once a second at most. */
const THROTTLE = 1200;
/** The server has so many to one host at most (src/push/webpush/host-lanes.ts). */
const CONNECTIONS = 8;

interface Count {
  readonly count: number;
  /** Epoch ms. */
  readonly lastAt: number;
}

/** Measures encrypted pushes to a push service of this process, of one commit to all. */
export async function measureDelivery(
  pushes: number,
): Promise<readonly (readonly [string, string, string])[]> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  const authority = makeAuthority();
  const sink = new Worker(new URL('./sink.mjs', import.meta.url), {
    workerData: authority.issue(['127.0.0.1']),
  });
  const port = await answerOf<number>(sink);
  await writeFile(join(folder, 'ca.pem'), authority.ca);
  Object.assign(process.env, {
    PUSH_CA: join(folder, 'ca.pem'),
    PUSH_ALLOW: '127.0.0.0/8',
    PUSH_CONTACT: 'mailto:bench@example.com',
  });
  await mkdir(join(folder, 'data'));
  const options = { name: 'jmapsmith', folder, root: ROOT, nodeOptions: [] };
  let server = await startJmapsmith(options);
  const prisma = openPrismaStandalone(join(folder, 'data', 'jmap.db'));
  const { accountId, tokens } = await makeUsers(prisma, 1);
  const [token = ''] = tokens;
  await subscribe(prisma, { count: pushes, token, url: `https://127.0.0.1:${port}/` });
  await prisma.$disconnect();
  await server.stop();
  server = await startJmapsmith(options);
  /** Resolves when each has so many pushes, to the time of the last. */
  const until = async (round: number): Promise<number> => {
    for (;;) {
      sink.postMessage('count');
      const { count, lastAt } = await answerOf<Count>(sink);
      if (count >= pushes * round) return lastAt;
      await pause(20);
    }
  };
  try {
    // At the start each is told all that there is: it was told nothing.
    await until(1);
    let took = 0;
    const spent = await processorOf(server, async () => {
      for (let round = 2; round < 2 + ROUNDS; round += 1) {
        await pause(THROTTLE);
        const begun = performance.timeOrigin + performance.now();
        await write(server.url, token, accountId);
        took += (await until(round)) - begun;
      }
    });
    const all = pushes * ROUNDS;
    const bare = await pushBare(port, all, join(folder, 'ca.pem'));
    const rate = (ms: number): string => `${((all * 1000) / ms).toFixed(0)} a second`;
    const each = (us: number): string => `${(us / all / 1000).toFixed(2)} ms`;
    return [
      [`encrypted pushes of one commit to ${pushes}`, rate(took), '800'],
      ['processor time of one', each(spent), '1 ms'],
      ['the same many without a server: a library and bare requests', rate(bare.took), ''],
      ['processor time of one', each(bare.spent), ''],
    ];
  } finally {
    await server.stop();
    await sink.terminate();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures how long bare pushes take (bare.mjs), ms, and their processor time, microseconds. */
async function pushBare(
  port: number,
  count: number,
  ca: string,
): Promise<{ readonly took: number; readonly spent: number }> {
  const script = fileURLToPath(new URL('./bare.mjs', import.meta.url));
  const figures = await run([script, String(port), String(count), String(CONNECTIONS), ca]);
  return JSON.parse(figures);
}

function answerOf<T>(worker: Worker): Promise<T> {
  return new Promise((resolve) => worker.once('message', resolve));
}

/** Stores verified subscriptions: the limits of creations are not measured. */
async function subscribe(
  prisma: PrismaClient,
  { count, token, url }: { readonly count: number; readonly token: string; readonly url: string },
): Promise<void> {
  const tokenId = token.split('_')[1] ?? '';
  const { userId } = await prisma.jmapToken.findUniqueOrThrow({ where: { id: tokenId } });
  const key = await prisma.jmapVapidKey.findFirst();
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  const now = BigInt(Date.now());
  await prisma.jmapPushSubscription.createMany({
    data: Array.from({ length: count }, (_, n) => ({
      ...{ id: `p${String(n).padStart(8, '0')}`, tokenId, userId, deviceClientId: `device-${n}` },
      ...{ url: `${url}${n}`, p256dh, auth, code: 'code', created: now, verified: now },
      expires: now + 86_400_000n,
      ...{ wrongCodes: 0n, failures: 0n, shard: n % 16, vapidKey: key?.id ?? null },
    })),
  });
}
