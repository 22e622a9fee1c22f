import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { Client } from '../client/client.js';
import { asMap, type Item, type Json, type JsonMap } from '../client/json.js';
import { ID, sameMembers } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import type { Server } from '../subject/server.js';
import { CORE, QUOTA } from '../subject/user.js';

/** RFC 9425: quotas as a user reads and finds them. */

/** Returns why nothing can be shown of quotas; null where it can. */
const needQuotas = ({ user: { session } }: Server): string | null =>
  session.listOffering(QUOTA).length > 0 ? null : `The user reaches no account with ${QUOTA}.`;

/** Needs a server whose session has quotas. */
const NEEDS = { applies: needQuotas } as const;

/** Returns the account whose quotas are read. */
const findAccount = ({ user }: Server): string => user.session.listOffering(QUOTA)[0] ?? '';

/** Returns a client that names all capabilities, so that it sees all quotas (4.1). */
export const buildQuotaClient = ({ user }: Server): Client =>
  user.buildClient(...Object.keys(user.session.capabilities));

/** Returns all quotas of an account. */
export async function listQuotas(server: Server, accountId: string): Promise<readonly Item[]> {
  return (await buildQuotaClient(server).get('Quota', { accountId, ids: null })).list;
}

/** Returns all quotas of the account. Throws NotApplicable where there is none. */
async function takeQuotas(server: Server): Promise<readonly Item[]> {
  const quotas = await listQuotas(server, findAccount(server));
  if (quotas.length === 0) throw new NotApplicable('The account has no quota.');
  return quotas;
}

/** Returns the ids that a query of quotas finds. */
async function find(server: Server, args: object): Promise<readonly string[]> {
  const accountId = findAccount(server);
  return (await buildQuotaClient(server).query('Quota', { accountId, ...args })).ids;
}

const isUnsigned = (value: Json | undefined): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Tells whether a member is a number of units, or null, or left out: it is optional (4.1). */
const isLevel = (value: Json | undefined): boolean => (value ?? null) === null || isUnsigned(value);

/** Types of core and of quotas themselves, which a request with these two alone knows. */
const KNOWN: readonly unknown[] = ['Quota', 'PushSubscription'];

/** Conditions and the member of a quota that each compares as a whole. */
const EXACT = ['scope', 'resourceType'] as const;

/** Expects a condition to find those quotas that a function says yes to, and one value none. */
async function expectFound(
  server: Server,
  filter: JsonMap,
  matches: (quota: Item) => boolean,
): Promise<void> {
  const wanted = (await takeQuotas(server)).filter(matches).map(({ id }) => id);
  expect({ filter, ids: await find(server, { filter }) }).toEqual({
    ...{ filter, ids: sameMembers(wanted) },
  });
}

/** Returns the names in the order of their letters; null where collations could differ. */
function orderNames(quotas: readonly Item[]): readonly string[] | null {
  const names = quotas.map(({ name }) => String(name));
  const plain = names.every((name) => /^[a-z]+$/.test(name));
  return plain ? [...names].sort() : null;
}

