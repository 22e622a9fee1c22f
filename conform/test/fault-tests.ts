import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CHECKS, isOfPush, isOfSharing } from '../../test/conformance/checks.js';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { type Fixtures, makeFixtures } from '../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../test/support/server.js';
import { sharedProject } from '../../test/support/shared-project.js';
import type { Check } from '../src/check.js';
import type { TransportName } from '../src/client/connection.js';
import { bearer } from '../src/client/credentials.js';
import { WIRE, type Wire } from '../src/client/watching.js';
import type { Outcome } from '../src/outcome.js';
import { run } from '../src/run.js';
import { Server } from '../src/subject/server.js';
import { type Fault, FaultyProxy } from './proxy.js';

// A runner whose checks never fail shows nothing: a proxy does what a broken server would, one
// fault at a time.

/** In this order a check is tried until it applies. */
const TYPES = [
  'Gadget',
  'Single',
  'Crate',
  'Preferences',
  'Machine',
  'Bookmark',
  'Project',
  'Invoice',
  'Label',
  'Mail',
  'Folder',
  'Party',
  'Deal',
  'Box',
] as const;
const world = describedWorld(
  '../conformance/gadget.yaml',
  '../../examples/preferences.yaml',
  '../../examples/bookmarks.yaml',
  '../../examples/tracker.yaml',
  '../hooks/machines.yaml',
  '../hooks/invoices.yaml',
  '../shapes/letters.yaml',
  '../shapes/folders.yaml',
  '../values/party.yaml',
  '../language/deals.yaml',
  '../language/messages.yaml',
);

/** Calls that a request may have. */
const CALLS = 16;
/** ms that a broken server gets for what never comes. */
const IMPATIENT: Wire = { patience: 15_000 };

/**
 * Checks that a server with the usual limits can't be asked: test/conformance/limits.test.ts asks
 * another.
 */
const ELSEWHERE: ReadonlySet<string> = new Set(['blob-upload-size']);

interface FaultTests {
  readonly faults: readonly Fault[];
  readonly checks: readonly Check[];
  /** These must pass through a proxy that changes nothing. */
  readonly passing: readonly Check[];
}

/** Tests that these faults are noticed, each by each of the checks that it names. */
export function faultTests({ faults, checks, passing }: FaultTests): void {
  let real: RunningServer | undefined;
  let made: Fixtures | undefined;
  let proxy: FaultyProxy | undefined;

  beforeAll(async () => {
    real = await startServer({ project: await sharedProject() });
    made = await makeFixtures(real);
    proxy = await FaultyProxy.start(real.url);
  }, 600_000);

  afterAll(async () => {
    await proxy?.close();
    await real?.remove();
  });

  /**
   * Returns the outcome of a check for the first type that it applies to, with a fault or without.
   */
  async function tried(check: Check, fault: Fault | null): Promise<Outcome['status']> {
    if (proxy === undefined || made === undefined) throw new Error('Nothing was started.');
    const transport: TransportName = check.transport ?? 'http';
    const { u1, u2, u3 } = made;
    await emptied();
    const others = [bearer(u2.token), bearer(u3.token)];
    const options = {
      ...{ url: proxy.url, authorization: bearer(u1.token), others },
      ...{ transport, seed: 1, strict: true, wire: fault === null ? WIRE : IMPATIENT },
    };
    const server = await Server.connect(options);
    const progress = { planned: () => undefined, started: () => undefined, ended: () => undefined };
    try {
      proxy.fault = fault;
      for (const type of check.scope === 'type' ? TYPES : [TYPES[0]]) {
        const selection = { types: [type], checks: [check.id] };
        const outcomes = await run({ server, world, checks: ALL_CHECKS, selection }, progress);
        const [outcome] = outcomes;
        if (outcome !== undefined && outcome.status !== 'notApplicable') return outcome.status;
      }
      return 'notApplicable';
    } finally {
      proxy.fault = null;
      server.close();
    }
  }

  /** A fault may hide from the runner what it made. */
  async function emptied(): Promise<void> {
    if (made === undefined) return;
    const { u1, A1, A2 } = made;
    const types = [...world.values()].filter(({ type }) => !type.singleton);
    const using = ['urn:ietf:params:jmap:core', ...types.map(({ capability }) => capability)];
    const client = u1.with([...new Set(using)]);
    const all = [A1, A2].flatMap((accountId) =>
      types.map(({ type: { name } }) => ({ accountId, name })),
    );
    for (let from = 0; from < all.length; from += CALLS) {
      const some = all.slice(from, from + CALLS);
      const { methodResponses } = await client.api(
        some.map(({ accountId, name }, at) => [
          `${name}/get`,
          { accountId, ids: null, properties: ['id'] },
          String(at),
        ]),
      );
      for (const [at, { accountId, name }] of some.entries()) {
        const answer = methodResponses[at]?.[1] as { readonly list?: readonly { id: string }[] };
        const destroy = (answer.list ?? []).map(({ id }) => id);
        if (destroy.length > 0) await client.set(name, { accountId, destroy });
      }
    }
  }

  describe('through a proxy that changes nothing', () => {
    const here = passing.filter(
      (one) => !isOfPush(one) && !isOfSharing(one) && !ELSEWHERE.has(one.id),
    );
    for (const check of here)
      it(`${check.id} passes`, async () => {
        expect(await tried(check, null)).toBe('passed');
      });
  });

  describe('a server that is wrong', () => {
    for (const fault of faults)
      for (const check of checks.filter(({ id }) => fault.checks.includes(id)))
        it(`${fault.name}: ${check.id}`, async () => {
          expect(await tried(check, fault)).toBe('failed');
        });
  });
}
