import type { OutgoingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/http/routes.js';
import { type Client, CORE, NOTES, TODOS } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { makeSpecialTokens } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import type { RunningServer } from '../support/server.js';
import { type Answered, ENDPOINTS, send, UPGRADE } from './endpoints.js';
import { PLACES, type Place, type TokenName } from './expectations.js';
import { makeWorld, NOBODYS, type World } from './world.js';

const ROUTE_LIST = Object.values(ROUTES);

export function endpointsSuite(
  server: () => RunningServer,
  expireTickets: () => Promise<void>,
): void {
  let world: World;
  let special: { expired: string; revoked: string };
  let blobId = '';
  const A1 = () => world.accountId('own', CORE);

  beforeAll(async () => {
    world = await makeWorld(server());
    special = await makeSpecialTokens(server());
    ({ blobId } = await world.tokens.all.upload(A1(), 'mine', 'text/plain'));
    await eventually(async () => {
      const answer = await ask('GET', '/.well-known/jmap', bearer(special.expired));
      expect(answer.status).toBe(401);
    });
  });

  const ECHO = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', {}, 'c']] });

  /** A request to a route that would be fine, but for credentials. */
  async function ask(
    verb: string,
    template: string,
    credentials: { readonly header?: string | readonly string[]; readonly ticket?: string },
    accountId = A1(),
    blob = blobId,
  ): Promise<Answered> {
    const filled = template
      .replace(':accountId', encodeURIComponent(accountId))
      .replace(':blobId', encodeURIComponent(blob))
      .replace(':name', 'x.txt');
    const url = new URL(filled, server().url);
    if (template === '/jmap/eventsource') url.search = 'types=*&closeafter=no&ping=0';
    if (template === '/jmap/reference') url.searchParams.set('capability', CORE);
    if (credentials.ticket !== undefined) url.searchParams.set('ticket', credentials.ticket);
    const headers: OutgoingHttpHeaders = {
      ...(template === '/jmap/ws' && verb === 'GET' ? UPGRADE : {}),
      ...(template === '/jmap' ? { 'content-type': 'application/json' } : {}),
      ...(credentials.header === undefined ? {} : { authorization: credentials.header as string }),
    };
    return send(url.href, verb, headers, verb === 'POST' ? ECHO : '');
  }

  async function ticketOf(client: Client): Promise<string> {
    const { json } = await client.http('/jmap/ticket', { method: 'POST' });
    return (json as { ticket: string }).ticket;
  }

  const bearer = (token: string) => ({ header: `Bearer ${token}` });

  /** The credentials of each column of the table: one, or several alike. */
  const CREDENTIALS: Readonly<Record<string, () => Promise<readonly Parameters<typeof ask>[2][]>>> =
    {
      none: async () => [{}, { header: '' }, { header: 'Basic dTE6eA==' }, { header: 'Bearer' }],
      bad: async () => {
        const { token } = world.tokens.all;
        const wrongSecret = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
        const unknown = token.replace(/^jms_[a-z0-9]+_/, 'jms_t1nobodys_');
        const { expired, revoked } = special;
        const malformed = ['x', 'x y', '"x"', 'x'.repeat(2000)];
        return [wrongSecret, unknown, expired, revoked, ...malformed].map(bearer);
      },
      two: async () => {
        const one = `Bearer ${world.tokens.all.token}`;
        return [{ header: [one, one] }];
      },
      ticket: async () => [{ ticket: await ticketOf(world.tokens.all) }],
      noTicket: async () => {
        const used = await ticketOf(world.tokens.all);
        await ask('GET', '/jmap/eventsource', { ticket: used });
        return [{ ticket: used }, { ticket: await oldTicket() }, { ticket: 'x' }, { ticket: '' }];
      },
      own: async () => [
        bearer(world.tokens.all.token),
        { header: `bEARER  ${world.tokens.all.token}` },
      ],
      read: async () => [bearer(world.tokens.read.token)],
      other: async () => [bearer(world.tokens.some.token)],
      foreign: async () => [bearer(world.other.token)],
    };

  /** A minute later. */
  async function oldTicket(): Promise<string> {
    const ticket = await ticketOf(world.tokens.all);
    await expireTickets();
    return ticket;
  }

  describe('every endpoint by every credential', () => {
    it('has expectations for each route, and for no other', () => {
      const routes = ROUTE_LIST.map(({ methods, template }) => `${methods[0]} ${template}`);
      expect([...ENDPOINTS.keys()].sort()).toEqual(routes.sort());
    });

    it.each([...ENDPOINTS])('%s', async (endpoint, expected) => {
      const [verb = '', template = ''] = endpoint.split(' ');
      const got = new Map<string, string>();
      for (const [column, make] of Object.entries(CREDENTIALS)) {
        const statuses = new Set<string>();
        for (const credentials of await make()) {
          const answer = await ask(verb, template, credentials);
          expectShape(answer);
          const { status, headers } = answer;
          const challenge = headers['www-authenticate'];
          const plus = challenge === 'Bearer realm="jmap", error="invalid_token"';
          if (status === 401 && !plus) expect(challenge).toBe('Bearer realm="jmap"');
          statuses.add(`${status}${plus ? '+' : ''}`);
        }
        got.set(column, [...statuses].join(' and '));
      }
      expect(Object.fromEntries(got)).toEqual(Object.fromEntries(expected));
    });

    it.each(ROUTE_LIST)(
      '$template by other verbs is 405, whoever asks',
      async ({ template, methods, allow }) => {
        const tokens = [{}, bearer('x'), bearer(world.tokens.all.token), bearer(world.other.token)];
        for (const verb of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          if (methods.includes(verb)) continue;
          for (const credentials of tokens) {
            const answer = await ask(verb, template, credentials);
            expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
          }
        }
        for (const credentials of tokens)
          expect(await ask('OPTIONS', template, credentials)).toMatchObject({
            status: 204,
            body: '',
          });
      },
    );

    it.each(ROUTE_LIST.filter(({ methods }) => methods.includes('HEAD')))(
      'HEAD $template is as GET is, without a body',
      async ({ template }) => {
        if (template === '/jmap/ws') return;
        for (const credentials of [{}, bearer('x'), bearer(world.tokens.all.token)]) {
          const get = await ask('GET', template, credentials);
          const head = await ask('HEAD', template, credentials);
          expect([head.status, head.body]).toEqual([get.status, '']);
          expect(head.headers['www-authenticate']).toBe(get.headers['www-authenticate']);
        }
      },
    );
  });

  /** Expects a refusal: problem+json, with its status, and nothing of who asked. */
  function expectShape({ status, headers, body }: Answered): void {
    if (status < 400) return;
    expect(headers['content-type']).toBe('application/problem+json');
    const problem = JSON.parse(body) as Readonly<Record<string, unknown>>;
    expect(problem['status']).toBe(status);
    expect(typeof problem['detail']).toBe('string');
    expect(body).not.toContain(world.tokens.all.token);
  }

  describe('an account or a blob out of reach is the same 404 as a missing one', () => {
    it('an account, for uploads', async () => {
      const { all, some } = world.tokens;
      const from = async (client: Client, accountId: string) =>
        ask('POST', '/jmap/upload/:accountId', bearer(client.token), accountId);
      const answers = [
        await from(all, NOBODYS),
        await from(all, "no'thing/id"),
        await from(some, A1()),
        await from(world.other, A1()),
        ...(await Promise.all(
          ["another user's", 'shared once, revoked since', 'own, deleted since'].map((place) =>
            from(all, world.accountId(place, CORE)),
          ),
        )),
        await from(all, world.accountId('own, without the capability', CORE)),
      ];
      expectSame404(answers);
    });

    it('a blob, for downloads', async () => {
      const shared = world.accountId('shared, to write', CORE);
      const foreign = world.accountId("another user's", CORE);
      const others = await world.other.upload(foreign, 'secret', 'text/plain');
      const unreferenced = await world.other.upload(shared, 'secret', 'text/plain');
      const from = async (client: Client, accountId: string, blob: string) =>
        ask(
          'GET',
          '/jmap/download/:accountId/:blobId/:name',
          bearer(client.token),
          accountId,
          blob,
        );
      const { all, some, read } = world.tokens;
      expect((await from(read, A1(), blobId)).body).toBe('mine');
      const notes = world.accountId('own, without the capability', NOTES);
      expectSame404([
        await from(all, NOBODYS, blobId),
        await from(all, foreign, others.blobId),
        await from(all, A1(), others.blobId),
        await from(all, A1(), 'b1nothing0000000'),
        await from(all, A1(), "no'thing/id"),
        await from(all, notes, blobId),
        await from(some, A1(), blobId),
        await from(world.other, A1(), blobId),
        // RFC 8620 6.1: what nothing refers to is its uploader's alone.
        await from(all, shared, unreferenced.blobId),
      ]);
    });
  });

  function expectSame404(answers: readonly Answered[]): void {
    const told = answers.map(({ status, headers, body }) => {
      const { date, 'x-request-id': id, connection, 'keep-alive': alive, ...rest } = headers;
      return JSON.stringify({ status, rest, body, seen: [date, id, connection, alive].length });
    });
    expect(new Set(told).size, told.join('\n')).toBe(1);
    expect(answers[0]?.status).toBe(404);
  }

  describe('accounts within and out of reach of each token', () => {
    const TOKENS = ['all', 'some', 'read'] as const;
    const reached = (token: TokenName): readonly Place[] =>
      PLACES.filter((place) => place.token === token && place.outcomes.read !== 'accountNotFound');
    const places = (token: TokenName): readonly string[] => [
      ...new Set(PLACES.filter((place) => place.token === token).map(({ account }) => account)),
    ];

    it.each(TOKENS)(
      'the session of "%s" has accounts in reach, and says which may be written',
      async (token) => {
        const { accounts } = (await world.tokens[token].session()) as {
          accounts: Record<string, { isReadOnly: boolean; isPersonal: boolean }>;
        };
        const all = new Set(reached('all').flatMap(({ account }) => idsOf(account)));
        expect(Object.keys(accounts).filter((id) => !all.has(id))).toEqual([]);
        for (const account of places(token)) {
          const place = reached(token).find((one) => one.account === account);
          for (const id of idsOf(account)) {
            const { isReadOnly, isPersonal } = accounts[id] ?? {};
            // One without the capability can't be told by its outcomes whether it may be written.
            const expected =
              place === undefined
                ? [undefined, undefined]
                : [
                    place.outcomes.read === null ? place.outcomes.write !== null : isReadOnly,
                    account.startsWith('own'),
                  ];
            expect([isReadOnly, isPersonal], account).toEqual(expected);
          }
        }
      },
    );

    /** Two accounts are limited to a capability each. */
    const idsOf = (account: string): readonly string[] => [
      ...new Set([CORE, NOTES].map((capability) => world.accountId(account, capability))),
    ];

    it('streams have events of accounts in reach, and of no other', async () => {
      const streams = await Promise.all(
        TOKENS.map(async (token) => {
          const query = { types: '*', closeafter: 'no', ping: '0' };
          return [token, await EventStream.open(world.tokens[token], query)] as const;
        }),
      );
      const write = async (account: string): Promise<string> => {
        const owner = account.startsWith('own') ? world.tokens.all : world.other;
        const accountId = world.accountId(account, TODOS);
        const create = { k: { text: 'x' } };
        return (await owner.with([CORE, TODOS]).set('Todo', { accountId, create })).newState;
      };
      const written = new Map<string, string>();
      for (const account of WRITTEN) written.set(account, await write(account));
      // All three reach it: what comes before it has been told by then.
      const last = await write('own, the second');
      for (const [token, stream] of streams) {
        await stream.state(world.accountId('own, the second', TODOS), 'Todo', last);
        const told = new Set(
          stream.events.flatMap(({ data }) => Object.keys(data['changed'] as object)),
        );
        for (const account of places(token).filter((one) => written.has(one))) {
          const isTold = told.has(world.accountId(account, TODOS));
          const place = reached(token).find((one) => one.account === account);
          expect(isTold, `${account} by "${token}"`).toBe(place !== undefined);
        }
        stream.close();
      }
    });
    const WRITTEN = [
      'own',
      'shared, to write',
      'shared, to read',
      'shared once, revoked since',
      "another user's",
    ];
  });
}
