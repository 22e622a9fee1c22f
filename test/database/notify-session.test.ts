import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { notifyDatabase } from '../../src/database/postgresql/notify-session.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();
const HOUR = 3_600_000;

async function open(url: string, origin: string, patience = 5000) {
  const lost: unknown[] = [];
  const listener = { payload: () => undefined, lost: (error: unknown) => void lost.push(error) };
  const session = await notifyDatabase(url, { patience })(origin).listen(listener);
  onTestFinished(() => session.destroy());
  return { session, lost };
}

it('a session ends those of silent processes, and none that began after the silence', async () => {
  const url = await postgresql().createDatabase('sessions');
  const own = await open(url, 'own');
  const silent = [await open(url, 'silent'), await open(url, 'silent')];
  const other = await open(url, 'other');
  expect(await silent[0]?.session.takeShards([3])).toEqual([3]);
  await own.session.expel(['silent', 'missing'], HOUR);
  expect(await own.session.takeShards([3])).toEqual([]);
  await own.session.expel(['silent', 'missing'], 0);
  expect(await own.session.takeShards([3])).toEqual([3]);
  await eventually(() => expect(silent.map(({ lost }) => lost.length > 0)).toEqual([true, true]));
  expect([own.lost, other.lost]).toEqual([[], []]);
});

it('a session that settles ends earlier ones of its process', async () => {
  const url = await postgresql().createDatabase('sessions');
  const [earlier, later] = [await open(url, 'own'), await open(url, 'own')];
  await later.session.settle();
  await eventually(() => expect(earlier.lost.length).toBeGreaterThan(0));
  expect(later.lost).toEqual([]);
});

it('a session that could not take shards in time is lost, and leaves no lock behind', async () => {
  const url = await postgresql().createDatabase('sessions');
  const [slow, other] = [await open(url, 'slow', 500), await open(url, 'other')];
  const pool = openPool({ url, size: 1 });
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT "pid" FROM pg_stat_activity WHERE "application_name" = 'jmapsmith push slow'`,
  );
  await pool.end();
  const pid = rows[0]?.pid ?? expect.unreachable();
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(slow.session.takeShards([3])).rejects.toThrow();
    await eventually(() => expect(slow.lost.length).toBeGreaterThan(0));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  // The statement may run after all: its session ends with the socket.
  await eventually(async () => expect(await other.session.takeShards([3])).toEqual([3]));
});
