import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tokenCredential } from '../../src/accounts/token-text.js';
import { change, PATH, Stream } from './event-stream.js';
import {
  account,
  ECHO,
  echo,
  type Harness,
  head,
  http,
  post,
  principal,
  RawConnection,
  startHarness,
  until,
} from './harness.js';

function pingsOf({ events }: Stream) {
  return events.filter(({ event }) => event === 'ping');
}

afterEach(() => {
  vi.useRealTimers();
});

describe('RFC 8620 7.3: the event source', () => {
  it('opens at once, unbuffered, and has events of every account in reach', async () => {
    const harness = await startHarness();
    const stream = await Stream.open(harness);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    harness.store.commit('AX', { Todo: '9' });
    harness.store.commit('A1', { Todo: '4' });
    await until(() => stream.events.length === 1);
    harness.store.commit('AR', { Todo: '7', Tag: '2' });
    await until(() => stream.events.length === 2);
    expect(stream.events).toEqual([
      { event: 'state', id: expect.any(String), data: change({ A1: { Todo: '4' } }) },
      { event: 'state', id: expect.any(String), data: change({ AR: { Todo: '7', Tag: '2' } }) },
    ]);
    stream.close();
  });

  it('RFC 8620 7.1: commits of one turn are one event with the newest states', async () => {
    const harness = await startHarness();
    const stream = await Stream.open(harness);
    for (let n = 1; n <= 50; n += 1) harness.store.commit('A1', { Todo: String(n) });
    harness.store.commit('AR', { Tag: '1' });
    await until(() => stream.events.length > 0);
    expect(stream.events.map(({ data }) => data)).toEqual([
      change({ A1: { Todo: '50' }, AR: { Tag: '1' } }),
    ]);
    stream.close();
  });

  it('has only the types that were asked for, and that the account has', async () => {
    const harness = await startHarness();
    const stream = await Stream.open(harness, '/jmap/eventsource?types=Tag&closeafter=no&ping=0');
    harness.store.commit('A1', { Todo: '1' });
    harness.store.commit('AN', { Tag: '1' });
    harness.store.commit('A1', { Todo: '2', Tag: '5' });
    await until(() => stream.events.length > 0);
    expect(stream.events.map(({ data }) => data)).toEqual([change({ A1: { Tag: '5' } })]);
    stream.close();
  });

  it('closeafter=state ends after the first state event', async () => {
    const harness = await startHarness();
    const stream = await Stream.open(harness, '/jmap/eventsource?types=*&closeafter=state&ping=0');
    harness.store.commit('A1', { Todo: '1' });
    await until(() => stream.ended);
    expect(stream.events).toHaveLength(1);
  });

  it('wrong and missing parameters are a 400 problem', async () => {
    const harness = await startHarness();
    for (const query of [
      '',
      'types=*&closeafter=no',
      'types=*&ping=0',
      'closeafter=no&ping=0',
      'types=&closeafter=no&ping=0',
      'types=Nope&closeafter=no&ping=0',
      'types=Todo,&closeafter=no&ping=0',
      'types=*&closeafter=maybe&ping=0',
      'types=*&closeafter=no&ping=-1',
      'types=*&closeafter=no&ping=abc',
      'types=*&closeafter=no&ping=1.5',
      'types=*&types=Todo&closeafter=no&ping=0',
    ]) {
      const response = await http(harness, `/jmap/eventsource?${query}`);
      expect(response.status, query).toBe(400);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('pings so long after the last event, without an id, at the interval it uses', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const harness = await startHarness();
    const open = (ping: number) => Stream.open(harness, PATH.replace('ping=0', `ping=${ping}`));
    const [often, seldom] = [await open(1), await open(45)];
    const pings = async (stream: Stream, count: number): Promise<void> => {
      while (pingsOf(stream).length < count) await setImmediate();
    };
    vi.advanceTimersByTime(5000);
    await pings(often, 1);
    expect(often.events).toEqual([{ event: 'ping', data: { interval: 5 } }]);
    vi.advanceTimersByTime(35_000);
    harness.store.commit('A1', { Todo: '1' });
    while (seldom.events.length === 0) await setImmediate();
    vi.advanceTimersByTime(44_999);
    // By then a ping that the event had not moved would be there.
    await pings(often, 16);
    expect(pingsOf(seldom)).toEqual([]);
    vi.advanceTimersByTime(1);
    await pings(seldom, 1);
    expect(pingsOf(seldom)).toEqual([{ event: 'ping', data: { interval: 45 } }]);
    for (const stream of [often, seldom]) stream.close();
  });

  it('bounds the interval of pings, and tells the one that it uses', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const harness = await startHarness();
    for (const [asked, used] of [
      ...[[1, 5] as const, [5, 5] as const, [30, 30] as const, [300, 300] as const],
      ...[[3600, 3600] as const, [100_000, 3600] as const],
    ]) {
      const stream = await Stream.open(harness, PATH.replace('ping=0', `ping=${asked}`));
      vi.advanceTimersByTime(used * 1000);
      while (stream.events.length === 0) await setImmediate();
      expect(stream.events).toEqual([{ event: 'ping', data: { interval: used } }]);
      stream.close();
    }
  });

  it('has a comment after 30 s of silence, and no ping where none is asked for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const harness = await startHarness();
    const stream = await Stream.open(harness);
    for (let n = 1; n <= 20; n += 1) {
      vi.advanceTimersByTime(30_000);
      while (stream.comments < n) await setImmediate();
    }
    vi.advanceTimersByTime(20_000);
    harness.store.commit('A1', { Todo: '1' });
    while (stream.events.length === 0) await setImmediate();
    vi.advanceTimersByTime(29_999);
    harness.store.commit('A1', { Todo: '2' });
    while (stream.events.length === 1) await setImmediate();
    expect(stream.comments).toBe(20);
    expect(stream.events.map(({ event }) => event)).toEqual(['state', 'state']);
    stream.close();
  });

  it('a token that ends, or expires, ends its streams; others stay', async () => {
    const harness = await startHarness();
    const own = await Stream.open(harness);
    const other = await Stream.open(harness, PATH, { authorization: 'Bearer token-of-u2' });
    harness.users.principals.delete('t1');
    await until(() => own.ended);
    expect(other.ended).toBe(false);
    harness.users.principals.set('t2', principal('u2', 't2', [account('AX')], Date.now() + 60));
    await until(() => other.ended);
  });

  it('has no events of an account that goes, and those of one that comes', async () => {
    const harness = await startHarness();
    const stream = await Stream.open(harness);
    const before = await harness.users.refresh(tokenCredential('t1'));
    harness.users.principals.set('t1', principal('u1', 't1', [account('A2')]));
    await until(async () => {
      harness.store.commit('A2', { Todo: '1' });
      return stream.events.length > 0;
    });
    expect(before?.accounts.has('A1')).toBe(true);
    stream.events.length = 0;
    harness.store.commit('A1', { Todo: '8' });
    harness.store.commit('A2', { Todo: '3' });
    await until(() => stream.events.some(({ data }) => JSON.stringify(data).includes('"3"')));
    expect(JSON.stringify(stream.events)).not.toContain('A1');
    stream.close();
  });

  it('a user may have 32 open; a further one is 429; closed ones make room', async () => {
    const harness = await startHarness();
    const streams = await Promise.all(Array.from({ length: 32 }, () => Stream.open(harness)));
    const surplus = await http(harness, PATH);
    expect([surplus.status, await surplus.json()]).toEqual([
      429,
      expect.objectContaining({
        type: 'urn:ietf:params:jmap:error:limit',
        limit: 'maxEventSources',
      }),
    ]);
    const other = await Stream.open(harness, PATH, { authorization: 'Bearer token-of-u2' });
    other.close();
    streams[0]?.close();
    await until(async () => {
      const abort = new AbortController();
      const { status } = await http(harness, PATH, { signal: abort.signal });
      abort.abort();
      return status === 200;
    });
    for (const stream of streams) stream.close();
    await until(async () =>
      /jmap_open_connections\{kind="eventsource"\} 0/.test(await harness.metrics.text()),
    );
  });

  it('a stream that breaks off leaves no timer and no listener', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const harness = await startHarness();
    const path = PATH.replace('ping=0', 'ping=45');
    const timers = vi.getTimerCount();
    const raws = Array.from({ length: 20 }, () => new RawConnection(harness));
    for (const raw of raws) raw.write(head(path, [], 'GET'));
    await Promise.all(raws.map((raw) => raw.until(/\nid: /)));
    // A ping and a comment each.
    expect(vi.getTimerCount()).toBe(timers + 40);
    for (const { socket } of raws) socket.resetAndDestroy();
    while (!/kind="eventsource"\} 0/.test(await harness.metrics.text())) await setImmediate();
    expect(vi.getTimerCount()).toBe(timers);
    harness.store.stateReads.length = 0;
    await harness.compare();
    expect(harness.store.stateReads).toEqual([]);
  });

  it('a reader that does not read is dropped, and its waiting events are bounded', async () => {
    const harness = await startHarness({ timings: { stalledReader: 200 } });
    const names = Array.from({ length: 3000 }, (_, n) => account(`A${n}${'x'.repeat(200)}`));
    harness.users.principals.set('t1', principal('u1', 't1', names));
    const raw = new RawConnection(harness);
    raw.write(head(PATH, [], 'GET'));
    await raw.until(/\r\n\r\n/);
    raw.socket.pause();
    let n = 0;
    await until(() => {
      n += 1;
      for (const { id } of names) harness.store.commit(id, { Todo: String(n) });
      return harness.logs.some((line) => line.includes('aborted'));
    });
    raw.socket.destroy();
  });

  it('a reader that was behind goes on, even with an upgrade behind its request', async () => {
    const harness = await startHarness();
    const names = Array.from({ length: 3000 }, (_, n) => account(`A${n}${'x'.repeat(200)}`));
    harness.users.principals.set('t1', principal('u1', 't1', names));
    const raw = new RawConnection(harness);
    raw.write(head(PATH, [], 'GET'));
    await raw.until(/\r\n\r\n/);
    raw.socket.pause();
    const commit = (state: string): void => {
      for (const { id } of names) harness.store.commit(id, { Todo: state });
    };
    for (let n = 1; n <= 20; n += 1) {
      commit(String(n));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    raw.write(head('/healthz', ['Connection: Upgrade', 'Upgrade: h2c'], 'GET'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    raw.socket.resume();
    await new Promise((resolve) => setTimeout(resolve, 50));
    commit('21');
    await raw.until(/"Todo":"21"/);
    raw.socket.destroy();
  });

  it('a server that stops ends its streams, and spreads when they come back', async () => {
    const harness = await startHarness();
    for (let n = 0; n < 10; n += 1) {
      harness.users.tokens.set(`token-of-m${n}`, `m${n}`);
      harness.users.principals.set(`m${n}`, principal(`m${n}`, `m${n}`, [account('A1')]));
    }
    const streams = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        Stream.open(harness, PATH, { authorization: `Bearer token-of-m${n % 10}` }),
      ),
    );
    await until(() => streams.every(({ retry }) => retry > 0));
    for (const stream of streams) stream.retry = 0;
    await harness.close();
    await until(() => streams.every(({ ended }) => ended));
    const retries = streams.map(({ retry }) => retry);
    expect(Math.min(...retries)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...retries)).toBeLessThanOrEqual(10_000);
    expect(Math.max(...retries) - Math.min(...retries)).toBeGreaterThan(5000);
  });
});

