import { asMap, type JsonMap, parseJson } from '../src/client/json.js';
import {
  changeResponses,
  dropping,
  http,
  items,
  list,
  onCalls,
  onResponses,
  renamed,
  sent,
  session,
  setErrors,
  values,
  withBody,
} from './faults/makers.js';
import type { Fault, ProxyAnswer } from './proxy.js';

/** Answers that an RFC allows, and that this project doesn't give. */
export interface Allowed extends Fault {
  /** Checks of a strict run that must notice it; `checks` take it of any server. */
  readonly decisions: readonly string[];
}

/** A body that is no problem details object. */
const answerHtml = (answer: ProxyAnswer, status: number): ProxyAnswer =>
  withBody({ ...answer, status, headers: { 'content-type': 'text/html' } }, '<p>No.</p>');

const problemOf = ({ body }: ProxyAnswer): string =>
  String(asMap(parseJson(body.toString('utf8')))['type']);

const isProblem = (type: string) => (answer: ProxyAnswer) => problemOf(answer).endsWith(`:${type}`);

/** Answers otherwise where an answer is of this kind. */
const instead = (
  is: (answer: ProxyAnswer) => boolean,
  other: (answer: ProxyAnswer) => ProxyAnswer,
): Partial<Fault> => ({ answer: (answer) => (is(answer) ? other(answer) : answer) });

const BLOB = 'urn:ietf:params:jmap:blob';

const TIMES: readonly string[] = ['created', 'updated'];

const CHARSET = 'application/json; charset=utf-8';

const isType = (type: string | undefined): boolean => type?.startsWith('application/json') === true;

/** Answers of a /copy of which nothing was made since no object has an id. */
const isWithoutIds = (args: JsonMap): boolean =>
  Object.values(asMap(args['notCreated'])).some(
    (error) => JSON.stringify(asMap(error)['properties']) === '["id"]',
  );

