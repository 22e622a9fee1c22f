import { allRights, rightsOfMarks, withRights } from '../../access/rights.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { OWNER } from '../../capability/scopes.js';
import type { GetArguments, GetResponse } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import { FEW_OBJECTS } from '../../runtime/slices.js';
import type { StateAndObjects, StoredObject, View } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import { askedAlways } from '../answered-index.js';
import type { Answer, CallContext, MethodLimits } from '../context.js';
import { type DistinctIds, distinctIds } from '../creation-ids.js';
import { quoted, sentence } from '../issues.js';
import { planOfIds, planOfView } from '../query/visible-plans.js';
import { SINGLETON_ID, unwrittenSingleton } from '../set/draft.js';
import { indexOf, MAX_UNKNOWN, propertiesNamed, type TypeIndex } from '../type-index.js';
import { formatStateOf, knownTypeOf, stateViewOf, viewerOf, viewOf } from '../view-of-call.js';
import { addAnswers, type Requested, withSources } from './add-answers.js';
import { addUserValues } from './add-user-values.js';
import { shownObjects } from './shown-objects.js';

/** Answers Foo/get (RFC 8620 5.1). */
export async function get(args: GetArguments, context: CallContext): Promise<Answer> {
  const type = knownTypeOf(context, typeOf(context));
  return answerGet(args, context, type, (wanted) => read(type, wanted, context));
}

/** The objects of a /get: null is for all. */
export interface ObjectsToRead {
  readonly ids: readonly string[] | { readonly first: number };
  readonly properties: readonly PropertyDefinition[];
}

/** Answers a /get of objects that `readObjects` reads with their state, from one snapshot. */
export async function answerGet(
  args: GetArguments,
  context: CallContext,
  type: DataTypeDefinition,
  readObjects: (wanted: ObjectsToRead) => Promise<StateAndObjects>,
): Promise<Answer> {
  const { id: accountId } = accountOf(context);
  const { limits, conductor } = context.services;
  const view = stateViewOf(context, type);
  const { properties, asked } = requestedProperties(indexOf(type), args.properties ?? null);
  const requestedIds = args.ids ?? null;
  requireGetLimit(requestedIds, limits);
  const { readAhead, createdIds, remainingOctets } = context.request;
  // It has read all properties.
  const readEarlier =
    type.hidden === undefined ? readAhead?.answer(requestedIds, remainingOctets) : undefined;
  if (readEarlier) {
    const state = formatStateOf(readEarlier.number, view);
    const list = await shownObjects(type, readEarlier.objects, context);
    return context.admit<GetResponse>({ accountId, state, list, notFound: [] });
  }
  const ids = requestedIds === null ? null : distinctIds(requestedIds, createdIds);
  if (ids !== null && ids.existing.size > FEW_OBJECTS) await conductor.begin();
  // Its hook sees all that it declares.
  const needed = asked === null ? properties : withSources(indexOf(typeOf(context)), properties);
  const first = limits.maxObjectsInGet + 1;
  const wanted = { ids: ids === null ? { first } : [...ids.existing.keys()], properties: needed };
  const { number, objects: read } = await readObjects(wanted);
  if (ids === null && read.length >= first) tooMany(limits.maxObjectsInGet);
  const objects = await shownObjects(type, read, context);
  const { list, notFound } = ids === null ? { list: objects, notFound: [] } : sorted(ids, objects);
  const answered = asked === null ? list : await addAnswers(list, { properties, asked }, context);
  const state = formatStateOf(number, view);
  return context.admit<GetResponse>({ accountId, state, list: answered, notFound });
}

/** Throws `requestTooLarge` for more ids than maxObjectsInGet. */
export function requireGetLimit(
  ids: readonly string[] | null | undefined,
  { maxObjectsInGet }: Pick<MethodLimits, 'maxObjectsInGet'>,
): void {
  if ((ids ?? []).length > maxObjectsInGet) tooMany(maxObjectsInGet);
}

/** Returns objects of a type from the store, with the state. */
async function read(
  type: DataTypeDefinition,
  { ids, properties }: ObjectsToRead,
  context: CallContext,
): Promise<StateAndObjects> {
  const { deadline, request, services } = context;
  const view = viewOf(context, type);
  if (view !== null) return readVisible(context, { type, view, ids, properties });
  const stateView = stateViewOf(context, type);
  if (stateView !== null) return readWhole(context, { type, view: stateView, ids, properties });
  const isSingleton = type.singleton === true;
  const found = await services.store.readObjects({
    accountId: accountOf(context).id,
    deadline,
    type,
    properties,
    ids: isSingleton ? [SINGLETON_ID] : ids,
    maxOctets: request.remainingOctets,
  });
  if ((isSingleton && found.objects.length === 0) || type.share !== undefined)
    return { ...found, objects: wholeObjects(type, found.objects, properties) };
  return found;
}

