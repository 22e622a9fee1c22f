import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { items, list, member, onResponses, patches, renamed, session } from './makers.js';

const PRINCIPALS = 'urn:ietf:params:jmap:principals';
const ALL = { mayRead: true, mayWrite: true, mayAdmin: true };

/** Changes the objects that have a property. */
const having = (name: string, change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  items((one) => (name in one ? change(one) : one));

/** Changes the accounts of a session. */
const accounts = (change: (all: JsonMap) => JsonMap): Partial<Fault> =>
  session((one) => ({ ...one, accounts: change(asMap(one['accounts'])) }));

/** Tells whether an account of a session is another user's, who shares objects. */
const isShared = (account: Json): boolean => {
  const { isPersonal, accountCapabilities } = asMap(account);
  return isPersonal === false && !Object.hasOwn(asMap(accountCapabilities), PRINCIPALS);
};

/** Keeps the accounts of others that were in a session, and shows them for ever. */
function keptAccounts(): Partial<Fault> {
  const ever: Record<string, Json> = {};
  return accounts((all) => {
    for (const [id, account] of Object.entries(all)) if (isShared(account)) ever[id] = account;
    return { ...ever, ...all };
  });
}

/** Shows in shareWith whoever was named in it, also where that was refused. */
function everNamed(): Partial<Fault> {
  const ever: Record<string, Json> = {};
  return {
    ...patches((patch) => {
      Object.assign(ever, asMap(patch['shareWith']));
      return patch;
    }),
    answer: having('shareWith', (one) => ({ ...one, shareWith: ever })).answer as NonNullable<
      Fault['answer']
    >,
  };
}

/** Gives all users the notes that any of them got. */
function commonNotes(): Partial<Fault> {
  const ever = new Map<string, Json>();
  return onResponses(([name, args, id]) => {
    if (name !== 'ShareNotification/get') return [name, args, id];
    for (const note of args['list'] as Json[]) ever.set(String(asMap(note)['id']), note);
    return [name, { ...args, list: [...ever.values()] }, id];
  });
}

/** Faults of a server with principals and shared objects (RFC 9670), and of what users see. */
export const sharingFaults: readonly Fault[] = [
  {
    name: 'the session says nothing of the user’s principal',
    checks: ['principal-capability'],
    ...accounts((all) =>
      Object.fromEntries(
        Object.entries(all).map(([id, account]) => {
          const { accountCapabilities, ...rest } = asMap(account);
          const { [PRINCIPALS]: has, ...others } = asMap(accountCapabilities);
          const now = has === undefined ? others : { ...others, [PRINCIPALS]: {} };
          return [id, { ...rest, accountCapabilities: now }];
        }),
      ),
    ),
  },
  {
    name: 'the owner of accounts is a capability of the server',
    checks: ['principal-owner'],
    ...session((one) => ({
      ...one,
      capabilities: { ...asMap(one['capabilities']), [`${PRINCIPALS}:owner`]: {} },
    })),
  },
  {
    name: 'a principal is a person',
    checks: ['principal-properties'],
    ...items((one) => ({ ...one, type: 'person' })),
  },
  {
    name: 'a principal has an email of words',
    checks: ['principal-email'],
    ...items((one) => ({ ...one, email: 'nobody at home' })),
  },
  {
    name: 'a principal lives on Mars',
    checks: ['principal-time-zone'],
    ...items((one) => ({ ...one, timeZone: 'Mars/Base' })),
  },
  {
    name: 'a principal has no accounts',
    checks: ['principal-accounts', 'share-account-of-principal'],
    ...items((one) => ({ ...one, accounts: null })),
  },
  {
    name: 'what is forbidden is not found',
    checks: [
      ...['principal-create-refused', 'principal-update-refused', 'share-right-lacks'],
      ...['share-notification-create-refused', 'share-notification-update-refused'],
    ],
    ...renamed('forbidden', 'notFound'),
  },
  {
    name: 'what is shared with nobody has an empty map',
    checks: ['share-properties'],
    ...having('shareWith', (one) => ({ ...one, shareWith: one['shareWith'] ?? {} })),
  },
  { name: 'the owner is in shareWith', checks: ['share-owner-not-in-map'], ...everNamed() },
  {
    name: 'nobody is told with whom an object is shared',
    checks: ['share-given'],
    ...having('shareWith', (one) => ({ ...one, shareWith: null })),
  },
  {
    name: 'patches of single rights do nothing',
    checks: ['share-patched'],
    ...patches((patch) =>
      Object.fromEntries(Object.entries(patch).filter(([name]) => !name.includes('/'))),
    ),
  },
  {
    name: 'everybody has all rights',
    checks: ['share-my-rights'],
    ...having('myRights', (one) => ({ ...one, myRights: ALL })),
  },
  {
    name: 'everybody is subscribed',
    checks: ['share-subscribed-by-each'],
    ...having('isSubscribed', (one) => ({ ...one, isSubscribed: true })),
  },
  {
    name: 'the session has no accounts of others',
    checks: ['share-account-in-session'],
    ...accounts((all) =>
      Object.fromEntries(Object.entries(all).filter(([, one]) => !isShared(one))),
    ),
  },
  {
    name: 'the accounts of others stay in the session',
    checks: ['share-account-gone'],
    ...keptAccounts(),
  },
  {
    name: 'nobody is told of changed rights',
    checks: ['share-notification-made'],
    ...list('get', 'list', (all) => all.filter((one) => !('objectType' in asMap(one)))),
  },
  {
    name: 'a note has no rights',
    checks: ['share-notification-properties'],
    ...having('newRights', (one) => ({ ...one, newRights: null })),
  },
  {
    name: 'each note gives all rights',
    checks: ['share-notification-current', 'share-notification-revoked'],
    ...having('newRights', (one) => ({ ...one, newRights: ALL })),
  },
  {
    name: 'all users get all notes',
    checks: ['share-notification-not-own'],
    ...commonNotes(),
  },
  {
    name: '/changes leaves out what was created',
    checks: ['share-notification-changes', 'view-share-created'],
    ...list('changes', 'created', () => []),
  },
  {
    name: '/changes leaves out what is seen no more',
    checks: ['view-revoke-destroyed', 'view-pages'],
    ...list('changes', 'destroyed', () => []),
  },
  {
    name: 'the state is another one at each look',
    checks: ['view-hidden-state'],
    ...restless(),
  },
  {
    name: 'an object that is hidden is forbidden',
    checks: ['view-hidden-writes'],
    ...renamed('notFound', 'forbidden'),
  },
  {
    name: 'an anchor that is hidden is an invalid argument',
    checks: ['view-query-anchor'],
    ...renamed('anchorNotFound', 'invalidArguments'),
  },
];

/** Gives each /get a state of its own. */
function restless(): Partial<Fault> {
  let looks = 0;
  return member('get', 'state', (state) => {
    looks += 1;
    return `${String(state)}-${looks}`;
  });
}
