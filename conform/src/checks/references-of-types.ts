import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Call, MethodResponse } from '../client/answers.js';
import type { Json, JsonMap } from '../client/json.js';
import { anyString, at, sameMembers } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/** RFC 8620 3.7: result references between the methods of a type. */

/** Returns a ResultReference (RFC 8620 3.7). */
export const buildReference = (resultOf: string, name: string, path: string): JsonMap => ({
  resultOf,
  name,
  path,
});

/** Returns a reference to a value of the echo `v`. */
export const referToEcho = (path: string): JsonMap => buildReference('v', 'Core/echo', path);

/** Echoes values, then makes calls that refer to them. Returns the responses of the calls. */
export async function callReferring(
  subject: Subject,
  values: JsonMap,
  ...calls: readonly Call[]
): Promise<readonly MethodResponse[]> {
  const { methodResponses } = await subject.client.api([['Core/echo', values, 'v'], ...calls]);
  return methodResponses.slice(1);
}

/**
 * Calls /get with ids that are a reference to an echo. Returns the name and the arguments of its
 * response.
 */
export async function getReferred(subject: Subject, ids: Json): Promise<[string, JsonMap]> {
  const args = { accountId: subject.A1, '#ids': referToEcho('/ids') };
  const [[name, answer] = ['', {}]] = await callReferring(subject, { ids }, [
    `${subject.type}/get`,
    args,
    'g',
  ]);
  return [name, answer];
}

/** Returns the ids of the objects that a /get lists. */
const readIds = (answer: JsonMap): string[] =>
  (answer['list'] as { id: string }[]).map((o) => o.id);

/** More than this is not sent to a server that allows it. */
const MOST_IDS = 5000;

/** Returns why no /get is sent with too many ids: the server allows more than the runner sends. */
export function needLowLimit({ server }: Subject): string | null {
  const isSmall = server.user.session.readLimit('maxObjectsInGet') <= MOST_IDS;
  return isSmall ? null : `maxObjectsInGet is more than ${MOST_IDS}.`;
}

/** Returns ids of no objects, one more than maxObjectsInGet. */
export function buildTooManyIds({ server }: Subject): string[] {
  const length = server.user.session.readLimit('maxObjectsInGet') + 1;
  return Array.from({ length }, (_, n) => `x${n}`);
}

/** Calls /query with a condition whose name begins with #. Returns its response. */
export async function queryByReference(subject: Subject): Promise<MethodResponse | undefined> {
  const filter = { [`#${subject.profile.text}`]: referToEcho('/t') };
  const args = { accountId: subject.A1, filter };
  const [response] = await callReferring(subject, { t: 'text' }, [
    `${subject.type}/query`,
    args,
    'q',
  ]);
  return response;
}

