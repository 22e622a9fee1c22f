import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { SocketClient } from '../support/socket-client.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

// A share begins and ends while its user has an event source and a WebSocket open.

const root = useProject('lists.yaml');
const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' } } as const;

it.each(['SQLite', 'PostgreSQL'])(
  'on %s an open stream and socket follow a share, and are silent once it has ended',
  async (database) => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('streams');
    const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-streams-'));
    const people = await startPeople(root(), { url, dataDir, hasPush: true }, MEMBERS);
    const { accountId, users } = people;
    const [ada, bob] = [new Desk(users.ada, accountId), users.bob];
    const stream = await EventStream.open(bob.client, { types: '*', closeafter: 'no', ping: '0' });
    const socket = await SocketClient.open(bob.client);
    onTestFinished(async () => {
      stream.close();
      socket.close();
      await people.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    const over = new Desk({ ...bob, client: socket }, accountId);
    const { state: before } = await bob.client.session();
    const list = await ada.create('TodoList', { name: 'Shopping' });
    expect(await over.call('TodoList/get')).toMatchObject({ error: 'accountNotFound' });

    // It begins: the session moves, and the stream tells the state that /get answers.
    await ada.update('TodoList', list, { shareWith: { [bob.id]: { mayRead: true } } });
    await eventually(async () => expect(await over.sees('TodoList')).toEqual([list]));
    const { state: during } = await bob.client.session();
    expect(during).not.toBe(before);
    await ada.update('TodoList', list, { color: 'red' });
    const { state } = await over.call('TodoList/get', { ids: [] });
    await stream.state(accountId, 'TodoList', state);

    // It ends: the socket has no such account any more, and the stream tells nothing of it.
    await ada.update('TodoList', list, { shareWith: null });
    const ended = { error: 'accountNotFound' };
    await eventually(
      async () => expect(await over.call('TodoList/get')).toMatchObject(ended),
      1000,
    );
    expect((await bob.client.session())['state']).not.toBe(during);
    const tellings = (): number =>
      stream.events.filter(({ data }) => Object.hasOwn(Object(data['changed'] ?? {}), accountId))
        .length;
    const silent = async (): Promise<void> => {
      const told = tellings();
      await ada.update('TodoList', list, { name: 'Hidden' });
      await ada.update('TodoList', list, { name: 'Hidden still' });
      const create = { k: { text: 'a marker' } };
      const own = { accountId: bob.ownAccountId, create };
      const { newState } = await bob.client.set('Secret', own);
      await stream.state(bob.ownAccountId, 'Secret', newState);
      expect(tellings()).toBe(told);
    };
    await eventually(silent);
    await silent();
  },
  120_000,
);
