import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { openTestServer, type TestServer } from 'jmapsmith/testing';
import type { Calls } from '../generated/calls.js';

const LINE = { text: 'Work', quantity: '1.5', price: '80.10', vat: 19 };

const events: Record<string, unknown>[] = [];
/** Events that the hooks told; the receiver refuses the first one. */
const receiver = createServer(async (request, response) => {
  const key = request.headers['idempotency-key'];
  events.push({ key, ...((await json(request)) as object) });
  response.writeHead(events.length === 1 ? 503 : 204).end();
});
let server: TestServer<Calls>;

before(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  process.env['INVOICING_WEBHOOK'] = `http://127.0.0.1:${port}`;
  const { DATABASE_URL } = process.env;
  const env = DATABASE_URL === undefined ? {} : { DATABASE_URL };
  server = await openTestServer<Calls>({ env });
});
after(async () => {
  await server.close();
  receiver.close();
});

/** Returns the id of a new customer. */
async function addCustomer(creditLimit: string | null = null): Promise<string> {
  const create = { a: { name: 'Ann', creditLimit } };
  const { created } = await server.call('Customer/set', { create });
  return created?.['a']?.id ?? '';
}

/** Returns the id of a new draft over 142.99. */
async function addDraft(customerId: string): Promise<string> {
  const create = { a: { customerId, lines: [LINE] } };
  const { created } = await server.call('Invoice/set', { create });
  return created?.['a']?.id ?? '';
}

async function readInvoice(id: string) {
  const { list } = await server.call('Invoice/get', { ids: [id] });
  const [invoice] = list;
  assert.ok(invoice !== undefined);
  return invoice;
}

test('amounts are exact: each line in whole cents', async () => {
  const id = await addDraft(await addCustomer());
  // 1.5 * 80.10 * 1.19 = 142.9785
  assert.equal((await readInvoice(id)).total, '142.98');
});

test('numbers have no gaps, also where calls fail or come at once', async () => {
  const customerId = await addCustomer();
  const ids = await Promise.all([1, 2, 3, 4].map(() => addDraft(customerId)));
  const [first = ''] = ids;
  await assert.rejects(server.call('Invoice/send', { ids: [first, 'nobody'] }), {
    type: 'invalidArguments',
  });
  const answers = await Promise.all(ids.map((id) => server.call('Invoice/send', { ids: [id] })));
  const numbers = answers.flatMap((answer) => Object.values(answer.numbers)).sort();
  assert.deepEqual(numbers, ['1', '2', '3', '4']);
});

test('an empty draft can not be sent', async () => {
  const create = { a: { customerId: await addCustomer() } };
  const { created } = await server.call('Invoice/set', { create });
  const send = server.call('Invoice/send', { ids: [created?.['a']?.id ?? ''] });
  await assert.rejects(send, { type: 'invalidArguments', message: /"lines"/ });
});

test('no customer is sent more than the limit allows, all invoices of a call together', async () => {
  const customerId = await addCustomer('200');
  const ids = [await addDraft(customerId), await addDraft(customerId)];
  const refused = { type: 'invalidArguments', message: /owe too much/ };
  await assert.rejects(server.call('Invoice/send', { ids }), refused);
  const [first = '', second = ''] = ids;
  await server.call('Invoice/send', { ids: [first] });
  await assert.rejects(server.call('Invoice/send', { ids: [second] }), refused);
});

describe('a sent invoice', () => {
  test('stays as it is, but for its note', async () => {
    const id = await addDraft(await addCustomer());
    await server.call('Invoice/send', { ids: [id] });
    const update = { [id]: { lines: [] } };
    const { notUpdated } = await server.call('Invoice/set', { update });
    assert.equal(notUpdated?.[id]?.type, 'invoiceIsSent');
    const { notDestroyed } = await server.call('Invoice/set', { destroy: [id] });
    assert.equal(notDestroyed?.[id]?.type, 'invoiceIsSent');
    const { updated } = await server.call('Invoice/set', { update: { [id]: { note: 'Hm.' } } });
    assert.ok(updated !== null && id in updated);
  });

  test('is paid in parts; its customer owes the rest', async () => {
    const customerId = await addCustomer('200');
    const id = await addDraft(customerId);
    await server.call('Invoice/send', { ids: [id] });
    const owed = async () => {
      const { list } = await server.call('Customer/get', { ids: [customerId] });
      return list[0]?.openAmount;
    };
    assert.equal(await owed(), '142.98');
    const create = { more: { customerId, lines: [LINE] } };
    const { notCreated } = await server.call('Invoice/set', { create });
    const refused = { type: 'creditLimitExceeded', creditLimit: '200', wouldOwe: '285.96' };
    assert.deepEqual(
      { ...notCreated?.['more'], description: undefined },
      { ...refused, description: undefined },
    );
    const { openAmount } = await server.call('Invoice/pay', { id, amount: '42.98' });
    assert.equal(openAmount, '100');
    assert.equal(await owed(), '100');
    await assert.rejects(server.call('Invoice/pay', { id, amount: '100.01' }), /100 is open/);
    await server.call('Invoice/pay', { id });
    assert.equal((await readInvoice(id)).status, 'paid');
    assert.equal(await owed(), '0');
  });
});

test('the world outside is told of each step, again until it answers', async () => {
  const id = await addDraft(await addCustomer());
  await server.call('Invoice/send', { ids: [id] });
  await server.call('Invoice/pay', { id });
  const told = () => new Set(events.filter((each) => each['id'] === id).map(({ event }) => event));
  while (told().size < 2) await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(told(), new Set(['sent', 'paid']));
  const [first] = events;
  while (events.filter(({ key }) => key === first?.['key']).length < 2)
    await new Promise((done) => setTimeout(done, 20));
});
