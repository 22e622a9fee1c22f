import type { ModelType } from '../../src/descriptor/model.js';
import type { JsonMap } from '../support/json.js';
import { named, type Stored, shown, typeOf } from './account.js';
import { agree, agreeOnError, agreeOnMembers, agreeOnRefusals, entries } from './agree.js';
import { type Judged, judgeUpdate, type Resolve } from './judge.js';
import type { Operation, Refusal } from './judge-call.js';
import { isMap } from './schema.js';
import {
  bindIds,
  checkReport,
  type Entries,
  inCircle,
  inOrder,
  NEW,
  refusals,
  settled,
  temporary,
} from './set.js';
import type { Account, Scope, Source } from './world.js';

/** RFC 8620 5.4: the first response. */
export function checkCopy(
  scope: Scope,
  source: Source,
  target: Account,
  typeName: string,
  args: JsonMap,
  [name, response]: readonly [string, JsonMap],
): void {
  const what = `${typeName}/copy`;
  const type = typeOf(scope.types, typeName);
  const states = [target, source].map((one) => String(one.shelf(typeName).state));
  const wanted = [args['ifInState'] ?? null, args['ifFromInState'] ?? null];
  if (wanted.some((state, n) => state !== null && state !== states[n])) {
    agreeOnError(what, name, response, 'stateMismatch');
    return;
  }
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  const creates = isMap(args['create']) ? args['create'] : {};
  const resolve: Resolve = (key, of = typeName) =>
    of === typeName && Object.hasOwn(creates, key) ? temporary(key) : scope.createdIds.get(key);
  const drafts = new Map<string, Judged>();
  const operations: Operation[] = [];
  const notCreated = new Map<string, Refusal>();
  const refusedValues: Entries['refusedValues'][number][] = [];
  for (const [key, sent] of Object.entries(creates)) {
    const { [named(type, 'id')]: id, ...others } = isMap(sent) ? sent : {};
    const original = typeof id === 'string' ? source.shelf(typeName).objects.get(id) : undefined;
    if (original === undefined) notCreated.set(key, { type: 'notFound' });
    // The report of a copy has its place in the order, whether there is an original or not.
    const start = original === undefined ? {} : asCopied(scope, typeName, original);
    drafts.set(key, judgeOverrides(scope, typeName, start, others, resolve));
  }
  for (const key of inOrder(type, drafts)) {
    const draft = drafts.get(key);
    if (draft === undefined || notCreated.has(key)) continue;
    const { after, view, isPatchWrong } = draft;
    const bad = [...draft.bad, ...inCircle(type, drafts, key)];
    if (bad.length > 0 || isPatchWrong === true) {
      notCreated.set(key, { type: 'invalidProperties' });
      refusedValues.push({ key, isCreate: true, after, before: undefined, bad });
    } else {
      operations.push({ key, isCreate: true, id: temporary(key), after, view });
    }
  }
  const all: Entries = {
    operations,
    notCreated,
    notUpdated: new Map(),
    refusedValues,
    destroys: [],
    ofCreates: new Map(),
  };
  const outcome = settled(scope, target, type, all);
  const bound = bindIds(scope, type, outcome, response);
  const ids = (id: string) => bound.get(id) ?? id;
  const refused = refusals(type, outcome, ids).notCreated;
  agreeOnRefusals(`${what} notCreated`, entries(response, 'notCreated'), refused);
  target.take(scope, outcome, ids);
  agree(
    `${what}: accounts and states`,
    ['fromAccountId', 'accountId', 'oldState', 'newState'].map((one) => response[one]),
    [source.id, target.id, states[0], String(target.shelf(typeName).state)],
  );
  const needed = ['fromAccountId', 'accountId', 'oldState', 'newState'];
  agreeOnMembers(what, response, needed, ['created', 'notCreated']);
  const made = operations.filter((one) => !outcome.refused.has(one));
  for (const { key, id, view } of made) {
    const stored = outcome.after.get(typeName)?.get(id) ?? {};
    const report = entries(response, 'created').get(key);
    const told = `copied ${key}`;
    checkReport(scope, target, type, told, report, ids(id), stored, view, NEW, ids);
    scope.createdIds.set(key, ids(id));
  }
}

/** Arguments of the /set that follows a copy which made something (5.4); null where none does. */
export function destroyAfter(type: ModelType, args: JsonMap, response: JsonMap): JsonMap | null {
  const creates = isMap(args['create']) ? args['create'] : {};
  const made = entries(response, 'created');
  const destroy = Object.entries(creates).flatMap(([key, sent]) =>
    made.has(key) && isMap(sent) ? [sent[named(type, 'id')] ?? null] : [],
  );
  if (args['onSuccessDestroyOriginal'] !== true || destroy.length === 0) return null;
  return {
    accountId: args['fromAccountId'] ?? null,
    destroy,
    ifInState: args['destroyFromIfInState'] ?? null,
  };
}

/**
 * Returns the values that a copy has of its original: all that clients write; what the server sets
 * begins anew.
 */
function asCopied({ types }: Scope, typeName: string, original: Stored): Stored {
  const type = typeOf(types, typeName);
  return Object.fromEntries(
    shown(type).flatMap(({ name, role, access, ...rest }) => {
      if (role !== undefined) return [];
      const isServers = access === 'serverSet';
      return [[name, (isServers ? (rest.default as never) : original[name]) ?? null]];
    }),
  );
}

/** Properties given with a copy are judged as in an update, immutable ones as in a create. */
function judgeOverrides(
  { types }: Scope,
  typeName: string,
  start: Stored,
  others: JsonMap,
  resolve: Resolve,
) {
  const type = typeOf(types, typeName);
  // They are those of an object (5.4): null is a value, and no way back to the default.
  const free = type.properties.map(({ default: _, ...one }) =>
    one.access === 'immutable' ? { ...one, access: 'mutable' as const } : one,
  );
  // No pointers here: a name with a slash is an unknown property.
  const whole = Object.entries(others).filter(([name]) => !/[/~]/.test(name));
  const pointers = Object.keys(others).filter((name) => /[/~]/.test(name));
  const changed = { ...type, properties: free };
  const judged = judgeUpdate(changed, start, Object.fromEntries(whole), resolve);
  // A server-set value is no surprise where it is as in the original: the report has it all the
  // same.
  const serverSet = shown(type).filter(({ access }) => access === 'serverSet');
  const view = { ...judged.view };
  for (const { name } of serverSet) delete view[name];
  return { ...judged, view, bad: [...judged.bad, ...pointers] };
}
