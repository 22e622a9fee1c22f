import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrate, openDatabase } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import { TaskRows } from '../../src/database/task-rows.js';
import { createHooks } from '../../src/hooks/runner.js';
import { type HeldTask, TaskWorker } from '../../src/hooks/tasks.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createLogging } from '../../src/server/logging.js';
import { gadgetCapability } from '../methods/gadget.js';
import { MIGRATIONS, temporaryFolder } from './folder.js';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const KIND = 'afterCommit:Gadget';

function open() {
  const file = join(temporaryFolder(), 'jmap.db');
  const db = openDatabase({ file });
  migrate(db, MIGRATIONS);
  const prisma = openPrismaStandalone(file);
  onTestFinished(async () => {
    await prisma.$disconnect();
    db.close();
  });
  const keep = (id: string, due: number) =>
    prisma.jmapTask.create({
      data: { accountId: 'a', id, kind: KIND, payload: '{}', due: BigInt(due), attempts: 0n },
    });
  return { rows: new TaskRows(prisma), keep, prisma };
}

it('one server begins a period, and others are told when the next one begins', async () => {
  const { rows } = open();
  expect(await rows.beginPeriod('job', NOW, HOUR)).toBe(0);
  expect(await rows.beginPeriod('job', NOW + 1000, HOUR)).toBe(HOUR - 1000);
  expect(await rows.beginPeriod('job', NOW - 1000, HOUR), 'another clock').toBe(HOUR + 1000);
  expect(await rows.beginPeriod('job', NOW + HOUR, HOUR)).toBe(0);
});

it('a period that a wrong clock began in the far future ends at once', async () => {
  const { rows } = open();
  await rows.beginPeriod('job', NOW + 1000 * HOUR, HOUR);
  expect(await rows.beginPeriod('job', NOW, HOUR)).toBe(0);
});

it('a worker that stops gives tasks back that it has taken', async () => {
  const { rows, keep, prisma } = open();
  await keep('t1', NOW);
  const afterCommit = { durable: true, run: () => expect.unreachable() };
  const hooked = { ...gadgetCapability, hooks: { types: { Gadget: { afterCommit } } } };
  const hookServices = {
    ...{ timeout: HOUR, prisma: null, onError: () => undefined },
    join: <T>(work: () => Promise<T>) => work(),
  };
  const hooks = createHooks(createRegistry([hooked]), hookServices);
  if (hooks === undefined) throw new Error('no hooks');
  const taken: Promise<readonly HeldTask[]>[] = [];
  class StoppedRows extends TaskRows {
    override take(...how: Parameters<TaskRows['take']>) {
      worker.halt();
      taken.push(super.take(...how));
      return taken[0] ?? Promise.resolve([]);
    }
  }
  const { log } = createLogging('fatal');
  const worker = new TaskWorker({
    ...{ hooks, hookServices, log, services: {} as never, patience: 0 },
    tasks: new StoppedRows(prisma),
  });
  await worker.start();
  await expect.poll(() => taken.length).toBe(1);
  await worker.stop();
  expect(await taken[0]).toHaveLength(1);
  const [again] = await rows.take([KIND], { now: Date.now(), hold: 1, limit: 1 });
  expect(again).toMatchObject({ id: 't1', attempt: 1 });
});
