import { randomBytes } from 'node:crypto';
import type { NewPushSubscription, PushKeys } from '../../accounts/push-port.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext } from '../context.js';
import { newObject, type PlannedCreate, refusal } from '../set/draft.js';
import type { SetPlan } from '../set/plan-set.js';
import { clock } from '../states.js';
import { TOO_FAST } from './creation-limits.js';
import { endOf, HOUR, MAX_CREATIONS, tokenEndOf } from './lifetime.js';
import type { PushServices } from './services.js';
import { pushOf } from './subscription-type.js';

/** A subscription that a client wants to exist, judged but for the limits. */
export interface PlannedSubscription {
  /** Creation id. */
  readonly key: string;
  readonly id: string;
  /** As the client sent it. */
  readonly sent: JsonObject;
  /** In wire form, the keys as they were sent. */
  readonly object: StoredObject;
  /** Null where it is refused. */
  readonly subscription: NewPushSubscription | null;
  readonly error: SetError | null;
}

const CODE_OCTETS = 24;

/**
 * Judges what needs no transaction: the values, and where the URLs lead. It looks up no more hosts
 * than the user may create subscriptions for; a URL that leads nowhere counts as a creation.
 */
export async function planCreates(
  { creates, index }: SetPlan,
  context: CallContext,
): Promise<readonly PlannedSubscription[]> {
  const { push } = pushOf(context);
  const { principal } = context.request;
  const { userId } = principal;
  const tokenEnd = tokenEndOf(principal);
  const now = clock(context.services);
  const judged = creates.map((create) => judgeValues(create, { index, tokenEnd, now, push }));
  const good = judged.filter(({ subscription }) => subscription !== null);
  if (good.length === 0) return judged;
  const created = await push.rows.countCreations(userId, now - HOUR);
  const lookedUp = new Set(good.slice(0, Math.max(0, MAX_CREATIONS - created)));
  const planned = await Promise.all(
    judged.map(async (one) => {
      if (one.subscription === null) return one;
      if (!lookedUp.has(one)) return { ...one, subscription: null, error: TOO_FAST };
      const { subscription } = one;
      if (await push.leadsOutside(subscription.url))
        return { ...one, subscription: await withPresentStates(subscription, context) };
      return { ...one, subscription: null, error: LEADS_NOWHERE };
    }),
  );
  const refused = planned.filter(({ error }) => error === LEADS_NOWHERE).map(({ id }) => id);
  if (refused.length > 0) await push.rows.countRefused(userId, refused, now);
  return planned;
}

/** It counts as told the states of before its commit: no later change is missed. */
async function withPresentStates(
  subscription: NewPushSubscription,
  context: CallContext,
): Promise<NewPushSubscription> {
  const { pusher } = pushOf(context).push;
  const lastId = await pusher.readPresentStates(context.request.principal, subscription.types);
  return { ...subscription, lastId };
}

interface Judging {
  readonly index: SetPlan['index'];
  readonly tokenEnd: number | null;
  readonly now: number;
  readonly push: PushServices;
}

/** Judges the values of a create; where it refuses none of them, it returns a subscription. */
function judgeValues(
  { key, draft, birth }: PlannedCreate,
  { index, tokenEnd, now, push }: Judging,
): PlannedSubscription {
  const { problems, sent } = draft;
  const { verificationCode = null, types = null } = draft.values;
  if (verificationCode !== null && !problems.has('verificationCode'))
    problems.add('verificationCode', 'must be null: the server makes the code and sends it');
  const expires = endOf(timeOf(draft.values['expires'] ?? null), { tokenEnd, now });
  if (expires === null) problems.add('expires', HAS_PASSED);
  const object = newObject(index, { ...draft.values, types: distinct(types) }, birth);
  const planned = { key, id: birth.id, sent, object };
  const error = refusal(draft) ?? judgeUrl(object['url'], push);
  if (error !== null || expires === null) return { ...planned, subscription: null, error };
  const whole = { ...object, expires: formatUtcDate(expires) };
  const subscription = subscriptionOf(whole, { expires, created: birth.time, push });
  return { ...planned, object: whole, subscription, error: null };
}

export const HAS_PASSED = 'must be a time to come';

const LEADS_NOWHERE = urlError('leads nowhere that pushes may go to');

function judgeUrl(url: JsonValue | undefined, push: PushServices): SetError | null {
  const problem = push.judgeUrl(String(url));
  return problem === null ? null : urlError(problem);
}

function urlError(problem: string): SetError {
  return setError('invalidProperties', `"url" ${problem}.`, { properties: ['url'] });
}

function subscriptionOf(
  { id, deviceClientId, url, keys, types }: StoredObject,
  more: { readonly expires: number; readonly created: number; readonly push: PushServices },
): NewPushSubscription {
  const { expires, created, push } = more;
  return {
    ...{ id, expires, created },
    deviceClientId: String(deviceClientId),
    url: String(url),
    host: new URL(String(url)).hostname,
    keys: storedKeys(keys, push),
    types: namesOf(types),
    lastId: null,
    code: randomBytes(CODE_OCTETS).toString('base64url'),
  };
}

/** The validator has judged them. */
function storedKeys(keys: JsonValue | undefined, { judgeKeys }: PushServices): PushKeys | null {
  const judged = isJsonObject(keys) ? judgeKeys(keys) : null;
  return typeof judged === 'string' ? null : judged;
}

/** Returns a list of names with each once. */
export function distinct(types: JsonValue): JsonValue {
  return Array.isArray(types) ? [...new Set(types as readonly JsonValue[])] : types;
}

export function namesOf(types: JsonValue | undefined): readonly string[] | null {
  return Array.isArray(types) ? (types as readonly string[]) : null;
}

/** Returns the time of a UTCDate; null for null, and for what the draft has refused. */
export function timeOf(date: JsonValue): number | null {
  return typeof date === 'string' ? parseUtcDate(date) : null;
}
