import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ECHO, type Harness, post, startHarness, until } from '../http/harness.js';
import {
  CONTINUATION,
  frame,
  open,
  PING,
  PONG,
  RawSocket,
  request,
  requestError,
} from './websocket-client.js';

/**
 * One that is cut in so many fragments, the first and last among them: the text of `request`,
 * padded.
 */
function inFragments(count: number): readonly Buffer[] {
  const text = JSON.stringify(request('r')).padEnd(count);
  return Array.from({ length: count }, (_, n) => {
    const last = n === count - 1;
    const payload = last ? text.slice(n) : (text[n] ?? '');
    return frame(payload, { ...(n === 0 ? {} : { opcode: CONTINUATION }), fin: last });
  });
}

/** Sends octets one a packet until the socket is closed; resolves to how many it took. */
async function drip(socket: RawSocket, octets: Buffer): Promise<number> {
  const { socket: tcp, received } = socket.tcp;
  let sent = 0;
  for (const octet of octets) {
    if (socket.tcp.received !== received) break;
    tcp.write(Buffer.of(octet));
    sent += 1;
    await new Promise(setImmediate);
  }
  return sent;
}

async function ends(harness: Harness, socket: RawSocket): Promise<void> {
  socket.tcp.socket.destroy();
  await until(() => harness.held('u1').octets === 0);
}

describe('WebSocket: the pieces of a message are bounded, whatever its octets are', () => {
  it.each([
    ['1,024 at the least', '100000', 1024],
    ['one for each 4,096 octets of twice maxSizeRequest', '10000000', 4883],
  ])('fragments: %s', async (_, MAX_SIZE_REQUEST, most) => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST } });
    const socket = await RawSocket.open(harness);
    // They are counted anew for each message.
    for (let n = 0; n < 2; n += 1) {
      socket.write(...inFragments(most));
      expect(await socket.message()).toMatchObject({ '@type': 'Response', requestId: 'r' });
    }
    socket.write(...inFragments(most + 1));
    expect(await socket.closeCode()).toBe(1008);
    await ends(harness, socket);
  });

  it('fragments of a compressed message, which inflate to nothing', async () => {
    const harness = await startHarness({
      env: { MAX_SIZE_REQUEST: '100000', WEBSOCKET_COMPRESSION: 'on' },
    });
    const offer = 'Sec-WebSocket-Extensions: permessage-deflate';
    const socket = await RawSocket.open(harness, [offer]);
    const nothing = deflateRawSync('', { finishFlush: constants.Z_SYNC_FLUSH });
    const [first, next] = [{ rsv: 4 }, { opcode: CONTINUATION }];
    socket.write(
      ...Array.from({ length: 1025 }, (_, n) =>
        frame(nothing, { ...(n === 0 ? first : next), fin: false }),
      ),
    );
    expect(await socket.closeCode()).toBe(1008);
    await ends(harness, socket);
  });

  it('packets of a frame: 4,096 at the least, and one more is 1008', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '100000' } });
    const socket = await RawSocket.open(harness);
    const whole = frame(JSON.stringify(request('r')).padEnd(4000));
    expect(await drip(socket, whole)).toBe(whole.length);
    expect(await socket.message()).toMatchObject({ '@type': 'Response', requestId: 'r' });
    const endless = frame(' '.repeat(20_000));
    // Two octets that come as one packet on a busy machine are one.
    const taken = await drip(socket, endless);
    expect(taken).toBeGreaterThan(4096);
    expect(taken).toBeLessThan(endless.length);
    expect(await socket.closeCode()).toBe(1008);
    await ends(harness, socket);
  });
});

describe('WebSocket: floods of control frames', () => {
  it('answers pings that come together; more than 60 waiting end the connection', async () => {
    const harness = await startHarness();
    const socket = await RawSocket.open(harness);
    const pings = (count: number): Buffer[] =>
      Array.from({ length: count }, (_, n) => frame(`ping ${n}`, { opcode: PING }));
    socket.write(...pings(60));
    for (let n = 0; n < 60; n += 1) {
      expect(await socket.next()).toMatchObject({
        opcode: PONG,
        payload: Buffer.from(`ping ${n}`),
      });
    }
    socket.write(...pings(200));
    expect(await socket.closeCode()).toBe(null);
    await ends(harness, socket);
  });

  it('pongs that nobody asked for hold nothing', async () => {
    const harness = await startHarness();
    const socket = await RawSocket.open(harness);
    const unasked = Array.from({ length: 5000 }, () => frame('x'.repeat(125), { opcode: PONG }));
    socket.write(frame('{', { fin: false }), ...unasked);
    socket.write(frame('}', { opcode: CONTINUATION }));
    expect(await socket.message()).toEqual(requestError('notRequest', null));
    expect(harness.held('u1').octets).toBe(0);
    await ends(harness, socket);
  });

  it('a client that sends, and takes no answer, is dropped', async () => {
    const harness = await startHarness({ timings: { heartbeat: 100 } });
    const text = 'x'.repeat(900_000);
    harness.handle = async ({ methodCalls: [call] }) => {
      const invocation = JSON.stringify(['Core/echo', { text }, call?.callId]);
      return { invocations: [invocation], createdIds: null };
    };
    const socket = await RawSocket.open(harness);
    const { socket: tcp } = socket.tcp;
    tcp.pause();
    const sent = setInterval(() => {
      if (tcp.writable) socket.write(frame('', { opcode: PONG }));
    }, 20);
    try {
      // Kernels take some MB of them; less than 1 MB waits then, and the server reads on.
      for (let n = 0; harness.held('u1').slots === 0 && n < 40; n += 1) {
        socket.write(frame(JSON.stringify(request(`r${n}`))));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await until(() => harness.held('u1').slots === 0);
    } finally {
      clearInterval(sent);
    }
    tcp.resume();
    await socket.tcp.closed;
  });
});

describe('WebSocket: bounds of a user, over both transports together', () => {
  it('octets that sockets hold are lacking to HTTP, and to no other user', async () => {
    // A share of 32 MiB for a user, 8 MB for a message.
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '4000000' } });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => RawSocket.open(harness)));
    const beginning = frame(`"${' '.repeat(6_500_000)}`, { fin: false });
    for (const [index, socket] of sockets.entries()) {
      socket.write(beginning);
      await until(() => harness.held('u1').octets > (index + 1) * 6_500_000);
    }
    const body = ECHO.padEnd(2_000_000);
    expect((await post(harness, body)).status).toBe(503);
    expect((await post(harness, body, 'token-of-u2')).status).toBe(200);
    for (const socket of sockets) socket.tcp.socket.destroy();
    await until(() => harness.held('u1').octets === 0);
    expect((await post(harness, body)).status).toBe(200);
  });

  it('a token that has ended runs nothing before its sockets are closed', async () => {
    const harness = await startHarness({ timings: { refresh: 60_000 } });
    let ran = 0;
    harness.handle = async () => {
      ran += 1;
      return { invocations: [], createdIds: null };
    };
    const client = await open(harness);
    harness.users.principals.delete('t1');
    client.send(request('r'));
    client.send(request(null));
    expect(await client.closed()).toBe(1008);
    expect(client.messages).toEqual([]);
    expect([ran, harness.held('u1').slots]).toEqual([0, 0]);
  });
});
