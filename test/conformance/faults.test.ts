import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MethodResponse } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import type { Item, Json, JsonMap } from '../support/json.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { allCases } from './cases/all.js';
import { describedCases } from './cases/described.js';
import { describedWorld } from './descriptor.js';
import {
  accepted,
  collector,
  type Fault,
  FaultyClient,
  member,
  type Switch,
  sent,
  told,
  without,
} from './faults.js';
import { Suite } from './suite.js';

// A suite that never fails shows nothing. Each fault here is one that a server could have, and a case must fail by it.

const items = (change: (item: Item) => JsonMap) =>
  member('get', 'list', (list) => (list as Item[]).map(change));
const ids = (verb: string, name: string, change: (value: Json[]) => Json[]) =>
  member(verb, name, (value) => (Array.isArray(value) ? change(value) : value));
const renamed = (from: string, to: string) => (response: MethodResponse) =>
  JSON.parse(JSON.stringify(response).replaceAll(`"type":"${from}"`, `"type":"${to}"`)) as never;
/** Texts cut to a length, as by a column that is too short for what the descriptor allows. */
const cut = (length: number) => (args: JsonMap) =>
  JSON.parse(JSON.stringify(args), (_, value: unknown) =>
    typeof value === 'string' ? [...value].slice(0, length).join('') : value,
  ) as JsonMap;
const swapped = <T>([a, b, ...rest]: readonly T[]): T[] =>
  a === undefined || b === undefined ? [...rest] : [b, a, ...rest];

