import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { makeUser } from '../../../test/support/fixtures.js';
import { startServer } from '../../../test/support/server.js';
import {
  type ListOptions,
  type ListResult,
  listCalls,
  noteAnswered,
  openList,
  readList,
  spliceIds,
} from '../../src/query/server-list.js';
import type { ServerList } from '../../src/store/list-state.js';
import type { Invocation, Response } from '../../src/transport/transport.js';

const options: ListOptions = {
  ...{ accountId: 'a', maxObjectsInGet: 500, hasObjects: false, callId: 'list0' },
};

const idle = openList({ name: 'q', type: 'Todo', search: {}, position: 0, length: 3 });

/** Reads these answers as those to the calls of a list, in their order. */
function answer(list: ServerList, ...answers: readonly JsonObject[]): ListResult {
  const calls = listCalls(list, options);
  const methodResponses = calls.map(([method, , id], index): Invocation => {
    const args = answers[index] ?? {};
    return 'type' in args ? ['error', args, id] : [method, args, id];
  });
  return readList(list, 'list0', { methodResponses, sessionState: 's' });
}

const page = (queryState: string, total: number, ids: readonly string[]): JsonObject => ({
  ...{ queryState, total, ids: [...ids], canCalculateChanges: true },
});

const changes = (newQueryState: string, total: number, removed: readonly string[]): JsonObject => ({
  ...{ newQueryState, total, removed: [...removed], added: [] },
});

/** A list of the first three of five. */
const filled = answer(idle, page('1', 5, ['a', 'b', 'c'])).list;

const argsOf = (list: ServerList) => listCalls(list, options).map(([, args]) => args);

describe('a list of the server', () => {
  it('asks for its first ids, and then for what changes of them', () => {
    expect(argsOf(idle)).toEqual([{ accountId: 'a', position: 0, limit: 3, calculateTotal: true }]);
    expect(filled).toMatchObject({ shown: ['a', 'b', 'c'], total: 5, queryState: '1' });
    const bound = { maxChanges: 250, upToId: 'c', calculateTotal: true };
    expect(argsOf(filled)).toEqual([{ accountId: 'a', sinceQueryState: '1', ...bound }]);
  });

  it('fills its end again where ids went', () => {
    const { list, progress } = answer(filled, changes('2', 4, ['b']));
    expect([list.shown, progress]).toEqual([['a', 'c'], 'goes on']);
    expect(argsOf(list)[1]).toMatchObject({ position: 2, limit: 1 });
    const next = answer(list, changes('2', 4, []), page('2', 4, ['d']));
    expect([next.list.shown, next.progress]).toEqual([['a', 'c', 'd'], 'done']);
  });

  it('puts a page of another state aside, and asks again', () => {
    const { list } = answer(filled, changes('2', 4, ['b']));
    const aside = answer(list, changes('2', 4, []), page('3', 4, ['x']));
    expect([aside.list.shown, aside.progress]).toEqual([['a', 'c'], 'goes on']);
    const next = answer(aside.list, changes('3', 4, ['a']), page('3', 4, ['x', 'y']));
    expect(next.list.shown).toEqual(['c']);
    expect(argsOf(next.list)[1]).toMatchObject({ position: 1, limit: 2 });
  });

  it.each(['cannotCalculateChanges', 'tooManyChanges'])(
    'shows what it had until it is there anew after %s',
    (type) => {
      const lost = answer(filled, { type });
      expect([lost.list.shown, lost.progress]).toEqual([['a', 'b', 'c'], 'goes on']);
      const part = answer(lost.list, page('9', 5, ['x', 'y']));
      expect([part.list.shown, part.progress]).toEqual([['a', 'b', 'c'], 'goes on']);
      const whole = answer(part.list, changes('9', 5, []), page('9', 5, ['z']));
      expect([whole.list.shown, whole.progress]).toEqual([['x', 'y', 'z'], 'done']);
    },
  );

  it('asks anew each time where the server tells no changes', () => {
    const quiet = { ...page('1', 2, ['a', 'b']), canCalculateChanges: false };
    const { list } = answer(idle, quiet);
    expect(list.shown).toEqual(['a', 'b']);
    expect(argsOf(list)).toEqual([{ accountId: 'a', position: 0, limit: 3, calculateTotal: true }]);
    expect(answer(list, { ...quiet, ids: ['b'], total: 1 }).list.shown).toEqual(['b']);
  });

  it('ends where the server has fewer ids than it says', () => {
    const { list } = answer(idle, page('1', 3, ['a']));
    const next = answer(list, changes('1', 3, []), page('1', 3, []));
    expect([next.list.shown, next.progress, next.list.total]).toEqual([['a'], 'done', 1]);
  });

  it('fails with the error of a call', () => {
    const failed = answer(filled, { type: 'serverUnavailable' });
    expect(failed).toMatchObject({ progress: 'failed', error: 'serverUnavailable' });
    expect(failed.list.shown).toEqual(['a', 'b', 'c']);
    expect(answer(idle, { type: 'unsupportedFilter' })).toMatchObject({ progress: 'failed' });
  });

  it('notes answered writes until an answer about it has come', () => {
    const calls = listCalls(filled, options);
    const respond = (args: JsonObject, name = 'Todo/queryChanges'): Response => ({
      methodResponses: calls.map(([, , id]): Invocation => [name, args, id]),
      sessionState: 's',
    });
    const noted = noteAnswered(noteAnswered(filled, ['k1']), ['k1', 'k2']);
    const failed = readList(noted, 'list0', respond({ type: 'serverFail' }, 'error')).list;
    expect(failed.answered).toEqual(['k1', 'k2']);
    const lost = readList(failed, 'list0', respond({ type: 'tooManyChanges' }, 'error')).list;
    expect(lost.answered).toEqual(['k1', 'k2']);
    expect(answer(lost, page('9', 1, ['x'])).list.answered).toEqual([]);
    expect(readList(failed, 'list0', respond(changes('2', 5, []))).list.answered).toEqual([]);
  });

  it('is asked for anew each time where it does not begin with the first id', () => {
    const back = openList({ name: 'q', type: 'Todo', search: {}, position: 3, length: 2 });
    const { list, progress } = answer(back, page('1', 5, ['d', 'e']));
    expect([list.shown, progress]).toEqual([['d', 'e'], 'done']);
    const next = answer(list, page('2', 4, ['e']));
    expect([next.list.shown, next.progress]).toEqual([['e'], 'done']);
    expect(argsOf(next.list)).toMatchObject([{ position: 3, limit: 2 }]);
    expect(answer(next.list, page('3', 2, []))).toMatchObject({ progress: 'done' });
  });
});

