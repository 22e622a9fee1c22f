import { asMap, type Item, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { changeResponses, ignoring, list, member, sent, without } from './makers.js';

const items = (change: (item: Item) => JsonMap): Partial<Fault> =>
  list('get', 'list', (all) => all.map((item) => change(item as Item)));

/** Ids in all that a client sees and sends: another alphabet for the server's own. */
const spelled = (spell: (id: string) => string): Partial<Fault> =>
  member('set', 'created', (created) =>
    Object.fromEntries(
      Object.entries(asMap(created)).map(([key, object]) => {
        const made = asMap(object);
        return [key, { ...made, id: spell(String(made['id'])) }];
      }),
    ),
  );

let answers = 0;
let lists = 0;

export const getFaults: readonly Fault[] = [
  {
    name: '/get has no notFound',
    checks: ['get-response', 'get-no-ids', 'get-all', 'get-not-found'],
    ...without('get', 'notFound'),
  },
  { name: '/get has no accountId', checks: ['get-response'], ...without('get', 'accountId') },
  {
    name: '/get shows a property that nobody knows',
    checks: ['get-shown', 'get-properties'],
    ...items((item) => ({ ...item, accountId: 'a' })),
  },
  {
    name: '/get leaves out an object',
    checks: ['get-all', 'get-response'],
    ...list('get', 'list', (all) => all.slice(1)),
  },
  {
    name: '/get lists an object twice',
    checks: ['get-duplicates', 'get-all'],
    ...list('get', 'list', (all) => all.flatMap((one) => [one, one])),
  },
  {
    name: 'no ids are taken for all',
    checks: ['get-no-ids'],
    ...sent('get', ({ ids = null, ...args }) => ({
      ...args,
      ids: Array.isArray(ids) && ids.length === 0 ? null : ids,
    })),
  },
  {
    name: '/get tells missing ids as null',
    checks: ['get-not-found', 'get-impossible-ids'],
    ...member('get', 'notFound', () => null),
  },
  {
    name: '/get leaves out what is null or false',
    checks: ['get-all-properties', 'get-shown'],
    ...items((item) =>
      Object.fromEntries(
        Object.entries(item).filter(([, value]) => value !== null && value !== false),
      ),
    ),
  },
  {
    name: '/get shows what it has, whatever is asked for',
    checks: ['get-properties', 'get-invalid-property'],
    ...ignoring('get', 'properties'),
  },
  {
    name: '/get takes only the first ids',
    checks: ['get-most-ids', 'get-most-ids-as-sent'],
    ...sent('get', (args) => ({
      ...args,
      ids: Array.isArray(args['ids']) ? args['ids'].slice(0, 1000) : (args['ids'] ?? null),
    })),
  },
  {
    name: 'the state never moves',
    checks: ['get-state-moves'],
    ...member('get', 'state', () => '0'),
  },
  {
    name: 'each answer has a state of its own',
    checks: ['get-state-for-all-ids'],
    ...member('get', 'state', () => {
      answers += 1;
      return `s${answers}`;
    }),
  },
  {
    name: 'an id of another account is found',
    checks: ['get-other-account'],
    ...changeResponses('get', ({ notFound, ...args }) => ({
      ...args,
      list: [...(args['list'] as Json[]), ...(notFound as string[]).map((id) => ({ id }))],
      notFound: [],
    })),
  },
  {
    name: 'ids are numbers with a sign',
    checks: ['ids-valid', 'ids-ordered'],
    ...spelled((id) => `+${id}`),
  },
  {
    name: 'ids are all the same',
    checks: ['ids-valid', 'ids-safe'],
    ...spelled(() => 'a'),
  },
  {
    name: 'ids come in another order than their objects',
    checks: ['ids-ordered'],
    ...spelled((id) => [...id].reverse().join('')),
  },
  {
    name: 'texts are normalised',
    checks: ['get-unicode'],
    ...items((item) => JSON.parse(JSON.stringify(item).normalize('NFC')) as JsonMap),
  },
  {
    name: 'a list is now and then older than the state beside it',
    checks: ['changes-busy-writer'],
    ...list('get', 'list', (all) => {
      lists += 1;
      return lists % 2 === 0 ? all : all.slice(0, -1);
    }),
  },
];
