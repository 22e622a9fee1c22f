import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { echo, gate, type Harness, startHarness, until } from '../http/harness.js';
import {
  CONTINUATION,
  compressed,
  frame,
  type Message,
  OFFER,
  open,
  PING,
  RawSocket,
  RSV1,
  request,
  requestError,
  TAIL,
} from './websocket-client.js';

const ON = { WEBSOCKET_COMPRESSION: 'on' };

function inflated(payload: Buffer): Message {
  const finishFlush = constants.Z_SYNC_FLUSH;
  return JSON.parse(String(inflateRawSync(Buffer.concat([payload, TAIL]), { finishFlush })));
}

async function accepted(harness: Harness, offer: string): Promise<string | undefined> {
  const socket = await RawSocket.open(harness, [`Sec-WebSocket-Extensions: ${offer}`]);
  const answer = socket.tcp.received;
  socket.tcp.socket.destroy();
  return /\r\nSec-WebSocket-Extensions: ([^\r]*)/.exec(answer)?.[1];
}

describe('RFC 7692: permessage-deflate is agreed to', () => {
  const RESET = 'server_no_context_takeover; client_no_context_takeover';

  it('keeps no context beyond a message, and has the client’s windows', async () => {
    const harness = await startHarness({ env: ON });
    for (const [offer, answer] of [
      ['permessage-deflate', `permessage-deflate; ${RESET}`],
      ['permessage-deflate; client_max_window_bits', `permessage-deflate; ${RESET}`],
      ['x-other, permessage-deflate', `permessage-deflate; ${RESET}`],
      ['x-other', undefined],
    ] as const) {
      expect([offer, await accepted(harness, offer)]).toEqual([offer, answer]);
    }
    const windows = 'server_max_window_bits=10; client_max_window_bits=9';
    const answer = await accepted(harness, `permessage-deflate; ${windows}`);
    for (const part of [...windows.split('; '), ...RESET.split('; ')])
      expect(answer).toContain(part);
  });

  it('an offer that is not to be understood is declined, the socket opens without', async () => {
    const harness = await startHarness({ env: ON });
    for (const offer of [
      'permessage-deflate; unknown=1',
      'permessage-deflate; server_max_window_bits=7',
      'permessage-deflate; server_max_window_bits=16',
      'permessage-deflate; server_max_window_bits=10; server_max_window_bits=11',
      ',;=',
    ]) {
      expect([offer, await accepted(harness, offer)]).toEqual([offer, undefined]);
    }
  });

  it('is off without WEBSOCKET_COMPRESSION: a compressed frame is a protocol error', async () => {
    const harness = await startHarness();
    expect(await accepted(harness, 'permessage-deflate')).toBe(undefined);
    const socket = await RawSocket.open(harness, [OFFER]);
    socket.write(frame(compressed(JSON.stringify(request('r'))), { rsv: RSV1 }));
    expect(await socket.closeCode()).toBe(1002);
  });
});

