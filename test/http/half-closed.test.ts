import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  blobFiles,
  ECHO,
  echo,
  gate,
  type Harness,
  head,
  http,
  JSON_HEADER,
  RawConnection,
  startHarness,
  until,
  whole,
} from './harness.js';

const LONG = ECHO.replace('"a":1', `"a":"${'x'.repeat(300_000)}"`);
const chunked = (body: string): string => {
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  return `${head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked'])}${chunk}0\r\n\r\n`;
};
const UPLOAD = `${head('/jmap/upload/A1', ['Content-Length: 5'])}abcde`;

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/**
 * Sends a request with the end of its side right behind it; all that comes back until the server's
 * end.
 */
async function answersTo(harness: Harness, text: string): Promise<string> {
  const raw = new RawConnection(harness);
  raw.socket.end(text, 'latin1');
  await raw.closed;
  return raw.received;
}

describe('a client that ends its side behind a request, and goes on to read', () => {
  it.each([
    ['in one packet', whole(ECHO), 1],
    ['of a long body', whole(LONG), 1],
    ['in chunks', chunked(ECHO), 1],
    ['that is the last one', whole(ECHO).replace('Host', 'Connection: close\r\nHost'), 1],
    ['behind others', whole(ECHO) + chunked(ECHO) + whole(ECHO), 3],
  ])('is answered: %s', async (_, text, requests) => {
    const harness = await startHarness();
    for (const isSlow of [true, false]) {
      harness.handle = (envelope) =>
        isSlow ? new Promise((resolve) => setTimeout(resolve, 20, echo(envelope))) : echo(envelope);
      const received = await answersTo(harness, text);
      expect(count(received, /HTTP\/1\.1 200 /g)).toBe(requests);
      expect(count(received, /"sessionState":"[^"]*"}/g)).toBe(requests);
    }
    expect(harness.held('u1')).toEqual({ slots: 0, octets: 0 });
  });

  it('is answered if it reads a long answer slowly', async () => {
    const harness = await startHarness();
    const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(8_000_000) }, 'c']);
    harness.handle = () => ({ invocations: [text], createdIds: null });
    const raw = new RawConnection(harness);
    raw.socket.pause();
    raw.socket.end(whole(ECHO));
    await until(() => harness.answers() > 0);
    raw.socket.resume();
    await raw.closed;
    expect(raw.received).toMatch(/"sessionState":"[^"]*"}$/);
  });

  it('is answered behind an upload', async () => {
    const harness = await startHarness();
    expect(await answersTo(harness, UPLOAD)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"size":5}$/);
  });

  it('has its event source ended', async () => {
    const harness = await startHarness();
    const stream = head('/jmap/eventsource?types=*&closeafter=no&ping=0', [], 'GET');
    expect(await answersTo(harness, stream)).toMatch(/^HTTP\/1\.1 200 /);
    const raw = new RawConnection(harness).write(stream);
    await raw.until(/\r\n\r\n/);
    raw.socket.end();
    await raw.closed;
    expect(await (await http(harness, '/metrics')).text()).toContain(
      'jmap_open_connections{kind="eventsource"} 0',
    );
  });
});

describe('a client that leaves', () => {
  const leave: readonly [string, (raw: RawConnection) => unknown][] = [
    ['by the end of its side', (raw) => raw.socket.end()],
    ['wholly', (raw) => raw.socket.destroy()],
    ['by a reset', (raw) => raw.socket.resetAndDestroy()],
  ];

  it.each(leave)('%s within a body: nothing is run, and it is no defect', async (_, go) => {
    const harness = await startHarness();
    let begun = 0;
    harness.handle = (envelope) => {
      begun += 1;
      return echo(envelope);
    };
    for (const text of [
      whole(ECHO).slice(0, -1),
      whole(LONG).slice(0, -1),
      chunked(ECHO).slice(0, -3),
    ]) {
      const raw = new RawConnection(harness).write(text);
      await until(() => harness.held('u1').slots === 1);
      go(raw);
      await raw.closed;
      await until(() => harness.held('u1').slots === 0);
    }
    expect(begun).toBe(0);
    expect(harness.logs.join('')).not.toContain('defect');
  });

  it.each(leave)('%s within an upload: nothing is kept, and it is no defect', async (_, go) => {
    const harness = await startHarness();
    const bodies = [
      'Content-Length: 300000\r\n\r\n',
      'Transfer-Encoding: chunked\r\n\r\n493e0\r\n',
    ];
    for (const body of bodies) {
      for (const octets of [0, 5, 200_000]) {
        const raw = new RawConnection(harness);
        raw.write(`${head('/jmap/upload/A1', [body]).slice(0, -4)}${'x'.repeat(octets)}`);
        await until(async () => (await blobFiles(harness)).length === 1);
        go(raw);
        await raw.closed;
        await until(async () => (await blobFiles(harness)).length === 0);
      }
    }
    await until(() => count(harness.logs.join(''), /"status":"aborted"/g) === 6);
    expect(harness.logs.join('')).not.toContain('defect');
  });

  it.each([
    ['by a reset', (raw: RawConnection) => raw.socket.resetAndDestroy()],
    ['after a chunk that is none', (raw: RawConnection) => raw.write('y\r\n')],
  ])('%s while a whole body is still being stored: it is no defect', async (_, go) => {
    const harness = await startHarness();
    const read = gate();
    const { write } = harness.blobs;
    let source: IncomingMessage | null = null;
    let isOver = false;
    harness.blobs.write = async (accountId, blobId, octets, maxSize) => {
      source = octets as IncomingMessage;
      await read.passed;
      return write(accountId, blobId, octets, maxSize).finally(() => {
        isOver = true;
      });
    };
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    const raw = new RawConnection(harness);
    raw.write(
      `${head('/jmap/upload/A1', ['Transfer-Encoding: chunked'])}${chunk}${chunk}0\r\n\r\n`,
    );
    await until(() => source?.complete === true);
    go(raw);
    await raw.closed;
    await until(() => harness.logs.join('').includes('"status":"aborted"'));
    read.open();
    await until(() => isOver);
    await http(harness, '/healthz');
    expect(harness.logs.join('')).not.toContain('defect');
    expect(await blobFiles(harness)).toEqual([]);
  });

  it('by a reset while its request waits for the one in front: it is never begun', async () => {
    const harness = await startHarness();
    const go = gate();
    let begun = 0;
    harness.handle = async (envelope) => {
      begun += 1;
      await go.passed;
      return echo(envelope);
    };
    const raw = new RawConnection(harness).write(whole(ECHO) + whole(ECHO));
    await until(() => begun === 1);
    raw.socket.resetAndDestroy();
    await until(() => harness.logs.join('').includes('"status":"aborted"'));
    go.open();
    await until(() => harness.held('u1').slots === 0);
    expect(begun).toBe(1);
    expect(harness.logs.join('')).not.toContain('defect');
  });
});
