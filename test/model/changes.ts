import type { ModelType } from '../../src/descriptor/model.js';
import type { JsonMap } from '../support/json.js';
import { type Kind, named, type Shelf, typeOf } from './account.js';
import { agree, agreeOn, agreeOnError, agreeOnIds, agreeOnMembers, isTexts } from './agree.js';
import type { Account, Scope } from './world.js';

/** Returns the sum of an object's records for a client that has none of them (RFC 8620 5.2). */
function net(kinds: readonly Kind[]): Kind | null {
  const [first] = kinds;
  const last = kinds.at(-1);
  if (first === 'created') return last === 'destroyed' ? null : 'created';
  return last ?? null;
}

/** Ids by what happened to them from one number to another, where no call is cut in two. */
export function changesBetween(shelf: Shelf, from: number, to: number): Map<string, Kind> {
  const kinds = new Map<string, Kind[]>();
  for (const step of shelf.steps) {
    if (step.from < from || step.to > to) continue;
    for (const { id, kind } of step.changes) kinds.set(id, [...(kinds.get(id) ?? []), kind]);
  }
  const all = new Map<string, Kind>();
  for (const [id, each] of kinds) {
    const kind = net(each);
    if (kind !== null) all.set(id, kind);
  }
  return all;
}

/** Whether a number lies between calls and not between the records of one. */
const isBetweenCalls = (shelf: Shelf, state: number): boolean =>
  shelf.steps.every(({ from, to }) => state <= from || state >= to);

/** A state that nobody issued, or that is ahead, is refused. */
export function stateOf(shelf: Shelf, text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^(0|[1-9][0-9]*)$/.test(text)) return undefined;
  const state = Number(text);
  return state <= shelf.state ? state : undefined;
}

const KINDS = ['created', 'updated', 'destroyed'] as const;

/** RFC 8620 5.2 for one page; what pages come to together is for the client that applies them. */
export function checkChanges(
  { types }: Scope,
  account: Account,
  typeName: string,
  args: JsonMap,
  [name, response]: readonly [string, JsonMap],
): void {
  const what = `${typeName}/changes`;
  const shelf = account.shelf(typeName);
  const since = stateOf(shelf, args['sinceState']);
  const maxChanges = (args['maxChanges'] ?? null) as number | null;
  if (maxChanges !== null && !(Number.isInteger(maxChanges) && maxChanges > 0)) {
    agreeOnError(what, name, response, 'invalidArguments');
    return;
  }
  if (since === undefined) {
    agreeOnError(what, name, response, 'cannotCalculateChanges');
    return;
  }
  agree(`${what}: the name of the response`, [name, response['type']], [what, undefined]);
  const states = ['accountId', 'oldState', 'newState', 'hasMoreChanges'];
  agreeOnMembers(what, response, [...states, ...KINDS, 'updatedProperties']);
  agree(`${what}: accountId`, response['accountId'], account.id);
  agree(`${what}: oldState`, response['oldState'], args['sinceState']);
  const to = stateOf(shelf, response['newState']);
  agreeOn(`${what}: newState is a state`, to !== undefined && to >= since, response);
  agree(`${what}: hasMoreChanges`, response['hasMoreChanges'], to < shelf.state);
  agreeOn(`${what}: a page leads on`, to > since || to === shelf.state, response);
  if (maxChanges === null) agree(`${what}: newState of all`, to, shelf.state);
  const told = new Map<string, Kind>();
  for (const kind of KINDS) {
    const ids = response[kind];
    agreeOn(`${what}: ${kind} is a list of ids`, isTexts(ids), ids);
    for (const id of ids) {
      agreeOn(`${what}: each id once`, !told.has(id), response);
      told.set(id, kind);
    }
  }
  agreeOn(`${what}: maxChanges`, told.size <= (maxChanges ?? Infinity), { maxChanges, response });
  if (isBetweenCalls(shelf, since) && isBetweenCalls(shelf, to)) {
    const expected = changesBetween(shelf, since, to);
    for (const kind of KINDS)
      agreeOnIds(
        `${what}: ${kind} from ${since} to ${to}`,
        response[kind],
        [...expected].flatMap(([id, one]) => (one === kind ? [id] : [])),
      );
  } else checkWithin(what, shelf, since, to, told);
  checkProperties(typeOf(types, typeName), shelf, { since, to }, response);
}

/** Names that are longer together may be null: a change record has room for so many. */
const MAX_NAMES = 250;

/**
 * RFC 8621 2.2: `updatedProperties` has all that changed in what is `updated`. It has `updated`,
 * and otherwise nothing that no call of the page changed.
 */
function checkProperties(
  type: ModelType,
  shelf: Shelf,
  { since, to }: { readonly since: number; readonly to: number },
  response: JsonMap,
): void {
  const what = `${type.name}/changes: updatedProperties`;
  const listed = response['updatedProperties'];
  const updated = response['updated'] as readonly string[];
  const records = shelf.steps.flatMap((step) =>
    step.to <= since || step.from >= to
      ? []
      : step.changes.map((one) => ({ ...one, isWhole: step.from >= since && step.to <= to })),
  );
  const all = new Set(records.flatMap(({ properties = [] }) => properties));
  if (updated.length === 0) {
    agree(`${what} where nothing is updated`, listed, null);
    return;
  }
  if (listed === null && [...all].join(' ').length > MAX_NAMES) return;
  agreeOn(`${what} is a list of names`, isTexts(listed), response);
  const least = records
    .filter(({ id, isWhole }) => isWhole && updated.includes(id))
    .flatMap(({ properties = [] }) => properties);
  for (const name of [...least, named(type, 'updated')])
    agreeOn(`${what} has ${name}`, listed.includes(name), { since, to, response });
  for (const name of listed)
    agreeOn(`${what}: ${name} changed`, all.has(name) || name === named(type, 'updated'), {
      ...{ since, to, all: [...all], response },
    });
}

/** Where a page ends within a call: each id has a record there of the kind that is told. */
function checkWithin(
  what: string,
  shelf: Shelf,
  since: number,
  to: number,
  told: ReadonlyMap<string, Kind>,
): void {
  const touching = shelf.steps.filter((step) => step.to > since && step.from < to);
  for (const [id, kind] of told) {
    const kinds = touching.flatMap(({ changes }) =>
      changes.flatMap((one) => (one.id === id ? [one.kind] : [])),
    );
    agreeOn(`${what}: ${id} was ${kind} there`, kinds.includes(kind), { since, to, kinds });
  }
  // Records that are wholly within count; each is told, or what it made is gone again.
  const whole = changesBetween(shelf, since, to);
  for (const [id, kind] of whole) {
    const cut = touching.some(
      ({ from, to: end, changes }) =>
        (from < since || end > to) && changes.some((one) => one.id === id),
    );
    if (!cut) agree(`${what}: ${id} from ${since} to ${to}`, told.get(id), kind);
  }
}
