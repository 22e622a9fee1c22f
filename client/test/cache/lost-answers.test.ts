import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/call/session.js';
import { type Invocation, memory } from '../../src/index.js';
import type { Request as JmapRequest, Response as Reply } from '../../src/transport/transport.js';
import { makeFaultyFetch, spoil } from '../support/faulty-fetch.js';
import { useTodos } from '../support/todos.js';

// Calls that the server has made, or not, while the client doesn't know.

const served = useTodos();

const ONCE = 'urn:jmapsmith:once';

function forgetOnce(session: Session): Session {
  const { [ONCE]: _once, ...capabilities } = session.capabilities;
  return { ...session, capabilities };
}

describe.each([
  { server: 'that makes calls once', edit: (session: Session) => session, keeps: 'all' },
  { server: 'of the RFC alone', edit: forgetOnce, keeps: 'all' },
  { server: 'of the RFC alone, in part,', edit: forgetOnce, keeps: 'known' },
] as const)('a call to a server $server', ({ server, edit, keeps }) => {
  const fetch = makeFaultyFetch(() => null, edit);
  const open = () => served.connect({ store: memory(), fetch, coverage: { Todo: keeps } });
  const createdBy = async (text: string) => {
    const { u1, A1 } = served.fixtures();
    const { list } = await u1.get('Todo', { accountId: A1, ids: null });
    return list.filter((todo) => todo['text'] === text);
  };

  it('creates one object where its answer is lost', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const text = `${server}: answer`;
    served.proxy().decideNext('lose', 'drop', 'lose');
    const write = jmap.account().Todo.create({ text });
    const seen = new Set<number>();
    jmap
      .account()
      .Todo.live()
      .subscribe(({ rows, complete }) => {
        if (complete) seen.add(rows.filter((row) => row.text === text).length);
      });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { $key: write.object.$key } });
    expect(await createdBy(text)).toHaveLength(1);
    expect(seen).toEqual(new Set([1]));
  });

  it('creates one object where the request is lost, and others write meanwhile', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const text = `${server}: request`;
    const { u1, A1 } = served.fixtures();
    served.proxy().decideNext('drop', 'drop');
    const write = jmap.account().Todo.create({ text });
    await expect.poll(() => served.proxy().api().length).toBeGreaterThan(1);
    await u1.set('Todo', { accountId: A1, create: { k: { text: 'another' } } });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await createdBy(text)).toHaveLength(1);
  });

  it('changes and destroys once more where the answer is lost', async () => {
    const jmap = await open();
    const me = jmap.account();
    const text = `${server}: update`;
    const { object } = me.Todo.create({ text });
    await jmap.sync.settled();
    served.proxy().decideNext('lose');
    const update = me.Todo.update(object.$key, { done: true });
    await jmap.sync.settled();
    expect(await update.result).toMatchObject({ ok: true, object: { done: true } });
    served.proxy().decideNext('lose');
    const destroy = me.Todo.destroy(object.$key);
    await jmap.sync.settled();
    expect(await destroy.result).toMatchObject({ ok: true });
    expect(await createdBy(text)).toEqual([]);
  });

  it('is made though a later one of its object is refused, which was made meanwhile', async () => {
    const jmap = await open();
    const me = jmap.account();
    const text = `${server}: later`;
    const { object } = me.Todo.create({ text });
    await jmap.sync.settled();
    const before = served.proxy().api().length;
    served.proxy().decideNext('lose', 'drop');
    const update = me.Todo.update(object.$key, { done: true });
    await expect.poll(() => served.proxy().api().length).toBeGreaterThan(before);
    const later = me.Todo.update(object.$key, { text: 'x'.repeat(513) });
    await jmap.sync.settled();
    expect(await update.result).toMatchObject({ ok: true });
    expect(await later.result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(await createdBy(text)).toMatchObject([{ done: true }]);
  });

  it('sends an object that was created with others in one log', async () => {
    const jmap = await open();
    const me = jmap.account();
    await jmap.sync.settled();
    served.proxy().decideNext('lose');
    const texts = Array.from({ length: 5 }, (_, n) => `${server}: ${n}`);
    const writes = texts.map((text) => me.Todo.create({ text }));
    await jmap.sync.settled();
    for (const write of writes) expect(await write.result).toMatchObject({ ok: true });
    for (const text of texts) expect(await createdBy(text)).toHaveLength(1);
  });
});

