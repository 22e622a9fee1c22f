import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeRoles, createAccount, disableUser } from '../../../src/accounts/index.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { PRINCIPALS } from '../principals-rig.js';
import { type People, type Person, startPeople } from '../rules-rig.js';
import { ASKER_NAMES, ASKERS, type Asker, type AskerName, rightsOf } from './askers.js';
import { createObjects, HIDDEN, secretOf, TARGET, TYPES, updateAll } from './objects.js';

export const QUOTA = 'urn:ietf:params:jmap:quota';

/** The ids and accounts that the calls of one asker name. */
export interface Spot {
  readonly accountId: string;
  /** An account of the asker's own. */
  readonly home: string;
  /** The asker's account for principals, and that of another user. */
  readonly directory: string;
  readonly elsewhere: string;
  /** Ids by what they are called: a type, or a word. */
  readonly ids: ReadonlyMap<string, string>;
  /** Objects of the asker's own account. */
  readonly homeIds: ReadonlyMap<string, string>;
  /** States from before the owner has changed each object, by type. */
  readonly states: ReadonlyMap<string, States>;
}

export interface States {
  readonly state: string;
  readonly queryState: string;
}

/**
 * One account with objects of each type for each asker, so that no asker's write is another's. The
 * owner has changed all of them since the states of the spots.
 */
export interface Scene {
  readonly people: People<string>;
  readonly clients: ReadonlyMap<AskerName, Client>;
  readonly spots: ReadonlyMap<AskerName, Spot>;
  close(): Promise<void>;
}

/** Returns the asker whose user a token is. */
export function userOf(name: AskerName): AskerName {
  const { readsAs }: Asker = ASKERS[name];
  return (readsAs as AskerName | undefined) ?? name;
}