it('spliceIds gives the first ids of the list that it is about', () => {
  const letters = [...'abcdefghijkl'];
  const lists = fc.tuple(
    fc.shuffledSubarray(letters),
    fc.shuffledSubarray(letters),
    fc.nat(12),
    fc.subarray(letters),
  );
  fc.assert(
    fc.property(lists, ([before, after, known, moved]) => {
      // Ids that don't move have one order in both.
      const stays = before.filter((id) => after.includes(id) && !moved.includes(id));
      const order = [...stays];
      const target = after.map((id) => (stays.includes(id) ? (order.shift() ?? id) : id));
      const removed = before.filter((id) => !stays.includes(id));
      const added = target.flatMap((id, index) => (stays.includes(id) ? [] : [{ id, index }]));
      const ids = spliceIds(before.slice(0, known), removed, added);
      expect(ids).toEqual(target.slice(0, ids.length));
      if (known >= before.length) expect(ids).toEqual(target);
    }),
  );
});

// Random lists of a real server, while others write, between the calls of a request too.

const SEED = Number(process.env['CLIENT_SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['CLIENT_SEEDS'] ?? 15);
const TEXTS = ['tea', 'Tea', 'cake', 'Äpfel', 'apple', 'zoo', '10', '9'];

const search = fc.record({
  filter: fc.constantFrom<JsonObject | null>(
    ...[null, { done: true }, { text: 'a' }, { text: 'e', done: false }],
    { operator: 'NOT', conditions: [{ text: 'tea' }] },
  ),
  sort: fc.constantFrom<readonly JsonObject[]>(
    ...[[], [{ property: 'created', isAscending: false }], [{ property: 'text' }]],
    [
      { property: 'done', isAscending: false },
      { property: 'text', isAscending: false },
    ],
    [{ property: 'updated' }],
  ),
});
const step = fc.record({
  kind: fc.constantFrom('create', 'update', 'update', 'destroy'),
  at: fc.nat(1000),
  text: fc.constantFrom(...TEXTS),
  done: fc.boolean(),
});
const run = fc.record({
  ...{ search, length: fc.integer({ min: 1, max: 12 }), position: fc.constantFrom(0, 0, 0, 3) },
  cycles: fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 8 }),
  /** Writes within requests. */
  within: fc.array(step, { maxLength: 6 }),
});

