import type { MethodResponse } from '../../src/client/answers.js';
import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  forgiving,
  ignoring,
  list,
  member,
  onResponse,
  renamed,
  sent,
  without,
} from './makers.js';

const NOTHING = { created: {}, notCreated: null };

/** Changes each entry of a map. */
const each = (map: Json | undefined, change: (value: JsonMap) => JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(asMap(map)).map(([key, value]) => [key, change(asMap(value))]));

/** Changes the responses of a request that has a /copy. */
const responses = (change: (all: readonly MethodResponse[]) => readonly Json[]): Partial<Fault> =>
  onResponse((response) => {
    const all = response['methodResponses'] as unknown as MethodResponse[];
    const isCopy = all.some(([name]) => name.endsWith('/copy'));
    return isCopy ? { ...response, methodResponses: [...change(all)] } : response;
  });

const asJson = (all: readonly MethodResponse[]): readonly Json[] => all as unknown as Json[];

/** A null that stands for no condition, read as one. */
const nullAsState = (name: string): Partial<Fault> =>
  sent('copy', (args) => (args[name] === null ? { ...args, [name]: 'null' } : args));

const unknown = (ids: Json | undefined): Json =>
  Array.isArray(ids)
    ? ids.map((id) => (String(id).startsWith('#') ? 'nobody' : id))
    : (ids ?? null);

