import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, OTHER_ID } from '../scripts/generator/random/serve.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { recount } from './recount.js';
import { generated, serveType, type Typed } from './rig.js';

const postgresql = usePostgresql();

/** Servers of the first test's project, which is gone when the others run. */
const servers = new Map<string, Typed>();

afterAll(async () => {
  for (const { served } of servers.values()) await served.close();
});

it('generates properties that are made of other objects, and says what they are', async () => {
  const project = await generated('messages.yaml', 'messages.hooks.ts');
  const url = await postgresql().createDatabase('messages');
  servers.set('SQLite', await serveType(project, 'Message'));
  servers.set('PostgreSQL', await serveType(project, 'Message', { url }));
  servers.set('another process', await serveType(project, 'Message', { url }));
  const types = await project.read('generated/messages/Box.definition.ts');
  expect(types).toContain('unreadThreads: number;');
  expect(types).toContain('oldest: string | null;');
  const page = await project.read('docs/reference/capabilities/messages.md');
  expect(page).toContain(
    'The number of different `threadId` of the Message objects that refer to it by `boxIds`, ' +
      'where `keywords/$seen` is `null`.',
  );
});

const TYPES = ['Box', 'Thread', 'Message', 'Totals'] as const;
type Objects = Readonly<Record<string, readonly Answer[]>>;

/** Returns all objects of an account, by type. */
async function readAll(messages: Typed, account?: string): Promise<Objects> {
  const args = { ids: null, ...(account === undefined ? {} : { accountId: account }) };
  const lists = await Promise.all(TYPES.map((type) => messages.of(type).call('get', args)));
  return Object.fromEntries(TYPES.map((type, at) => [type, lists[at].list]));
}

/** Expects that every aggregate is what a recount of the messages and boxes gives. */
function expectExact(objects: Objects, what: unknown): void {
  const { Box = [], Thread = [], Message = [], Totals = [] } = objects;
  const right = recount({ boxes: Box, threads: Thread, messages: Message });
  const shown = (list: readonly Answer[], values: ReadonlyMap<string, object>) =>
    list.map((one) => {
      const names = Object.keys(values.get(one.id) ?? {});
      return [one.id, Object.fromEntries(names.map((name) => [name, one[name]]))];
    });
  const now = { Box: shown(Box, right.boxes), Thread: shown(Thread, right.threads) };
  expect({ what, ...now, Totals: shown(Totals, right.totals) }).toEqual({
    what,
    Box: [...right.boxes],
    Thread: [...right.threads],
    Totals: [...right.totals],
  });
}

/** Returns the ids of objects that differ, and the names of the properties that do. */
function differences(before: readonly Answer[], after: readonly Answer[]) {
  const old = new Map(before.map((one) => [one.id, one]));
  const changed = after.filter((one) => {
    const was = old.get(one.id);
    return was !== undefined && JSON.stringify(was) !== JSON.stringify(one);
  });
  const names = changed.flatMap((one) =>
    Object.keys(one).filter(
      (name) => JSON.stringify(one[name]) !== JSON.stringify(old.get(one.id)[name]),
    ),
  );
  return {
    updated: changed.map(({ id }) => id).sort(),
    names: [...new Set(names)].filter((name) => name !== 'updated').sort(),
  };
}