describe('tickets', () => {
  const ticketOf = async (harness: Harness): Promise<string> => {
    const response = await http(harness, '/jmap/ticket', { method: 'POST' });
    const { ticket, expires } = (await response.json()) as { ticket: string; expires: string };
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    return ticket;
  };

  it('opens an event source once, for the same user, and nothing else', async () => {
    const harness = await startHarness();
    const ticket = await ticketOf(harness);
    expect((await fetch(`${harness.url}/.well-known/jmap?ticket=${ticket}`)).status).toBe(401);
    const path = `${PATH}&ticket=${ticket}`;
    const abort = new AbortController();
    const opened = await fetch(`${harness.url}${path}`, { signal: abort.signal });
    expect(opened.status).toBe(200);
    abort.abort();
    const again = await fetch(`${harness.url}${path}`);
    expect(again.status).toBe(401);
    expect(again.headers.get('www-authenticate')).toContain('invalid_token');
    expect(harness.logs.join('')).not.toContain(ticket);
  });

  it('shows in no header, no body and no log of any answer', async () => {
    const harness = await startHarness();
    const ticket = await ticketOf(harness);
    const secret = `${ticket}-of-u1-which-nobody-else-may-see`;
    const referer = `${harness.url}${PATH}&ticket=${secret}`;
    const seen: string[] = [];
    for (const [method, path] of [
      ...[['GET', PATH] as const, ['HEAD', PATH] as const, ['OPTIONS', PATH] as const],
      ...[['POST', PATH] as const, ['GET', '/jmap/eventsource?types=*'] as const],
      ...[['GET', '/nothing/here?a=b'] as const, ['GET', '/.well-known/jmap?a=b'] as const],
    ]) {
      const response = await fetch(`${harness.url}${path}&ticket=${secret}`, {
        method,
        headers: { referer },
      });
      expect(response.headers.get('x-request-id')).toEqual(expect.any(String));
      // Pages that a browser makes of it send none on.
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      seen.push(JSON.stringify([...response.headers]), await response.text());
    }
    const opened = await Stream.open(harness, `${PATH}&ticket=${ticket}`, { authorization: '' });
    expect(opened.response.headers.get('referrer-policy')).toBe('no-referrer');
    seen.push(JSON.stringify([...opened.response.headers]));
    opened.close();
    await until(() => harness.logs.length >= 8);
    for (const text of [...seen, ...harness.logs]) expect(text).not.toContain(ticket);
  });

  it('is no longer good once the server has ended the stream; the last id is', async () => {
    const harness = await startHarness();
    const path = PATH.replace('closeafter=no', 'closeafter=state');
    const first = await Stream.open(harness, `${path}&ticket=${await ticketOf(harness)}`, {
      authorization: '',
    });
    harness.store.commit('A1', { Todo: '1' });
    await until(() => first.ended);
    harness.store.commit('A1', { Todo: '2' });
    // As an EventSource of a browser connects again.
    const again = await fetch(first.response.url, {
      headers: { 'last-event-id': first.lastEventId },
    });
    expect(again.status).toBe(401);
    const renewed = `${path}&ticket=${await ticketOf(harness)}&lastEventId=${first.lastEventId}`;
    const next = await Stream.open(harness, renewed, { authorization: '' });
    await until(() => next.ended);
    expect(next.events.map(({ data }) => data)).toEqual([change({ A1: { Todo: '2' } })]);
  });

  it('RFC 8620 3.6.1: counts as a request of the user while it is made', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    let answer = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      harness.handle = async (envelope) => {
        resolve();
        await new Promise<void>((done) => {
          answer = done;
        });
        return echo(envelope);
      };
    });
    const request = post(harness, ECHO);
    await begun;
    const refused = await http(harness, '/jmap/ticket', { method: 'POST' });
    expect(await refused.json()).toMatchObject({ limit: 'maxConcurrentRequests' });
    answer();
    await request;
    await ticketOf(harness);
  });

  it('needs a bearer token to be issued and dies with it', async () => {
    const harness = await startHarness();
    expect((await fetch(`${harness.url}/jmap/ticket`, { method: 'POST' })).status).toBe(401);
    const ticket = await ticketOf(harness);
    harness.users.principals.delete('t1');
    expect((await fetch(`${harness.url}${PATH}&ticket=${ticket}`)).status).toBe(401);
  });
});
