import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { useFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';

/** Peak resident memory, MB, as in hostile.test.ts. */
const MOST_MEMORY = 900;

const { server, fixtures } = useFixtures();

it('32 calls of the largest /get stay below MAX_SIZE_RESPONSE', async () => {
  const { u3, AR } = fixtures();
  const body = 'ö'.repeat(9000);
  for (let n = 0; n < 10; n += 1) {
    const create = Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`k${k}`, { body }]));
    const { notCreated } = await u3.set('Note', { accountId: AR, create });
    expect(notCreated).toBeNull();
  }
  const calls = Array.from({ length: 32 }, (_, n) => [
    'Note/get',
    { accountId: AR, ids: null },
    `g${n}`,
  ]);
  const answer = await u3.post(JSON.stringify({ using: u3.using, methodCalls: calls }));
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(100_000_000);
  const { methodResponses } = answer.json as { methodResponses: [string, object, string][] };
  const names = methodResponses.map(([name]) => name);
  // 1,000 notes of 18 kB: five fit.
  expect(names.slice(0, 5)).toEqual(Array(5).fill('Note/get'));
  expect(names.slice(5)).toEqual(Array(27).fill('error'));
  for (const [, response] of methodResponses.slice(5)) {
    expect(response).toMatchObject({ type: 'requestTooLarge' });
  }
  if (process.platform !== 'linux') return;
  const status = readFileSync(`/proc/${server().pid}/status`, 'utf8');
  const peak = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) / 1024;
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MOST_MEMORY);
});

/** Sends `head`, then an octet a second, until the server ends the connection; what it said. */
function drip(head: string): Promise<string> {
  const { hostname, port } = new URL(server().url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(head));
    const timer = setInterval(() => socket.write('a'), 1000);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

it('headers, a request and an upload that arrive an octet a second are given up', async () => {
  const { u1, A1 } = fixtures();
  const post = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${u1.token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n';
  const answers = await Promise.all([
    drip('POST /jmap HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    drip(post('/jmap')),
    drip(post(`/jmap/upload/${A1}`)),
  ]);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  // Their slots are free again.
  await eventually(async () => expect(await u1.ok('Core/echo', { a: 1 })).toEqual({ a: 1 }));
});
