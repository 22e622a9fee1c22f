import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { entry } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { callBeyond } from '../subject/limits.js';
import type { Subject } from '../subject/subject.js';
import { buildArgs, buildCopy, copy, NEEDS, tryCopy, withReadOnlyObject } from './copies.js';

/** RFC 8620 5.4: what stops a /copy, and what does not. */

/** More would be a burden for a server that isn't one's own. */
const MANY = 5000;

/**
 * Expects an account to be refused as the source and as the target, each by an error of its own.
 */
async function expectAccountRefused(
  subject: Subject,
  account: string,
  source: string,
  target: string,
): Promise<void> {
  expect(await tryCopy(subject, { fromAccountId: account, create: {} })).toEqual(
    subject.matchError(source),
  );
  expect(await tryCopy(subject, { accountId: account, create: {} })).toEqual(
    subject.matchError(target),
  );
}

export const copyRefusedChecks = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-invalid-properties',
    level: 'must',
    rule:
      'A copy judges the values that the client gives as a create does: a property that the type ' +
      'doesn’t have, or a value of the wrong type, is invalidProperties.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'original');
      const before = await subject.takeSnapshot(subject.A2);
      // In a copy the id names the original.
      const unfit = subject.unfitName === 'id' ? { [text]: {} } : subject.unfit;
      const create = {
        a: buildCopy(subject, id, unfit),
        b: buildCopy(subject, id, { [text]: 5 }),
      };
      const answer = await copy(subject, { create });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        a: subject.matchSetError('invalidProperties', Object.keys(unfit)),
        b: subject.matchSetError('invalidProperties', [text]),
      });
      expect(await subject.takeSnapshot(subject.A2)).toEqual(before);
    },
  },
  {
    id: 'copy-id-required',
    level: 'must',
    rule:
      'Each object to be made has the id of its original: one without, or with what is no Id, is ' +
      'invalidProperties, or makes the call invalidArguments; nothing is made.',
    needs: { room: 0 },
    /**
     * Accepts an error of the whole call or of each object, since RFC 8620 leaves open which of
     * them a missing id is.
     */
    async run(subject) {
      const { text } = subject.profile;
      const state = await subject.readState(subject.A2);
      const create = { k: { [text]: 'a' }, n: { id: null }, m: { id: 5 } };
      const [name, answer] = await tryCopy(subject, { create });
      // An argument that lacks what it must have may be invalid as a whole (3.6.2).
      if (name === 'error') expect(answer).toEqual(subject.matchMethodError('invalidArguments'));
      else {
        const error = subject.matchSetError('invalidProperties', ['id']);
        expect(answer['created'] ?? null).toBeNull();
        expect(answer['notCreated']).toEqual({ k: error, n: error, m: error });
      }
      expect(await subject.readState(subject.A2)).toBe(state);
    },
  },
  {
    id: 'copy-not-found',
    level: 'must',
    rule: 'An id that isn’t in the source is notFound, also where it is one of the target.',
    async run(subject) {
      const elsewhere = await subject.makeElsewhere();
      const { created, notCreated } = await copy(subject, {
        create: { k: { id: 'x1' }, m: { id: elsewhere } },
      });
      expect(created).toBeNull();
      const error = subject.matchSetError('notFound');
      expect(notCreated).toEqual({ k: error, m: error });
    },
  },
  {
    id: 'copy-account-unknown',
    level: 'must',
    rule:
      'A fromAccountId that is no account is fromAccountNotFound, an accountId that is none ' +
      'accountNotFound.',
    needs: { room: 0 },
    /** Tries the account on both sides. Each side has an error of its own (RFC 8620 5.4). */
    async run(subject) {
      const { unknownAccount } = subject;
      await expectAccountRefused(subject, unknownAccount, 'fromAccountNotFound', 'accountNotFound');
    },
  },
  {
    id: 'copy-account-foreign',
    level: 'must',
    rule:
      'An account that is another’s alone is answered as one that isn’t there, as source and as ' +
      'target.',
    needs: { room: 0 },
    async run(subject) {
      await expectAccountRefused(subject, subject.AX, 'fromAccountNotFound', 'accountNotFound');
    },
  },
  {
    id: 'copy-account-without-type',
    level: 'must',
    rule:
      'A source without the type is fromAccountNotSupportedByMethod, such a target ' +
      'accountNotSupportedByMethod.',
    needs: { room: 0 },
    async run(subject) {
      await expectAccountRefused(
        subject,
        subject.accountWithout,
        'fromAccountNotSupportedByMethod',
        'accountNotSupportedByMethod',
      );
    },
  },
  {
    id: 'copy-same-account-refused',
    level: 'must',
    rule:
      'A copy within one account, for which accountId must be another, is refused: nothing is ' +
      'made.',
    /**
     * Accepts an error of the call or of the object. In both cases a snapshot must show that
     * nothing was made.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const before = await subject.takeSnapshot(subject.A1);
      const [name, answer] = await tryCopy(subject, {
        accountId: subject.A1,
        create: { k: { id } },
      });
      // As a whole, or each object by itself.
      if (name !== 'error') expect(Object.keys(asMap(answer['notCreated']))).toEqual(['k']);
      expect(Object.keys(asMap(answer['created'] ?? {}))).toEqual([]);
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
  {
    id: 'copy-read-only-source',
    level: 'must',
    rule: 'From an account that the user may only read copies are made.',
    run: (subject) =>
      withReadOnlyObject(subject, 'read', async (original, fromAccountId) => {
        const create = { k: buildCopy(subject, original) };
        const { id } = entry((await copy(subject, { fromAccountId, create })).created, 'k');
        expect((await subject.read(id, subject.A2))[subject.profile.text]).toBe('read');
      }),
  },
  {
    id: 'copy-read-only-target',
    level: 'must',
    rule: 'Into an account that the user may only read nothing is copied: accountReadOnly.',
    needs: { room: 0 },
    async run(subject) {
      const answer = await tryCopy(subject, { accountId: subject.AR, create: {} });
      expect(answer).toEqual(subject.matchError('accountReadOnly'));
    },
  },
  {
    id: 'copy-state-mismatch',
    level: 'must',
    rule:
      'ifFromInState must be the source’s state and ifInState the target’s: otherwise the call ' +
      'is stateMismatch and nothing is copied.',
    /**
     * Tries a stale state on each side, and an empty string, which a server might take for no
     * condition.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const before = await subject.takeSnapshot(subject.A2);
      const create = { k: buildCopy(subject, id) };
      for (const stale of [{ ifFromInState: 'no' }, { ifInState: 'no' }, { ifInState: '' }])
        expect(await tryCopy(subject, { create, ...stale })).toEqual(
          subject.matchError('stateMismatch'),
        );
      expect(await subject.takeSnapshot(subject.A2)).toEqual(before);
    },
  },
  {
    id: 'copy-state-matches',
    level: 'must',
    rule: 'With the states that both accounts are in the copy is made; null is no condition.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const current = {
        ifFromInState: await subject.readState(subject.A1),
        ifInState: await subject.readState(subject.A2),
      };
      const create = { k: buildCopy(subject, id) };
      for (const states of [current, { ifFromInState: null, ifInState: null }]) {
        const { created } = await copy(subject, { create, ...states });
        await subject.set({ accountId: subject.A2, destroy: [entry(created, 'k').id] });
      }
    },
  },
  {
    id: 'copy-most',
    level: 'must',
    rule:
      'maxObjectsInSet copies may be asked for in one call; one more is refused, or answered as ' +
      'well: never only some.',
    needs: { room: 0 },
    /**
     * Copies ids that nobody has: the count is judged before any object is looked for. Throws
     * NotApplicable above MANY.
     */
    async run(subject) {
      const most = subject.server.user.session.readLimit('maxObjectsInSet');
      if (most > MANY) throw new NotApplicable(`maxObjectsInSet is ${most}, this tries ${MANY}.`);
      const buildCreate = (count: number): JsonMap =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { id: 'x1' }]));
      const { notCreated } = await copy(subject, { create: buildCreate(most) });
      expect(Object.keys(notCreated ?? {})).toHaveLength(most);
      const args = buildArgs(subject, { create: buildCreate(most + 1) });
      const answer = await callBeyond(subject, 'maxObjectsInSet', `${subject.type}/copy`, args);
      if (answer !== null) expect(Object.keys(asMap(answer['notCreated']))).toHaveLength(most + 1);
    },
  },
  {
    id: 'copy-arguments-required',
    level: 'must',
    rule: 'create and fromAccountId are required, and may not be null: invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      for (const create of [undefined, null])
        expect(await tryCopy(subject, { create })).toEqual(
          subject.matchError('invalidArguments', 'create'),
        );
      for (const fromAccountId of [undefined, null])
        expect(await tryCopy(subject, { fromAccountId, create: {} })).toEqual(
          subject.matchError('invalidArguments', 'fromAccountId'),
        );
    },
  },
]);
