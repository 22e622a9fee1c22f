import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../src/database/postgresql/index.js';
import { reportAdapter } from '../../../src/database/postgresql/report-prisma.js';
import { usePostgresql } from '../../support/postgresql.js';

const postgresql = usePostgresql();

it('a report refuses a role that may write one column, and takes one that only reads', async () => {
  const url = await postgresql().createDatabase('report_role');
  const pool = openPool({ url, size: 1 });
  const role = `reports_${process.pid}`;
  onTestFinished(async () => {
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await pool.end();
  });
  await pool.query(`CREATE TABLE "JmapAccount" ("id" text);
CREATE TABLE "Todo" ("id" text, "text" text);
CREATE ROLE ${role} LOGIN PASSWORD 'r';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  const reader = new URL(url);
  reader.username = role;
  reader.password = 'r';
  const open = async (): Promise<void> => {
    const adapter = await reportAdapter(reader.href, false);
    await (await adapter.connect()).dispose();
  };
  await open();
  for (const right of ['UPDATE ("text")', 'INSERT ("text")', 'DELETE', 'TRUNCATE']) {
    await pool.query(`GRANT ${right} ON "Todo" TO ${role}`);
    await expect(open(), right).rejects.toThrow(`The role ${role} may write`);
    await pool.query(`REVOKE ${right} ON "Todo" FROM ${role}`);
  }
  await open();
});
