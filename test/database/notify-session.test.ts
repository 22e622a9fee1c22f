import { expect, it, onTestFinished } from 'vitest';
import { notifyDatabase } from '../../src/database/postgresql/notify-session.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();
const HOUR = 3_600_000;

async function open(url: string, origin: string) {
  const lost: unknown[] = [];
  const listener = { payload: () => undefined, lost: (error: unknown) => void lost.push(error) };
  const session = await notifyDatabase(url)(origin).listen(listener);
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
