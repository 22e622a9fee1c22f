import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import { HookRefusal, type OwnMethod } from '../../src/capability/index.js';
import type { Validator } from '../../src/capability/validation.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { CORE, type Json, ONCE, Rig } from '../methods/rig.js';
import { Widget } from '../methods/widget.js';

const NAME = 'Widget/rebuild';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

function rigWith(
  body: OwnMethod,
  account: MethodDefinition['account'] = 'write',
  validateResponse?: Validator,
  types: CapabilityHooks['types'] = {},
  timeout = 2000,
): Rig {
  const method: MethodDefinition = {
    name: NAME,
    capability: Widget.capability,
    account,
    acceptSnakeCase: false,
    validateArguments: () => true,
    ...(validateResponse === undefined ? {} : { validateResponse }),
    body: 'hookFile',
  };
  rig = new Rig({}, { hooks: { types, methods: { [NAME]: body } }, methods: [method], timeout });
  return rig;
}

async function titles(of: Rig): Promise<readonly string[]> {
  const { list } = await of.call('Widget/get', { ids: null });
  return list.map(({ title }: Json) => title);
}

test('an own method answers what its function returns, and gets the arguments', async () => {
  const own = rigWith((args: Json, call) => ({ got: args.word, by: call.userId }), 'read');
  expect(await own.call(NAME, { word: 'x' })).toEqual({ got: 'x', by: 'u1' });
});

test('the hooks of an object that it writes get its name and arguments', async () => {
  const seen: Json[] = [];
  const own = rigWith(
    async (_args, _call, tx) => {
      await tx.set(Widget, { create: { k: { title: 'made' } } });
      return {};
    },
    'write',
    undefined,
    { Widget: { check: (_wanted, call) => void seen.push([call.method, call.arguments]) } },
  );
  await own.call(NAME, { word: 'x' });
  expect(seen).toEqual([[NAME, { accountId: 'a1', word: 'x' }]]);
});

test('the hooks of an object that it writes can not change its arguments', async () => {
  const own = rigWith(
    async (args, _call, tx) => {
      await tx.set(Widget, { create: { k: { title: 'made' } } });
      return { got: args };
    },
    'write',
    undefined,
    {
      Widget: {
        check: (_wanted, call) => {
          const { list } = call.arguments as Json;
          expect(() => list.push(2)).toThrow(TypeError);
        },
      },
    },
  );
  expect(await own.call(NAME, { list: [1] })).toEqual({ got: { accountId: 'a1', list: [1] } });
});

test('tx.set writes through the engine: state and change records are kept', async () => {
  const own = rigWith(async (_args, _call, tx) => {
    const { created } = await tx.set(Widget, { create: { k: { title: 'made' } } });
    const seen = await tx.get(Widget, null);
    return { made: created?.['k'] !== undefined, seen: seen.length };
  });
  expect(await own.call(NAME)).toEqual({ made: true, seen: 1 });
  const { created, newState } = await own.call('Widget/changes', { sinceState: '0' });
  expect([created.length, newState]).toEqual([1, '1']);
});

test('RFC 8620 5.3: later calls of the request name what an own method created', async () => {
  const own = rigWith(async (args, _call, tx) => {
    const id = args['id'] as string | undefined;
    const { created } = await tx.set(Widget, { create: { k: { title: 'made' } } });
    const made: Json = created?.['k'];
    return { createdIds: { mine: id ?? made.id } };
  });
  const [[, response], [, { list }]] = await own.calls([
    [NAME, { accountId: 'a1' }, '0'],
    ['Widget/get', { accountId: 'a1', ids: ['#mine'] }, '1'],
  ]);
  expect(response).toEqual({});
  expect(list).toMatchObject([{ title: 'made' }]);
  expect(await own.call(NAME, { id: 'no id' })).toMatchObject({ error: 'serverFail' });
});

test('the Prisma client sees its transaction’s writes, and refuses to write', async () => {
  const own = rigWith(async (_args, _call, tx) => {
    const prisma = tx.prisma as PrismaClient;
    await tx.set(Widget, { create: { k: { title: 'made' } } });
    const rows = await prisma.$queryRawUnsafe<Json[]>('SELECT "title" FROM "Widget"');
    const refused = await prisma.jmapMeta.create({ data: { key: 'x', value: 'y' } }).then(
      () => 'written',
      (error: Error) => error.message,
    );
    return { rows, refused };
  });
  const answer = await own.call(NAME);
  expect(answer.rows).toEqual([{ title: 'made' }]);
  expect(answer.refused).toContain('tx.set');
});

test('a function that throws undoes its call and nothing else; nothing of it leaves', async () => {
  const own = rigWith(async (_args, _call, tx) => {
    await tx.set(Widget, { create: { k: { title: 'made' } } });
    throw new Error('secret of the house');
  });
  await own.create('Widget', [{ title: 'before' }]);
  const answer = await own.call(NAME);
  expect(answer.error).toBe('serverFail');
  expect(JSON.stringify(answer)).not.toContain('secret');
  expect(answer.description).toContain(own.failures[0]?.reference);
  expect(await titles(own)).toEqual(['before']);
  await own.create('Widget', [{ title: 'after' }]);
  expect(await titles(own)).toEqual(['before', 'after']);
});

