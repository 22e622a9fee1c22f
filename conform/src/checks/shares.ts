import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { findOwner } from '../subject/directory.js';
import { needShare, type Sharing, withSharing } from '../subject/sharing.js';
import type { Subject } from '../subject/subject.js';
import { askUntil } from '../until.js';

/** RFC 9670 1.4 and 4: the properties of shared objects, as the owner and another user see them. */

/** Needs an object that is shared, and one more. */
const NEEDS = { methods: ['get', 'set'], room: 3 } as const;
const ONE = { applies: needShare } as const;

/** Returns rights as a map of booleans, without those that are false. */
const listGiven = (rights: Json | undefined): readonly string[] =>
  Object.entries(asMap(rights ?? null)).flatMap(([name, given]) => (given === true ? [name] : []));

/** Returns an object as the other user sees it. */
async function readAsOther(sharing: Sharing, id: string): Promise<JsonMap> {
  const { accountId, client, subject } = sharing;
  const { list } = await client.get(subject.type, { accountId, ids: [id] });
  return list[0] ?? {};
}

/** Returns the principal that owns the account. Throws NotApplicable where the session has none. */
function takeOwner({ server, A1 }: Subject): string {
  const owner = findOwner(server.user.session, A1);
  if (owner === null) throw new NotApplicable('No principal owns the account, says the session.');
  return owner.principalId;
}

/** Throws NotApplicable where the other user had the account in its session before the run. */
function requireNew({ other, accountId }: Sharing): void {
  if (accountId in other.session.accounts)
    throw new NotApplicable('Objects of the account were shared with the other user before.');
}

/** Waits until the other user's session has the account, or hasn't. Returns whether it has. */
const awaitAccount = ({ other, accountId }: Sharing, has: boolean): Promise<boolean> =>
  askUntil(
    other,
    async () => accountId in (await other.readSession()).accounts,
    (now) => now === has,
  );

/** Subscribes the other user to an object. Throws NotApplicable where the server refuses it. */
async function subscribe(sharing: Sharing, id: string, isSubscribed: boolean): Promise<void> {
  const { accountId, client, subject } = sharing;
  const update = { [id]: { isSubscribed } };
  const { notUpdated } = await client.set(subject.type, { accountId, update });
  // RFC 9670 1.4: a server may reject the attempt.
  if (notUpdated !== null && id in notUpdated)
    throw new NotApplicable(`The user may not subscribe: ${JSON.stringify(notUpdated[id])}`);
}

