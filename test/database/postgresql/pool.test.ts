import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isUnavailable } from '../../../src/database/postgresql/driver-errors.js';
import { openPool } from '../../../src/database/postgresql/pool.js';
import { eventually } from '../../support/poll.js';

/** AuthenticationOk and ReadyForQuery: a login succeeds, and after that nobody ever answers. */
const WELCOME = Buffer.from('520000000800000000' + '5a0000000549', 'hex');

let silent: Server;
let url: string;
const sockets = new Set<Socket>();

beforeEach(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => socket.write(WELCOME));
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  url = `postgresql://u:p@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/d`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

it('a silent server fails a statement after its time, which gives its place back', async () => {
  const pool = openPool({ url, size: 1, answerWithin: 50 });
  for (let round = 0; round < 3; round += 1) {
    const failure = await pool.query('SELECT 1').catch((error: unknown) => error);
    expect(isUnavailable(failure), String(failure)).toBe(true);
  }
  expect(pool.totalCount).toBe(0);
  await pool.end();
});

it('a connection that waited while another broke is not given to anybody', async () => {
  const pool = openPool({ url, size: 3 });
  const later = () => performance.now() + 5000;
  const [first, second, third] = [
    await pool.acquire(later()),
    await pool.acquire(later()),
    await pool.acquire(later()),
  ];
  first.release();
  second.release();
  third.release(true);
  const fresh = await pool.acquire(later());
  expect([first, second, third]).not.toContain(fresh);
  // It has answered since: trusted again.
  fresh.release();
  const again = await pool.acquire(later());
  expect(again).toBe(fresh);
  again.release();
  await pool.end();
});

it('tells why a connection broke, and nothing else of it', async () => {
  const told: unknown[] = [];
  const pool = openPool({ url, size: 2, onError: (reason) => told.push(reason) });
  const [idle, used] = [await pool.connect(), await pool.connect()];
  idle.release();
  for (const socket of sockets) socket.resetAndDestroy();
  await eventually(() => expect(told.length).toBeGreaterThanOrEqual(2));
  for (const reason of told) expect(Object.keys(reason as object)).toEqual(['message', 'code']);
  used.release(true);
  await pool.end();
});

it('a request for a connection is refused once the pool has ended', async () => {
  const pool = openPool({ url, size: 1 });
  await pool.end();
  const refused = await pool.acquire(performance.now() + 1000).catch((error: unknown) => error);
  expect(isUnavailable(refused)).toBe(true);
});
