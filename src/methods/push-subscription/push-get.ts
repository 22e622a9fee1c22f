import type {
  PushSubscriptionGetArguments,
  PushSubscriptionGetResponse,
} from '../../../generated/core/methods.js';
import type { PushSubscription } from '../../accounts/push-port.js';
import { MethodError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { Answer, CallContext } from '../context.js';
import { distinctIds } from '../creation-ids.js';
import { requireGetLimit } from '../get/get.js';
import { quoted, sentence } from '../issues.js';
import { indexOf, MAX_UNKNOWN } from '../type-index.js';
import { OUTCOMES, objectOf, outcomesOf, PRIVATE } from './subscription-object.js';
import { pushOf } from './subscription-type.js';

/** Answers PushSubscription/get (RFC 8620 7.2.1): the subscriptions of the request's token. */
export async function pushSubscriptionGet(
  args: PushSubscriptionGetArguments,
  context: CallContext,
): Promise<Answer> {
  const { push, type } = pushOf(context);
  const { principal, using, createdIds } = context.request;
  const { limits } = context.services;
  const shown = indexOf(type).visible.map(({ name }) => name);
  const others = using.has(push.capability) ? OUTCOMES : [];
  const legal = [...shown.filter((name) => !PRIVATE.includes(name)), ...others];
  const properties = requestedProperties(args.properties ?? null, legal);
  requireGetLimit(args.ids, limits);
  const ids = args.ids ? distinctIds(args.ids, createdIds) : null;
  const which =
    ids === null ? { first: limits.maxObjectsInGet + 1 } : { ids: [...ids.existing.keys()] };
  const found = await push.rows.list(principal.credential.owner, which);
  requireGetLimit(
    found.map(({ id }) => id),
    limits,
  );
  const byId = new Map(found.map((one) => [one.id, one]));
  const list: JsonObject[] = [];
  const notFound: string[] = [];
  for (const [id, text] of ids?.existing ?? found.map((one) => [one.id, one.id] as const)) {
    const one = byId.get(id);
    if (one === undefined) notFound.push(text);
    else list.push(shownOf(one, properties));
  }
  notFound.push(...(ids?.unresolved ?? []));
  return context.admit<PushSubscriptionGetResponse>({ list, notFound });
}

function shownOf(subscription: PushSubscription, properties: readonly string[]): JsonObject {
  const all: JsonObject = { ...objectOf(subscription), ...outcomesOf(subscription) };
  const shown = emptyObject();
  for (const name of properties) shown[name] = all[name] ?? null;
  return shown;
}

/** Returns the names to answer, the id first. Throws for private and unknown ones. */
function requestedProperties(
  names: readonly string[] | null,
  legal: readonly string[],
): readonly string[] {
  if (names === null) return legal;
  const secret = names.find((name) => PRIVATE.includes(name));
  if (secret !== undefined) {
    const why = `"properties": ${quoted(secret)} is private to the device; no answer has it.`;
    throw new MethodError('forbidden', why);
  }
  const asked = new Set(names);
  const unknown = [...asked].filter((name) => !legal.includes(name)).slice(0, MAX_UNKNOWN);
  if (unknown.length > 0) {
    const what = sentence(unknown.map((name) => `no property ${quoted(name)}`));
    throw new MethodError(
      'invalidArguments',
      `"properties": ${what} PushSubscription has ${legal.join(', ')}.`,
    );
  }
  return legal.filter((name) => name === 'id' || asked.has(name));
}
