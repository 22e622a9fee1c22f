import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { http, onResponse, session } from './makers.js';

const CORE = 'urn:ietf:params:jmap:core';

/** Changes one member of the session. */
const member = (name: string, change: (value: JsonMap) => Json): Partial<Fault> =>
  session((value) => ({ ...value, [name]: change(asMap(value[name])) }));

const core = (change: (value: JsonMap) => JsonMap): Partial<Fault> =>
  member('capabilities', (all) => ({ ...all, [CORE]: change(asMap(all[CORE])) }));

/** Changes each account, and the id that it has. */
const accounts = (change: (account: JsonMap) => JsonMap, id = (old: string) => old) =>
  member('accounts', (all) =>
    Object.fromEntries(Object.entries(all).map(([old, one]) => [id(old), change(asMap(one))])),
  );

const url = (name: string, change: (value: string) => string): Partial<Fault> =>
  session((value) => ({ ...value, [name]: change(String(value[name])) }));

const isSession = ({ path }: { readonly path: string }): boolean => path.includes('well-known');

export const sessionFaults: readonly Fault[] = [
  {
    name: 'the session is text',
    checks: ['session-json'],
    ...http(isSession, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/plain' },
    })),
  },
  {
    name: 'the session has no username',
    checks: ['session-members'],
    ...session(({ username: _, ...rest }) => rest),
  },
  {
    name: 'the limits are strings',
    checks: ['session-core'],
    ...core((value) => ({ ...value, maxSizeUpload: String(value['maxSizeUpload']) })),
  },
  {
    name: 'there is no list of collations',
    checks: ['session-core', 'session-collations'],
    ...core((value) => ({ ...value, collationAlgorithms: {} })),
  },
  {
    name: 'a collation is named twice',
    checks: ['session-collations-once'],
    ...core((value) => ({ ...value, collationAlgorithms: ['i;octet', 'i;octet'] })),
  },
  {
    name: 'the limits are small',
    checks: ['session-suggested-limits'],
    ...core((value) => ({ ...value, maxCallsInRequest: 15 })),
  },
  {
    name: 'a collation is missing',
    checks: ['session-collations'],
    ...core((value) => ({ ...value, collationAlgorithms: ['i;octet'] })),
  },
  {
    name: 'a capability has no object',
    checks: ['session-capabilities'],
    ...member('capabilities', (all) => ({ ...all, 'urn:example:more': true })),
  },
  {
    name: 'a capability has a short name',
    checks: ['session-capabilities'],
    ...member('capabilities', (all) => ({ ...all, core: {} })),
  },
  {
    name: 'accounts have no names',
    checks: ['session-accounts'],
    ...accounts(({ name: _, ...rest }) => rest),
  },
  {
    name: 'ids of accounts are addresses',
    checks: ['session-account-ids'],
    ...accounts(
      (one) => one,
      (id) => `${id}@example.com`,
    ),
  },
  {
    name: 'ids of accounts begin with digits',
    checks: ['session-account-ids-defensive'],
    ...accounts(
      (one) => one,
      (id) => `1${id}`,
    ),
  },
  {
    name: 'accounts offer what the server does not',
    checks: ['session-account-capabilities'],
    ...accounts((one) => ({
      ...one,
      accountCapabilities: { ...asMap(one['accountCapabilities']), 'urn:example:more': {} },
    })),
  },
  {
    name: 'a primary account is not there',
    checks: ['session-primary-accounts', 'session-primary-first'],
    ...member('primaryAccounts', (all) =>
      Object.fromEntries(Object.keys(all).map((uri) => [uri, 'a-nobody'])),
    ),
  },
  {
    name: 'core has a primary account',
    checks: ['session-primary-core'],
    ...member('primaryAccounts', (all) => ({ ...all, [CORE]: Object.values(all)[0] ?? 'a' })),
  },
  {
    name: 'a variable of a template has another name',
    checks: ['session-templates'],
    ...url('uploadUrl', (value) => value.replace('{accountId}', '{account}')),
  },
  {
    name: 'a template is of level 2',
    checks: ['session-templates'],
    ...url('downloadUrl', (value) => `${value}{#fragment}`),
  },
  {
    name: 'a URL is none',
    checks: ['session-urls'],
    ...url('eventSourceUrl', () => 'http://?types={types}&closeafter={closeafter}&ping={ping}'),
  },
  {
    name: 'the type of a download is in the path',
    checks: ['session-download-type'],
    ...url('downloadUrl', (value) => value.replace('?type={type}', '/{type}')),
  },
  {
    name: 'the session may be cached',
    checks: ['session-no-cache'],
    ...http(isSession, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'cache-control': 'private, max-age=60' },
    })),
  },
  {
    name: 'the sessionState is another',
    checks: ['session-state'],
    ...onResponse((response) => ({ ...response, sessionState: 'x' })),
  },
  {
    name: 'the session is not where clients look for it',
    checks: ['session-well-known'],
    ...http(isSession, (answer) => ({ ...answer, status: 500 })),
  },
  {
    name: 'HEAD is unknown',
    checks: ['session-verbs'],
    ...http(
      ({ method }) => method === 'HEAD',
      (answer) => ({ ...answer, status: 405 }),
    ),
  },
];