export const copyFaults: readonly Fault[] = [
  {
    name: '/copy tells no source',
    checks: ['copy-response', 'copy-response-exact'],
    ...without('copy', 'fromAccountId'),
  },
  {
    name: '/copy tells what nobody set',
    checks: ['copy-response-exact'],
    ...member('copy', 'created', (made) => each(made, (one) => ({ ...one, more: true }))),
  },
  {
    name: '/copy tells another time than it stores',
    checks: ['copy-values', 'copy-overrides'],
    ...member('copy', 'created', (made) =>
      each(made, (one) => ({ ...one, updated: '2001-01-01T00:00:00Z' })),
    ),
  },
  {
    name: '/copy ignores what is given beside the id',
    checks: ['copy-overrides', 'copy-invalid-properties'],
    ...sent('copy', (args) => ({
      ...args,
      create: each(args['create'], ({ id = null }) => ({ id })),
    })),
  },
  {
    name: 'originals are destroyed though nobody asked',
    checks: ['copy-original-stays'],
    ...sent('copy', (args) => ({ ...args, onSuccessDestroyOriginal: true })),
  },
  {
    name: 'an invalid copy is notFound',
    checks: ['copy-id-required', 'copy-invalid-properties'],
    ...renamed('invalidProperties', 'notFound'),
  },
  {
    name: 'a missing original is invalidProperties',
    checks: ['copy-not-found', 'copy-each-alone'],
    ...renamed('notFound', 'invalidProperties'),
  },
  {
    name: 'one object that fails fails all',
    checks: ['copy-each-alone'],
    ...changeResponses('copy', (args) =>
      args['notCreated'] === null ? args : { ...args, created: null },
    ),
  },
  {
    name: 'a source that is not there is told as the target',
    checks: ['copy-account-unknown', 'copy-account-foreign'],
    ...renamed('fromAccountNotFound', 'accountNotFound'),
  },
  {
    name: 'a source without the type is told as not found',
    checks: ['copy-account-without-type'],
    ...renamed('fromAccountNotSupportedByMethod', 'fromAccountNotFound'),
  },
  {
    name: '/copy takes any arguments',
    checks: ['copy-same-account', 'copy-arguments-required'],
    ...forgiving('invalidArguments', 'copy', NOTHING),
  },
  {
    name: '/copy writes where one may only read',
    checks: ['copy-read-only-target'],
    ...forgiving('accountReadOnly', 'copy', NOTHING),
  },
  {
    name: '/copy tells nothing as created',
    checks: ['copy-read-only-source', 'copy-response', 'copy-original-stays'],
    ...member('copy', 'created', () => null),
  },
  {
    name: '/copy ignores ifInState',
    checks: ['copy-state-mismatch'],
    ...ignoring('copy', 'ifInState'),
  },
  {
    name: '/copy ignores ifFromInState',
    checks: ['copy-state-mismatch'],
    ...ignoring('copy', 'ifFromInState'),
  },
  {
    name: 'an ifInState of null is a state',
    checks: ['copy-state-matches'],
    ...nullAsState('ifInState'),
  },
  {
    name: 'copies are no creations in /changes',
    checks: ['copy-in-changes'],
    ...changeResponses('changes', (args) => ({
      ...args,
      created: [],
      updated: [...(args['updated'] as Json[]), ...(args['created'] as Json[])],
    })),
  },
  {
    name: '/queryChanges adds nothing',
    checks: ['copy-in-query-changes'],
    ...list('queryChanges', 'added', () => []),
  },
  {
    name: 'the response has no createdIds',
    checks: ['copy-created-ids'],
    ...onResponse(({ createdIds: _, ...response }) => response),
  },
  {
    name: 'later calls know no creation ids',
    checks: ['copy-creation-id-in-later-call'],
    ...sent('set', (args) => ({ ...args, destroy: unknown(args['destroy']) })),
  },
  {
    name: '/get knows no creation ids',
    checks: ['copy-creation-id-in-get'],
    ...sent('get', (args) => ({ ...args, ids: unknown(args['ids']) })),
  },
  {
    name: '/copy takes only the first objects',
    checks: ['copy-most'],
    ...sent('copy', (args) => ({
      ...args,
      create: Object.fromEntries(Object.entries(asMap(args['create'])).slice(0, 1000)),
    })),
  },
  {
    name: 'the implicit /set comes after the other calls',
    checks: ['copy-destroy-original'],
    ...responses(([copy, ...rest]) => asJson(copy === undefined ? [] : [copy, ...rest.reverse()])),
  },
  {
    name: 'the implicit /set has a call id of its own',
    checks: ['copy-destroy-original', 'copy-destroy-from-state-stale'],
    ...responses((all) =>
      asJson(all.map(([name, args, id], n) => [name, args, n === 1 ? `${id}1` : id])),
    ),
  },
  {
    name: 'originals stay though the client asks for their end',
    checks: ['copy-destroy-original', 'copy-destroy-from-state-matches'],
    ...ignoring('copy', 'onSuccessDestroyOriginal'),
  },
  {
    name: '/set leaves out what is null',
    checks: ['copy-destroy-response-exact'],
    ...without('set', 'notDestroyed'),
  },
  {
    name: '/copy ignores destroyFromIfInState',
    checks: ['copy-destroy-from-state-stale'],
    ...ignoring('copy', 'destroyFromIfInState'),
  },
  {
    name: 'a destroyFromIfInState of null is a state',
    checks: ['copy-destroy-from-state-matches'],
    ...nullAsState('destroyFromIfInState'),
  },
  {
    name: 'an implicit /set is made with nothing to destroy',
    checks: ['copy-destroy-nothing-copied'],
    ...responses(([copy, ...rest]) =>
      asJson(copy === undefined ? [] : [copy, ['Any/set', { destroyed: [] }, copy[2]], ...rest]),
    ),
  },
  {
    name: 'the implicit /set is refused for another reason',
    checks: ['copy-destroy-read-only-source'],
    ...renamed('accountReadOnly', 'stateMismatch'),
  },
  {
    name: 'a copy within an account is told as made',
    checks: ['copy-same-account-refused'],
    ...forgiving('invalidArguments', 'copy', { created: { k: { id: 'r0' } }, notCreated: null }),
  },
  {
    name: 'originals are destroyed though they were not copied',
    checks: ['copy-destroy-failed'],
    ...responses(([copy, ...rest]) =>
      asJson(
        copy === undefined
          ? []
          : [copy, [copy[0].replace('/copy', '/set'), { destroyed: ['r0'] }, copy[2]], ...rest],
      ),
    ),
  },
];
