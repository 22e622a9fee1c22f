import { describe, expect, it } from 'vitest';
import { generatedOf, serveType, type Typed } from '../language/rig.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { collapse, orderOf, type Shown, type Sorting, treeOf } from './shaped-model.js';

// Shapes of results, compared with plain JavaScript, and a client that follows them.

/** A query, with what its result is by the RFC. */
interface Case {
  readonly args: object;
  expected(objects: readonly Shown[]): readonly Shown[];
}

const SORTS: readonly (readonly Sorting[])[] = [
  [],
  [{ property: 'rank', isAscending: true }],
  [{ property: 'rank', isAscending: false }],
];
const FILTERS = [{}, { minRank: 2 }];

const MAILS: readonly Case[] = SORTS.flatMap((sort) =>
  [...FILTERS, { seen: false }].map((filter) => ({
    args: { sort, filter, collapseThreads: true },
    expected: (objects) =>
      collapse(objects.filter((one) => isMatch(one, filter)).sort(orderOf(sort)), 'threadId'),
  })),
);
const FOLDERS: readonly Case[] = SORTS.flatMap((sort) =>
  [...FILTERS, { open: true }].flatMap((filter) =>
    [
      { sorts: true, filters: true },
      { sorts: true, filters: false },
      { sorts: false, filters: true },
    ].map((how) => ({
      args: { sort, filter, sortAsTree: how.sorts, filterAsTree: how.filters },
      expected: (objects: readonly Shown[]) =>
        treeOf([...objects], (one) => isMatch(one, filter), orderOf(sort), how),
    })),
  ),
);

function isMatch(object: Shown, filter: Readonly<Record<string, unknown>>): boolean {
  const { minRank = 0, ...equal } = filter as { minRank?: number };
  if (object.rank < minRank) return false;
  return Object.entries(equal).every(([name, value]) => object[name] === value);
}

/** A client's copy of a result. */
interface Cached {
  readonly ids: readonly string[];
  readonly state: string;
}

class Follower {
  readonly type: Typed;
  readonly cases: readonly Case[];
  readonly #cached = new Map<Case, Cached>();

  constructor(type: Typed, cases: readonly Case[]) {
    this.type = type;
    this.cases = cases;
  }

  async all(): Promise<readonly Shown[]> {
    return (await this.type.call('get', { ids: null })).list;
  }

  /** Compares all queries; `mayFail`: an object has gone to another group since the last time. */
  async compare(random: Random, mayFail: boolean): Promise<void> {
    const objects = await this.all();
    for (const each of this.cases) {
      const ids = each.expected(objects).map(({ id }) => id);
      const answer = await this.type.call('query', { ...each.args, calculateTotal: true });
      expect([answer.ids, answer.total]).toEqual([ids, ids.length]);
      await this.#window(each, ids, random);
      await this.#follow(each, { ids, state: answer.queryState }, mayFail);
    }
  }

  async #window(each: Case, ids: readonly string[], random: Random): Promise<void> {
    const position = random.integer(0, ids.length + 1);
    const page = await this.type.call('query', { ...each.args, position, limit: 3 });
    expect(page.ids).toEqual(ids.slice(position, position + 3));
    const anchor = ids[random.integer(0, ids.length)];
    if (anchor === undefined) return;
    const at = Math.max(0, ids.indexOf(anchor) - 1);
    const around = await this.type.call('query', {
      ...each.args,
      anchor,
      anchorOffset: -1,
      limit: 2,
    });
    expect([around.position, around.ids]).toEqual([at, ids.slice(at, at + 2)]);
  }

  async #follow(each: Case, now: Cached, mayFail: boolean): Promise<void> {
    const before = this.#cached.get(each);
    this.#cached.set(each, now);
    if (before === undefined) return;
    const answer = await this.type.call('queryChanges', {
      ...each.args,
      sinceQueryState: before.state,
      calculateTotal: true,
    });
    if (mayFail) {
      expect(answer.error).toBe('cannotCalculateChanges');
      return;
    }
    expect(answer).toMatchObject({ newQueryState: now.state, total: now.ids.length });
    const removed = new Set(answer.removed);
    const followed = before.ids.filter((id) => !removed.has(id));
    for (const { id, index } of answer.added) followed.splice(index, 0, id);
    expect(followed).toEqual(now.ids);
  }
}

