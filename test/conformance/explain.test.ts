import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { CORE, EXPLAIN, NOTES, TODOS, WEBSOCKET } from '../support/client.js';
import { entry } from '../support/expected.js';
import { makeUser, useFixtures } from '../support/fixtures.js';
import type { Json, JsonMap } from '../support/json.js';
import { usePostgresql } from '../support/postgresql.js';
import { startServer } from '../support/server.js';
import { SocketClient } from '../support/socket-client.js';

const USING = [CORE, TODOS, NOTES, EXPLAIN];
/** No value of anybody is in what is told. */
const SECRET = 'Zebra';

interface Explanation {
  readonly name: string;
  readonly callId: string;
  readonly milliseconds: number;
  readonly spent: Readonly<Record<'waiting' | 'database' | 'committing' | 'rest', number>>;
  readonly statements: readonly {
    readonly sql: string;
    readonly count: number;
    readonly rows: number;
    readonly plan: readonly string[];
    readonly indexes: readonly string[];
  }[];
  readonly answeredFrom?: string;
  readonly error?: { readonly type: string; readonly reason?: JsonMap };
}

const postgresql = usePostgresql();

describe.each([
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async () => ({ env: { DATABASE_URL: await postgresql().createDatabase('explain') } }),
  ],
])('urn:jmapsmith:explain, on %s', (database, options) => {
  const { fixtures } = useFixtures(options, ['A2', 'AR']);
  let socket: SocketClient | undefined;
  beforeAll(async () => {
    socket = await SocketClient.open(fixtures().u1.with(USING));
  });
  afterAll(() => socket?.close());

  type Calls = readonly (readonly [string, JsonMap, string])[];
  const explained = async (calls: Calls, overSocket = false): Promise<readonly Explanation[]> => {
    const client = overSocket && socket !== undefined ? socket : fixtures().u1.with(USING);
    const answer = await client.api(calls, { explain: true });
    const told = (answer as unknown as { readonly explain: readonly Explanation[] }).explain;
    // One for each invocation of the response, in the same order.
    expect(told.map(({ name, callId }) => [name, callId])).toEqual(
      answer.methodResponses.map(([name, , callId]) => [name, callId]),
    );
    expect(JSON.stringify(told)).not.toContain(SECRET);
    return told;
  };
  const only = async (name: string, args: JsonMap, overSocket = false): Promise<Explanation> => {
    const [told] = await explained(
      [[name, { accountId: fixtures().A1, ...args }, 'c']],
      overSocket,
    );
    if (told === undefined) throw new Error('A call is explained.');
    return told;
  };
  const sql = ({ statements }: Explanation): string =>
    statements.map((each) => each.sql).join('\n');
  const indexes = ({ statements }: Explanation): readonly string[] =>
    statements.flatMap((each) => each.indexes);

  describe.each([
    ['HTTP', false],
    ['WebSocket', true],
  ])('over %s', (_, overSocket) => {
    it.each(['Todo', 'Note'])(
      'each standard method on %s shows its time and its statements',
      async (type) => {
        const { A1, A2 } = fixtures();
        const values = type === 'Todo' ? { text: SECRET } : { title: SECRET };
        const { created } = await fixtures().u1.set(type, { accountId: A1, create: { k: values } });
        const { id = '' } = entry(created, 'k');
        const { queryState } = await fixtures().u1.query(type, { accountId: A1 });
        const filter = type === 'Todo' ? { text: SECRET } : { title: SECRET };
        const calls: [string, JsonMap][] = [
          ['get', { accountId: A1, ids: [id] }],
          ['changes', { accountId: A1, sinceState: '0' }],
          ['set', { accountId: A1, update: { [id]: values }, create: { n: values } }],
          ['copy', { accountId: A2, fromAccountId: A1, create: { n: { id } } }],
          ['query', { accountId: A1, filter, calculateTotal: true }],
          ['queryChanges', { accountId: A1, sinceQueryState: queryState }],
        ];
        const told = await explained(
          calls.map(([name, args]) => [
            `${type}/${name}`,
            args as { readonly [key: string]: Json },
            name,
          ]),
          overSocket,
        );
        for (const { name, milliseconds, spent, statements, error } of told) {
          expect([name, error]).toEqual([name, undefined]);
          expect(statements.length, name).toBeGreaterThan(0);
          const { waiting, database: inDatabase, committing, rest } = spent;
          const sum = waiting + inDatabase + committing + rest;
          expect(Math.min(waiting, committing, rest), name).toBeGreaterThanOrEqual(0);
          expect(inDatabase, name).toBeGreaterThan(0);
          expect(committing > 0, name).toBe(/\/(set|copy)$/.test(name));
          // Statements that are sent together overlap other times on PostgreSQL.
          if (database === 'SQLite') expect(Math.abs(sum - milliseconds)).toBeLessThan(0.01);
          for (const statement of statements) {
            expect(statement.count).toBeGreaterThan(0);
            expect(statement.plan, statement.sql).not.toBeNull();
            // Whole rows are read: their length is that of values which nobody may see, too.
            expect(statement).not.toHaveProperty('octets');
          }
        }
      },
    );

    it('names the index that finds an object', async () => {
      const told = await only('Todo/get', { ids: ['r00000000000000000000000000'] }, overSocket);
      expect(indexes(told)).toContain(database === 'SQLite' ? 'PRIMARY KEY' : 'Todo_pkey');
    });

    it('says which earlier call read the page of a call', async () => {
      const { A1 } = fixtures();
      const ids = { resultOf: 'c0', name: 'Todo/query', path: '/ids' };
      const [query, get] = await explained(
        [
          ['Todo/query', { accountId: A1, limit: 10 }, 'c0'],
          ['Todo/get', { accountId: A1, '#ids': ids }, 'c1'],
        ],
        overSocket,
      );
      expect(query).not.toHaveProperty('answeredFrom');
      expect(get).toMatchObject({ answeredFrom: 'c0', statements: [] });
    });
  });

  it('says why changes can’t be calculated', async () => {
    const { A1, u1 } = fixtures();
    await u1.set('Todo', { accountId: A1, create: { k: { text: 'x' } } });
    const { state } = await u1.get('Todo', { accountId: A1, ids: [] });
    const { queryState } = await u1.query('Todo', { accountId: A1, filter: { text: 'other' } });
    const reason = async (name: string, args: JsonMap): Promise<unknown> =>
      (await only(`Todo/${name}`, args)).error;
    const error = (of: JsonMap) => ({ type: 'cannotCalculateChanges', reason: of });
    const current = Number(state);
    expect(await reason('changes', { sinceState: 'x' })).toEqual(error({ code: 'notAState' }));
    expect(await reason('changes', { sinceState: '999' })).toEqual(
      error({ code: 'ahead', since: 999, current }),
    );
    expect(await reason('queryChanges', { sinceQueryState: queryState })).toEqual(
      error({ code: 'otherQuery' }),
    );
    expect(await reason('queryChanges', { sinceQueryState: '1' })).toEqual(
      error({ code: 'notAState' }),
    );
    const { queryState: all } = await u1.query('Todo', { accountId: A1 });
    const ahead = `999.${all.split('.')[1] ?? ''}`;
    expect(await reason('queryChanges', { sinceQueryState: ahead })).toEqual(
      error({ code: 'ahead', since: 999, current }),
    );
  });

  it('reports calls that fail before they read, and those without an account', async () => {
    const [unknown, echo, stranger] = await explained([
      ['Nobody/knows', {}, 'a'],
      ['Core/echo', {}, 'b'],
      ['Todo/get', { accountId: 'nobody', ids: [] }, 'c'],
    ]);
    expect(unknown).toMatchObject({ statements: [], error: { type: 'unknownMethod' } });
    expect(echo).toMatchObject({ name: 'Core/echo', statements: [] });
    expect(stranger).toMatchObject({ statements: [], error: { type: 'accountNotFound' } });
  });

  it('explains the implicit /set of /copy, too', async () => {
    const { A1, A2, u1 } = fixtures();
    const { created } = await u1.set('Todo', { accountId: A1, create: { k: { text: SECRET } } });
    const { id = '' } = entry(created, 'k');
    const copy = { accountId: A2, fromAccountId: A1, create: { n: { id } } };
    const told = await explained([['Todo/copy', { ...copy, onSuccessDestroyOriginal: true }, 'c']]);
    expect(told.map(({ name }) => name)).toEqual(['Todo/copy', 'Todo/set']);
    expect(sql(told[1] as Explanation)).toContain('DELETE FROM "Todo"');
    expect(sql(told[0] as Explanation)).not.toContain('DELETE FROM "Todo"');
  });

  it('keeps statements of calls apart that share a transaction', async () => {
    const { A1, u1 } = fixtures();
    const told = await Promise.all([
      only('Todo/set', { create: { k: { text: 'a' } } }),
      only('Note/set', { create: { k: { title: 'b' } } }),
      u1.set('Todo', { accountId: A1, create: { k: { text: 'not told' } } }),
    ]);
    expect(sql(told[0])).toContain('INTO "Todo"');
    expect(sql(told[0])).not.toContain('INTO "Note"');
    expect(sql(told[1])).toContain('INTO "Note"');
    expect(sql(told[1])).not.toContain('INTO "Todo"');
    expect(told[0].statements.map(({ count }) => count)).toEqual(told[0].statements.map(() => 1));
  });

  it('refuses a member that is neither true nor false', async () => {
    const { u1 } = fixtures();
    for (const explain of ['yes', 1, null]) {
      const body = { using: [EXPLAIN], methodCalls: [], explain };
      const { json } = await u1.post(JSON.stringify(body));
      expect(json).toMatchObject({
        type: 'urn:ietf:params:jmap:error:notRequest',
        detail: '"explain" must be true or false.',
      });
    }
  });

  it('answers the same as without it, and explains nothing unasked', async () => {
    const { A1, u1 } = fixtures();
    const calls: Calls = [
      ['Todo/query', { accountId: A1, filter: { text: 'x' }, calculateTotal: true }, 'a'],
      ['Todo/get', { accountId: A1, ids: null, properties: ['text'] }, 'b'],
      ['Todo/changes', { accountId: A1, sinceState: '0' }, 'c'],
    ];
    const plain = await u1.api(calls);
    expect(plain).not.toHaveProperty('explain');
    // A client may list all capabilities of the session: it must not see statements for that.
    for (const explain of [undefined, false])
      expect(await u1.with(USING).api(calls, { explain })).toEqual(plain);
    // Without the capability the member means nothing (3.3).
    expect(await u1.api(calls, { explain: true })).toEqual(plain);
    expect(await socket?.api(calls)).toEqual(plain);
    const { explain: _explain, ...answer } = (await u1
      .with(USING)
      .api(calls, { explain: true })) as unknown as {
      explain: unknown;
    };
    expect(answer).toEqual(plain);
  });
});

