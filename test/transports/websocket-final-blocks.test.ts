import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Deflate } from '../../src/transports/websocket/deflate.js';
import { Deflaters } from '../../src/transports/websocket/deflaters.js';
import { Random, withSeeds } from '../support/random.js';
import { type Harness, startHarness, until } from './harness.js';
import {
  CONTINUATION,
  compressed,
  frame,
  OFFER,
  RawSocket,
  RSV1,
  request,
} from './websocket-client.js';

const { Z_FINISH, Z_FULL_FLUSH, Z_SYNC_FLUSH } = constants;
/** The begin of an empty block without compression: what follows a final one at the end (RFC 7692 7.2.3.4). */
const EMPTY = Buffer.alloc(1);
const WINDOW = 32_768;

/** A stream that ends in a final block, to the end of an octet. */
function final(text: string): Buffer {
  return deflateRawSync(text);
}

/** Blocks that the next ones follow, which may refer to what came before. */
function blocks(octets: Buffer, finishFlush: number, before?: Buffer): Buffer {
  return deflateRawSync(octets, { finishFlush, ...(before && { dictionary: before }) });
}

async function send(harness: Harness, payload: Buffer, offer = OFFER): Promise<RawSocket> {
  const socket = await RawSocket.open(harness, [offer]);
  return socket.write(frame(payload, { rsv: RSV1 }));
}

describe('WebSocket: final blocks of a compressed message (RFC 7692 7.2.1, 7.2.3.4)', () => {
  const echoed = ['Core/echo', { text: 'Buy milk. '.repeat(20) }, 'c'];
  const text = JSON.stringify(request('r', [echoed]));
  const [a, b, c] = [text.slice(0, 50), text.slice(50, 200), text.slice(200)];
  const syncFlushed = (part: string): Buffer => blocks(Buffer.from(part), Z_SYNC_FLUSH);
  it.each([
    ['one', [final(text), EMPTY]],
    ['one, without what follows it', [final(text)]],
    ['two', [final(a + b), final(c), EMPTY]],
    ['one, and one that is not', [final(a), compressed(b + c)]],
    ['one between others', [syncFlushed(a), final(b), compressed(c)]],
    ['one of nothing at each end', [final(''), final(text), final(''), EMPTY]],
    ['one a character', [...Array.from(text, final), EMPTY]],
  ])('%s: the message is all of it, whole or an octet a fragment', async (_, parts) => {
    const payload = Buffer.concat(parts);
    const harness = await startHarness();
    const socket = await send(harness, payload);
    expect(await socket.message()).toMatchObject({ methodResponses: [echoed] });
    socket.write(frame('', { rsv: RSV1, fin: false }));
    for (const octet of payload) {
      socket.write(frame(Buffer.from([octet]), { opcode: CONTINUATION, fin: false }));
    }
    socket.write(frame('', { opcode: CONTINUATION }));
    expect(await socket.message()).toMatchObject({ methodResponses: [echoed] });
    expect(harness.held('u1').octets).toBe(0);
  });

  it.each([
    ['of 32 kB', OFFER, 15],
    ['that the client keeps small', `${OFFER}; client_max_window_bits=9`, 9],
  ])('what follows one may refer to what came before, in a window %s', async (_, offer, bits) => {
    const harness = await startHarness();
    const read: unknown[] = [];
    harness.handle = ({ methodCalls, createdIds }) => {
      read.push(...methodCalls.map(({ args }) => args));
      return { invocations: [], createdIds };
    };
    const random = randomBytes(25_000).toString('hex');
    const text = random + random.slice(-200);
    const message = Buffer.from(JSON.stringify(request('r', [['Core/echo', { text }, 'c']])));
    const cut = message.indexOf(text) + random.length;
    const [begin, rest] = [message.subarray(0, cut), message.subarray(cut)];
    const windowBits = bits;
    const dictionary = begin.subarray(-(2 ** bits));
    const first = deflateRawSync(begin, { windowBits });
    const flush = { finishFlush: Z_SYNC_FLUSH, windowBits };
    const second = deflateRawSync(rest, { ...flush, dictionary }).subarray(0, -4);
    expect(() => inflateRawSync(second, flush)).toThrow('distance');
    const socket = await send(harness, Buffer.concat([first, second]), offer);
    expect((await socket.message())['requestId']).toBe('r');
    expect(read).toEqual([{ text }]);
  });

  it('what follows one and does not inflate closes with 1007', async () => {
    const harness = await startHarness();
    for (const garbage of [[0xff, 0xff, 0xff], [0x06], [0x00, 0x01, 0x02]]) {
      const socket = await send(harness, Buffer.concat([final(text), Buffer.from(garbage)]));
      expect(await socket.closeCode()).toBe(1007);
    }
    await until(() => harness.held('u1').octets === 0);
  });

  it('what they inflate to counts together: 1009 at twice maxSizeRequest', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '1000000' } });
    const stream = final(' '.repeat(100_000));
    const bomb = Buffer.concat(Array.from({ length: 1000 }, () => stream));
    expect(bomb.length).toBeLessThan(200_000);
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, harness.held('u1').octets);
    }, 0);
    const socket = await send(harness, bomb);
    expect(await socket.closeCode()).toBe(1009);
    clearInterval(look);
    expect(most).toBeLessThan(3_000_000);
    socket.tcp.socket.destroy();
    await until(() => harness.held('u1').octets === 0);
  });

  it('1,024 of them; beyond these 1008', async () => {
    const harness = await startHarness();
    const message = (empty: number): Buffer =>
      Buffer.concat([...Array.from({ length: empty }, () => final('')), final(text), EMPTY]);
    const [fits, over] = await Promise.all([1023, 1024].map((n) => send(harness, message(n))));
    expect((await fits?.message())?.['requestId']).toBe('r');
    expect(await over?.closeCode()).toBe(1008);
  });
});

