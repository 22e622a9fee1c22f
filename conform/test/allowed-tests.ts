import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { useFixtures } from '../../test/support/fixtures.js';
import { bearer } from '../src/client/credentials.js';
import { run } from '../src/run.js';
import { Server } from '../src/subject/server.js';
import { withBody } from './faults/makers.js';
import { type Fault, FaultyProxy } from './proxy.js';

// What checks ask of our server alone they must not ask of another: a proxy makes this one another, which does what the
// RFC allows. The same of a server that says it is ours is a failure, unless nothing was decided of it here.

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };

const REFERENCE = 'urn:jmapsmith:reference';

/** Without what tells that it is ours. */
const disguised = (fault: Fault): Fault => ({
  ...fault,
  answer: (answer, request) => {
    const given = fault.answer?.(answer, request) ?? answer;
    if (request.method !== 'GET' || !given.body.includes(REFERENCE)) return given;
    return withBody(given, given.body.toString('utf8').replaceAll(REFERENCE, 'urn:other:x'));
  },
});

/** Tests each row with each check that it names: what another server may do, and what any may. */
export function allowedTests(allowed: readonly Fault[], anywhere: readonly Fault[]): void {
  const { server, fixtures } = useFixtures({}, ['A2', 'AX', 'u2']);
  const world = describedWorld('../../capabilities/todos.yaml');
  let proxy: FaultyProxy | undefined;

  beforeAll(async () => {
    proxy = await FaultyProxy.start(server().url);
  });
  afterAll(() => proxy?.close());

  async function tried(id: string, fault: Fault): Promise<readonly unknown[]> {
    if (proxy === undefined) throw new Error('Nothing was started.');
    const { u1, u2 } = fixtures();
    proxy.fault = fault;
    const others = [bearer(u2.token)];
    const options = { url: proxy.url, authorization: bearer(u1.token), others, seed: 1 };
    const connected = await Server.connect(options);
    try {
      const selection = { types: ['Todo'], checks: [id] };
      const outcomes = await run({ server: connected, world, checks: ALL_CHECKS, selection }, IDLE);
      return outcomes.map(({ status }) => status);
    } finally {
      connected.close();
      proxy.fault = null;
    }
  }

  describe.each([
    ['another server', allowed, 'failed'],
    ['any server', anywhere, 'passed'],
  ] as const)('%s that', (_, rows, ours) => {
    for (const one of rows)
      for (const id of one.checks)
        it(`${one.name}: ${id} passes`, async () => {
          expect(await tried(id, disguised(one))).toEqual(['passed']);
          expect(await tried(id, one)).toEqual([ours]);
        });
  });
}
