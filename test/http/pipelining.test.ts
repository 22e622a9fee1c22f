import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EdgeResponse } from '../../src/http/edge-response.js';
import { Pipeline } from '../../src/http/pipeline.js';
import { ECHO, echo, gate, head, http, RawConnection, startHarness, until } from './harness.js';

const HEADERS = ['Content-Type: application/json', `Content-Length: ${ECHO.length}`];
const CALL = `${head('/jmap', HEADERS)}${ECHO}`;
const STREAM = head('/jmap/eventsource?types=*&closeafter=no&ping=0', [], 'GET');
const READY = head('/readyz', [], 'GET');
const UPGRADE = head('/jmap/ws', ['Connection: Upgrade', 'Upgrade: websocket'], 'GET');

function statuses(text: string): readonly string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status = '']) => status);
}

describe('pipelined requests', () => {
  it('run one after the other (RFC 9112 9.3.2)', async () => {
    const harness = await startHarness();
    const first = gate();
    let begun = 0;
    harness.handle = async (envelope) => {
      begun += 1;
      if (begun === 1) await first.passed;
      return echo(envelope);
    };
    const client = new RawConnection(harness).write(CALL + CALL);
    await until(() => begun > 0);
    // An answer on another connection: whatever else was to begin has begun.
    await http(harness, '/healthz');
    expect(begun).toBe(1);
    first.open();
    await client.until(/(?:sessionState.*){2}/s);
    expect(begun).toBe(2);
  });

  it('an upgrade in front of which an answer is missing is ignored, and ends nothing', async () => {
    const harness = await startHarness();
    const held = gate();
    harness.ready = () => held.passed;
    const client = new RawConnection(harness).write(READY + UPGRADE);
    await until(async () => (await http(harness, '/healthz')).ok);
    held.open();
    await client.closed;
    expect(statuses(client.received)).toEqual(['200', '426']);
  });

  it('leave nothing behind when their connection ends before their turn', async () => {
    const harness = await startHarness();
    const held = gate();
    let asked = 0;
    harness.ready = () => {
      asked += 1;
      return held.passed;
    };
    for (let round = 1; round <= 40; round += 1) {
      const client = new RawConnection(harness).write(READY + STREAM);
      await until(() => asked === round);
      client.socket.destroy();
      await client.closed;
    }
    held.open();
    // A user may have 32 open.
    const client = new RawConnection(harness).write(STREAM);
    await client.until(/HTTP\/1\.1 200/);
    expect(await (await http(harness, '/metrics')).text()).toContain(
      'jmap_open_connections{kind="eventsource"} 1',
    );
    client.socket.destroy();
  });

  it('too many ahead cut the connection off', async () => {
    const harness = await startHarness();
    const held = gate();
    harness.ready = () => held.passed;
    const client = new RawConnection(harness).write(READY.repeat(66));
    await client.closed;
    held.open();
    const fine = new RawConnection(harness).write(READY.repeat(65));
    await until(() => statuses(fine.received).length === 65);
    fine.socket.destroy();
  });
});

it('a request that arrives once its connection has been ended is not run (RFC 9112 9.6)', () => {
  const begun: IncomingMessage[] = [];
  const pipeline = new Pipeline((req) => begun.push(req));
  for (const isEnded of [false, true]) {
    const req = new IncomingMessage(new Socket());
    if (isEnded) req.socket.end();
    pipeline.answer(req, new EdgeResponse(req));
  }
  expect(begun).toHaveLength(1);
});
