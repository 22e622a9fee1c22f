import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { openHub, TIMES } from './hubs.js';

const postgresql = usePostgresql();
const PROGRAM = fileURLToPath(new URL('hub-process.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A hub in a process of its own, and the doubts that it tells of. */
function startHub(url: string): { readonly child: ChildProcess; readonly doubts: string[] } {
  const doubts: string[] = [];
  const child = fork(PROGRAM, [ROOT, url, JSON.stringify(TIMES)], { execArgv: [] });
  child.on('message', ({ reason }: { reason: string }) => doubts.push(reason));
  onTestFinished(() => kill(child));
  return { child, doubts };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Notifies until nothing more can be on the way to a client that takes nothing. */
async function flood(client: pg.Client): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await client.query(
      `SELECT count(pg_notify('jmapsmith_push', "n" || repeat('x', 7900)))
        FROM generate_series($1::int, $1::int + 499) AS "n"`,
      [round * 1000],
    );
  }
}

describe('The hub of another process', () => {
  it('is missed when it is killed: its shards are taken over, and all is compared', async () => {
    const url = await postgresql().createDatabase('killed');
    const hub = openHub({ url });
    const { child } = startHub(url);
    await eventually(() => expect(hub.shards().length).toBe(8));
    await eventually(() => {
      child.send({ accountId: 'a', changed: { Todo: '1' } });
      expect(hub.heard.get('a')).toEqual({ Todo: 1 });
    });
    await kill(child);
    await eventually(() => expect(hub.shards().length).toBe(16));
    await eventually(() => expect(hub.doubts).toContain('peerLost'));
    expect(hub.hub.counts()).toMatchObject({ listen: 1, peers: 0 });
  });

  it.skipIf(process.platform === 'win32')(
    'keeps no notifications waiting while it is stopped, and catches up afterwards',
    async () => {
      const url = await postgresql().createDatabase('stopped');
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      const { child, doubts } = startHub(url);
      await eventually(() => expect(doubts).toContain('connected'));
      const sessions = async (): Promise<number> => {
        const { rowCount } = await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE "application_name" LIKE 'jmapsmith push %'
            AND "datname" = current_database()`,
        );
        return rowCount ?? 0;
      };
      expect(await sessions()).toBe(1);
      child.kill('SIGSTOP');
      await flood(client);
      // PostgreSQL gives up a client that takes nothing, and with it what waits for it.
      await eventually(async () => expect(await sessions()).toBe(0));
      await client.query(`SELECT pg_notify('jmapsmith_push', 'x')`);
      await eventually(async () => {
        const { rows } = await client.query('SELECT pg_notification_queue_usage() AS "usage"');
        expect(rows[0].usage).toBeLessThan(0.001);
      });
      const before = doubts.length;
      child.kill('SIGCONT');
      await eventually(() => expect(doubts.slice(before)).toContain('connected'));
      expect(await sessions()).toBe(1);
    },
  );
});
