import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { findTarget, type HttpAnswer } from '../client/http.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { DEFENSIVE, ID } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import type { Server } from '../subject/server.js';
import { type Session, SUGGESTED } from '../subject/session.js';
import { CORE, OWNER } from '../subject/user.js';

/**
 * RFC 8620 2: the Session object, as somebody with a token sees it. It is read anew by each check.
 */

/** Reads the Session object anew. */
export const read = (server: Server): Promise<Session> => server.user.readSession();

/** Asks for the session and returns the answer with its headers. */
const get = (server: Server): Promise<HttpAnswer> => server.user.http.send(server.user.session.url);

/** Tells whether a member of the session is a JSON object. */
const isObject = (value: Json | undefined): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Lists members of the Session that are objects (RFC 8620 2). */
const OBJECTS = ['capabilities', 'accounts', 'primaryAccounts'] as const;

/** Lists members of the Session that are strings (RFC 8620 2). */
const STRINGS = [
  'username',
  'apiUrl',
  'downloadUrl',
  'uploadUrl',
  'eventSourceUrl',
  'state',
] as const;

/** Lists the names of the variables of a URI template. */
const listVariables = (template: string): readonly string[] =>
  [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);

/** Templates and the variables that they must have. */
const TEMPLATES = {
  downloadUrl: ['accountId', 'blobId', 'type', 'name'],
  uploadUrl: ['accountId'],
  eventSourceUrl: ['types', 'closeafter', 'ping'],
} as const;

/** Returns the accounts of a session, each with its id. */
export const listAccounts = ({ accounts }: Session): readonly (readonly [string, JsonMap])[] =>
  Object.entries(accounts);

