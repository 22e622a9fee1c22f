import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import * as postgresqlDatabase from '../../src/database/postgresql/index.js';
import { migrate, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { createRegistry } from '../../src/methods/registry.js';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { parseRequest } from '../../src/protocol/request.js';
import { responseText } from '../../src/protocol/response.js';
import type { Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { registry as generated } from '../support/registry.js';
import {
  BLOB_FOLDER,
  compared,
  ENOUGH_FORESEEN,
  isWorthwhile,
  Twin,
  registry as things,
  thingTable,
} from './request-read-ahead-drawn.js';
import { CORE, type Json, TODOS, U1 } from './rig.js';

afterAll(() => rmSync(BLOB_FOLDER, { recursive: true, force: true }));

const migrations = (engine: string): string =>
  fileURLToPath(new URL(`../../prisma/${engine}/migrations`, import.meta.url));

const registry = createRegistry(generated);
/** Of a type with a hook file nothing is foreseen; an empty one changes nothing else. */
const shortSighted = { ...registry, typeHooks: new Map([['Todo', {}]]) };

const LIMITS = {
  ...{ maxObjectsInGet: 20, maxObjectsInSet: 1000, queryMaxLimit: 50, queryChangesMax: 1000 },
  ...{ maxSizeUpload: 1000, maxSizeRequest: 1e6, maxSizeResponse: 1e7, requestTimeout: 30_000 },
  changesKeep: 3_600_000,
};
const ACCOUNTS = `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
 VALUES ('a1', '', 'u', 1), ('a2', '', 'u', 1)`;

/** Requests that are drawn; a long search sets more. */
const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 80);

type Call = readonly [name: string, args: object, callId: string];
interface Opened {
  readonly store: Store;
  close(): Promise<void>;
}

interface Options {
  readonly types?: readonly DataTypeDefinition[];
  readonly sql?: (text: string) => string;
  readonly now?: () => number;
}

const TODO = [...registry.dataTypes.values()];

/** The store without what it asks in one statement: nothing is read along. */
function byRow(store: Store): Store {
  const read = store.read.bind(store);
  const byRows: Partial<Store> = {
    read,
    write: store.write.bind(store),
    readObjects: ({ accountId, deadline, type, ids, properties, maxOctets }) =>
      read(accountId, { deadline }, async (snapshot) => ({
        number: await snapshot.stateNumber(type),
        objects: await snapshot.get(type, ids, properties, maxOctets),
      })),
    readChanges: ({ accountId, deadline, type, since, limit }) =>
      read(accountId, { deadline }, async (snapshot) => ({
        number: await snapshot.stateNumber(type),
        records: await snapshot.changes(type, since, limit),
      })),
    readPage: ({ accountId, deadline, type, plan, window, selection }) =>
      read(accountId, { deadline, mayScan: true }, (snapshot) =>
        snapshot.page(type, plan, window, selection),
      ),
  };
  return byRows as Store;
}

function openSqlite(statements: string[], { types = TODO, sql, now }: Options = {}): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'read-ahead-'));
  const file = join(folder, 'jmap.db');
  const writerDatabase = openDatabase({ file });
  migrate(writerDatabase, migrations('sqlite'));
  writerDatabase.exec(ACCOUNTS);
  writerDatabase.exec(sql?.('TEXT') ?? '');
  const store = createSqliteStore({
    ...{ writer: new Writer(writerDatabase, conductor), writerDatabase, types },
    ...{ reader: openDatabase({ file, readonly: true }), ...(now === undefined ? {} : { now }) },
    onStatement: (sql) => void statements.push(sql),
  });
  const close = async (): Promise<void> => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, close };
}

async function openPostgresql(
  url: string,
  statements: string[],
  { types = TODO, sql, now }: Options = {},
): Promise<Opened> {
  const operator = postgresqlDatabase.openPool({ url, size: 1 });
  await postgresqlDatabase.migrate(operator, migrations('postgresql'));
  await operator.query(ACCOUNTS);
  await operator.query(sql?.('TEXT COLLATE "C"') ?? '');
  await operator.end();
  const store = createPostgresqlStore({
    conductor,
    ...{ pool: postgresqlDatabase.openPool({ url, size: 4, pipeline: true }), types },
    ...(now === undefined ? {} : { now }),
    onStatement: (sql) => void statements.push(sql),
  });
  return { store, close: () => store.close() };
}

const postgresql = usePostgresql();

