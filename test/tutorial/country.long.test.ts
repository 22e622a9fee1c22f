import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE } from '../support/client.js';
import {
  at,
  entry,
  methodError,
  sameMembers,
  serverId,
  setError,
  utcDate,
} from '../support/expected.js';
import { copyProject, type ProjectCopy } from '../support/project.js';
import { ROOT, type RunningServer, startServer } from '../support/server.js';
import { COUNTRIES, CountryClient, inParallel } from './country-client.js';
import { byArea, byCode, byName, sortedIds, splice } from './oracle.js';
import { type Country, type DataSetEntry, readDataSet } from './records.js';
import { STEPS, type Step, WATCHED } from './steps.js';
import { changesBetween, readTree, type Tree } from './tree.js';

// A type from its descriptor to a restart, as a newcomer takes the steps of README.md, with a
// public data set and a client that was written elsewhere. The tests are its steps: each goes on
// from what the one before has left.
let project: ProjectCopy;
let dataSet: DataSetEntry[];
let generated: Tree;
let server: RunningServer;
let client: CountryClient;
let home: string;
let second: string;

/** The countries that the server must have in the first account, and in the second: by id. */
const expected = new Map<string, Country>();
const copies = new Map<string, Country>();
/** The octets of each blob, by its id in either account. */
const flags = new Map<string, Buffer>();
/** The state when all countries were loaded and nothing had changed. */
let loadedState: string;

beforeAll(async () => {
  [project, dataSet] = await Promise.all([copyProject(), readDataSet()]);
});

afterAll(async () => {
  await server?.remove();
  await project?.remove();
});

/** A country of the first account by its data set's code. */
function country(code: string): Country {
  const found = [...expected.values()].find((candidate) => candidate.code === code);
  if (found === undefined) throw new Error(`There is no country ${code}.`);
  return found;
}

function idsOf(...codes: readonly string[]): string[] {
  return codes.map((code) => country(code).id);
}

async function coreLimit(name: string): Promise<number> {
  return Number((await client.jam.session).capabilities[CORE]?.[name]);
}

const byId = (a: Country, b: Country): number => (a.id < b.id ? -1 : 1);

/** A /get of everything has exactly what is expected, in every property. */
async function expectAll(accountId: string, countries: ReadonlyMap<string, Country>) {
  const answer = await client.all(accountId);
  expect(answer.notFound).toEqual([]);
  expect([...answer.list].sort(byId)).toStrictEqual([...countries.values()].sort(byId));
  return answer;
}