export const shareChecks = typeChecks(
  '4',
  NEEDS,
  [
    {
      id: 'share-properties',
      level: 'must',
      rule:
        'An object has isSubscribed as a Boolean, myRights with true or false for each right of ' +
        'the type, and shareWith as null while it is shared with nobody.',
      ...ONE,
      async run(subject) {
        const { rights = [] } = subject.described.share ?? {};
        const id = await subject.makeOne(subject.A1);
        const { isSubscribed, myRights, shareWith } = await subject.read(id);
        expect([typeof isSubscribed, shareWith]).toEqual(['boolean', null]);
        expect(Object.keys(asMap(myRights ?? null)).sort()).toEqual([...rights].sort());
        for (const right of Object.values(asMap(myRights ?? null)))
          expect(typeof right).toBe('boolean');
      },
    },
    {
      id: 'share-owner-not-in-map',
      level: 'must',
      rule: 'The principal that owns the account is never in shareWith.',
      ...ONE,
      async run(subject) {
        const owner = takeOwner(subject);
        const id = await subject.makeOne(subject.A1);
        const { rights = [] } = subject.described.share ?? {};
        const given = Object.fromEntries(rights.map((right) => [right, true]));
        await subject.update(id, { shareWith: { [owner]: given } });
        const { shareWith = null } = await subject.read(id);
        expect(Object.keys(asMap(shareWith))).not.toContain(owner);
      },
    },
    {
      id: 'share-given',
      level: 'must',
      rule: 'shareWith maps the id of a principal to the rights that it was given.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const { shareWith = null } = await subject.read(door);
        expect(Object.keys(asMap(shareWith))).toEqual([sharing.principalId]);
        const rights = asMap(shareWith)[sharing.principalId];
        expect([...listGiven(rights)].sort()).toEqual([...listGiven(sharing.all)].sort());
        await sharing.revoke(door);
        expect(await subject.read(door)).toMatchObject({ shareWith: null });
      }),
    },
    {
      id: 'share-patched',
      level: 'must',
      rule: 'A patch of one right in shareWith changes that right alone.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const [first, ...others] = listGiven(sharing.all);
        if (first === undefined || others.length === 0)
          throw new NotApplicable('The type has one right.');
        const last = others.at(-1) ?? '';
        const patch = { [`shareWith/${sharing.principalId}/${last}`]: false };
        const { refused } = await subject.update(door, patch);
        expect(refused).toBeNull();
        const { shareWith = null } = await subject.read(door);
        const left = listGiven(asMap(shareWith)[sharing.principalId]);
        expect([...left].sort()).toEqual([first, ...others.slice(0, -1)].sort());
      }),
    },
    {
      id: 'share-my-rights',
      level: 'must',
      rule: 'myRights are the rights that the user who asks has now.',
      ...withSharing(async ({ sharing, door }) => {
        for (const rights of [sharing.all, sharing.least, sharing.all]) {
          await sharing.share(door, rights);
          const { myRights } = await readAsOther(sharing, door);
          expect([...listGiven(myRights)].sort()).toEqual([...listGiven(rights)].sort());
        }
      }),
    },
    {
      id: 'share-right-lacks',
      level: 'must',
      rule:
        'A user who may see an object and no more can neither change, nor share, nor destroy it: ' +
        'the SetError is forbidden (RFC 8620 5.3).',
      needs: { text: true },
      ...withSharing(async ({ subject, sharing, door }) => {
        if (!sharing.canOnlyRead)
          throw new NotApplicable('It isn’t known which right lets users see objects alone.');
        await sharing.share(door, sharing.least);
        const before = await subject.read(door);
        const { accountId, client } = sharing;
        const shareWith = { [sharing.principalId]: sharing.all };
        for (const patch of [{ [subject.profile.text]: 'changed' }, { shareWith }]) {
          const update = { [door]: patch };
          const { notUpdated } = await client.set(subject.type, { accountId, update });
          expect([patch, notUpdated?.[door]?.['type']]).toEqual([patch, 'forbidden']);
        }
        const { notDestroyed } = await client.set(subject.type, { accountId, destroy: [door] });
        expect(notDestroyed?.[door]?.['type']).toBe('forbidden');
        expect(await subject.read(door)).toEqual(before);
      }),
    },
    {
      id: 'share-subscribed-by-each',
      level: 'must',
      rule: 'isSubscribed is of the user who asks: another user’s value stays.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const { isSubscribed: mine } = await subject.read(door);
        for (const value of [true, false]) {
          await subscribe(sharing, door, value);
          expect(await readAsOther(sharing, door)).toMatchObject({ isSubscribed: value });
          expect(await subject.read(door)).toMatchObject({ isSubscribed: mine });
        }
      }),
    },
    {
      id: 'share-account-in-session',
      section: '1.4',
      level: 'must',
      rule: 'The session has an account of another user where the user is subscribed to an object.',
      ...withSharing(async ({ sharing, door }) => {
        await subscribe(sharing, door, true);
        expect(await awaitAccount(sharing, true)).toBe(true);
        const { accounts } = await sharing.other.readSession();
        expect(accounts[sharing.accountId]).toMatchObject({ isPersonal: false });
      }),
    },
    {
      id: 'share-account-gone',
      section: '1.4',
      level: 'must',
      rule: 'With the last share the account of the other user is gone from the session.',
      ...withSharing(async ({ subject, sharing, door }) => {
        requireNew(sharing);
        await subscribe(sharing, door, true);
        await awaitAccount(sharing, true);
        await subject.clear(sharing.accountId);
        expect(await awaitAccount(sharing, false)).toBe(false);
      }),
    },
    {
      id: 'share-account-of-principal',
      section: '1.4',
      level: 'must',
      rule:
        'accounts of the owner’s principal has the account for each user with whom objects are ' +
        'shared.',
      ...withSharing(async ({ subject, sharing: { directory, accountId } }) => {
        const ids = [takeOwner(subject)];
        const { client } = directory;
        const ask = async (): Promise<JsonMap | undefined> =>
          (await client.get('Principal', { accountId: directory.accountId, ids })).list[0];
        const has = (owner: JsonMap | undefined): boolean =>
          Object.hasOwn(asMap(owner?.['accounts'] ?? null), accountId);
        const owner = await askUntil(subject.server.user, ask, has);
        if (owner === undefined)
          throw new NotApplicable('The other user doesn’t see the owner of the account.');
        expect(Object.keys(asMap(owner['accounts'] ?? null))).toContain(accountId);
      }),
    },
  ],
  'RFC 9670',
);
