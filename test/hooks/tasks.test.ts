import { expect, it, onTestFinished } from 'vitest';
import { createAccount } from '../../src/accounts/index.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import { TaskRows } from '../../src/database/task-rows.js';
import type { RegistryHooks } from '../../src/hooks/runner.js';
import { type HeldTask, listSeedKinds, listTaskKinds, TaskWorker } from '../../src/hooks/tasks.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { createLogging } from '../../src/server/logging.js';
import { gadgetCapability } from '../methods/gadget.js';
import { Rig } from '../methods/rig.js';

// The worker of a server, on the rows of a real database.

const SECOND = 1000;
const HOUR = 3600 * SECOND;

function open(gadgetHooks: CapabilityHooks): Rig {
  const rig = new Rig({}, { gadgetHooks });
  onTestFinished(() => rig.close());
  return rig;
}

/** Starts the worker of a server with these hooks of gadgets; it stops with the test. */
function start(rig: Rig, rows = new TaskRows(rig.engine())): TaskWorker {
  const { services } = rig;
  const hooks = services.hooks as RegistryHooks;
  const { log } = createLogging('fatal');
  const worker = new TaskWorker({
    ...{ hooks, services, hookServices: hooks.services, log, patience: 30 * SECOND },
    tasks: rows,
  });
  worker.start();
  onTestFinished(() => worker.stop());
  return worker;
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
  const worker = start(rig, new StoppedRows(rig.engine()));
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
  const own = listSeedKinds(rig.services.registry);
  expect(own).toEqual(['accountCreated:gadgets']);
  await make('of a version before', []);
  await make('of a later version', ['accountCreated:later']);
  await make('seeded', own);
  start(rig);
  const left = async () => (await rig.engine().jmapTask.findMany()).map(({ kind }) => kind);
  await expect.poll(left).toEqual(['accountCreated:later']);
  expect(seeded).toEqual(['seeded']);
});

it('takes the tasks of a type that a later version has renamed', async () => {
  const afterCommit = { durable: true, run: () => undefined };
  const rig = open({ types: { Gadget: { afterCommit } } });
  await rig.create('Gadget', [{ title: 'A' }]);
  const [task] = await rig.engine().jmapTask.findMany();
  const [gadget] = gadgetCapability.dataTypes;
  if (gadget === undefined) throw new Error('no gadget');
  const renamed = createRegistry([
    {
      ...gadgetCapability,
      ...{ methods: [], dataTypes: [{ ...gadget, name: 'Gizmo' }] },
      hooks: { types: { Gizmo: { afterCommit } } },
    },
  ]);
  expect(listTaskKinds(renamed)).toEqual([task?.kind]);
});
