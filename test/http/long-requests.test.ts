import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isLongText } from '../../src/protocol/ijson.js';
import {
  CORE,
  echo,
  head,
  OTHER_TOKEN,
  post,
  RawConnection,
  startHarness,
  TOKEN,
  until,
} from './harness.js';

/** About 1 MB of small values, which take several slices. */
const VALUES = Array.from({ length: 24_000 }, (_, n) => ({ a: [1, 2, 3], b: 'text', c: { n } }));

function long(id: string): string {
  const methodCalls = [['Core/echo', { values: VALUES }, id]];
  return JSON.stringify({ '@type': 'Request', using: [CORE], methodCalls });
}

function short(id: string): string {
  return JSON.stringify({
    '@type': 'Request',
    using: [CORE],
    methodCalls: [['Core/echo', {}, id]],
  });
}

/** The call id that an answer has. */
function answered(text: string): string {
  return (JSON.parse(text) as { methodResponses: [[string, object, string]] })
    .methodResponses[0][2];
}

describe('a request that takes long to read', () => {
  it('is answered as any, and others are answered while it is read', async () => {
    const harness = await startHarness();
    const order: string[] = [];
    const lengths: number[] = [];
    harness.handle = async (envelope) => {
      const [call] = envelope.methodCalls;
      order.push(call?.callId ?? '');
      const { values } = call?.args ?? {};
      if (Array.isArray(values)) lengths.push(values.length);
      return echo(envelope);
    };
    const body = long('long');
    expect(isLongText(body.length)).toBe(true);
    const [raw, ...others] = Array.from({ length: 5 }, () => new RawConnection(harness));
    if (raw === undefined) throw new Error('There are five.');
    const lines = (length: number): string[] => [
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ];
    for (const { socket } of [raw, ...others]) await until(() => !socket.connecting);
    // The others come with the last octet.
    raw.write(head('/jmap', lines(body.length)) + body.slice(0, -1));
    await new Promise((resolve) => raw.socket.write('', resolve));
    for (const other of others) {
      const text = short('short');
      other.write(head('/jmap', lines(text.length)) + text);
    }
    raw.write(body.slice(-1));
    for (const other of others) await other.until(/"sessionState":"[^"]*"\}$/);
    await raw.until(/"sessionState":"[^"]*"\}$/);
    expect(order.at(-1)).toBe('long');
    expect(order).toHaveLength(5);
    expect(lengths).toEqual([VALUES.length]);
    expect(raw.received).toMatch(/^HTTP\/1[.]1 200 /);
    for (const { socket } of [raw, ...others]) socket.destroy();
  });

  it('is not run, and frees its slot, if its client has left meanwhile', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    const ran: string[] = [];
    harness.handle = async (envelope) => {
      ran.push(envelope.methodCalls[0]?.callId ?? '');
      return echo(envelope);
    };
    const body = long('long');
    const raw = new RawConnection(harness);
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    raw.write(head('/jmap', lines));
    await new Promise((resolve) => raw.socket.write(body, 'latin1', resolve));
    raw.socket.resetAndDestroy();
    await raw.closed;
    await until(async () => (await post(harness, short('next'))).status === 200);
    expect(ran).toEqual(['next']);
  });

  it.each(['over HTTP', 'over WebSockets'])(
    'has its turn: what it is read to is gone before the next one of its user is read, %s',
    async (transport) => {
      const harness = await startHarness();
      const running: string[] = [];
      const goOn = new Map<string, () => void>();
      harness.handle = async (envelope, { userId }) => {
        const name = `${userId} ${envelope.methodCalls[0]?.callId}`;
        running.push(name);
        await new Promise<void>((resolve) => goOn.set(name, resolve));
        running.splice(running.indexOf(name), 1);
        return { invocations: [JSON.stringify(['Core/echo', {}, name])], createdIds: null };
      };
      const url = `${harness.url.replace('http', 'ws')}/jmap/ws`;
      const ask = async (id: string, token = TOKEN): Promise<string> => {
        const body = id.startsWith('long') ? long(id) : short(id);
        if (transport === 'over HTTP') return (await post(harness, body, token)).text();
        const headers = { authorization: `Bearer ${token}` };
        const socket = new WebSocket(url, ['jmap'], { headers });
        await new Promise((resolve) => socket.once('open', resolve));
        socket.send(body);
        const text = await new Promise((resolve) => socket.once('message', resolve));
        socket.terminate();
        return String(text);
      };
      const first = ask('long1');
      await until(() => goOn.has('u1 long1'));
      const rest = [ask('long2'), ask('long3', OTHER_TOKEN), ask('short')];
      await until(() => goOn.has('u2 long3') && goOn.has('u1 short'));
      expect(running.sort()).toEqual(['u1 long1', 'u1 short', 'u2 long3']);
      goOn.get('u1 long1')?.();
      expect(answered(await first)).toBe('u1 long1');
      await until(() => goOn.has('u1 long2'));
      for (const resolve of goOn.values()) resolve();
      expect((await Promise.all(rest)).map(answered)).toEqual(['u1 long2', 'u2 long3', 'u1 short']);
    },
  );

  it.each(['over HTTP', 'over WebSockets'])(
    'gives back its place at REQUEST_TIMEOUT, or when its client leaves, %s',
    async (transport) => {
      const env = { MAX_CONCURRENT_REQUESTS: '2', REQUEST_TIMEOUT: '1s' };
      const harness = await startHarness({ env });
      const ran: string[] = [];
      let goOn: () => void = () => undefined;
      harness.handle = async (envelope) => {
        const name = envelope.methodCalls[0]?.callId ?? '';
        ran.push(name);
        if (name === 'long1') await new Promise<void>((resolve) => (goOn = resolve));
        return echo(envelope);
      };
      const first = post(harness, long('long1'));
      await until(() => ran.length === 1);
      if (transport === 'over HTTP') {
        // Nothing of it was begun, so it may be sent again.
        const late = await post(harness, long('long2'));
        expect([late.status, late.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
        const raw = new RawConnection(harness);
        const body = long('long3');
        const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
        raw.write(head('/jmap', lines));
        await new Promise((resolve) => raw.socket.write(body, 'latin1', resolve));
        // Asked of the server: a further request could take the place itself.
        await until(() => harness.held('u1').slots === 2 || raw.received !== '');
        raw.socket.resetAndDestroy();
      } else {
        const url = `${harness.url.replace('http', 'ws')}/jmap/ws`;
        const headers = { authorization: `Bearer ${TOKEN}` };
        const socket = new WebSocket(url, ['jmap'], { headers });
        await new Promise((resolve) => socket.once('open', resolve));
        socket.send(long('long2'));
        expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1013);
      }
      // The other of two slots, while the first one runs.
      await until(async () => (await post(harness, short('next'))).status === 200);
      goOn();
      expect((await first).status).toBe(200);
      expect((await post(harness, long('long4'))).status).toBe(200);
      expect(ran.filter((name) => name.startsWith('long'))).toEqual(['long1', 'long4']);
    },
  );

  it('is not run if its token was revoked while it came', async () => {
    const harness = await startHarness();
    let ran = 0;
    harness.handle = async (envelope) => {
      ran += 1;
      return echo(envelope);
    };
    const { users } = harness;
    let asked = 0;
    const authenticate = users.authenticate.bind(users);
    users.authenticate = (token) => {
      asked += 1;
      return authenticate(token);
    };
    const body = long('long');
    const raw = new RawConnection(harness);
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    raw.write(head('/jmap', lines) + body.slice(0, 1000));
    await until(() => asked === 1);
    users.principals.delete('t1');
    raw.write(body.slice(1000));
    expect(await raw.until(/expired or revoked/)).toMatch(/^HTTP\/1[.]1 401 /);
    expect(ran).toBe(0);
    raw.socket.destroy();
  });

  it('is refused if it is no JSON at its end', async () => {
    const harness = await startHarness();
    const response = await post(harness, `${long('x').slice(0, -1)},}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'urn:ietf:params:jmap:error:notJSON' });
  });

  it('over a WebSocket keeps its place among those without an id', async () => {
    const harness = await startHarness();
    const url = `${harness.url.replace('http', 'ws')}/jmap/ws`;
    const socket = new WebSocket(url, ['jmap'], { headers: { authorization: `Bearer ${TOKEN}` } });
    const order: string[] = [];
    socket.on('message', (data) => order.push(answered(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    for (const text of [short('a'), long('b'), short('c'), long('d'), short('e')])
      socket.send(text);
    await until(() => order.length === 5);
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
    socket.terminate();
  });
});