/** Starts a server with the account and the askers, and what they ask about. */
export async function openScene(root: string, url: string | null): Promise<Scene> {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-rights-'));
  const users = ASKER_NAMES.filter((name) => userOf(name) === name);
  const members: Record<string, Asker> = Object.fromEntries(
    users.map((name) => [name, ASKERS[name]]),
  );
  const people = await startPeople<string>(
    root,
    { url, dataDir, hasPush: true, more: { PUSH_ALLOW: '127.0.0.1' } },
    // Nobody's rights change where askers share something: they do so with a user who asks nothing.
    { ...members, friend: { given: 'nothing' } },
  );
  const { prisma, groups } = people;
  await changeRoles(prisma, 'as', ['auditor']);
  const team = await groups.create('team');
  await groups.add('team', 'gr');
  const clients = new Map<AskerName, Client>();
  for (const name of ASKER_NAMES) clients.set(name, await clientOf(people, name));
  const ids = await fillAccount(people, clients, team);
  await shareAllAround(people, clients);
  const spots = new Map<AskerName, Spot>();
  for (const name of ASKER_NAMES) spots.set(name, await spotOf({ people, clients, ids }, name));
  const { list } = await ownerOf(clients).get('Quota', { accountId: people.accountId, ids: null });
  for (const [name, own] of ids) {
    const other = spots.get(name === 'ow' || name === 'ot' ? 'al' : 'ow');
    own.set('foreignSubscription', other?.ids.get('subscription') ?? '');
    own.set('Quota', list[0]?.id ?? '');
  }
  await updateAll(ownerOf(clients), people.accountId, ids.values());
  await disableUser(prisma, 'ds');
  await eventually(async () => {
    const { status } = await (clients.get('ds') as Client).http('/.well-known/jmap');
    if (status !== 401) throw new Error(`The disabled user still gets ${status}.`);
  });
  return {
    ...{ people, clients, spots },
    async close() {
      await people.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function ownerOf(clients: ReadonlyMap<AskerName, Client>): Client {
  return clients.get('ow') as Client;
}

function personOf(people: People<string>, name: AskerName): Person {
  return people.users[userOf(name)] as Person;
}

async function clientOf(people: People<string>, name: AskerName): Promise<Client> {
  const isNarrow = userOf(name) !== name;
  const client = isNarrow
    ? await people.narrowed(userOf(name), { readOnly: true })
    : personOf(people, name).client;
  return client.with([...client.using, PRINCIPALS, QUOTA]);
}

/** Creates what is asked for, and shares it. Returns the ids of each asker's objects. */
async function fillAccount(
  people: People<string>,
  clients: ReadonlyMap<AskerName, Client>,
  team: string,
): Promise<ReadonlyMap<AskerName, Map<string, string>>> {
  const owner = ownerOf(clients);
  const { accountId } = people;
  const idOf = (name: AskerName): string => personOf(people, name).id;
  const sharees = ASKER_NAMES.filter((name) => userOf(name) === name).map(
    (name): [AskerName, Asker] => [name, ASKERS[name]],
  );
  const reaching = sharees.filter(([name, { reaches }]) => reaches === true || name === 'rv');
  const read = Object.fromEntries(reaching.map(([name]) => [idOf(name), { mayRead: true }]));
  const other = { text: 'another list', shareWith: read };
  await owner.set('List', { accountId, create: { k: other } });
  const shareWith = Object.fromEntries([
    ...sharees.flatMap(([name, { share }]) =>
      share === undefined ? [] : [[idOf(name), rightsOf(share)]],
    ),
    [team, rightsOf('rw')],
    [idOf('rv'), rightsOf('rwa')],
  ]);
  const maker = clients.get('mk') as Client;
  await eventually(() => maker.get('Draft', { accountId, ids: [] }));
  const ids = new Map<AskerName, Map<string, string>>();
  const { blobId: file } = await owner.upload(accountId, 'a file that is shared', 'text/plain');
  const values = { List: { shareWith, file }, Job: { assignee: idOf('mk') } };
  const all = await createObjects({ owner, maker, accountId, keys: ASKER_NAMES }, values);
  for (const [name, own] of all)
    ids.set(
      name as AskerName,
      new Map([...own, ['Blob', file], ...(await hide(owner, accountId, name))]),
    );
  const lists = [...ids.values()].flatMap((own) => [own.get('List') ?? '', own.get(TARGET) ?? '']);
  const revoke = { [`shareWith/${idOf('rv')}`]: null };
  const update = Object.fromEntries(lists.map((id) => [id, revoke]));
  const { notUpdated } = await owner.set('List', { accountId, update });
  if (notUpdated !== null) throw new Error(JSON.stringify(notUpdated));
  return ids;
}

/** Creates a list that is shared with nobody, with a file. */
async function hide(owner: Client, accountId: string, name: string): Promise<[string, string][]> {
  const { blobId } = await owner.upload(accountId, `a secret file ${name}`, 'text/plain');
  const secret = { text: secretOf(HIDDEN), file: blobId };
  const { created } = await owner.set('List', { accountId, create: { k: secret } });
  return [
    ['Blob hidden', blobId],
    [HIDDEN, String(created?.['k']?.['id'])],
  ];
}

interface Filled {
  readonly people: People<string>;
  readonly clients: ReadonlyMap<AskerName, Client>;
  readonly ids: ReadonlyMap<AskerName, Map<string, string>>;
}

async function spotOf({ people, clients, ids }: Filled, name: AskerName): Promise<Spot> {
  const { ownAccountId, id } = personOf(people, name);
  const accountId = name === 'tn' ? ownAccountId : people.accountId;
  // An asker in an account of its own has another one for copies.
  const isOwn = ownAccountId === accountId;
  const home = isOwn
    ? await createAccount(people.prisma, createIdGenerator(), {
        name: `${name}-2`,
        user: userOf(name),
      })
    : ownAccountId;
  const writer = clients.get(userOf(name)) as Client;
  await eventually(() => writer.get('Plain', { accountId: home, ids: [] }));
  const [homeIds] = (
    await createObjects({ owner: writer, maker: writer, accountId: home, keys: ['home'] }, {})
  ).values();
  const { blobId } = await writer.upload(home, `a file of ${name}`, 'text/plain');
  const own = ids.get(name) as Map<string, string>;
  own.set('Principal', id);
  const stranger = personOf(people, name === 'st' ? 'tn' : 'st').id;
  own.set('friend', people.users['friend']?.id ?? '');
  own.set('Settings', 'singleton');
  const directory = `p-${id}`;
  const client = clients.get(name) as Client;
  const created = await client.set('PushSubscription', { create: { k: SUBSCRIPTION } });
  if (created.notCreated !== null) throw new Error(JSON.stringify(created.notCreated));
  own.set('subscription', String(created.created?.['k']?.['id']));
  const { list } = await writer.get('ShareNotification', { accountId: directory, ids: null });
  const note = list.find(({ objectAccountId }) => objectAccountId !== people.accountId);
  own.set('ShareNotification', note?.id ?? '');
  return {
    ...{ accountId, home, ids: own, directory, elsewhere: `p-${stranger}` },
    homeIds: new Map([...(homeIds ?? []), ['Blob', blobId]]),
    states: await statesOf(client, accountId, directory),
  };
}

const SUBSCRIPTION = { deviceClientId: 'd', url: 'https://127.0.0.1/x' };

/** Shares a list with everybody, so that each user has a notification. */
async function shareAllAround(
  people: People<string>,
  clients: ReadonlyMap<AskerName, Client>,
): Promise<void> {
  for (const name of ['st', 'tn'] as const) {
    const { id, ownAccountId: accountId } = personOf(people, name);
    const others = Object.values(people.users).filter((user) => user.id !== id);
    const shareWith = Object.fromEntries(others.map((user) => [user.id, { mayRead: true }]));
    const client = clients.get(name) as Client;
    await client.set('List', { accountId, create: { k: { shareWith } } });
  }
}

/** The states of all types: of objects in the account, and of principals. */
async function statesOf(
  client: Client,
  accountId: string,
  directory: string,
): Promise<ReadonlyMap<string, States>> {
  const states = new Map<string, States>();
  for (const type of [...TYPES, 'Settings', 'Quota', 'Principal', 'ShareNotification']) {
    const sort = TYPES.includes(type) ? { sort: [{ property: 'text' }] } : {};
    const at = type === 'Principal' || type === 'ShareNotification' ? directory : accountId;
    const { methodResponses } = await client.api([
      [`${type}/get`, { accountId: at, ids: [] }, 'c0'],
      [`${type}/query`, { accountId: at, ...sort }, 'c1'],
    ]);
    const [get, query] = methodResponses.map(([, answer]) => answer);
    const state = String(get?.['state'] ?? '0');
    states.set(type, { state, queryState: String(query?.['queryState'] ?? '0') });
  }
  return states;
}
