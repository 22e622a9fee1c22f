import type { VapidKeys } from '../accounts/index.js';
import { holdsBlobs } from '../capability/places.js';
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
import type { RuntimeMembers } from '../protocol/session.js';
import type { Limits } from './config.js';

const CORE = 'urn:ietf:params:jmap:core';
const WEBSOCKET = 'urn:ietf:params:jmap:websocket';
const ONCE = 'urn:jmapsmith:once';
const REFERENCE = 'urn:jmapsmith:reference';
export const PUSH = 'urn:jmapsmith:push';
export const VAPID = 'urn:ietf:params:jmap:webpush-vapid';
export const BLOB = 'urn:ietf:params:jmap:blob';

const SUBSCRIPTION_LIMITS = Object.freeze({
  maxSubscriptionsOfToken: MAX_PER_TOKEN,
  maxSubscriptionsOfUser: MAX_PER_USER,
  maxCreationsInHour: MAX_CREATIONS,
  longestLifeSeconds: LONGEST_LIFE / 1000,
});

/**
 * Returns, by URN, the session's members that only the running process knows. `push` is null where
 * there are no push subscriptions.
 */
export function runtimeMembers(
  limits: Limits,
  registry: Registry,
  push: { readonly vapid: Pick<VapidKeys, 'current'> | null } | null,
): ReadonlyMap<string, RuntimeMembers> {
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
    [BLOB, { account: blob }],
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