/** Returns objects as a user reads them who sees all and may do everything. */
function wholeObjects(
  type: DataTypeDefinition,
  found: readonly StoredObject[],
  properties: readonly PropertyDefinition[],
): readonly StoredObject[] {
  if (type.singleton === true && found.length === 0) return [unwritten(indexOf(type), properties)];
  if (type.share === undefined) return found;
  const rights = allRights(type);
  return found.map((one) => withRights(type, one, rights, properties));
}

/** Returns objects of a type with values of each user, for a user who sees all of them. */
function readWhole(
  context: CallContext,
  { type, view, ids, properties }: ObjectsToRead & VisibleType,
): Promise<StateAndObjects> {
  const { deadline, request, services } = context;
  const wanted = type.singleton === true ? [SINGLETON_ID] : ids;
  return services.store.read(accountOf(context).id, { deadline }, async (snapshot) => {
    const number = await snapshot.viewNumber(type, view);
    const maxOctets = request.remainingOctets;
    const found = await snapshot.get(type, wanted, properties, maxOctets);
    const read = { objects: wholeObjects(type, found, properties), properties, maxOctets };
    return { number, objects: await addUserValues(snapshot, type, read, viewerOf(context)) };
  });
}

/** Returns the objects that are in a view, with its number. */
function readVisible(
  context: CallContext,
  { type, view, ids, properties }: ObjectsToRead & VisibleType,
): Promise<StateAndObjects> {
  const { deadline, request, services } = context;
  const isAll = 'first' in ids;
  const plan = isAll
    ? planOfView({ filter: { kind: 'all' }, sort: [] }, view)
    : planOfIds(type, view, ids);
  const window = { position: 0, limit: isAll ? ids.first : ids.length };
  const maxOctets = request.remainingOctets;
  return services.store.read(accountOf(context).id, { deadline }, async (snapshot) => {
    const number = await snapshot.viewNumber(type, view);
    if (window.limit === 0) return { number, objects: [] };
    const page = await snapshot.page(type, plan, window, { properties, maxOctets });
    const read = page.found?.objects ?? (await snapshot.get(type, page.ids, properties, maxOctets));
    const found = { objects: read, properties, maxOctets };
    const objects = await addUserValues(snapshot, type, found, viewerOf(context));
    if (!properties.some(followsRights)) return { number, objects };
    const marks = await snapshot.marksHeld(type, view, page.ids);
    const isOwner = view.scopes.includes(OWNER);
    const shown = objects.map((object) => {
      const rights = rightsOfMarks(type, marks.get(object.id) ?? [], isOwner);
      return withRights(type, object, rights, properties);
    });
    return { number, objects: shown };
  });
}

/** Returns whether a user's rights at an object decide what the user reads of the property. */
function followsRights({ role }: PropertyDefinition): boolean {
  return role === 'myRights' || role === 'shareWith';
}

interface VisibleType {
  readonly type: DataTypeDefinition;
  readonly view: View;
}

/** `list` in the order of the ids asked for; `notFound` as they were asked for. */
function sorted(
  ids: DistinctIds,
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

/** Returns whether these are all of them, as they were asked for. */
function isInOrder({ existing, unresolved }: DistinctIds, found: readonly StoredObject[]): boolean {
  if (found.length !== existing.size || unresolved.size > 0) return false;
  let index = 0;
  for (const id of existing.keys()) {
    if (found[index]?.id !== id) return false;
    index += 1;
  }
  return true;
}

/** A singleton is always there: with its defaults before anything was written. */
function unwritten(index: TypeIndex, properties: readonly PropertyDefinition[]): StoredObject {
  const object = unwrittenSingleton(index);
  const shown = properties.filter(({ name }) => Object.hasOwn(object, name));
  return Object.fromEntries(shown.map(({ name }) => [name, object[name]])) as StoredObject;
}

/** 5.1: null is all; the id is always there; an unknown name is refused. */
function requestedProperties(index: TypeIndex, names: readonly string[] | null): Requested {
  const { type } = index;
  if (names === null)
    return {
      properties: index.shown,
      asked: index.answered === null ? null : askedAlways(index.answered),
    };
  const { properties, asked, unknown } = propertiesNamed(index, names);
  if (unknown.size > 0) {
    const all = [...index.visible, ...(type.answered ?? [])];
    const legal = all.map(({ name }) => name).join(', ');
    const what = sentence(
      [...unknown].map(
        ([name, why]) => `no property ${quoted(name)}${why === '' ? '' : ` ${why}`}`,
      ),
    );
    const unread =
      unknown.size < MAX_UNKNOWN
        ? ''
        : ` Names behind the first ${MAX_UNKNOWN} unknown ones were not looked at.`;
    const description = `"properties": ${what}${unread} ${type.name} has ${legal}.`;
    throw new MethodError('invalidArguments', description);
  }
  return { properties, asked };
}

function tooMany(maximum: number): never {
  throw new MethodError('requestTooLarge', `More objects than maxObjectsInGet (${maximum}).`);
}
