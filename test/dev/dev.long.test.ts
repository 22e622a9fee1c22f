import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { useOwnPostgresql } from '../support/postgresql.js';
import { HOOKS, NODE_TEST, ORDERS, REPORT_POSTGRESQL, teamProject } from './project.js';
import { Dev, runProgram, useDev } from './rig.js';

const running = useDev();

describe('jmapsmith dev', () => {
  it('shows a wrong type after the restart', async () => {
    const wrong = HOOKS.replace("type: 'forbidden'", 'type: 7');
    await running().project.write('capabilities/orders.hooks.ts', wrong);
    expect(await running().dev.until(/error TS\d+/)).toMatch(
      /Restarted[\s\S]*orders\.hooks\.ts\(12,22\)/,
    );
    await running().project.write('capabilities/orders.hooks.ts', HOOKS);
    await running().dev.until(/Restarted/);
  });

  it('shows a wrong type where the file is saved again before it was found', async () => {
    const wrong = HOOKS.replace("type: 'forbidden'", 'type: 8');
    await running().project.write('capabilities/orders.hooks.ts', wrong);
    await running().dev.until(/Restarted/);
    await running().project.write('capabilities/orders.hooks.ts', wrong);
    await running().dev.until(/Nothing to restart for[\s\S]*error TS\d+/);
    await running().project.write('capabilities/orders.hooks.ts', HOOKS);
    await running().dev.until(/Restarted/);
  });

  it('shows what is wrong with a descriptor; a right one changes the database twice', async () => {
    await running().request('Order/set', { create: { a: { text: 'a' }, b: { text: 'b' } } });
    const more = (lines: string) => ORDERS.replace('      total:', `${lines}      total:`);
    await running().project.write(
      'capabilities/orders.yaml',
      more('      paid: { type: bolean }\n'),
    );
    expect(await running().dev.until(/goes on as it was/)).toMatch(
      /^capabilities\/orders\.yaml:10:\d+: /m,
    );
    const paid = '      paid: { type: boolean, default: false }\n';
    await running().project.write('capabilities/orders.yaml', more(paid));
    await running().dev.until(/0002_order_paid[\s\S]*Restarted/);
    // The database has 0002: a further change must not make it anew.
    const late = `${paid}      late: { type: boolean, default: true }\n`;
    await running().project.write('capabilities/orders.yaml', more(late));
    await running().dev.until(/0003_order_late[\s\S]*Restarted/);
    const answer = await running().request('Order/get', {
      ids: null,
      properties: ['paid', 'late'],
    });
    const row = { id: expect.any(String), paid: false, late: true };
    expect((answer as { list: unknown }).list).toEqual([row, row]);
  });

  it('ends at once where the port is in use', async () => {
    const other = await teamProject();
    const blocker = createServer().listen(0, '127.0.0.1');
    try {
      await once(blocker, 'listening');
      const { port } = blocker.address() as { port: number };
      const second = new Dev(running().project.root, {
        PORT: String(port),
        DATA_DIR: join(other.root, 'd'),
      });
      const [code] = await once(second.child, 'close');
      expect(code).toBe(1);
      expect(await second.until(/EADDRINUSE/)).toMatch(/set PORT or HOST/);
    } finally {
      blocker.close();
      await other.remove();
    }
  });
});

describe('on PostgreSQL', () => {
  const database = useOwnPostgresql();

  it('tests of hooks run there, and a report needs a role that only reads', async () => {
    const { root, write } = running().project;
    const url = await database().createDatabase('orders');
    const env = { DATABASE_URL: url };
    await write('test/orders.test.mjs', NODE_TEST);
    const tests = await runProgram(root, ['--test', 'test/'], env);
    expect(tests.code, tests.stdout).toBe(0);

    await write('reports/orders.mjs', REPORT_POSTGRESQL);
    const refused = await runProgram(root, ['reports/orders.mjs'], env);
    expect(refused.stderr).toMatch(/WritingRoleError: The role \w+ may write/);
    const pool = openPool({ url, size: 1 });
    await pool.query("CREATE ROLE reports LOGIN PASSWORD 'r'");
    await pool.query('GRANT pg_read_all_data TO reports');
    await pool.end();
    const reader = new URL(url);
    reader.username = 'reports';
    reader.password = 'r';
    const report = await runProgram(root, ['reports/orders.mjs'], { DATABASE_URL: reader.href });
    expect(report.code, report.stderr).toBe(0);
  });
});
