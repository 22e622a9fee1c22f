import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addAccounts, onPostgresql } from '../../store/storages.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { openHub, write } from './served-hubs.js';

const postgresql = usePostgresql();
const WRITERS = Array.from({ length: 16 }, (_, at) => `a${at}`);
const WRITES = 200;

/** NOTIFY has its transaction hold this lock until its end: writers would wait for each other. */
const NOTIFYING = `SELECT DISTINCT "application_name" AS "name" FROM pg_locks
  JOIN pg_stat_activity USING ("pid")
  WHERE "locktype" = 'object' AND "classid" = 'pg_database'::regclass AND "objid" = 0`;
const WAITING = `SELECT "application_name" AS "name" FROM pg_stat_activity
  WHERE "wait_event_type" = 'Lock' AND "wait_event" = 'object'
    AND "application_name" = 'jmapsmith'`;

describe('Sixteen writers whose commits are told to other servers', () => {
  it('never notify in a transaction that writes, nor wait for one that does', async () => {
    const url = await postgresql().createDatabase('writers');
    const storages = [await onPostgresql(url), await onPostgresql(url)] as const;
    const hubs = storages.map((storage) => openHub(storage));
    await eventually(() => {
      for (const hub of hubs) expect(hub.counts()).toMatchObject({ listen: 1, peers: 1 });
    });
    await addAccounts(storages[0], WRITERS);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());

    let isWriting = true;
    const notifying = new Set<string>();
    const waiting: string[] = [];
    const sample = async (): Promise<void> => {
      while (isWriting) {
        for (const { name } of (await client.query(NOTIFYING)).rows) notifying.add(name);
        for (const { name } of (await client.query(WAITING)).rows) waiting.push(name);
      }
    };
    const sampling = sample();
    await Promise.all(
      WRITERS.map(async (accountId, writer) => {
        const storage = storages[writer % 2 === 0 ? 0 : 1];
        for (let at = 0; at < WRITES; at += 1) await write(storage, accountId, `o${at}`);
      }),
    );
    isWriting = false;
    await sampling;
    for (const hub of hubs) expect(hub.counts().hints.out).toBeGreaterThan(0);
    expect([...notifying].filter((name) => !name.startsWith('jmapsmith push '))).toEqual([]);
    expect(waiting).toEqual([]);
  });
});
