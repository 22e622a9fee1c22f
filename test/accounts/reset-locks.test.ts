import { expect, it, onTestFinished } from 'vitest';
import { resetStates } from '../../scripts/backup/reset-states.js';
import { createAccount } from '../../src/accounts/index.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();
const WAITING = `SELECT count(*)::integer AS "count" FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

it('reset-states waits for a change of a group before it holds accounts', async () => {
  const url = await postgresql().createDatabase('reset_locks');
  const pool = openPool({ url, size: 4 });
  await migrate(pool, 'prisma/postgresql/migrations');
  const prisma = openPrisma(pool);
  onTestFinished(async () => {
    await prisma.$disconnect();
    await pool.end();
  });
  const ids = createIdGenerator();
  const first = await createAccount(prisma, ids, { name: 'A', user: 'ann' });
  const last = await createAccount(prisma, ids, { name: 'B', user: 'bob' });
  const change = await pool.connect();
  const hold = (accountId: string) =>
    change.query('SELECT 1 FROM "JmapAccount" WHERE "id" = $1 FOR UPDATE', [accountId]);
  let resetting: Promise<void> | undefined;
  try {
    await change.query('BEGIN');
    await change.query(`UPDATE "JmapMeta" SET "value" = "value" WHERE "key" = 'accessVersion'`);
    await hold(last);
    resetting = resetStates(prisma, ['Todo']);
    resetting.catch(() => undefined);
    await eventually(async () => {
      const { rows } = await pool.query<{ count: number }>(WAITING);
      expect(rows[0]?.count).toBe(1);
    }, 20_000);
    // Else the two would wait for one another.
    await hold(first);
    await change.query('COMMIT');
  } finally {
    change.release(true);
  }
  await resetting;
  expect(await prisma.jmapState.count({ where: { type: 'Todo' } })).toBe(2);
});
