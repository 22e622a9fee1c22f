import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, type People, startPeople } from '../../test/access/rules-rig.js';
import { isOfSharing } from '../../test/conformance/checks.js';
import { CHECKS } from '../src/checks/index.js';
import { bearer } from '../src/client/credentials.js';
import { WIRE, type Wire } from '../src/client/watching.js';
import { learnTypes } from '../src/learn.js';
import type { Outcome } from '../src/outcome.js';
import { run } from '../src/run.js';
import { Server } from '../src/subject/server.js';
import { quotaFaults } from './faults/quotas.js';
import { sharingFaults } from './faults/sharing.js';
import { type Fault, FaultyProxy } from './proxy.js';

/** Tests of the checks of quotas, principals and sharing, against a server of shared.yaml. */

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };
/** ms that a broken server gets for what never comes. */
const IMPATIENT: Wire = { patience: 2000 };

export const SHARING_FAULTS: readonly Fault[] = [...quotaFaults, ...sharingFaults];

/** The checks that no server of the other tests can pass: it has neither quotas nor shares. */
export const SHARING_IDS: readonly string[] = CHECKS.filter(isOfSharing).map(({ id }) => id);

/** Serves shared.yaml to two users behind a proxy, for the tests of a file. */
export function useSharing(url: () => Promise<string | null> = async () => null) {
  let people: People<'ada' | 'bob'> | undefined;
  let proxy: FaultyProxy | undefined;
  let root = '';
  let dataDir = '';
  beforeAll(async () => {
    const text = await readFile(new URL('shared.yaml', import.meta.url), 'utf8');
    root = await makeProject(text);
    dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-conform-sharing-'));
    const members = { ada: {}, bob: { given: 'nothing' } } as const;
    people = await startPeople(root, { url: await url(), dataDir }, members);
    proxy = await FaultyProxy.start(people.users.ada.client.url);
  }, 600_000);
  afterAll(async () => {
    await proxy?.close();
    await people?.close();
    for (const folder of [root, dataDir]) await rm(folder, { recursive: true, force: true });
  });

  /** Runs checks with a fault or without, for each type or for one. */
  return async (
    checks: readonly string[],
    fault: Fault | null,
    types?: readonly string[],
  ): Promise<readonly Outcome[]> => {
    if (people === undefined || proxy === undefined) throw new Error('Nothing was started.');
    const { ada, bob } = people.users;
    const wire = fault === null ? WIRE : IMPATIENT;
    const world = await learnWorld(proxy.url, ada.client.token);
    proxy.fault = fault;
    const server = await Server.connect({
      ...{ url: proxy.url, authorization: bearer(ada.client.token), seed: 1, strict: true, wire },
      others: [bearer(bob.client.token)],
    });
    try {
      const selection = { checks, types: types ?? ['TodoList', 'Slip'] };
      return await run({ server, world, checks: CHECKS, selection, warn: () => undefined }, IDLE);
    } finally {
      proxy.fault = null;
      server.close();
    }
  };
}

/** Learns the types of the server while it has no fault. */
async function learnWorld(url: string, token: string) {
  const server = await Server.connect({ url, authorization: bearer(token) });
  try {
    return await learnTypes(server, [], null);
  } finally {
    server.close();
  }
}

type Ran = ReturnType<typeof useSharing>;

/** Tests that all checks pass where nothing is wrong, and that each applies to a type. */
export function passTests(ran: Ran): void {
  it('every check of quotas, principals and sharing passes, and none is left out', async () => {
    const outcomes = await ran(SHARING_IDS, null);
    const failed = outcomes.filter(({ status }) => status === 'failed' || status === 'defect');
    expect(failed.map(({ check, type, failure }) => [check.id, type, failure?.message])).toEqual(
      [],
    );
    const passed = new Set(
      outcomes.filter(({ status }) => status === 'passed').map(({ check }) => check.id),
    );
    const reasons = outcomes.flatMap(({ check, reason }) =>
      passed.has(check.id) ? [] : [[check.id, reason]],
    );
    expect(reasons).toEqual([]);
  }, 300_000);
}

/** Tests that these checks notice the faults that name them. */
export function noticeTests(ran: Ran, ids: readonly string[]): void {
  describe('a server that is wrong', () => {
    for (const fault of SHARING_FAULTS)
      for (const id of fault.checks.filter((one) => ids.includes(one)))
        it(`${fault.name}: ${id}`, async () => {
          const outcomes = await ran([id], fault);
          expect(outcomes.map(({ status }) => status)).toContain('failed');
        }, 60_000);
  });
}