describe('describe, generate', () => {
  it('one file is written by hand, and all others that change come from the command', async () => {
    const fresh = await readTree(project.root);
    const file = 'capabilities/countries.yaml';
    await copyFile(join(ROOT, 'test/tutorial/countries.yaml'), join(project.root, file));
    const described = await readTree(project.root);
    expect(changesBetween(fresh, described)).toEqual({
      added: [file],
      changed: [],
      removed: [],
    });

    const result = await project.npm('generate');
    expect(result).toMatchObject({ code: 0, stdout: expect.any(String) });
    generated = await readTree(project.root);
    const { added, changed, removed } = changesBetween(described, generated);
    const anyNumber = (path: string) => path.replace(/\/\d{4}_country\//, '/N_country/');
    expect({ added: added.map(anyNumber), changed, removed }).toEqual({
      added: [
        'docs/reference/capabilities/countries.md',
        'generated/client/Country.ts',
        'generated/countries/Country.definition.ts',
        'generated/countries/Country.validators.ts',
        'generated/countries/capability.ts',
        'generated/countries/hooks.ts',
        'generated/countries/manifest.json',
        'prisma/postgresql/migrations/N_country/migration.sql',
        'prisma/postgresql/migrations/N_country/model.json',
        'prisma/postgresql/migrations/N_country/schema.prisma',
        'prisma/sqlite/migrations/N_country/migration.sql',
        'prisma/sqlite/migrations/N_country/model.json',
        'prisma/sqlite/migrations/N_country/schema.prisma',
      ],
      changed: [
        'generated/calls.ts',
        'generated/client/index.ts',
        'generated/client/manifest.json',
        'generated/registry.ts',
        'prisma/postgresql/schema.prisma',
        'prisma/sqlite/schema.prisma',
      ],
      removed: [],
    });
    expect(result.stdout.match(/(?<=^wrote ).*$/gm)?.sort()).toEqual([...added, ...changed].sort());
  });

  it('--check finds everything current', async () => {
    expect(await project.npm('generate', '--check')).toMatchObject({ code: 0 });
  });
});

describe('start', () => {
  it('the server starts with the new type and touches no source', async () => {
    const manifest = JSON.parse(await readFile(join(project.root, 'package.json'), 'utf8'));
    // The command that startServer runs.
    expect(manifest.scripts.start).toBe('node scripts/run.mjs src/server/main');
    server = await startServer({ project: project.root, env: { BOOTSTRAP_TOKEN: 'on' } });
    expect(changesBetween(generated, await readTree(project.root))).toEqual({
      added: [],
      changed: [],
      removed: [],
    });
  }, 600_000);

  it('the session has the capability for the first token and for a second account', async () => {
    const token = (await readFile(join(server.dataDir, 'first-token'), 'utf8')).trim();
    const { username } = await new CountryClient(server.url, token).jam.session;
    second = await server.tool('scripts/account', ['create', '--name', 'Team', '--user', username]);
    client = new CountryClient(server.url, token);
    const session = await client.jam.session;
    expect(session.capabilities[COUNTRIES]).toEqual({
      descriptorHash: expect.stringMatching(/^sha256-/),
    });
    home = session.primaryAccounts[COUNTRIES] ?? '';
    expect(Object.keys(session.accounts)).toEqual(sameMembers([home, second]));
    for (const account of Object.values(session.accounts)) {
      expect(account.accountCapabilities).toHaveProperty([COUNTRIES], {});
    }
  });
});

describe('250 countries', () => {
  it('are created in one call, with their flags', async () => {
    expect(dataSet).toHaveLength(250);
    const atOnce = await coreLimit('maxConcurrentUpload');
    const blobIds = await inParallel(dataSet, atOnce, async ({ flag }) => {
      const blobId = await client.uploadFlag(home, flag);
      flags.set(blobId, flag);
      return blobId;
    });
    const records = dataSet.map(({ key, record }, index) => {
      return [key, { ...record, flagBlobId: at(blobIds, index) }] as const;
    });

    const create = Object.fromEntries(records);
    const [{ oldState, newState, created, ...rest }] = await client.Country.set({
      accountId: home,
      create,
    });
    expect(oldState).toBe('0');
    expect(newState).toBe('250');
    expect(rest.notCreated ?? null).toBeNull();
    expect(Object.keys(created ?? {})).toEqual(sameMembers(Object.keys(create)));
    for (const [key, record] of records) {
      const set = entry(created ?? null, key);
      expect(set).toEqual({ id: serverId, created: utcDate, updated: set['created'] });
      expected.set(set.id, { ...record, ...set } as unknown as Country);
    }
    expect(expected.size).toBe(250);
    loadedState = newState;
  });

  it('come back equal in every property', async () => {
    expect((await expectAll(home, expected)).state).toBe(loadedState);
    const list = [...expected.values()];
    // The rare values that make the data set worth its while are in there.
    expect(list.filter(({ independent }) => independent === null)).toHaveLength(1);
    expect(list.filter(({ area }) => area < 0).map(({ name }) => name)).toEqual([
      'Svalbard and Jan Mayen',
    ]);
  });

  it.each([
    ['ÅLAND', ['AX']],
    ['åland', ['AX']],
    ['ÅLAND'.normalize('NFD'), ['AX']],
    ['a\u030aland', ['AX']],
    ['aland', ['NZ']],
    ['CURAÇAO'.normalize('NFD'), ['CW']],
    ['RÉUNION', ['RE']],
    ['tüRKİYE', []],
    ['TÜRKIYE', ['TR']],
    ['guinea', ['GN', 'GQ', 'GW', 'PG']],
  ])('name contains %j, in any case and either form: %j', async (name, codes) => {
    const { ids } = await client.query({ accountId: home, filter: { name } });
    expect(ids).toEqual(sameMembers(idsOf(...codes)));
  });

  it('are found by their other conditions, alone and combined', async () => {
    const expectedIds = (is: (country: Country) => boolean) =>
      sameMembers([...expected.values()].filter(is).map(({ id }) => id));
    const find = async (filter: object) => (await client.query({ accountId: home, filter })).ids;
    expect(await find({ region: 'Oceania' })).toEqual(expectedIds((c) => c.region === 'Oceania'));
    expect(await find({ independent: null })).toEqual(expectedIds((c) => c.independent === null));
    expect(await find({ independent: false })).toEqual(expectedIds((c) => c.independent === false));
    expect(await find({ minArea: 9_372_610 })).toEqual(expectedIds((c) => c.area >= 9_372_610));
    const both = {
      operator: 'AND',
      conditions: [
        { region: 'Africa', minArea: 1_000_000 },
        { operator: 'NOT', conditions: [{ name: 'REPUBLIC' }, { name: 'sou' }] },
      ],
    };
    expect(await find(both)).toEqual(
      expectedIds(
        (c) => c.region === 'Africa' && c.area >= 1_000_000 && !/republic|sou/i.test(c.name),
      ),
    );
  });

  it.each([
    ['area', true, byArea],
    ['area', false, byArea],
    ['name', true, byName],
    ['name', false, byName],
    ['code', true, byCode],
  ])('are sorted by %s, ascending: %s', async (property, isAscending, order) => {
    const { ids } = await client.query({ accountId: home, sort: [{ property, isAscending }] });
    expect(ids).toEqual(sortedIds(expected.values(), order, isAscending));
  });

  it('a query and a get in one request list the five largest', async () => {
    const { list } = await client.queryThenGet({
      accountId: home,
      sort: [{ property: 'area', isAscending: false }],
      limit: 5,
    });
    expect(list.map(({ code }) => code)).toEqual(['RU', 'AQ', 'CA', 'CN', 'US']);
    expect(list).toStrictEqual(list.map(({ id }) => expected.get(id)));
  });

  it('are paged through by position and by anchor', async () => {
    const sort = [{ property: 'name' }];
    const all = sortedIds(expected.values(), byName);
    const byPosition: string[] = [];
    for (let position = 0; position < all.length; position += 40) {
      const page = await client.query({
        accountId: home,
        sort,
        position,
        limit: 40,
        calculateTotal: true,
      });
      expect(page).toMatchObject({ position, total: 250 });
      expect(page.ids).toEqual(all.slice(position, position + 40));
      byPosition.push(...page.ids);
    }
    expect(byPosition).toEqual(all);

    const byAnchor = all.slice(0, 1);
    for (let left = true; left; ) {
      const anchor = at(byAnchor, -1);
      const { ids } = await client.query({
        accountId: home,
        sort,
        anchor,
        anchorOffset: 1,
        limit: 37,
      });
      byAnchor.push(...ids);
      left = ids.length > 0;
    }
    expect(byAnchor).toEqual(all);

    const [aland = ''] = idsOf('AX');
    const position = all.indexOf(aland) - 5;
    const around = { accountId: home, sort, anchor: aland, anchorOffset: -5, limit: 11 };
    expect(await client.query(around)).toMatchObject({
      position,
      ids: all.slice(position, position + 11),
    });
    const last = await client.query({ accountId: home, sort, position: -10 });
    expect(last).toMatchObject({ position: 240, ids: all.slice(-10) });
  });
});

/** Blob/lookup names each country by its flag, and those of no other flag. */
async function expectLookup(accountId: string, countries: ReadonlyMap<string, Country>) {
  const users = new Map<string, string[]>();
  for (const { id, flagBlobId } of countries.values()) {
    if (flagBlobId === null) continue;
    users.set(flagBlobId, [...(users.get(flagBlobId) ?? []), id]);
  }
  const answer = await client.lookup(accountId, [...users.keys()]);
  expect(answer).toEqual({
    accountId,
    list: Array.from(users, ([id, ids]) => ({ id, matchedIds: { Country: sameMembers(ids) } })),
    notFound: [],
  });
}

/** The countries' flags are the octets that were uploaded for them. */
async function expectFlags(accountId: string, countries: ReadonlyMap<string, Country>) {
  const list = [...countries.values()].filter(({ flagBlobId }) => flagBlobId !== null);
  const differing = await inParallel(list, 4, async ({ code, flagBlobId }) => {
    const octets = await client.downloadFlag(accountId, flagBlobId ?? '');
    return flags.get(flagBlobId ?? '')?.equals(octets) ? [] : [code];
  });
  expect(differing.flat()).toEqual([]);
}

describe('flags', () => {
  it('are downloaded as they were uploaded', async () => {
    const files = new Map(dataSet.map(({ record, flag }) => [record.code, flag]));
    for (const { code, flagBlobId } of expected.values()) {
      expect(flags.get(flagBlobId ?? '')?.equals(files.get(code) ?? Buffer.of())).toBe(true);
    }
    await expectFlags(home, expected);
  });

  it('tell who uses them, also when two share one and one has none', async () => {
    await expectLookup(home, expected);
    const [swiss, liechtenstein, sanMarino] = [country('CH'), country('LI'), country('SM')];
    const [{ updated }] = await client.Country.set({
      accountId: home,
      update: {
        [liechtenstein.id]: { flagBlobId: swiss.flagBlobId },
        [sanMarino.id]: { flagBlobId: null },
      },
    });
    for (const [before, flagBlobId] of [
      [liechtenstein, swiss.flagBlobId],
      [sanMarino, null],
    ] as const) {
      const answer = entry(updated ?? null, before.id);
      expect(answer).toEqual({ updated: utcDate });
      expected.set(before.id, { ...before, flagBlobId, ...answer });
    }
    await expectLookup(home, expected);
    const [former = ''] = [liechtenstein.flagBlobId ?? ''];
    expect((await client.lookup(home, [former])).list).toEqual([
      { id: former, matchedIds: { Country: [] } },
    ]);
  });
});

/** Runs a step and keeps `expected` in step with it. */
async function run(step: Step): Promise<void> {
  const destroy = idsOf(...step.destroy);
  const updates = Object.entries(step.update).map(
    ([code, update]) => [country(code), update] as const,
  );
  const [answer] = await client.Country.set({
    accountId: home,
    create: step.create,
    update: Object.fromEntries(updates.map(([{ id }, { patch }]) => [id, patch])),
    destroy,
  });
  expect([answer.notCreated, answer.notUpdated, answer.notDestroyed].filter(Boolean)).toEqual([]);
  for (const [before, { becomes }] of updates) {
    const { updated } = entry(answer.updated ?? null, before.id) ?? {};
    expect(updated).toEqual(utcDate);
    expected.set(before.id, { ...before, ...becomes(before), updated: String(updated) });
  }
  for (const [key, record] of Object.entries(step.create)) {
    const set = entry(answer.created ?? null, key);
    expected.set(set.id, { ...record, ...set } as unknown as Country);
  }
  expect(answer.destroyed ?? []).toEqual(sameMembers(destroy));
  for (const id of destroy) expected.delete(id);
}

describe('changes', () => {
  it('of an immutable property are refused', async () => {
    const [id = ''] = idsOf('AX');
    const [answer] = await client.Country.set({
      accountId: home,
      update: { [id]: { code: 'ZZ' } },
    });
    expect(answer.notUpdated).toEqual({ [id]: setError('invalidProperties', ['code']) });
    expect(answer.newState).toBe(answer.oldState);
  });

  it('reach every watched query by /queryChanges, in steps and in one', async () => {
    const queries = WATCHED.map((query) => ({ accountId: home, ...query }));
    const first = await Promise.all(queries.map((query) => client.query(query)));
    const kept = first.map(({ ids, queryState }) => ({ ids, queryState }));
    for (const step of STEPS) {
      await run(step);
      for (const [index, query] of queries.entries()) {
        const { ids, queryState: sinceQueryState } = at(kept, index);
        const since = { ...query, sinceQueryState };
        await expect(client.Country.queryChanges({ ...since, maxChanges: 1 })).rejects.toEqual(
          methodError('tooManyChanges'),
        );
        const [changes] = await client.Country.queryChanges({
          ...since,
          maxChanges: 16,
          calculateTotal: true,
        });
        const fresh = await client.query(query);
        expect(changes).toMatchObject({
          oldQueryState: sinceQueryState,
          newQueryState: fresh.queryState,
          total: fresh.ids.length,
        });
        expect(splice(ids, changes)).toEqual(fresh.ids);
        kept[index] = { ids: fresh.ids, queryState: fresh.queryState };
      }
    }
    for (const [index, query] of queries.entries()) {
      const { ids, queryState: sinceQueryState } = at(first, index);
      const [changes] = await client.Country.queryChanges({ ...query, sinceQueryState });
      expect(splice(ids, changes)).toEqual(at(kept, index).ids);
    }
    // Not only has each been told of: they are what the data say.
    const european = [...expected.values()].filter(({ region }) => region === 'Europe');
    const large = [...expected.values()].filter(({ area }) => area >= 1_000_000);
    expect(kept.map(({ ids }) => ids)).toEqual([
      sortedIds(european, byArea, false),
      sortedIds(large, byName),
      sortedIds(expected.values(), byCode),
    ]);
  });

  it('are read in pages of /changes, from which a client rebuilds the whole', async () => {
    const { state } = await expectAll(home, expected);
    const told = {
      created: new Set<string>(),
      updated: new Set<string>(),
      destroyed: new Set<string>(),
    };
    let since = loadedState;
    for (let more = true; more; ) {
      const [page] = await client.Country.changes({
        accountId: home,
        sinceState: since,
        maxChanges: 4,
      });
      const { created, updated, destroyed } = page;
      const ids = [...created, ...updated, ...destroyed];
      expect(page.oldState).toBe(since);
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.length).toBeLessThanOrEqual(4);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of created) told.created.add(id);
      for (const id of updated) told.updated.add(id);
      for (const id of destroyed) told.destroyed.add(id);
      since = page.newState;
      more = page.hasMoreChanges;
    }
    expect(since).toBe(state);

    const stays = (id: string) => !told.destroyed.has(id);
    expect([...told.created].filter(stays)).toEqual(idsOf('LL'));
    const updated = ['AX', 'SJ', 'FR', 'CA', 'DE', 'IT', 'MC', 'GL', 'LI', 'SM'];
    const touched = [...told.updated].filter((id) => stays(id) && !told.created.has(id));
    expect(touched).toEqual(sameMembers(idsOf(...updated)));
    expect(expected.size).toBe(250 + 2 - told.destroyed.size);
    expect([...told.destroyed].filter((id) => expected.has(id))).toEqual([]);
  });
});

