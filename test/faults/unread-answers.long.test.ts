import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { BLOB, Client, CORE } from '../support/client.js';
import { useFixtures } from '../support/fixtures.js';

const HEAP_MB = 300;
const { server, fixtures } = useFixtures({}, ['AX', 'u2']);

interface Unread {
  /** Resolves when the first octets of the answer have come, or the connection is closed. */
  readonly begun: Promise<void>;
  readonly closed: Promise<void>;
  readonly socket: Socket;
  octets: number;
  text: string;
}

/** A connection that asks, and reads no more than the first octets until it is told to. */
function ask({ url, token }: Client, body: string): Unread {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const first = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  const unread: Unread = {
    socket,
    closed,
    begun: Promise.race([first, closed]),
    octets: 0,
    text: '',
  };
  socket.on('data', (chunk: Buffer) => {
    if (unread.octets === 0) socket.pause();
    unread.octets += chunk.length;
    unread.text = (unread.text + chunk.toString('latin1')).slice(-5000);
  });
  socket.write(
    `POST /jmap HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return unread;
}

it('answers that nobody reads take no more memory than the process has', async () => {
  const { u1, u2, A1, AX } = fixtures();
  // Not from the start: the first one may compile the project.
  const small = await server().restart({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
  const users = [
    [new Client(small.url, u1.token), A1],
    [new Client(small.url, u2.token), AX],
  ] as const;
  const unread: Unread[] = [];
  for (const [user, accountId] of users) {
    const { blobId } = await user.upload(accountId, Buffer.alloc(8_000_000, 7), 'image/png');
    const get = ['Blob/get', { accountId, ids: [blobId], properties: ['data:asBase64'] }];
    // 8 times 10.7 MB.
    const methodCalls = Array.from({ length: 8 }, (_, n) => [...get, `c${n}`]);
    const body = JSON.stringify({ using: [CORE, BLOB], methodCalls });
    for (let n = 0; n < 8; n += 1) unread.push(ask(user, body));
  }
  await Promise.all(unread.map(({ begun }) => begun));
  for (const [user, accountId] of users) {
    expect((await user.get('Todo', { accountId, ids: [] })).list).toEqual([]);
  }
  for (const { socket } of unread) socket.resume();
  await Promise.all(unread.map(({ closed }) => closed));
  for (const { text } of unread) expect(text).toMatch(/"sessionState":"[^"]*"}$/);
  expect(unread.some(({ text }) => text.includes('serverUnavailable'))).toBe(true);
  expect(unread.some(({ octets }) => octets > 10_000_000)).toBe(true);
  expect(small.stderr()).not.toContain('out of memory');
});