it('what a message of many small streams takes is near what is held for it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const taken = (): number => {
    // What the first run finds to be gone is no longer counted after the second one.
    for (let run = 0; run < 3; run += 1) collect();
    return process.memoryUsage().arrayBuffers;
  };
  const small = Array.from({ length: 1000 }, () => final('a'));
  const payload = Buffer.concat([final('x'.repeat(40_000)), ...small]);
  const before = taken();
  let most = 0;
  let chunks = 0;
  const hold = (): boolean => {
    chunks += 1;
    if (chunks % 300 === 0) most = Math.max(most, taken() - before);
    return true;
  };
  const deflate = new Deflate({}, new Deflaters(1), {
    maximum: 1e6,
    hold,
    refuse: () => undefined,
  });
  await new Promise<void>((resolve) => {
    deflate.decompress(payload, true, () => resolve());
  });
  expect(chunks).toBeGreaterThan(1000);
  // 16,384 octets for each of them, if what an inflater has for its output were kept.
  expect(most).toBeLessThan(4_000_000);
});

/** A message of random blocks, and what it inflates to. */
function drawn(random: Random): { readonly payload: Buffer; readonly text: Buffer } {
  let text: Buffer = Buffer.alloc(0);
  const parts: Buffer[] = [];
  let isFinal = false;
  for (let count = random.integer(1, 6); count > 0; count -= 1) {
    const size = random.pick([0, 1, 300, 20_000, 70_000]);
    const from = random.integer(0, text.length);
    const part = random.pick([
      Buffer.from(Array.from({ length: Math.min(size, 20_000) }, () => random.integer(0, 255))),
      text.subarray(from, from + size),
      Buffer.alloc(size, 'x'),
    ]);
    const flush = random.pick([Z_FINISH, Z_FINISH, Z_SYNC_FLUSH, Z_FULL_FLUSH]);
    isFinal = flush === Z_FINISH;
    const refers = text.length > 0 && random.chance(0.5);
    parts.push(blocks(part, flush, refers ? text.subarray(-WINDOW) : undefined));
    text = Buffer.concat([text, part]);
  }
  const payload = Buffer.concat(parts);
  return { text, payload: isFinal ? Buffer.concat([payload, EMPTY]) : payload.subarray(0, -4) };
}

async function inflated(payload: Buffer, random: Random): Promise<Buffer> {
  const bounds = { maximum: 1e9, hold: () => true, refuse: () => undefined };
  const deflate = new Deflate({}, new Deflaters(1), bounds);
  const octets: Buffer[] = [];
  for (let at = 0, fin = false; !fin; ) {
    const end = Math.min(payload.length, at + random.pick([0, 1, 100, 9000, 1e6]));
    fin = end === payload.length;
    const data = payload.subarray(at, end);
    octets.push(
      await new Promise((resolve, reject) => {
        deflate.decompress(data, fin, (error, part = EMPTY) =>
          error === null ? resolve(part) : reject(error),
        );
      }),
    );
    at = end;
  }
  return Buffer.concat(octets);
}

it('whatever its blocks and fragments are, a message is what was compressed', async () => {
  await withSeeds(40, async (seed) => {
    const random = new Random(seed);
    const { text, payload } = drawn(random);
    expect((await inflated(payload, random)).equals(text)).toBe(true);
  });
});
