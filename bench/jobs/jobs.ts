import type { Call, Job, RestRequest } from '../model.js';
import { session } from './session.js';

/** The text of the nth stored object, and one that is like no other. */
export const textOf = (n: number): string => `Thing number ${n}`;
export const RARE_TEXT = 'Water the kumquat';

const todo = { text: 'Measure what a create costs over HTTP', done: false };
const HUNDRED = Array.from({ length: 100 }, () => todo);
const CREATE_HUNDRED = Object.fromEntries(HUNDRED.map((one, n) => [`k${n}`, one]));

/** All jobs, in the order of the tables. */
export const JOBS: readonly Job[] = [
  {
    name: 'Core/echo',
    needs: [],
    objects: 0,
    jmap: () => [['Core/echo', { hello: true }, '0']],
    byRoutes: () => [],
  },
  {
    name: 'get 1',
    needs: ['small'],
    objects: 1,
    jmap: ({ small }) => [['Todo/get', { accountId: small.id, ids: middle(small.ids, 1) }, '0']],
    byRoutes: ({ small }) => [
      { method: 'GET', path: `/accounts/${small.id}/todos/${middle(small.ids, 1)[0]}` },
    ],
  },
  {
    name: 'get 100',
    needs: ['small'],
    objects: 100,
    jmap: ({ small }) => [['Todo/get', { accountId: small.id, ids: middle(small.ids, 100) }, '0']],
    byRoutes: ({ small }) => [
      {
        method: 'GET',
        path: `/accounts/${small.id}/todos?ids=${middle(small.ids, 100).join(',')}`,
      },
    ],
  },
  create1(),
  {
    name: 'create 100',
    needs: ['scratch'],
    objects: 100,
    jmap: ({ scratch }) => [['Todo/set', { accountId: scratch.id, create: CREATE_HUNDRED }, '0']],
    byRoutes: ({ scratch }) => [
      { method: 'POST', path: `/accounts/${scratch.id}/todos/batch`, body: { todos: HUNDRED } },
    ],
  },
  {
    name: 'update 1',
    needs: ['scratch'],
    objects: 1,
    // A text of its own each time: setting what is there already would be no update.
    jmap: ({ scratch }, n) => [
      [
        'Todo/set',
        { accountId: scratch.id, update: { [nth(scratch.ids, n)]: { text: `Update ${n}` } } },
        '0',
      ],
    ],
    byRoutes: ({ scratch }, n) => [
      {
        method: 'PATCH',
        path: `/accounts/${scratch.id}/todos/${nth(scratch.ids, n)}`,
        body: { text: `Update ${n}` },
      },
    ],
  },
  query('query, 50 of 10,000 by text', 'small', 'number 7', 'text', 50),
  query('query, 50 of 100,000 by text', 'big', 'number 7', 'text', 50),
  query('query, newest 50 of 100,000', 'big', 'number 9', '-created', 50),
  changes('changes, 100 of 100,000', 'big'),
  {
    name: 'queryChanges, 10 of 10,000',
    needs: ['small'],
    objects: 10,
    jmap: ({ small }) => [
      [
        'Todo/queryChanges',
        {
          accountId: small.id,
          filter: { done: false },
          sort: [{ property: 'text' }],
          sinceQueryState: small.queryState,
        },
        '0',
      ],
    ],
    byRoutes: ({ small }) => [
      {
        method: 'GET',
        path: `/accounts/${small.id}/todos/query-changes?since=${small.since}&done=false&sort=text`,
      },
    ],
  },
  session(todo, middle, nth),
  { ...query('query, rare text of 100,000', 'big', 'kumquat', 'text', 1), indexed: true },
  ...flat('10,000', 'small'),
  ...flat('1,000,000', 'huge'),
];

/** Jobs of jmapsmith alone, measured against themselves on another size. */
function flat(size: string, account: 'small' | 'huge'): readonly Job[] {
  const jobs: readonly Job[] = [
    changes(`flat: changes, 100 of ${size}`, account),
    query(`flat: query, newest 50 of ${size}`, account, null, '-created', 50),
    {
      name: `flat: get 100 of ${size}`,
      needs: [account],
      objects: 100,
      jmap: (accounts) => {
        const { id: accountId, ids } = accounts[account];
        return [['Todo/get', { accountId, ids: middle(ids, 100) }, '0']];
      },
      byRoutes: () => [],
    },
  ];
  return jobs.map((job) => ({ ...job, byRoutes: () => [] }));
}

function create1(): Job {
  return {
    name: 'create 1',
    needs: ['scratch'],
    objects: 1,
    jmap: ({ scratch }) => [['Todo/set', { accountId: scratch.id, create: { k: todo } }, '0']],
    byRoutes: ({ scratch }) => [
      { method: 'POST', path: `/accounts/${scratch.id}/todos`, body: todo },
    ],
  };
}

/** The ids and, in the same request, the objects. */
function query(
  name: string,
  account: 'small' | 'big' | 'huge',
  text: string | null,
  sort: 'text' | '-created',
  objects: number,
): Job {
  const by = sort === 'text' ? { property: 'text' } : { property: 'created', isAscending: false };
  return {
    name,
    needs: [account],
    objects,
    jmap: (accounts): readonly Call[] => {
      const accountId = accounts[account].id;
      const filter = text === null ? {} : { text, done: false };
      const asked = { accountId, filter, sort: [by], limit: 50 };
      const found = { resultOf: '0', name: 'Todo/query', path: '/ids' };
      return [
        ['Todo/query', asked, '0'],
        ['Todo/get', { accountId, '#ids': found }, '1'],
      ];
    },
    byRoutes: (accounts): readonly RestRequest[] => {
      const asked = new URLSearchParams({ text: text ?? '', done: 'false', sort, limit: '50' });
      return [{ method: 'GET', path: `/accounts/${accounts[account].id}/todos?${asked}` }];
    },
  };
}

/** The ids and, in the same request, the objects: what a client that synchronises asks for. */
function changes(name: string, account: 'small' | 'big' | 'huge'): Job {
  return {
    name,
    needs: [account],
    objects: 100,
    jmap: (accounts) => {
      const { id: accountId, halfway } = accounts[account];
      const of = (path: string) => ({ resultOf: '0', name: 'Todo/changes', path });
      return [
        ['Todo/changes', { accountId, sinceState: halfway, maxChanges: 100 }, '0'],
        ['Todo/get', { accountId, '#ids': of('/created') }, '1'],
        ['Todo/get', { accountId, '#ids': of('/updated') }, '2'],
      ];
    },
    byRoutes: (accounts) => {
      const { id, halfway } = accounts[account];
      return [{ method: 'GET', path: `/accounts/${id}/todos/changes?since=${halfway}&limit=100` }];
    },
  };
}

/** So many ids from the middle: neither the first nor the last page of an index. */
function middle(ids: readonly string[], count: number): readonly string[] {
  const first = Math.floor(ids.length / 2);
  return ids.slice(first, first + count);
}

function nth(ids: readonly string[], n: number): string {
  return ids[n % ids.length] ?? '';
}
