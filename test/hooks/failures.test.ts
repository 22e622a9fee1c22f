import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import type { PropertyDefinition } from '../../src/capability/definition.js';
import type { TypeHooks } from '../../src/capability/hooks.js';
import { HookRefusal } from '../../src/capability/index.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { HookBudget } from '../../src/hooks/budget.js';
import { exclusiveTypes } from '../../src/hooks/reach.js';
import { createRegistry } from '../../src/methods/registry.js';
import { type Json, Rig } from '../methods/rig.js';
import { Widget, widgetCapability } from '../methods/widget.js';
import { eventually, within } from '../support/poll.js';
import { referring } from '../support/references.js';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

function rigWith(hooks: TypeHooks<Json>, timeout = 2000): Rig {
  rig = new Rig({}, { hooks: { types: { Widget: hooks } }, timeout });
  return rig;
}

const set = (title: string): [string, object] => [
  'Widget/set',
  { accountId: 'a1', create: { k: { title } } },
];

describe('a hook that fails undoes its call and nothing else', () => {
  const failures: readonly [string, unknown, RegExp][] = [
    ['an Error', new TypeError('broken'), /Widget threw TypeError: broken$/],
    ['a text', 'just words', /Widget threw what is no Error: 'just words'$/],
    ['nothing', undefined, /Widget threw what is no Error: undefined$/],
    ['null', null, /Widget threw what is no Error: null$/],
    ['an object', { code: 7 }, /Widget threw what is no Error: \{ code: 7 \}$/],
  ];
  for (const part of ['check', 'inTransaction'] as const) {
    for (const [what, thrown, why] of failures) {
      test(`${part} that rejects with ${what}`, async () => {
        const fail = (objects: Json): Promise<void> => {
          const [first] = part === 'check' ? objects : objects.created;
          return (first.after ?? first).title === 'bad'
            ? Promise.reject(thrown)
            : Promise.resolve();
        };
        const own = rigWith({ [part]: fail });
        const [one, two, three] = await own.calls([set('before'), set('bad'), set('after')]);
        expect([one[0], two[0], three[0]]).toEqual(['Widget/set', 'error', 'Widget/set']);
        expect(two[1].type).toBe('serverFail');
        const [failure] = own.failures;
        expect(String(failure?.error)).toMatch(new RegExp(`The hook ${part} of ${why.source}`));
        expect(two[1].description).toContain(failure?.reference);
        const { list, state } = await own.call('Widget/get', { ids: null });
        expect(list.map(({ title }: Json) => title)).toEqual(['before', 'after']);
        expect(state).toBe('2');
      });
    }
  }

  test('a HookRefusal is the error of its call alone', async () => {
    const own = rigWith({
      inTransaction: async ({ created: [{ title }] }: Json) => {
        if (title === 'bad') throw new HookRefusal('forbidden', 'Not this one.');
      },
    });
    const answers = await own.calls([set('before'), set('bad'), set('after')]);
    expect(answers[1]).toEqual(['error', { type: 'forbidden', description: 'Not this one.' }]);
    expect((await own.call('Widget/get', { ids: null })).list).toHaveLength(2);
    expect(own.failures).toEqual([]);
  });
});

describe('refuse', () => {
  for (const [what, error] of [
    ['nothing', undefined],
    ['a text', 'forbidden'],
    ['no type', { description: 'no' }],
    ['a type that is no text', { type: 7, description: 'no' }],
    ['a type that is no name', { type: '', description: 'no' }],
    ['a type with spaces', { type: 'not today', description: 'no' }],
    ['a type that begins with a digit', { type: '1x', description: 'no' }],
    ['a type that is not declared', { type: 'mailboxHasEmail', description: 'no' }],
    ['a member that is not declared', { type: 'forbidden', description: 'no', until: 1 }],
    ['a wrong standard member', { type: 'forbidden', description: 'no', properties: [1] }],
    ['no description', { type: 'forbidden' }],
    ['a class', { type: 'forbidden', description: 'no', cause: new Error('no') }],
  ] as const) {
    test(`with ${what} is the server's failure: no client reads it`, async () => {
      const own = rigWith({ check: ([wanted]: Json) => wanted.refuse(error) });
      expect((await own.call('Widget/set', { create: { k: { title: 'x' } } })).error).toBe(
        'serverFail',
      );
      expect(String(own.failures[0]?.error)).toContain('The hook check of Widget');
    });
  }

  test.each(['mailboxHasChild', 'example.com:locked'])(
    'with a type of its own is told to the client: %s',
    async (type) => {
      const error = { type, description: 'no' };
      const own = rigWith({ check: ([wanted]: Json) => wanted.refuse(error) });
      const { notCreated } = await own.call('Widget/set', { create: { k: { title: 'x' } } });
      expect(notCreated.k).toEqual(error);
    },
  );

  test('ends with the check: a later refusal changes nothing that is written', async () => {
    let late: (() => void) | undefined;
    const own = rigWith({
      check([wanted]: Json) {
        late = () => wanted.refuse({ type: 'forbidden', description: 'too late' });
      },
      async inTransaction() {
        expect(() => late?.()).toThrow('too late to refuse');
      },
    });
    const { created, notCreated } = await own.call('Widget/set', { create: { k: { title: 'x' } } });
    expect([Object.keys(created), notCreated]).toEqual([['k'], null]);
    expect(() => late?.()).toThrow('too late to refuse');
  });
});

