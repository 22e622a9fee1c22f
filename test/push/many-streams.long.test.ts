import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUsers } from '../../bench/push/users.js';
import { createAccount, createToken } from '../../src/accounts/index.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { Client, CORE, TODOS } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { useServer } from '../support/server.js';
import { RawStream } from './raw-stream.js';

/** Users, each with as many streams as one may have: 10,240 in all. */
const USERS = 320;
const STREAMS_OF_USER = 32;
const MB = 1_000_000;

const ECHO = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', { a: 1 }, 'c']] });

const server = useServer();
let accountId = '';
let clients: readonly Client[] = [];

beforeAll(async () => {
  const prisma = openPrismaStandalone(join(server().dataDir, 'jmap.db'));
  const made = await makeUsers(prisma, USERS);
  await prisma.$disconnect();
  accountId = made.accountId;
  clients = made.tokens.map((token) => new Client(server().url, token, [CORE, TODOS]));
});

/** Creates a Todo in the account that all users reach; resolves to the new state. */
async function write(client = clients[0]): Promise<string> {
  const create = { k: { text: 'x' } };
  return (await client?.set('Todo', { accountId, create }))?.newState ?? '';
}

/** Returns the state of Todo that an event tells. */
function stateIn(data: string, of = accountId): number {
  return Number(JSON.parse(data).changed[of].Todo);
}