export const referencesOfTypesChecks = typeChecks(
  '3.7',
  { methods: ['get', 'set'], text: true, room: 3 },
  [
    {
      id: 'references-query-get',
      level: 'must',
      rule: 'A /get of the ids that a /query found in the same request lists those objects.',
      needs: { methods: ['query'] },
      async run(subject) {
        const { type, A1: accountId, profile } = subject;
        await subject.clear(accountId);
        const ids = await subject.make(accountId, 'a', 'b', 'c');
        const { methodResponses } = await subject.client.api([
          [`${type}/query`, { accountId, limit: 2 }, 'q'],
          [
            `${type}/get`,
            {
              accountId,
              '#ids': buildReference('q', `${type}/query`, '/ids'),
              properties: [profile.text],
            },
            'g',
          ],
        ]);
        const found = at(methodResponses, 0)[1]['ids'] as string[];
        expect(found).toHaveLength(2);
        expect(at(methodResponses, 1)).toEqual([
          `${type}/get`,
          {
            accountId,
            state: await subject.readState(accountId),
            list: expect.anything(),
            notFound: [],
          },
          'g',
        ]);
        const list = at(methodResponses, 1)[1]['list'] as JsonMap[];
        const shown = list.map((object) => JSON.stringify([object['id'], object[profile.text]]));
        const there = subject.listForeign();
        const wanted = found.map((id) => {
          const value = there.has(id) ? there.get(id)?.[profile.text] : 'abc'[ids.indexOf(id)];
          return JSON.stringify([id, value]);
        });
        expect(shown).toEqual(sameMembers(wanted));
      },
    },
    {
      id: 'references-changes-get',
      level: 'must',
      rule: 'A /get of what /changes lists in the same request lists exactly those objects.',
      needs: { methods: ['changes'] },
      async run(subject) {
        const { type, A1: accountId } = subject;
        const [old = ''] = await subject.make(accountId, 'old');
        const sinceState = await subject.readState(accountId);
        const made = await subject.make(accountId, 'a', 'b');
        await subject.set({ update: { [old]: { [subject.profile.text]: 'changed' } } });
        const listReferred = (path: string, id: string): Call => [
          `${type}/get`,
          { accountId, '#ids': buildReference('c', `${type}/changes`, path) },
          id,
        ];
        const { methodResponses } = await subject.client.api([
          [`${type}/changes`, { accountId, sinceState }, 'c'],
          listReferred('/created', 'new'),
          listReferred('/updated', 'changed'),
          listReferred('/destroyed', 'gone'),
        ]);
        const [, created, updated, destroyed] = methodResponses.map(([, args]) => args);
        expect(readIds(created ?? {})).toEqual(sameMembers(made));
        expect(readIds(updated ?? {})).toEqual([old]);
        expect(readIds(destroyed ?? {})).toEqual([]);
      },
    },
    {
      id: 'references-list-ids',
      level: 'must',
      rule:
        'With * the ids of the objects that a /get lists are those of a second one; each is ' +
        'answered once, however often it was found.',
      async run(subject) {
        const { type, A1: accountId } = subject;
        const ids = await subject.make(accountId, 'a', 'b');
        const { methodResponses } = await subject.client.api([
          [`${type}/get`, { accountId, ids }, 'a'],
          [
            `${type}/get`,
            { accountId, '#ids': buildReference('a', `${type}/get`, '/list/*/id') },
            'b',
          ],
        ]);
        expect(at(methodResponses, 1)[1]).toEqual(at(methodResponses, 0)[1]);
        const [id = ''] = ids;
        expect(readIds((await getReferred(subject, [id, id]))[1])).toEqual([id]);
      },
    },
    {
      id: 'references-empty-list',
      level: 'must',
      rule: 'In an empty list * finds no ids: a /get of them lists nothing, not all objects.',
      async run(subject) {
        const { type, A1: accountId } = subject;
        await subject.makeOne(accountId);
        const { methodResponses } = await subject.client.api([
          [`${type}/get`, { accountId, ids: [] }, 'e'],
          [
            `${type}/get`,
            { accountId, '#ids': buildReference('e', `${type}/get`, '/list/*/id') },
            'g',
          ],
        ]);
        expect(at(methodResponses, 1)[1]).toEqual({
          accountId,
          state: anyString,
          list: [],
          notFound: [],
        });
      },
    },
    {
      id: 'references-null-ids',
      level: 'must',
      rule: 'Where the reference of ids finds null, ids is null: all objects.',
      async run(subject) {
        await subject.clear(subject.A1);
        const ids = await subject.make(subject.A1, 'a', 'b');
        const [, found] = await getReferred(subject, null);
        expect(readIds(found).filter((id) => ids.includes(id))).toEqual(sameMembers(ids));
      },
    },
    {
      id: 'references-wrong-type',
      level: 'must',
      rule:
        'A value of a type that the argument may not have is invalidArguments, by reference as ' +
        'written out: one id is no list of ids.',
      async run(subject) {
        const id = await subject.makeOne(subject.A1);
        for (const ids of [id, {}, 5, [5], [[id]], true])
          expect([ids, ...(await getReferred(subject, ids))]).toEqual([
            ids,
            ...subject.matchError('invalidArguments', 'ids'),
          ]);
      },
    },
    {
      id: 'references-through-state',
      level: 'must',
      rule: 'A path that goes on behind a string of a response finds nothing.',
      async run(subject) {
        const { type, A1: accountId } = subject;
        const { methodResponses } = await subject.client.api([
          [`${type}/get`, { accountId, ids: [] }, 'g'],
          ['Core/echo', { '#x': buildReference('g', `${type}/get`, '/state/x') }, 'e'],
          ['Core/echo', { '#x': buildReference('g', `${type}/get`, '/state') }, 'f'],
        ]);
        const { state } = at(methodResponses, 0)[1];
        expect(methodResponses.slice(1)).toEqual([
          [...subject.matchError('invalidResultReference'), 'e'],
          ['Core/echo', { x: state }, 'f'],
        ]);
      },
    },
    {
      id: 'references-limits',
      level: 'must',
      rule:
        'Limits are the same for what references find: more than maxObjectsInGet ids are ' +
        'requestTooLarge, or all answered.',
      applies: needLowLimit,
      async run(subject) {
        const ids = buildTooManyIds(subject);
        const [beyondName, beyond] = await getReferred(subject, ids);
        if (beyondName === 'error')
          expect([beyondName, beyond]).toEqual(subject.matchError('requestTooLarge'));
        else expect(beyond['notFound']).toEqual(sameMembers(ids));
        const [name, answer] = await getReferred(subject, ids.slice(1));
        expect([name, (answer['notFound'] as Json[] | undefined)?.length]).toEqual([
          `${subject.type}/get`,
          ids.length - 1,
        ]);
      },
    },
  ],
);