async function openScene() {
  const server = await startServer({ env: { QUERY_CHANGES_MAX: '5', QUERY_MAX_LIMIT: '4' } });
  const { client, accountId } = await makeUser(server, 'owner');
  const known: string[] = [];
  const writeCall = ({
    kind,
    at,
    text,
    done,
  }: {
    kind: string;
    at: number;
    text: string;
    done: boolean;
  }) => {
    const id = known[at % known.length];
    if (kind === 'create' || id === undefined) return { create: { k: { text, done } } };
    return kind === 'update' ? { update: { [id]: { text, done } } } : { destroy: [id] };
  };
  const note = (args: JsonObject): void => {
    const { created, destroyed } = args as unknown as {
      readonly created: Readonly<Record<string, { readonly id: string }>> | null;
      readonly destroyed: readonly string[] | null;
    };
    for (const { id } of Object.values(created ?? {})) known.push(id);
    for (const id of destroyed ?? []) known.splice(known.indexOf(id), 1);
  };
  type Step = Parameters<typeof writeCall>[0];
  const write = async (one: Step): Promise<void> =>
    note((await client.ok('Todo/set', { accountId, ...writeCall(one) })) as JsonObject);
  /** Sends the calls of a list, with a write of another client behind the first of them. */
  const sync = async (list: ServerList, others: Step[]): Promise<ListResult> => {
    const calls = [
      ...listCalls(list, { accountId, maxObjectsInGet: 3, hasObjects: true, callId: 'list0' }),
    ];
    const other = others.shift();
    if (other !== undefined)
      calls.splice(1, 0, ['Todo/set', { accountId, ...writeCall(other) } as JsonObject, 'other']);
    const response = (await client.api(calls as never)) as unknown as Response;
    const written = response.methodResponses.find(([name]) => name === 'Todo/set');
    if (written !== undefined) note(written[1]);
    return readList(list, 'list0', response);
  };
  const query = async (args: JsonObject) =>
    (await client.ok('Todo/query', { accountId, ...args } as never)) as unknown as {
      readonly ids: readonly string[];
      readonly total: number;
    };
  return { server, write, sync, query };
}

describe('random lists of a real server', () => {
  it('are what the server finds, whatever others write', async () => {
    const scene = await openScene();
    /** Asks until the list is up to date, and compares it with the server's. */
    const settle = async (list: ServerList, others: Parameters<typeof scene.sync>[1] = []) => {
      let result = await scene.sync(list, others);
      for (let requests = 0; result.progress === 'goes on' || others.length > 0; requests += 1) {
        expect(requests).toBeLessThan(60);
        result = await scene.sync(result.list, others);
      }
      expect(result.progress).toBe('done');
      return result.list;
    };
    const check = async (list: ServerList) => {
      const all: string[] = [];
      for (;;) {
        const { ids } = await scene.query({ ...list.search, position: all.length });
        if (ids.length === 0) break;
        all.push(...ids);
      }
      const { position, length, ids } = list;
      expect(list.shown).toEqual(all.slice(position, position + length));
      expect(ids).toEqual(all.slice(position, position + ids.length));
      expect(list.total).toBe(all.length);
    };
    try {
      for (const [index, one] of fc.sample(run, { numRuns: RUNS, seed: SEED }).entries()) {
        const { search, length, position, cycles, within } = one;
        let list = openList({
          name: `q${index}`,
          type: 'Todo',
          search: { ...search } as never,
          ...{ position, length },
        });
        for (const steps of cycles) {
          for (const each of steps) await scene.write(each);
          list = await settle(await settle(list, [...within]));
          await check(list);
        }
      }
    } catch (error) {
      throw new Error(`With CLIENT_SEED=${SEED}`, { cause: error });
    } finally {
      await scene.server.remove();
    }
  });
});
