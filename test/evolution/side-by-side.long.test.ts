import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { copyProject, type ProjectCopy } from '../support/project.js';
import { type RunningServer, startServer } from '../support/server.js';
import { cloned, git, release } from './releases.js';

// A client that follows a type goes on following it across a release that adds to it. Two versions
// that serve one database create what the older one alone takes.
const SHOP = 'https://example.com/jmap/shop';

const BEFORE = `
capability: ${SHOP}
description: Parts of a shop.
types:
  Part:
    description: A part.
    properties:
      code: { type: string, maxLength: 40 }
    required: [code]
    filter: { code: equals }
  Tag:
    description: A label.
    properties:
      label: { type: string, maxLength: 40 }
    required: [label]
  Job:
    description: A job.
    properties:
      due: { type: [string, 'null'], format: utc-date }
      note: { type: [string, 'null'], maxLength: 40 }
`;

const AFTER = `
capability: ${SHOP}
description: Parts of a shop.
types:
  Part:
    description: A part.
    properties:
      code: { type: string, maxLength: 40, unique: true }
      rating: { type: integer, default: 3 }
      remark: { type: string, maxLength: 40, optional: true }
    required: [code]
    filter: { code: equals, rating: atLeast }
    sort: [rating]
  Tag:
    description: A label.
    properties:
      label: { type: string, maxLength: 40, unique: true, normalize: [trim, lowercase] }
    required: [label]
  Job:
    description: A job.
    drops: [due]
    properties:
      due: { type: string, format: utc-date, default: { now: true } }
      note: { type: string, maxLength: 40, optional: true }
  Shelf:
    description: A shelf.
    properties:
      name: { type: string, maxLength: 40, default: '' }
`;

let before: ProjectCopy;
let next: ProjectCopy;
const servers: RunningServer[] = [];

beforeAll(async () => {
  before = await copyProject();
  git(before.root, 'init', '--quiet');
  await release(before, { 'shop.yaml': BEFORE });
  next = await cloned(before, `${before.root}-next`);
  await release(next, { 'shop.yaml': AFTER });
}, 900_000);

afterAll(async () => {
  for (const server of servers.reverse()) await server.remove();
  for (const project of [next, before]) await project?.remove();
});

async function serve(of: ProjectCopy, on: { env?: Record<string, string>; dataDir?: string }) {
  const server = await startServer({ project: of.root, ...on });
  servers.push(server);
  return server;
}

/** A client and what it knows of the version before. */
async function follow(server: RunningServer) {
  const { A1: accountId, u1 } = await makeFixtures(server, []);
  const client = u1.with([CORE, SHOP]);
  const create = { a: { code: 'a-1' }, b: { code: 'b-2' } };
  expect((await client.set('Part', { accountId, create })).notCreated).toBeNull();
  const { state, list } = await client.get('Part', { accountId, ids: null });
  const { queryState } = await client.query('Part', { accountId, filter: { code: 'a-1' } });
  return { client, accountId, state, list, queryState, session: await client.session() };
}

type Followed = Awaited<ReturnType<typeof follow>>;

/** The client goes on at the next version with what it knows. */
async function goOn(server: RunningServer, known: Followed): Promise<Client> {
  const { accountId, state, list, queryState, session } = known;
  const client = new Client(server.url, known.client.token, [CORE, SHOP]);
  const none = { created: [], updated: [], destroyed: [] };
  const changes = await client.changes('Part', { accountId, sinceState: state });
  expect(changes).toMatchObject({ oldState: state, newState: state, ...none });
  const [, found] = await client.call('Part/queryChanges', {
    ...{ accountId, filter: { code: 'a-1' }, sinceQueryState: queryState },
  });
  expect(found).toMatchObject({ removed: [], added: [] });
  const now = await client.session();
  expect(now['state']).not.toBe(session['state']);
  const hashes = [session, now].map((of) => Object(Object(of['capabilities'])[SHOP]));
  expect(hashes[0].descriptorHash).not.toBe(hashes[1].descriptorHash);
  const { sessionState } = await client.api([['Part/get', { accountId, ids: [] }, '0']]);
  expect(sessionState).toBe(now['state']);
  const all = await client.get('Part', { accountId, ids: null });
  expect(all.state).toBe(state);
  expect(all.list).toEqual(list.map((part) => ({ ...part, rating: 3 })));
  return client;
}

test('on SQLite a client at a state of the version before goes on', async () => {
  const old = await serve(before, {});
  const known = await follow(old);
  await old.stop();
  await goOn(await serve(next, { dataDir: old.dataDir }), known);
}, 300_000);