export const ALLOWED: readonly Allowed[] = [
  {
    name: 'tells no properties of a SetError',
    checks: ['set-update-server-set', 'described-values-required', 'set-create-wrong-type'],
    decisions: ['set-update-server-set', 'described-values-required', 'set-create-wrong-type'],
    ...setErrors((error) => dropping(error, (name) => name === 'properties')),
  },
  {
    name: 'has no words for its errors',
    checks: ['get-invalid-property', 'query-changes-invalid', 'dispatch-wrong-types'],
    decisions: ['get-invalid-property', 'query-changes-invalid', 'dispatch-wrong-types'],
    ...onResponses(([name, args, id]) =>
      name === 'error' ? [name, { type: args['type'] ?? '' }, id] : [name, args, id],
    ),
  },
  {
    name: 'has objects without times',
    checks: ['get-all-properties'],
    decisions: ['get-all-properties'],
    ...items((item) => dropping(item, (name) => TIMES.includes(name))),
  },
  {
    name: 'has members of its own in the responses of queries',
    checks: ['query-window-response', 'query-changes-none'],
    decisions: ['query-window-response', 'query-changes-none'],
    ...onResponses(([name, args, id]) =>
      /query/i.test(name) ? [name, { ...args, collapsed: false }, id] : [name, args, id],
    ),
  },
  {
    name: 'does not tell a default that null restored',
    checks: ['set-update-null-default'],
    decisions: ['set-update-default-reported'],
    ...changeResponses('set', (args) => ({
      ...args,
      updated: values(args['updated'], () => null),
    })),
  },
  {
    name: 'takes a pointer that is no JSON Pointer for an unknown property',
    checks: ['patch-escapes'],
    decisions: ['patch-escapes-invalid'],
    ...renamed('invalidPatch', 'invalidProperties'),
  },
  {
    name: 'takes copies without an id for invalid arguments',
    checks: ['copy-id-required'],
    decisions: ['copy-id-required-each'],
    ...onResponses(([name, args, id]) =>
      name.endsWith('/copy') && isWithoutIds(args)
        ? ['error', { type: 'invalidArguments' }, id]
        : [name, args, id],
    ),
  },
  {
    name: 'looks at the accounts of a copy first',
    checks: ['dispatch-wrong-types'],
    decisions: ['dispatch-types-before-accounts'],
    ...onCalls(([name, args, id]) => {
      const { accountId, fromAccountId } = args as JsonMap;
      const isNobody = name.endsWith('/copy') && fromAccountId === 'a-nobody';
      return isNobody ? [name, { accountId, fromAccountId, create: {} }, id] : [name, args, id];
    }),
  },
  {
    name: 'takes a condition of # for invalid arguments',
    checks: ['references-inside-filter'],
    decisions: ['references-inside-filter-unsupported'],
    ...renamed('unsupportedFilter', 'invalidArguments'),
  },
  {
    name: 'looks at no member beside an operator of a filter',
    checks: ['query-filter-malformed'],
    decisions: ['query-filter-beside-operator'],
    ...sent('query', (args) => {
      const filter = asMap(args['filter']);
      if (!('operator' in filter)) return args;
      return { ...args, filter: dropping(filter, (name) => name === 'done') };
    }),
  },
  {
    name: 'takes a text that is too long for an object that is',
    checks: ['set-text-length'],
    decisions: ['set-text-length-refused'],
    ...setErrors((error) => (error['type'] === 'invalidProperties' ? { type: 'tooLarge' } : error)),
  },
  {
    name: 'knows a property that ours does not',
    checks: ['get-invalid-property'],
    decisions: ['get-invalid-property'],
    ...sent('get', (args) => {
      const { properties } = args;
      if (!Array.isArray(properties)) return args;
      return { ...args, properties: properties.filter((one) => one !== 'accountId') };
    }),
  },
  {
    name: 'takes more objects than its limits say',
    checks: ['get-most-ids', 'set-max-objects', 'copy-most', 'references-limits'],
    decisions: ['get-most-ids', 'set-max-objects', 'copy-most', 'references-limit-refused'],
    ...session((one) => {
      const urn = 'urn:ietf:params:jmap:core';
      const lower = { maxObjectsInGet: 40, maxObjectsInSet: 40 };
      const of = asMap(one['capabilities']);
      return { ...one, capabilities: { ...of, [urn]: { ...asMap(of[urn]), ...lower } } };
    }),
  },
  {
    name: 'has other words for an account that is not there',
    checks: ['dispatch-account-foreign'],
    decisions: ['dispatch-account-same-words'],
    ...onResponses(([name, args, id]) =>
      args['type'] === 'accountNotFound'
        ? [name, { ...args, description: `No such account (${Math.random()}).` }, id]
        : [name, args, id],
    ),
  },
  {
    name: 'answers an error of the request with a status alone',
    checks: ['request-not-json', 'request-unknown-capability', 'limits-calls', 'limits-named'],
    decisions: ['request-not-json', 'request-unknown-capability', 'limits-calls'],
    ...instead(
      (answer) => ['notJSON', 'unknownCapability', 'limit'].some((type) => isProblem(type)(answer)),
      (answer) => answerHtml(answer, 422),
    ),
  },
  {
    name: 'reads JSON however deep it is',
    checks: ['ijson-deep'],
    decisions: ['ijson-deep-refused'],
    ...http(
      ({ body }) => body.includes('[[[[[[[[[[[[[[[[[[[[') || body.includes('{"a":{"a":{"a":'),
      (answer) => {
        const response = { methodResponses: [['Core/echo', {}, 'e']], sessionState: 's' };
        const headers = { 'content-type': 'application/json' };
        return withBody({ ...answer, status: 200, headers }, JSON.stringify(response));
      },
    ),
  },
  {
    name: 'refuses a long body in front of the server',
    checks: ['limits-size'],
    decisions: ['limits-size-refused'],
    ...instead(isProblem('limit'), (answer) => answerHtml(answer, 413)),
  },
  {
    name: 'refuses a surplus of requests with the status of HTTP',
    checks: ['limits-concurrent'],
    decisions: ['limits-concurrent-refused'],
    ...http(
      ({ body }) => body.includes('"c11"'),
      (answer) => answerHtml(answer, 429),
    ),
  },
  {
    name: 'refuses credentials with 403',
    checks: [
      'security-no-credentials',
      'security-wrong-credentials',
      'blob-download-no-credentials',
    ],
    decisions: [
      'security-no-credentials',
      'security-wrong-credentials',
      'blob-download-no-credentials',
    ],
    ...instead(
      ({ status }) => status === 401,
      (answer) => answerHtml(answer, 403),
    ),
  },
  {
    name: 'refuses another type of a body by HTTP',
    checks: ['request-other-type'],
    decisions: ['request-other-type-not-json'],
    ...http(
      ({ method, headers }) => method === 'POST' && !isType(headers['content-type']),
      (answer) => answerHtml(answer, 415),
    ),
  },
  {
    name: 'guesses the type of a body without one',
    checks: ['request-other-type'],
    decisions: ['request-other-type-not-json'],
    ...http(
      ({ method, headers }) => method === 'POST' && headers['content-type'] === undefined,
      (answer) => ({ ...answer, status: 200 }),
    ),
  },
  {
    name: 'sends blobs without their length',
    checks: ['blob-download-octets'],
    decisions: ['blob-download-length'],
    ...http(
      ({ path }) => path.includes('/download/'),
      (answer) => ({
        ...answer,
        headers: dropping(answer.headers as JsonMap, (name) => name === 'content-length') as never,
      }),
    ),
  },
  {
    name: 'has another status for a blob that is not there',
    checks: ['blob-download-unknown'],
    decisions: ['blob-download-refusals-alike'],
    ...instead(
      ({ status }) => status === 404,
      (answer) => answerHtml(answer, 410),
    ),
  },
  {
    name: 'keeps the session from caches in fewer words',
    checks: ['session-no-cache'],
    decisions: ['session-cache-header'],
    answer: (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'cache-control': 'no-store' },
    }),
  },
  {
    name: 'has another state though nothing changed',
    checks: ['changes-none', 'changes-every-state', 'changes-intermediate-state'],
    decisions: ['changes-state-kept', 'changes-pages-end'],
    ...sent('changes', (args) => ({
      ...args,
      sinceState: String(args['sinceState']).replace(/x$/, ''),
    })),
    ...changeResponses('changes', (args) => ({
      ...args,
      newState: `${String(args['newState'])}x`,
    })),
  },
];

