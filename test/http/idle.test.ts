import { expect, it } from 'vitest';
import { ECHO, echo, gate, type Harness, head, RawConnection, startHarness } from './harness.js';

const HEADERS = ['Content-Type: application/json', `Content-Length: ${ECHO.length}`];
const CALL = `${head('/jmap', HEADERS)}${ECHO}`;
const READY = head('/readyz', [], 'GET');
/** Long enough for pauses of a busy machine, ms. */
const KEEP_ALIVE = 800;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function start(): Promise<Harness> {
  return startHarness({ timings: { keepAlive: KEEP_ALIVE } });
}

it('a silent connection is closed after the time that it is kept, not before', async () => {
  const harness = await start();
  const raw = new RawConnection(harness).write(CALL);
  await raw.until(/sessionState/);
  const answered = performance.now();
  for (const text of [READY, CALL]) {
    await pause(KEEP_ALIVE / 2);
    raw.write(text);
    await pause(KEEP_ALIVE / 4);
  }
  expect(raw.received.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  await raw.closed;
  expect(performance.now() - answered).toBeGreaterThan(1.75 * KEEP_ALIVE);
});

it('a connection that waits for an answer, or is a WebSocket, is not idle', async () => {
  const harness = await start();
  const go = gate();
  harness.handle = async (envelope) => {
    await go.passed;
    return echo(envelope);
  };
  const key = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const socket = new RawConnection(harness).write(
    head(
      '/jmap/ws',
      [...key, 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Protocol: jmap'],
      'GET',
    ),
  );
  await socket.until(/ 101 /);
  let hasClosed = false;
  void socket.closed.then(() => {
    hasClosed = true;
  });
  const raw = new RawConnection(harness).write(CALL);
  await pause(2 * KEEP_ALIVE);
  go.open();
  await raw.until(/sessionState/);
  expect(hasClosed).toBe(false);
  socket.socket.destroy();
  await raw.closed;
});

it('a connection whose client takes nothing of many short answers is closed', async () => {
  const harness = await startHarness({ timings: { stalledReader: 100 } });
  const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(15_000) }, 'c']);
  let answered = 0;
  harness.handle = () => {
    answered += 1;
    return { invocations: [text], createdIds: null };
  };
  const raw = new RawConnection(harness);
  raw.socket.pause();
  // Fewer at a time than may wait, until the connection is full.
  for (let sent = 50, tries = 0; tries < 50; sent += 50) {
    raw.write(CALL.repeat(50));
    for (tries = 0; tries < 50 && answered < sent; tries += 1) await pause(10);
  }
  raw.socket.resume();
  await raw.closed;
  expect(raw.received.length).toBeGreaterThan(100_000);
});

it('every answer says how long a connection is kept', async () => {
  const harness = await startHarness({ timings: { keepAlive: 5000 } });
  for (const text of [CALL, READY, head('/nowhere', [], 'GET')]) {
    const raw = new RawConnection(harness).write(text);
    const received = await raw.until(/\r\n\r\n/);
    expect(received).toMatch(
      /\r\nDate: [^\r]+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n/,
    );
    raw.socket.destroy();
  }
});