describe.each(['sqlite', 'postgresql'] as const)(
  'a /get of what the call before it finds, on %s',
  (engine) => {
    const statements: string[] = [];
    let opened: Opened;
    let ids: readonly string[];
    /** A state in the midst of all changes. */
    let middle: string;
    /** Where the schedule of objects is: writes of the test count on. */
    let written = 0;

    beforeAll(async () => {
      opened =
        engine === 'sqlite'
          ? openSqlite(statements)
          : await openPostgresql(await postgresql().createDatabase('readahead'), statements);
      const made = await one('Todo/set', { create: todos(40) });
      ids = Object.values<Json>(made.created).map(({ id }) => id);
      middle = made.newState;
      await one('Todo/set', { create: todos(5) });
      await one('Todo/set', { update: { [ids[3] ?? '']: { text: 'x'.repeat(9000) } } });
      await one('Todo/set', { update: { [ids[4] ?? '']: { done: true } }, destroy: [ids[5]] });
      await one('Todo/set', { create: todos(1), update: { [ids[4] ?? '']: { text: 'again' } } });
    });
    afterAll(() => opened.close());

    function todos(count: number): object {
      const texts = Array.from({ length: count }, () => {
        written += 1;
        return { text: `${written % 7} "é\\ 日本 ${written}`, done: written % 3 === 0 };
      });
      return Object.fromEntries(texts.map((object, index) => [`k${index}`, object]));
    }

    /** The text of the whole answer. */
    async function text(
      calls: readonly Call[],
      foresees = true,
      limits: Partial<typeof LIMITS> = {},
    ): Promise<string> {
      const services = {
        ...{ store: opened.store, registry: foresees ? registry : shortSighted },
        ...{ ids: createIdGenerator(), limits: { ...LIMITS, ...limits } },
        blobs: new FilesystemBlobStore(BLOB_FOLDER),
        conductor,
        hashing: new HashSlots(),
      };
      const dispatcher = new Dispatcher(services, { ...LIMITS, ...limits }, (error) => {
        throw error;
      });
      const body = JSON.stringify({ using: [CORE, TODOS], methodCalls: calls });
      const envelope = parseRequest(parseIJson(Buffer.from(body)), {
        ...{ maxCallsInRequest: 16, hasCapability: () => true },
      });
      return [...responseText(await dispatcher.handle(envelope, U1), 's')].join('');
    }

    async function run(calls: readonly Call[]): Promise<Json[]> {
      return JSON.parse(await text(calls)).methodResponses.map((triple: Json) => triple[1]);
    }

    async function one(name: string, args: object): Promise<Json> {
      const [response] = await run([[name, { accountId: 'a1', ...args }, 'c']]);
      return response;
    }

    const of = (name: string, path: string, resultOf = '0') => ({ resultOf, name, path });
    const query = (more: object = {}): Call => [
      'Todo/query',
      { accountId: 'a1', limit: 10, ...more },
      '0',
    ];
    const get = (callId = '1', more: object = {}, path = '/ids', name = 'Todo/query'): Call => [
      'Todo/get',
      { accountId: 'a1', '#ids': of(name, path), ...more },
      callId,
    ];
    const changes = (more: object = {}): Call => [
      'Todo/changes',
      { accountId: 'a1', sinceState: middle, maxChanges: 20, ...more },
      '0',
    ];
    const created = get('1', {}, '/created', 'Todo/changes');
    const updated = get('2', {}, '/updated', 'Todo/changes');

    async function cost(calls: readonly Call[], foresees = true): Promise<number> {
      statements.length = 0;
      await text(calls, foresees);
      return statements.length;
    }

    it('is read in one statement on SQLite, and beside the state on PostgreSQL', async () => {
      const small = { filter: { done: true }, sort: [{ property: 'created', isAscending: false }] };
      const queried = engine === 'sqlite' ? 1 : 2;
      expect(await cost([query(small), get()])).toBe(queried);
      // Rows that nobody needs are not read, and rows that can't be foreseen are read as ever.
      expect(await cost([query(small)])).toBe(engine === 'sqlite' ? 1 : 2);
      expect(await cost([query(small), get()], false)).toBeGreaterThan(queried);
      expect(await cost([query(small), ['Core/echo', {}, 'e'], get()])).toBeGreaterThan(queried);
    });

    it('has the query’s state, the order of its ids, and only objects that exist', async () => {
      const [found, got] = await run([query({ sort: [{ property: 'text' }] }), get()]);
      expect(got.list.map(({ id }: Json) => id)).toEqual(found.ids);
      expect(got.state).toBe(found.queryState.split('.')[0]);
      expect(got.notFound).toEqual([]);
    });

    it('sees what a call in between has written, and what one before it has', async () => {
      const [id = ''] = ids;
      const set = (done: boolean): Call => [
        'Todo/set',
        { accountId: 'a1', update: { [id]: { done } } },
        's',
      ];
      const first = query({ sort: [{ property: 'created' }], limit: 1 });
      const between = await run([set(false), first, set(true), get()]);
      expect(between[3].list[0]).toMatchObject({ id, done: true });
      expect(between[3].state).toBe(between[2].newState);
      const before = await run([set(false), first, get()]);
      expect(before[2].list[0]).toMatchObject({ id, done: false });
      expect(before[2].state).toBe(before[0].newState);
    });

    it('is octet for octet what it is without: drawn requests', async () => {
      const random = Random.fromEnvironment();
      const sorts = [null, [{ property: 'text' }], [{ property: 'created', isAscending: false }]];
      const filters = [null, { done: true }, { text: '日本' }, { text: 'x' }, { text: 'nowhere' }];
      const properties = ['absent', null, [], ['text'], ['done', 'id'], ['nothing'], 'text'];
      let foreseen = 0;
      for (let round = 0; isWorthwhile(round, 150, foreseen); round += 1) {
        const isQuery = random.chance(0.6);
        const asked = isQuery
          ? query({
              ...{ filter: random.pick(filters), sort: random.pick(sorts) },
              limit: random.pick([0, 1, 5, 10, 20, 21, null]),
              ...(random.chance(0.3) ? { position: random.integer(-50, 50) } : {}),
              ...(random.chance(0.2) ? { calculateTotal: true } : {}),
              ...(random.chance(0.2) ? { anchor: random.pick(ids), anchorOffset: -3 } : {}),
            })
          : changes({
              sinceState: String(random.integer(0, 50)),
              maxChanges: random.pick([1, 3, 10, 20, 30, null]),
            });
        const shown = (): object => {
          const names = random.pick(properties);
          return names === 'absent' ? {} : { properties: names };
        };
        const reference = random.pick(['0', '0', '0', '0', '0', '0', '0', 'other']);
        const further = (path: string, callId: string): Call => [
          'Todo/get',
          {
            accountId: random.pick(['a1', 'a1', 'a1', 'a1', 'a2']),
            '#ids': of(isQuery ? 'Todo/query' : 'Todo/changes', path, reference),
            ...shown(),
            ...(random.chance(0.1) ? { ids: null } : {}),
          },
          callId,
        ];
        const paths = isQuery
          ? ['/ids', '/ids', '/ids/0', '/list']
          : ['/created', '/updated', '/destroyed'];
        const calls = [asked, further(random.pick(paths), '1'), further(random.pick(paths), '2')];
        const limits = random.chance(0.3) ? { maxSizeResponse: random.integer(600, 20_000) } : {};
        statements.length = 0;
        const seen = await text(calls, true, limits);
        const fewer = statements.length;
        statements.length = 0;
        expect(seen, `seed ${random.seed}: ${JSON.stringify(calls)}`).toBe(
          await text(calls, false, limits),
        );
        if (fewer < statements.length) foreseen += 1;
      }
      expect(foreseen).toBeGreaterThan(ENOUGH_FORESEEN);
    });

    it('gives the same octets as without it, whatever comes between: drawn requests', async () => {
      const twins = [new Twin(true), new Twin(false), new Twin(false)] as const;
      const all = await Promise.all(
        twins.map(async ({ statements: said, now }, index) => {
          const options = { types: [...things.dataTypes.values()], sql: thingTable, now };
          return engine === 'sqlite'
            ? openSqlite(said, options)
            : openPostgresql(await postgresql().createDatabase(`twin${index}`), said, options);
        }),
      );
      try {
        for (const [index, { store }] of all.entries()) {
          // The last one reads row by row, on SQLite too.
          twins[index]?.serve(index === 2 ? byRow(store) : store);
        }
        expect(await compared(twins, Random.fromEnvironment(), ROUNDS)).toBeGreaterThan(
          ENOUGH_FORESEEN,
        );
      } finally {
        for (const { close } of all) await close();
      }
    });

    it('is of one state with its query while others write', async () => {
      let over = false;
      const writing = (async (): Promise<void> => {
        for (let round = 0; round < 40; round += 1) {
          const made = await one('Todo/set', { create: todos(2) });
          const [first, second] = Object.values<Json>(made.created).map(({ id }) => id);
          await one('Todo/set', { update: { [first]: { done: true } }, destroy: [second] });
        }
        over = true;
      })();
      const newest = query({ sort: [{ property: 'created', isAscending: false }] });
      while (!over) {
        const [[found, got], [changed, more, others]] = await Promise.all([
          run([newest, get()]),
          run([changes(), created, updated]),
        ]);
        expect(got.list.map(({ id }: Json) => id)).toEqual(found.ids);
        expect(got.state).toBe(found.queryState.split('.')[0]);
        expect(Number(more.state)).toBeGreaterThanOrEqual(Number(changed.newState));
        expect(Number(others.state)).toBeGreaterThanOrEqual(Number(more.state));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
    });
  },
);
