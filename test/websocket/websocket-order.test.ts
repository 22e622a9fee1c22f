import { describe, expect, it } from 'vitest';
import { ECHO, echo, gate, type Harness, post, startHarness, until } from '../http/harness.js';
import {
  frame,
  type Message,
  open,
  PONG,
  RawSocket,
  request,
  requestError,
} from './websocket-client.js';

const MANY = 1000;

/** Requests wait at the gate of their call's id, where there is one; what has begun is listed. */
function gated(harness: Harness, ids: readonly string[]) {
  const gates = new Map(ids.map((id) => [id, gate()]));
  const begun: string[] = [];
  harness.handle = async (envelope) => {
    const id = String(envelope.methodCalls[0]?.callId);
    begun.push(id);
    await gates.get(id)?.passed;
    return echo(envelope);
  };
  return { begun, pass: (id: string): void => gates.get(id)?.open() };
}

function named(id: string | null, callId: string): Message {
  return request(id, [['Core/echo', {}, callId]]);
}

const callIds = (messages: readonly Message[]): unknown[] =>
  messages.map((message) => (message['methodResponses'] as unknown[][])[0]?.[2]);

describe('RFC 8887 4.3.2: the order of requests', () => {
  it('1,000 without ids in one packet are all answered, in order, one at a time', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    let running = 0;
    let most = 0;
    harness.handle = async (envelope) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return echo(envelope);
    };
    const client = await open(harness);
    const numbers = Array.from({ length: MANY }, (_, n) => String(n));
    client.socket.pause();
    for (const n of numbers) client.send(named(null, n));
    client.socket.resume();
    const answers = await client.received(MANY);
    expect(callIds(answers)).toEqual(numbers);
    expect(most).toBe(1);
    await until(() => harness.held('u1').octets === 0 && harness.held('u1').slots === 0);
  });

  it('a wrong message among them is answered in its place', async () => {
    const harness = await startHarness();
    const { pass } = gated(harness, ['a']);
    const client = await open(harness);
    client.send(named(null, 'a'));
    client.send('no json');
    client.send({ '@type': 'Foo' });
    client.send(named(null, 'b'));
    client.send(named('x', 'x'));
    expect(await client.received(1)).toMatchObject([{ requestId: 'x' }]);
    pass('a');
    const [first, second, third, last] = await client.received(4);
    expect(callIds([first ?? {}, last ?? {}])).toEqual(['a', 'b']);
    expect([second, third]).toEqual([
      requestError('notJSON', null),
      requestError('notRequest', null),
    ]);
  });

  it('answers 1,000 with ids once each, at most maxConcurrentRequests at a time', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '5' } });
    let running = 0;
    let most = 0;
    harness.handle = async (envelope) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return echo(envelope);
    };
    const socket = await RawSocket.open(harness);
    const ids = Array.from({ length: MANY }, (_, n) => `r${n}`);
    socket.write(...ids.map((id) => frame(JSON.stringify(named(id, id)))));
    const answered = new Map<unknown, Message>();
    for (const _ of ids) {
      const message = await socket.message();
      answered.set(message['requestId'], message);
    }
    expect([...answered.keys()].sort()).toEqual([...ids].sort());
    expect(most).toBe(5);
    for (const [id, message] of answered) {
      if (message['@type'] === 'Response') expect(callIds([message])).toEqual([id]);
      else {
        expect(message).toEqual(
          requestError('limit', String(id), { limit: 'maxConcurrentRequests' }),
        );
      }
    }
    expect(harness.held('u1')).toEqual({ slots: 0, octets: 0 });
    socket.tcp.socket.destroy();
  });

  it('while one without an id runs, a flood of wrong messages is not read on', async () => {
    const harness = await startHarness();
    const { pass, begun } = gated(harness, ['a']);
    const socket = await RawSocket.open(harness);
    socket.write(frame(JSON.stringify(named(null, 'a'))));
    await until(() => begun.length === 1);
    const wrong = Buffer.concat(Array.from({ length: 20 }, () => frame('x'.repeat(2000))));
    let written = 0;
    // 40 kB each: kernels take a few MB of them.
    while (socket.tcp.socket.writableLength < 2_000_000 && written < 1000) {
      socket.tcp.socket.write(wrong);
      written += 1;
      await new Promise(setImmediate);
    }
    expect(written).toBeLessThan(1000);
    pass('a');
    expect(callIds([await socket.message()])).toEqual(['a']);
    expect(await socket.message()).toEqual(requestError('notJSON', null));
    socket.tcp.socket.destroy();
  });
});

