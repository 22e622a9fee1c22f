import type { DataTypeDefinition } from '../../capability/definition.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { KeptNotice, KnownPrincipal, PrincipalId, StoredObject } from '../../store/port.js';
import { indexOf } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import { emailOf } from './principal-objects.js';

/** The notifications that a user has, at most: beyond it the oldest go (RFC 9670 3). */
export const MAX_NOTIFICATIONS = 1000;

/** Notices that one transaction takes. */
const AT_ONCE = 2000;

/** Returns those of the users whom the user of the account sees. */
type FindVisible = (ids: readonly PrincipalId[]) => Promise<readonly PrincipalId[]>;

/** Stands for a user whom the reader doesn't see. */
const SOMEBODY: JsonObject = Object.freeze({ name: '', email: null, principalId: null });

/**
 * Makes notifications of the notices for the user of an account, in a transaction of that account.
 * An object has one at most: a further change takes the place of the last one, and the rights of
 * before stay. None is left where the user has these rights again, or needs none any more.
 * Resolves to whether there may be more notices.
 */
export async function takeNotices(
  type: DataTypeDefinition,
  unit: UnitOfWork,
  findVisible: FindVisible,
): Promise<boolean> {
  const { transaction } = unit;
  const notices = await transaction.principals.notices(AT_ONCE);
  if (notices.length === 0) return false;
  const authors = notices.flatMap((one) => (one.kind === 'rights' ? one.changedBy : []));
  const visible = await findVisible([...new Set(authors)]);
  const users = await transaction.principals.users(visible);
  const names = new Map(users.map((user) => [user.id, user]));
  const stored = await transaction.get(type, { first: MAX_NOTIFICATIONS + 1 }, type.properties);
  const byObject = new Map(stored.map((object) => [objectKey(object), object]));
  /** By object: null where nothing is left to tell. */
  const born = new Map<string, StoredObject | null>();
  for (const notice of notices) {
    const key = objectKey({ ...notice });
    const earlier = (born.has(key) ? born.get(key) : byObject.get(key)) ?? null;
    born.set(key, mergedNotification(type, notice, { earlier, names }));
  }
  for (const [key, object] of byObject) if (born.has(key)) unit.destroy(type, object);
  const kept = [...byObject].flatMap(([key, object]) => (born.has(key) ? [] : object));
  const fresh = [...born.values()].filter((one) => one !== null);
  for (const one of oldest([...kept, ...fresh])) {
    if (!fresh.includes(one)) unit.destroy(type, one);
    else fresh.splice(fresh.indexOf(one), 1);
  }
  for (const object of fresh) unit.create(type, object);
  await transaction.endNotices(notices.map(({ key }) => key));
  return notices.length === AT_ONCE;
}

/** Returns those that are too many. */
function oldest(all: readonly StoredObject[]): readonly StoredObject[] {
  const surplus = all.length - MAX_NOTIFICATIONS;
  if (surplus <= 0) return [];
  return [...all].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, surplus);
}

/** Returns the key of the object that a notice or a notification is about. */
function objectKey(about: Readonly<Record<string, unknown>>): string {
  return ['objectAccountId', 'objectType', 'objectId'].map((name) => about[name]).join(' ');
}

/** Returns the notification of an object behind a notice; null for none. */
function mergedNotification(
  type: DataTypeDefinition,
  notice: KeptNotice,
  before: {
    readonly earlier: StoredObject | null;
    readonly names: ReadonlyMap<PrincipalId, KnownPrincipal>;
  },
): StoredObject | null {
  // Earlier versions wrote ends as `subscription`.
  if (notice.kind !== 'rights') return null;
  const { earlier, names } = before;
  const { id, at, newRights, name, objectType, objectAccountId, objectId } = notice;
  const oldRights = earlier === null ? notice.oldRights : (earlier['oldRights'] ?? null);
  if (jsonEqual(oldRights, newRights)) return null;
  const by = names.get(notice.changedBy);
  const values: JsonObject = {
    ...{ id, created: formatUtcDate(at), oldRights, newRights, name },
    ...{ objectType, objectAccountId, objectId },
    changedBy: by ? { name: by.name, email: emailOf(by), principalId: by.id } : SOMEBODY,
  };
  return Object.assign(emptyObject(), indexOf(type).blank, values) as StoredObject;
}
