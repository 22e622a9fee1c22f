import type { PropertyDefinition } from '../capability/definition.js';
import type { GetArguments, GetResponse } from '../capability/standard.js';
import { MethodError } from '../protocol/errors.js';
import { turn } from '../protocol/slices.js';
import type { Snapshot, StateAndObjects, StoredObject } from '../store/port.js';
import { accountOf } from './accounts.js';
import type { CallContext } from './context.js';
import { type AskedIds, distinctIds } from './creation-ids.js';
import { quoted, sentence } from './issues.js';
import { isMany } from './many.js';
import { MAX_UNKNOWN, propertiesNamed } from './properties.js';
import { SINGLETON_ID, unwrittenSingleton } from './set/singleton.js';
import { formatState } from './states.js';
import { indexOf, type TypeIndex } from './type-index.js';

/** Foo/get (RFC 8620 5.1, D12). No promise where the store answers at once. */
export function get(
  type: TypeIndex['type'],
  args: GetArguments,
  context: CallContext,
): GetResponse | Promise<GetResponse> {
  const account = accountOf(context);
  const properties = requestedProperties(indexOf(type), args.properties ?? null);
  const asked = args.ids ?? null;
  const maximum = context.services.limits.maxObjectsInGet;
  if (asked !== null && asked.length > maximum) tooMany(maximum);
  const { foresight } = context.request;
  const whole = asked && foresight?.all(context, type, asked, properties);
  if (whole) {
    const state = formatState(whole.number);
    return { accountId: account.id, state, list: whole.objects, notFound: [] };
  }
  const ids = asked === null ? null : distinctIds(asked, context.request.createdIds);
  const seen = ids && foresight?.answer(context, type, ids, properties);
  if (ids && seen) {
    const { list, notFound } = sorted(ids, seen.objects);
    return { accountId: account.id, state: formatState(seen.number), list, notFound };
  }
  const wait = ids !== null && isMany(ids.existing.size) ? turn() : null;
  return wait === null
    ? read(type, ids, properties, context)
    : wait.then(() => read(type, ids, properties, context));
}

function read(
  type: TypeIndex['type'],
  ids: AskedIds | null,
  properties: readonly PropertyDefinition[],
  context: CallContext,
): GetResponse | Promise<GetResponse> {
  const account = accountOf(context);
  const { store } = context.services;
  if (ids !== null && type.singleton !== true && store.instant !== undefined) {
    const { deadline, request } = context;
    const wanted = [...ids.existing.keys()];
    const found = store.instant.objects(
      ...([account.id, deadline, type, wanted, properties, request.remainingOctets] as const),
    );
    const response = ({ number, objects }: StateAndObjects): GetResponse => {
      const state = formatState(number);
      return { accountId: account.id, state, ...sorted(ids, objects) };
    };
    if (found instanceof Promise) return found.then(response);
    if (found !== null) return response(found);
  }
  const options = { deadline: context.deadline, once: true };
  return store.read(account.id, options, async (snapshot) => {
    // Asked together: one round trip where the database is another process.
    const [number, list] = await Promise.all([
      snapshot.stateNumber(type),
      found(snapshot, type, ids, properties, context),
    ]);
    const response = { accountId: account.id, state: formatState(number) };
    return ids === null
      ? { ...response, list, notFound: [] }
      : { ...response, ...sorted(ids, list) };
  });
}

/** The objects of these ids; all where there are none. */
async function found(
  snapshot: Snapshot,
  type: TypeIndex['type'],
  ids: AskedIds | null,
  properties: readonly PropertyDefinition[],
  context: CallContext,
): Promise<readonly StoredObject[]> {
  if (type.singleton === true) {
    return [await theSingleton(snapshot, indexOf(type), properties, context)];
  }
  if (ids === null) {
    return allObjects(snapshot, type, properties, context.services.limits.maxObjectsInGet, context);
  }
  const octets = context.request.remainingOctets;
  return snapshot.get(type, [...ids.existing.keys()], properties, octets);
}

/** `list` in the order of the ids asked for; `notFound` as they were asked for. */
function sorted(
  ids: AskedIds,
  found: readonly StoredObject[],
): { readonly list: readonly StoredObject[]; readonly notFound: readonly string[] } {
  if (isInOrder(ids, found)) return { list: found, notFound: [] };
  const byId = new Map(found.map((object) => [object.id, object]));
  const list: StoredObject[] = [];
  const notFound: string[] = [];
  for (const [id, text] of ids.existing) {
    const object = byId.get(id);
    if (object === undefined) notFound.push(text);
    else list.push(object);
  }
  notFound.push(...ids.unresolved);
  return { list, notFound };
}

/** All of them, as they were asked for. */
function isInOrder({ existing, unresolved }: AskedIds, found: readonly StoredObject[]): boolean {
  if (found.length !== existing.size || unresolved.size > 0) return false;
  let index = 0;
  for (const id of existing.keys()) {
    if (found[index]?.id !== id) return false;
    index += 1;
  }
  return true;
}

/** It is always there: with its defaults before anything was written. */
async function theSingleton(
  snapshot: Snapshot,
  index: TypeIndex,
  properties: readonly PropertyDefinition[],
  context: CallContext,
): Promise<StoredObject> {
  const octets = context.request.remainingOctets;
  const [found] = await snapshot.get(index.type, [SINGLETON_ID], properties, octets);
  if (found !== undefined) return found;
  const unwritten = unwrittenSingleton(index);
  const shown = properties.map(({ name }) => [name, unwritten[name] ?? null]);
  return Object.fromEntries(shown) as StoredObject;
}

async function allObjects(
  snapshot: Snapshot,
  type: TypeIndex['type'],
  properties: readonly PropertyDefinition[],
  maximum: number,
  context: CallContext,
): Promise<readonly StoredObject[]> {
  const octets = context.request.remainingOctets;
  const list = await snapshot.getAll(type, maximum + 1, properties, octets);
  if (list.length > maximum) tooMany(maximum);
  return list;
}

/** 5.1: null is all; the id is always there; an unknown name is refused. */
function requestedProperties(
  index: TypeIndex,
  names: readonly string[] | null,
): readonly PropertyDefinition[] {
  const { type } = index;
  if (names === null) return index.visible;
  const { properties, unknown } = propertiesNamed(index, names);
  if (unknown.length > 0) {
    const legal = index.visible.map((property) => property.name).join(', ');
    const what = sentence(unknown.map((name) => `no property ${quoted(name)}`));
    const rest =
      unknown.length < MAX_UNKNOWN
        ? ''
        : ` Names behind the first ${MAX_UNKNOWN} unknown ones were not looked at.`;
    const description = `"properties": ${what}${rest} ${type.name} has ${legal}.`;
    throw new MethodError('invalidArguments', description);
  }
  return properties;
}

function tooMany(maximum: number): never {
  throw new MethodError('requestTooLarge', `More objects than maxObjectsInGet (${maximum}).`);
}
