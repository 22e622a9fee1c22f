import type { ChangesAnswer, QueryAnswer, QueryChangesAnswer } from '../client/answers.js';
import type { Json, JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from './subject.js';

/** The parts of a query, whatever its window (RFC 8620 5.5). */
export interface Query {
  readonly filter?: Json;
  readonly sort?: Json;
  /** Further arguments, by which the result takes a shape. */
  readonly [argument: string]: Json | undefined;
}

/** Calls of /query and /queryChanges in the first account. */

/** Calls /query in the first account of the type. Throws where the server refuses it. */
export const query = (subject: Subject, args: object = {}): Promise<QueryAnswer> =>
  subject.client.query(subject.type, { accountId: subject.A1, ...args });

/**
 * Calls /query in the first account. Returns the name and the arguments of the response, whatever
 * it is.
 */
export const tryQuery = (subject: Subject, args: object): Promise<[string, JsonMap]> =>
  subject.client.call(`${subject.type}/query`, { accountId: subject.A1, ...args });

/** Returns the ids of a query in order, without those of objects that were there before. */
export async function queryOwn(subject: Subject, args: Query = {}): Promise<string[]> {
  return subject.pickOwn(await queryAll(subject, args));
}

/** Returns all ids of a query in order, also where the server has a limit of its own. */
export async function queryAll(subject: Subject, args: Query = {}): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await query(subject, { ...args, position: ids.length });
    ids.push(...page.ids);
    const isLast = page.limit === undefined || page.ids.length < page.limit;
    if (isLast || page.ids.length === 0) return ids;
  }
}

/** A query as a client keeps it: the state, and the list that it belongs to. */
export interface Cached {
  readonly args: Query;
  readonly queryState: string;
  readonly ids: readonly string[];
}

/** Keeps a whole query. Throws NotApplicable where its changes can't be calculated. */
export async function cacheQuery(subject: Subject, args: Query = {}): Promise<Cached> {
  const { queryState, canCalculateChanges, ids, limit } = await query(subject, args);
  if (!canCalculateChanges)
    throw new NotApplicable(
      `Changes of the query ${JSON.stringify(args)} can’t be calculated, says the server.`,
    );
  if (limit === undefined || ids.length < limit) return { args, queryState, ids };
  return { args, queryState, ids: await queryAll(subject, args) };
}

/** Calls /queryChanges for the query that was cached. Throws where the server refuses it. */
export const queryChanges = (
  subject: Subject,
  { args, queryState }: Pick<Cached, 'args' | 'queryState'>,
  more: object = {},
): Promise<QueryChangesAnswer> =>
  subject.client.queryChanges(subject.type, {
    accountId: subject.A1,
    ...args,
    sinceQueryState: queryState,
    ...more,
  });

/** Sorts `removed`, whose order means nothing (RFC 8620 5.6). Returns a new answer. */
export const sortRemoved = (answer: QueryChangesAnswer): QueryChangesAnswer => ({
  ...answer,
  removed: [...answer.removed].sort(),
});

/**
 * Calls /queryChanges in the first account. Returns the name and the arguments of the response,
 * whatever it is.
 */
export const tryQueryChanges = (subject: Subject, args: object): Promise<[string, JsonMap]> =>
  subject.client.call(`${subject.type}/queryChanges`, { accountId: subject.A1, ...args });

/**
 * Applies changes to a list as RFC 8620 5.6 has a client do it: ids that aren't held are null.
 * Returns the new list.
 */
export function spliceChanges<T extends string | null>(
  list: readonly T[],
  { removed, added }: Pick<QueryChangesAnswer, 'removed' | 'added'>,
): (T | string)[] {
  const gone = new Set<string | null>(removed);
  const ids: (T | string)[] = list.filter((id) => !gone.has(id));
  for (const { id, index } of added) ids.splice(index, 0, id);
  return ids;
}

/** Lists all ids that a page of /changes names. */
export const listIds = ({ created, updated, destroyed }: ChangesAnswer): string[] => [
  ...created,
  ...updated,
  ...destroyed,
];

/** Returns a sort by the text; null where none is declared. */
export const sortByText = (subject: Subject, isAscending = true): JsonMap[] | null =>
  subject.profile.textSort ? [{ property: subject.profile.text, isAscending }] : null;

/** Builds a sort by each declared property, in both directions, and null for none. */
export function buildSorts(subject: Subject): readonly (JsonMap[] | null)[] {
  const both = subject.profile.sorts.flatMap((property) => [
    [{ property }],
    [{ property, isAscending: false }],
  ]);
  return [null, ...both];
}
