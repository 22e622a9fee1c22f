import type { DataTypeDefinition } from '../../capability/definition.js';
import { IS_SUBSCRIBED, isGroupId } from '../../capability/principal-names.js';
import { idOfScope, rightOfScope } from '../../capability/scopes.js';
import type { IdGenerator } from '../../protocol/ids.js';
import {
  declaredObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { groupBy } from '../../runtime/group-by.js';
import type {
  Grant,
  RightsNotice,
  ShareNotice,
  StoredObject,
  Transaction,
} from '../../store/port.js';
import { rightsIn } from '../set/share-values.js';
import { indexOf } from '../type-index.js';
import type { EndedGrants } from './grant-upkeep.js';
import type { OwnMove } from './user-value-upkeep.js';

/** An object before a unit of work and behind it. */
interface Changed {
  readonly id: string;
  readonly before: StoredObject | null;
  readonly after: StoredObject | null;
}

/** The objects of a type that a unit of work has touched. */
interface Work {
  readonly type: DataTypeDefinition;
  readonly entries: ReadonlyMap<string, Changed>;
}

/** The notices about objects of a type. */
interface TypeNotices {
  readonly type: DataTypeDefinition;
  readonly byUser: Map<string, ShareNotice[]>;
}

/** Notices that one statement writes. */
const MAX_ROWS = 5000;

/** Notices of a unit of work for members of groups, about: of more, there is none for them. */
const MAX_OF_GROUPS = 10_000;

/** Notices about a type that one unit of work keeps for a user: of more, the first are left out. */
const MAX_NOTICES = 1000;

/**
 * Gathers notices for users whose rights at objects a unit of work changes (RFC 9670 3). The user
 * who makes the changes gets none. Where it subscribes to objects, its notifications of them go.
 */
export class ShareNotices {
  /** By the name of a type, and by user. */
  readonly #byType = new Map<string, TypeNotices>();
  readonly #ids: IdGenerator;
  readonly #userId: string;

  constructor(ids: IdGenerator, userId: string) {
    this.#ids = ids;
    this.#userId = userId;
  }

  /** Notes the objects to which the user subscribes. */
  noteOwn(type: DataTypeDefinition, moves: readonly OwnMove[]): void {
    if (type.share === undefined) return;
    const property = type.properties.find(({ name }) => name === IS_SUBSCRIBED);
    if (property === undefined) return;
    for (const { id, values, columns } of moves) {
      if (values[IS_SUBSCRIBED] !== true || !columns.includes(property.column)) continue;
      const notice = { kind: 'end', id: this.#ids.next('n').id, objectId: id } as const;
      this.#noticesFor(type, this.#userId).push(notice);
    }
  }

  /** Keeps notices of all that a unit of work has changed and recorded, in its transaction. */
  async keep(
    works: ReadonlyMap<string, Work>,
    ended: readonly EndedGrants[],
    transaction: Pick<Transaction, 'keepNotices' | 'membersOf'>,
  ): Promise<void> {
    const shares = [...works.values()].flatMap(sharesOf);
    const members = await readMembers(transaction, shares, ended);
    for (const share of shares) this.#note(share, members);
    for (const { type, grants } of ended)
      this.#noteEnds(type, withMembers(grants, members), works.get(type.name));
    for (const { type, byUser } of this.#byType.values())
      for (const part of partsOf(byUser)) await transaction.keepNotices(type, part);
    this.#byType.clear();
  }

  #note({ type, id, before, after, old, now }: ChangedShare, members: Members): void {
    const groups = groupsByUser([...namesIn(old), ...namesIn(now)], members);
    for (const [userId, principals] of groups) {
      const oldRights = rightsOf(type, old, principals);
      const newRights = rightsOf(type, now, principals);
      if (userId === this.#userId || isSame(oldRights, newRights)) continue;
      // The user may read the object now, or before.
      const known = maySee(type, newRights) ? after : maySee(type, oldRights) ? before : null;
      const about = { objectId: id, name: nameOf(type, known) };
      this.#addRights(type, userId, { ...about, oldRights, newRights });
    }
  }

  /** Notes what users have lost with objects that are gone. */
  #noteEnds(type: DataTypeDefinition, grants: readonly Grant[], work: Work | undefined): void {
    const lost = groupBy(grants, ({ principalId, scope }) => `${principalId} ${idOfScope(scope)}`);
    for (const [key, held] of lost) {
      const [userId = '', id = ''] = key.split(' ');
      if (userId === this.#userId) continue;
      const oldRights = rightsAmong(
        type,
        held.map(({ scope }) => rightOfScope(scope)),
      );
      const before = maySee(type, oldRights) ? (work?.entries.get(id)?.before ?? null) : null;
      const about = { objectId: id, name: nameOf(type, before) };
      this.#addRights(type, userId, { ...about, oldRights, newRights: null });
    }
  }

  #addRights(
    type: DataTypeDefinition,
    userId: string,
    change: Omit<RightsNotice, 'kind' | 'id' | 'at' | 'changedBy'>,
  ): void {
    const { id, time: at } = this.#ids.next('n');
    const notices = this.#noticesFor(type, userId);
    notices.push({ kind: 'rights', id, at, changedBy: this.#userId, ...change });
    if (notices.length > MAX_NOTICES) notices.shift();
  }

  #noticesFor(type: DataTypeDefinition, userId: string): ShareNotice[] {
    const { byUser } = this.#byType.get(type.name) ?? { byUser: new Map() };
    this.#byType.set(type.name, { type, byUser });
    const notices = byUser.get(userId) ?? [];
    byUser.set(userId, notices);
    return notices;
  }
}

/** Returns notices in parts that one statement takes. */
function* partsOf(
  byUser: ReadonlyMap<string, readonly ShareNotice[]>,
): Generator<ReadonlyMap<string, readonly ShareNotice[]>> {
  let part = new Map<string, readonly ShareNotice[]>();
  let count = 0;
  for (const [userId, notices] of byUser) {
    if (count > 0 && count + notices.length > MAX_ROWS) {
      yield part;
      part = new Map();
      count = 0;
    }
    part.set(userId, notices);
    count += notices.length;
  }
  if (count > 0) yield part;
}

/** An object whose `shareWith` a unit of work has changed. */
interface ChangedShare extends Changed {
  readonly type: DataTypeDefinition;
  readonly after: StoredObject;
  readonly old: JsonValue;
  readonly now: JsonValue;
}

function sharesOf({ type, entries }: Work): readonly ChangedShare[] {
  const name = indexOf(type).roles.shareWith?.name;
  if (name === undefined) return [];
  return Array.from(entries.values()).flatMap(({ id, before, after }) => {
    // The grants tell of those that are gone.
    if (after === null) return [];
    const [old, now] = [before?.[name] ?? null, after[name] ?? null];
    return old === now ? [] : { type, id, before, after, old, now };
  });
}

/** The users of groups, by the ids of the groups. */
type Members = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the users of all groups whose rights have changed: without groups, by no statement. None
 * where a notice for each of them at each object would be too many.
 */
async function readMembers(
  transaction: Pick<Transaction, 'membersOf'>,
  shares: readonly ChangedShare[],
  ended: readonly EndedGrants[],
): Promise<Members> {
  const ids = new Set<string>();
  for (const { old, now } of shares)
    for (const id of [...namesIn(old), ...namesIn(now)]) ids.add(id);
  for (const { grants } of ended) for (const { principalId } of grants) ids.add(principalId);
  const objects = ended.reduce((sum, { grants }) => sum + grants.length, shares.length);
  const limit = Math.floor(MAX_OF_GROUPS / Math.max(1, objects));
  const members = await transaction.membersOf([...ids].filter(isGroupId), limit + 1);
  if (members.length > limit) return new Map();
  const byGroup = groupBy(members, ({ groupId }) => groupId);
  return new Map(Array.from(byGroup, ([id, own]) => [id, own.map(({ userId }) => userId)]));
}

/** Returns for each user who is among principals, or in a group among them, which these are. */
function groupsByUser(
  principals: readonly string[],
  members: Members,
): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const id of new Set(principals)) {
    for (const userId of isGroupId(id) ? (members.get(id) ?? []) : [id]) {
      const known = users.get(userId);
      if (known === undefined) users.set(userId, [id]);
      else known.push(id);
    }
  }
  return users;
}

/** Returns grants of users, and for a grant of a group those of its members. */
function withMembers(grants: readonly Grant[], members: Members): readonly Grant[] {
  return grants.flatMap(({ principalId, scope }) => {
    const users = isGroupId(principalId) ? (members.get(principalId) ?? []) : [principalId];
    return users.map((userId) => ({ principalId: userId, scope }));
  });
}

function namesIn(value: JsonValue): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** Returns the rights that a stored `shareWith` gives some principals; null for none. */
function rightsOf(
  type: DataTypeDefinition,
  value: JsonValue,
  principals: readonly string[],
): JsonObject | null {
  const held = isJsonObject(value) ? principals.flatMap((id) => rightsIn(value[id])) : [];
  return held.length === 0 ? null : rightsAmong(type, held);
}

/** Returns all rights of a type, each true or false. */
function rightsAmong({ share }: DataTypeDefinition, held: readonly string[]): JsonObject {
  const rights = declaredObject();
  for (const right of share?.rights ?? []) rights[right] = held.includes(right);
  return rights;
}

/** Returns whether rights at an object let a user read it. */
function maySee({ access = [] }: DataTypeDefinition, rights: JsonObject | null): boolean {
  return access.some(
    ({ who, read }) => read === true && who.kind === 'share' && rights?.[who.right] === true,
  );
}

function isSame(one: JsonObject | null, other: JsonObject | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the text by which users know an object: it may be a long one. */
function nameOf(type: DataTypeDefinition, object: StoredObject | null): string {
  const value = object?.[indexOf(type).title?.name ?? ''];
  return typeof value === 'string' ? value.slice(0, NAME_LENGTH) : '';
}

/** Characters of a name, as far as a notification has them. */
const NAME_LENGTH = 500;
