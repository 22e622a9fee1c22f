import { expect, it } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { makeUser } from '../../test/support/fixtures.js';
import { useServer } from '../../test/support/server.js';
import { typeChecks } from '../src/check.js';
import { queryAll } from '../src/subject/queries.js';
import { UnexpectedError } from '../src/unexpected.js';
import { besideObjects, failedOf, LATE } from './beside-objects.js';

// Some checks of each kind beside objects that are there already; beside.long.test.ts has all of
// them.

const server = useServer();
const world = describedWorld('../../capabilities/todos.yaml');

const NAMES: readonly string[] = [
  ...['get-all', 'get-no-ids', 'changes-merged', 'changes-pages', 'references-query-get'],
  ...['set-create-answer', 'set-update-whole-object', 'set-continues', 'set-destroy-many'],
  ...['query-filter-none', 'query-filter-agrees', 'query-sort-ties', 'query-sort-permutation'],
  ...['query-window-total', 'query-window-anchor', 'query-window-negative-position'],
  ...['query-changes-created', 'query-changes-around-filter-exact', 'query-changes-sparse'],
];

it('checks pass beside objects of theirs, and leave these as they were', async () => {
  const { client: user, accountId } = await makeUser(server(), 'beside');
  const create = { a: { text: 'a' }, b: { text: 'in b', done: true }, c: { text: 'zzz' } };
  const url = server().url;
  const checks = ALL_CHECKS.filter(({ id }) => NAMES.includes(id));
  const { outcomes, warnings } = await besideObjects({
    ...{ url, user, world, type: 'Todo', accounts: [accountId], create, checks },
  });
  expect([failedOf(outcomes), warnings]).toEqual([[], []]);
  const passed = outcomes.filter(({ status }) => status === 'passed');
  expect(passed.map(({ check }) => check.id).sort()).toEqual([...NAMES].sort());
});

it('changes by others are reported, and a check that fails by them runs again', async () => {
  const { client: user, accountId } = await makeUser(server(), 'disturbed');
  let count = 0;
  const checks = typeChecks('5.5', { methods: ['get', 'set', 'query'] }, [
    {
      id: 'disturbed',
      level: 'must',
      rule: 'What is there is what was there and what is made.',
      async run(subject) {
        const ids = await subject.make(subject.A1, 'one');
        count += 1;
        if (count === 1) await user.set('Todo', { accountId, create: { k: { text: LATE } } });
        expect(new Set(await queryAll(subject))).toEqual(new Set(subject.addForeign(ids)));
        await subject.clear(subject.A1);
      },
    },
  ]);
  const create = { a: { text: 'a' } };
  const { outcomes, warnings } = await besideObjects({
    ...{ url: server().url, user, world, type: 'Todo', accounts: [accountId], create, checks },
  });
  expect([count, failedOf(outcomes)]).toEqual([2, []]);
  expect(warnings).toEqual([
    expect.stringMatching(/^Not by this run come: Todo objects in account [\w-]+: [\w-]+$/),
  ]);
});

it('a check that would touch objects of others is not applicable, and says so', async () => {
  const { client: user, accountId } = await makeUser(server(), 'fenced');
  const checks = typeChecks('5.3', { methods: ['get', 'set'] }, [
    {
      id: 'reckless',
      level: 'must',
      rule: 'What a query finds can be destroyed.',
      run: async (subject) => {
        await subject.set({ destroy: [...subject.listForeign().keys()] });
      },
    },
  ]);
  const { outcomes, warnings } = await besideObjects({
    ...{ url: server().url, user, world, type: 'Todo', accounts: [accountId], checks },
    create: { a: { text: 'theirs' } },
  });
  expect(outcomes).toMatchObject([
    { status: 'notApplicable', reason: expect.stringContaining('did not make') },
  ]);
  expect(warnings).toEqual([]);
});

it('an object that a check leaves in an empty account fails no later check', async () => {
  const { client: user, accountId } = await makeUser(server(), 'left');
  let count = 0;
  const checks = typeChecks('5.5', { methods: ['get', 'set', 'query'] }, [
    {
      id: 'loses-a-create',
      level: 'must',
      rule: 'The answer of a create tells its object.',
      async run() {
        count += 1;
        await user.set('Todo', { accountId, create: { k: { text: LATE } } });
        throw new UnexpectedError('There is no answer of the create.');
      },
    },
    {
      id: 'later',
      level: 'must',
      rule: 'What is there is what was there and what is made.',
      async run(subject) {
        const ids = await subject.make(subject.A1, 'one');
        expect(new Set(await queryAll(subject))).toEqual(new Set(subject.addForeign(ids)));
        await subject.clear(subject.A1);
      },
    },
  ]);
  const { outcomes, warnings } = await besideObjects({
    ...{ url: server().url, user, world, type: 'Todo', accounts: [accountId], create: {}, checks },
  });
  expect(count).toBe(1);
  expect(outcomes.map(({ check, status }) => [check.id, status])).toEqual([
    ['loses-a-create', 'failed'],
    ['later', 'passed'],
  ]);
  expect(outcomes[0]?.failure?.message).toContain('no answer of the create');
  expect(warnings).toEqual([expect.stringMatching(/^Not by this run come: Todo objects/)]);
});
