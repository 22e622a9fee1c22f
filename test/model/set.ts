import type { ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { equal, named, type Stored, same, shown, typeOf } from './account.js';
import {
  agree,
  agreeOn,
  agreeOnDate,
  agreeOnError,
  agreeOnIds,
  agreeOnMembers,
  agreeOnRefusals,
  entries,
} from './agree.js';
import { type Judged, judgeCreate, judgeUpdate, type Resolve } from './judge.js';
import {
  judgeCall,
  type Operation,
  type Refusal,
  type Settled,
  unknownReferences,
} from './judge-call.js';
import { idsAt, linksOf, mapPlaces } from './places.js';
import { isMap } from './schema.js';
import type { Account, Scope } from './world.js';

/** A create that has no id yet, within one call. */
const TEMPORARY = 'temp-';

/** The results of the entries of a call before they are judged together. */
export interface Entries {
  readonly operations: readonly Operation[];
  /** Refused by itself: creates by creation id, updates by the id as sent. */
  readonly notCreated: Map<string, Refusal>;
  readonly notUpdated: Map<string, Refusal>;
  /** Of creates and updates that are refused: what they would have stored, and instead of what. */
  readonly refusedValues: readonly RefusedValue[];
  readonly destroys: readonly string[];
  /** Updates of what creates of the call are to make: the id as sent, and the creation id. */
  readonly ofCreates: ReadonlyMap<string, string>;
}

interface RefusedValue {
  readonly key: string;
  readonly isCreate: boolean;
  readonly after: Stored;
  readonly before: Stored | undefined;
  readonly bad: readonly string[];
}

export interface Outcome extends Settled {
  readonly wanted: Entries;
}

export const temporary = (key: string): string => `${TEMPORARY}${key}`;

/** RFC 8620 5.3. Takes what the server answered into the model. */
export function checkSet(
  scope: Scope,
  account: Account,
  typeName: string,
  args: JsonMap,
  [name, response]: readonly [string, JsonMap],
): void {
  const what = `${typeName}/set`;
  const type = typeOf(scope.types, typeName);
  const oldState = String(account.shelf(typeName).state);
  const ifInState = args['ifInState'] ?? null;
  if (ifInState !== null && ifInState !== oldState) {
    agreeOnError(what, name, response, 'stateMismatch');
    return;
  }
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  agree(`${what}: accountId`, response['accountId'], account.id);
  const creates = isMap(args['create']) ? args['create'] : {};
  // A reference to another type can't mean what this call creates.
  const resolve: Resolve = (key, of = typeName) =>
    of === typeName && Object.hasOwn(creates, key) ? temporary(key) : scope.createdIds.get(key);
  const { wanted, notDestroyed, sentAs } = want(type, account, args, creates, resolve);
  const outcome = settled(scope, account, type, wanted);
  const { refused, kept } = outcome;
  const ids = (id: string) => (id.startsWith(TEMPORARY) ? (bound.get(id) ?? id) : id);
  const bound = bindIds(scope, type, outcome, response);
  const { notCreated, notUpdated } = refusals(type, outcome, ids);
  const gone = wanted.destroys.filter((id) => !outcome.proposed.get(typeName)?.has(id));
  for (const [id, keys] of sentAs) {
    const stays = kept.get(id);
    for (const key of keys) {
      if (stays !== undefined) notDestroyed.set(key, withIds(stays, ids));
      else if (gone.includes(id)) notDestroyed.set(key, { type: 'notFound' });
    }
  }
  agreeOnRefusals(`${what} notCreated`, entries(response, 'notCreated'), notCreated);
  agreeOnRefusals(`${what} notUpdated`, entries(response, 'notUpdated'), notUpdated);
  agreeOnRefusals(`${what} notDestroyed`, entries(response, 'notDestroyed'), notDestroyed);
  const before = account.contents();
  account.take(scope, outcome, ids);
  agree(`${what}: oldState`, response['oldState'], oldState);
  agree(`${what}: newState`, response['newState'], String(account.shelf(typeName).state));
  agreeOnMembers(what, response, ['accountId', 'oldState', 'newState'], RESULTS);
  checkReports(scope, account, type, outcome, before.get(typeName) ?? new Map(), response, ids);
  for (const operation of wanted.operations)
    if (operation.isCreate && !refused.has(operation))
      scope.createdIds.set(operation.key, ids(operation.id));
}

const RESULTS = ['created', 'updated', 'destroyed', 'notCreated', 'notUpdated', 'notDestroyed'];

/** Creates, updates, destroys, each judged by itself. */
function want(
  type: ModelType,
  account: Account,
  args: JsonMap,
  creates: JsonMap,
  resolve: Resolve,
) {
  const objects = account.shelf(type.name).objects;
  const notCreated = new Map<string, Refusal>();
  const notUpdated = new Map<string, Refusal>();
  const notDestroyed = new Map<string, Refusal>();
  const refusedValues: RefusedValue[] = [];
  const operations: Operation[] = [];
  const real = (id: string) => (id.startsWith('#') ? (resolve(id.slice(1)) ?? id) : id);

  /** How each id in `destroy` was sent. */
  const sentAs = new Map<string, string[]>();
  for (const sent of (args['destroy'] ?? []) as string[])
    sentAs.set(real(sent), [...(sentAs.get(real(sent)) ?? []), sent]);
  const destroys = [...sentAs].flatMap(([id, keys]) => {
    if (!type.singleton || !objects.has(id)) return [id];
    for (const key of keys) notDestroyed.set(key, { type: 'singleton' });
    return [];
  });

  const drafts = new Map<string, Judged>();
  for (const [key, sent] of Object.entries(creates)) {
    if (type.singleton) notCreated.set(key, { type: 'singleton' });
    else drafts.set(key, judgeCreate(type, sent, resolve));
  }
  for (const key of inOrder(type, drafts)) {
    const draft = drafts.get(key);
    if (draft === undefined) continue;
    const { after, view, bad, isPatchWrong } = draft;
    const all = [...bad, ...inCircle(type, drafts, key)];
    if (all.length === 0 && isPatchWrong !== true)
      operations.push({ key, isCreate: true, id: temporary(key), after, view });
    else {
      notCreated.set(key, { type: 'invalidProperties' });
      const known = isPatchWrong === true ? [] : all;
      if (isPatchWrong !== true)
        refusedValues.push({ key, isCreate: true, after, before: undefined, bad: known });
    }
  }
  const updates = isMap(args['update']) ? args['update'] : {};
  const ofCreates = new Map<string, string>();
  for (const [key, patch] of Object.entries(updates)) {
    const id = real(key);
    const made = operations.find((one) => one.isCreate && one.id === id)?.after;
    const before = objects.get(id) ?? made;
    if (made !== undefined) ofCreates.set(key, id.slice(TEMPORARY.length));
    if (before === undefined) notUpdated.set(key, { type: 'notFound' });
    else if (destroys.includes(id)) notUpdated.set(key, { type: 'willDestroy' });
    else {
      const { after, view, bad, isPatchWrong } = judgeUpdate(type, before, patch, resolve);
      if (isPatchWrong === true) notUpdated.set(key, { type: 'invalidPatch' });
      else if (bad.length > 0) {
        notUpdated.set(key, { type: 'invalidProperties' });
        refusedValues.push({ key, isCreate: false, after, before, bad });
      } else operations.push({ key, isCreate: false, id, after, view });
    }
  }
  const wanted: Entries = {
    operations,
    notCreated,
    notUpdated,
    refusedValues,
    destroys,
    ofCreates,
  };
  return { wanted, notDestroyed, sentAs };
}

/** Creation ids of the same call that a create refers to, with the property. */
function refersTo(type: ModelType, draft: Judged | undefined): readonly (readonly string[])[] {
  return linksOf(type).flatMap((link) =>
    idsAt(link, draft?.after)
      .filter((id) => id.startsWith(TEMPORARY))
      .map((id) => [link.name, id.slice(TEMPORARY.length)]),
  );
}

/** Creates, or copies, in the order sent, but those that others refer to come before them. */
export function inOrder(type: ModelType, drafts: ReadonlyMap<string, Judged>): readonly string[] {
  const ordered = new Set<string>();
  const visiting = new Set<string>();
  const visit = (key: string): void => {
    if (ordered.has(key) || visiting.has(key)) return;
    visiting.add(key);
    for (const [, to = ''] of refersTo(type, drafts.get(key))) visit(to);
    ordered.add(key);
  };
  for (const key of drafts.keys()) visit(key);
  return [...ordered];
}

/** Properties by which a create leads back to itself. */
export function inCircle(
  type: ModelType,
  drafts: ReadonlyMap<string, Judged>,
  key: string,
): readonly string[] {
  const reaches = (from: string, seen: Set<string>): boolean => {
    if (from === key) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return refersTo(type, drafts.get(from)).some(([, to = '']) => reaches(to, seen));
  };
  return refersTo(type, drafts.get(key)).flatMap(([name = '', to = '']) =>
    reaches(to, new Set()) ? [name] : [],
  );
}

export function settled(
  { types }: Scope,
  account: Account,
  type: ModelType,
  wanted: Entries,
): Outcome {
  const { operations, destroys } = wanted;
  const before = account.contents();
  return { ...judgeCall({ types, type, before, operations, destroys }), wanted };
}

/** The ids that the server gave to the creates which the model has succeed. */
export function bindIds(
  scope: Scope,
  type: ModelType,
  { refused, wanted }: Outcome,
  response: JsonMap,
): ReadonlyMap<string, string> {
  const created = entries(response, 'created');
  const made = wanted.operations.filter((one) => one.isCreate && !refused.has(one));
  const bound = new Map<string, string>();
  agreeOnIds(
    `${type.name}: created`,
    [...created.keys()],
    made.map(({ key }) => key),
  );
  for (const { key, id } of made) {
    const report = created.get(key);
    const given = isMap(report) ? report[named(type, 'id')] : undefined;
    agreeOn(`created ${key} has an id`, typeof given === 'string', report);
    agreeOn('an id is a new one', /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(given), given);
    scope.newId(given);
    bound.set(id, given);
  }
  return bound;
}

const withIds = (refusal: Refusal, ids: (id: string) => string): Refusal => ({
  ...refusal,
  ...(refusal.existingId === undefined ? {} : { existingId: ids(refusal.existingId) }),
  ...(refusal.objectIds === undefined ? {} : { objectIds: refusal.objectIds.map(ids).sort() }),
});

/** All SetErrors of creates and updates; `invalidProperties` lists references to nobody too. */
export function refusals(
  type: ModelType,
  { refused, wanted, proposed }: Outcome,
  ids: (id: string) => string,
) {
  const notCreated = new Map(wanted.notCreated);
  const notUpdated = new Map(wanted.notUpdated);
  for (const [{ key, isCreate }, refusal] of refused)
    (isCreate ? notCreated : notUpdated).set(key, withIds(refusal, ids));
  for (const { key, isCreate, after, before, bad } of wanted.refusedValues) {
    const unknown = unknownReferences(type, proposed, after, before);
    const properties = [...new Set([...bad, ...unknown])];
    (isCreate ? notCreated : notUpdated).set(key, { type: 'invalidProperties', properties });
  }
  // An object that was not made is not there.
  for (const [key, creationId] of wanted.ofCreates)
    if (notCreated.has(creationId)) notUpdated.set(key, alsoWrong(notUpdated.get(key)));
  return { notCreated, notUpdated };
}

/** Of an update that is wrong by itself, and whose object was not made, either may be told. */
const alsoWrong = (refusal: Refusal | undefined): Refusal =>
  refusal === undefined || refusal.type === 'notFound'
    ? { type: 'notFound' }
    : { type: 'notFound', or: refusal.type };

/** Checks `created`, `updated` and `destroyed` (RFC 8620 5.3). */
export function checkReports(
  scope: Scope,
  account: Account,
  type: ModelType,
  outcome: Outcome,
  before: ReadonlyMap<string, Stored>,
  response: JsonMap,
  ids: (id: string) => string,
): void {
  const { refused, wanted, proposed, after } = outcome;
  const objects = after.get(type.name) ?? new Map<string, Stored>();
  const standing = wanted.operations.filter((one) => !refused.has(one));
  const created = entries(response, 'created');
  for (const { key, id, view, isCreate } of standing) {
    if (!isCreate) continue;
    const stored = objects.get(id) ?? proposed.get(type.name)?.get(id) ?? {};
    const report = created.get(key);
    checkReport(scope, account, type, `created ${key}`, report, ids(id), stored, view, NEW, ids);
  }
  const updated = entries(response, 'updated');
  const changed = [...objects].flatMap(([id, object]) =>
    before.has(id) && !same(type, before.get(id), object) ? [id] : [],
  );
  const asked = standing.filter(({ isCreate }) => !isCreate).map(({ id }) => id);
  agreeOnIds(`${type.name}: updated`, [...updated.keys()], [...changed, ...asked].map(ids));
  for (const id of new Set([...changed, ...asked])) {
    const stored = objects.get(id) ?? {};
    const old = before.get(id) ?? standing.find((one) => one.isCreate && one.id === id)?.after;
    const view = standing.find((one) => one.id === id && !one.isCreate)?.view ?? old ?? {};
    const report = updated.get(ids(id));
    const isSame = old !== undefined && same(type, old, stored);
    // Of an object that only looks otherwise to its client, the time of its last update stays.
    const news = isSame && before.has(id) ? UNCHANGED : CHANGED;
    if (isSame && !isMap(report)) agree(`updated ${id} of no change`, report, null);
    else
      checkReport(scope, account, type, `updated ${id}`, report, ids(id), stored, view, news, ids);
  }
  const destroyed = [...before.keys(), ...(proposed.get(type.name)?.keys() ?? [])];
  agreeOnIds(
    `${type.name}: destroyed`,
    response['destroyed'] ?? [],
    destroyed.filter((id) => !objects.has(id)).map(ids),
  );
}

/** The server-set members that a report always has. */
type News = readonly ('id' | 'created' | 'updated')[];

export const NEW: News = ['id', 'created', 'updated'];
const CHANGED: News = ['updated'];
const UNCHANGED: News = [];

/**
 * Exactly what the client can't know: `news`, and what is stored otherwise than it thinks.
 */
export function checkReport(
  scope: Scope,
  account: Account,
  type: ModelType,
  what: string,
  report: Json | undefined,
  id: string,
  stored: Stored,
  view: Stored,
  news: News,
  ids: (id: string) => string,
): void {
  agreeOn(`${what} is an object`, isMap(report), report);
  const expected: JsonMap = {};
  for (const { name, role, references } of shown(type)) {
    const places = references.map(({ place }) => place);
    const final = mapPlaces(places, stored[name] ?? null, ids);
    // The client learns in `created` what its creation ids became.
    const seen = places.length === 0 ? view[name] : mapPlaces(places, view[name] ?? null, ids);
    if (role === undefined && !(Object.hasOwn(view, name) && equal(seen, final)))
      expected[name] = final;
  }
  if (news.includes('id')) expected[named(type, 'id')] = id;
  const times = news.flatMap((role) => (role === 'id' ? [] : [named(type, role)]));
  for (const time of times) {
    agreeOnDate(`${what} ${time}`, report[time]);
    expected[time] = report[time] ?? null;
  }
  agree(what, report, expected);
  account.learn(scope, type, id, Object.fromEntries(times.map((t) => [t, report[t] ?? null])));
}