test('a check that never ends is given up; the Prisma client that it kept refuses', async () => {
  let prisma: PrismaClient | undefined;
  const late: string[] = [];
  const own = rigWith(
    {
      async check([wanted]: Json, _call, reader) {
        if (wanted.after.title !== 'slow') return;
        prisma = reader.prisma as PrismaClient;
        await wait(250);
        await prisma.jmapMeta.findMany().then(
          () => late.push('read'),
          ({ message }: Error) => late.push(message),
        );
        wanted.refuse({ type: 'forbidden', description: 'late' });
      },
      // Another call's transaction, open while the first one's function goes on.
      async inTransaction() {
        await eventually(() => expect(late).toHaveLength(1));
      },
    },
    100,
  );
  const slow = own.call('Widget/set', { create: { k: { title: 'slow' } } });
  expect((await slow).description).toContain('check of Widget took longer than HOOK_TIMEOUT');
  await within('the lock', own.call('Widget/get', { ids: null }));
  await eventually(() => expect(late).toHaveLength(1));
  expect(late[0]).toContain('over');
});

test('`call` has the client’s method and its arguments, inside tx.set too', async () => {
  const seen: string[] = [];
  const own = rigWith({
    check(_wanted, { method, accountId, userId }) {
      seen.push(`${method} ${accountId} ${userId}`);
    },
    async inTransaction({ created: [{ title }] }: Json, { method }, tx) {
      seen.push(method);
      if (title === 'outer') await tx.set(Widget, { create: { k: { title: 'inner' } } });
    },
  });
  const [id] = await own.create('Widget', [{ title: 'outer' }]);
  expect(seen).toEqual(['Widget/set a1 u1', 'Widget/set', 'Widget/set a1 u1', 'Widget/set']);
  seen.length = 0;
  const copy = { fromAccountId: 'a1', accountId: 'a2', create: { c: { id } } };
  await own.calls([['Widget/copy', copy]]);
  expect(seen[0]).toBe('Widget/copy a2 u1');
  expect(seen.slice(1)).toEqual(['Widget/copy', 'Widget/copy a2 u1', 'Widget/copy']);
});

test('a change of a request after tx.set took it is not written', async () => {
  const own = rigWith({
    async inTransaction({ created: [{ title }] }: Json, _call, tx) {
      if (title !== 'outer') return;
      const meta: Json = { a: { b: 1 } };
      const done = tx.set(Widget, { create: { k: { title: 'inner', meta } } });
      await Promise.resolve();
      meta.a.b = 2;
      await done;
      meta.a.b = 3;
    },
  });
  await own.create('Widget', [{ title: 'outer' }]);
  const { list } = await own.call('Widget/get', { ids: null });
  expect(list.map(({ meta }: Json) => meta)).toEqual([{}, { a: { b: 1 } }]);
});

test('a tx.set that failed half-way undoes the call, even if the hook catches it', async () => {
  const own = rigWith({
    async inTransaction({ created: [{ title }] }: Json, _call, tx) {
      if (title === 'inner') throw new Error('no inner one');
      await tx.set(Widget, { create: { k: { title: 'inner' } } }).catch(() => undefined);
    },
  });
  const create = { k: { title: 'outer' } };
  expect((await own.call('Widget/set', { create })).error).toBe('serverFail');
  expect(String(own.failures[0]?.error)).toContain('threw Error: no inner one');
  expect((await own.call('Widget/get', { ids: null })).list).toEqual([]);
});

test('HOOK_TIMEOUT adds the time of all hooks, without the waits of the call', async () => {
  const hook = { what: 'a hook', limit: null };
  const patient = new HookBudget(200, Number.POSITIVE_INFINITY);
  expect(await patient.run(hook, async () => 'first')).toBe('first');
  await wait(300);
  expect(await patient.run(hook, async () => 'second')).toBe('second');

  const spent = new HookBudget(200, Number.POSITIVE_INFINITY);
  await spent.run(hook, () => wait(120)).catch(() => undefined);
  // One inside of another takes of the same time.
  await expect(spent.run(hook, () => spent.run(hook, () => wait(120)))).rejects.toThrow(
    'a hook took longer than HOOK_TIMEOUT (200 ms)',
  );
  expect(spent.signal.aborted).toBe(true);
});

test('a timeout may be longer than a timer can be', async () => {
  const budget = new HookBudget(200, Number.POSITIVE_INFINITY);
  const hook = { what: 'a hook', limit: 30 * 86_400_000 };
  expect(await budget.run(hook, () => wait(20).then(() => 'done'))).toBe('done');
});

