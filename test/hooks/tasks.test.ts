import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { deletionKey } from '../../src/accounts/change.js';
import { createAccount } from '../../src/accounts/index.js';
import { livingAccounts } from '../../src/accounts/living.js';
import type { CapabilityHooks, JobCall } from '../../src/capability/capability-hooks.js';
import type { Changes, EffectCall } from '../../src/capability/hooks.js';
import { TaskRows } from '../../src/database/task-rows.js';
import { RegistryHooks } from '../../src/hooks/runner.js';
import { listAccountCreatedKinds } from '../../src/hooks/task-kinds.js';
import { type HeldTask, type TaskOptions, TaskWorker } from '../../src/hooks/tasks.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import type { Log } from '../../src/runtime/log.js';
import { createLogging } from '../../src/server/logging.js';
import { dataType, gadgetCapability, property } from '../methods/gadget.js';
import { type Json, Rig } from '../methods/rig.js';

// The worker of a server, on the rows of a real database.

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A gadget as a later version has it. */
interface Labelled {
  readonly label: string;
}

function open(gadgetHooks: CapabilityHooks): Rig {
  const rig = new Rig({}, { gadgetHooks });
  onTestFinished(() => rig.close());
  return rig;
}

/** Starts the worker of a server with these hooks of gadgets; it stops with the test. */
function start(rig: Rig, changed: Partial<TaskOptions> = {}): TaskWorker {
  const { services } = rig;
  const hooks = services.hooks as RegistryHooks;
  const { log } = createLogging('fatal');
  const worker = new TaskWorker({
    ...{ hooks, services, hookServices: hooks.services, log, patience: 30 * SECOND },
    tasks: new TaskRows(rig.engine()),
    accounts: livingAccounts(rig.engine()),
    ...changed,
  });
  worker.start();
  onTestFinished(() => worker.stop());
  return worker;
}

/** Returns a log, and its errors. */
function noteErrors(): { readonly log: Log; readonly messages: readonly string[] } {
  const messages: string[] = [];
  const { log } = createLogging('fatal');
  const error = (_: object, message: string): void => void messages.push(message);
  return { log: Object.assign(Object.create(log) as Log, { error }), messages };
}

it('a task is held for the time of its own hook', async () => {
  const seen: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const effect = (timeout: '1h' | '1s', name: string) => ({
    ...{ durable: true, timeout },
    run: () => {
      seen.push(name);
      return released;
    },
  });
  const types = {
    Gadget: { afterCommit: effect('1s', 'short') },
    Setting: { afterCommit: effect('1h', 'long') },
  };
  const rig = open({ types });
  await rig.create('Gadget', [{ title: 'A' }]);
  await rig.call('Setting/set', { update: { singleton: { theme: 'dark' } } });
  start(rig);
  onTestFinished(() => release());
  await expect.poll(() => seen.sort()).toEqual(['long', 'short']);
  const held = await rig.engine().jmapTask.findMany({ orderBy: { due: 'asc' } });
  const times = held.map(({ due }) => Number(due) - Date.now());
  expect(times).toEqual([expect.any(Number), expect.any(Number)]);
  expect(times[0], '1 s and 5 s').toBeLessThan(7 * SECOND);
  expect(times[1], '1 h and 5 s').toBeGreaterThan(HOUR);
});

it('tasks that hang hold up no other kind', async () => {
  const seen: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hang = () => {
    seen.push('hangs');
    return released;
  };
  const types = {
    Gadget: { afterCommit: { durable: true, run: hang } },
    Setting: { afterCommit: { durable: true, run: () => void seen.push('setting') } },
  };
  const rig = open({ types, accountCreated: () => void seen.push('account') });
  for (const title of 'ABCDEFGHIJ') await rig.create('Gadget', [{ title }]);
  await rig.call('Setting/set', { update: { singleton: { theme: 'dark' } } });
  const tasks = listAccountCreatedKinds(rig.services.registry);
  await createAccount(rig.engine(), createIdGenerator(), { name: 'new', tasks });
  start(rig);
  onTestFinished(() => release());
  const hanging = Array(4).fill('hangs');
  await expect.poll(() => [...seen].sort()).toEqual(['account', ...hanging, 'setting']);
  release();
  await expect.poll(() => seen.filter((what) => what === 'hangs')).toHaveLength(10);
});

