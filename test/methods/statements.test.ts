import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** Statements that a call runs; it must succeed. */
async function statements(name: string, args: object): Promise<number> {
  const before = rig.statements.length;
  const response = await rig.call(name, args);
  expect(response.error).toBeUndefined();
  expect(response.notCreated ?? response.notUpdated ?? response.notDestroyed ?? null).toBeNull();
  return rig.statements.length - before;
}

function widgets(count: number, blobId: string): object {
  const object = { title: 'w', blobId };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, object]));
}

/** A type with blobs, so that reference records are among what is counted. */
async function make(count: number): Promise<string[]> {
  const blobId = await rig.upload('x');
  const { created } = await rig.call('Widget/set', { create: widgets(count, blobId) });
  return Object.values<Json>(created).map(({ id }) => id);
}

describe('a method call costs the same number of statements for 1 object and for 500', () => {
  it('/get', async () => {
    const ids = await make(500);
    // Of a single object the state comes with it; Widgets have JSON, so that others take a
    // statement more.
    expect(await statements('Widget/get', { ids: ids.slice(0, 1) })).toBe(1);
    expect(await statements('Widget/get', { ids: ids.slice(0, 2) })).toBe(2);
    expect(await statements('Widget/get', { ids })).toBe(2);
    expect(await statements('Widget/get', { ids: null })).toBe(2);
  });

  it('/set', async () => {
    const ids = await make(1000);
    const [blobId, other] = [await rig.upload('x'), await rig.upload('y')];
    const set = (count: number, offset: number): Promise<number> =>
      statements('Widget/set', {
        create: widgets(Math.ceil(count / 3), blobId),
        update: Object.fromEntries(
          ids
            .slice(offset, offset + Math.ceil(count / 3))
            .map((id) => [id, { title: 'v', blobId: other }]),
        ),
        destroy: ids.slice(offset + 500, offset + 500 + Math.ceil(count / 3)),
      });
    const one = await set(1, 0);
    expect(one).toBeGreaterThan(0);
    expect(await set(500, 10)).toBe(one);
  });

  it('/set of one object', async () => {
    const before = rig.statements.length;
    const [id = ''] = await rig.create('Todo', [{ text: 'x' }]);
    expect(rig.statements.length - before).toBe(4);
    expect(rig.statements[before]).toContain('"JmapAccount"');
    expect(await statements('Todo/set', { update: { [id]: { text: 'y' } } })).toBe(5);
    expect(await statements('Todo/set', { update: { [id]: { text: 'y' } } })).toBe(2);
    expect(await statements('Todo/set', { destroy: [id] })).toBe(5);
  });

  it('/changes', async () => {
    const state = async (): Promise<string> => (await rig.call('Widget/get', { ids: [] })).state;
    await make(1);
    const first = await state();
    await make(500);
    const one = await statements('Widget/changes', { sinceState: `${Number(await state()) - 1}` });
    expect(await statements('Widget/changes', { sinceState: first })).toBe(one);
  });

  it('/query', async () => {
    await make(500);
    const args = { filter: { title: 'w' }, sort: [{ property: 'title' }], calculateTotal: true };
    const one = await statements('Widget/query', { ...args, limit: 1 });
    expect(await statements('Widget/query', { ...args, limit: 500 })).toBe(one);
  });

  it('/queryChanges', async () => {
    const args = { filter: { title: 'w' }, sort: [{ property: 'title' }], calculateTotal: true };
    const since = async (): Promise<string> => (await rig.call('Widget/query', args)).queryState;
    const before = await since();
    await make(500);
    const middle = await since();
    await make(1);
    const one = await statements('Widget/queryChanges', { ...args, sinceQueryState: middle });
    const many = await statements('Widget/queryChanges', { ...args, sinceQueryState: before });
    // A few objects are compared with all others by a statement more.
    expect(many).toBeLessThanOrEqual(one);
    expect(one).toBeLessThanOrEqual(many + 1);
  });

  it('/copy', async () => {
    const ids = await make(500);
    const copy = (count: number): Promise<number> =>
      statements('Widget/copy', {
        fromAccountId: 'a1',
        accountId: 'a2',
        create: Object.fromEntries(ids.slice(0, count).map((id, index) => [`c${index}`, { id }])),
      });
    const one = await copy(1);
    expect(await copy(500)).toBe(one);
  });
});

describe('a call of linked objects costs the same number of statements, too', () => {
  const gadgets = async (count: number, more: (index: number) => object): Promise<string[]> => {
    const objects = Array.from({ length: count }, (_, index) => ({ title: 'g', ...more(index) }));
    return rig.create('Gadget', objects);
  };

  function forEach(ids: readonly string[], more: (index: number) => object): object {
    return Object.fromEntries(ids.map((id, index) => [id, more(index)]));
  }

  it('/set: creates, updates of references, destroys that cascade and unlink', async () => {
    const [top, other] = await gadgets(2, () => ({}));
    const run = async (count: number): Promise<readonly number[]> => {
      const keys = Array.from({ length: count }, (_, index) => `k${count}-${index}`);
      const object = (code: string, slot: number): object => {
        return { title: 'g', code, parentId: top, shelf: 's', slot };
      };
      const create = Object.fromEntries(keys.map((key, slot) => [key, object(key, slot)]));
      const created = await statements('Gadget/set', { create });
      const ids = (await rig.call('Gadget/get', { ids: null, properties: ['id'] })).list
        .map(({ id }: Json) => id)
        .slice(2) as string[];
      const patch = (index: number): object => ({
        parentId: other,
        ownerId: top,
        code: `k${count}-${(index + 1) % count}`,
        slot: index + 1,
        links: { [ids[(index + 1) % count] ?? '']: true },
      });
      const updated = await statements('Gadget/set', { update: forEach(ids, patch) });
      const parts = ids.map((gadgetId) => ({ gadgetId }));
      await rig.create('Part', parts);
      const destroyed = await statements('Gadget/set', {
        destroy: count === 1 ? ids : ids.slice(0, -1),
      });
      await rig.call('Gadget/set', { destroy: ids.slice(-1) });
      expect((await rig.call('Part/get', { ids: null })).list).toEqual([]);
      return [created, updated, destroyed];
    };
    const few = await run(2);
    expect(await run(500)).toEqual(few);
  });

  it('/copy with references and unique values', async () => {
    const ids = await gadgets(500, (index) => ({ code: `c${index}`, others: [] }));
    const [target] = await rig.create('Gadget', [{ title: 'g' }]);
    const { created } = await rig.call('Gadget/copy', {
      fromAccountId: 'a1',
      accountId: 'a2',
      create: { k: { id: target } },
    });
    const copy = (from: number, to: number): Promise<number> =>
      statements('Gadget/copy', {
        fromAccountId: 'a1',
        accountId: 'a2',
        create: Object.fromEntries(
          ids
            .slice(from, to)
            .map((id, index) => [
              `c${index}`,
              { id, parentId: created.k.id, links: { [created.k.id]: true } },
            ]),
        ),
      });
    const one = await copy(0, 1);
    expect(await copy(1, 500)).toBe(one);
    const { list } = await rig.call('Gadget/get', { accountId: 'a2', ids: [created.k.id] });
    expect(list).toMatchObject([{ count: 500 }]);
  });
});
