import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type Item, type Json, type JsonMap } from '../client/json.js';
import { ID } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { type Directory, findDirectory, findOwner } from '../subject/directory.js';
import type { Server } from '../subject/server.js';
import { OWNER, PRINCIPALS } from '../subject/user.js';

/** RFC 9670: principals as a user reads and finds them, and their place in the session. */

/** Returns why nothing can be shown of principals; null where it can. */
export const needDirectory = ({ user }: Server): string | null =>
  findDirectory(user) === null ? `The user reaches no account with ${PRINCIPALS}.` : null;

const NEEDS = { applies: needDirectory } as const;

/** Returns where the user finds principals. */
export function openDirectory({ user }: Server): Directory {
  const directory = findDirectory(user);
  if (directory === null) throw new NotApplicable(`No account has ${PRINCIPALS}.`);
  return directory;
}

/** Returns the principal of the user. Throws NotApplicable where none stands for it. */
async function readOwn(server: Server): Promise<Item | undefined> {
  const { accountId, client, principalId } = openDirectory(server);
  if (principalId === null) throw new NotApplicable('No principal stands for the user.');
  return (await client.get('Principal', { accountId, ids: [principalId] })).list[0];
}

/** Returns all principals. Throws NotApplicable where the server doesn't list them at once. */
async function listAll(server: Server): Promise<readonly Item[]> {
  const { accountId, client } = openDirectory(server);
  return (await client.get('Principal', { accountId, ids: null })).list;
}

/** Returns the ids that a query of principals finds. */
async function find(server: Server, args: object): Promise<readonly string[]> {
  const { accountId, client } = openDirectory(server);
  return (await client.query('Principal', { accountId, ...args })).ids;
}

/** RFC 9670 2: the values of `type`. */
const TYPES: readonly unknown[] = ['individual', 'group', 'resource', 'location', 'other'];

/** RFC 5322 3.4.1, without comments and folding. */
const ADDR_SPEC = /^(?:"(?:[^"\\]|\\.)+"|[^\s@"(),:;<>[\]\\]+)@(?:\[[^\]\s]+\]|[^\s@]+)$/;

/** Tells whether a value is the name of a time zone, as far as this machine knows them. */
function isZone(value: Json | undefined): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).format() !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Expects a condition on texts to find the principals that contain a text. It may also find
 * principals that contain it in other letters.
 */
async function expectContaining(
  server: Server,
  condition: string,
  part: string,
  read: (principal: Item) => readonly unknown[],
): Promise<void> {
  const all = await listAll(server);
  const found = await find(server, { filter: { [condition]: part } });
  const holds = (principal: Item, fold: (text: string) => string): boolean =>
    read(principal).some((text) => typeof text === 'string' && fold(text).includes(fold(part)));
  const missing = all.filter((one) => holds(one, String) && !found.includes(one.id));
  const wrong = all.filter((one) => !holds(one, (text) => text.toLowerCase()));
  expect({
    ...{ filter: { [condition]: part }, missing: missing.map(({ id }) => id) },
    wrong: wrong.map(({ id }) => id).filter((id) => found.includes(id)),
  }).toEqual({ filter: { [condition]: part }, missing: [], wrong: [] });
}

/** Expects a condition to find exactly the principals that a function says yes to. */
async function expectExactly(
  server: Server,
  filter: JsonMap,
  matches: (principal: Item) => boolean,
): Promise<void> {
  const wanted = (await listAll(server)).filter(matches).map(({ id }) => id);
  const ids = [...(await find(server, { filter }))].sort();
  expect({ filter, ids }).toEqual({ filter, ids: wanted.sort() });
}

