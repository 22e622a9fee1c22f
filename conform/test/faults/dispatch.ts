import type { MethodResponse } from '../../src/client/answers.js';
import type { Json, JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { onCalls, onRequest, onResponse, renamed, sent, withBody } from './makers.js';

/** Arguments that a server lets pass: it does not see them. */
const blindTo = (isSeen: (name: string, value: Json) => boolean): Partial<Fault> =>
  onCalls(([name, args, id]) => [
    name,
    Object.fromEntries(Object.entries(args).filter(([key, value]) => isSeen(key, value as Json))),
    id,
  ]);

const CAMEL: Readonly<Record<string, string>> = { account_id: 'accountId', foo: '' };

export const dispatchFaults: readonly Fault[] = [
  {
    name: 'every capability is taken for named',
    checks: ['dispatch-capability-not-used'],
    ...onRequest((request) => ({
      ...request,
      using: [...(request['using'] as string[]), 'https://example.com/jmap/gadgets'],
    })),
  },
  {
    name: 'method names are matched without regard to case and spaces',
    checks: ['dispatch-names-exact'],
    ...onCalls(([name, args, id]) => [name.trim().replace('/Get', '/get'), args, id]),
  },
  {
    name: 'an unknown method is a bad argument',
    checks: ['dispatch-missing-methods', 'dispatch-names-exact', 'dispatch-capability-not-used'],
    ...renamed('unknownMethod', 'invalidArguments'),
  },
  {
    name: 'responses come in another order',
    checks: ['dispatch-order', 'dispatch-after-error'],
    ...onResponse((response) => ({
      ...response,
      methodResponses: [...(response['methodResponses'] as Json[])].reverse(),
    })),
  },
  {
    name: 'nothing is answered after an error',
    checks: ['dispatch-after-error'],
    ...onResponse((response) => {
      const all = response['methodResponses'] as unknown as MethodResponse[];
      const end = all.findIndex(([name]) => name === 'error');
      const answered = end === -1 ? all : all.slice(0, end + 1);
      return { ...response, methodResponses: answered as unknown as Json };
    }),
  },
  {
    name: 'an account that is missing is told as one that is unknown',
    checks: ['dispatch-account-missing', 'dispatch-account-no-string'],
    ...onCalls(([name, args, id]) => {
      const { accountId } = args as JsonMap;
      return [name, { ...args, accountId: typeof accountId === 'string' ? accountId : 'a-b' }, id];
    }),
  },
  {
    name: 'an account that is unknown is forbidden',
    checks: ['dispatch-account-unknown', 'dispatch-account-foreign'],
    ...renamed('accountNotFound', 'forbidden'),
  },
  {
    name: 'a method that an account has not is unknown',
    checks: ['dispatch-account-without-type'],
    ...renamed('accountNotSupportedByMethod', 'unknownMethod'),
  },
  {
    name: 'a read-only account is told as forbidden',
    checks: ['dispatch-read-only', 'dispatch-read-only-nothing-to-do'],
    ...renamed('accountReadOnly', 'forbidden'),
  },
  {
    name: 'unknown arguments are ignored',
    checks: ['dispatch-unknown-arguments', 'dispatch-unknown-arguments-named'],
    ...blindTo((name) => name !== 'foo'),
  },
  {
    name: 'one unknown argument is named',
    checks: ['dispatch-unknown-arguments-named'],
    ...blindTo((name) => name !== 'other name'),
  },
  {
    name: 'null is no value of any argument',
    checks: ['dispatch-null-arguments'],
    ...onCalls(([name, args, id]) => [
      name,
      Object.fromEntries(
        Object.entries(args).map(([key, value]) => [
          key,
          value === null && key !== 'ids' ? 'null' : value,
        ]),
      ),
      id,
    ]),
  },
  {
    name: 'a value that is no list is taken for a list of one',
    checks: ['dispatch-wrong-types', 'dispatch-after-error'],
    ...sent('get', (args) => ({
      ...args,
      ...(typeof args['ids'] === 'string' ? { ids: [args['ids']] } : {}),
    })),
  },
  {
    name: 'a /set does what it can before its arguments are judged',
    checks: ['dispatch-error-changes-nothing'],
    ...sent('set', ({ ifInState, destroy, ...args }) => ({
      ...args,
      ...(ifInState === undefined || ifInState === 'no' ? {} : { ifInState }),
      ...(destroy === undefined ? {} : { destroy }),
    })),
  },
  {
    name: 'snake_case is understood by every type',
    checks: ['dispatch-snake-case'],
    ...onCalls(([name, args, id]) => [
      name,
      Object.fromEntries(Object.entries(args).map(([key, value]) => [CAMEL[key] ?? key, value])),
      id,
    ]),
  },
  {
    name: 'another user’s account has an answer of its own',
    checks: ['dispatch-account-same-words'],
    answer: (answer, { body }) =>
      body.includes('a-nobody')
        ? answer
        : withBody(answer, answer.body.toString('utf8').replace('reach', 'your reach')),
  },
];
