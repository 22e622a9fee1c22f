import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Check } from '../../conform/src/check.js';
import { bearer } from '../../conform/src/client/credentials.js';
import { asMap } from '../../conform/src/client/json.js';
import { makeKeys } from '../../conform/src/push/decrypt.js';
import { PushSink } from '../../conform/src/push/sink.js';
import { run } from '../../conform/src/run.js';
import { Server } from '../../conform/src/subject/server.js';
import { makeAuthority } from '../support/certificates.js';
import type { Client } from '../support/client.js';
import { useFixtures } from '../support/fixtures.js';
import { ALL_CHECKS, isOfPush } from './checks.js';
import { describedWorld } from './descriptor.js';

// RFC 8620 7.2: the checks of push subscriptions, with a sink that this server may reach.

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };
const world = describedWorld('../../capabilities/todos.yaml', '../../capabilities/notes.yaml');
const authority = makeAuthority();
let folder = '';
let sink: PushSink;

const { server: served, fixtures } = useFixtures(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  await writeFile(join(folder, 'ca.pem'), authority.ca);
  return {
    env: {
      PUSH_ALLOW: '127.0.0.0/8',
      PUSH_CA: join(folder, 'ca.pem'),
      PUSH_CONTACT: 'mailto:operator@example.com',
    },
  };
}, ['u2']);

beforeAll(async () => {
  const certificate = authority.issue(['127.0.0.1']);
  sink = await PushSink.start({ url: 'https://127.0.0.1:0/', port: 0, certificate });
});
afterAll(async () => {
  sink.close();
  await rm(folder, { recursive: true });
});

/** Runs checks as a user, of which none may fail. Returns the ids of those that passed. */
async function ran(
  checks: readonly Check[],
  user: Client,
  other: Client,
): Promise<readonly string[]> {
  const server = await Server.connect({
    ...{ url: user.url, authorization: bearer(user.token), others: [bearer(other.token)] },
    ...{ strict: true, wire: { patience: 20_000 }, sink },
  });
  try {
    const selection = { types: ['Todo', 'Note'] };
    const outcomes = await run({ server, world, checks, selection }, IDLE);
    const failed = outcomes.filter(({ status }) => status === 'failed' || status === 'defect');
    expect(failed.map(({ check, failure }) => [check.id, failure])).toEqual([]);
    return outcomes.flatMap(({ check, status }) => (status === 'passed' ? [check.id] : []));
  } finally {
    server.close();
  }
}

it('RFC 8620 7.2: push subscriptions conform', async () => {
  const checks = ALL_CHECKS.filter(isOfPush);
  // They wait for what should not come: two users at a time wait less.
  const isOfKeys = ({ id }: Check): boolean => /encrypted|expired/.test(id);
  const { u1, u2 } = fixtures();
  const passed = await Promise.all([
    ran(checks.filter(isOfKeys), u1, u2),
    ran(
      checks.filter((one) => !isOfKeys(one)),
      u2,
      u1,
    ),
  ]);
  expect(passed.flat().sort()).toEqual(checks.map(({ id }) => id).sort());
});

it('RFC 8620 7.2: nothing of a destroyed subscription stays in the database', async () => {
  const { u1 } = fixtures();
  const url = 'https://127.0.0.1:49151/erased';
  const keys = makeKeys().told;
  const create = { k: { deviceClientId: 'd', url, keys } };
  const made = await u1.ok('PushSubscription/set', { create });
  const { id } = asMap(asMap(made['created'])['k']);
  const read = async (): Promise<readonly boolean[]> => {
    const { dataDir } = served();
    const names = (await readdir(dataDir)).filter((name) => name.startsWith('jmap.db'));
    const files = await Promise.all(names.map((name) => readFile(join(dataDir, name))));
    return [url, keys.p256dh, keys.auth].map((text) => files.some((file) => file.includes(text)));
  };
  expect(await read()).toEqual([true, true, true]);
  await u1.ok('PushSubscription/set', { destroy: [id] });
  await served().stop();
  expect(await read()).toEqual([false, false, false]);
});
