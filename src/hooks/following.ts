import { HookError } from '../methods/hook-errors.js';
import { quoted } from '../methods/issues.js';
import type { FollowUp } from '../methods/once.js';
import type { Registry } from '../methods/registry.js';
import { isId } from '../protocol/ids.js';
import { isJsonArray, isJsonObject, isPlainObject, type JsonValue } from '../protocol/json.js';
import { copyValue } from './values.js';

/** The result of a hook, apart from the calls that follow. */
export interface DividedResult {
  readonly result: unknown;
  readonly followUps: readonly FollowUp[];
}

const SHAPE = 'a list of calls such as [["Todo/set", { accountId, destroy }]]';

/** Takes `then` out of what a hook gave. Throws HookError where it is no list of known calls. */
export function divideResult(
  what: string,
  value: unknown,
  { methods }: Pick<Registry, 'methods'>,
): DividedResult {
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return whole(value);
  if (!Object.hasOwn(value, 'then')) return whole(value);
  const { then, ...result } = value as { readonly then?: unknown };
  if (then === undefined) return { result, followUps: [] };
  const calls = copyValue(what, then);
  if (!isJsonArray(calls)) throw new HookError(what, `gave "then" that is not ${SHAPE}`);
  return { result, followUps: calls.map((call) => followUpOf(what, call, methods)) };
}

function whole(result: unknown): DividedResult {
  return { result, followUps: [] };
}

function followUpOf(what: string, call: JsonValue, methods: Registry['methods']): FollowUp {
  const [name = null, args = null, ...rest] = isJsonArray(call) ? call : [];
  if (typeof name !== 'string' || !isJsonObject(args) || rest.length > 0)
    throw new HookError(what, `gave "then" that is not ${SHAPE}`);
  if (!methods.has(name))
    throw new HookError(what, `gave "then" with the method ${quoted(name)}, which there is not`);
  return { name, args };
}

/** The response of an own method, apart from the creation ids that it adds to the request's. */
export interface OwnResult {
  readonly response: unknown;
  readonly createdIds: readonly (readonly [creationId: string, id: string])[];
}

/** Takes `createdIds` out of what an own method gave. Throws HookError for anything but Ids. */
export function takeCreatedIds(what: string, value: unknown): OwnResult {
  if (typeof value !== 'object' || value === null || !isPlainObject(value))
    return { response: value, createdIds: [] };
  const { createdIds = {}, ...response } = value as { readonly createdIds?: unknown };
  const given = copyValue(what, createdIds);
  if (!isJsonObject(given)) throw new HookError(what, `gave "createdIds" that is no object of ids`);
  const ids = Object.entries(given).map(([creationId, id]) => {
    if (isId(creationId) && typeof id === 'string' && isId(id)) return [creationId, id] as const;
    const entry = quoted(JSON.stringify({ [creationId]: id }));
    throw new HookError(what, `gave "createdIds" with ${entry}: both are Ids`);
  });
  return { response, createdIds: ids };
}
