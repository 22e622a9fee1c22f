import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MethodResponse } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import type { Item, Json, JsonMap } from '../support/json.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { describedCases } from './cases/described.js';
import { describedWorld } from './descriptor.js';
import { collector, type Fault, FaultyClient, member, type Switch, sent } from './faults.js';
import { Suite } from './suite.js';

// A suite that never fails shows nothing. Each fault here is one that a server could have, and a case must fail by it.

const ids = (verb: string, name: string, change: (value: Json[]) => Json[]) =>
  member(verb, name, (value) => (Array.isArray(value) ? change(value) : value));
const renamed = (from: string, to: string) => (response: MethodResponse) =>
  JSON.parse(JSON.stringify(response).replaceAll(`"type":"${from}"`, `"type":"${to}"`)) as never;
const swapped = <T>([a, b, ...rest]: readonly T[]): T[] =>
  a === undefined || b === undefined ? [...rest] : [b, a, ...rest];

const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  Gadget: [
    {
      name: '/query ignores the filter',
      section: 'filters and sorts, as',
      request: sent('query', ({ filter: _, ...args }) => args),
    },
    {
      name: '/query ignores the sort',
      section: 'filters and sorts, as',
      request: sent('query', ({ sort: _, ...args }) => args),
    },
    {
      name: '/query leaves out a match',
      section: 'filters and sorts, as',
      answer: ids('query', 'ids', (list) => list.slice(0, -1)),
    },
    {
      name: '/query has two ids in the wrong order',
      section: 'filters and sorts, as',
      answer: ids('query', 'ids', swapped),
    },
    {
      name: '/query answers an undeclared filter',
      section: 'filters and sorts, as',
      answer: renamed('unsupportedFilter', 'invalidArguments'),
    },
    {
      name: '/queryChanges removes nothing',
      section: 'filters and sorts, as',
      answer: member('queryChanges', 'removed', () => []),
    },
    {
      name: '/queryChanges gives wrong indexes',
      section: 'filters and sorts, as',
      answer: ids('queryChanges', 'added', (list) =>
        list.map((one) => ({ ...(one as Item), index: 0 })),
      ),
    },
    {
      name: '/copy loses a property',
      section: 'filters and sorts, as',
      request: sent(
        'copy',
        (args) =>
          JSON.parse(
            JSON.stringify(args).replaceAll('"links":{}', '"links":{},"list":[]'),
          ) as JsonMap,
      ),
    },
    {
      name: 'blob references have no records',
      section: 'blobs, as',
      answer: member('lookup', 'list', (list) =>
        (list as JsonMap[]).map((one) => ({ ...one, matchedIds: { Gadget: [] } })),
      ),
    },
  ],
  Crate: [],
  Single: [],
};

let server: RunningServer | undefined;
let made: Fixtures | undefined;
const now: Switch = {};

beforeAll(async () => {
  server = await startServer({ project: await sharedProject() });
  const { A1, A2, AR, AN, AT, AX, unknownAccount, u1, u2, u3 } = await makeFixtures(server);
  made = { A1, A2, AR, AN, AT, AX, unknownAccount, u1: new FaultyClient(u1, now), u2, u3 };
}, 300_000);

afterAll(async () => {
  await server?.remove();
});

const world = describedWorld('gadget.yaml');
const fixtures = (): Fixtures => {
  if (made === undefined) throw new Error('Fixtures are there inside tests only.');
  return made;
};

for (const [type, faults] of Object.entries(FAULTS)) {
  const registrar = collector();
  const suite = new Suite(world, type, fixtures, registrar);
  describedCases(suite);

  it.each(faults)(`${type}: $name: a case of $section fails`, async (fault) => {
    await suite.prepare();
    const cases = registrar.cases.filter(({ title }) =>
      title.startsWith(`${type}: ${fault.section}`),
    );
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      now.fault = fault;
      const outcome = await one.run();
      now.fault = undefined;
      if (outcome !== 'failed') continue;
      // By the fault, not by something else: without it the same case passes.
      await suite.tidy();
      await suite.prepare();
      expect([one.title, await one.run()]).toEqual([one.title, 'passed']);
      return;
    }
    throw new Error(`${cases.length} cases took it for right.`);
  });
}
