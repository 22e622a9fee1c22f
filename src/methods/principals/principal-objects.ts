import type { DataTypeDefinition } from '../../capability/definition.js';
import { FORMATS } from '../../capability/formats/index.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { groupBy } from '../../runtime/group-by.js';
import type {
  KnownPrincipal,
  PrincipalFacts,
  ReachedAccount,
  StoredObject,
} from '../../store/port.js';
import { indexOf } from '../type-index.js';

/** RFC 9670 2 wants an address of RFC 5322, which is ASCII. */
const ASCII = /^[ -~]+$/;

/**
 * Returns the email address of a principal: the name, where that is one and an operator has given
 * it. Users of a provider may choose their names, and so the address of somebody else.
 */
export function emailOf({ name, isNamedByProvider }: Omit<KnownPrincipal, 'id'>): string | null {
  if (isNamedByProvider) return null;
  return ASCII.test(name) && FORMATS.email.isLegal(name) ? name : null;
}

/** Returns the principals that a viewer sees, as they are stored in its account. */
export function principalObjects(
  type: DataTypeDefinition,
  viewer: string,
  { principals, accounts }: PrincipalFacts,
): ReadonlyMap<string, StoredObject> {
  const owned = groupBy(accounts, ({ ownerId }) => ownerId);
  return new Map(
    principals.map((one) => [one.id, principalObject(type, viewer, one, owned.get(one.id) ?? [])]),
  );
}

function principalObject(
  type: DataTypeDefinition,
  viewer: string,
  principal: KnownPrincipal,
  accounts: readonly ReachedAccount[],
): StoredObject {
  const { id, name, isGroup } = principal;
  const values: JsonObject = {
    ...{ id, type: isGroup ? 'group' : 'individual', name, description: null, timeZone: null },
    email: emailOf(principal),
    capabilities: {},
    accounts: accounts.length === 0 ? null : accountsById(viewer, accounts),
    // An address is the name, and there is no description.
    words: name,
  };
  return Object.assign(emptyObject(), indexOf(type).blank, values) as StoredObject;
}

/**
 * Returns what is stored of accounts: another value whenever the session would show another one. A
 * /get shows what the session does.
 */
function accountsById(viewer: string, accounts: readonly ReachedAccount[]): JsonObject {
  const sorted = [...accounts].sort((a, b) => (a.id < b.id ? -1 : 1));
  const entries = sorted.map(({ id, name, ownerId, isReadOnly, isShared, capabilities }) => {
    const facts: JsonValue = { name, isPersonal: ownerId === viewer, isReadOnly, isShared };
    return [id, { ...facts, capabilities }] as const;
  });
  return Object.assign(emptyObject(), Object.fromEntries(entries));
}