export const principalChecks = serverChecks(
  '2',
  [
    {
      id: 'principal-capability',
      section: '1.5.1',
      level: 'must',
      rule:
        'The capability is an empty object in the session. An account with it tells ' +
        'currentUserPrincipalId, an Id or null.',
      ...NEEDS,
      async run({ user }) {
        const session = await user.readSession();
        expect(session.capabilities[PRINCIPALS]).toEqual({});
        for (const id of session.listOffering(PRINCIPALS)) {
          const capability = asMap(
            asMap(session.accounts[id]?.['accountCapabilities'])[PRINCIPALS],
          );
          const { currentUserPrincipalId: own } = capability;
          expect([id, own === null || (typeof own === 'string' && ID.test(own))]).toEqual([
            id,
            true,
          ]);
        }
      },
    },
    {
      id: 'principal-owner',
      section: '1.5.2',
      level: 'must',
      rule:
        'The owner of an account is told in the account alone: principalId, and an account with ' +
        'principals that has it.',
      ...NEEDS,
      async run({ user }) {
        const session = await user.readSession();
        expect(Object.keys(session.capabilities)).not.toContain(OWNER);
        for (const id of Object.keys(session.accounts)) {
          const owner = findOwner(session, id);
          if (owner === null) continue;
          expect([id, owner.principalId]).toEqual([id, expect.stringMatching(ID)]);
          expect([id, session.listOffering(PRINCIPALS)]).toEqual([
            ...[id, expect.arrayContaining([owner.accountIdForPrincipal])],
          ]);
          const own = findDirectory(user, session);
          const isOwn = session.isPersonal(id) && own?.accountId === owner.accountIdForPrincipal;
          if (isOwn) expect([id, owner.principalId]).toEqual([id, own.principalId]);
        }
      },
    },
    {
      id: 'principal-get',
      section: '2.1',
      level: 'must',
      rule: 'The principal of the user is there. An unknown id is notFound.',
      ...NEEDS,
      async run(server) {
        const { accountId, client, principalId } = openDirectory(server);
        if (principalId === null) throw new NotApplicable('No principal stands for the user.');
        const ids = [principalId, 'u-nobody-is-it'];
        const { list, notFound } = await client.get('Principal', { accountId, ids });
        expect([list.map(({ id }) => id), notFound]).toEqual([[principalId], ['u-nobody-is-it']]);
      },
    },
    {
      id: 'principal-properties',
      level: 'must',
      rule:
        'A principal has one of five types and a name. description, email and timeZone are texts ' +
        'or null, capabilities and accounts are maps of objects; accounts may be null.',
      ...NEEDS,
      async run(server) {
        const principal = await readOwn(server);
        const { type, name, description, email, timeZone, capabilities, accounts } =
          principal ?? ({} as Item);
        const isText = (value: Json | undefined) => value === null || typeof value === 'string';
        expect([TYPES.includes(type), typeof name]).toEqual([true, 'string']);
        expect([isText(description), isText(email), isText(timeZone)]).toEqual([true, true, true]);
        const maps = [capabilities, ...(accounts === null ? [] : [accounts])];
        for (const map of maps) {
          expect(map).toEqual(expect.objectContaining({}));
          for (const value of Object.values(asMap(map ?? null)))
            expect(value).toEqual(expect.objectContaining({}));
        }
      },
    },
    {
      id: 'principal-email',
      level: 'must',
      rule: 'An email is an addr-spec of RFC 5322.',
      ...NEEDS,
      async run(server) {
        for (const { id, email = null } of await listAll(server))
          if (email !== null) expect([id, email]).toEqual([id, expect.stringMatching(ADDR_SPEC)]);
      },
    },
    {
      id: 'principal-time-zone',
      level: 'must',
      rule: 'A timeZone is a name of the IANA Time Zone Database.',
      ...NEEDS,
      async run(server) {
        for (const { id, timeZone = null } of await listAll(server))
          if (timeZone !== null)
            expect([id, timeZone, isZone(timeZone)]).toEqual([id, timeZone, true]);
      },
    },
    {
      id: 'principal-accounts',
      level: 'must',
      rule: 'The user’s principal has the accounts that the user owns, as the session has them.',
      ...NEEDS,
      async run(server) {
        const { user } = server;
        const { principalId } = openDirectory(server);
        const { accounts } = (await readOwn(server)) ?? ({} as Item);
        const session = await user.readSession();
        const owned = Object.keys(session.accounts).filter(
          (id) => findOwner(session, id)?.principalId === principalId,
        );
        expect(Object.keys(asMap(accounts ?? null))).toEqual(expect.arrayContaining(owned));
        for (const id of owned)
          expect([id, asMap(asMap(accounts ?? null)[id])['name']]).toEqual([
            ...[id, session.accounts[id]?.['name']],
          ]);
      },
    },
    {
      id: 'principal-changes-none',
      section: '2.2',
      level: 'must',
      rule: '/changes since the newest state names no principal, if changes can be calculated.',
      ...NEEDS,
      async run(server) {
        const { accountId, client } = openDirectory(server);
        const { state } = await client.get('Principal', { accountId, ids: [] });
        const { created, updated, destroyed } = await client.changes('Principal', {
          ...{ accountId, sinceState: state },
        });
        expect([created, updated, destroyed]).toEqual([[], [], []]);
      },
    },
    {
      id: 'principal-create-refused',
      section: '2.3',
      level: 'must',
      rule: 'A create of a principal that the server doesn’t allow is forbidden.',
      ...NEEDS,
      /** Destroys the principal again where the server makes one. */
      async run(server) {
        const { accountId, client } = openDirectory(server);
        const create = { k: { type: 'other', name: 'Conformance' } };
        const { created, notCreated } = await client.set('Principal', { accountId, create });
        const made = created?.['k']?.id;
        if (made === undefined) {
          expect(notCreated?.['k']?.['type']).toBe('forbidden');
          return;
        }
        await client.set('Principal', { accountId, destroy: [made] });
        throw new NotApplicable('The user may create principals.');
      },
    },
    {
      id: 'principal-update-refused',
      section: '2.3',
      level: 'must',
      rule: 'An update of a principal that the server doesn’t allow is forbidden.',
      ...NEEDS,
      /** Gives the user's own principal the email that it has: no server changes anything. */
      async run(server) {
        const { accountId, client, principalId } = openDirectory(server);
        const own = await readOwn(server);
        if (principalId === null || own === undefined)
          throw new NotApplicable('No principal stands for the user.');
        server.fence.allowUpdates('Principal', accountId);
        const update = {
          [principalId]: { email: own['email'] ?? null, type: own['type'] ?? null },
        };
        const { updated, notUpdated } = await client
          .set('Principal', { accountId, update })
          .finally(() => server.fence.allowUpdates('Principal', accountId, false));
        if (updated !== null && principalId in updated)
          throw new NotApplicable('The user may update its principal.');
        expect(notUpdated?.[principalId]?.['type']).toBe('forbidden');
      },
    },
    {
      id: 'principal-query-all',
      section: '2.4',
      level: 'must',
      rule: 'Without a condition a query finds all principals.',
      ...NEEDS,
      async run(server) {
        const ids = (await listAll(server)).map(({ id }) => id).sort();
        expect([...(await find(server, {}))].sort()).toEqual(ids);
        await expectExactly(server, {}, () => true);
      },
    },
    {
      id: 'principal-query-account-ids',
      section: '2.4.1',
      level: 'must',
      rule: 'The condition accountIds finds principals with any of these accounts.',
      ...NEEDS,
      async run(server) {
        const accountsOf = ({ accounts }: Item): string[] => Object.keys(asMap(accounts ?? null));
        const known = (await listAll(server)).flatMap(accountsOf);
        for (const accountIds of [known.slice(0, 1), known.slice(0, 2), ['a-nobody']])
          if (accountIds.length > 0)
            await expectExactly(server, { accountIds }, (one) =>
              accountsOf(one).some((id) => accountIds.includes(id)),
            );
      },
    },
    {
      id: 'principal-query-texts',
      section: '2.4.1',
      level: 'must',
      rule:
        'The conditions name, email and text find principals with the text in the name, in the ' +
        'email, or in the name, the email or the description.',
      ...NEEDS,
      async run(server) {
        const own = await readOwn(server);
        const name = String(own?.['name']);
        for (const part of [name, name.slice(1), 'no principal has this in its name']) {
          await expectContaining(server, 'name', part, (one) => [one['name']]);
          await expectContaining(server, 'text', part, ({ name: text, email, description }) => [
            ...[text, email, description],
          ]);
        }
        const email = own?.['email'];
        const part = typeof email === 'string' ? email : 'nobody@nowhere.example';
        await expectContaining(server, 'email', part, (one) => [one['email']]);
      },
    },
    {
      id: 'principal-query-exact',
      section: '2.4.1',
      level: 'must',
      rule: 'The conditions type and timeZone find principals with exactly that value.',
      ...NEEDS,
      async run(server) {
        for (const type of ['individual', 'group'])
          await expectExactly(server, { type }, (one) => one['type'] === type);
        for (const timeZone of ['Europe/Berlin', 'europe/berlin'])
          await expectExactly(server, { timeZone }, (one) => one['timeZone'] === timeZone);
      },
    },
    {
      id: 'principal-query-changes-none',
      section: '2.5',
      level: 'must',
      rule: '/queryChanges since the newest state adds and removes no principal, if it can.',
      ...NEEDS,
      async run(server) {
        const { accountId, client } = openDirectory(server);
        const { queryState, canCalculateChanges } = await client.query('Principal', { accountId });
        if (!canCalculateChanges) throw new NotApplicable('Changes can’t be calculated.');
        const since = { accountId, sinceQueryState: queryState };
        const { added, removed } = await client.queryChanges('Principal', since);
        expect({ added, removed }).toEqual({ added: [], removed: [] });
      },
    },
    {
      id: 'share-notification-create-refused',
      section: '3.3',
      level: 'must',
      rule: 'A create of a ShareNotification is forbidden.',
      ...NEEDS,
      async run(server) {
        const { accountId, client } = openDirectory(server);
        const create = { k: { name: 'x' } };
        const answer = await client.set('ShareNotification', { accountId, create });
        expect([answer.created, answer.notCreated?.['k']?.['type']]).toEqual([null, 'forbidden']);
      },
    },
  ],
  'RFC 9670',
);
