import type { PushSubscription } from '../../accounts/push-port.js';
import { formatUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';

/** The properties that no answer has (RFC 8620 7.2.1). */
export const PRIVATE: readonly string[] = Object.freeze(['url', 'keys']);

/** The properties that our own capability adds: how the last pushes went. */
export const OUTCOMES: readonly string[] = Object.freeze([
  'lastSuccess',
  'lastFailure',
  'lastFailureReason',
]);

/** Returns a subscription in wire form, the private properties included. */
export function objectOf(subscription: PushSubscription): StoredObject {
  const { id, deviceClientId, url, keys, code, isVerified, types } = subscription;
  return {
    ...{ id, deviceClientId, url },
    keys: keys && { ...keys },
    verificationCode: isVerified ? code : null,
    expires: formatUtcDate(subscription.expires),
    types: types && [...types],
  };
}

/** Returns how the last pushes went. */
export function outcomesOf({
  lastSuccess,
  lastFailure,
  lastFailureReason,
}: PushSubscription): Readonly<Record<string, JsonValue>> {
  return { lastSuccess: dateOf(lastSuccess), lastFailure: dateOf(lastFailure), lastFailureReason };
}

function dateOf(time: number | null): string | null {
  return time === null ? null : formatUtcDate(time);
}