test('an afterCommit writes in a transaction of its own', async () => {
  const own = rigWith({
    async afterCommit({ created }, { inAccount }) {
      if (created[0]?.['title'] !== 'x') return;
      await inAccount((tx) => tx.set(Widget, { create: { l: { title: 'y' } } }));
    },
  });
  await own.call('Widget/set', { create: { k: { title: 'x' } } });
  await eventually(async () => {
    const { list } = await own.call('Widget/get', { ids: null });
    expect(list.map(({ title }: Json) => title)).toEqual(['x', 'y']);
  });
});

test('a timeout of its own bounds a hook, and takes none of the time of the others', async () => {
  const seen: string[] = [];
  const own = rigWith(
    {
      check: { timeout: '5s', run: () => wait(90) },
      async inTransaction() {
        seen.push('inTransaction');
      },
      afterCommit: {
        timeout: '30ms',
        async run(_changes, { signal }) {
          await wait(60);
          seen.push(`aborted: ${signal.aborted}`);
        },
      },
    },
    60,
  );
  const create = { k: { title: 'x' } };
  expect((await own.call('Widget/set', { create })).created.k).toBeDefined();
  await wait(120);
  expect(seen).toEqual(['inTransaction', 'aborted: true']);
  expect(own.failures.map(({ error }) => String(error))).toEqual([
    'HookTimeoutError: The hook afterCommit of Widget took longer than its timeout (30 ms)',
  ]);
});

test('a hook beyond its timeout undoes the call, which says so', async () => {
  const own = rigWith({
    inTransaction: { timeout: '20ms', run: () => wait(200) },
  });
  const { error, description } = await own.call('Widget/set', { create: { k: { title: 'x' } } });
  expect(error).toBe('serverFail');
  expect(description).toContain('inTransaction of Widget took longer than its timeout (20 ms)');
  expect(description).toContain('nothing was changed');
  expect((await own.call('Widget/get', { ids: null })).list).toEqual([]);
});

test('an endless chain of properties is reported by its type, and nothing is kept', async () => {
  const sources = [{ type: 'Widget', property: 'count' }];
  const widget = {
    ...Widget,
    properties: Widget.properties.map((property) =>
      property.name === 'count'
        ? { ...property, computed: { kind: 'on', sources } as const }
        : property,
    ),
  };
  const count = async ({ Widget: { created, updated } }: Json): Promise<Map<string, number>> =>
    new Map(
      [...created, ...updated.map(({ after }: Json) => after)].map((one) => [
        one.id,
        one.count + 1,
      ]),
    );
  rig = new Rig({}, { widget, hooks: { types: { Widget: { computeOn: { count } } } } });
  expect((await rig.call('Widget/set', { create: { k: { title: 'x' } } })).error).toBe(
    'serverFail',
  );
  expect(String(rig.failures[0]?.error)).toContain('8 rounds Widget still changed');
  expect((await rig.call('Widget/get', { ids: null })).list).toEqual([]);
});

describe('writes with a transaction of their own', () => {
  const property = (more: Partial<PropertyDefinition>): PropertyDefinition => {
    const [, , , title] = Widget.properties;
    if (title === undefined) throw new Error('A widget has a title.');
    return { ...title, name: 'more', ...more };
  };
  const refers = (type: string, onDestroy: 'cascade' | 'restrict'): PropertyDefinition =>
    property(referring({ type, form: 'single', onDestroy, acyclic: false }));

  function exclusive(
    types: Readonly<Record<string, readonly PropertyDefinition[]>>,
    hooks: NonNullable<CapabilityHooks['types']>,
  ): readonly string[] {
    const dataTypes = Object.entries(types).map(([name, more]) => ({
      ...Widget,
      name,
      properties: [...Widget.properties, ...more],
    }));
    const methods: readonly MethodDefinition[] = [];
    const capability = widgetCapability();
    return [
      ...exclusiveTypes(
        createRegistry([{ ...capability, dataTypes, methods, hooks: { types: hooks } }]),
      ),
    ].sort();
  }
  const waits = { inTransaction: async () => undefined };

  test('are writes whose own hooks wait; compute and afterCommit do not', () => {
    expect(
      exclusive(
        { A: [], B: [], C: [], D: [], E: [] },
        {
          A: { check: () => undefined },
          B: waits,
          C: { compute: {}, afterCommit: () => undefined },
          D: { methods: { set: { after: () => ({}) } } },
          E: { methods: { get: { after: () => ({}) }, set: { before: (args) => args } } },
        },
      ),
    ).toEqual(['A', 'B', 'D']);
  });

  test('are writes that change other objects whose hooks wait', () => {
    const count = property({ computed: { kind: 'count', type: 'Line', by: 'more' } });
    const on = property({
      computed: { kind: 'on', sources: [{ type: 'Rate', property: 'title' }] },
    });
    const types = {
      Book: [count],
      Line: [refers('Book', 'restrict')],
      Part: [refers('Line', 'cascade')],
      Rate: [],
      Price: [on],
      Far: [refers('Price', 'restrict')],
    };
    // A line changes its book's count; a rate its prices. A part counts for nothing.
    expect(exclusive(types, { Book: waits })).toEqual(['Book', 'Line', 'Rate']);
    expect(exclusive(types, { Part: waits })).toEqual(['Line', 'Part', 'Rate']);
    expect(exclusive(types, {})).toEqual(['Rate']);
  });
});
