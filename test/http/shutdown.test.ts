import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echo,
  gate,
  head,
  http,
  post,
  RawConnection,
  startHarness,
  until,
  whole,
} from './harness.js';

describe('stopping', () => {
  it('finishes requests that run, refuses connections, and waits for nothing more', async () => {
    const harness = await startHarness();
    const { passed, open } = gate();
    let running = false;
    harness.handle = async (envelope) => {
      running = true;
      await passed;
      return echo(envelope);
    };
    const answer = post(harness, ECHO);
    await until(() => running);
    const closed = harness.close(60_000);
    await expect(http(harness, '/healthz')).rejects.toThrow();
    open();
    expect((await answer).status).toBe(200);
    await closed;
  });

  it('begins no request behind an answer whose head is sent', async () => {
    const harness = await startHarness();
    const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(8_000_000) }, 'c']);
    let begun = 0;
    harness.handle = () => {
      begun += 1;
      return { invocations: [text], createdIds: null };
    };
    const raw = new RawConnection(harness);
    raw.socket.pause();
    raw.write(whole(ECHO) + whole(ECHO));
    await until(() => harness.answers() > 0);
    const closed = harness.close(60_000);
    raw.socket.resume();
    await raw.closed;
    await closed;
    expect(raw.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*"sessionState":"[^"]*"}$/);
    expect(begun).toBe(1);
  });

  it('ends connections that have sent nothing, without waiting for a request', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    await new Promise((resolve) => raw.socket.once('connect', resolve));
    await (await http(harness, '/healthz')).text();
    // A wait for it would last as long as this test may take.
    await harness.close(600_000);
    await raw.closed;
  });

  it('cuts requests that are not done in time', async () => {
    const harness = await startHarness();
    let running = false;
    harness.handle = () => {
      running = true;
      return new Promise(() => undefined);
    };
    const length = [`Content-Length: ${ECHO.length}`, 'Content-Type: application/json'];
    const raw = new RawConnection(harness).write(head('/jmap', length) + ECHO);
    await until(() => running);
    await harness.close(50);
    await raw.closed;
    expect(raw.received).toBe('');
  });

  it('an answer of Express says that the connection closes, too', async () => {
    const harness = await startHarness();
    const held = gate();
    let running = false;
    harness.ready = () => {
      running = true;
      return held.passed;
    };
    const raw = new RawConnection(harness).write(head('/readyz', [], 'GET'));
    await until(() => running);
    const closed = harness.close(60_000);
    held.open();
    await closed;
    await raw.closed;
    expect(raw.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
  });

  it('idle keep-alive connections do not hold it up', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness).write(head('/healthz', [], 'GET'));
    await raw.until(/ok/);
    await harness.close(60_000);
    await raw.closed;
  });
});
