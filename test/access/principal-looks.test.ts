import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { changeRoles, createAccount } from '../../src/accounts/index.js';
import { preparePrincipalAccount } from '../../src/accounts/principal-accounts.js';
import { findPrincipalTypes } from '../../src/methods/principals/principal-index.js';
import {
  type PrincipalOptions,
  PrincipalViews,
} from '../../src/methods/principals/principal-views.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { readConfig } from '../../src/server/config.js';
import { InProcessServer } from '../../src/server/in-process.js';
import { openEngine } from '../../src/server/open-engine.js';
import { storeWith } from '../../src/store/delegate.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { PRINCIPALS } from './principals-rig.js';
import { useProject } from './rules-rig.js';

/** Looks at many principals, and looks that fail: RFC 9670 2, on real databases. */

const root = useProject('lists.yaml');
const postgresql = usePostgresql();
/** Users are compared 1,000 at a time: these are three such pages. */
const USERS = 2050;

const ids = createIdGenerator();
const idOf = (at: number) => `u${String(at).padStart(5, '0')}`;

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

/** The looks of a test, as the store and the server see them. */
const asked = { reads: 0, writes: 0, moves: 0, fails: 0, errors: [] as unknown[] };
beforeEach(() => Object.assign(asked, { reads: 0, writes: 0, moves: 0, fails: 0, errors: [] }));

/** Fails as long as the test says so, and counts. */
async function ask<T>(what: 'reads' | 'writes', work: () => Promise<T>): Promise<T> {
  asked[what] += 1;
  if (asked.fails > 0) {
    asked.fails -= 1;
    throw new Error('The database is away.');
  }
  return work();
}

/** Serves Ann, who sees all users, in this process; and looks that can be counted. */
async function serve(database: string, users: number) {
  const folder = await mkdtemp(join(tmpdir(), 'principal-looks-'));
  const opened = [() => rm(folder, { recursive: true, force: true })];
  const url =
    database === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase('looks') };
  const env = { DATA_DIR: folder, PRINCIPALS: 'all', ...url };
  const options = { root: root(), log: pino({ level: 'silent' }), opened };
  const engine = await openEngine(readConfig(env, folder), options);
  const server = new InProcessServer(engine, opened);
  onTestFinished(() => server.close());
  const { prisma, store } = engine.storage;
  await createAccount(prisma, ids, { name: 'ann', user: 'ann' });
  const created = 0n;
  await prisma.jmapUser.createMany({
    data: Array.from({ length: users }, (_, at) => ({ id: idOf(at), name: `user ${at}`, created })),
  });
  const ann = await server.principalOf('ann');
  const types = findPrincipalTypes(engine.registry.capabilities);
  if (types === null) throw new Error('The project has no principals.');
  const views = new PrincipalViews({
    ...{ types, conductor: engine.conductor, mode: 'all', patience: 30_000 },
    store: storeWith(store, {
      read: (...args) => ask('reads', () => store.read(...args)),
      write: (...args) => ask('writes', () => store.write(...args)),
    }),
    prepare: (userId) => preparePrincipalAccount(prisma, userId),
    describe: () => null,
    onMoved: () => {
      asked.moves += 1;
    },
    refresh: async (principal) => principal,
    findNoticed: async () => [ann.userId],
    onError: (error) => asked.errors.push(error),
  } satisfies PrincipalOptions);
  opened.push(() => views.close());
  const accountId = `p-${ann.userId}`;
  return {
    ...{ prisma, views, ann, accountId },
    open: () => views.open(ann.userId, { deadline: performance.now() + 30_000 }),
    async call(method: string, args: object): Promise<Json> {
      const calls = [[method, { accountId, ...args }, 'a']] as const;
      const [response] = await server.request(ann, calls, { using: [CORE, PRINCIPALS] });
      return response?.[1];
    },
    rename: (at: number, name: string) =>
      prisma.jmapUser.update({ where: { id: idOf(at) }, data: { name } }),
    /** Has all look again, as any command does. */
    turn: () => changeRoles(prisma, 'ann', [ids.next('r').id]),
    notice: () =>
      prisma.jmapTask.create({
        data: {
          ...{ accountId, id: '0000000000000001.n1', kind: 'shareNotice', due: 0n, attempts: 0n },
          payload: JSON.stringify({
            ...{ kind: 'rights', id: 'n1', at: 0, changedBy: idOf(0), name: 'Shopping' },
            ...{ objectType: 'TodoList', objectAccountId: 'a1', objectId: 'r1' },
            ...{ oldRights: null, newRights: { mayRead: true } },
          }),
        },
      }),
  };
}

