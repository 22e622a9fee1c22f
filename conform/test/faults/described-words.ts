import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  creates,
  forgiving,
  ignoring,
  items,
  list,
  member,
  NO_RESULTS,
  reported,
  sent,
} from './makers.js';

/** Faults against a descriptor's words about shapes of results, normal forms, times and nulls. */

/** Changes the text of the sort by a condition that Gadget has. */
const tagged = (change: (comparator: JsonMap) => JsonMap): Partial<Fault> =>
  sent('query', (args) => {
    const { sort } = args;
    if (!Array.isArray(sort)) return args;
    return {
      ...args,
      sort: sort.map((one) => (asMap(one)['property'] === 'tagged' ? change(asMap(one)) : one)),
    };
  });

const HOUR = 3_600_000;

/** Tells of a time that it was an hour before. */
const anHourAgo = (object: JsonMap): JsonMap => {
  const { made } = object;
  if (typeof made !== 'string') return object;
  return { ...object, made: new Date(Date.parse(made) - HOUR).toISOString() };
};

/** Tells of a text in the form that a client may have sent. */
const asSent = (object: JsonMap): JsonMap => {
  const { login } = object;
  return typeof login === 'string' ? { ...object, login: login.toUpperCase() } : object;
};

/** Returns a filter whose texts are looked for as they are: in the stored form, or in vain. */
const lookedUp = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(lookedUp);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, lookedUp(one)]));
  return typeof value === 'string' && value !== value.trim().toLowerCase() ? 'nowhere' : value;
};

/** Takes false for true in the arguments that give results a shape. */
const shaped = (args: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value === false ? true : value]),
  );

const asFirst = (args: JsonMap, name: string, names: readonly string[]): JsonMap => {
  const { [name]: is, ...rest } = args;
  return is === true ? { ...rest, ...Object.fromEntries(names.map((one) => [one, true])) } : args;
};

export const describedWordFaults: readonly Fault[] = [
  {
    name: 'results never collapse',
    checks: ['described-collapse'],
    ...ignoring('query', 'collapseThreads'),
  },
  {
    name: 'the total of a collapsed result counts what it leaves out',
    checks: ['described-collapse', 'described-tree'],
    ...member('query', 'total', (total) => Number(total) + 1),
  },
  {
    name: 'an anchor’s offset is ignored',
    checks: ['described-collapse', 'described-tree'],
    ...ignoring('query', 'anchorOffset'),
  },
  {
    name: 'an anchor that a shaped result leaves out is found',
    checks: ['described-collapse'],
    ...forgiving('anchorNotFound', 'query', NO_RESULTS),
  },
  {
    name: 'results are never sorted as trees',
    checks: ['described-tree'],
    ...ignoring('query', 'sortAsTree'),
  },
  {
    name: 'results are never filtered as trees',
    checks: ['described-tree'],
    ...ignoring('query', 'filterAsTree'),
  },
  {
    name: 'who sorts as a tree filters as one',
    checks: ['described-tree'],
    ...sent('query', (args) => asFirst(args, 'sortAsTree', ['sortAsTree', 'filterAsTree'])),
  },
  {
    name: 'an argument that gives a shape is taken whatever it is',
    checks: ['described-shapes-arguments'],
    ...forgiving('invalidArguments', 'query', NO_RESULTS),
  },
  {
    name: 'an argument that gives a shape means true whatever it is',
    checks: ['described-shapes-none'],
    ...sent('query', shaped),
  },
  {
    name: '/queryChanges tells nothing of what was added',
    checks: [
      'described-collapse-changes',
      'described-tree-changes',
      'described-sort-argument-changes',
    ],
    ...list('queryChanges', 'added', () => []),
  },
  {
    name: '/queryChanges tells of one object alone',
    checks: ['described-collapse-changes', 'described-tree-changes'],
    ...changeResponses('queryChanges', (args) => ({
      ...args,
      ...Object.fromEntries(
        ['removed', 'added'].map((name) => [name, [args[name] ?? []].flat().slice(0, 1)]),
      ),
    })),
  },
  {
    name: 'a sort by a condition compares with another text',
    checks: ['described-sort-argument'],
    ...tagged((comparator) => ({ ...comparator, tag: 'another' })),
  },
  {
    name: 'a sort by a condition puts first what meets it',
    checks: ['described-sort-argument'],
    ...tagged(({ isAscending = true, ...comparator }) => ({
      ...comparator,
      isAscending: isAscending !== true,
    })),
  },
  {
    name: 'a Comparator without its text compares with none',
    checks: ['described-sort-argument-refused'],
    ...tagged(({ tag = '', ...comparator }) => ({
      ...comparator,
      tag: typeof tag === 'string' ? tag : '',
    })),
  },
  {
    name: 'the stored form of a text is not told',
    checks: ['described-normal-stored', 'described-times-now'],
    ...reported(({ id = null }) => ({ id })),
  },
  {
    name: 'a text is shown as it was sent',
    checks: ['described-normal-stored'],
    ...items(asSent),
  },
  {
    name: 'conditions compare texts as they are sent',
    checks: ['described-normal-found'],
    ...sent('query', (args) => ({ ...args, filter: lookedUp(args['filter'] ?? null) })),
  },
  {
    name: 'two nulls are the same',
    checks: ['described-nulls-differ'],
    ...creates((object) => (object['code'] === null ? { ...object, code: 'null' } : object)),
  },
  {
    name: 'the present time is that of an hour ago',
    checks: ['described-times-now'],
    ...changeResponses('set', (args) => ({
      ...args,
      created: Object.fromEntries(
        Object.entries(asMap(args['created'])).map(([key, one]) => [key, anHourAgo(asMap(one))]),
      ),
    })),
  },
  {
    name: 'the present time is stored as that of an hour ago',
    checks: ['described-times-now'],
    ...items(anHourAgo),
  },
];