/** A random write: the method and its arguments. */
function draw(random: Random, objects: Objects): readonly [string, object] {
  const idsOf = (type: string): string[] => (objects[type] ?? []).map(({ id }) => id);
  const some = <T>(list: readonly T[], most: number): T[] =>
    Array.from({ length: random.integer(0, most) }, () => list)
      .filter(({ length }) => length > 0)
      .map((one) => random.pick(one));
  const set = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, true]));
  const message = (): object => ({
    boxIds: set(some(idsOf('Box'), 3)),
    threadId: random.pick([null, ...idsOf('Thread')]),
    keywords: set(some(['$seen', '$draft', '$flagged'], 2)),
    size: random.integer(-2, 6),
    price: random.pick(['0', '0.1', '0.25', '-1.5', '12345678901234567890.01']),
    sentAt: random.pick([
      null,
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.5Z',
      '1969-12-31T23:59:59Z',
    ]),
    day: random.pick([null, '2026-01-31', '2025-12-01', '2026-02-01']),
    isHot: random.pick([true, false]),
    meta: random.pick([
      {},
      { state: 'open' },
      { state: 'void', rank: 3 },
      { state: "it's", rank: 3 },
      { state: 'open', rank: 4 },
    ]),
    parts: some(idsOf('Thread'), 2).map((threadId) => ({ threadId })),
    seenIds: some(idsOf('Box'), 1),
  });
  const part = (): object => {
    const whole: Record<string, unknown> = { ...message() };
    const names = some(Object.keys(whole), 4);
    const patch = Object.fromEntries(names.map((name) => [name, whole[name]]));
    if (random.integer(0, 1) === 0 && !('keywords' in patch))
      patch['keywords/$seen'] = random.pick([true, null]);
    return patch;
  };
  const keyed = (list: readonly object[]) =>
    Object.fromEntries(list.map((one, at) => [`k${at}`, one]));
  const updates = (type: string, one: () => object) =>
    Object.fromEntries(some(idsOf(type), 4).map((id) => [id, one()]));
  const messages = () => Array.from({ length: random.integer(1, 6) }, message);
  switch (random.integer(0, 9)) {
    case 0:
      return ['Message/import', { messages: messages() }];
    case 1:
      return [
        'Box/set',
        { create: { b: { name: 'b', parentId: random.pick([null, ...idsOf('Box')]) } } },
      ];
    case 2: {
      const box = () => ({
        parentId: random.pick([null, ...idsOf('Box')]),
        isHidden: random.pick([true, false]),
      });
      return ['Box/set', { update: updates('Box', box), destroy: some(idsOf('Box'), 1) }];
    }
    case 3:
      return ['Thread/set', { create: { t: { subject: random.pick(['a', 'own']) } } }];
    case 4:
      return ['Thread/set', { destroy: some(idsOf('Thread'), 1) }];
    case 5:
      return ['Totals/set', { update: { singleton: { note: String(random.integer(0, 9)) } } }];
    default:
      return [
        'Message/set',
        {
          create: keyed(messages()),
          update: updates('Message', part),
          destroy: some(idsOf('Message'), 2),
        },
      ];
  }
}

describe.each(['SQLite', 'PostgreSQL'])('aggregates on %s', (database) => {
  it('are what a recount gives after random writes, and /changes tells of them', async () => {
    const messages = servers.get(database) as Typed;
    const random = Random.fromEnvironment();
    let objects = await readAll(messages);
    for (let at = 0; at < 25; at += 1) {
      const since = await Promise.all(
        TYPES.map((type) => messages.of(type).call('get', { ids: [] })),
      );
      const [name, args] = draw(random, objects);
      const what = { seed: random.seed, at, name, args };
      const answer = await messages.served.call(name, args);
      expect({ what, error: answer.error }).toEqual({ what, error: undefined });
      const after = await readAll(messages);
      expectExact(after, what);
      for (const [index, type] of TYPES.entries()) {
        const changes = await messages.of(type).call('changes', { sinceState: since[index].state });
        const different = differences(objects[type] ?? [], after[type] ?? []);
        expect({ what, type, updated: changes.updated.toSorted() }).toEqual({
          what,
          type,
          updated: different.updated,
        });
        const told = changes.updatedProperties ?? different.names;
        expect({ what, type, told: different.names.filter((one) => !told.includes(one)) }).toEqual({
          what,
          type,
          told: [],
        });
      }
      objects = after;
    }
  });

  it('RFC 8620 5.4: a copy begins with the defaults of what the server sets', async () => {
    const messages = servers.get(database) as Typed;
    const [id] = await messages.of('Thread').create({ subject: 'own' });
    const thread = await messages.of('Thread').get(id);
    expect(thread).toMatchObject({ messages: 1, ownId: expect.any(String) });
    const copied = await messages.of('Thread').call('copy', {
      fromAccountId: 'a1',
      accountId: OTHER_ID,
      create: { c: { id, subject: 'copied' } },
    });
    expect(copied.notCreated).toBeNull();
    expect(copied.created.c).toMatchObject({ messages: 0, ownId: null });
    const both = await readAll(messages, OTHER_ID);
    expect(both['Thread']).toEqual([expect.objectContaining({ subject: 'copied', ownId: null })]);
    expectExact(both, 'a copy');
    expectExact(await readAll(messages), 'its original');
  });

  it('a call that would make a sum too large is refused, and changes nothing', async () => {
    const messages = servers.get(database) as Typed;
    const [box] = await messages.of('Box').create({ name: 'large' });
    const { octets } = await messages.of('Totals').get('singleton');
    const size = Number.MAX_SAFE_INTEGER - Math.max(0, octets);
    const [id] = await messages.create({ boxIds: { [box]: true }, size });
    const refused = await messages.call('set', {
      create: { k: { boxIds: { [box]: true }, size } },
    });
    expect(refused).toMatchObject({ error: 'invalidArguments' });
    expect(refused.description).toMatch(/(Box|Totals)\.octets/);
    await messages.call('set', { destroy: [id] });
    expectExact(await readAll(messages), 'a refused call');
  });

  it('clients can neither give nor change them', async () => {
    const messages = servers.get(database) as Typed;
    const told = await messages.of('Box').refuse({ name: 'x', total: 5 });
    expect(told).toMatchObject({ type: 'invalidProperties', properties: ['total'] });
    const [id] = await messages.of('Box').create({ name: 'x' });
    expect(await messages.of('Box').refuse({ unread: 5 }, id)).toMatchObject({
      type: 'invalidProperties',
    });
  });
});