it('a call that changes many objects leaves several tasks', async () => {
  const seen = new Map<string, readonly string[]>();
  const run = ({ destroyed }: Changes<{ id: string }>, { effectId }: EffectCall) => {
    const ids = destroyed.map(({ id }) => id);
    if (ids.length > 0) seen.set(String(effectId), ids);
  };
  const rig = open({ types: { Part: { afterCommit: { durable: true, run } } } });
  const [gadgetId] = await rig.create('Gadget', [{ title: 'A' }]);
  const ids: string[] = [];
  for (const count of [900, 300])
    ids.push(...(await rig.create('Part', Array(count).fill({ gadgetId }))));
  await rig.call('Gadget/set', { destroy: [gadgetId] });
  expect(await rig.engine().jmapTask.count()).toBe(4);
  start(rig);
  await expect.poll(() => rig.engine().jmapTask.count()).toBe(0);
  expect([...seen.values()].map(({ length }) => length).sort()).toEqual([1000, 200]);
  expect([...seen.values()].flat().sort()).toEqual(ids.sort());
});

it('a task without a hook stays', async () => {
  const rig = open({ types: { Gadget: { afterCommit: { durable: true, run: () => undefined } } } });
  const task = { accountId: 'a1', id: 't1', kind: 'afterCommit:Gone' };
  await rig.engine().jmapTask.create({ data: { ...task, payload: '{}', due: 0n, attempts: 1n } });
  const taken = [[{ ...task, payload: '{}', attempt: 1 }]];
  class WrongRows extends TaskRows {
    override take() {
      return Promise.resolve(taken.shift() ?? []);
    }
  }
  const { log, messages } = noteErrors();
  start(rig, { tasks: new WrongRows(rig.engine()), log });
  await expect.poll(() => messages).toHaveLength(1);
  expect(await rig.engine().jmapTask.count()).toBe(1);
});

it('waits before it looks again at a database that fails', async () => {
  const run = (): void => expect.unreachable();
  const rig = open({ jobs: { look: { every: '1d', run }, tidy: { every: '1d', run } } });
  class FailingRows extends TaskRows {
    override beginPeriod(): never {
      throw new Error('no database');
    }
  }
  const { log, messages } = noteErrors();
  start(rig, { tasks: new FailingRows(rig.engine()), log });
  await wait(1300);
  expect(messages).toEqual(['the tasks of hooks could not be read; it is tried again']);
});

it('a worker that stops gives tasks back that it has taken', async () => {
  const afterCommit = { durable: true, run: () => expect.unreachable() };
  const rig = open({ types: { Gadget: { afterCommit } } });
  await rig.create('Gadget', [{ title: 'A' }]);
  const taken: Promise<readonly HeldTask[]>[] = [];
  class StoppedRows extends TaskRows {
    override take(...how: Parameters<TaskRows['take']>) {
      worker.halt();
      taken.push(super.take(...how));
      return taken[0] ?? Promise.resolve([]);
    }
  }
  const worker = start(rig, { tasks: new StoppedRows(rig.engine()) });
  await expect.poll(() => taken.length).toBe(1);
  await worker.stop();
  const [held] = (await taken[0]) ?? [];
  expect(held).toMatchObject({ attempt: 1 });
  const [row] = await rig.engine().jmapTask.findMany();
  expect(row).toMatchObject({ id: held?.id, attempts: 0n });
  expect(Number(row?.due)).toBeLessThanOrEqual(Date.now());
});

it('seeds accounts that a version with the hook has made, and no others', async () => {
  const seeded: string[] = [];
  const accountCreated = ({ name }: { readonly name: string }) => void seeded.push(name);
  const rig = open({ accountCreated });
  const make = (name: string, tasks: readonly string[]) =>
    createAccount(rig.engine(), createIdGenerator(), { name, tasks });
  const own = listAccountCreatedKinds(rig.services.registry);
  expect(own, 'a file outlives its URN').toEqual(['accountCreated:gadgets']);
  await make('of a version before', []);
  await make('of a later version', ['accountCreated:later']);
  await make('seeded', own);
  start(rig);
  const left = async () => (await rig.engine().jmapTask.findMany()).map(({ kind }) => kind);
  await expect.poll(left).toEqual(['accountCreated:later']);
  expect(seeded).toEqual(['seeded']);
});

