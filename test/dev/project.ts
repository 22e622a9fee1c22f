import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/server.js';

/** A descriptor and a hook file as a team writes them. */
export const ORDERS = `capability: urn:example:orders
types:
  Customer:
    properties:
      name: { type: string, maxLength: 100 }
    required: [name]
  Order:
    properties:
      text: { type: string, maxLength: 100 }
      total: { type: integer, default: 0 }
      due: { type: [string, 'null'], format: utc-date }
      customerId: { type: [string, 'null'], references: Customer }
      label: { type: string, access: serverSet, default: '', computed: { from: [text] } }
    required: [text]
    filter: { text: equals }
methods:
  Order/add:
    account: write
    arguments:
      type: object
      properties: { accountId: { type: string, format: id }, text: { type: string } }
      required: [accountId, text]
    response: { type: object, properties: { id: { type: string } }, required: [id] }
`;

export const HOOKS = `import type { Hooks } from '../generated/orders/hooks.js';
import { orderType } from '../generated/orders/Order.definition.js';
import { shout } from '../rules/shout.js';

export const hooks = {
  types: {
    Order: {
      compute: { label: ({ text }) => shout(text) },
      check(wanted) {
        for (const { after, refuse } of wanted)
          if (after !== null && after.total < 0)
            refuse({ type: 'forbidden', description: 'A total is never negative.' });
      },
    },
  },
  methods: {
    'Order/add': async ({ text }, _call, tx) => {
      const { created } = await tx.set(orderType, { create: { a: { text } } });
      return { id: created?.['a']?.id ?? '' };
    },
  },
} satisfies Hooks;
`;

export const SHOUT = `export function shout(text: string): string {
  return text.toUpperCase();
}
`;

/** A test of the hooks, as a team writes it; DATABASE_URL is passed on where it is set. */
export const NODE_TEST = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestServer } from 'jmapsmith/testing';

const { DATABASE_URL } = process.env;
let server;
before(async () => {
  server = await openTestServer(DATABASE_URL === undefined ? {} : { env: { DATABASE_URL } });
});
after(() => server.close());

test('a rule refuses one object alone', async () => {
  const create = { a: { text: 'tea' }, b: { text: 'debt', total: -1 } };
  const { created, notCreated } = await server.call('Order/set', { create });
  assert.equal(created.a.label, 'TEA');
  assert.equal(notCreated.b.description, 'A total is never negative.');
});

test('a method of the team has its response, and an error is thrown', async () => {
  const { id } = await server.call('Order/add', { text: 'milk' });
  const { list } = await server.call('Order/get', { ids: [id], properties: ['label'] });
  assert.deepEqual(list, [{ id, label: 'MILK' }]);
  await assert.rejects(server.call('Order/add', { text: 5 }), { type: 'invalidArguments' });
});

test('users share an account, or have their own; a request has references', async () => {
  const reader = await server.addUser('read');
  await assert.rejects(reader.call('Order/set', {}), { type: 'accountReadOnly' });
  const other = await server.addUser();
  const args = { accountId: other.accountId };
  const ids = { resultOf: '0', name: 'Order/query', path: '/ids' };
  const answers = await other.request([
    ['Order/query', args, '0'],
    ['Order/get', { ...args, '#ids': ids }, '1'],
  ]);
  assert.deepEqual(answers[1][1].list, []);
  await assert.rejects(other.call('Order/get', { accountId: server.accountId, ids: null }), {
    type: 'accountNotFound',
  });
});
`;

/** A report that tries to write: by Prisma, and by SQL that would open a way to. */
export const REPORT = `import assert from 'node:assert/strict';
import { PrismaClient } from '../build/server/build/prisma/sqlite/client.js';
import { openReportClient } from 'jmapsmith/prisma';

const prisma = await openReportClient(PrismaClient);
const { name: file } = (await prisma.$queryRaw\`PRAGMA database_list\`)[0];
const before = await prisma.order.count();
assert.ok(before > 0);
const sneaky = [
  'DELETE FROM "Order"',
  'PRAGMA query_only = OFF',
  'DELETE FROM "Order" WHERE 1',
  \`ATTACH '\${process.env.DATABASE_FILE}' AS other\`,
  'DELETE FROM other."Order"',
  \`ATTACH 'file:\${process.env.DATABASE_FILE}?mode=rw' AS more\`,
  'DELETE FROM more."Order"',
];
for (const sql of sneaky) await prisma.$executeRawUnsafe(sql).catch(() => undefined);
await assert.rejects(prisma.order.deleteMany(), /readonly database/);
await assert.rejects(prisma.$executeRawUnsafe('DELETE FROM "Order"'), /readonly database/);
const [one, two] = await prisma.$transaction([prisma.order.count(), prisma.customer.count()]);
assert.equal(one, before);
assert.ok(two > 0);
const hour = 3_600_000;
const orders = await prisma.order.findMany({
  where: { created: { gt: new Date(Date.now() - hour) }, due: null, customer: { name: 'Carl' } },
  include: { customer: true, account: true },
});
assert.equal(orders.length, 1);
assert.ok(Math.abs(orders[0].created.getTime() - Date.now()) < hour);
assert.deepEqual([orders[0].customer.name, orders[0].account.name], ['Carl', "Ann's shop"]);
const later = await prisma.order.count({ where: { created: { gt: new Date(Date.now() + hour) } } });
assert.equal(later, 0);
const customers = await prisma.customer.findMany({ include: { orderByCustomer: true } });
assert.equal(customers[0].orderByCustomer[0].id, orders[0].id);
await prisma.$disconnect();
console.log(file, before);
`;

/** The same on PostgreSQL, where SET undoes what the connection began with. */
export const REPORT_POSTGRESQL = `import assert from 'node:assert/strict';
import { PrismaClient } from '../build/server/build/prisma/postgresql/client.js';
import { openReportClient } from 'jmapsmith/prisma';

const prisma = await openReportClient(PrismaClient);
assert.ok((await prisma.order.count()) > 0);
await assert.rejects(prisma.order.deleteMany(), /read-only|permission denied/);
const hour = 3_600_000;
const where = { created: { gt: new Date(Date.now() - hour), lt: new Date(Date.now() + hour) } };
const [order] = await prisma.order.findMany({ where, include: { account: true, customer: true } });
assert.ok(order.created instanceof Date && order.customer === null);
assert.equal(order.account.id, order.accountId);
const { _max } = await prisma.order.aggregate({ _max: { updated: true, total: true } });
assert.ok(_max.updated instanceof Date && typeof _max.total === 'bigint');
await prisma.$executeRawUnsafe('SET default_transaction_read_only = off');
for (let tries = 0; tries < 4; tries += 1)
  await assert.rejects(prisma.$executeRawUnsafe('DELETE FROM "Order"'), /permission|read-only/);
await prisma.$disconnect();
`;

/** A team's project in a git repository, with this checkout as its package. */
export interface TeamProject {
  readonly root: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a project of ORDERS and HOOKS; nothing is generated yet. */
export async function teamProject(): Promise<TeamProject> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-team-'));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write('capabilities/orders.yaml', ORDERS);
  await write('capabilities/orders.hooks.ts', HOOKS);
  await write('rules/shout.ts', SHOUT);
  await linkPackage(root);
  return { root, write, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Makes a folder a git repository that has this checkout as its package. */
export async function linkPackage(root: string): Promise<void> {
  await mkdir(join(root, 'node_modules'));
  await symlink(ROOT, join(root, 'node_modules/jmapsmith'), 'dir');
  execFileSync('git', ['init', '-q'], { cwd: root });
}
