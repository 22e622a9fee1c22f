import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { useFixtures } from '../../test/support/fixtures.js';
import { bearer } from '../src/client/credentials.js';
import { run } from '../src/run.js';
import type { World } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';
import type { Allowed } from './allowed.js';
import { type Fault, FaultyProxy } from './proxy.js';

// A proxy makes this server one that answers otherwise, as an RFC allows. The runner's checks take
// that, unless the run is strict or the server describes its types itself; the checks of this
// server's decisions don't.

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };

/**
 * Tests each row with each check that it names: what any server may do, and what this project
 * decided otherwise.
 */
export function allowedTests(allowed: readonly Allowed[], anywhere: readonly Fault[]): void {
  const { server, fixtures } = useFixtures({}, ['A2', 'AX', 'u2']);
  const world = describedWorld('../../capabilities/todos.yaml');
  const written: World = new Map(
    [...world].map(([name, one]) => [name, { ...one, isSelfDescribed: false }]),
  );
  let proxy: FaultyProxy | undefined;

  beforeAll(async () => {
    proxy = await FaultyProxy.start(server().url);
  });
  afterAll(() => proxy?.close());

  async function tried(id: string, fault: Fault, strict: boolean): Promise<readonly unknown[]> {
    if (proxy === undefined) throw new Error('Nothing was started.');
    const { u1, u2 } = fixtures();
    proxy.fault = fault;
    const others = [bearer(u2.token)];
    const options = { url: proxy.url, authorization: bearer(u1.token), others, seed: 1, strict };
    const connected = await Server.connect(options);
    try {
      const selection = { types: ['Todo'], checks: [id] };
      const plan = { server: connected, world: strict ? world : written, selection };
      const outcomes = await run({ ...plan, checks: ALL_CHECKS }, IDLE);
      return outcomes.map(({ status }) => status);
    } finally {
      connected.close();
      proxy.fault = null;
    }
  }

  describe('a server that', () => {
    for (const one of [...allowed, ...anywhere])
      for (const id of one.checks)
        it(`${one.name}: ${id} passes`, async () => {
          expect(await tried(id, one, false)).toEqual(['passed']);
        });
  });

  describe('a strict run against a server that', () => {
    for (const one of anywhere)
      for (const id of one.checks)
        it(`${one.name}: ${id} passes`, async () => {
          expect(await tried(id, one, true)).toEqual(['passed']);
        });
    for (const one of allowed)
      for (const id of one.decisions)
        it(`${one.name}: ${id} fails`, async () => {
          expect(await tried(id, one, true)).toEqual(['failed']);
        });
  });
}