it('a later version does the tasks of a type and a property that it has renamed', async () => {
  const seen: Changes<Labelled>[] = [];
  const durable = (run: (changes: Changes<Labelled>) => void) => ({
    afterCommit: { durable: true, run },
  });
  const rig = open({ types: { Gadget: durable(() => expect.unreachable()) } });
  await rig.create('Gadget', [{ title: 'A' }]);
  const [gadget] = gadgetCapability.dataTypes;
  if (gadget === undefined) throw new Error('no gadget');
  const properties = gadget.properties.map((property) =>
    property.name === 'title' ? { ...property, name: 'label' } : property,
  );
  const renamed = createRegistry([
    {
      ...gadgetCapability,
      ...{ methods: [], dataTypes: [{ ...gadget, name: 'Gizmo', properties }] },
      hooks: { types: { Gizmo: durable((changes) => void seen.push(changes)) } },
    },
  ]);
  const { services } = rig.services.hooks as RegistryHooks;
  start(rig, { hooks: new RegistryHooks(renamed, services) });
  await expect.poll(() => rig.engine().jmapTask.count()).toBe(0);
  expect(seen).toMatchObject([{ created: [{ label: 'A' }], updated: [], destroyed: [] }]);
  expect(seen[0]?.created[0]).not.toHaveProperty('title');
});

it('a later version converts the objects of tasks that an earlier one has kept', async () => {
  const seen: unknown[] = [];
  const durable = (run: (changes: Changes<Json>) => void) => ({
    afterCommit: { durable: true, run },
  });
  const rig = open({ types: { Gadget: durable(() => expect.unreachable()) } });
  const ids = await rig.create('Gadget', [{ title: '12' }, { title: '7' }]);
  await rig.call('Gadget/set', { update: { [ids[0] as string]: { title: '13' } } });
  await rig.call('Gadget/set', { destroy: [ids[1]] });
  const [broken] = await rig.create('Gadget', [{ title: 'many' }]);
  const [gadget] = gadgetCapability.dataTypes;
  if (gadget === undefined) throw new Error('no gadget');
  const properties = [
    ...gadget.properties.filter(({ name }) => name !== 'title'),
    property('title', 'integer', { column: 'title_2', required: true }),
    property('words', 'string', { column: 'words_2', required: true }),
  ];
  const convert = ({ title }: { readonly title: string }) => ({ title: Number(title) });
  const evolution = {
    ...{ migration: 7, file: 'evolve/0007-count.ts', table: 'Gadget', convert },
    before: gadget.properties,
    after: {
      title: { column: 'title_2', initial: 0 },
      words: { column: 'words_2', initial: '' },
    },
  };
  const schemas = { title: { type: 'integer' }, words: { type: 'string' } };
  const later = dataType('Gadget', properties, schemas);
  const registry = createRegistry([
    {
      ...gadgetCapability,
      ...{ methods: [], dataTypes: [later], evolutions: [evolution] },
      hooks: {
        types: {
          Gadget: durable(({ created, updated, destroyed }) => {
            const all = [...created, ...updated.flatMap(Object.values), ...destroyed];
            seen.push(all.map(({ title, words }) => [title, words]));
          }),
        },
      },
    },
  ]);
  const { services } = rig.services.hooks as RegistryHooks;
  start(rig, { hooks: new RegistryHooks(registry, services) });
  const left = () => rig.engine().jmapTask.findMany();
  await expect.poll(async () => (await left()).map(({ error }) => error !== null)).toEqual([true]);
  expect(seen).toContainEqual([
    [12, ''],
    [7, ''],
  ]);
  expect(seen).toContainEqual([
    [12, ''],
    [13, ''],
  ]);
  expect(seen).toContainEqual([[7, '']]);
  const [{ error, payload } = {}] = await left();
  expect(payload).toContain(broken);
  expect(error).toContain('The hook Gadget of evolve/0007-count.ts gave');
});

