import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { runProgram } from '../dev/rig.js';
import { ROOT } from '../support/server.js';
import { calls } from './calls.js';
import type { Example } from './example-project.js';

/** Loads TypeScript into Nodes that don't run it themselves. */
const LOADER = pathToFileURL(join(ROOT, 'node_modules/tsx/dist/esm/index.mjs')).href;

/**
 * Tests examples/invoicing by its own tests and its data, on whatever database serves it. The
 * project's tests have a database of their own: another server would take the webhooks of theirs.
 */
export function invoicingCases(example: () => Example, makeDatabase?: () => Promise<string>): void {
  it('the tests of the project pass', async () => {
    const { root } = example();
    const env = makeDatabase === undefined ? {} : { DATABASE_URL: await makeDatabase() };
    const args = ['--import', LOADER, '--test', '--test-reporter=tap', 'test/invoicing.test.ts'];
    const { code, stdout } = await runProgram(root, args, env);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^# pass 7$/m);
  });

  it('the data to begin with is sent, and paid in part', async () => {
    const { server, client } = example();
    expect(await server.tool('scripts/seed', ['seed.yaml', '--url', server.url])).toMatch(
      /^4 created/,
    );
    const { accounts } = (await client.session()) as never as {
      accounts: Record<string, { name: string }>;
    };
    const [shopId = ''] = Object.keys(accounts).filter((id) => accounts[id]?.name === 'My shop');
    const { call, ids, read } = calls(client, shopId);
    const [door = '', roof = ''] = await ids('Invoice', { sort: [{ property: 'openAmount' }] });
    expect((await read('Invoice', door)).total).toBe('404.48');
    const { numbers } = await call('Invoice/send', { ids: [roof, door] });
    expect(numbers).toEqual({ [roof]: '1', [door]: '2' });
    const paid = { id: door, amount: '4.48', paidOn: '2026-03-01' };
    expect((await call('Invoice/pay', paid)).openAmount).toBe('400');
    const owing = { filter: { owes: '400' }, sort: [{ property: 'name', isAscending: false }] };
    expect(await ids('Customer', owing)).toHaveLength(2);
    expect(await ids('Customer', { filter: { owes: '400.01' } })).toHaveLength(1);
  });
}