/** Answers that the RFC leaves to each server, ours among them: each check takes them of any. */
export const ANYWHERE: readonly Fault[] = [
  {
    name: 'tells no oldState',
    checks: [
      ...['set-create-answer', 'set-update-answer', 'set-destroy-answer', 'set-states'],
      'copy-response',
    ],
    ...onResponses(([name, args, id]) =>
      'oldState' in args && !name.endsWith('/changes')
        ? [name, { ...args, oldState: null }, id]
        : [name, args, id],
    ),
  },
  {
    name: 'leaves out what is null',
    checks: [
      ...['set-create-answer', 'set-update-answer', 'set-destroy-answer', 'set-nothing'],
      ...['copy-response', 'copy-destroy-original', 'set-update-unknown-id'],
    ],
    ...onResponses(([name, args, id]) =>
      /[/](set|copy)$/.test(name)
        ? [name, dropping(args, (_, value) => value === null), id]
        : [name, args, id],
    ),
  },
  {
    name: 'lists what was removed in another order',
    checks: ['query-changes-around-filter', 'query-changes-max-changes', 'query-changes-sparse'],
    ...list('queryChanges', 'removed', (ids) => ids.toReversed()),
  },
  {
    name: 'lists objects in another order',
    checks: ['get-all', 'query-sync-first', 'references-query-get'],
    ...list('get', 'list', (all) => all.toReversed()),
  },
  {
    name: 'says which characters its JSON has',
    checks: ['session-json', 'request-response-type'],
    answer: (answer) =>
      isType(String(answer.headers['content-type']))
        ? { ...answer, headers: { ...answer.headers, 'content-type': CHARSET } }
        : answer,
  },
  {
    name: 'tells fewer changes than it may',
    checks: ['changes-intermediate-state', 'changes-pages'],
    ...sent('changes', (args) =>
      args['maxChanges'] === undefined ? args : { ...args, maxChanges: 1 },
    ),
  },
  {
    name: 'tells that blobs have no state',
    checks: ['blob-method-upload-create-only'],
    ...changeResponses('upload', (args) => ({ ...args, oldState: null, newState: null })),
  },
  {
    name: 'looks up no blobs',
    checks: ['blob-methods-capability', 'blob-methods-foreign-account', 'blob-capability'],
    ...onCalls(([name, args, id]) => [name.replace('Blob/lookup', 'Blob/nothing'), args, id]),
    ...session((one) => ({
      ...one,
      accounts: values(one['accounts'], (account) => withoutLookup(asMap(account))),
    })),
  },
];

/** An account whose blobs are not looked up (RFC 9404 3.1). */
function withoutLookup(account: JsonMap): JsonMap {
  const of = asMap(account['accountCapabilities']);
  const blobs = { ...asMap(of[BLOB]), supportedTypeNames: [] };
  return BLOB in of ? { ...account, accountCapabilities: { ...of, [BLOB]: blobs } } : account;
}
