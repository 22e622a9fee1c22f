import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, type Project } from '../../../examples/clients/mail/jmap/index.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory, type StoreOptions } from '../../src/index.js';
import type { Response } from '../../src/transport/transport.js';
import { RfcServer } from '../support/rfc-server.js';

// A server that has nothing of jmapsmith: no keys of calls, no epoch, no ids of events.

const open: CachedClient<Project>[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connectTo(server: RfcServer, options: Partial<StoreOptions> = {}) {
  const common = { url: 'https://mail.example.com', token: 't', store: memory() };
  const jmap = await connect({ ...common, fetch: server.fetch, ...options });
  open.push(jmap);
  return { jmap, me: jmap.account() };
}

/** A mailbox and seven e-mails in it: three pages of the server. */
function makeServer(): RfcServer {
  const server = new RfcServer('Mailbox', 'Email');
  const inbox = server.create('Mailbox', { name: 'Inbox', parentId: null, sortOrder: 0 });
  for (let n = 1; n <= 7; n += 1)
    server.create('Email', {
      ...{ subject: `Letter ${n}`, mailboxIds: { [inbox]: true }, keywords: {}, size: n },
      receivedAt: `2026-01-0${n}T00:00:00Z`,
    });
  return server;
}

/** The names of everything that the client has sent to a server. */
function sentTo(server: RfcServer): string {
  return JSON.stringify(server.requests.map(({ using, methodCalls }) => [using, methodCalls]));
}

describe('a client of a server of RFC 8620 alone', () => {
  it('reads all objects by pages without a total, and keeps equal ids of types apart', async () => {
    const server = makeServer();
    const { jmap, me } = await connectTo(server);
    const mails = me.Email.live({ filter: { inMailbox: '1' }, sort: ['-size'], limit: 3 });
    const boxes = me.Mailbox.live();
    await jmap.sync.settled();
    expect(jmap.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0 });
    expect(mails.getSnapshot()).toMatchObject({ total: 7, complete: true, approximate: false });
    expect(mails.getSnapshot().rows.map(({ size }) => size)).toEqual([7, 6, 5]);
    expect(boxes.getSnapshot().rows).toMatchObject([{ id: '1', name: 'Inbox' }]);
    const [letter] = me.Email.live({ sort: ['size'], include: ['mailbox'] }).getSnapshot().rows;
    expect(letter).toMatchObject({ id: '1', subject: 'Letter 1', mailbox: [{ name: 'Inbox' }] });
  });

  it('writes and follows others, in words of the RFC', async () => {
    const server = makeServer();
    const { jmap, me } = await connectTo(server);
    const boxes = me.Mailbox.live({ sort: ['name'] });
    await jmap.sync.settled();
    const trips = me.Mailbox.create({ name: 'Trips' });
    const child = me.Mailbox.create({ name: 'Oslo', parentId: trips.object.id });
    const seen = me.Email.update('2', (mail) => {
      mail.keywords['$seen'] = true;
      mail.mailboxIds[trips.object.id] = true;
    });
    const gone = me.Email.destroy('7');
    for (const { result } of [trips, child, seen, gone])
      expect(await result).toMatchObject({ ok: true });
    server.create('Mailbox', { name: 'Archive', parentId: null, sortOrder: 0 });
    await jmap.sync.settled();
    const names = ['Archive', 'Inbox', 'Oslo', 'Trips'];
    await expect.poll(() => boxes.getSnapshot().rows.map(({ name }) => name)).toEqual(names);
    expect(server.list('Mailbox')).toContainEqual(
      expect.objectContaining({ name: 'Oslo', parentId: '2' }),
    );
    const written = { keywords: { $seen: true }, mailboxIds: { 1: true, 2: true } };
    expect(server.list('Email').find(({ id }) => id === '2')).toMatchObject(written);
    expect(server.list('Email')).toHaveLength(6);
    expect(sentTo(server)).not.toMatch(/jmapsmith|onceKey/);
  });

  it.each(['answer', 'request'] as const)(
    'creates one object where the %s is lost',
    async (fate) => {
      const server = makeServer();
      const { jmap, me } = await connectTo(server);
      await jmap.sync.settled();
      const write = me.Mailbox.create({ name: 'Trips' });
      server.faults.push(fate, 'request', fate);
      await jmap.sync.settled();
      const { result, object } = write;
      expect(await result).toMatchObject({ ok: true, object: { id: '2', $key: object.$key } });
      expect(server.list('Mailbox').map(({ name }) => name)).toEqual(['Inbox', 'Trips']);
      expect(me.Mailbox.live().getSnapshot().total).toBe(2);
    },
  );

  it('creates one object where others write while it doesn’t know its outcome', async () => {
    const server = makeServer();
    const { jmap, me } = await connectTo(server);
    await jmap.sync.settled();
    server.faults.push('answer', 'request');
    const write = me.Mailbox.create({ name: 'Trips' });
    await expect.poll(() => server.faults.length).toBe(0);
    server.create('Mailbox', { name: 'Archive', parentId: null, sortOrder: 0 });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { id: '2' } });
    expect(server.list('Mailbox').map(({ name }) => name)).toEqual(['Inbox', 'Trips', 'Archive']);
  });

  it('tells what is refused', async () => {
    const { jmap, me } = await connectTo(makeServer());
    await jmap.sync.settled();
    me.Mailbox.create({ name: '' });
    await jmap.sync.settled();
    const error = { type: 'invalidProperties', properties: ['name'] };
    expect(jmap.problems.getSnapshot()).toMatchObject([{ kind: 'create', error }]);
    expect(me.Mailbox.live().getSnapshot().total).toBe(1);
  });

  it('tells the refusal of an update, and shows what has become of the object', async () => {
    const server = makeServer();
    // The answer of /set alone tells of it.
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const response = await server.fetch(url, init);
      if (!String(init?.body).includes('Mailbox/set')) return response;
      const { methodResponses, ...rest } = (await response.json()) as Response;
      const error = { type: 'serverUnavailable' };
      const edited = methodResponses.map(([name, args, id]) =>
        name === 'Mailbox/changes' ? ['error', error, id] : [name, args, id],
      );
      return globalThis.Response.json({ ...rest, methodResponses: edited });
    };
    const { jmap, me } = await connectTo(server, { fetch });
    await jmap.sync.settled();
    const boxes = me.Mailbox.live();
    const write = me.Mailbox.update('1', { name: '', sortOrder: 5 });
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(boxes.getSnapshot().rows).toMatchObject([{ name: 'Inbox', sortOrder: 5 }]);
    await jmap.sync.settled();
    expect(boxes.getSnapshot().rows).toMatchObject(server.list('Mailbox'));
    expect(jmap.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0 });
  });

  it('asks anew for a list of the server, without its changes and its total', async () => {
    const server = makeServer();
    const { jmap, me } = await connectTo(server, { coverage: { Email: 'known' } });
    const mails = me.Email.live({ filter: { inMailbox: '1' }, limit: 5 });
    const subjects = (): readonly unknown[] =>
      mails.getSnapshot().rows.map(({ subject }) => subject);
    const stop = mails.subscribe(() => undefined);
    await expect.poll(subjects).toEqual([1, 2, 3, 4, 5].map((n) => `Letter ${n}`));
    me.Email.destroy('2');
    await jmap.sync.settled();
    await expect.poll(subjects).toEqual([1, 3, 4, 5, 6].map((n) => `Letter ${n}`));
    server.create('Email', { subject: 'New', mailboxIds: { 1: true }, keywords: {}, size: 8 });
    const last = me.Email.live({ position: 5, limit: 5 });
    const stopLast = last.subscribe(() => undefined);
    await expect
      .poll(() => last.getSnapshot().rows.map(({ subject }) => subject))
      .toEqual(['Letter 7', 'New']);
    stop();
    stopLast();
  });

  it('reads everything anew where the server has forgotten what changed', async () => {
    const server = makeServer();
    const { jmap, me } = await connectTo(server);
    await jmap.sync.settled();
    server.create('Email', { subject: 'New', mailboxIds: {}, keywords: {}, size: 8 });
    server.forget('Email', 8);
    const mails = me.Email.live();
    const totals = new Set<number>();
    const stop = mails.subscribe(({ total }) => totals.add(total));
    await jmap.sync.settled();
    expect([...totals]).toEqual([7, 8]);
    stop();
  });

  it('asks for nothing where the session has another state with each response', async () => {
    const server = makeServer();
    let count = 0;
    let isRestless = false;
    const { jmap, me } = await connectTo(server, {
      fetch: async (url, init) => {
        await setTimeout(1);
        const response = await server.fetch(url, init);
        if (!isRestless || !response.ok) return response;
        const answer = (await response.json()) as JsonObject;
        if (init?.method !== 'POST')
          return globalThis.Response.json({ ...answer, state: `new ${count}` });
        count += 1;
        return globalThis.Response.json({ ...answer, sessionState: `new ${count}` });
      },
    });
    await jmap.sync.settled();
    isRestless = true;
    const before = server.requests.length;
    const states: string[] = [];
    jmap.onSession(({ state }) => states.push(state));
    await me.Mailbox.get({ ids: ['1'] });
    await eventually(() => expect(states).toEqual(['new 1']));
    await setTimeout(200);
    expect(states).toEqual(['new 1']);
    expect(server.requests.length).toBe(before + 1);
  });

  it('says nothing of a type that the server doesn’t have', async () => {
    const server = new RfcServer('Mailbox');
    server.create('Mailbox', { name: 'Inbox', parentId: null, sortOrder: 0 });
    const { jmap, me } = await connectTo(server);
    await jmap.sync.settled();
    expect(me.Mailbox.live().getSnapshot()).toMatchObject({ total: 1, status: 'live' });
    expect(me.Email.live().getSnapshot()).toMatchObject({ total: 0, status: 'error' });
    expect(jmap.sync.getSnapshot().status).toBe('live');
  });
});
