import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { connect, memory } from '../../src/index.js';
import { makeFaultyFetch } from '../support/faulty-fetch.js';
import { todos } from '../support/schema.js';
import { useTodos } from '../support/todos.js';

// Changes that come from the server: other histories, other access, many objects.

const served = useTodos({}, ['AR', 'AN', 'u3']);

const textsOf = (rows: readonly { readonly text: string }[]) => rows.map(({ text }) => text);

describe('a copy', () => {
  it('is read anew, and never empty, when the states of the server are others', async () => {
    const jmap = await served.connect({ store: memory() });
    const me = jmap.account();
    expect(await me.Todo.create({ text: 'kept' }).result).toMatchObject({ ok: true });
    const sizes: number[] = [];
    me.Todo.live().subscribe(({ total }) => sizes.push(total));
    served.proxy().decide(() => 'drop');
    const waiting = me.Todo.create({ text: 'waits' });
    await served.server().tool('scripts/account', ['reset-states']);
    const { u1, A1 } = served.fixtures();
    await u1.set('Todo', { accountId: A1, create: { k: { text: 'by another' } } });
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(await waiting.result).toMatchObject({ ok: true });
    await expect
      .poll(() => textsOf(me.Todo.live().getSnapshot().rows))
      .toEqual(expect.arrayContaining(['kept', 'waits', 'by another']));
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  it('of an account is gone when the user may reach that no more', async () => {
    const store = memory();
    const jmap = await served.connect({ store });
    const { AR, u3 } = served.fixtures();
    await u3.set('Todo', { accountId: AR, create: { k: { text: 'shared' } } });
    const shared = jmap.account(AR);
    await jmap.sync.settled();
    const query = shared.Todo.live();
    expect(textsOf(query.getSnapshot().rows)).toEqual(['shared']);
    await served.server().tool('scripts/account', ['revoke', AR, '--user', 'u1']);
    await jmap.account().Todo.get();
    await expect.poll(() => jmap.session.accounts[AR]).toBeUndefined();
    expect(query.getSnapshot().rows).toEqual([]);
    await jmap.close();
    const again = await served.connect({ store });
    expect(again.account(AR).Todo.live().getSnapshot().rows).toEqual([]);
    expect(await again.account(AR).Todo.create({ text: 'x' }).result).toMatchObject({
      ok: false,
      error: { type: 'accountNotFound' },
    });
  });

  it('of an account that is had once more takes writes of its new form alone', async () => {
    const run = (...args: readonly string[]) => served.server().tool('scripts/account', args);
    const id = await run('create', '--name', 'Again', '--user', 'u1');
    const jmap = await served.connect({ store: memory() });
    const before = jmap.account(id);
    expect(await before.Todo.create({ text: 'before' }).result).toMatchObject({ ok: true });
    /** Resolves once the client has learned whether it has the account. */
    const learn = (isThere: boolean) =>
      eventually(async () => {
        await jmap.account().Todo.get();
        expect(jmap.session.accounts[id] !== undefined).toBe(isThere);
      }, 20_000);
    await run('revoke', id, '--user', 'u1');
    await learn(false);
    await run('grant', id, '--user', 'u1');
    await learn(true);
    const late = before.Todo.create({ text: 'late' });
    expect(await late.saved).toBe(false);
    expect(await late.result).toMatchObject({ ok: false, error: { type: 'accountNotFound' } });
    const write = jmap.account(id).Todo.create({ text: 'again' });
    expect(await write.saved).toBe(true);
    expect(await write.result).toMatchObject({ ok: true });
  });

  it('has the types of its account alone', async () => {
    const jmap = await served.connect({ store: memory() });
    const notes = jmap.account(served.fixtures().AN);
    await notes.Note.create({ title: 'note' }).result;
    await jmap.sync.settled();
    expect(notes.Note.live().getSnapshot()).toMatchObject({ total: 1, status: 'live' });
    expect(notes.Todo.live().getSnapshot()).toMatchObject({ total: 0, complete: false });
    expect(await notes.Todo.create({ text: 'x' }).result).toMatchObject({ ok: false });
  });

  it('keeps no write of another type, also where calls have no keys', async () => {
    const fetch = makeFaultyFetch(
      () => null,
      ({ capabilities: { 'urn:jmapsmith:once': _, ...capabilities }, ...session }) => ({
        ...session,
        capabilities,
      }),
    );
    const jmap = await served.connect({ store: memory(), fetch });
    await jmap.sync.settled();
    const write = jmap.account(served.fixtures().AN).Todo.create({ text: 'x' });
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'forbidden' } });
    expect(jmap.sync.getSnapshot().pending).toBe(0);
  });
});

describe('a server with another version of a type', () => {
  it('is why it refuses a property that it has no more', async () => {
    const types = todos.types.map((table) =>
      table.name === 'Todo'
        ? {
            ...{ ...table, hash: 'sha256-old' },
            properties: { ...table.properties, gone: { kind: 'string' } as const },
          }
        : table,
    );
    const jmap = await connect(
      { ...todos, types },
      { url: served.proxy().url, token: served.fixtures().u1.token, store: memory() },
    );
    const { Todo } = jmap.account();
    const made = await Todo.create({ text: 'as before' }).result;
    const id = (made.ok && made.object?.id) || '';
    const write = Todo.update(id, { gone: 'x' } as { text?: string });
    expect(await write.result).toMatchObject({
      ok: false,
      error: { type: 'clientOutdated', properties: ['gone'] },
    });
    await jmap.close();
  });

  it('is told, and a write that it refuses for that says so', async () => {
    const types = todos.types.map((table) =>
      table.name === 'Todo' ? { ...table, hash: 'sha256-old' } : table,
    );
    const jmap = await connect(
      { ...todos, types },
      { url: served.proxy().url, token: served.fixtures().u1.token, store: memory() },
    );
    const outdated: (readonly string[])[] = [];
    jmap.schema.subscribe((snapshot) => outdated.push(snapshot.outdated));
    expect(outdated).toEqual([['Todo']]);
    const { Todo } = jmap.account();
    expect((await Todo.create({ text: 'as before' }).result).ok).toBe(true);
    const write = Todo.create({ text: 'x', given: 'by the next version' } as { text: string });
    expect(await write.result).toMatchObject({
      ok: false,
      error: { type: 'clientOutdated', properties: ['given'] },
    });
    const long = Todo.create({ text: 'x'.repeat(600) });
    expect(await long.result).toMatchObject({
      ok: false,
      error: { type: 'invalidProperties', properties: ['text'] },
    });
    const lacking = Todo.create({ done: true } as unknown as { text: string });
    expect(await lacking.result).toMatchObject({
      ok: false,
      error: { type: 'clientOutdated', properties: ['text'] },
    });
    await jmap.close();
    const current = await served.connect({ store: memory() });
    expect(current.schema.getSnapshot().outdated).toEqual([]);
  });
});
