import { describe, expect, it } from 'vitest';
import { at, entry, err, setError, utcDate } from '../support/expected.js';
import { useFixtures } from '../support/fixtures.js';
import { checksOf, serverConformance, TYPE_CHECKS, typeConformance, useServer } from './checks.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

const { fixtures } = useFixtures();
const world = describedWorld('../../capabilities/todos.yaml');
const suite = new Suite(world, 'Todo', fixtures);

// limits.test.ts uploads too much; conform/test/faults.test.ts looks up blobs, which no type of
// this repository holds. http/event-source.test.ts doesn't wait seconds for a ping, as
// runner.long.test.ts does.
const ELSEWHERE = new Set([
  'blob-upload-size',
  'events-ping',
  ...['nothing', 'none', 'unknown-type', 'unknown-account'].map((end) => `blob-lookup-${end}`),
]);
const server = useServer(fixtures);
serverConformance(server, ELSEWHERE);

// One engine, one set of answers. Note has them on PostgreSQL (postgresql.test.ts), and Single over
// WebSocket (gadget.test.ts). Todo has the checks that neither of them has, and in the long tier
// all (matrix.long.test.ts).
const run = checksOf([
  [describedWorld('../../capabilities/notes.yaml'), 'Note'],
  [describedWorld('gadget.yaml'), 'Single'],
]);
typeConformance(
  server,
  world,
  ['Todo'],
  TYPE_CHECKS.filter((check) => !run.has(check)),
);

describe('Todo alone', () => {
  const create = async (...todos: object[]): Promise<string[]> => {
    const objects = Object.fromEntries(todos.map((todo, index) => [`k${index}`, todo]));
    const { created } = await suite.client.set('Todo', { accountId: suite.A1, create: objects });
    return todos.map((_, index) => entry(created, `k${index}`).id);
  };

  it('RFC 8620 5.3: done is updated', async () => {
    const [id = ''] = await create({ text: 'a' });
    const answer = await suite.client.set('Todo', {
      accountId: suite.A1,
      update: { [id]: { done: true } },
    });
    expect(answer.updated).toEqual({ [id]: { updated: utcDate } });
    const { list } = await suite.client.get('Todo', { accountId: suite.A1, ids: [id] });
    expect(at(list, 0)['done']).toBe(true);
  });

  it('RFC 8620 5.3: a default that is given need not be reported', async () => {
    const answer = await suite.client.set('Todo', {
      accountId: suite.A1,
      create: { k: { text: 'a', done: true } },
    });
    const { done = true, ...made } = entry(answer.created, 'k');
    expect(done).toBe(true);
    expect(Object.keys(made).sort()).toEqual(['created', 'id', 'updated']);
  });

  it('RFC 8620 5.3: bad properties of all kinds are listed together', async () => {
    const answer = await suite.client.set('Todo', {
      accountId: suite.A1,
      create: { k: { text: 5, done: 'yes', foo: 1 }, m: { done: null, id: 'x' } },
    });
    expect(answer.notCreated).toEqual({
      k: setError('invalidProperties', ['text', 'done', 'foo']),
      m: setError('invalidProperties', ['text', 'done', 'id']),
    });
  });

  it('RFC 8620 5.5: done and text', async () => {
    await suite.clear(suite.A1);
    const [doneX = '', openX = '', doneY = ''] = await create(
      { text: 'x', done: true },
      { text: 'x' },
      { text: 'y', done: true },
    );
    const find = async (filter: object) =>
      (await suite.client.query('Todo', { accountId: suite.A1, filter })).ids;
    expect(await find({ done: true, text: 'X' })).toEqual([doneX]);
    expect(await find({ done: true })).toEqual([doneX, doneY]);
    expect(await find({ done: false })).toEqual([openX]);
    expect(await find({ done: null })).toEqual([doneX, openX, doneY]);
    expect(await find({ done: null, text: 'y' })).toEqual([doneY]);
    const conditions = [{ done: false }, { text: 'y' }];
    expect(await find({ operator: 'AND', conditions })).toEqual([]);
    expect(await find({ operator: 'OR', conditions })).toEqual([openX, doneY]);
    expect(await find({ operator: 'NOT', conditions })).toEqual([doneX]);
  });

  it('RFC 8620 5.5: done with a wrong type is invalidArguments', async () => {
    for (const done of ['yes', 1, 0, [], {}]) {
      expect(
        await suite.client.call('Todo/query', { accountId: suite.A1, filter: { done } }),
      ).toEqual(err('invalidArguments', 'done'));
    }
  });

  it('RFC 8620 5.5: false comes before true, whatever the collation', async () => {
    await suite.clear(suite.A1);
    const [a = '', b = '', c = ''] = await create(
      { text: 'a', done: true },
      { text: 'b' },
      { text: 'c', done: true },
    );
    const find = async (sort: object[]) =>
      (await suite.client.query('Todo', { accountId: suite.A1, sort })).ids;
    expect(await find([{ property: 'done' }])).toEqual([b, a, c]);
    expect(await find([{ property: 'done', collation: 'i;nobody' }])).toEqual([b, a, c]);
    expect(await find([{ property: 'done', isAscending: false }])).toEqual([c, a, b]);
    expect(await find([{ property: 'done' }, { property: 'text', isAscending: false }])).toEqual([
      b,
      c,
      a,
    ]);
  });
});
