import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { at } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/**
 * RFC 8620 5.1 and 5.3: types with one object an account, which is always there and is only
 * updated.
 */

/** Holds the id that the object of a singleton has in each account (RFC 8620 5.1). */
export const ID = 'singleton';

/** Calls /get in an account, for all objects where no ids are given. */
export const get = (subject: Subject, accountId: string, ids: readonly string[] | null = null) =>
  subject.client.get(subject.type, { accountId, ids });

/** Returns why no property can be changed and set back; null where one can. */
export const needDefault = ({ profile: { defaulted } }: Subject) =>
  defaulted === undefined ? 'No mutable property has a default that is not null.' : null;

/** Sets a property to another value, works with that, and sets its own value back in any case. */
export async function withChange(
  subject: Subject,
  work: (property: string, start: string) => Promise<void>,
): Promise<void> {
  const { property = '', default: value = null, other = null } = subject.profile.defaulted ?? {};
  const { [property]: own = value } = await subject.read(ID);
  await subject.update(ID, { [property]: value });
  const start = await subject.readState(subject.A1);
  try {
    const { refused } = await subject.update(ID, { [property]: other });
    expect(refused).toBeNull();
    await work(property, start);
  } finally {
    await subject.update(ID, { [property]: own });
  }
}

export const singletonChecks = typeChecks(
  '5.3',
  { methods: ['get', 'set'], singleton: 'only', room: 0 },
  [
    {
      id: 'singleton-there',
      level: 'must',
      section: '5.1',
      rule:
        'The object of a singleton type is there, whole, before it was ever written: by its id, ' +
        'and as the only one where all are asked for.',
      async run(subject) {
        for (const ids of [null, [ID]]) {
          const { list, notFound } = await get(subject, subject.A1, ids);
          expect([list.map(({ id }) => id), notFound]).toEqual([[ID], []]);
          expect(Object.keys(at(list, 0))).toEqual(expect.arrayContaining([...subject.properties]));
        }
        const { list, notFound } = await get(subject, subject.A1, [ID, 'other']);
        expect([list.length, notFound]).toEqual([1, ['other']]);
      },
    },
    {
      id: 'singleton-not-created',
      level: 'must',
      rule:
        'A singleton can be neither created nor destroyed: each is refused with the error ' +
        'singleton, and the object stays as it is.',
      async run(subject) {
        const before = await subject.takeSnapshot(subject.A1);
        const made = await subject.set({ create: { k: {}, l: { noSuchProperty: 1 } } });
        expect(made.created).toBeNull();
        expect(made.notCreated).toEqual({
          k: subject.matchSetError('singleton'),
          l: subject.matchSetError('singleton'),
        });
        const { destroyed, notDestroyed } = await subject.set({ destroy: [ID] });
        expect([destroyed, notDestroyed]).toEqual([
          null,
          { [ID]: subject.matchSetError('singleton') },
        ]);
        expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
      },
    },
    {
      id: 'singleton-other-id',
      level: 'must',
      rule: 'No other id than that of the one object is found: an update of one is notFound.',
      async run(subject) {
        const before = await subject.takeSnapshot(subject.A1);
        const { updated, notUpdated } = await subject.set({ update: { other: {} } });
        expect([updated, notUpdated]).toEqual([null, { other: subject.matchSetError('notFound') }]);
        expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
      },
    },
    {
      id: 'singleton-update',
      level: 'must',
      rule:
        'An update of a singleton is a change of its account alone, which /changes tells as ' +
        'updated.',
      needs: { methods: ['changes'] },
      applies: needDefault,
      async run(subject) {
        const { A1, A2, type, profile } = subject;
        const elsewhere = await get(subject, A2);
        await withChange(subject, async (property, sinceState) => {
          expect((await subject.read(ID))[property]).toEqual(profile.defaulted?.other);
          expect(await subject.client.changes(type, { accountId: A1, sinceState })).toMatchObject({
            newState: await subject.readState(A1),
            created: [],
            updated: [ID],
            destroyed: [],
          });
        });
        expect(await get(subject, A2)).toEqual(elsewhere);
      },
    },
    {
      id: 'singleton-null-default',
      level: 'must',
      rule:
        'Null restores the default of a singleton’s property; what updated tells of it, if it ' +
        'does, is that value.',
      restsOn: 'the defaults of properties',
      applies: needDefault,
      async run(subject) {
        await withChange(subject, async (property) => {
          const { set, refused } = await subject.update(ID, { [property]: null });
          const value = subject.profile.defaulted?.default;
          expect(refused).toBeNull();
          const { [property]: told = value } = set ?? {};
          expect(told).toEqual(value);
          expect((await subject.read(ID))[property]).toEqual(value);
        });
      },
    },
    {
      id: 'singleton-if-in-state',
      level: 'must',
      rule:
        'ifInState is compared for a singleton like for any type: another state than the current ' +
        'one is stateMismatch.',
      async run(subject) {
        const args = { accountId: subject.A1, ifInState: 'never issued' };
        expect(await subject.client.call(`${subject.type}/set`, args)).toEqual(
          subject.matchError('stateMismatch'),
        );
        const ifInState = await subject.readState(subject.A1);
        const { notUpdated } = await subject.set({ ifInState, update: { [ID]: {} } });
        expect(notUpdated).toBeNull();
      },
    },
    {
      id: 'singleton-account-without',
      level: 'must',
      section: '3.6.2',
      rule:
        'In an account that does not have the type its methods are ' +
        'accountNotSupportedByMethod.',
      async run(subject) {
        const args = { accountId: subject.accountWithout, ids: null };
        expect(await subject.client.call(`${subject.type}/get`, args)).toEqual(
          subject.matchError('accountNotSupportedByMethod'),
        );
      },
    },
    {
      id: 'singleton-methods',
      level: 'must',
      section: '3.6.2',
      rule: 'A standard method that the type does not have is unknownMethod.',
      applies: (subject) =>
        subject.missing.length > 0 ? null : 'The type has all standard methods.',
      async run(subject) {
        for (const verb of subject.missing)
          expect(
            await subject.client.call(`${subject.type}/${verb}`, { accountId: subject.A1 }),
          ).toEqual(subject.matchError('unknownMethod'));
      },
    },
  ],
);