/** Changes objects at random. Returns whether one has gone to another group. */
async function change(follower: Follower, random: Random, stays: boolean): Promise<boolean> {
  const objects = await follower.all();
  const isTree = follower.type.type === 'Folder';
  const pick = (): string | null => objects[random.integer(0, objects.length)]?.id ?? null;
  const group = (): object =>
    isTree ? { parentId: pick() } : { threadId: ['a', 'b', 'c', null][random.integer(0, 3)] };
  const values = (): object => ({
    rank: random.integer(0, 4),
    ...(isTree ? { open: random.integer(0, 2) > 0 } : { seen: random.integer(0, 2) > 0 }),
  });
  const update: Record<string, object> = {};
  const destroy = new Set<string>();
  for (let count = random.integer(0, 3); count > 0; count -= 1) {
    const id = pick();
    if (id !== null) update[id] = { ...values(), ...(stays ? {} : group()) };
  }
  if (objects.length > 4) destroy.add(pick() ?? '');
  const create = Object.fromEntries(
    Array.from({ length: random.integer(0, 2) + (objects.length < 6 ? 2 : 0) }, (_, index) => [
      `k${index}`,
      { ...values(), ...group() },
    ]),
  );
  const { updated } = await follower.type.call('set', {
    create,
    update,
    destroy: [...destroy],
  });
  const moved = new Map((await follower.all()).map((one) => [one.id, one['threadId']]));
  const left = (id: string): boolean =>
    moved.get(id) !== objects.find((one) => one.id === id)?.['threadId'];
  return Object.keys(updated ?? {}).some(left);
}

/** RFC 8620 5.6: up to an id; Memo's sort and its groups never change. */
async function judgeStable(memos: Typed): Promise<void> {
  const sort = [{ property: 'rank' }];
  const args = { sort, collapse: true };
  const make = async (rank: number, topic: string): Promise<string> =>
    (await memos.create({ rank, topic }))[0];
  const b = await make(5, 'b');
  const c = await make(8, 'c');
  const { queryState } = await memos.call('query', args);
  await memos.update(b, { text: 'nothing moves' });
  const a = await make(1, 'a');
  const c2 = await make(7, 'c');
  await make(9, 'c');
  const since = { ...args, sinceQueryState: queryState };
  const whole = await memos.call('queryChanges', since);
  expect(whole).toMatchObject({
    removed: [c],
    added: [
      { id: a, index: 0 },
      { id: c2, index: 2 },
    ],
  });
  const near = await memos.call('queryChanges', { ...since, upToId: b });
  expect(near.added).toEqual([{ id: a, index: 0 }]);
  const other = await memos.call('queryChanges', { ...since, collapse: false });
  expect(other).toMatchObject({ error: 'cannotCalculateChanges' });
  expect(await memos.call('query', { ...args, anchor: c })).toMatchObject({
    error: 'anchorNotFound',
  });
  expect(await memos.call('query', { collapse: 1 })).toMatchObject({ error: 'invalidArguments' });
  expect(await memos.call('query', { sortAsTree: true })).toMatchObject({
    error: 'invalidArguments',
  });
}

/** Compares so many random steps. */
export function queriesSuite(steps: number): void {
  describe('shapes of results', () => {
    const postgresql = usePostgresql();
    it('RFC 8621 2.3, 4.4.3: results collapse and make trees on both databases', async () => {
      const project = await generatedOf('shapes', 'folders.yaml');
      const random = Random.fromEnvironment();
      for (const url of [undefined, await postgresql().createDatabase('folders')]) {
        const folders = await serveType(project, 'Folder', { url });
        try {
          const tree = new Follower(folders, FOLDERS);
          const threads = new Follower(folders.of('Mail'), MAILS);
          for (let step = 0; step < steps; step += 1) {
            await change(tree, random, false);
            await tree.compare(random, false);
            const hasLeft = await change(threads, random, step % 3 > 0);
            await threads.compare(random, hasLeft);
          }
          await judgeStable(folders.of('Memo'));
        } finally {
          await folders.served.close();
        }
      }
    });
  });
}
