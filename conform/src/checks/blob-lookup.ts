import { expect } from 'expect';
import { serverChecks, typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { type BlobHolder, findBlobHolders } from '../subject/blob-holders.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';
import { BLOB } from '../subject/user.js';
import {
  buildClient,
  buildText,
  createBlob,
  findAccount,
  METHODS,
  readCapability,
  readNames,
} from './blob-client.js';

/** RFC 9404 4.3: which objects refer to a blob. */

/** Calls Blob/lookup and returns its list, by id. */
export async function lookUp(
  server: Server,
  accountId: string,
  typeNames: readonly string[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonMap>> {
  const answer = await buildClient(server).ok('Blob/lookup', { accountId, typeNames, ids });
  expect(answer['accountId'] ?? accountId).toBe(accountId);
  const list = (answer['list'] as JsonMap[]).map(
    ({ id, matchedIds }) => [String(id), asMap(matchedIds)] as const,
  );
  const found = new Map(list);
  expect(found.size).toBe(list.length);
  return found;
}

/**
 * Returns the names of the types whose objects the server looks up by their blobs (RFC 9404 4.3).
 * Throws NotApplicable where there are none.
 */
function findTypes(server: Server): readonly string[] {
  const names = readNames(readCapability(server)['supportedTypeNames']);
  if (names.length === 0) throw new NotApplicable('supportedTypeNames is empty.');
  return names;
}

/** Returns matchedIds of a blob that no object holds: each type with an empty list. */
const buildNoMatches = (types: readonly string[]): JsonMap =>
  Object.fromEntries(types.map((name) => [name, []]));

export const blobLookupChecks = serverChecks(
  '4.3',
  [
    {
      ...METHODS,
      id: 'blob-lookup-nothing',
      level: 'must',
      rule:
        'A blob that nothing refers to has an empty list for each type that is asked for, and so ' +
        'has one that is not there.',
      async run(server) {
        const types = findTypes(server);
        const id = await createBlob(server, buildText('looked up'));
        const found = await lookUp(server, findAccount(server), types, [id, 'b-nothing']);
        expect(Object.fromEntries(found)).toEqual({
          [id]: buildNoMatches(types),
          'b-nothing': buildNoMatches(types),
        });
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-none',
      level: 'must',
      rule: 'Of no ids nothing is listed.',
      async run(server) {
        expect((await lookUp(server, findAccount(server), findTypes(server), [])).size).toBe(0);
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-unknown-type',
      level: 'must',
      rule: 'A name that is no type’s is unknownDataType, beside others that are as well.',
      async run(server) {
        const accountId = findAccount(server);
        const call = (...typeNames: readonly string[]) =>
          buildClient(server).call('Blob/lookup', { accountId, typeNames, ids: [] });
        for (const names of [['NoSuchType'], ['__proto__'], [...findTypes(server), 'NoSuchType']])
          expect(await call(...names)).toEqual(server.matchError('unknownDataType'));
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-unknown-account',
      level: 'must',
      rule: 'An account that is nobody’s is accountNotFound.',
      async run(server) {
        const typeNames = findTypes(server).slice(0, 1);
        const args = { accountId: server.unknownAccount, typeNames, ids: [] };
        expect(await buildClient(server).call('Blob/lookup', args)).toEqual(
          server.matchError('accountNotFound'),
        );
      },
    },
  ],
  'RFC 9404',
);

/** Returns why no object of the type can be looked up by a blob; null where it can. */
export function needLookup(subject: Subject): string | null {
  if (findBlobHolders(subject).length === 0) return 'The type refers to no blobs.';
  const { session } = subject.server.user;
  const capability = asMap(session.accounts[subject.A1]?.['accountCapabilities'])[BLOB];
  return readNames(asMap(capability)['supportedTypeNames']).includes(subject.type)
    ? null
    : `supportedTypeNames has no ${subject.type}.`;
}

/** Returns the ids of the type's objects that refer to a blob, sorted. */
export async function listHolders(
  subject: Subject,
  blobId: string,
  accountId = subject.A1,
): Promise<readonly string[]> {
  const { server, type } = subject;
  const found = await lookUp(server, accountId, [type], [blobId]);
  return [...readNames(found.get(blobId)?.[type])].sort();
}

/**
 * Makes an object that holds a blob. Returns its id and the blobId that it has, which may differ
 * from the one sent (RFC 8620 6).
 */
export async function createHolder(subject: Subject, holder: BlobHolder, sent: string) {
  const { name } = holder;
  const { id, reported, refused } = await subject.put({ [name]: holder.buildHolding(sent) });
  expect(refused).toBeNull();
  return { id, blobId: name in reported ? holder.readHeld(reported[name]) : sent };
}

/** Uploads content to the first account of the type and returns its blobId. */
export const upload = (subject: Subject, content: string): Promise<string> =>
  subject.server.user.uploadBlob(subject.A1, content, 'text/plain');

export const blobLookupTypeChecks = typeChecks(
  '4.3',
  { methods: ['get', 'set'], room: 2 },
  [
    {
      id: 'blob-lookup-objects',
      level: 'must',
      rule: 'The objects that hold a blob are found, each once, as long as they hold it.',
      applies: needLookup,
      async run(subject) {
        for (const holder of findBlobHolders(subject)) {
          const { name, access, buildHolding, readHeld } = holder;
          const upload = (content: string) =>
            subject.server.user.uploadBlob(subject.A1, `${name} ${content}`, 'text/plain');
          const [one, two] = [await upload('one'), await upload('two')];
          // A server may give the octets another id in the object, and tells so (RFC 8620 6).
          const put = (blobId: string) => createHolder(subject, holder, blobId);
          const first = await put(one);
          expect(await listHolders(subject, first.blobId)).toEqual([first.id]);
          const second = await put(one);
          expect(await listHolders(subject, second.blobId)).toContain(second.id);
          let held = second.blobId;
          if (access === 'mutable') {
            const { set, refused } = await subject.update(second.id, { [name]: buildHolding(two) });
            expect(refused).toBeNull();
            held = set?.[name] === undefined ? two : readHeld(set[name]);
            expect(await listHolders(subject, held)).toEqual([second.id]);
            expect(await listHolders(subject, second.blobId)).not.toContain(second.id);
          }
          await subject.set({ destroy: [first.id, second.id] });
          for (const blobId of [first.blobId, held])
            expect(await listHolders(subject, blobId)).toEqual([]);
        }
      },
    },
    {
      id: 'blob-lookup-each',
      level: 'must',
      rule:
        'Each blob is listed with all the objects that hold it, and with no others. A change of ' +
        'something else leaves the list as it is. Another account knows nothing of it.',
      needs: { text: true, room: 3 },
      applies: needLookup,
      async run(subject) {
        const { server, type, A1, A2, profile } = subject;
        for (const holder of findBlobHolders(subject)) {
          const { name } = holder;
          const one = await upload(subject, `${name} one`);
          const a = await createHolder(subject, holder, one);
          const b = await createHolder(subject, holder, a.blobId);
          const c = await createHolder(subject, holder, await upload(subject, `${name} two`));
          const readShown = async () => {
            const ids = [...new Set([a.blobId, b.blobId, c.blobId, 'b-nothing'])];
            const found = await lookUp(server, A1, [type], ids);
            return [...found].map(([id, map]) => [id, [...readNames(map[type])].sort()]).sort();
          };
          const pickHolders = (blobId: string) =>
            [a, b, c].flatMap((object) => (object.blobId === blobId ? [object.id] : [])).sort();
          const wanted = [...new Set([a.blobId, b.blobId, c.blobId, 'b-nothing'])]
            .map((id) => [id, pickHolders(id)] as const)
            .sort();
          expect(await readShown()).toEqual(wanted);
          const { refused } = await subject.update(a.id, { [profile.text]: 'renamed' });
          expect([refused, await readShown()]).toEqual([null, wanted]);
          expect(await listHolders(subject, c.blobId, A2)).not.toContain(c.id);
          await subject.set({ destroy: [a.id, b.id, c.id] });
        }
      },
    },
    {
      id: 'blob-lookup-null',
      level: 'must',
      rule: 'An object whose property is set to null holds the blob no longer.',
      needs: { singleton: 'both' },
      applies: (subject) =>
        needLookup(subject) ??
        (findNullable(subject).length > 0
          ? null
          : 'No property that refers to a blob can be null.'),
      async run(subject) {
        for (const holder of findNullable(subject)) {
          const { name } = holder;
          const { id, blobId } = await createHolder(subject, holder, await upload(subject, name));
          expect(await listHolders(subject, blobId)).toEqual([id]);
          const { refused } = await subject.update(id, { [name]: null });
          expect([refused, await listHolders(subject, blobId)]).toEqual([null, []]);
          if (!subject.profile.singleton) await subject.set({ destroy: [id] });
        }
      },
    },
    {
      id: 'blob-lookup-not-used',
      level: 'must',
      rule:
        'The name of a type whose capability the request does not use is unknownDataType, and so ' +
        'is a name in other letters.',
      needs: { room: 0, singleton: 'both' },
      applies: needLookup,
      async run(subject) {
        const { server, type, A1: accountId, profile } = subject;
        const call = (typeName: string, ...capabilities: readonly string[]) =>
          server.user
            .buildClient(BLOB, ...capabilities)
            .call('Blob/lookup', { accountId, typeNames: [typeName], ids: [] });
        const error = server.matchError('unknownDataType');
        expect(await call(type)).toEqual(error);
        expect(await call(type.toUpperCase(), profile.capability)).toEqual(error);
        const [name] = await call(type, profile.capability);
        expect(name).toBe('Blob/lookup');
      },
    },
  ],
  'RFC 9404',
);

/** Returns the places of blobs that an update can empty again. */
const findNullable = (subject: Subject): readonly BlobHolder[] =>
  findBlobHolders(subject).filter(({ access, nullable }) => access === 'mutable' && nullable);
