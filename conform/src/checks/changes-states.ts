import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { ChangesAnswer, SetAnswer } from '../client/answers.js';
import { anyString, entry, sameMembers } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listIds } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { UnexpectedError } from '../unexpected.js';
import { runAtOnce, runSideBySide } from './at-once.js';
import { followPages } from './changes.js';

/** RFC 8620 5.2 and 3.10: which states there are, and that each belongs to one moment. */

/**
 * Creates objects at the same time, as many at once as the session allows a user. Returns the
 * answers in any order.
 */
export async function createAtOnce(subject: Subject, count: number): Promise<SetAnswer[]> {
  const { session } = subject.server.user;
  const most = Math.max(1, Math.min(session.readLimit('maxConcurrentRequests'), 8));
  const answers: SetAnswer[] = [];
  await subject.prepare(subject.A1);
  while (answers.length < count) {
    const batch = Array.from(
      { length: Math.min(most, count - answers.length) },
      (_, index) => () =>
        subject.set({ create: { k: subject.create(`p${answers.length + index}`) } }),
    );
    answers.push(...(await runAtOnce(batch)));
  }
  return answers;
}

/**
 * Returns answers in the order of their states, each new state the old one of the next. Throws
 * NotApplicable where an oldState is null, and UnexpectedError at a gap.
 */
export function chainAnswers(answers: readonly SetAnswer[], start: string): readonly SetAnswer[] {
  if (answers.some(({ oldState }) => oldState === null))
    throw new NotApplicable(
      'The server does not know what the state was before (oldState is null).',
    );
  const byOldState = new Map(answers.map((one) => [one.oldState, one]));
  expect(byOldState.size).toBe(answers.length);
  const chain: SetAnswer[] = [];
  for (let state = start; chain.length < answers.length; ) {
    const next = byOldState.get(state);
    if (next === undefined) throw new UnexpectedError(`No create began in the state ${state}.`);
    chain.push(next);
    state = next.newState;
  }
  return chain;
}

/** Of two changes each, more than five objects can fill, with some of others' between them. */
const PAGES = 50;

/** Returns the id of the only object that a /set created. */
const readId = ({ created }: SetAnswer): string => entry(created, 'k').id;

export const changesStateChecks = [
  ...typeChecks('5.2', { methods: ['get', 'changes'], room: 0, singleton: 'both' }, [
    {
      id: 'changes-every-state',
      level: 'should',
      rule:
        'Each state that /get tells is a sinceState that /changes takes, in each account that ' +
        'the user may read, also where nothing ever was.',
      /**
       * Asks in every account that the user reads, also in those without objects, where a log of
       * changes has nothing.
       */
      async run(subject) {
        const { session } = subject.server.user;
        for (const accountId of session.listOffering(subject.profile.capability)) {
          const { state } = await subject.client.get(subject.type, { accountId, ids: [] });
          const args = { accountId, sinceState: state };
          expect(await subject.client.ok(`${subject.type}/changes`, args)).toMatchObject({
            accountId,
            oldState: state,
            // A SHOULD of its own (5.1) says that a state stays where nothing changes.
            newState: anyString,
            hasMoreChanges: false,
            created: [],
            updated: [],
            destroyed: [],
          });
        }
      },
    },
  ]),
  ...typeChecks('5.2', { methods: ['get', 'set', 'changes'], room: 5 }, [
    {
      id: 'changes-intermediate-state',
      level: 'should',
      rule:
        'Where there are more changes than maxChanges the answer leads to a state between, from ' +
        'which /changes goes on to the newest: it is not cannotCalculateChanges.',
      async run(subject) {
        const { A1: accountId, type, client } = subject;
        await subject.prepare(accountId);
        let sinceState = await subject.readState(accountId);
        const made: string[] = [];
        // In calls of their own: a server may have no state between two objects of one call.
        for (const text of ['a', 'b', 'c', 'd', 'e'])
          made.push(await subject.makeOne(accountId, text));
        const told: string[] = [];
        for (let hasMore = true, count = 0; hasMore; count += 1) {
          expect(count).toBeLessThan(PAGES);
          // An answer without changes is what this SHOULD is about: no `client.changes`, which lets
          // others have it.
          const args = { accountId, sinceState, maxChanges: 2 };
          const page = (await client.ok(`${type}/changes`, args)) as unknown as ChangesAnswer;
          hasMore = page.hasMoreChanges;
          if (hasMore) expect(page.newState).not.toBe(sinceState);
          told.push(...listIds(page));
          sinceState = page.newState;
        }
        expect(told).toEqual(expect.arrayContaining(made));
      },
    },
  ]),
  ...typeChecks('3.10', { methods: ['get', 'set', 'changes'], room: 14 }, [
    {
      id: 'changes-busy-writer',
      level: 'must',
      rule:
        'While others write, the state of a /get belongs to the list that came with it: a client ' +
        'that goes on from there by /changes arrives at what is there.',
      /**
       * Applies the changes since each state to the list that came with it. A list that is newer or
       * older than its state ends elsewhere.
       */
      async run(subject) {
        const { A1: accountId, type, client } = subject;
        await subject.prepare(accountId);
        const getAll = () => client.get(type, { accountId, ids: null });
        const seen = [await getAll()];
        await runSideBySide(
          subject,
          12,
          async (round) => {
            const id = await subject.makeOne(accountId, `w${round}`);
            if (round % 3 === 0) await subject.set({ destroy: [id] });
          },
          async () => {
            seen.push(await getAll());
          },
        );
        const ids = (await getAll()).list.map(({ id }) => id);
        for (const { list, state } of seen) {
          const shadow = new Set(list.map(({ id }) => id));
          for (const page of await followPages(subject, state, null)) {
            for (const id of [...page.created, ...page.updated]) shadow.add(id);
            for (const id of page.destroyed) shadow.delete(id);
          }
          expect([...shadow]).toEqual(sameMembers(ids));
        }
      },
    },
  ]),
  ...typeChecks('3.10', { methods: ['get', 'set', 'changes'], room: 50 }, [
    {
      id: 'changes-parallel-creates',
      level: 'must',
      rule:
        'Creates at the same time all succeed and follow one another: the new state of one is ' +
        'the old state of the next. From the start /changes tells all of them, and from each new ' +
        'state the later ones.',
      async run(subject) {
        const { A1: accountId } = subject;
        await subject.clear(accountId);
        const start = await subject.readState(accountId);
        const chain = chainAnswers(await createAtOnce(subject, 50), start);
        const ids = chain.map(readId);
        expect(new Set(ids).size).toBe(50);
        const followCreated = async (sinceState: string) =>
          (await followPages(subject, sinceState, 500)).flatMap((page) => page.created);
        expect(await followCreated(start)).toEqual(sameMembers(ids));
        for (const index of [0, 1, 10, 24, 48, 49]) {
          const later = ids.slice(index + 1);
          expect(await followCreated(chain[index]?.newState ?? '')).toEqual(sameMembers(later));
        }
        expect(chain.at(-1)?.newState).toBe(await subject.readState(accountId));
        const listed = (await subject.listOwn(accountId)).map(({ id }) => id);
        expect(listed).toEqual(expect.arrayContaining(ids));
      },
    },
  ]),
];
