import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser } from '../../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import { TestCopy, todoTable } from './copy.js';
import { FaultyWire, HttpWire } from './wires.js';

// Copies of an account on a real server, over HTTP, through a network that loses requests and
// answers.

let server: RunningServer;
let owner: { readonly token: string; readonly accountId: string };
beforeAll(async () => {
  server = await startServer();
  owner = await makeUser(server, 'owner');
});
afterAll(() => server.remove());

function openCopy(wire = new FaultyWire(new HttpWire(server.url, owner.token))): TestCopy {
  return new TestCopy({ wire, accountId: owner.accountId, tables: [todoTable] });
}

describe('copies of an account', () => {
  it('show a write at once, and the other one shows it after a cycle', async () => {
    const [here, there] = [openCopy(), openCopy()];
    await Promise.all([here.settle(), there.settle()]);
    const key = here.create('Todo', { text: 'Tea' });
    expect(here.replica.row('Todo', key)).toMatchObject({
      text: 'Tea',
      done: false,
      $pending: true,
    });
    await here.settle();
    const row = here.replica.row('Todo', key);
    expect(row).toMatchObject({ text: 'Tea', done: false, $key: key, $pending: false });
    await there.settle();
    expect(there.replica.row('Todo', row?.id ?? '')).toMatchObject({ text: 'Tea', done: false });
    here.update('Todo', key, { done: true });
    here.update('Todo', key, { text: 'Coffee' });
    await here.settle();
    await there.settle();
    expect(there.replica.row('Todo', row?.id ?? '')).toMatchObject({ text: 'Coffee', done: true });
    there.destroy('Todo', row?.id ?? '');
    await there.settle();
    await here.settle();
    expect(here.replica.row('Todo', key)).toBeUndefined();
    await Promise.all([here.close(), there.close()]);
  });

  it('end a refused write with its error, and show the object as it is', async () => {
    const copy = openCopy();
    await copy.settle();
    const key = copy.create('Todo', { text: 'x'.repeat(600) });
    const good = copy.create('Todo', { text: 'good' });
    await copy.settle();
    expect(copy.replica.row('Todo', key)).toBeUndefined();
    expect(copy.replica.row('Todo', good)).toMatchObject({ text: 'good', $pending: false });
    expect(copy.outcomes).toMatchObject([
      { isMade: false, error: { type: 'invalidProperties', properties: ['text'] } },
      { isMade: true },
    ]);
    await copy.close();
  });
});
