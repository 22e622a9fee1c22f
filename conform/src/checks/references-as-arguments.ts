import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asSet, type MethodResponse } from '../client/answers.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import { needClosed } from '../subject/type-view.js';
import {
  buildReference,
  callReferring,
  queryByReference,
  referToEcho,
} from './references-of-types.js';

/** RFC 8620 3.7: the arguments that can be given by reference, and those that can't. */

export const referencesAsArgumentsChecks = typeChecks(
  '3.7',
  { methods: ['get', 'set'], text: true, room: 3 },
  [
    {
      id: 'references-arguments',
      level: 'must',
      rule: 'Every argument of a method can be given by reference.',
      /**
       * Gives every argument of two methods by reference and compares with the same values written
       * out. The values come from a Core/echo.
       */
      async run(subject) {
        const { type, A1: accountId, profile } = subject;
        await subject.clear(accountId);
        const [id = ''] = await subject.make(accountId, 'alpha', 'beta');
        const values: JsonMap = {
          accountId,
          state: await subject.readState(accountId),
          properties: [profile.text],
          create: { k: subject.create('by reference') },
          destroy: [id],
        };
        const buildArgs = (...pairs: readonly (readonly [string, string])[]): JsonMap =>
          Object.fromEntries(pairs.map(([name, path]) => [`#${name}`, referToEcho(path)]));
        const account = ['accountId', '/accountId'] as const;
        const { properties = null } = values;
        const plain = await subject.client.get(type, { accountId, ids: [id], properties });
        const [got, set] = await callReferring(
          subject,
          values,
          [
            `${type}/get`,
            buildArgs(account, ['ids', '/destroy'], ['properties', '/properties']),
            'get',
          ],
          [
            `${type}/set`,
            buildArgs(
              account,
              ['ifInState', '/state'],
              ['create', '/create'],
              ['destroy', '/destroy'],
            ),
            'set',
          ],
        );
        // The objects that the same arguments find where they are given as they are.
        expect(got?.[1]['list']).toEqual(plain.list);
        const { created, destroyed } = asSet(set?.[1] ?? {});
        expect([set?.[0], Object.keys(created ?? {}), destroyed]).toEqual([
          ...[`${type}/set`, ['k']],
          [id],
        ]);
      },
    },
    {
      id: 'references-arguments-of-queries',
      level: 'must',
      rule: 'The arguments of /query and /changes can be given by reference, too.',
      needs: { methods: ['query', 'changes'] },
      /**
       * Passes null, a list, a number and a Boolean by reference, since each kind of JSON takes
       * another way through a server.
       */
      async run(subject) {
        const { type, A1: accountId } = subject;
        await subject.clear(accountId);
        const state = await subject.readState(accountId);
        const ids = await subject.make(accountId, 'alpha', 'beta');
        const values: JsonMap = { accountId, state, filter: null, sort: [], limit: 1, total: true };
        const account = { '#accountId': referToEcho('/accountId') };
        const [query, changes] = await callReferring(
          subject,
          values,
          [
            `${type}/query`,
            {
              ...account,
              '#filter': referToEcho('/filter'),
              '#sort': referToEcho('/sort'),
              '#limit': referToEcho('/limit'),
              '#position': referToEcho('/limit'),
              '#calculateTotal': referToEcho('/total'),
            },
            'q',
          ],
          [
            `${type}/changes`,
            {
              ...account,
              '#sinceState': referToEcho('/state'),
              '#maxChanges': referToEcho('/limit'),
            },
            'c',
          ],
        );
        const { ids: found, position, total } = query?.[1] ?? {};
        const all = subject.addForeign(ids).length;
        expect([(found as Json[] | undefined)?.length, position, total]).toEqual([1, 1, all]);
        const { oldState, created } = changes?.[1] ?? {};
        expect([oldState, (created as Json[] | undefined)?.length]).toEqual([state, 1]);
        expect(ids).toContain((created as Json[] | undefined)?.[0]);
      },
    },
    {
      id: 'references-rejected-whole',
      level: 'must',
      rule:
        'A /set with a reference that fails does nothing, and the failed reference is told ' +
        'before anything else that is wrong with the call.',
      /**
       * Adds faults that a server might see earlier, such as an accountId of a wrong type. The
       * failed reference must be told in place of them.
       */
      async run(subject) {
        const { type, A1: accountId } = subject;
        const before = await subject.takeSnapshot(accountId);
        const create = { k: subject.create('never') };
        const [set, wrong] = await callReferring(
          subject,
          { x: [] },
          [`${type}/set`, { accountId, create, '#destroy': referToEcho('/nope') }, 's'],
          [`${type}/get`, { accountId: 5, ids: 'x', '#properties': referToEcho('/nope') }, 'g'],
        );
        expect(set).toEqual([...subject.matchError('invalidResultReference'), 's']);
        expect(wrong).toEqual([...subject.matchError('invalidResultReference'), 'g']);
        expect(await subject.takeSnapshot(accountId)).toEqual(before);
      },
    },
    {
      id: 'references-both-forms-of-set',
      level: 'must',
      rule: 'A /set that has one argument in both forms is invalidArguments and does nothing.',
      /**
       * Gives create twice, with one value in both forms. That the values agree doesn't make the
       * call legal (RFC 8620 3.7).
       */
      async run(subject) {
        const { type, A1: accountId } = subject;
        const before = await subject.takeSnapshot(accountId);
        const create = { k: subject.create('never') };
        const args = { accountId, create, '#create': referToEcho('/create') };
        const [set] = await callReferring(subject, { create }, [`${type}/set`, args, 's']);
        expect(set).toEqual([...subject.matchError('invalidArguments', 'create'), 's']);
        expect(await subject.takeSnapshot(accountId)).toEqual(before);
      },
    },
    {
      id: 'references-inside-create',
      level: 'must',
      rule:
        'In the object of a create a name that begins with # is no reference: it is a property ' +
        'that the type does not have.',
      applies: needClosed,
      /**
       * Puts a reference one level too deep. A server that looks for # everywhere resolves it and
       * creates the object.
       */
      async run(subject) {
        const { type, A1: accountId, profile } = subject;
        const hash = `#${profile.text}`;
        const { [profile.text]: _, ...rest } = subject.create('a');
        const [set] = await callReferring(subject, { t: 'text' }, [
          `${type}/set`,
          { accountId, create: { k: { ...rest, [hash]: referToEcho('/t') } } },
          's',
        ]);
        const { created = null, notCreated } = set?.[1] ?? {};
        expect(created).toBeNull();
        expect((notCreated as Record<string, JsonMap>)['k']?.['type']).toBe('invalidProperties');
      },
    },
    {
      id: 'references-inside-filter',
      level: 'must',
      rule:
        'In a filter a name that begins with # is no reference: it is a condition that the type ' +
        'does not have.',
      needs: { methods: ['query'] },
      /**
       * Accepts both errors, since RFC 8620 5.5 leaves open which of them an unknown condition is.
       */
      async run(subject) {
        const query = await queryByReference(subject);
        expect(query?.[0]).toBe('error');
        expect(['unsupportedFilter', 'invalidArguments']).toContain(query?.[1]['type']);
      },
    },
    {
      id: 'references-twice',
      level: 'must',
      rule:
        'A response stays what it was: referred to again after a call used and stored its value, ' +
        'it is found the same.',
      /**
       * Creates from one response twice and echoes it at the end. A server that stores the shared
       * value may change the response by that.
       */
      async run(subject) {
        const { type, A1: accountId, profile } = subject;
        const create = { k: subject.create('twice') };
        const args = { accountId, '#create': referToEcho('/create') };
        const [first, second, echo] = await callReferring(
          subject,
          { create },
          [`${type}/set`, args, 's1'],
          [`${type}/set`, args, 's2'],
          ['Core/echo', { '#x': referToEcho('/create') }, 'e'],
        );
        const made = [first, second].flatMap((one) => Object.values(asMap(one?.[1]['created'])));
        // The second of two objects with a value that no two may share is refused.
        const isAlone = profile.textDistinct || (profile.hasUnique && profile.given.length > 0);
        expect(made).toHaveLength(isAlone ? 1 : 2);
        expect(new Set(made.map((object) => asMap(object)['id'])).size).toBe(made.length);
        for (const object of made)
          expect((await subject.read(String(asMap(object)['id'])))[profile.text]).toBe('twice');
        expect(echo?.[1]).toEqual({ x: create });
      },
    },
    {
      id: 'references-copy-first',
      level: 'must',
      rule:
        'A reference to a /copy that destroys the originals means the first of its two ' +
        'responses: the name of /copy finds its result, the name of /set nothing.',
      needs: { methods: ['copy'] },
      /**
       * Makes an object for each try, since the copy destroys its original. The two responses have
       * one call id (RFC 8620 5.4).
       */
      async run(subject) {
        const { type, A1, A2 } = subject;
        await subject.prepare(A2);
        const copyReferred = async (name: string, destroys: boolean): Promise<MethodResponse[]> => {
          const id = await subject.makeOne(A1, 'to copy');
          const create = { k: { id, ...subject.readPrepared() } };
          const args = {
            fromAccountId: A1,
            accountId: A2,
            create,
            onSuccessDestroyOriginal: destroys,
          };
          const { methodResponses } = await subject.client.api([
            [`${type}/copy`, args, 'c'],
            ['Core/echo', { '#x': buildReference('c', name, '/accountId') }, 'e'],
          ]);
          return methodResponses;
        };
        const [name, answer] = at(await copyReferred(`${type}/copy`, true), -1);
        expect([name, answer]).toEqual(['Core/echo', { x: A2 }]);
        const failed = await copyReferred(`${type}/set`, true);
        expect(failed.map(([response]) => response)).toEqual([
          `${type}/copy`,
          `${type}/set`,
          'error',
        ]);
        expect(at(failed, 2)[1]['type']).toBe('invalidResultReference');
      },
    },
  ],
);
