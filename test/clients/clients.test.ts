import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Todo } from '../../generated/todos/Todo.definition.js';
import { CORE, TODOS } from '../support/client.js';
import { eventually, within } from '../support/poll.js';
import { type RunningServer, useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import type { ChangesAnswer, Gadget, GetAnswer, QueryAnswer, SetAnswer } from './answers.js';
import { loadJam } from './jam.js';
import { openClient } from './jmap-client-ts.js';
import { openSocket } from './partysocket.js';

/**
 * Clients that nobody here wrote do their work in a user's project, each as its own documentation
 * has it used. Two of each see what the other does, by /changes.
 */
const GADGETS = 'https://example.com/jmap/gadgets';
const server = useServer(async () => ({ project: await sharedProject() }));
let accountId = '';
let token = '';

beforeAll(async () => {
  [accountId = '', token = ''] = await server().tools([
    ['scripts/account', ['create', '--name', 'A', '--user', 'u']],
    ['scripts/token', ['create', '--user', 'u']],
  ]);
});

/** Returns the id that an entry must hold. */
function id(set: SetAnswer<unknown>, key = 'k'): string {
  const created = set.created?.[key];
  if (created === undefined) throw new Error(JSON.stringify(set));
  return created.id;
}

describe('jmap-jam', () => {
  let openJam: Awaited<ReturnType<typeof loadJam>>;
  beforeAll(async () => {
    openJam = await loadJam();
  });

  it('creates, finds, reads, changes and destroys; another follows by /changes', async () => {
    const [one, two] = [openJam(server().url, token), openJam(server().url, token)];
    expect(Object.keys((await one.jam.session).capabilities)).toContain(TODOS);
    const [{ state }] = await two.api.Todo.get({ accountId, ids: [] });
    const [made] = await one.api.Todo.set({ accountId, create: { k: { text: 'by jam' } } });
    const [found] = await two.api.Todo.query({ accountId, filter: { text: 'BY JAM' } });
    expect(found.ids).toEqual([id(made)]);
    await one.api.Todo.set({ accountId, update: { [id(made)]: { done: true } } });
    const [since] = await two.api.Todo.changes({ accountId, sinceState: state });
    expect(since).toMatchObject({ created: [id(made)], updated: [], hasMoreChanges: false });
    const [{ list }] = await two.api.Todo.get({ accountId, ids: [id(made)] });
    expect(list).toMatchObject([{ text: 'by jam', done: true }]);
    await two.api.Todo.set({ accountId, destroy: [id(made)] });
    const [gone] = await one.api.Todo.changes({ accountId, sinceState: since.newState });
    expect(gone.destroyed).toEqual([id(made)]);
  });

  it('throws what a method answers as its error, and the problem of a whole request', async () => {
    const { api, jam } = openJam(server().url, token);
    const late = api.Todo.set({ accountId, ifInState: 'none', create: { k: { text: 'x' } } });
    await expect(late).rejects.toMatchObject({ type: 'stateMismatch' });
    const elsewhere = api.Todo.get({ accountId: 'a1nobodys', ids: null });
    await expect(elsewhere).rejects.toMatchObject({ type: 'accountNotFound' });
    const { Todo } = jam.api as { Todo: { get(...all: object[]): Promise<unknown> } };
    const unknown = Todo.get({ accountId }, { using: ['urn:nobodys'] });
    await expect(unknown).rejects.toMatchObject({
      type: 'urn:ietf:params:jmap:error:unknownCapability',
      status: 400,
    });
  });

  it('uses a rich type: blobs up and down, and several calls in one request by $ref', async () => {
    const { jam } = openJam(server().url, token);
    const octets = 'the octets of a picture';
    const { blobId, size } = await jam.uploadBlob(
      accountId,
      new Blob([octets], { type: 'image/png' }),
    );
    expect(size).toBe(octets.length);
    const [answers] = await jam.requestMany((calls) => {
      const { set, query, get } = calls['Gadget'] ?? {};
      const { lookup } = calls['Blob'] ?? {};
      if (!set || !query || !get || !lookup) throw new Error('Any method has a draft.');
      const made = set({
        accountId,
        create: {
          a: { title: 'jam a', tags: { new: true }, blobId },
          b: { title: 'jam b', parentId: '#a', rank: 3 },
        },
      });
      const found = query({
        accountId,
        filter: { title: 'jam' },
        sort: [{ property: 'rank', isAscending: false }],
      });
      const read = get({ accountId, ids: found.$ref('/ids') });
      const again = get({ accountId, ids: read.$ref('/list/*/id') });
      return {
        made,
        found,
        read,
        again,
        where: lookup({ accountId, ids: [blobId], typeNames: ['Gadget'] }),
      };
    });
    const { made, read, again, where } = answers as {
      made: SetAnswer<Gadget>;
      read: GetAnswer<Gadget>;
      again: GetAnswer<Gadget>;
      where: { list: { matchedIds: object }[] };
    };
    expect(read.list.map(({ title }) => title)).toEqual(['jam b', 'jam a']);
    expect(read.list[0]).toMatchObject({ parentId: id(made, 'a'), rank: 3 });
    expect(again.list).toHaveLength(2);
    expect(where.list[0]?.matchedIds).toEqual({ Gadget: [id(made, 'a')] });
    const response = await jam.downloadBlob({
      accountId,
      blobId,
      mimeType: 'image/png',
      fileName: 'a picture.png',
    });
    expect(await response.text()).toBe(octets);
    expect(response.headers.get('content-type')).toBe('image/png');
  });
});

describe('jmap-client-ts', () => {
  it('reads accounts and capabilities of the session, which its requests name', async () => {
    const { client } = await openClient(server().url, token);
    expect(client.getFirstAccountId()).toBe(accountId);
    expect(Object.keys(client.getSession().capabilities)).toEqual(
      expect.arrayContaining([CORE, TODOS, GADGETS]),
    );
    // Its own methods are of mail, which this server hasn't.
    await expect(client.mailbox_get({ accountId: null, ids: null })).rejects.toMatchObject({
      type: 'unknownMethod',
    });
  });

  it('creates, reads, changes, finds and destroys, and follows another by /changes', async () => {
    const one = await openClient(server().url, token);
    const two = await openClient(server().url, token);
    // Where the account is null, it puts in the first one itself.
    const { state } = await two.call<GetAnswer<Gadget>>('Gadget/get', { accountId: null, ids: [] });
    const create = { k: { title: 'by client-ts', tags: { a: true } }, m: { title: 'more' } };
    const made = await one.call<SetAnswer<Gadget>>('Gadget/set', { accountId: null, create });
    await one.call('Gadget/set', {
      accountId,
      update: { [id(made)]: { 'tags/b': true, rank: 7 } },
      destroy: [id(made, 'm')],
    });
    const changes = await two.call<ChangesAnswer>('Gadget/changes', {
      accountId,
      sinceState: state,
    });
    expect(changes).toMatchObject({ created: [id(made)], destroyed: [] });
    const { list } = await two.call<GetAnswer<Gadget>>('Gadget/get', {
      accountId,
      ids: changes.created,
    });
    expect(list).toMatchObject([{ title: 'by client-ts', rank: 7, tags: { a: true, b: true } }]);
    // An object that came and went between two looks is not told (RFC 8620 5.2).
    expect(changes.created).not.toContain(id(made, 'm'));
    const filter = { operator: 'AND', conditions: [{ minRank: 7 }, { hasTag: 'b' }] };
    const { ids } = await two.call<QueryAnswer>('Gadget/query', { accountId, filter });
    expect(ids).toEqual([id(made)]);
    const todos = await one.call<SetAnswer<Todo>>('Todo/set', {
      accountId,
      create: { k: { text: 'x' } },
    });
    expect(todos.created?.['k']).toMatchObject({ done: false });
  });

  it('rejects with the error of a method; of a refused request it has the status', async () => {
    const { call } = await openClient(server().url, token);
    const wrong = call('Gadget/set', { accountId, ifInState: '0', destroy: [] });
    await expect(wrong).rejects.toMatchObject({ type: 'stateMismatch' });
    await expect(openClient(server().url, 'unknown')).rejects.toThrow('401');
  });
});

describe('partysocket', () => {
  const open: ReturnType<typeof openSocket>[] = [];
  let next: RunningServer | undefined;
  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.close();
    await next?.stop();
  });
  const connect = (): ReturnType<typeof openSocket> => {
    // Its defaults wait for seconds.
    const opened = openSocket(server().url, token, { minReconnectionDelay: 50 });
    open.push(opened);
    return opened;
  };

  /** One call over a socket: its arguments. */
  async function call<Args>(
    { request }: ReturnType<typeof openSocket>,
    name: string,
    args: object,
  ): Promise<Args> {
    const sent = request([TODOS, GADGETS], [[name, { accountId, ...args }, 'c']]);
    const answer = await within(name, sent);
    expect(answer).toMatchObject({ '@type': 'Response', methodResponses: [[name, {}, 'c']] });
    return answer.methodResponses[0]?.[1] as Args;
  }

  it('connects by a ticket, is answered by request id, and follows another socket', async () => {
    const [one, two] = [connect(), connect()];
    // Sent before there is a connection.
    const { state } = await call<GetAnswer<Todo>>(two, 'Todo/get', { ids: [] });
    expect(one.socket.protocol === 'jmap' || two.socket.protocol === 'jmap').toBe(true);
    const made = await call<SetAnswer<Todo>>(one, 'Todo/set', {
      create: { k: { text: 'by socket' } },
    });
    await call(one, 'Todo/set', { update: { [id(made)]: { done: true } } });
    const changes = await call<ChangesAnswer>(two, 'Todo/changes', { sinceState: state });
    expect(changes.created).toEqual([id(made)]);
    const { list } = await call<GetAnswer<Todo>>(two, 'Todo/get', { ids: changes.created });
    expect(list).toMatchObject([{ text: 'by socket', done: true }]);
    // Many at once: each answer finds its request.
    const texts = Array.from({ length: 8 }, (_, n) => `at once ${n}`);
    const all = await Promise.all(
      texts.map((text) => call<SetAnswer<Todo>>(one, 'Todo/set', { create: { k: { text } } })),
    );
    const read = await call<GetAnswer<Todo>>(two, 'Todo/get', { ids: all.map((set) => id(set)) });
    expect(read.list.map(({ text }) => text)).toEqual(texts);
    const refused = await one.request(['urn:nobodys'], []);
    expect(refused).toMatchObject({ '@type': 'RequestError', status: 400 });
  });

  it('connects again once the server is back, and sends the calls that waited', async () => {
    const one = connect();
    const before = await call<SetAnswer<Gadget>>(one, 'Gadget/set', {
      create: { k: { title: 'before' } },
    });
    let opens = 0;
    one.socket.addEventListener('open', () => {
      opens += 1;
    });
    await server().stop();
    await eventually(() => expect(one.socket.readyState).not.toBe(one.socket.OPEN));
    const sent = call<SetAnswer<Gadget>>(one, 'Gadget/set', {
      create: { k: { title: 'meanwhile' } },
    });
    expect(one.socket.bufferedAmount).toBeGreaterThan(0);
    next = await server().restart();
    const during = await sent;
    expect(opens).toBe(1);
    const { created } = await call<ChangesAnswer>(one, 'Gadget/changes', {
      sinceState: before.newState,
    });
    expect(created).toEqual([id(during)]);
  });
});