it('a plan that PostgreSQL can’t make is null after REQUEST_TIMEOUT', async () => {
  const url = await postgresql().createDatabase('waits');
  const server = await startServer({ env: { DATABASE_URL: url, REQUEST_TIMEOUT: '1s' } });
  const operator = openPool({ url, size: 1 });
  try {
    const { accountId, client } = await makeUser(server);
    // Neither the call has its answer, nor PostgreSQL a plan to tell.
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Todo"');
    const args = { accountId, ids: ['x'] };
    const calls = ['Note/get', 'Todo/get'].map((name) => [name, args, 'c'] as const);
    const answer = await client.with(USING).api(calls, { explain: true });
    await holder.query('ROLLBACK');
    holder.release();
    const { explain } = answer as unknown as { readonly explain: readonly Explanation[] };
    const plansOf = (table: string) =>
      explain.flatMap(({ statements }) =>
        statements.filter((each) => each.sql.includes(`"${table}"`)).map(({ plan }) => plan),
      );
    expect(plansOf('Note')).toEqual([expect.any(Array)]);
    expect(plansOf('Todo')).toEqual([null]);
  } finally {
    await operator.end();
    await server.remove();
  }
});

it('production has no such capability unless EXPLAIN=on', async () => {
  const server = await startServer({ env: { NODE_ENV: 'production' } });
  try {
    await server.tool('scripts/account', ['create', '--name', 'A1', '--user', 'u1']);
    const token = await server.tool('scripts/token', ['create', '--user', 'u1']);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const session = await fetch(`${server.url}/.well-known/jmap`, { headers });
    const { capabilities } = (await session.json()) as { readonly capabilities: JsonMap };
    expect(capabilities).toHaveProperty([WEBSOCKET]);
    expect(capabilities).not.toHaveProperty([EXPLAIN]);
    const body = JSON.stringify({ using: [EXPLAIN], methodCalls: [] });
    const answer = await fetch(`${server.url}/jmap`, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({
      type: 'urn:ietf:params:jmap:error:unknownCapability',
    });
  } finally {
    await server.remove();
  }
});
