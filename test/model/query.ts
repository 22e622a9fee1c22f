import type { Json, JsonMap } from '../support/json.js';
import { named, type Shelf, typeOf } from './account.js';
import { agree, agreeOn, agreeOnError, agreeOnIds, agreeOnMembers, isTexts } from './agree.js';
import { changesBetween } from './changes.js';
import { filterError, matches, readsMutable, sortError, sorted } from './find.js';
import { isMap } from './schema.js';
import type { Account, Scope } from './world.js';

/** QUERY_MAX_LIMIT where nothing else is configured. */
const MOST = 5000;

/** The hash in the queryState of each query that was answered. */
export type QueryHashes = Map<string, string>;

const keyOf = (type: string, args: JsonMap): string =>
  JSON.stringify([type, args['filter'] ?? {}, args['sort'] ?? []]);

/** All ids of a query, in order. */
export function resultsOf(
  { types }: Scope,
  shelf: Shelf,
  typeName: string,
  args: JsonMap,
): readonly string[] {
  const type = typeOf(types, typeName);
  const found = [...shelf.objects.values()].filter((one) =>
    matches(type, one, args['filter'] ?? null),
  );
  return sorted(type, found, args['sort'] ?? null).map((one) => String(one[named(type, 'id')]));
}

function isRefused(
  { types }: Scope,
  typeName: string,
  args: JsonMap,
  [name, response]: readonly [string, JsonMap],
  what: string,
): boolean {
  const type = typeOf(types, typeName);
  const error = filterError(type, args['filter'] ?? null) ?? sortError(type, args['sort'] ?? null);
  if (error === null) return false;
  agreeOnError(what, name, response, error);
  return true;
}

/** The counter, a dot and a hash that every query has for itself. */
function agreeOnQueryState(
  what: string,
  hashes: QueryHashes,
  key: string,
  state: Json | undefined,
  shelf: Shelf,
): void {
  agreeOn(`${what}: queryState`, typeof state === 'string', state);
  const [number, hash = ''] = [state.split('.')[0], state.split('.').slice(1).join('.')];
  agree(`${what}: the counter in queryState`, number, String(shelf.state));
  const known = hashes.get(key) ?? hash;
  agree(`${what}: the hash in queryState`, hash, known);
  hashes.set(key, hash);
}

/** RFC 8620 5.5. */
export function checkQuery(
  scope: Scope,
  hashes: QueryHashes,
  account: Account,
  typeName: string,
  args: JsonMap,
  answer: readonly [string, JsonMap],
): void {
  const what = `${typeName}/query`;
  if (isRefused(scope, typeName, args, answer, what)) return;
  const [name, response] = answer;
  const shelf = account.shelf(typeName);
  const all = resultsOf(scope, shelf, typeName, args);
  const sent = (args['limit'] ?? null) as number | null;
  const limit = Math.min(sent ?? MOST, MOST);
  let position = Number(args['position'] ?? 0);
  const anchor = args['anchor'] ?? null;
  if (typeof anchor === 'string') {
    const id = anchor.startsWith('#') ? scope.createdIds.get(anchor.slice(1)) : anchor;
    const index = all.indexOf(id ?? '');
    if (index === -1) {
      agreeOnError(what, name, response, 'anchorNotFound');
      return;
    }
    position = Math.max(0, index + Number(args['anchorOffset'] ?? 0));
  } else if (position < 0) position = Math.max(0, all.length + position);
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  const needed = ['accountId', 'queryState', 'canCalculateChanges', 'position', 'ids'];
  const isCapped = sent === null || sent > MOST;
  const more = [
    ...(args['calculateTotal'] === true ? ['total'] : []),
    ...(isCapped ? ['limit'] : []),
  ];
  agreeOnMembers(what, response, [...needed, ...more]);
  agree(`${what}: accountId`, response['accountId'], account.id);
  agree(`${what}: canCalculateChanges`, response['canCalculateChanges'], true);
  agreeOnQueryState(what, hashes, keyOf(typeName, args), response['queryState'], shelf);
  agree(`${what}: ids`, response['ids'], all.slice(position, position + limit));
  agree(`${what}: position`, response['position'], position);
  if (more.includes('total')) agree(`${what}: total`, response['total'], all.length);
  if (isCapped) agree(`${what}: limit`, response['limit'], MOST);
}

/** RFC 8620 5.6. */
export function checkQueryChanges(
  scope: Scope,
  hashes: QueryHashes,
  account: Account,
  typeName: string,
  args: JsonMap,
  answer: readonly [string, JsonMap],
): void {
  const what = `${typeName}/queryChanges`;
  if (isRefused(scope, typeName, args, answer, what)) return;
  const [name, response] = answer;
  const type = typeOf(scope.types, typeName);
  const shelf = account.shelf(typeName);
  const key = keyOf(typeName, args);
  const [, number, hash] = /^(0|[1-9][0-9]*)[.](.*)$/.exec(String(args['sinceQueryState'])) ?? [];
  const since = Number(number);
  if (number === undefined || hash !== hashes.get(key) || since > shelf.state) {
    agreeOnError(what, name, response, 'cannotCalculateChanges');
    return;
  }
  const all = resultsOf(scope, shelf, typeName, args);
  const changed = changesBetween(shelf, since, shelf.state);
  // 5.6: where filter and sort read only what never changes, an update has moved nothing.
  const isFixed = !readsMutable(type, args['filter'] ?? null, args['sort'] ?? null);
  const removed = [...changed].flatMap(([id, kind]) =>
    kind === 'destroyed' || (kind === 'updated' && !isFixed) ? [id] : [],
  );
  const added = all.flatMap((id, index) => {
    const kind = changed.get(id);
    return kind === 'created' || (kind === 'updated' && !isFixed) ? [{ id, index }] : [];
  });
  const upToId = args['upToId'] ?? null;
  const mayCut = upToId !== null && isFixed;
  const maxChanges = (args['maxChanges'] ?? null) as number | null;
  if (maxChanges !== null && !mayCut && removed.length + added.length > maxChanges) {
    agreeOnError(what, name, response, 'tooManyChanges');
    return;
  }
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  const needed = ['accountId', 'oldQueryState', 'newQueryState', 'removed', 'added'];
  const isCounted = args['calculateTotal'] === true;
  agreeOnMembers(what, response, [...needed, ...(isCounted ? ['total'] : [])]);
  agree(`${what}: accountId`, response['accountId'], account.id);
  agree(`${what}: oldQueryState`, response['oldQueryState'], args['sinceQueryState']);
  agreeOnQueryState(what, hashes, key, response['newQueryState'], shelf);
  if (isCounted) agree(`${what}: total`, response['total'], all.length);
  if (!mayCut) {
    agreeOnIds(`${what}: removed`, response['removed'], removed);
    agree(`${what}: added`, response['added'], added);
    return;
  }
  // The part behind `upToId` may be left out; the told part must be right, and nothing before it is
  // missing.
  const end = all.indexOf(String(upToId));
  const told = response['added'];
  agreeOn(`${what}: added`, Array.isArray(told) && told.every(isMap), told);
  const near = added.filter(({ index }) => end === -1 || index <= end);
  const far = added.filter(({ id }) => told.some((one) => isMap(one) && one['id'] === id));
  agree(`${what}: added, of those that are told`, told, far);
  agreeOn(
    `${what}: added up to ${String(upToId)}`,
    near.every((one) => far.includes(one)),
    {
      told,
      near,
    },
  );
  const gone = response['removed'];
  agreeOn(`${what}: removed`, isTexts(gone) && gone.every((id) => removed.includes(id)), {
    gone,
    removed,
  });
}
