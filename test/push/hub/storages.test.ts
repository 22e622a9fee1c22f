import { describe, expect, it } from 'vitest';
import { addAccounts, onPostgresql, onSqlite } from '../../store/storages.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { record } from './hubs.js';
import { openHub, write } from './served-hubs.js';

const postgresql = usePostgresql();

describe('The hub of a server', () => {
  it('on SQLite is alone, and serves all shards', async () => {
    const hub = openHub(await onSqlite());
    expect(hub.counts()).toMatchObject({ listen: 1, peers: 0, shards: 16 });
  });

  it('on PostgreSQL hears the commits of other servers', async () => {
    const url = await postgresql().createDatabase('hubs');
    const storages = [await onPostgresql(url), await onPostgresql(url)] as const;
    const [first, second] = [openHub(storages[0]), openHub(storages[1])];
    const { heard } = record(second);
    await addAccounts(storages[0], ['a']);
    await eventually(() => {
      expect(first.counts()).toMatchObject({ listen: 1, peers: 1 });
      expect(second.counts()).toMatchObject({ listen: 1, peers: 1 });
    });
    await write(storages[0], 'a', 'one');
    await write(storages[0], 'a', 'two');
    await eventually(() => expect(heard.get('a')).toEqual({ Todo: 2 }));
  });

  it('on PostgreSQL polls where PUSH_BUS says so', async () => {
    const storage = await onPostgresql(await postgresql().createDatabase('hubs'));
    const hub = openHub(storage, { kind: 'poll', interval: 1000 });
    const { doubts } = record(hub);
    await eventually(() => expect(doubts).toContain('poll'));
    await eventually(() => expect(hub.counts()).toMatchObject({ listen: 0, shards: 16 }));
  });
});
