import { expect } from 'expect';
import type { ModelProperty } from '../../generator/model.js';
import { serverChecks, typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { writable } from '../subject/described.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';
import { BLOB } from '../subject/user.js';
import { accountOf, capabilityOf, clientOf, METHODS, made, namesIn, text } from './blob-client.js';

/** RFC 9404 4.3: which objects refer to a blob. */

/** What Blob/lookup lists, by id. */
async function lookup(
  server: Server,
  accountId: string,
  typeNames: readonly string[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonMap>> {
  const answer = await clientOf(server).ok('Blob/lookup', { accountId, typeNames, ids });
  expect(answer['accountId'] ?? accountId).toBe(accountId);
  const list = (answer['list'] as JsonMap[]).map(
    ({ id, matchedIds }) => [String(id), asMap(matchedIds)] as const,
  );
  const found = new Map(list);
  expect(found.size).toBe(list.length);
  return found;
}

function typesOf(server: Server): readonly string[] {
  const names = namesIn(capabilityOf(server)['supportedTypeNames']);
  if (names.length === 0) throw new NotApplicable('supportedTypeNames is empty.');
  return names;
}

const nothing = (types: readonly string[]): JsonMap =>
  Object.fromEntries(types.map((name) => [name, []]));

export const blobLookupChecks = serverChecks(
  '4.3',
  [
    {
      ...METHODS,
      id: 'blob-lookup-nothing',
      level: 'must',
      rule: 'A blob that nothing refers to has an empty list for each type that is asked for, and so has one that is not there.',
      async run(server) {
        const types = typesOf(server);
        const id = await made(server, text('looked up'));
        const found = await lookup(server, accountOf(server), types, [id, 'bnothing']);
        expect(Object.fromEntries(found)).toEqual({
          [id]: nothing(types),
          bnothing: nothing(types),
        });
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-none',
      level: 'must',
      rule: 'Of no ids nothing is listed.',
      async run(server) {
        expect((await lookup(server, accountOf(server), typesOf(server), [])).size).toBe(0);
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-no-types',
      level: 'decision',
      rule: 'Of no types each id is listed, with nothing.',
      async run(server) {
        const id = await made(server, text('no types'));
        const found = await lookup(server, accountOf(server), [], [id]);
        expect(Object.fromEntries(found)).toEqual({ [id]: {} });
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-unknown-type',
      level: 'must',
      rule: 'A name that is no type’s is unknownDataType, beside others that are as well.',
      async run(server) {
        const accountId = accountOf(server);
        const call = (...typeNames: readonly string[]) =>
          clientOf(server).call('Blob/lookup', { accountId, typeNames, ids: [] });
        for (const names of [['NoSuchType'], ['__proto__'], [...typesOf(server), 'NoSuchType']])
          expect(await call(...names)).toEqual(server.err('unknownDataType'));
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-arguments',
      level: 'decision',
      rule: 'typeNames and ids are required: invalidArguments, with the name (decision 13).',
      async run(server) {
        const accountId = accountOf(server);
        const call = (args: object) => clientOf(server).call('Blob/lookup', args);
        expect(await call({ accountId, ids: [] })).toEqual(
          server.err('invalidArguments', 'typeNames'),
        );
        expect(await call({ accountId, typeNames: [] })).toEqual(
          server.err('invalidArguments', 'ids'),
        );
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-unknown-account',
      level: 'must',
      rule: 'An account that is nobody’s is accountNotFound.',
      async run(server) {
        const args = { accountId: server.unknownAccount, typeNames: [], ids: [] };
        expect(await clientOf(server).call('Blob/lookup', args)).toEqual(
          server.err('accountNotFound'),
        );
      },
    },
  ],
  'RFC 9404',
);

/** Blobs that an object can be made to hold. */
const blobsOf = ({ described }: Subject): readonly ModelProperty[] =>
  writable(described).filter(({ blob }) => blob);

function whyNot(subject: Subject): string | null {
  if (blobsOf(subject).length === 0) return 'The type refers to no blobs.';
  const { session } = subject.server.user;
  const capability = asMap(session.accounts[subject.A1]?.['accountCapabilities'])[BLOB];
  return namesIn(asMap(capability)['supportedTypeNames']).includes(subject.type)
    ? null
    : `supportedTypeNames has no ${subject.type}.`;
}

/** Ids of objects of the type that refer to a blob. */
async function holders(subject: Subject, blobId: string): Promise<readonly string[]> {
  const { server, type, A1 } = subject;
  const found = await lookup(server, A1, [type], [blobId]);
  return [...namesIn(found.get(blobId)?.[type])].sort();
}

export const blobLookupTypeChecks = typeChecks(
  '4.3',
  { methods: ['get', 'set'], room: 2 },
  [
    {
      id: 'blob-lookup-objects',
      level: 'must',
      rule: 'The objects that hold a blob are found, each once, as long as they hold it.',
      applies: whyNot,
      async run(subject) {
        for (const { name, access } of blobsOf(subject)) {
          const upload = (content: string) =>
            subject.server.user.uploaded(subject.A1, `${name} ${content}`, 'text/plain');
          const [one, two] = [await upload('one'), await upload('two')];
          // A server may give the octets another id in the object, and tells so (RFC 8620 6).
          const put = async (blobId: string) => {
            const { id, reported, refused } = await subject.put({ [name]: blobId });
            expect(refused).toBeNull();
            return { id, blobId: String(reported[name] ?? blobId) };
          };
          const first = await put(one);
          expect(await holders(subject, first.blobId)).toEqual([first.id]);
          const second = await put(one);
          expect(await holders(subject, second.blobId)).toContain(second.id);
          let held = second.blobId;
          if (access === 'mutable') {
            const { set, refused } = await subject.update(second.id, { [name]: two });
            expect(refused).toBeNull();
            held = String(set?.[name] ?? two);
            expect(await holders(subject, held)).toEqual([second.id]);
            expect(await holders(subject, second.blobId)).not.toContain(second.id);
          }
          await subject.set({ destroy: [first.id, second.id] });
          for (const blobId of [first.blobId, held])
            expect(await holders(subject, blobId)).toEqual([]);
        }
      },
    },
  ],
  'RFC 9404',
);