const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  Gadget: [
    {
      name: 'responses come in another order',
      section: 'C.',
      whole: (r) => ({ ...r, methodResponses: r.methodResponses.toReversed() }),
    },
    { name: 'call ids are not kept', section: 'C.', answer: ([name, args]) => [name, args, 'x'] },
    {
      name: 'an account out of reach is told apart',
      section: 'C.',
      answer: renamed('accountNotFound', 'forbidden'),
    },
    {
      name: 'unknown arguments are ignored',
      section: 'C.',
      request: ([name, args, id]) => [
        name,
        Object.fromEntries(Object.entries(args).filter(([key]) => key !== 'foo')),
        id,
      ],
    },
    { name: 'createdIds are not answered', section: 'F.', whole: ({ createdIds: _, ...r }) => r },
    {
      name: '/get leaves out a record',
      section: 'G.',
      answer: ids('get', 'list', (list) => list.slice(1)),
    },
    {
      name: '/get lists a record twice',
      section: 'G.',
      answer: ids('get', 'list', (list) => list.flatMap((one) => [one, one])),
    },
    {
      name: '/get leaves out what is null',
      section: 'G.',
      answer: items((item) =>
        Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)),
      ),
    },
    { name: '/get has no notFound', section: 'G.', answer: without('get', 'notFound') },
    {
      name: '/get shows an internal property',
      section: 'access, as',
      answer: items((item) => ({ ...item, cost: 0 })),
    },
    { name: '/get answers an old state', section: 'G.', answer: member('get', 'state', () => '0') },
    {
      name: '/changes leaves out a created id',
      section: 'H.',
      answer: ids('changes', 'created', (list) => list.slice(1)),
    },
    {
      name: '/changes leaves out a destroyed id',
      section: 'metamorphic',
      answer: ids('changes', 'destroyed', (list) => list.slice(1)),
    },
    {
      name: '/changes tells an update as a create',
      section: 'H.',
      answer: told('changes', (args) => ({
        ...args,
        created: [...((args['created'] ?? []) as Json[]), ...((args['updated'] ?? []) as Json[])],
        updated: [],
      })),
    },
    { name: '/changes has no newState', section: 'H.', answer: without('changes', 'newState') },
    {
      name: '/changes never has more',
      section: 'H.',
      answer: member('changes', 'hasMoreChanges', () => false),
    },
    {
      name: '/changes ignores maxChanges',
      section: 'H.',
      request: sent('changes', ({ maxChanges: _, ...args }) => args),
    },
    {
      name: '/set does not report defaults',
      section: 'I.',
      answer: member('set', 'created', (created) =>
        created === null
          ? null
          : Object.fromEntries(
              Object.entries(created as JsonMap).map(([key, value]) => [
                key,
                { id: (value as Item).id },
              ]),
            ),
      ),
    },
    { name: '/set has no newState', section: 'I.', answer: without('set', 'newState') },
    {
      name: '/set lists one of the bad properties',
      section: 'I.',
      answer: (response) =>
        JSON.parse(JSON.stringify(response), (key, value: Json) =>
          key === 'properties' && Array.isArray(value) ? value.slice(0, 1) : value,
        ) as MethodResponse,
    },
    {
      name: '/set reports no `updated`',
      section: 'J.',
      answer: member('set', 'updated', (updated) =>
        updated === null
          ? null
          : Object.fromEntries(Object.keys(updated as JsonMap).map((id) => [id, null])),
      ),
    },
    {
      name: '/set loses destroys',
      section: 'K.',
      request: sent('set', ({ destroy: _, ...args }) => args),
    },
    {
      name: '/set ignores ifInState',
      section: 'K.',
      request: sent('set', ({ ifInState: _, ...args }) => args),
    },
    {
      name: '/query ignores the limit',
      section: 'N.',
      request: sent('query', ({ limit: _, ...args }) => args),
    },
    {
      name: '/query counts one too many',
      section: 'N.',
      answer: member('query', 'total', (total) => Number(total) + 1),
    },
    {
      name: '/query tells a wrong position',
      section: 'N.',
      answer: member('query', 'position', (position) => Number(position) + 1),
    },
    {
      name: '/query can not calculate changes',
      section: 'N.',
      answer: member('query', 'canCalculateChanges', () => false),
    },
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
      name: '/queryChanges leaves out what was added',
      section: 'O.',
      answer: ids('queryChanges', 'added', (list) => list.slice(1)),
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
      name: '/queryChanges keeps the old state',
      section: 'O.',
      answer: told('queryChanges', (args) => ({
        ...args,
        newQueryState: args['oldQueryState'] ?? null,
      })),
    },
    {
      name: '/copy destroys the original',
      section: 'P.',
      request: sent('copy', (args) => ({ ...args, onSuccessDestroyOriginal: true })),
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
      name: 'texts are cut before they are long enough',
      section: 'values, as',
      request: sent('set', cut(199)),
    },
    {
      name: 'texts beyond the bound are cut in silence',
      section: 'values, as',
      request: sent('set', cut(200)),
    },
    {
      name: 'values that are wrong are taken',
      section: 'values, as',
      answer: accepted('invalidProperties'),
    },
    {
      name: 'an immutable property is changed',
      section: 'access, as',
      answer: accepted('invalidProperties'),
    },
    {
      name: 'the sent value of a server-set property is taken',
      section: 'access, as',
      request: sent(
        'set',
        (args) => JSON.parse(JSON.stringify(args).replaceAll('"count":5', '"count":0')) as JsonMap,
      ),
    },
    {
      name: 'pointers into objects are ignored',
      section: 'patches, as',
      request: sent('set', ({ update, ...args }) => ({
        ...args,
        update: Object.fromEntries(
          Object.entries((update ?? {}) as Record<string, JsonMap>).map(([id, patch]) => [
            id,
            Object.fromEntries(Object.entries(patch).filter(([key]) => !key.includes('/'))),
          ]),
        ),
      })),
    },
    {
      name: 'prefixes of pointers are taken',
      section: 'patches, as',
      answer: accepted('invalidPatch'),
    },
    {
      name: 'references to nothing are taken',
      section: 'references, as',
      answer: accepted('invalidProperties'),
    },
    {
      name: 'what is linked is destroyed',
      section: 'references, as',
      answer: renamed('objectIsLinked', 'forbidden'),
    },
    {
      name: 'what cascades or is unlinked is no change',
      section: 'references, as',
      answer: told('changes', (args) => ({ ...args, updated: [], destroyed: [] })),
    },
    {
      name: 'two objects share a unique value',
      section: 'unique, as',
      answer: accepted('alreadyExists'),
    },
    {
      name: 'the holder of a unique value is not told',
      section: 'unique, as',
      answer: (response) =>
        JSON.parse(
          JSON.stringify(response).replaceAll('"existingId"', '"other"'),
        ) as MethodResponse,
    },
    {
      name: 'a count stays',
      section: 'counts, as',
      answer: items((item) => ({ ...item, count: 0 })),
    },
    {
      name: 'a count moves without a change',
      section: 'counts, as',
      answer: ids('changes', 'updated', () => []),
    },
    {
      name: 'blob references have no records',
      section: 'blobs, as',
      answer: member('lookup', 'list', (list) =>
        (list as JsonMap[]).map((one) => ({ ...one, matchedIds: { Gadget: [] } })),
      ),
    },
  ],
  Crate: [
    {
      name: 'the count of objects has no limit',
      section: 'limits, as',
      answer: accepted('overQuota'),
    },
    {
      name: 'the octets of an object have no limit',
      section: 'limits, as',
      answer: accepted('tooLarge'),
    },
    {
      name: 'a method that was left out answers',
      section: 'C.',
      answer: (response) =>
        response[1]['type'] === 'unknownMethod' ? ['Crate/copy', {}, response[2]] : response,
    },
    {
      name: 'keys of two properties collide where one differs',
      section: 'unique, as',
      request: sent(
        'set',
        (args) => JSON.parse(JSON.stringify(args).replaceAll(/"row":\d+/g, '"row":1')) as JsonMap,
      ),
    },
    {
      name: 'cascades stop at another type',
      section: 'references, as',
      answer: ids('changes', 'destroyed', () => []),
    },
  ],
  Single: [
    {
      name: 'a singleton is missing until it is written',
      section: 'a singleton',
      answer: member('get', 'list', () => []),
    },
    { name: 'a singleton is created', section: 'a singleton', answer: accepted('singleton') },
    {
      name: 'updates are no changes',
      section: 'a singleton',
      answer: ids('changes', 'updated', () => []),
    },
    {
      name: 'bounds are not checked',
      section: 'values, as',
      answer: accepted('invalidProperties'),
    },
  ],
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
  allCases(suite);
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
