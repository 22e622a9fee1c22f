import { expect, it } from 'vitest';
import { changeAccess } from '../../src/accounts/change.js';
import { createAccount } from '../../src/accounts/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { onPostgresql } from '../store/storages.js';
import { usePostgresql } from '../support/postgresql.js';

const ids = createIdGenerator();
const postgresql = usePostgresql();

it('changes that wait for another hold up no read, and are made when it has ended', async () => {
  const storage = await onPostgresql(await postgresql().createDatabase('waiting_changes'));
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const long = changeAccess(storage.prisma, async ({ note }) => {
    begin();
    await ended;
    await note({ action: 'server/reset-states', objectId: 'server' });
  });
  await begun;
  let settled = 0;
  const others = Array.from({ length: 4 }, async (_, n) => {
    const account = { name: `A${n}`, user: `u${n}` };
    await createAccount(storage.prisma, ids, account).finally(() => {
      settled += 1;
    });
  });
  const made = Promise.allSettled(others);
  const waiting = async (): Promise<number> => {
    const [row] = await storage.principals.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) AS "count" FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return Number(row?.count ?? 0);
  };
  // Until two of them have the connections, and until they have given these to others.
  while ((await waiting()) < 2) await storage.accessVersion();
  while ((await waiting()) > 0) await storage.accessVersion();
  expect(await storage.principals.jmapUser.count()).toBe(0);
  expect(settled).toBe(0);
  end();
  await long;
  expect((await made).map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
});
