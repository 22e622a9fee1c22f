import { describe, expect, it } from 'vitest';
import { ECHO, post, RawConnection, startHarness, TOKEN, until } from '../http/harness.js';
import { handshake, open, request, requestError, UPGRADE } from './websocket-client.js';

const refused = (requestId: string | null) =>
  requestError('limit', requestId, {
    status: 429,
    limit: 'user',
    retryAfter: expect.any(Number),
  });

describe('a rule for users on a WebSocket', () => {
  it('refuses requests by their ids, and the socket stays', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:3/1h' } });
    // The handshake is the first one.
    const client = await open(harness);
    for (const id of ['a', 'b', 'c', 'd']) {
      client.send(request(id));
      const [answer] = await client.received(1);
      if (id < 'c') expect(answer).toMatchObject({ '@type': 'Response', requestId: id });
      else expect(answer).toEqual(refused(id));
    }
    expect(client.code).toBeNull();
    expect((await post(harness, ECHO)).status).toBe(429);
    expect(await handshake(harness)).toBe(429);
    expect(await harness.metrics.text()).toContain('jmap_rate_limited_total{rule="user"} 4');
  });

  it('refusals of requests without an id come in their order', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:2/1h' } });
    const client = await open(harness);
    client.send(request(null));
    client.send(request(null));
    const [first, second] = await client.received(2);
    expect(first).toMatchObject({ '@type': 'Response' });
    expect(second).toEqual(refused(null));
  });

  it('every message counts: wrong ones, and what is said of push', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:4/1h' } });
    const client = await open(harness);
    client.send('{');
    client.send({ '@type': 'WebSocketPushEnable', dataTypes: null });
    client.send({ '@type': 'WebSocketPushDisable' });
    const [wrong] = await client.received(1);
    expect(wrong).toEqual(requestError('notJSON', null));
    client.send({ '@type': 'WebSocketPushEnable', id: 'p', dataTypes: null });
    const [late] = await client.received(1);
    expect(late).toEqual(refused('p'));
  });

  it('a peer that goes on after a thousand refusals is cut off', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:1/1h' } });
    const client = await open(harness);
    for (let at = 0; at < 1000; at += 1) client.send(request(`r${at}`));
    expect(await client.closed()).toBe(1008);
    expect(client.messages[0]).toEqual(refused('r0'));
  });

  it('the answer to the handshake tells what is left', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:5/1h' } });
    const raw = new RawConnection(harness);
    const lines = [...UPGRADE, `Authorization: Bearer ${TOKEN}`, 'Host: x'];
    raw.write(`GET /jmap/ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    await until(() => raw.received.includes('\r\n\r\n'));
    expect(raw.received).toMatch(/^HTTP\/1.1 101/);
    expect(raw.received).toMatch(/\r\nX-Request-Id: \S+\r\n/);
    expect(raw.received).toMatch(/\r\nRateLimit-Policy: "user";q=5;w=3600\r\n/);
    expect(raw.received).toMatch(/\r\nRateLimit: "user";r=4;t=3600\r\n/);
    raw.socket.destroy();
  });
});