export const sessionChecks = serverChecks('2', [
  {
    id: 'session-json',
    level: 'must',
    rule:
      'An authenticated GET of the session resource answers 200 with the Session ' +
      'object as JSON.',
    async run(server) {
      const { status, headers, json } = await get(server);
      expect([status, headers.get('content-type')?.split(';')[0]?.trim()]).toEqual([
        200,
        'application/json',
      ]);
      expect(isObject(json)).toBe(true);
    },
  },
  {
    id: 'session-members',
    level: 'must',
    rule:
      'The session has capabilities, accounts and primaryAccounts, which are objects, and ' +
      'username, the four URLs and state, which are strings.',
    async run(server) {
      const { object } = await read(server);
      for (const name of OBJECTS) expect([name, isObject(object[name])]).toEqual([name, true]);
      for (const name of STRINGS) expect([name, typeof object[name]]).toEqual([name, 'string']);
      expect(object['state']).not.toBe('');
    },
  },
  {
    id: 'session-core',
    level: 'must',
    rule:
      'The capability of core has seven limits, each an UnsignedInt, and collationAlgorithms, a ' +
      'list of strings.',
    async run(server) {
      const core = asMap((await read(server)).capabilities[CORE]);
      for (const name of Object.keys(SUGGESTED)) {
        const limit = core[name];
        expect([name, Number.isSafeInteger(limit) && Number(limit) >= 0]).toEqual([name, true]);
      }
      const collations = core['collationAlgorithms'] as string[];
      expect(Array.isArray(collations)).toBe(true);
      // RFC 4790 3.1: what names of collations are made of.
      for (const name of collations) expect(name).toMatch(/^[A-Za-z0-9;=.:/_~-]+$/);
    },
  },
  {
    id: 'session-collations-once',
    level: 'should',
    rule: 'collationAlgorithms has each name once.',
    async run(server) {
      const core = asMap((await read(server)).capabilities[CORE]);
      const collations = core['collationAlgorithms'] as string[];
      expect(collations).toEqual([...new Set(collations)]);
    },
  },
  {
    id: 'session-suggested-limits',
    level: 'should',
    rule: 'The limits are at least those that the RFC suggests.',
    async run(server) {
      const core = asMap((await read(server)).capabilities[CORE]);
      const lower = Object.entries(SUGGESTED).filter(([name, least]) => Number(core[name]) < least);
      expect(lower).toEqual([]);
    },
  },
  {
    id: 'session-capabilities',
    level: 'must',
    rule: 'Each capability is a URI with an object.',
    async run(server) {
      for (const [uri, value] of Object.entries((await read(server)).capabilities))
        expect([uri, URL.canParse(uri), isObject(value)]).toEqual([uri, true, true]);
    },
  },
  {
    id: 'session-accounts',
    level: 'must',
    rule:
      'Each account has a name, isPersonal, isReadOnly, and accountCapabilities with an object ' +
      'for each capability.',
    async run(server) {
      for (const [id, account] of listAccounts(await read(server))) {
        const { name, isPersonal, isReadOnly, accountCapabilities } = account;
        const types = [typeof name, typeof isPersonal, typeof isReadOnly];
        expect([id, ...types]).toEqual([id, 'string', 'boolean', 'boolean']);
        expect([id, isObject(accountCapabilities)]).toEqual([id, true]);
        for (const [uri, value] of Object.entries(asMap(accountCapabilities)))
          expect([id, uri, isObject(value)]).toEqual([id, uri, true]);
      }
    },
  },
  {
    id: 'session-account-ids',
    section: '1.2',
    level: 'must',
    rule: 'The id of an account is an Id: 1 to 255 letters, digits, hyphens and underscores.',
    async run(server) {
      for (const [id] of listAccounts(await read(server))) expect(id).toMatch(ID);
    },
  },
  {
    id: 'session-account-ids-defensive',
    section: '1.2',
    level: 'should',
    rule:
      'Ids of accounts begin neither with a hyphen nor a digit, do not differ by case alone, and ' +
      'are never NIL.',
    async run(server) {
      const ids = listAccounts(await read(server)).map(([id]) => id);
      for (const id of ids) expect(id).toMatch(DEFENSIVE);
      expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    },
  },
  {
    id: 'session-account-capabilities',
    level: 'must',
    rule:
      'A capability that an account offers is among the capabilities of the server, but for the ' +
      'owner of the account (RFC 9670 1.5.2).',
    async run(server) {
      const session = await read(server);
      for (const [, { accountCapabilities }] of listAccounts(session))
        for (const uri of Object.keys(asMap(accountCapabilities)))
          if (uri !== OWNER) expect(Object.keys(session.capabilities)).toContain(uri);
    },
  },
  {
    id: 'session-primary-accounts',
    level: 'must',
    rule: 'The primary account of a capability is one of the accounts, which offers it.',
    async run(server) {
      const session = await read(server);
      for (const [uri, id] of Object.entries(asMap(session.object['primaryAccounts']))) {
        const { accountCapabilities } = session.accounts[String(id)] ?? {};
        expect([uri, Object.keys(asMap(accountCapabilities))]).toEqual([
          uri,
          expect.arrayContaining([uri]),
        ]);
      }
    },
  },
  {
    id: 'session-primary-core',
    level: 'should',
    rule: 'Core has no primary account.',
    async run(server) {
      expect(asMap((await read(server)).object['primaryAccounts'])).not.toHaveProperty([CORE]);
    },
  },
  {
    id: 'session-templates',
    level: 'must',
    rule:
      'downloadUrl, uploadUrl and eventSourceUrl are URI templates of level 1 (RFC 6570 1.2) ' +
      'with the variables that belong to each.',
    async run(server) {
      const { object } = await read(server);
      for (const [member, names] of Object.entries(TEMPLATES)) {
        const found = listVariables(String(object[member]));
        expect([member, found]).toEqual([member, expect.arrayContaining([...names])]);
        for (const name of found) expect(name).toMatch(/^\w+$/);
      }
    },
  },
  {
    id: 'session-urls',
    level: 'must',
    rule: 'The URLs are URLs, the templates once their variables are filled in; apiUrl has none.',
    async run(server) {
      const session = await read(server);
      const filled = { accountId: 'a', blobId: 'b', type: 'a/b', name: 'c', types: '*', ping: '0' };
      for (const member of ['apiUrl', ...Object.keys(TEMPLATES)]) {
        const url = session.expand(member, { ...filled, closeafter: 'no' });
        expect([member, URL.canParse(url, session.url)]).toEqual([member, true]);
      }
      expect(listVariables(String(session.object['apiUrl']))).toEqual([]);
    },
  },
  {
    id: 'session-download-type',
    level: 'should',
    rule: 'The type of a download stands in the query of its URL, for it has a slash.',
    async run(server) {
      const [path = '', query = ''] = String((await read(server)).object['downloadUrl']).split('?');
      expect([listVariables(path).includes('type'), listVariables(query).includes('type')]).toEqual(
        [false, true],
      );
    },
  },
  {
    id: 'session-no-cache',
    level: 'should',
    rule: 'No cache of HTTP keeps the session.',
    async run(server) {
      const { headers } = await get(server);
      expect(headers.get('cache-control')).toMatch(/\b(no-store|no-cache)\b/);
    },
  },
  {
    id: 'session-state',
    section: '3.4',
    level: 'must',
    rule:
      'The sessionState of a response is the state of the session, and read again it is the same ' +
      'while nothing changed.',
    async run(server) {
      const { object } = await read(server);
      const { sessionState } = await server.user.buildClient().api([['Core/echo', {}, 'c']]);
      expect(sessionState).toBe(object['state']);
      expect((await read(server)).object).toEqual(object);
    },
  },
  {
    id: 'session-well-known',
    section: '2.2',
    level: 'must',
    rule: '/.well-known/jmap of the host leads to the session, by redirects where need be.',
    /**
     * Follows redirects within the host. Throws NotApplicable where the session is on another host,
     * which may have a path of its own.
     */
    async run(server) {
      const { url, object } = server.user.session;
      const answer = await server.user.http.follow(new URL('/.well-known/jmap', url).href);
      const moved = findTarget(answer, answer.url) !== null;
      if (moved || (answer.status === 404 && !url.endsWith('/.well-known/jmap')))
        throw new NotApplicable('The session is on another host than the one that is asked for.');
      expect([answer.status, asMap(answer.json)['apiUrl']]).toEqual([200, object['apiUrl']]);
    },
  },
]);