it('creates are made once by a server that tells few changes at once', async () => {
  const fetch = makeFaultyFetch(() => null, forgetOnce, cutChanges);
  const jmap = await served.connect({ store: memory(), fetch });
  await jmap.sync.settled();
  served.proxy().decideNext('lose');
  const texts = Array.from({ length: 5 }, (_, n) => `few at once: ${n}`);
  const writes = texts.map((text) => jmap.account().Todo.create({ text }));
  await jmap.sync.settled();
  for (const write of writes) expect(await write.result).toMatchObject({ ok: true });
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  const made = list.map(({ text }) => String(text)).filter((text) => texts.includes(text));
  expect(made.sort()).toEqual(texts);
});

/** Returns a request of which each /changes is answered with two changes at most. */
function cutChanges({ methodCalls, ...request }: JmapRequest): JmapRequest {
  const cut = methodCalls.map(([name, args, id]): Invocation => {
    const isCut = name.endsWith('/changes');
    return [name, { ...args, ...(isCut && { maxChanges: 2 }) }, id];
  });
  return { ...request, methodCalls: cut };
}

describe('an object that another client destroys before the lost answer comes again', () => {
  it('is gone', async () => {
    const jmap = await served.connect({ store: memory() });
    await jmap.sync.settled();
    const { u1, A1 } = served.fixtures();
    const { Todo } = jmap.account();
    served.proxy().decideNext('lose', 'drop', 'drop', 'drop');
    const write = Todo.create({ text: 'for a moment' });
    const find = async () => {
      const { list } = await u1.get('Todo', { accountId: A1, ids: null });
      return list.find(({ text }) => text === 'for a moment');
    };
    await expect.poll(find).toBeDefined();
    await u1.set('Todo', { accountId: A1, destroy: [(await find())?.id ?? ''] });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true });
    const { rows } = Todo.live().getSnapshot();
    expect(rows.filter(({ text }) => text === 'for a moment')).toEqual([]);
  });
});

describe('a call whose answers a gateway has lost', () => {
  it('is made once, and told as made', async () => {
    let left = 7;
    const lossy: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(init?.body).includes('"create"') || left <= 0) return response;
      left -= 1;
      return new Response('', { status: 502 });
    };
    const jmap = await served.connect({ store: memory(), fetch: lossy });
    const { Todo } = jmap.account();
    await jmap.sync.settled();
    const writes = ['lost one', 'lost two'].map((text) => Todo.create({ text }));
    const ends = await Promise.all(writes.map(({ result }) => result));
    expect(ends.map(({ ok }) => ok)).toEqual([true, true]);
    const { u1, A1 } = served.fixtures();
    const { list } = await u1.get('Todo', { accountId: A1, ids: null });
    const made = list.filter((todo) => String(todo['text']).startsWith('lost'));
    expect(made).toHaveLength(2);
  });
});

describe('a call that was made, and is answered by an error', () => {
  it.each([
    ['serverUnavailable', 'lost'],
    ['serverFail', 'lost'],
    ['rateLimit', 'lost'],
    ['serverUnavailable', 'told'],
  ])('makes one object: %s, where the first answer is %s', async (type, first) => {
    const text = `busy: ${type}, ${first}`;
    let creates = 0;
    const busy: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(init?.body).includes(text)) return response;
      creates += 1;
      const body = (await response.json()) as Reply;
      if (creates === 1 && first === 'lost') throw new TypeError('The answer was lost.');
      if (creates > (first === 'lost' ? 2 : 1)) return Response.json(body);
      const { methodCalls } = JSON.parse(String(init?.body)) as JmapRequest;
      const spoilt = methodCalls.filter(([, args]) => args['create'] !== undefined);
      return Response.json(spoil(body, spoilt, type));
    };
    const jmap = await served.connect({ store: memory(), fetch: busy });
    await jmap.sync.settled();
    const { result } = jmap.account().Todo.create({ text });
    expect(await result).toMatchObject({ ok: true });
    const { u1, A1 } = served.fixtures();
    const { list } = await u1.get('Todo', { accountId: A1, ids: null });
    expect(list.filter((todo) => todo['text'] === text)).toHaveLength(1);
  });
});
