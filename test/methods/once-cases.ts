import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCrosswise } from './crosswise-rig.js';
import { type Call, type Json, ONCE, U1, U2 } from './rig.js';

/** Calls with a key (docs/reference/protocol.md#once), on one database. */
export function onceCases(
  database: 'sqlite' | 'postgresql',
  urlOf: () => Promise<string | null>,
): void {
  describe(`calls with a key on ${database}`, () => cases(urlOf));
}

const HALF_AN_HOUR = 1_800_000;

function cases(urlOf: () => Promise<string | null>): void {
  let on: Awaited<ReturnType<typeof openCrosswise>>;
  /** One more server on the same database; on SQLite, which has one server, the same. */
  let other: typeof on;

  beforeAll(async () => {
    const url = await urlOf();
    on = await openCrosswise(url);
    other = url === null ? on : await openCrosswise(url, true);
  });
  afterAll(async () => {
    if (other !== on) await other.close();
    await on.close();
  });

  beforeEach(async () => {
    const own = ['JmapState', 'JmapChange', 'JmapReference', 'JmapBlobReference', 'JmapOnce'];
    for (const table of [...own, 'JmapAccount', 'Entry', 'Entry_2'])
      await on.run(`DELETE FROM "${table}"`);
    for (const id of ['a1', 'a2', 'a3'])
      await on.run(
        `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
          VALUES ('${id}', '', 'u', 1)`,
      );
  });

  const send = async (calls: readonly Call[], server = on, user = U1): Promise<Json[]> =>
    (await server.send(calls, [ONCE], user)).methodResponses;
  const set = async (args: object, server = on, user = U1): Promise<Json> => {
    const [[name, response]] = (await send([['Task/set', args]], server, user)) as Json;
    return name === 'Task/set' ? response : { error: response.type, ...response };
  };
  const get = async (accountId = 'a1'): Promise<Json> => on.call('Task/get', { accountId });

  it('a call that comes again answers the same and changes nothing', async () => {
    const calls: readonly Call[] = [
      ['Task/set', { create: { k: { heading: 'H' } }, onceKey: '1' }],
      ['Task/set', { update: { '#k': { title: 'T' } }, onceKey: '2' }],
      ['Task/get', { ids: ['#k'], properties: ['title'] }],
    ];
    const first = await send(calls);
    expect(first[0]?.[1].created.k).toMatchObject({ slug: 'h' });
    expect(first[2]?.[1].list).toMatchObject([{ title: 'T' }]);
    const id = first[0]?.[1].created.k.id as string;
    await set({ update: { [id]: { title: 'other' } } });
    const again = await send(calls, other);
    expect(again.slice(0, 2)).toEqual(first.slice(0, 2));
    expect(again[2]?.[1].list).toEqual([{ id, title: 'other' }]);
    // A later call of a new request can name what the first one created.
    const late = ['Task/set', { destroy: ['#k'] }, 'late'] as const;
    expect((await send([calls[0] as Call, late]))[1]?.[1].destroyed).toEqual([id]);
    expect(await set({ create: { k: { heading: 'H' } }, onceKey: '1' })).toEqual(first[0]?.[1]);
    expect((await get()).list).toEqual([]);
  });

  it('the same arguments are the same JSON as sent, with members in any order', async () => {
    const args = {
      create: { k: { heading: 'H', size: 1 } },
      ifInState: '0',
      onceKey: 'é'.repeat(128),
    };
    const first = await set(args);
    const turned = { ...args, create: { k: { size: 1, heading: 'H' } } };
    expect(await set(turned)).toEqual(first);
    for (const changed of [{ ifInState: null }, { create: { k: { heading: 'I', size: 1 } } }])
      expect(await set({ ...args, ...changed })).toMatchObject({
        error: 'invalidArguments',
        description: '"onceKey" was used for a call with other arguments.',
      });
    // Each user, method and account has keys of its own.
    const { id } = first.created.k;
    expect(await set({ ...args, ifInState: null }, on, U2)).toHaveProperty('created.k');
    expect(await set({ ...args, accountId: 'a2' })).toHaveProperty('created.k');
    const entry: Call = ['Entry/set', { create: { e: {} }, onceKey: args.onceKey }];
    expect((await send([entry]))[0]?.[1]).toHaveProperty('created.e');
    expect((await get()).list.map((one: Json) => one.id)).toContain(id);
  });

  it('an empty call uses its key up: no other call can be made under it', async () => {
    expect(await set({ onceKey: 'k' })).toMatchObject({ oldState: '0', newState: '0' });
    const other = { create: { k: { heading: 'H' } }, onceKey: 'k' };
    expect(await set(other)).toMatchObject({ error: 'invalidArguments' });
    expect((await get()).list).toEqual([]);
  });

  it('a call comes again though its result references lead elsewhere by now', async () => {
    await set({ create: { a: { size: 1 }, b: { size: 1 } } });
    const reference = { resultOf: 'q', name: 'Task/query', path: '/ids' };
    const account = { resultOf: 'q', name: 'Task/query', path: '/accountId' };
    const calls: readonly Call[] = [
      ['Task/query', { filter: { size: 1 } }, 'q'],
      ['Task/set', { '#destroy': reference, onceKey: 'd' }],
    ];
    const byReference = { '#accountId': account, accountId: undefined, '#destroy': reference };
    const second: readonly Call[] = [
      calls[0] as Call,
      ['Task/set', { ...byReference, onceKey: 'e' }],
    ];
    const first = await send(calls);
    expect(first[1]?.[1].destroyed).toHaveLength(2);
    expect((await send(calls))[1]).toEqual(first[1]);
    expect((await send(second))[1]?.[1]).toMatchObject({ destroyed: null });
    expect((await send(second))[1]?.[1]).toMatchObject({ destroyed: null });
    const unresolved = { resultOf: 'x', name: 'Task/query', path: '/ids' };
    const wrong: Call = ['Task/set', { '#destroy': unresolved, onceKey: 'f' }];
    expect((await send([wrong]))[0]?.[1].type).toBe('invalidResultReference');
  });

  it('refusals of single objects are remembered, those of the whole call are not', async () => {
    const { created } = await set({ create: { a: { code: 'x' } } });
    const taken = { create: { b: { code: 'x' } }, onceKey: 'taken' };
    const stale = { create: { c: {} }, ifInState: '2', onceKey: 'stale' };
    const refused = await set(taken);
    expect(refused.notCreated.b.type).toBe('alreadyExists');
    expect(await set(stale)).toMatchObject({ error: 'stateMismatch' });
    await set({ destroy: [created.a.id] });
    expect(await set(taken)).toEqual(refused);
    const done = await set(stale);
    expect(done.created).toHaveProperty('c');
    expect(await set(stale)).toEqual(done);
  });

  it('of calls at the same time, on two servers, one writes and all answer the same', async () => {
    const args = { create: { k: {} }, ifInState: '0', onceKey: 'at once' };
    const servers = [on, other, on, other, on, other, on, other];
    const answers = await Promise.all(servers.map((server) => set(args, server)));
    expect(answers[0]).toHaveProperty('created.k');
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await get()).toMatchObject({ state: '1', list: [expect.anything()] });
  });

  it('a copy comes again with the /set that follows from it', async () => {
    const { created } = await set({ accountId: 'a2', create: { a: {}, b: {} } });
    const [a, b] = [created.a.id, created.b.id];
    const copy = (id: string, onceKey: string, more: object = {}): Call => [
      'Task/copy',
      {
        ...{ fromAccountId: 'a2', create: { k: { id } }, onSuccessDestroyOriginal: true, onceKey },
        ...more,
      },
    ];
    const first = await send([copy(a, 'a')]);
    expect(first.map(([name]: Json) => name)).toEqual(['Task/copy', 'Task/set']);
    expect(first[1]?.[1]).toMatchObject({ accountId: 'a2', destroyed: [a] });
    expect(await send([copy(a, 'a')], other)).toEqual(first);
    // Only the second part is refused: when the call comes again, it is tried again.
    const stale = copy(b, 'b', { destroyFromIfInState: '4' });
    const half = await send([stale]);
    expect(half.map(([name, { type }]: Json) => type ?? name)).toEqual([
      'Task/copy',
      'stateMismatch',
    ]);
    await set({ accountId: 'a2', create: { c: {} } });
    const whole = await send([stale]);
    expect(whole[0]).toEqual(half[0]);
    expect(whole[1]?.[1]).toMatchObject({ destroyed: [b] });
    expect(await send([stale])).toEqual(whole);
    expect((await get()).list).toHaveLength(2);
  });

  it('copies under one key to two accounts destroy what each has copied', async () => {
    const own = new Map(U1.accounts);
    own.set('a3', { ...U1.accounts.get('a2'), id: 'a3' } as never);
    const user = { ...U1, accounts: own };
    const { created } = await set({ create: { a: {}, b: {} } });
    const [a, b] = [created.a.id, created.b.id];
    const copy = (id: string, accountId: string): Call => [
      'Task/copy',
      {
        ...{ fromAccountId: 'a1', accountId, onSuccessDestroyOriginal: true, onceKey: 'one' },
        create: { k: { id } },
      },
    ];
    for (const [id, accountId] of [
      [a, 'a2'],
      [b, 'a3'],
    ]) {
      const answers = await send([copy(id, accountId)], on, user);
      expect(answers[1]).toMatchObject(['Task/set', { accountId: 'a1', destroyed: [id] }, 'c0']);
      expect(await send([copy(id, accountId)], other, user)).toEqual(answers);
    }
    expect((await get()).list).toEqual([]);
  });

  it('a call that has nothing to write is remembered, too', async () => {
    const calls: readonly Call[] = [
      ['Blob/copy', { fromAccountId: 'a2', blobIds: ['b1'], onceKey: 'b' }],
      ['Task/set', { onceKey: 's' }],
    ];
    const first = await send(calls);
    expect(first[0]?.[1]).toMatchObject({ copied: null });
    await set({ create: { k: {} } });
    expect(await send(calls)).toEqual(first);
    expect(await on.rows('SELECT "key" FROM "JmapOnce"')).toHaveLength(2);
  });

  it('a key has its time, and goes in small steps', async () => {
    const args = { create: { k: {} }, onceKey: 'old' };
    const first = await set(args);
    on.wait(HALF_AN_HOUR + 1000);
    const second = await set(args);
    on.wait(-HALF_AN_HOUR - 1000);
    expect(second.created.k.id).not.toBe(first.created.k.id);
    expect(await set(args)).toEqual(second);
    for (const onceKey of ['b', 'c']) await set({ onceKey });
    const { store } = on.storage;
    expect(await store.pruneAnswers(Date.now() - 60_000, 10)).toBe(0);
    expect(await store.pruneAnswers(Date.now() + 60_000, 2)).toBe(2);
    expect(await store.pruneAnswers(Date.now() + 60_000, 2)).toBe(1);
    expect(await on.rows('SELECT "key" FROM "JmapOnce"')).toEqual([]);
  });

  it('a key is a string of 1 to 128 characters, of a method that writes', async () => {
    for (const onceKey of ['', 'x'.repeat(129), 1, null, ['k']])
      expect(await set({ onceKey })).toMatchObject({
        error: 'invalidArguments',
        description: '"onceKey" must be a string of 1 to 128 characters.',
      });
    const reference = { resultOf: 'c0', name: 'Task/set', path: '/accountId' };
    expect(await set({ '#onceKey': reference })).toMatchObject({ error: 'invalidArguments' });
    expect(await set({ onceKey: 'k', stray: 1 })).toMatchObject({ error: 'invalidArguments' });
    expect(await set({ onceKey: 'k', accountId: 'ax' })).toMatchObject({
      error: 'accountNotFound',
    });
    expect(await set({ onceKey: 'k', accountId: 'ar' })).toMatchObject({
      error: 'accountReadOnly',
    });
    const unknown = { error: 'invalidArguments', description: expect.stringContaining('onceKey') };
    expect(await on.call('Task/set', { onceKey: 'k' })).toMatchObject(unknown);
    expect((await send([['Task/get', { onceKey: 'k' }]]))[0]?.[1].type).toBe('invalidArguments');
  });
}
