import { afterEach, expect, test } from 'vitest';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import type { OwnMethod, TypeHooks } from '../../src/capability/hooks.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { gadgetCapability } from '../methods/gadget.js';
import { type Json, Rig, U2 } from '../methods/rig.js';
import { Widget } from '../methods/widget.js';
import { within } from '../support/poll.js';

// A hook that reads and waits must not keep others from reading.

const NAME = 'Widget/look';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

function rigWith(body: OwnMethod, types: Record<string, TypeHooks<Json>> = {}): Rig {
  const method: MethodDefinition = {
    name: NAME,
    capability: Widget.capability,
    account: 'read',
    acceptSnakeCase: false,
    validateArguments: () => true,
    body: 'hookFile',
  };
  rig = new Rig({}, { hooks: { types, methods: { [NAME]: body } }, methods: [method] });
  return rig;
}

/** Something to wait for, and what ends the waiting. */
function gate(): { readonly closed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open: () => open() };
}

test('while an own method waits in its snapshot, other reads and writes are answered', async () => {
  const reading = gate();
  const going = gate();
  const own = rigWith(async (_args, _call, tx) => {
    const before = await tx.get(Widget, null);
    reading.open();
    await going.closed;
    return { before: before.length, after: (await tx.get(Widget, null)).length };
  });
  await own.create('Widget', [{ title: 'one' }]);
  const slow = own.call(NAME);
  await reading.closed;
  const { list } = await within('a read', own.call('Widget/get', { ids: null }));
  expect(list).toHaveLength(1);
  await within('a read of another user', own.call('Widget/get', { ids: [] }, { user: U2 }));
  await within('a write', own.create('Widget', [{ title: 'two' }]));
  going.open();
  // One snapshot, from its first read to its end.
  expect(await slow).toEqual({ before: 1, after: 1 });
});

test('a read by Prisma sees what others committed since the hook’s snapshot', async () => {
  const reading = gate();
  const going = gate();
  const own = rigWith(async (_args, _call, tx) => {
    const prisma = tx.prisma as PrismaClient;
    const count = async (): Promise<readonly number[]> => {
      const rows = await prisma.$queryRawUnsafe<Json[]>('SELECT "id" FROM "Widget"');
      const ids = rows.map(({ id }) => id);
      return [ids.length, (await tx.get(Widget, ids)).length];
    };
    const before = await count();
    reading.open();
    await going.closed;
    return { before, after: await count() };
  });
  await own.create('Widget', [{ title: 'one' }]);
  const slow = own.call(NAME);
  await reading.closed;
  await own.create('Widget', [{ title: 'two' }]);
  going.open();
  expect(await slow).toEqual({ before: [1, 1], after: [2, 1] });
});

test('before and after of a standard method wait without keeping others from reading', async () => {
  const waits = [gate(), gate()];
  const going = gate();
  const hook = (index: number) => async (value: Json, _call: unknown, reader: Json) => {
    await reader.get(Widget, null);
    waits[index]?.open();
    await going.closed;
    return index === 0 ? value : {};
  };
  const own = rigWith(async () => ({}), {
    Widget: { methods: { query: { before: hook(0), after: hook(1) } } },
  });
  const slow = own.call('Widget/query');
  await waits[0]?.closed;
  await within('a read', own.call('Widget/get', { ids: null }));
  going.open();
  expect((await slow).ids).toEqual([]);
});

test('more hooks than there are connections: all are answered, one after the other', async () => {
  const going = gate();
  let reading = 0;
  const own = rigWith(async (_args, _call, tx) => {
    await tx.get(Widget, null);
    reading += 1;
    await going.closed;
    return { reading };
  });
  const all = Array.from({ length: 7 }, () => own.call(NAME));
  await within('a read', own.call('Widget/get', { ids: null }));
  going.open();
  expect((await Promise.all(all)).every((answer) => answer.error === undefined)).toBe(true);
  expect(reading).toBe(7);
});

test('a hook that hasn’t read holds nothing; a read after its time is refused', async () => {
  let late: (() => Promise<unknown>) | undefined;
  const own = rigWith(async (_args, _call, tx) => {
    late = () => tx.get(Widget, null);
    return { statements: own.statements.length };
  });
  own.statements.length = 0;
  expect(await own.call(NAME)).toEqual({ statements: 0 });
  await expect(late?.()).rejects.toThrow('The transaction of this hook is over.');
});

test('a hook reads a singleton that nobody has written, by its defaults', async () => {
  const setting = gadgetCapability.dataTypes.find(({ name }) => name === 'Setting') as never;
  const own = rigWith(async (_args, _call, tx) => ({
    lists: [await tx.get(setting, null), await tx.get(setting, ['singleton'])],
    none: await tx.get(setting, ['other']),
  }));
  const light = { id: 'singleton', theme: 'light' };
  expect(await own.call(NAME)).toMatchObject({ lists: [[light], [light]], none: [] });
});

test.each([{ limit: -1 }, { limit: 1.5 }, { position: Number.NaN }])(
  'a query of a hook with %o is refused',
  async (query) => {
    const own = rigWith(async (_args, _call, tx) => ({ ids: await tx.query(Widget, query) }));
    await own.create('Widget', [{ title: 'one' }]);
    expect((await own.call(NAME)).error).toBe('serverFail');
    expect(String(own.failures[0]?.error)).toContain('query takes a whole number');
  },
);