test('a transaction that runs again forgets the failures of its first attempt', async () => {
  const own = rigWith(async (_args, _call, tx) => {
    await tx.set(Widget, { create: { k: { title: 'made' } } });
    return {};
  });
  const { store } = own.services;
  const write = store.write.bind(store);
  // As on PostgreSQL after a deadlock.
  vi.spyOn(store, 'write').mockImplementationOnce(async (account, options, work) => {
    const undone = write(account, options, (transaction) => {
      transaction.writeRows = () => Promise.reject(new Error('A deadlock.'));
      return work(transaction);
    });
    await expect(undone).rejects.toThrow('A deadlock.');
    return write(account, options, work);
  });
  expect(await own.call(NAME)).toEqual({});
  expect(await titles(own)).toEqual(['made']);
});

test('a HookRefusal is the error that the client reads', async () => {
  const own = rigWith(() => {
    throw new HookRefusal('forbidden', 'Only on Mondays.');
  });
  expect(await own.call(NAME)).toMatchObject({
    error: 'forbidden',
    description: 'Only on Mondays.',
  });
  expect(own.failures).toEqual([]);
});

test('a response that its schema refuses undoes the call', async () => {
  const validator: Validator = (data) => {
    validator.errors = [
      {
        instancePath: '/n',
        schemaPath: '#',
        keyword: 'type',
        params: {},
        message: 'must be integer',
      },
    ];
    return (data as Json).n === 1;
  };
  const own = rigWith(
    async (_args, _call, tx) => {
      await tx.set(Widget, { create: { k: { title: 'made' } } });
      return { n: 'x' };
    },
    'write',
    validator,
  );
  expect((await own.call(NAME)).error).toBe('serverFail');
  expect(String(own.failures[0]?.error)).toContain('"n" must be integer');
  expect(await titles(own)).toEqual([]);
});

test('HOOK_TIMEOUT: serverFail, rolled back, tx revoked, signal aborted, no lock', async () => {
  let late: unknown;
  let aborted = false;
  const own = rigWith(
    async (_args, call, tx) => {
      await tx.set(Widget, { create: { k: { title: 'made' } } });
      call.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await wait(200);
      late = await tx.set(Widget, { create: { k: { title: 'late' } } }).catch((error) => error);
      return {};
    },
    'write',
    undefined,
    {},
    60,
  );
  const answer = await own.call(NAME);
  expect(answer.error).toBe('serverFail');
  expect(answer.description).toContain('HOOK_TIMEOUT (60 ms)');
  expect(aborted).toBe(true);
  // Another call has the lock while the first one's function still runs.
  await own.create('Widget', [{ title: 'next' }]);
  await wait(250);
  expect(String(late)).toContain('over');
  expect(await titles(own)).toEqual(['next']);
});

test('a method that only reads can not write; one without account has no data', async () => {
  const reading = rigWith(async (_args, _call, tx) => {
    const why = (error: Error): string => error.message;
    return { set: await tx.set(Widget, {}).then(() => '', why) };
  }, 'read');
  expect((await reading.call(NAME)).set).toContain('account: write');
  await reading.close();
  const none = rigWith(async (_args, _call, tx) => {
    return { get: await tx.get(Widget, null).then(String, (error) => error.message) };
  }, 'none');
  expect((await none.call(NAME)).get).toContain('account: none');
});

test('a call with a key that comes again runs no hook; snake_case is legal', async () => {
  const told: Json[] = [];
  let runs = 0;
  const own = rigWith(
    async (args: Json, _call, tx) => {
      runs += 1;
      expect(args).not.toHaveProperty('onceKey');
      await tx.set(Widget, { create: { k: { title: 'made' } } });
      if (args.fails === true && runs < 3) throw new HookRefusal('invalidArguments', 'not yet');
      return { runs, text: 'x'.repeat(args.length ?? 0) };
    },
    'write',
    undefined,
    { Widget: { afterCommit: (changes) => void told.push(changes) } },
  );
  const call = (args: object) => own.call(NAME, args, { using: [CORE, Widget.capability, ONCE] });
  const first = await call({ onceKey: 'k' });
  expect(await call({ onceKey: 'k' })).toEqual(first);
  expect([runs, await titles(own)]).toEqual([1, ['made']]);
  // A call that failed as a whole is run again.
  const failing = { onceKey: 'f', fails: true };
  expect(await call(failing)).toMatchObject({ error: 'invalidArguments' });
  expect(await call(failing)).toMatchObject({ runs: 3 });
  expect(await call(failing)).toMatchObject({ runs: 3 });
  // So is what could not be kept.
  const large = { onceKey: 'l', length: 1_000_000 };
  expect(await call(large)).toMatchObject({ error: 'requestTooLarge' });
  expect(await titles(own)).toHaveLength(2);
  await vi.waitFor(() => expect(told).toHaveLength(2));
  const set = { create: { k: { title: 'snake' } }, once_key: 's' };
  const using = { using: [CORE, Widget.capability, ONCE] };
  const { created } = await own.call('Widget/set', set, using);
  expect((await own.call('Widget/set', { ...set }, using)).created).toEqual(created);
  const both = { ...set, onceKey: 's' };
  expect(await own.call('Widget/set', both, using)).toMatchObject({ error: 'invalidArguments' });
});

test('a key costs three statements, and one where the call comes again', async () => {
  const own = rigWith(() => ({}), 'read');
  const count = async (args: object): Promise<number> => {
    const before = own.statements.length;
    await own.call('Widget/set', args, { using: [CORE, Widget.capability, ONCE] });
    return own.statements.length - before;
  };
  const create = { k: { title: 'w' } };
  const plain = await count({ create });
  expect(await count({ create, onceKey: 'k' })).toBe(plain + 3);
  expect(await count({ create, onceKey: 'k' })).toBe(1);
});
