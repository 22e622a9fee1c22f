import { describe, expect, it } from 'vitest';
import { echo, gate, startHarness, until } from '../http/harness.js';
import {
  CLOSE,
  CONTINUATION,
  frame,
  PING,
  PONG,
  RawSocket,
  request,
  TEXT,
} from './websocket-client.js';

const TEXT_OF = (id: string, args: object = { id }): string =>
  JSON.stringify(request(id, [['Core/echo', args, 'c']]));

const code = (value: number, reason = ''): Buffer => {
  const octets = Buffer.alloc(2 + reason.length, 0);
  octets.writeUInt16BE(value);
  octets.write(reason, 2);
  return octets;
};

describe('RFC 6455 5: WebSocket frames', () => {
  it('a message may be cut anywhere, with control frames between the pieces', async () => {
    const harness = await startHarness();
    const socket = await RawSocket.open(harness);
    const octets = Buffer.from(TEXT_OF('r', { text: 'é𝄞🦊' }));
    for (const [at, octet] of octets.entries()) {
      const opcode = at === 0 ? TEXT : CONTINUATION;
      socket.write(frame(Buffer.from([octet]), { opcode, fin: false }));
      if (at % 20 === 0) socket.write(frame(`ping ${at}`, { opcode: PING }));
      if (at % 20 === 1) socket.write(frame('', { opcode: CONTINUATION, fin: false }));
      if (at % 20 === 2) socket.write(frame('unasked', { opcode: PONG }));
    }
    socket.write(frame('', { opcode: CONTINUATION }));
    for (let at = 0; at < octets.length; at += 20) {
      expect(await socket.next()).toMatchObject({
        opcode: PONG,
        payload: Buffer.from(`ping ${at}`),
      });
    }
    const answer = await socket.message();
    expect(answer).toMatchObject({ methodResponses: [['Core/echo', { text: 'é𝄞🦊' }, 'c']] });
    await until(() => harness.held('u1').octets === 0);
    socket.tcp.socket.destroy();
  });

  it('frames may come in packets of one octet', async () => {
    const harness = await startHarness();
    const socket = await RawSocket.open(harness);
    for (const octet of frame(TEXT_OF('r'))) {
      socket.tcp.socket.write(Buffer.from([octet]));
      await new Promise(setImmediate);
    }
    expect((await socket.message())['requestId']).toBe('r');
    socket.tcp.socket.destroy();
  });

  it.each([
    ['unmasked', frame(TEXT_OF('r'), { isMasked: false }), 1002],
    ['unmasked ping', frame('', { opcode: PING, isMasked: false }), 1002],
    ['reserved bit 1', frame(TEXT_OF('r'), { rsv: 4 }), 1002],
    ['reserved bits 2 and 3', frame(TEXT_OF('r'), { rsv: 3 }), 1002],
    ['reserved opcode 3', frame('', { opcode: 3 }), 1002],
    ['reserved opcode 11', frame('', { opcode: 11 }), 1002],
    ['a continuation of nothing', frame('x', { opcode: CONTINUATION }), 1002],
    ['a message within a message', [frame('a', { fin: false }), frame('b')], 1002],
    ['a ping in fragments', frame('', { opcode: PING, fin: false }), 1002],
    ['a ping of 126 octets', frame('x'.repeat(126), { opcode: PING }), 1002],
    ['a close code of one octet', frame('x', { opcode: CLOSE }), 1002],
    ['close code 1006', frame(code(1006), { opcode: CLOSE }), 1002],
    ['close code 999', frame(code(999), { opcode: CLOSE }), 1002],
    ['a close reason that is no UTF-8', frame(Buffer.from([3, 232, 255]), { opcode: CLOSE }), 1007],
    ['half a character', frame(Buffer.from([0x22, 0xf0, 0x9d])), 1007],
    ['a binary message', frame('{}', { opcode: 2 }), 1003],
    [
      'a binary message in fragments',
      [frame('', { opcode: 2, fin: false }), frame('', { opcode: CONTINUATION })],
      1003,
    ],
    ['close 1000', frame(code(1000, 'bye'), { opcode: CLOSE }), 1000],
    ['close 4999', frame(code(4999), { opcode: CLOSE }), 4999],
    ['a close without a code', frame('', { opcode: CLOSE }), 1005],
    ['a frame of 2^63 octets', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]), 1009],
    ['a frame of 20,000,001 octets', Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0x31, 0x2d, 1]), 1009],
  ] as const)('%s is answered with its close code', async (_, frames, expected) => {
    const harness = await startHarness();
    const socket = await RawSocket.open(harness);
    socket.write(...(Array.isArray(frames) ? frames : [frames as Buffer]));
    expect(await socket.closeCode()).toBe(expected);
    // Nothing behind it is run.
    harness.handle = async () => {
      throw new Error('It was run.');
    };
    socket.write(frame(TEXT_OF('late')), frame('', { opcode: CLOSE }));
    expect(await socket.next()).toBe(null);
    await until(() => harness.held('u1').slots === 0 && harness.held('u1').octets === 0);
  });

  it('a message of very many fragments is 1008, and its memory is bounded', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '100000' } });
    const socket = await RawSocket.open(harness);
    socket.write(frame('"', { fin: false }));
    const tiny = frame('x', { opcode: CONTINUATION, fin: false });
    socket.write(...Array.from({ length: 5000 }, () => tiny));
    expect(await socket.closeCode()).toBe(1008);
    expect(harness.held('u1').octets).toBeLessThan(40_000);
    socket.tcp.socket.destroy();
    const few = await RawSocket.open(harness);
    few.write(frame('"', { fin: false }), ...Array.from({ length: 900 }, () => tiny));
    few.write(frame('"', { opcode: CONTINUATION }));
    expect(await few.message()).toMatchObject({ status: 400, requestId: null });
    few.tcp.socket.destroy();
  });

  it('a peer that closes while its request runs gets no answer, and frees memory', async () => {
    const harness = await startHarness();
    const { passed, open: openGate } = gate();
    let done = false;
    harness.handle = async (envelope) => {
      await passed;
      done = true;
      return echo(envelope);
    };
    const socket = await RawSocket.open(harness);
    socket.write(frame(TEXT_OF('r')));
    await until(() => harness.held('u1').slots === 1);
    socket.write(frame(code(1000), { opcode: CLOSE }));
    expect(await socket.closeCode()).toBe(1000);
    openGate();
    await until(() => done && harness.held('u1').slots === 0);
    expect(await socket.next()).toBe(null);
  });
});