it('the seed of an account is held while it waits for that account, too', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const rig = open({ accountCreated: () => released });
  const tasks = listAccountCreatedKinds(rig.services.registry);
  await createAccount(rig.engine(), createIdGenerator(), { name: 'new', tasks });
  start(rig);
  onTestFinished(() => release());
  const due = async () => (await rig.engine().jmapTask.findMany()).map((task) => Number(task.due));
  await expect.poll(async () => (await due())[0] ?? 0).toBeGreaterThan(Date.now() + 30 * SECOND);
});

it('does nothing more for accounts that are being deleted', async () => {
  const seen: unknown[] = [];
  const run = async ({ accounts, inAccount }: JobCall): Promise<void> => {
    const ids = await accounts();
    const works = ['a1', 'gone', 'a2'].map((id) => inAccount(id, () => `in ${id}`));
    seen.push(ids, await Promise.all(works));
  };
  const afterCommit = { durable: true, run: () => expect.unreachable() };
  const rig = open({ types: { Gadget: { afterCommit } }, jobs: { look: { every: '1d', run } } });
  await rig.create('Gadget', [{ title: 'A' }]);
  const prisma = rig.engine();
  await prisma.jmapMeta.create({ data: { key: deletionKey('a1'), value: '0' } });
  start(rig);
  await expect.poll(() => prisma.jmapTask.count()).toBe(0);
  await expect
    .poll(() => seen)
    .toEqual([
      ['a2', 'an', 'ar', 'ax'],
      [null, null, 'in a2'],
    ]);
});

it('work of a hook that is given up writes nothing', async () => {
  const [gadget] = gadgetCapability.dataTypes;
  const results: unknown[] = [];
  const timeout = '500ms' as const;
  const run = async ({ inAccount, signal }: Pick<EffectCall, 'inAccount' | 'signal'>) => {
    const write = (title: string, pause: number): Promise<unknown> =>
      inAccount(async (tx) => {
        await tx.set(gadget as never, { create: { k: { title } } });
        await wait(pause);
      }).catch(String);
    await wait(300);
    const early = [write('runs', 300), write('waits for the account', 0)];
    await wait(300);
    expect(signal.aborted).toBe(true);
    results.push(await Promise.all([...early, write('begins later', 0)]));
  };
  const afterCommit = {
    durable: true,
    timeout,
    run: (_: unknown, call: EffectCall) => (call.attempt === 1 ? run(call) : undefined),
  };
  const job = ({ inAccount, signal }: JobCall) =>
    run({ signal, inAccount: (work) => inAccount('a1', work) as never });
  const jobs = { late: { every: '1d', timeout, run: job } } as const;
  const rig = open({ types: { Setting: { afterCommit } }, jobs });
  await rig.call('Setting/set', { update: { singleton: { theme: 'dark' } } });
  start(rig);
  await expect.poll(() => rig.engine().jmapTask.count(), { timeout: 5 * SECOND }).toBe(0);
  const refused = (what: string) => [
    ...Array(2).fill(expect.stringContaining('took longer')),
    `HookTimeoutError: The hook ${what} took longer than its timeout (500 ms)`,
  ];
  expect(results).toHaveLength(2);
  expect(results).toContainEqual(refused('afterCommit of Setting'));
  expect(results).toContainEqual(refused('job late of gadgets'));
  expect((await rig.call('Gadget/get', { ids: null })).list).toEqual([]);
});

it('a job goes on where an account is deleted during its work', async () => {
  const results: unknown[] = [];
  const deleted = new Set<string>();
  const run = async ({ inAccount }: JobCall): Promise<void> => {
    const result = await inAccount('a1', () => {
      deleted.add('a1');
      throw new Error('no such object');
    });
    const failed = inAccount('a2', () => Promise.reject(new Error('a fault of the job')));
    results.push(result, await failed.catch(String));
  };
  const rig = open({ jobs: { look: { every: '1d', run } } });
  const living = livingAccounts(rig.engine());
  const find = async (id: string) => (deleted.has(id) ? null : living.find(id));
  start(rig, { accounts: { ...living, find } });
  await expect.poll(() => results).toEqual([null, expect.stringContaining('a fault of the job')]);
});