const CORE = 'urn:ietf:params:jmap:core';

it('a look writes the pages of principals that differ, and no others', async () => {
  const { open, rename, turn } = await serve('SQLite', USERS);
  await open();
  expect(asked.writes).toBe(3);
  // All is known.
  await open();
  expect(asked).toMatchObject({ writes: 3, moves: 1 });
  await rename(0, 'first');
  await turn();
  await open();
  expect(asked).toMatchObject({ writes: 4, moves: 2 });
  await rename(1, 'second');
  await rename(USERS - 1, 'last');
  await turn();
  await open();
  expect(asked.writes).toBe(6);
}, 120_000);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a user is told exactly which of many principals have changed',
  async (database) => {
    const { ann, call, rename, turn, prisma } = await serve(database, USERS);
    const { queryState, ids: all } = await call('Principal/query', { limit: 5000 });
    expect(all).toHaveLength(USERS + 1);
    expect(new Set(all)).toEqual(
      new Set([ann.userId, ...Array.from({ length: USERS }, (_, at) => idOf(at))]),
    );
    const { state, list } = await call('Principal/get', { ids: [idOf(0), idOf(USERS - 1)] });
    expect(list).toHaveLength(2);
    // Another look finds nothing to tell.
    await turn();
    expect((await call('Principal/get', { ids: [] })).state).toBe(state);
    const [came, gone] = [idOf(USERS), idOf(1700)];
    await prisma.jmapUser.create({ data: { id: came, name: 'came', created: 0n } });
    await rename(3, 'first page');
    await rename(USERS - 3, 'last page');
    await prisma.jmapUser.delete({ where: { id: gone } });
    await turn();
    const changes = await call('Principal/changes', { sinceState: state });
    expect(changes).toMatchObject({ hasMoreChanges: false, destroyed: [gone] });
    expect(changes.created).toEqual([came]);
    expect([...changes.updated].sort()).toEqual([idOf(3), idOf(USERS - 3)]);
    const query = await call('Principal/queryChanges', { sinceQueryState: queryState });
    expect(query.removed).toContain(gone);
    expect(query.added.map(({ id }: Json) => id)).toContain(came);
    // Page by page, it comes to the same.
    const told: string[] = [];
    for (let since = state, more = true; more; ) {
      const page = await call('Principal/changes', { sinceState: since, maxChanges: 1 });
      told.push(...page.created, ...page.updated, ...page.destroyed);
      since = page.newState;
      more = page.hasMoreChanges;
      if (!more) expect(since).toBe(changes.newState);
    }
    expect(told.sort()).toEqual([came, gone, idOf(3), idOf(USERS - 3)].sort());
    expect((await call('Principal/get', { ids: [] })).state).toBe(changes.newState);
  },
  120_000,
);

it('a look that fails is told, and made again', async () => {
  const { prisma, notice, views, ann, call } = await serve('SQLite', 1);
  expect((await call('ShareNotification/get', {})).list).toEqual([]);
  await notice();
  asked.fails = 1;
  views.lookAtNoticed();
  await eventually(() => expect(asked.errors).toHaveLength(1));
  expect(await prisma.jmapTask.count()).toBe(1);
  await eventually(async () => expect(await prisma.jmapTask.count()).toBe(0));
  // The same goes for principals.
  asked.fails = 1;
  views.lookAt([ann.userId]);
  await eventually(() => expect(asked.moves).toBe(1));
  expect(asked.errors).toHaveLength(2);
}, 120_000);