describe('WebSocket: maxConcurrentRequests of a user, over both transports', () => {
  it('is enforced at the exact number, in every mixture', async () => {
    const limit = 3;
    const over = { limit: 'maxConcurrentRequests' };
    for (let overHttp = 0; overHttp <= limit; overHttp += 1) {
      const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: String(limit) } });
      const { begun, pass } = gated(harness, ['c', 'w1', 'w2', 'w3', 'last']);
      const [one, two] = [await open(harness), await open(harness)];
      // The call of ECHO has the id "c".
      const posts = Array.from({ length: overHttp }, () => post(harness, ECHO));
      await until(() => begun.length === overHttp);
      // The first of a socket's requests may be without an id, and takes a slot as any other.
      const ids = Array.from({ length: limit - overHttp }, (_, n) => `w${n + 1}`);
      for (const [n, id] of ids.entries()) {
        (n % 2 === 0 ? one : two).send(named(n === 0 ? null : id, id));
        await until(() => begun.length === overHttp + n + 1);
      }
      expect(harness.held('u1').slots).toBe(limit);
      two.send(named('surplus', 'x'));
      expect(await two.received(1)).toEqual([requestError('limit', 'surplus', over)]);
      const refused = await post(harness, ECHO);
      expect([refused.status, await refused.json()]).toMatchObject([400, over]);
      // Another user is not affected.
      const headers = { authorization: 'Bearer token-of-u2' };
      const other = await open(harness, { headers });
      other.send(named('other', 'y'));
      expect(await other.received(1)).toMatchObject([{ requestId: 'other' }]);
      expect(begun).not.toContain('x');
      for (const id of ['c', ...ids]) pass(id);
      expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(posts.map(() => 200));
      await until(() => harness.held('u1').slots === 0);
      two.send(named('after', 'z'));
      await until(() => two.messages.some((message) => message['requestId'] === 'after'));
      expect(begun).toContain('z');
    }
  });

  it('one without an id waits without a slot, and needs a free one to run', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '2' } });
    const { begun, pass } = gated(harness, ['a', 'c', 'd']);
    const client = await open(harness);
    client.send(named(null, 'a'));
    client.send(named(null, 'b'));
    client.send(named(null, 'e'));
    await until(() => begun.length === 1);
    const first = post(harness, ECHO);
    await until(() => begun.length === 2);
    const other = await open(harness);
    other.send(named('d', 'd'));
    expect(await other.received(1)).toMatchObject([{ requestId: 'd', '@type': 'RequestError' }]);
    // `a` gives its slot to whoever asks first: `b`, which waits for it.
    pass('a');
    expect(callIds(await client.received(3))).toEqual(['a', 'b', 'e']);
    pass('c');
    expect((await first).status).toBe(200);
  });
});

describe('WebSocket: slow readers', () => {
  const size = 5_000_000;
  const large = (harness: Harness): { count: number } => {
    const text = 'x'.repeat(size);
    const calls = { count: 0 };
    harness.handle = async (envelope) => {
      calls.count += 1;
      const invocation = JSON.stringify(['Core/echo', { text }, envelope.methodCalls[0]?.callId]);
      return { invocations: [invocation], createdIds: null };
    };
    return calls;
  };

  it('a client that takes nothing holds only its slots’ answers, and is dropped', async () => {
    const harness = await startHarness({ timings: { heartbeat: 100 } });
    const calls = large(harness);
    const socket = await RawSocket.open(harness);
    socket.tcp.socket.pause();
    const messages = Array.from({ length: 500 }, (_, n) =>
      frame(JSON.stringify(named(`r${n}`, 'c'))),
    );
    socket.write(...messages);
    await until(() => calls.count === 8);
    let most = 0;
    while (harness.held('u1').slots > 0) {
      most = Math.max(most, harness.answers());
      await new Promise(setImmediate);
    }
    expect(calls.count).toBeLessThanOrEqual(9);
    expect(most).toBeLessThan(9 * (size + 1000));
    expect([harness.held('u1'), harness.answers()]).toEqual([{ slots: 0, octets: 0 }, 0]);
    socket.tcp.socket.destroy();
  });

  it('the octets of a request are held until its answer is taken', async () => {
    const harness = await startHarness();
    large(harness);
    const socket = await RawSocket.open(harness);
    socket.tcp.socket.pause();
    const long = JSON.stringify({ ...named('r', 'c'), more: 'x'.repeat(100_000) });
    socket.write(frame(long));
    await until(() => harness.answers() > 0);
    expect(harness.held('u1')).toEqual({ slots: 1, octets: long.length });
    socket.tcp.socket.resume();
    await until(() => harness.held('u1').slots === 0);
    expect(harness.held('u1').octets).toBe(0);
    socket.tcp.socket.destroy();
  });

  it('a client that takes its answer slowly is kept, though its pongs are not read', async () => {
    // Three beats without a sign of life would end it: some 100 reads.
    const harness = await startHarness({ timings: { heartbeat: 250 } });
    large(harness);
    const socket = await RawSocket.open(harness);
    const { socket: tcp } = socket.tcp;
    let received = 0;
    let reads = 0;
    tcp.removeAllListeners('data');
    tcp.on('data', (text: string) => {
      received += text.length;
      reads += 1;
      tcp.pause();
      setTimeout(() => tcp.resume(), 5);
      // Behind 1 MB that waits for it the server reads none of these.
      if (reads % 10 === 0) socket.write(frame('', { opcode: PONG }));
    });
    socket.write(...['a', 'b', 'c', 'd'].map((id) => frame(JSON.stringify(named(id, id)))));
    await until(() => received > 4 * size || tcp.closed);
    expect([tcp.closed, reads > 200]).toEqual([false, true]);
    tcp.destroy();
  });
});
