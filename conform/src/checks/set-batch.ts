import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { type GetAnswer, NOTHING_SET } from '../client/answers.js';
import type { Json, JsonMap } from '../client/json.js';
import { at, entry } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { callBeyond } from '../subject/limits.js';
import type { Subject } from '../subject/subject.js';

/** RFC 8620 5.3: many objects in one /set, and what of it is done where some can't be. */

/** So many objects fill a request: the rest of it are updates and destroys of nothing. */
const CREATES = 100;

/** More than that is not sent to a server that takes more. */
const MOST = 5000;

/** Returns a map with so many keys, which all have one value. */
const buildNumbered = <T>(count: number, prefix: string, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));

/**
 * Returns a /set that fills the limit of objects exactly, or overflows it by `more`. Throws
 * NotApplicable where the limit is above MOST.
 */
function buildFullSet(subject: Subject, more: number) {
  const limit = subject.server.user.session.readLimit('maxObjectsInSet');
  if (limit > MOST)
    throw new NotApplicable(`maxObjectsInSet is ${limit}: more than ${MOST} are not sent.`);
  const creates = Math.min(Math.ceil(limit / 2), CREATES, subject.room) + more;
  const updates = Math.floor((limit + more - creates) / 2);
  const destroy = Object.keys(buildNumbered(limit + more - creates - updates, 'x', null));
  const create = Object.fromEntries(
    Array.from({ length: creates }, (_, index) => [`k${index}`, subject.create('a')]),
  );
  return { create, update: buildNumbered<JsonMap>(updates, 'y', {}), destroy };
}

/**
 * Expects the members of a SetError (RFC 8620 5.3); a member that is null may be left out (3.5).
 */
function expectSetError(error: JsonMap | undefined): void {
  const { type, description = null, properties = [] } = error ?? {};
  expect(typeof type).toBe('string');
  expect([null, 'string']).toContain(description === null ? null : typeof description);
  expect(properties).toEqual((properties as Json[]).map(String));
}

export const setBatchChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-nothing',
    level: 'must',
    rule:
      'A /set with nothing to do succeeds: what is null, left out or empty creates, updates and ' +
      'destroys nothing.',
    async run(subject) {
      const before = await subject.takeSnapshot(subject.A1);
      const state = await subject.readState(subject.A1);
      const nulls = { create: null, update: null, destroy: null, ifInState: null };
      for (const args of [{}, nulls, { create: {}, update: {}, destroy: [] }]) {
        const answer = await subject.set(args);
        expect(answer).toMatchObject({
          ...NOTHING_SET,
          accountId: subject.A1,
          newState: state,
        });
      }
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
  {
    id: 'set-continues',
    level: 'must',
    rule:
      'A /set tells each object that fails under its own key in notCreated, notUpdated and ' +
      'notDestroyed; all the rest is done.',
    needs: { room: 3 },
    async run(subject) {
      const { text } = subject.profile;
      const [good = '', gone = ''] = await subject.make(subject.A1, 'a', 'b');
      const answer = await subject.set({
        create: {
          bad: { ...subject.create('bad'), ...subject.unfit },
          good: subject.create('made'),
        },
        update: { x1: { [text]: 'nobody' }, [good]: { [text]: 'changed' } },
        destroy: ['x2', gone],
      });
      const { created, updated, destroyed, notCreated, notUpdated, notDestroyed } = answer;
      expect([created, updated].map((one) => Object.keys(one ?? {}))).toEqual([['good'], [good]]);
      expect(destroyed).toEqual([gone]);
      expect([notCreated, notUpdated, notDestroyed].map((one) => Object.keys(one ?? {}))).toEqual([
        ['bad'],
        ['x1'],
        ['x2'],
      ]);
      expect((await subject.read(entry(created, 'good').id))[text]).toBe('made');
      expect((await subject.read(good))[text]).toBe('changed');
      const { list } = await subject.client.get(subject.type, {
        accountId: subject.A1,
        ids: [gone],
      });
      expect(list).toEqual([]);
    },
  },
  {
    id: 'set-error-shape',
    level: 'must',
    rule:
      'A SetError has a type, a description that is a string or null, and where it tells ' +
      'properties a list of names.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const { notCreated, notUpdated, notDestroyed } = await subject.set({
        create: { bad: subject.unfit },
        update: { x1: {}, [id]: { 'no/such/parent': 1 } },
        destroy: ['x2'],
      });
      for (const error of [
        entry(notCreated, 'bad'),
        entry(notUpdated, 'x1'),
        entry(notUpdated, id),
        entry(notDestroyed, 'x2'),
      ])
        expectSetError(error);
    },
  },
  {
    id: 'set-max-objects',
    level: 'must',
    rule:
      'Creates, updates and destroys together may be as many as maxObjectsInSet; where one more ' +
      'is refused, nothing is done.',
    needs: { room: 2 },
    /**
     * Tries one object too many before the full number, since the full request fills the account.
     * The objects go in any case.
     */
    async run(subject) {
      const before = await subject.takeSnapshot(subject.A1);
      const over = { accountId: subject.A1, ...buildFullSet(subject, 1) };
      const done = await callBeyond(subject, 'maxObjectsInSet', `${subject.type}/set`, over);
      if (done === null) expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
      await subject.clear(subject.A1);
      const { create, update, destroy } = buildFullSet(subject, 0);
      const answer = await subject.set({ create, update, destroy });
      try {
        expect(Object.keys(answer.created ?? {})).toHaveLength(Object.keys(create).length);
        expect(Object.keys(answer.notUpdated ?? {}).sort()).toEqual(Object.keys(update).sort());
        expect(Object.keys(answer.notDestroyed ?? {}).sort()).toEqual([...destroy].sort());
      } finally {
        await subject.clear(subject.A1);
      }
    },
  },
  {
    id: 'set-sequential',
    level: 'must',
    section: '3.3',
    rule:
      'The calls of a request are processed one after the other: each sees what those before it ' +
      'did, and none what comes later.',
    needs: { room: 2 },
    /**
     * Reads between the writes of one request. Each read must see the writes before it and none
     * behind it (RFC 8620 3.3).
     */
    async run(subject) {
      const { type, A1, profile } = subject;
      const id = await subject.makeOne(A1, 'first');
      const get = { accountId: A1, ids: [id] };
      const change = (value: string) => ({
        accountId: A1,
        update: { [id]: { [profile.text]: value } },
      });
      const { methodResponses } = await subject.client.api([
        [`${type}/get`, get, 'a'],
        [`${type}/set`, change('second'), 'b'],
        [`${type}/get`, get, 'c'],
        [`${type}/set`, change('third'), 'd'],
        [`${type}/get`, get, 'e'],
        [`${type}/set`, { accountId: A1, destroy: [id] }, 'f'],
        [`${type}/get`, get, 'g'],
      ]);
      const seen = [0, 2, 4, 6].map((index) => {
        const { list } = at(methodResponses, index)[1] as unknown as GetAnswer;
        return list.map((item) => item[profile.text]);
      });
      expect(seen).toEqual([['first'], ['second'], ['third'], []]);
    },
  },
]);