/** Makes a user of 100 accounts: the ids of its events have 3,000 characters. */
async function makeWideUser(): Promise<{ client: Client; accountId: string }> {
  const prisma = openPrismaStandalone(join(server().dataDir, 'jmap.db'));
  const ids = createIdGenerator();
  const accounts: string[] = [];
  for (let n = 0; n < 100; n += 1)
    accounts.push(await createAccount(prisma, ids, { name: 'A', user: 'wide' }));
  const token = await createToken(prisma, ids, { user: 'wide' });
  await prisma.$disconnect();
  const client = new Client(server().url, token, [CORE, TODOS]);
  // Accounts without a state take few characters.
  for (const of of accounts)
    await client.set('Todo', { accountId: of, create: { k: { text: 'x' } } });
  return { client, accountId: accounts[0] ?? '' };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server().url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

async function countsOpen(count: number): Promise<void> {
  await eventually(async () => {
    expect(await metric('jmap_open_connections{kind="eventsource"}')).toBe(count);
  }, 180_000);
}

async function openAll(): Promise<readonly RawStream[]> {
  const streams: RawStream[] = [];
  for (const client of clients) {
    const some = Array.from({ length: STREAMS_OF_USER }, () => new RawStream(client));
    await Promise.all(some.map(({ opened }) => opened));
    streams.push(...some);
  }
  return streams;
}

describe('event sources of one server', () => {
  const kept: RawStream[] = [];
  afterAll(() => {
    for (const { socket } of kept) socket.destroy();
  });

  it('a client that reopens for each event misses nothing of 1,000 writes', async () => {
    const [client] = clients;
    if (client === undefined) throw new Error('There are no users.');
    const query = { types: 'Todo', closeafter: 'state', ping: '0' };
    let last = await write();
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; n < 1000; n += 1) last = await write();
      isWriting = false;
    })();
    const seen: number[] = [];
    let id = '';
    // The first stream has all states told, as its id is of no server.
    for (let lastEventId = 'none'; isWriting || seen.at(-1) !== Number(last); lastEventId = id) {
      const stream = await EventStream.open(client, query, { 'last-event-id': lastEventId });
      const event = await stream.find(({ event: name }) => name === 'state');
      await stream.ended();
      expect(stream.events).toHaveLength(1);
      seen.push(stateIn(JSON.stringify(event.data)));
      id = event.id ?? '';
    }
    await writing;
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(Number(last));
  });

  it('readers that stop take no memory, and have the newest states later or are cut', async () => {
    const wide = await makeWideUser();
    const streams = Array.from({ length: 9 }, () => new RawStream(wide.client));
    await Promise.all(streams.map(({ opened }) => opened));
    for (const { socket } of streams) socket.pause();
    const [patient] = streams;
    if (patient === undefined) throw new Error('There are no streams.');
    let last = '';
    const writes = async (count: number): Promise<void> => {
      const { client, accountId: of } = wide;
      const create = { k: { text: 'x' } };
      for (let n = 0; n < count; n += 1)
        last = (await client.set('Todo', { accountId: of, create })).newState;
    };
    await writes(2000);
    const before = await metric('process_resident_memory_bytes');
    await writes(5000);
    // 5,000 events of 3 kB for 9 readers would be 135 MB.
    expect((await metric('process_resident_memory_bytes')) - before).toBeLessThan(60 * MB);
    patient.socket.resume();
    await eventually(() => {
      const isNewest =
        patient.last !== '' && stateIn(patient.last, wide.accountId) === Number(last);
      expect(isNewest || patient.end !== null).toBe(true);
    });
    expect(patient.events).toBeLessThan(7000);
    // The server has cut those that read nothing for a minute.
    await countsOpen(patient.end === null ? 1 : 0);
    for (const { socket } of streams) socket.destroy();
    await countsOpen(0);
  });

  it('10,240 streams have one commit told, and other requests take turns with them', async () => {
    kept.push(...(await openAll()));
    await countsOpen(kept.length);
    const [client] = clients;
    let between = 0;
    const countTold = (): number => kept.filter(({ events }) => events > 0).length;
    const writing = write();
    while (countTold() < kept.length) {
      const { status } = (await client?.post(ECHO)) ?? { status: 0 };
      expect(status).toBe(200);
      const count = countTold();
      if (count > 0 && count < kept.length) between += 1;
    }
    const state = Number(await writing);
    expect(new Set(kept.map(({ last }) => stateIn(last)))).toEqual(new Set([state]));
    expect(kept.every(({ events }) => events === 1)).toBe(true);
    expect(between).toBeGreaterThan(0);
  });

  it('streams that are reset leave nothing behind', async () => {
    const resetAll = async (): Promise<void> => {
      for (const stream of kept.splice(0)) stream.reset();
      await countsOpen(0);
    };
    await resetAll();
    const sizes = async (): Promise<readonly [heap: number, resident: number]> => [
      await metric('nodejs_heap_size_used_bytes'),
      await metric('process_resident_memory_bytes'),
    ];
    const [heap, resident] = await sizes();
    for (let round = 0; round < 3; round += 1) {
      kept.push(...(await openAll()));
      await resetAll();
    }
    // Streams that stayed would be 40 MB a round, and 130 MB resident.
    await eventually(async () => {
      for (let n = 0; n < 50; n += 1) await write();
      const [heapAfter, residentAfter] = await sizes();
      expect(heapAfter).toBeLessThan(heap + 40 * MB);
      expect(residentAfter).toBeLessThan(resident + 130 * MB);
    }, 120_000);
  });

  it('SIGTERM ends all streams in time, and has them come back at times that differ', async () => {
    kept.push(...(await openAll()));
    for (const stream of kept) stream.retry = 0;
    expect(await server().stop()).toEqual({ code: 0, signal: null });
    await eventually(() => expect(kept.every(({ end }) => end !== null)).toBe(true));
    expect(kept.every(({ end }) => end === 'whole')).toBe(true);
    const retries = kept.map(({ retry }) => retry);
    expect(Math.min(...retries)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...retries)).toBeLessThanOrEqual(10_000);
    // Of one second there are no more than twice its share.
    const seconds = new Map<number, number>();
    for (const retry of retries) {
      const second = Math.floor(retry / 1000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    expect(seconds.size).toBeGreaterThanOrEqual(9);
    expect(Math.max(...seconds.values())).toBeLessThan((2 * kept.length) / 9);
  });
});
