import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client, CORE } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { usePostgresql } from '../support/postgresql.js';
import { JmapSocket } from '../support/socket.js';
import { Device } from './device.js';
import { Fleet } from './random/fleet.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };

const postgresql = usePostgresql();
const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-restored-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['SQLite', 'PostgreSQL'])('a restore, on %s', (database) => {
  const makeUrl = async (): Promise<string | null> =>
    database === 'SQLite' ? null : postgresql().createDatabase('push_restored');

  /** Restores the backup into an empty place, and serves it on the port of the one before. */
  async function restore(old: Fleet, file: string): Promise<Fleet> {
    const url = await makeUrl();
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const place = {
      ...{ DATA_DIR: dataDir, BLOB_STORE: `file:${join(dataDir, 'blobs')}` },
      DATABASE_URL: url ?? `file:${join(dataDir, 'jmap.db')}`,
    };
    const { port } = new URL(old.urls[0] ?? '');
    await old.killAll();
    await old.command('scripts/restore', [file], place);
    return Fleet.start({ url, servers: 1, server: { dataDir, env: { PORT: port } } });
  }

  it('has old ids tell the present states once, and leaves no subscription', async () => {
    const before = await Fleet.start({ url: await makeUrl(), servers: 1 });
    onTestFinished(() => before.remove());
    const device = await Device.make(before);
    onTestFinished(() => device.close());
    await device.subscribe();
    await device.write();
    const file = join(folder, `${database}.tar`);
    await before.command('scripts/backup', [file]);

    const stream = await EventStream.open(device.client(), QUERY);
    // States that the backup doesn't have.
    await device.write();
    const { id } = await stream.state(device.accountId, 'Todo', await device.write());
    const after = await restore(before, file);
    onTestFinished(() => after.remove());
    await stream.ended();

    const client = new Client(after.urls[0] ?? '', device.token, device.client().using);
    const again = await EventStream.open(client, QUERY, { 'last-event-id': id ?? '' });
    const event = await again.find((each) => each.event === 'state');
    const { state: todo } = await client.get('Todo', { accountId: device.accountId, ids: [] });
    const note = expect.stringMatching(/^\d+$/);
    expect(event.data['changed']).toEqual({ [device.accountId]: { Todo: todo, Note: note } });
    again.close();

    const socket = await JmapSocket.open(client);
    socket.send({ '@type': 'WebSocketPushEnable', dataTypes: null, pushState: id });
    const { changed } = await socket.find((message) => message['@type'] === 'StateChange');
    expect(changed).toEqual(event.data['changed']);
    socket.close();

    const messages = device.messages.length;
    const next = await EventStream.open(client, QUERY, { 'last-event-id': event.id ?? '' });
    const args = { accountId: device.accountId, create: { k: { text: 'x' } } };
    const { newState } = await client.ok('Todo/set', args);
    await next.state(device.accountId, 'Todo', String(newState));
    // The states of before are told no more.
    expect(next.events.filter((each) => each.event === 'state')).toHaveLength(1);
    next.close();
    const { list } = await client.with([CORE]).ok('PushSubscription/get', {});
    expect([list, device.messages.length]).toEqual([[], messages]);
  });
});
