import type { VapidKeys } from '../accounts/index.js';
import { holdsBlobs } from '../capability/places.js';
import { PRINCIPALS, PRINCIPALS_OWNER, principalAccountId } from '../capability/principal-names.js';
import type { StateEpoch } from '../database/state-epoch.js';
import { listTellingTypes } from '../hooks/telling-types.js';
import { DIGEST_ALGORITHMS } from '../methods/blob/blob-get.js';
import { MAX_DATA_SOURCES } from '../methods/blob/upload-object.js';
import {
  LONGEST_LIFE,
  MAX_CREATIONS,
  MAX_PER_TOKEN,
  MAX_PER_USER,
} from '../methods/push-subscription/lifetime.js';
import { COLLATIONS } from '../methods/query/query-plan.js';
import type { Registry } from '../methods/registry.js';
import { findTypeMode, type Narrowing } from '../protocol/access-modes.js';
import type { JsonObject } from '../protocol/json.js';
import {
  BLOB,
  type RuntimeMembers,
  type SessionAccount,
  type SessionOwner,
} from '../protocol/session.js';
import type { Limits } from './config.js';

const CORE = 'urn:ietf:params:jmap:core';
const WEBSOCKET = 'urn:ietf:params:jmap:websocket';
const ONCE = 'urn:jmapsmith:once';
const REFERENCE = 'urn:jmapsmith:reference';
const SYNC = 'urn:jmapsmith:sync';
export const PUSH = 'urn:jmapsmith:push';
export const VAPID = 'urn:ietf:params:jmap:webpush-vapid';

const SUBSCRIPTION_LIMITS = Object.freeze({
  maxSubscriptionsOfToken: MAX_PER_TOKEN,
  maxSubscriptionsOfUser: MAX_PER_USER,
  maxCreationsInHour: MAX_CREATIONS,
  longestLifeSeconds: LONGEST_LIFE / 1000,
});

/** The parts of a process that the session tells of. */
export interface SessionParts {
  readonly limits: Limits;
  readonly registry: Registry;
  /** Null where there are no push subscriptions. */
  readonly push: { readonly vapid: Pick<VapidKeys, 'current'> | null } | null;
  readonly epoch: Pick<StateEpoch, 'current'>;
}

/** Returns, by URN, the session's members that only the running process knows. */
export function runtimeMembers({
  limits,
  registry,
  push,
  epoch,
}: SessionParts): ReadonlyMap<string, RuntimeMembers> {
  const core = {
    maxSizeUpload: limits.maxSizeUpload,
    maxConcurrentUpload: limits.maxConcurrentUpload,
    maxSizeRequest: limits.maxSizeRequest,
    maxConcurrentRequests: limits.maxConcurrentRequests,
    maxCallsInRequest: limits.maxCallsInRequest,
    maxObjectsInGet: limits.maxObjectsInGet,
    maxObjectsInSet: limits.maxObjectsInSet,
    collationAlgorithms: [...COLLATIONS],
  };
  const syncTypes = syncTypesOf(registry);
  const types = [...registry.dataTypes.values()].filter(({ properties }) =>
    properties.some(holdsBlobs),
  );
  const blob = (owner: Narrowing): JsonObject => ({
    maxSizeBlobSet: limits.maxSizeUpload,
    maxDataSources: MAX_DATA_SOURCES,
    supportedTypeNames: types
      .filter((type) => findTypeMode(owner, type) !== null)
      .map(({ name }) => name),
    supportedDigestAlgorithms: [...DIGEST_ALGORITHMS],
  });
  return new Map<string, RuntimeMembers>([
    [CORE, { session: () => core, primary: false }],
    [
      WEBSOCKET,
      {
        session: (base) => ({ url: `${base.replace(/^http/, 'ws')}/jmap/ws`, supportsPush: true }),
      },
    ],
    [REFERENCE, { session: (base) => ({ url: `${base}/jmap/reference?capability={capability}` }) }],
    [ONCE, { session: () => ({ keepSeconds: limits.onceKeep / 1000 }) }],
    [SYNC, { session: (_, owner) => ({ epoch: epoch.current, types: syncTypes(owner) }) }],
    [BLOB, { account: blob }],
    [PRINCIPALS, { account: ({ userId = null }) => ({ currentUserPrincipalId: userId }) }],
    [
      VAPID,
      { session: () => ({ applicationServerKey: push?.vapid?.current?.publicText ?? null }) },
    ],
    [
      PUSH,
      {
        session: () => ({
          // The event source takes the id of the last event by it where a header can't be sent.
          lastEventIdParameter: 'lastEventId',
          ...(push === null ? {} : SUBSCRIPTION_LIMITS),
        }),
      },
    ],
  ]);
}

/** Returns the entry that names the principal of an account (RFC 9670 1.5.2). */
export function ownerEntry(
  { userId, accounts }: SessionOwner,
  { ownerId }: SessionAccount,
): JsonObject {
  const accountId = userId === undefined ? undefined : principalAccountId(userId);
  if (ownerId === undefined || accountId === undefined || !accounts.has(accountId)) return {};
  return { [PRINCIPALS_OWNER]: { accountIdForPrincipal: accountId, principalId: ownerId } };
}

/** Returns how to list the data types that somebody reaches, each with its facts for clients. */
function syncTypesOf(registry: Registry): (owner: Narrowing) => JsonObject {
  const telling = listTellingTypes(registry);
  const facts = Array.from(registry.dataTypes.values(), (type) => {
    const { name, capability } = type;
    // Code of an older generator has no hash of the type alone.
    const hash = type.hash ?? registry.capabilities.get(capability)?.descriptorHash ?? '';
    return { name, capability, fact: { hash, setTellsAll: telling.has(name) } };
  });
  return (owner) =>
    Object.fromEntries(
      facts
        .filter((type) => findTypeMode(owner, type) !== null)
        .map(({ name, fact }) => [name, fact]),
    );
}
