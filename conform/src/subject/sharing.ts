import type { ChangesAnswer } from '../client/answers.js';
import type { Client } from '../client/client.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { UnexpectedError } from '../unexpected.js';
import { askUntil } from '../until.js';
import { type Directory, findDirectory, findOwner } from './directory.js';
import type { Subject } from './subject.js';
import { PRINCIPALS, type User } from './user.js';

/** The type of the notes that users get of changed rights (RFC 9670 3). */
export const NOTIFICATION = 'ShareNotification';

/** Returns why objects of a type can't be shared; null where they can. */
export function needShare({ described, server }: Subject): string | null {
  if (described.share === undefined) return 'Objects of the type can’t be shared.';
  const { capabilities } = server.user.session;
  return PRINCIPALS in capabilities ? null : `The session has no ${PRINCIPALS}.`;
}

/** Returns why nobody is there to share with; null where another user's credentials were given. */
function needOther(subject: Subject): string | null {
  const reason = needShare(subject);
  if (reason !== null || subject.server.others.length > 0) return reason;
  return 'One user is known alone: --other-token and --other-basic give another one.';
}

/** An object as a user saw it at a state, by id. */
export type View = Map<string, Item>;

/** Two users: one shares objects of the first account with the other. */
export class Sharing {
  readonly subject: Subject;
  readonly other: User;
  /** Where the other user finds principals, and notes of changed rights. */
  readonly directory: Directory;
  /** The other user's principal, as the first user names it. */
  readonly principalId: string;

  private constructor(subject: Subject, other: User, directory: Directory, principalId: string) {
    this.subject = subject;
    this.other = other;
    this.directory = directory;
    this.principalId = principalId;
  }