describe('two versions on one PostgreSQL', () => {
  const postgresql = usePostgresql();
  let old: RunningServer;
  let now: RunningServer;
  let known: Followed;
  let client: Client;
  const later = () => ({ env: { DATABASE_URL: String(now.env['DATABASE_URL']) } });

  beforeAll(async () => {
    const env = { DATABASE_URL: await postgresql().createDatabase('shop') };
    old = await serve(before, { env });
    known = await follow(old);
    const { accountId } = known;
    const create = { r: { label: 'red' } };
    expect((await known.client.set('Tag', { accountId, create })).notCreated).toBeNull();
    now = await serve(next, { env, dataDir: old.dataDir });
  }, 300_000);

  test('a client at a state of the version before goes on at either', async () => {
    client = await goOn(now, known);
    const { accountId, state } = known;
    // Its balancer leads it back, and to the other again: each says its own session's state.
    for (const one of [known.client, client, known.client]) {
      const { sessionState } = await one.api([['Part/get', { accountId, ids: [] }, '0']]);
      expect(sessionState).toBe((await one.session())['state']);
      const changes = await one.changes('Part', { accountId, sinceState: state });
      expect(changes).toMatchObject({ newState: state, updated: [] });
    }
  });

  test('upkeep, a metric and a command tell of a duplicate that the old one let in', async () => {
    const { accountId } = known;
    const made = await known.client.set('Part', { accountId, create: { t: { code: 'a-1' } } });
    const twin = made.created?.['t']?.['id'];
    expect(twin, 'the version before knows of no unique').toBeDefined();
    const refused = await client.set('Part', { accountId, create: { t: { code: 'a-1' } } });
    expect(refused.notCreated?.['t']).toMatchObject({ type: 'alreadyExists' });
    // Another server of the fleet: upkeep looks at each start, and then every ten minutes.
    const third = await serve(next, { ...later(), dataDir: now.dataDir });
    const part = known.list.find(({ code }) => code === 'a-1')?.id;
    await eventually(async () => {
      const line = third
        .stderr()
        .split('\n')
        .find((text) => text.includes('must be unique'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        ...{ level: 40, type: 'Part', property: 'code', account: accountId },
        ...{ objects: [part, twin], count: 2 },
      });
      expect(line).not.toContain('a-1');
      const metrics = await (await fetch(`${third.url}/metrics`)).text();
      expect(metrics).toContain('jmap_duplicate_values{type="Part"} 1\n');
    });
    expect(await third.command('scripts/migrate', ['--duplicates'])).toMatchObject({
      code: 1,
      stdout: `Part.code in account ${accountId}: ${part} ${twin}\n`,
    });
    await client.set('Part', { accountId, update: { [String(twin)]: { code: 'a-2' } } });
    expect(await third.command('scripts/migrate', ['--duplicates'])).toMatchObject({
      code: 0,
      stdout: 'No objects share a value that must be unique.\n',
    });
  });

  test('a text that can’t be normalised since another object has it is told', async () => {
    const { accountId } = known;
    const made = await known.client.set('Tag', { accountId, create: { t: { label: ' Red' } } });
    const id = made.created?.['t']?.['id'];
    await eventually(() => {
      const lines = now.stderr().split('\n');
      const line = lines.find((text) => text.includes('not normalised'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ type: 'Tag', objects: [id] });
    });
    expect(await now.command('scripts/migrate', ['--duplicates'])).toMatchObject({
      code: 1,
      stdout: `Tag in account ${accountId}: ${id} is not normalised, since another has the value\n`,
    });
  });

  test('null of the old one is the present time, or absent, in the new one', async () => {
    const { accountId } = known;
    const made = await known.client.set('Job', { accountId, create: { j: {} } });
    const ids = [String(made.created?.['j']?.['id'])];
    const read = async () => (await client.get('Job', { accountId, ids })).list[0];
    const time = expect.stringMatching(/^20\d\d-/);
    const first = await read();
    expect(first).toMatchObject({ due: time });
    expect(first).not.toHaveProperty('note');
    await eventually(async () => expect(await read()).toMatchObject({ due: time }));
    // The new one writes it, and the old one writes null again.
    const change = (of: Client, update: object) =>
      of.set('Job', { accountId, update: { [ids[0] ?? '']: update } });
    expect((await change(client, { note: 'soon' })).notUpdated).toBeNull();
    expect((await change(known.client, { note: null, due: null })).notUpdated).toBeNull();
    const again = await read();
    expect(again).toMatchObject({ due: time });
    expect(again).not.toHaveProperty('note');
  });
});