describe('a second account', () => {
  it('gets 20 copies with their flags', async () => {
    const chosen = (
      await client.query({ accountId: home, sort: [{ property: 'name' }], limit: 20 })
    ).ids;
    const [bermuda = ''] = chosen.slice(-1);
    const [answer] = await client.Country.copy({
      fromAccountId: home,
      accountId: second,
      create: Object.fromEntries(
        chosen.map((id) => [`copy-of-${id}`, id === bermuda ? { id, name: 'Überzählig' } : { id }]),
      ),
    });
    expect(answer.notCreated ?? null).toBeNull();
    for (const id of chosen) {
      const original = expected.get(id);
      const set = entry(answer.created ?? null, `copy-of-${id}`);
      expect(set).toMatchObject({ id: serverId, created: utcDate, flagBlobId: serverId });
      const name = id === bermuda ? 'Überzählig' : original?.name;
      copies.set(set.id, { ...original, name, ...set } as unknown as Country);
      const flag = flags.get(original?.flagBlobId ?? '');
      if (flag !== undefined) flags.set(String(set['flagBlobId']), flag);
    }
    expect(copies.size).toBe(20);
    await expectAll(second, copies);
    await expectFlags(second, copies);
    await expectLookup(second, copies);
    await expectAll(home, expected);
  });
});

/** All that a client can see of both accounts. */
async function everything() {
  const accounts = [home, second].map(async (accountId) => ({
    all: await client.all(accountId),
    queries: await Promise.all(WATCHED.map((query) => client.query({ accountId, ...query }))),
    changes: await client.Country.changes({ accountId, sinceState: '0' }).then(([it]) => it),
  }));
  return { session: await client.jam.session, accounts: await Promise.all(accounts) };
}

describe('after a restart', () => {
  it('all is as it was: records, states, queries, changes, flags', async () => {
    const before = await everything();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    server = await server.restart();
    client = new CountryClient(server.url, client.token);
    expect(await everything()).toStrictEqual(before);
    await expectAll(home, expected);
    await expectAll(second, copies);
    await expectFlags(home, expected);
    await expectFlags(second, copies);
    await expectLookup(home, expected);
    await expectLookup(second, copies);
  });

  it('the project is as the command left it', async () => {
    expect(changesBetween(generated, await readTree(project.root))).toEqual({
      added: [],
      changed: [],
      removed: [],
    });
  });
});