export const quotaChecks = serverChecks(
  '4.1',
  [
    {
      id: 'quota-capability',
      section: '2.1',
      level: 'must',
      rule: 'The capability is an empty object, in the session and in each account that has it.',
      applies: ({ user: { session } }) =>
        QUOTA in session.capabilities ? null : `The session has no ${QUOTA}.`,
      async run({ user }) {
        const { capabilities, accounts } = await user.readSession();
        expect(capabilities[QUOTA]).toEqual({});
        for (const [id, { accountCapabilities = null }] of Object.entries(accounts)) {
          const value = asMap(accountCapabilities)[QUOTA];
          if (value !== undefined) expect([id, value]).toEqual([id, {}]);
        }
      },
    },
    {
      id: 'quota-properties',
      level: 'must',
      rule:
        'Each quota has an id, a name, types, and used and hardLimit as UnsignedInt. warnLimit ' +
        'and softLimit are UnsignedInt or null, description is a text or null.',
      ...NEEDS,
      async run(server) {
        for (const quota of await takeQuotas(server)) {
          expect(quota.id).toMatch(ID);
          const { name, types, used, hardLimit, warnLimit, softLimit, description = null } = quota;
          expect({
            ...{ id: quota.id, name: typeof name, types: Array.isArray(types) },
            numbers: [isUnsigned(used), isUnsigned(hardLimit)],
            levels: [isLevel(warnLimit), isLevel(softLimit)],
            description: description === null || typeof description === 'string',
          }).toEqual({
            ...{ id: quota.id, name: 'string', types: true, numbers: [true, true] },
            ...{ levels: [true, true], description: true },
          });
        }
      },
    },
    {
      id: 'quota-scope',
      section: '3.1',
      level: 'must',
      rule: 'The scope of a quota is account, domain or global.',
      ...NEEDS,
      async run(server) {
        for (const { id, scope } of await takeQuotas(server))
          expect([id, ['account', 'domain', 'global'].includes(String(scope)), scope]).toEqual([
            ...[id, true, scope],
          ]);
      },
    },
    {
      id: 'quota-resource-type',
      section: '3.2',
      level: 'must',
      rule: 'The resourceType of a quota is count or octets.',
      ...NEEDS,
      async run(server) {
        for (const { id, resourceType } of await takeQuotas(server))
          expect([id, ['count', 'octets'].includes(String(resourceType)), resourceType]).toEqual([
            ...[id, true, resourceType],
          ]);
      },
    },
    {
      id: 'quota-levels',
      level: 'should',
      rule: 'warnLimit is below softLimit and hardLimit, softLimit is below hardLimit.',
      ...NEEDS,
      async run(server) {
        for (const { id, warnLimit, softLimit, hardLimit } of await takeQuotas(server)) {
          const set = [warnLimit, softLimit, hardLimit].filter((one) => typeof one === 'number');
          const rising = set.every((one, at) => at === 0 || Number(set[at - 1]) < Number(one));
          expect([id, set, rising]).toEqual([id, set, true]);
        }
      },
    },
    {
      id: 'quota-types-in-using',
      level: 'must',
      rule:
        'types has no type whose capability `using` doesn’t name, and a quota without any type ' +
        'is not returned.',
      ...NEEDS,
      /** Names core and quotas alone: then no type of any data is known. */
      async run(server) {
        await takeQuotas(server);
        const accountId = findAccount(server);
        for (const client of [server.user.buildClient(CORE, QUOTA), buildQuotaClient(server)]) {
          const { list } = await client.get('Quota', { accountId, ids: null });
          for (const { id, types } of list) expect([id, types]).not.toEqual([id, []]);
          const told = list.flatMap(({ types }) => (Array.isArray(types) ? types : []));
          const isBare = !client.using.some((uri) => uri !== CORE && uri !== QUOTA);
          if (isBare) expect(told.filter((type) => !KNOWN.includes(type))).toEqual([]);
        }
      },
    },
    {
      id: 'quota-get-ids',
      section: '4.2',
      level: 'must',
      rule: '/get gives quotas by their ids, those properties that are asked for, and notFound.',
      ...NEEDS,
      async run(server) {
        const [first] = await takeQuotas(server);
        const ids = [first?.id ?? '', 'q-nobody'];
        const args = { accountId: findAccount(server), ids, properties: ['name', 'used'] };
        const { list, notFound } = await buildQuotaClient(server).get('Quota', args);
        expect([list.map((one) => Object.keys(one).sort()), list[0]?.id, notFound]).toEqual([
          ...[[['id', 'name', 'used']], first?.id, ['q-nobody']],
        ]);
      },
    },
    {
      id: 'quota-changes-none',
      section: '4.3',
      level: 'must',
      rule: '/changes since the newest state names no quota, and has updatedProperties or null.',
      ...NEEDS,
      async run(server) {
        const client = buildQuotaClient(server);
        const accountId = findAccount(server);
        const { state } = await client.get('Quota', { accountId, ids: [] });
        const answer = await client.changes('Quota', { accountId, sinceState: state });
        const { created, updated, destroyed, hasMoreChanges, updatedProperties = null } = answer;
        expect([created, updated, destroyed, hasMoreChanges]).toEqual([[], [], [], false]);
        expect(updatedProperties === null || Array.isArray(updatedProperties)).toBe(true);
      },
    },
    {
      id: 'quota-query-all',
      section: '4.4',
      level: 'must',
      rule: 'Without a condition, and without a filter, a query finds all quotas.',
      ...NEEDS,
      async run(server) {
        for (const filter of [{}, null]) {
          const ids = sameMembers((await takeQuotas(server)).map(({ id }) => id));
          expect({ filter, ids: await find(server, { filter }) }).toEqual({ filter, ids });
        }
      },
    },
    {
      id: 'quota-query-name',
      section: '4.4',
      level: 'must',
      rule: 'The condition name finds quotas whose name contains the text.',
      ...NEEDS,
      async run(server) {
        for (const { name } of await takeQuotas(server)) {
          const text = String(name);
          for (const part of [text, text.slice(1), text.slice(0, -1)].filter((one) => one !== ''))
            await expectFound(server, { name: part }, (one) =>
              String(one['name']).toLowerCase().includes(part.toLowerCase()),
            );
        }
        await expectFound(server, { name: 'no quota has this name' }, () => false);
      },
    },
    {
      id: 'quota-query-exact',
      section: '4.4',
      level: 'must',
      rule: 'The conditions scope and resourceType find quotas with exactly that value.',
      ...NEEDS,
      async run(server) {
        const values = { scope: ['account', 'domain'], resourceType: ['count', 'octets'] };
        for (const name of EXACT)
          for (const value of values[name])
            await expectFound(server, { [name]: value }, (one) => one[name] === value);
      },
    },
    {
      id: 'quota-query-type',
      section: '4.4',
      level: 'must',
      rule: 'The condition type finds quotas whose types contain the value.',
      ...NEEDS,
      async run(server) {
        const quotas = await takeQuotas(server);
        const types = new Set(quotas.flatMap((one) => one['types'] as string[]));
        for (const type of [...types, 'NoSuchType'])
          await expectFound(server, { type }, (one) => (one['types'] as Json[]).includes(type));
      },
    },
    {
      id: 'quota-query-together',
      section: '4.4',
      level: 'must',
      rule: 'A quota matches only if it meets all conditions of the filter.',
      ...NEEDS,
      async run(server) {
        const [first] = await takeQuotas(server);
        const other = first?.['resourceType'] === 'count' ? 'octets' : 'count';
        const name = String(first?.['name']);
        await expectFound(server, { name, resourceType: other }, (one) =>
          Boolean(String(one['name']).includes(name) && one['resourceType'] === other),
        );
      },
    },
    {
      id: 'quota-sort-name',
      section: '4.4',
      level: 'must',
      rule: 'Quotas are sorted by name, in both directions.',
      ...NEEDS,
      /** Names of other characters than small letters may be in any order: collations differ. */
      async run(server) {
        const quotas = await takeQuotas(server);
        const names = new Map(quotas.map(({ id, name }) => [id, String(name)]));
        const order = orderNames(quotas);
        for (const isAscending of [true, false]) {
          const ids = await find(server, { sort: [{ property: 'name', isAscending }] });
          const found = ids.map((id) => names.get(id) ?? '');
          const wanted = order === null ? sameMembers([...names.values()]) : [...order];
          if (Array.isArray(wanted) && !isAscending) wanted.reverse();
          expect({ isAscending, names: found }).toEqual({ isAscending, names: wanted });
        }
      },
    },
    {
      id: 'quota-query-changes-none',
      section: '4.5',
      level: 'must',
      rule: '/queryChanges since the newest state adds and removes nothing.',
      ...NEEDS,
      async run(server) {
        const client = buildQuotaClient(server);
        const accountId = findAccount(server);
        const { queryState, canCalculateChanges } = await client.query('Quota', { accountId });
        if (!canCalculateChanges) throw new NotApplicable('Changes can’t be calculated.');
        const since = { accountId, sinceQueryState: queryState };
        const { added, removed } = await client.queryChanges('Quota', since);
        expect({ added, removed }).toEqual({ added: [], removed: [] });
      },
    },
  ],
  'RFC 9425',
);