describe('WebSocket: compressed messages', () => {
  it('are answered as others; answers from 1,024 characters on are compressed', async () => {
    const harness = await startHarness({ env: ON });
    const socket = await RawSocket.open(harness, [OFFER]);
    const text = 'Buy milk. '.repeat(500);
    const send = (message: Message): void => {
      socket.write(frame(compressed(JSON.stringify(message)), { rsv: RSV1 }));
    };
    send(request('short'));
    expect(await socket.next()).toMatchObject({ fin: true, rsv: 0 });
    send(request('long', [['Core/echo', { text }, 'c']]));
    const answer = await socket.next();
    expect(answer).toMatchObject({ fin: true, rsv: RSV1 });
    expect(answer?.payload.length).toBeLessThan(500);
    expect(inflated(answer?.payload ?? TAIL)).toMatchObject({
      '@type': 'Response',
      requestId: 'long',
      methodResponses: [['Core/echo', { text }, 'c']],
    });
    // A message that isn't compressed is legal at any time (RFC 7692 6).
    socket.write(frame(JSON.stringify(request('plain'))));
    expect((await socket.message())['requestId']).toBe('plain');
  });

  it('are answered compressed where the answer is sent in fragments', async () => {
    const harness = await startHarness({ env: ON });
    const socket = await RawSocket.open(harness, [OFFER]);
    const text = 'Buy milk. '.repeat(40_000);
    const message = request('large', [['Core/echo', { text }, 'c']]);
    socket.write(frame(compressed(JSON.stringify(message)), { rsv: RSV1 }));
    expect(await socket.next()).toMatchObject({ fin: false, rsv: RSV1 });
    let octets = 0;
    for (let isLast = false; !isLast; ) {
      const next = await socket.next();
      expect(next?.rsv).toBe(0);
      octets += next?.payload.length ?? 0;
      isLast = next?.fin === true;
    }
    expect(octets).toBeLessThan(text.length / 50);
  });

  it('may come in fragments, with control frames between them', async () => {
    const harness = await startHarness({ env: ON });
    const socket = await RawSocket.open(harness, [OFFER]);
    const octets = compressed(JSON.stringify(request('r', [['Core/echo', { é: '𝄞' }, 'c']])));
    socket.write(frame(octets.subarray(0, 7), { rsv: RSV1, fin: false }));
    socket.write(frame('between', { opcode: PING }));
    expect(String((await socket.next())?.payload)).toBe('between');
    for (const octet of octets.subarray(7)) {
      socket.write(frame(Buffer.from([octet]), { opcode: CONTINUATION, fin: false }));
    }
    socket.write(frame('', { opcode: CONTINUATION }));
    expect(await socket.message()).toMatchObject({
      methodResponses: [['Core/echo', { é: '𝄞' }, 'c']],
    });
    expect(harness.held('u1').octets).toBe(0);
  });

  it('may be stored', async () => {
    const harness = await startHarness({ env: ON });
    const socket = await RawSocket.open(harness, [OFFER]);
    const text = JSON.stringify(request('r'));
    const stored = deflateRawSync(text, { level: 0, finishFlush: constants.Z_SYNC_FLUSH });
    socket.write(frame(stored.subarray(0, -4), { rsv: RSV1 }));
    expect((await socket.message())['requestId']).toBe('r');
  });

  it('arrive whole from one client, as do large fragmented answers, in any window', async () => {
    const harness = await startHarness({ env: ON });
    const text = Array.from({ length: 30_000 }, (_, n) => `${n * 7919}𝄞`).join('');
    for (const compress of [true, { serverMaxWindowBits: 9 }, { serverMaxWindowBits: 8 }]) {
      const client = await open(harness, { compress });
      const ids = ['a', 'b', 'c'];
      for (const id of ids) client.send(request(id, [['Core/echo', { id, text }, 'c']]));
      const answers = await client.received(3);
      expect(answers.map((answer) => answer['requestId'])).toEqual(ids);
      for (const { requestId: id, methodResponses } of answers) {
        expect(methodResponses).toEqual([['Core/echo', { id, text }, 'c']]);
      }
      client.socket.terminate();
    }
  });

  it('that do not inflate, or to no UTF-8, close with 1007', async () => {
    const harness = await startHarness({ env: ON });
    const broken = compressed(JSON.stringify(request('r')));
    for (const payload of [
      Buffer.from([0xff, 0xff, 0xff]),
      compressed(Buffer.from([0xff, 0xfe])),
    ]) {
      const socket = await RawSocket.open(harness, [OFFER]);
      socket.write(frame(payload, { rsv: RSV1 }));
      expect(await socket.closeCode()).toBe(1007);
    }
    const half = await RawSocket.open(harness, [OFFER]);
    half.write(frame(broken.subarray(0, -5), { rsv: RSV1 }));
    expect(await half.message()).toEqual(requestError('notJSON', null));
    await until(() => harness.held('u1').octets === 0);
  });
});

describe('WebSocket: limits of compressed messages', () => {
  it('maxSizeRequest counts what a message inflates to, at the exact number', async () => {
    const harness = await startHarness({ env: { ...ON, MAX_SIZE_REQUEST: '20000' } });
    const client = await open(harness, { compress: { threshold: 0 } });
    const sized = (id: string, octets: number): string =>
      JSON.stringify(request(id)).padEnd(octets, ' ');
    client.send(sized('fits', 20_000));
    expect(await client.received(1)).toMatchObject([{ '@type': 'Response', requestId: 'fits' }]);
    client.send(sized('over', 20_001));
    expect(await client.received(1)).toEqual([
      requestError('limit', 'over', { limit: 'maxSizeRequest' }),
    ]);
    client.send(sized('far', 40_001));
    expect(await client.closed()).toBe(1009);
  });

  it('gives up a message of 1 MB that inflates to 1 GB at twice maxSizeRequest', async () => {
    const harness = await startHarness({ env: { ...ON, MAX_SIZE_REQUEST: '1000000' } });
    const socket = await RawSocket.open(harness, [OFFER]);
    const block = deflateRawSync(Buffer.alloc(10_000_000, ' '), {
      finishFlush: constants.Z_FULL_FLUSH,
    });
    const bomb = Buffer.concat(Array.from({ length: 100 }, () => block));
    expect(bomb.length).toBeLessThan(1_000_000);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, harness.held('u1').octets);
    }, 0);
    socket.write(frame(bomb, { rsv: RSV1 }));
    expect(await socket.closeCode()).toBe(1009);
    clearInterval(look);
    expect(most).toBeLessThan(4_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    socket.tcp.socket.destroy();
    await until(() => harness.held('u1').octets === 0);
  });

  it('a client that leaves within a compressed message or answer leaves nothing', async () => {
    const harness = await startHarness({ env: ON });
    const { passed, open: openGate } = gate();
    harness.handle = async (envelope) => {
      await passed;
      return echo(envelope);
    };
    const text = 'x'.repeat(200_000);
    const message = compressed(JSON.stringify(request('r', [['Core/echo', { text }, 'c']])));
    const within = await RawSocket.open(harness, [OFFER]);
    within.write(frame(message.subarray(0, 50), { rsv: RSV1, fin: false }));
    await until(() => harness.held('u1').octets > 0);
    const behind = await RawSocket.open(harness, [OFFER]);
    behind.write(frame(message, { rsv: RSV1 }));
    await until(() => harness.held('u1').slots === 1);
    within.tcp.socket.destroy();
    openGate();
    behind.tcp.socket.destroy();
    await until(() => harness.held('u1').octets === 0 && harness.held('u1').slots === 0);
  });
});
