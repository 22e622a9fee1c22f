import { expect } from 'expect';
import type { TypeNeeds } from '../check.js';
import type { QueryChangesAnswer } from '../client/answers.js';
import {
  type Cached,
  type Query,
  query,
  queryAll,
  queryChanges,
  sortByText,
  spliceChanges,
  tryQueryChanges,
} from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';

/** The needs that checks of /queryChanges have in common. */

/** Needs a type whose queries a client can keep up to date. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set', 'query', 'queryChanges'],
  text: true,
  room: 3,
});

/** Gives an object another text. */
export const update = (subject: Subject, id: string, value: string) =>
  subject.set({ update: { [id]: { [subject.profile.text]: value } } });

/** Builds queries that read the text, a mutable property: by its filter, and sorted by it. */
export function buildMutableQueries(subject: Subject, part: string): readonly Query[] {
  const { textFilter: name } = subject.profile;
  const sort = sortByText(subject);
  const queries: Query[] = [];
  if (name !== undefined) queries.push({ filter: { [name]: part } });
  if (sort !== null) queries.push({ sort });
  return queries;
}

/** Returns why no query reads a mutable property; null where one does. */
export const needMutableQuery = (subject: Subject): string | null =>
  buildMutableQueries(subject, '').length === 0
    ? 'The type declares neither filter nor sort by its text.'
    : null;

/**
 * Expects the cached ids, after the changes of an answer, to be those that the query finds now.
 * Returns these.
 */
export async function expectSpliced(
  subject: Subject,
  { args, ids: before }: Cached,
  answer: QueryChangesAnswer,
): Promise<readonly string[]> {
  const ids = await queryAll(subject, args);
  expect({ args, ids: spliceChanges(before, answer) }).toEqual({ args, ids });
  return ids;
}

/**
 * Expects the changes since `before` to lead to the results, the state and the order of a fresh
 * query. Returns the answer.
 */
export async function expectFollows(
  subject: Subject,
  before: Cached,
  more: object = {},
): Promise<QueryChangesAnswer> {
  const answer = await queryChanges(subject, before, { calculateTotal: true, ...more });
  const fresh = await query(subject, before.args);
  await expectSpliced(subject, before, answer);
  expect(answer.oldQueryState).toBe(before.queryState);
  expect(answer.newQueryState).toBe(fresh.queryState);
  const indexes = answer.added.map(({ index }) => index);
  expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
  return answer;
}

/** Expects `error` as the answer to a /queryChanges with these arguments. */
export async function expectChangesRefused(
  subject: Subject,
  args: object,
  error: readonly unknown[],
): Promise<void> {
  expect({ args, answer: await tryQueryChanges(subject, args) }).toEqual({ args, answer: error });
}
