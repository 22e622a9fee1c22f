import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { conformance } from './cases/all.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

// A capability whose logic is in a hook file: generated, built and served as a team would.
const MACHINES = 'https://example.com/jmap/machines';

let server: RunningServer | undefined;
let made: Fixtures | undefined;
let client: Client;
let accountId: string;

beforeAll(async () => {
  server = await startServer({ project: await sharedProject(), env: { HOOK_TIMEOUT: '1s' } });
  made = await makeFixtures(server);
  client = made.u1.with([CORE, MACHINES]);
  accountId = made.A1;
}, 600_000);

afterAll(async () => {
  await server?.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

async function call(name: string, args: object = {}): Promise<Json> {
  const [answered, response] = await client.call(name, { accountId, ...args });
  return answered === name ? response : { error: response['type'], ...response };
}

const titles = async (): Promise<string[]> =>
  (await call('Machine/get', { ids: null })).list.map(({ title }: Json) => title).sort();

test('RFC 8620 5.3: reports show computed properties, and never internal ones', async () => {
  const { created } = await call('Machine/set', { create: { a: { title: 'Big Press' } } });
  expect(created.a.slug).toBe('big-press');
  expect(created.a).not.toHaveProperty('cost');
  const update = { [created.a.id]: { title: 'Small Press' } };
  const { updated } = await call('Machine/set', { update });
  expect(updated[created.a.id].slug).toBe('small-press');
  const { list } = await call('Machine/get', { ids: [created.a.id] });
  expect(list[0]).not.toHaveProperty('cost');
});

test('RFC 8620 5.3: check refuses one object; inTransaction writes another type', async () => {
  const since = (await call('Entry/get', { ids: [] })).state;
  const create = { a: { title: 'Lathe' }, b: { title: 'forbidden' } };
  const { created, notCreated } = await call('Machine/set', { create });
  expect(Object.keys(created)).toEqual(['a']);
  expect(notCreated.b.type).toBe('forbidden');
  const changes = await call('Entry/changes', { sinceState: since });
  expect(changes.created).toHaveLength(1);
  const { list } = await call('Entry/get', { ids: changes.created });
  expect(list[0]).toMatchObject({ machineId: created.a.id, what: 'Lathe' });
});

test('a hook that throws or takes too long undoes its call and nothing else', async () => {
  const before = await titles();
  for (const title of ['throw', 'slow']) {
    const answer = await call('Machine/set', { create: { a: { title } } });
    expect(answer.error).toBe('serverFail');
    expect(answer.description).not.toContain('secret');
    if (title === 'slow') expect(answer.description).toContain('HOOK_TIMEOUT');
  }
  expect(await titles()).toEqual(before);
});

test('an own method answers, writes, refuses, and undoes an illegal response', async () => {
  const before = await titles();
  for (const [mode, error] of [
    ['refuse', 'forbidden'],
    ['wrong', 'serverFail'],
    ['throw', 'serverFail'],
    ['slow', 'serverFail'],
  ])
    expect((await call('Machine/rebuild', { title: 'X', mode })).error).toBe(error);
  expect(await titles()).toEqual(before);
  expect(await call('Machine/rebuild', { title: 'Anew' })).toEqual({ accountId, rebuilt: 1 });
  expect(await titles()).toContain('Anew');
  expect((await call('Machine/rebuild', { title: 3 })).error).toBe('invalidArguments');
});

test('a declared argument reaches before and after of a standard method', async () => {
  const { created } = await call('Machine/set', { create: { a: { title: 'LOUD' } } });
  expect(await call('Machine/query', { shout: true })).toMatchObject({
    heard: true,
    ids: [created.a.id],
  });
  expect((await call('Machine/query')).heard).toBe(false);
});

test('RFC 8620 5.3: created and updated tell how a hook changed the client’s values', async () => {
  const create = { k: { machineId: 'm', what: '~new' } };
  const { created } = await call('Entry/set', { create });
  expect(created.k).toMatchObject({ what: 'new' });
  expect(created.k).not.toHaveProperty('machineId');
  const { id } = created.k;
  const change = (what: string) => call('Entry/set', { update: { [id]: { what } } });
  expect((await change('~newer')).updated[id]).toMatchObject({ what: 'newer' });
  expect((await change('newest')).updated[id]).not.toHaveProperty('what');
  // Nothing is changed by it, but the client takes it to be.
  expect((await change('~newest')).updated[id]).toEqual({ what: 'newest' });
});

// Types with hooks and with further arguments are tested by their descriptors, too.
const world = describedWorld('../hooks/machines.yaml');
for (const name of world.keys()) {
  const fixtures = (): Fixtures => {
    if (made === undefined) throw new Error('Fixtures are there inside tests only.');
    return made;
  };
  conformance(new Suite(world, name, fixtures), { protocol: false });
}
