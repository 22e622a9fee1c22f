import type { JsonMap } from '../support/json.js';
import { named, shown, typeOf } from './account.js';
import { agree, agreeOn, agreeOnDate, agreeOnError, agreeOnIds, agreeOnMembers } from './agree.js';
import { isMap } from './schema.js';
import type { Account, Scope } from './world.js';

/** RFC 8620 5.1. */
export function checkGet(
  scope: Scope,
  account: Account,
  typeName: string,
  args: JsonMap,
  [name, response]: readonly [string, JsonMap],
): void {
  const what = `${typeName}/get`;
  const type = typeOf(scope.types, typeName);
  const shelf = account.shelf(typeName);
  const sent = (args['ids'] ?? null) as readonly string[] | null;
  const names = shown(type).map((one) => one.name);
  const wanted = (args['properties'] ?? null) as readonly string[] | null;
  if (wanted?.some((one) => !names.includes(one))) {
    agreeOnError(what, name, response, 'invalidArguments');
    return;
  }
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  agreeOnMembers(what, response, ['accountId', 'state', 'list', 'notFound']);
  agree(`${what}: accountId`, response['accountId'], account.id);
  agree(`${what}: state`, response['state'], String(shelf.state));
  const asked = sent ?? [...shelf.objects.keys()].sort();
  const real = (id: string) =>
    id.startsWith('#') ? (scope.createdIds.get(id.slice(1)) ?? id) : id;
  const ids = [...new Set(asked.map(real))];
  const there = ids.filter((id) => shelf.objects.has(id));
  const { list, notFound } = response;
  agreeOn(`${what}: a list of objects`, Array.isArray(list) && list.every(isMap), list);
  // In the order of `ids`; without, in that of creation (docs/reference/protocol.md).
  const idName = named(type, 'id');
  agree(
    `${what}: ids of the list`,
    (list as JsonMap[]).map((one) => one[idName] ?? null),
    there,
  );
  // As they were passed (5.1).
  const missing = ids.filter((id) => !shelf.objects.has(id));
  agreeOnIds(
    `${what}: notFound`,
    notFound,
    missing.map((id) => asked.find((sent) => real(sent) === id) ?? id),
  );
  const properties = new Set([idName, ...(wanted ?? names)]);
  for (const [n, id] of there.entries()) {
    const got = (list as JsonMap[])[n] ?? {};
    const times = [named(type, 'created'), named(type, 'updated')].filter((t) => properties.has(t));
    for (const time of times) agreeOnDate(`${what} ${id} ${time}`, got[time]);
    account.learn(scope, type, id, Object.fromEntries(times.map((t) => [t, got[t] ?? null])));
    const object = account.shelf(typeName).objects.get(id) ?? {};
    const expected = Object.fromEntries([...properties].map((one) => [one, object[one] ?? null]));
    agree(`${what} ${id}`, got, expected);
  }
}