  /**
   * Finds a user to share with: a principal whom the first user sees, and who sees nothing of the
   * account that isn't shared. Throws NotApplicable where there is none.
   */
  static async open(subject: Subject): Promise<Sharing> {
    for (const other of subject.server.others) {
      const directory = findDirectory(other);
      if (directory === null || directory.principalId === null) continue;
      const { principalId } = directory;
      if (!(await seesPrincipal(subject, principalId))) continue;
      const sharing = new Sharing(subject, other, directory, principalId);
      if (!(await sharing.#seesAll())) return sharing;
    }
    throw new NotApplicable(
      'No other user is a principal that the user sees, and reaches the account by shares alone.',
    );
  }

  get accountId(): string {
    return this.subject.A1;
  }

  /** Returns the other user's calls of the type. */
  get client(): Client {
    return this.other.buildClient(this.subject.profile.capability);
  }

  /** Returns all rights of the type, each of them given. */
  get all(): JsonMap {
    const { rights = [] } = this.subject.described.share ?? {};
    return Object.fromEntries(rights.map((right) => [right, true]));
  }

  /** Returns the right to see an object, given alone; all rights where it isn't known. */
  get least(): JsonMap {
    const { access = [] } = this.subject.described;
    const rule = access.find(({ who, read }) => who.kind === 'share' && read === true);
    return rule?.who.kind === 'share' ? { [rule.who.right]: true } : this.all;
  }

  /** Tells whether the right to see an object is known, and lets nobody change it. */
  get canOnlyRead(): boolean {
    const { access = [] } = this.subject.described;
    return access.some(
      ({ who, read, update, destroy, share }) =>
        who.kind === 'share' && read === true && (update ?? destroy ?? share) === undefined,
    );
  }

  /** Sets with whom an object is shared. Throws UnexpectedError where the server refuses it. */
  async setShares(id: string, shareWith: Json): Promise<void> {
    const { refused } = await this.subject.update(id, { shareWith });
    if (refused !== null)
      throw new UnexpectedError(
        `shareWith ${JSON.stringify(shareWith)}: ${JSON.stringify(refused)}`,
      );
  }

  /** Gives the other user rights at an object: all that the type has, unless others are named. */
  share(id: string, rights: JsonMap = this.all): Promise<void> {
    return this.setShares(id, { [this.principalId]: rights });
  }

  /** Takes all rights at an object from everybody. */
  revoke(id: string): Promise<void> {
    return this.setShares(id, null);
  }

  /** Creates an object that is shared from the start on. Returns its id. */
  async makeShared(text = 'shared'): Promise<string> {
    const id = await this.subject.makeOne(this.accountId, text);
    await this.share(id);
    return id;
  }

  /** Shares an object and waits until the other user reaches the account. Returns its id. */
  async openDoor(): Promise<string> {
    const id = await this.makeShared('door');
    const ids = [id];
    const { accountId, client, subject } = this;
    const isThere = ([name, answer]: [string, JsonMap]): boolean =>
      name !== 'error' && (answer['list'] as Json[]).length === 1;
    const ask = () => client.call(`${subject.type}/get`, { accountId, ids });
    const answer = await askUntil(this.other, ask, isThere);
    if (isThere(answer)) return id;
    throw new UnexpectedError(`A shared object isn't to be seen: ${JSON.stringify(answer)}`);
  }

  /** Returns the state of the type for the other user (RFC 8620 5.1). */
  async readState(): Promise<string> {
    const { accountId, client, subject } = this;
    return (await client.get(subject.type, { accountId, ids: [] })).state;
  }

  /** Returns the changes since a state as the other user is told them. */
  changes(sinceState: string, more: object = {}): Promise<ChangesAnswer> {
    const { accountId, client, subject } = this;
    return client.changes(subject.type, { accountId, sinceState, ...more });
  }

  /** Returns what the other user sees, and its state. */
  async look(): Promise<{ readonly state: string; readonly view: View }> {
    const { accountId, client, subject } = this;
    const { state, list } = await client.get(subject.type, { accountId, ids: null });
    return { state, view: new Map(list.map((item) => [item.id, item])) };
  }

  /** Returns the other user's notes of changed rights at an object, the oldest first. */
  async listNotes(objectId: string): Promise<Item[]> {
    const { accountId, client } = this.directory;
    const { list } = await client.get(NOTIFICATION, { accountId, ids: null });
    const notes = list.filter((note) => note['objectId'] === objectId);
    const { fence } = this.subject.server;
    const own = notes.filter(() => fence.isOwn(this.subject.type, this.accountId, objectId));
    fence.claim(
      NOTIFICATION,
      accountId,
      own.map(({ id }) => id),
    );
    const byTime = (a: Item, b: Item) =>
      Date.parse(String(a['created'])) - Date.parse(String(b['created']));
    return notes.sort(byTime);
  }

  /** Waits for a note of an object that is as it should be. Returns the notes there are then. */
  awaitNotes(objectId: string, is: (newest: Item) => boolean = () => true): Promise<Item[]> {
    const ask = () => this.listNotes(objectId);
    return askUntil(
      this.other,
      ask,
      (notes) => notes.at(-1) !== undefined && is(notes.at(-1) as Item),
    );
  }

  /** Removes what was made of the type, and the other user's notes of it. */
  async tidy(): Promise<void> {
    const { subject, directory, accountId } = this;
    await subject.clear(accountId);
    await subject.server.recorder.runAside(async () => {
      const { fence } = subject.server;
      const { client } = directory;
      const [name, { list }] = await client.call(`${NOTIFICATION}/get`, {
        ...{ accountId: directory.accountId, ids: null },
      });
      if (name === 'error') return;
      const mine = (list as Item[]).filter(
        ({ objectId, objectAccountId }) =>
          objectAccountId === accountId && fence.isOwn(subject.type, accountId, String(objectId)),
      );
      const ids = mine.map(({ id }) => id);
      if (ids.length === 0) return;
      fence.claim(NOTIFICATION, directory.accountId, ids);
      await client.set(NOTIFICATION, { accountId: directory.accountId, destroy: ids });
    });
  }

  /** Tells whether the other user reaches the account by more than shares. */
  async #seesAll(): Promise<boolean> {
    const { accountId, client, subject, other } = this;
    if (!(accountId in other.session.accounts)) return false;
    const id = await subject.makeOne(accountId, 'unshared');
    const [, { list = [] }] = await client.call(`${subject.type}/get`, { accountId, ids: [id] });
    return (list as Json[]).length > 0;
  }
}

/** Tells whether the user finds a principal where the account's owner is. */
async function seesPrincipal({ server, A1 }: Subject, principalId: string): Promise<boolean> {
  const { user } = server;
  const own = findDirectory(user);
  if (own === null) return false;
  const accountId = findOwner(user.session, A1)?.accountIdForPrincipal ?? own.accountId;
  const [name, { list }] = await own.client.call('Principal/get', {
    ...{ accountId, ids: [principalId], properties: ['id'] },
  });
  return name !== 'error' && (list as Json[]).length === 1;
}

/** The scene of a check with two users. `door`: an object that is shared with the other one. */
interface SharingScene {
  readonly subject: Subject;
  readonly sharing: Sharing;
  readonly door: string;
}

/**
 * Has a check work with two users, one of whom reaches the account by an object that is shared.
 * Removes what was made.
 */
export const withSharing = (work: (scene: SharingScene) => Promise<void>) => ({
  applies: needOther,
  async run(subject: Subject): Promise<void> {
    const sharing = await Sharing.open(subject);
    try {
      await work({ subject, sharing, door: await sharing.openDoor() });
    } finally {
      await sharing.tidy();
    }
  },
});