it('aggregates stay exact while two servers write to one account', async () => {
  const both = [servers.get('PostgreSQL') as Typed, servers.get('another process') as Typed];
  const random = Random.fromEnvironment();
  for (let at = 0; at < 5; at += 1) {
    const objects = await readAll(both[0] as Typed);
    const writes = Array.from({ length: 6 }, () => draw(random, objects));
    await Promise.all(writes.map(([name, args], n) => both[n % 2]?.served.call(name, args)));
    expectExact(await readAll(both[1] as Typed), { seed: random.seed, at, writes });
  }
});

it('a call with many objects takes as many statements as one with a few', async () => {
  const messages = servers.get('SQLite') as Typed;
  const { statements } = messages.served;
  const counted = async (args: object): Promise<readonly [number, Answer]> => {
    const before = statements.length;
    const answer = await messages.call('set', args);
    expect(answer.notCreated ?? answer.notUpdated ?? answer.notDestroyed ?? null).toBeNull();
    return [statements.length - before, answer];
  };
  const threads = await messages.of('Thread').call('set', { create: { a: {}, b: {}, c: {} } });
  const boxes = await messages.of('Box').call('set', { create: { a: {}, b: {}, c: {} } });
  const [a, b, c] = ['a', 'b', 'c'].map((key) => [boxes.created[key].id, threads.created[key].id]);
  const message = (at: number) => {
    const [boxId, threadId] = at % 2 === 0 ? (a ?? []) : (b ?? []);
    const sentAt = new Date(at * 1000).toISOString();
    return {
      ...{ threadId, sentAt, size: at, isHot: true, day: '2026-01-31' },
      boxIds: { [boxId]: true },
    };
  };
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, message(at)]));
  const costs: Record<string, number>[] = [];
  for (const count of [4, 100]) {
    const [create, { created }] = await counted({ create: many(count) });
    const ids = Object.values<Answer>(created).map(({ id }) => id);
    const [boxId, threadId] = c ?? [];
    const patch = { boxIds: { [boxId]: true }, threadId, size: 7, sentAt: null };
    const moved = Object.fromEntries(ids.map((id) => [id, patch]));
    const [update] = await counted({ update: moved });
    const [destroy] = await counted({ destroy: ids });
    costs.push({ create, update, destroy });
  }
  expect(costs[1]).toEqual(costs[0]);
  expectExact(await readAll(messages), 'many');
});
