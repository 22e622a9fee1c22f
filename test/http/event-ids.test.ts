import { describe, expect, it } from 'vitest';
import { change, PATH, Stream } from './event-stream.js';
import { account, type Harness, http, principal, startHarness, until } from './harness.js';

/** Opens a stream that goes on where another one ended. */
function reopen(harness: Harness, lastEventId: string, path = PATH): Promise<Stream> {
  return Stream.open(harness, path, { 'last-event-id': lastEventId });
}

async function opened(harness: Harness, path = PATH): Promise<Stream> {
  const stream = await Stream.open(harness, path);
  await until(() => stream.lastEventId !== '');
  return stream;
}

/** Returns the id that a client has after a stream was opened and broken off at once. */
async function baseline(harness: Harness, path = PATH): Promise<string> {
  const stream = await opened(harness, path);
  stream.close();
  return stream.lastEventId;
}

function dataOf(stream: Stream): unknown[] {
  return stream.events.filter(({ event }) => event === 'state').map(({ data }) => data);
}

/** All states that the harness's token u1 sees: AN has no capability with a data type. */
function statesOf(own: Record<string, string>): Record<string, Record<string, string>> {
  const none = { Todo: '0', Tag: '0' };
  return { A1: { ...none, ...own }, AR: none };
}

describe('RFC 8620 7.3: event ids', () => {
  it('the opening has a retry and an id without an event', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '3' });
    const stream = await opened(harness);
    expect(stream.retry).toBeGreaterThanOrEqual(1000);
    expect(stream.retry).toBeLessThanOrEqual(5000);
    expect(stream.events).toEqual([]);
    stream.close();
  });

  it('each state event has another id, and a missed change is told at once', async () => {
    const harness = await startHarness();
    const stream = await opened(harness);
    const ids = new Set([stream.lastEventId]);
    for (const state of ['1', '2', '3']) {
      harness.store.commit('A1', { Todo: state });
      await until(() => stream.events.length === Number(state));
      ids.add(stream.lastEventId);
    }
    expect(ids.size).toBe(4);
    stream.close();
    for (let n = 4; n <= 23; n += 1) harness.store.commit('A1', { Todo: String(n) });
    harness.store.commit('AR', { Tag: '1' });
    const again = await reopen(harness, stream.lastEventId);
    await until(() => again.events.length > 0);
    expect(dataOf(again)).toEqual([change({ A1: { Todo: '23' }, AR: { Tag: '1' } })]);
    again.close();
  });

  it('a client that broke off right after the opening misses nothing', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '3' });
    const id = await baseline(harness);
    harness.store.commit('A1', { Todo: '4' });
    const stream = await reopen(harness, id);
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ A1: { Todo: '4' } })]);
    stream.close();
  });

  it('nothing missed is no event, and the next change is one', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '3' });
    const stream = await reopen(harness, await baseline(harness));
    await until(() => stream.lastEventId !== '');
    harness.store.commit('A1', { Todo: '4' });
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ A1: { Todo: '4' } })]);
    stream.close();
  });

  it('lastEventId in the query stands for the header, which counts more', async () => {
    const harness = await startHarness();
    const early = await baseline(harness);
    harness.store.commit('A1', { Todo: '1' });
    const late = await baseline(harness);
    harness.store.commit('A1', { Tag: '1' });
    const query = `${PATH}&lastEventId=${early}`;
    const byQuery = await Stream.open(harness, query);
    const byHeader = await reopen(harness, late, query);
    await until(() => byQuery.events.length + byHeader.events.length === 2);
    expect(dataOf(byQuery)).toEqual([change({ A1: { Todo: '1', Tag: '1' } })]);
    expect(dataOf(byHeader)).toEqual([change({ A1: { Tag: '1' } })]);
    byQuery.close();
    byHeader.close();
    expect((await http(harness, `${query}&lastEventId=${late}`)).status).toBe(400);
  });

  it('an id that tells nothing here has all present states told, once', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '7' });
    const foreign = await baseline(harness);
    harness.epoch = 'after a restore';
    await harness.compare();
    const whole = Buffer.from(await baseline(harness), 'base64url');
    const ids = [
      'garbage',
      'a b',
      'x'.repeat(5000),
      foreign,
      whole.subarray(0, -3).toString('base64url'),
      Buffer.concat([Buffer.of(9), whole.subarray(1)]).toString('base64url'),
      Buffer.concat([whole, Buffer.alloc(9, 255)]).toString('base64url'),
    ];
    for (const id of ids) {
      const stream = await reopen(harness, id);
      await until(() => stream.events.length > 0);
      expect(dataOf(stream), id).toEqual([change(statesOf({ Todo: '7' }))]);
      const next = await reopen(harness, stream.lastEventId);
      await until(() => next.lastEventId !== '');
      expect(next.events).toEqual([]);
      stream.close();
      next.close();
    }
  });

  it('an id ahead of the states has the present ones told', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '900' });
    const ahead = await baseline(harness);
    harness.store.commitElsewhere('A1', { Todo: '5' });
    const stream = await reopen(harness, ahead);
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ A1: { Todo: '5' } })]);
    stream.close();
  });

  it('an id names an account out of reach: nothing is told of it', async () => {
    const harness = await startHarness();
    const id = await baseline(harness);
    harness.users.principals.set('t1', principal('u1', 't1', [account('AR')]));
    harness.store.commit('A1', { Todo: '1' });
    harness.store.commit('AR', { Todo: '2' });
    const stream = await reopen(harness, id);
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ AR: { Todo: '2' } })]);
    stream.close();
  });

  it('an id of some types makes no claim about others', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '1', Tag: '2' });
    const id = await baseline(harness, PATH.replace('*', 'Todo'));
    const stream = await reopen(harness, id);
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ A1: { Tag: '2' } })]);
    stream.close();
  });

  it('an id has at most 3,000 characters, however many accounts there are', async () => {
    const harness = await startHarness();
    const accounts = Array.from({ length: 1000 }, (_, n) => account(`A${n}`));
    harness.users.principals.set('t1', principal('u1', 't1', accounts));
    for (const { id } of accounts) harness.store.commitElsewhere(id, { Todo: '12345678' });
    const id = await baseline(harness);
    expect(id.length).toBeLessThanOrEqual(3000);
    const same = await reopen(harness, id);
    await until(() => same.lastEventId !== '');
    expect(same.events).toEqual([]);
    same.close();
    harness.store.commit('A7', { Tag: '1' });
    const stream = await reopen(harness, id);
    await until(() => stream.events.length > 0);
    // A short id tells that something has changed, not what.
    const { changed } = dataOf(stream)[0] as { changed: Record<string, unknown> };
    expect(Object.keys(changed)).toHaveLength(1000);
    stream.close();
  });

  it('closeafter=state with an id that is behind ends after what was missed', async () => {
    const harness = await startHarness();
    const path = PATH.replace('closeafter=no', 'closeafter=state');
    const id = await baseline(harness);
    harness.store.commit('A1', { Todo: '1' });
    const stream = await reopen(harness, id, path);
    await until(() => stream.ended);
    expect(dataOf(stream)).toEqual([change({ A1: { Todo: '1' } })]);
  });

  it('names of types count once, and wrong ones are refused quickly', async () => {
    const harness = await startHarness();
    const twice = await opened(harness, PATH.replace('*', 'Tag,Tag,Tag'));
    harness.store.commit('A1', { Todo: '1', Tag: '1' });
    await until(() => twice.events.length > 0);
    expect(dataOf(twice)).toEqual([change({ A1: { Tag: '1' } })]);
    twice.close();
    for (const types of [','.repeat(8000), 'Tag,,Todo', 'Tag,'.repeat(2000)]) {
      expect((await http(harness, PATH.replace('*', types))).status).toBe(400);
    }
  });

  it('a change that no commit of this process told is found by a comparison', async () => {
    const harness = await startHarness();
    harness.store.commit('A1', { Todo: '9' });
    const stream = await opened(harness);
    harness.store.commitElsewhere('A1', { Todo: '4', Tag: '1' });
    await harness.compare();
    await until(() => stream.events.length > 0);
    expect(dataOf(stream)).toEqual([change({ A1: { Todo: '4', Tag: '1' } })]);
    stream.close();
  });

  it('a store that fails refuses the opening and leaves no stream behind', async () => {
    const harness = await startHarness();
    harness.store.failure = new Error('lost');
    const refused = await http(harness, PATH);
    expect(refused.status).toBe(500);
    harness.store.failure = null;
    const stream = await opened(harness);
    harness.store.commit('A1', { Todo: '1' });
    await until(() => stream.events.length > 0);
    stream.close();
  });

  it('many streams that open at once read their states in few statements', async () => {
    const harness = await startHarness();
    const accounts = Array.from({ length: 200 }, (_, n) => n);
    for (const n of accounts) {
      harness.users.tokens.set(`token-of-m${n}`, `m${n}`);
      harness.users.principals.set(`m${n}`, principal(`m${n}`, `m${n}`, [account(`M${n}`)]));
    }
    const streams = await Promise.all(
      accounts.map((n) => Stream.open(harness, PATH, { authorization: `Bearer token-of-m${n}` })),
    );
    expect(harness.store.stateReads.length).toBeLessThan(40);
    for (const stream of streams) stream.close();
  });
});
