import { expect } from 'expect';
import { serverChecks, typeChecks } from '../check.js';
import { asMap } from '../client/json.js';
import { entry } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { findBlobHolders } from '../subject/blob-holders.js';
import type { Server } from '../subject/server.js';
import { BLOB } from '../subject/user.js';
import {
  buildClient,
  buildText,
  createBlob,
  findAccount,
  METHODS,
  readCapability,
  readNames,
  readOctets,
  sortKeys,
  upload,
} from './blob-client.js';
import { createHolder, listHolders, needLookup } from './blob-lookup.js';

/** RFC 9404 4 to 5: what holds for all its methods, and how far Blob/upload is a /set. */

/**
 * Returns a legal call of each blob method. Leaves Blob/lookup out where the account looks up no
 * type.
 */
function buildCalls(server: Server, accountId: string): readonly (readonly [string, object])[] {
  const looksUp = readNames(readCapability(server)['supportedTypeNames']).length > 0;
  return [
    ['Blob/upload', { accountId, create: { k: { data: [] } } }],
    ['Blob/get', { accountId, ids: [] }],
    ...(looksUp ? [['Blob/lookup', { accountId, typeNames: [], ids: [] }] as const] : []),
  ];
}

/** Types of media, each with octets that are none of it. */
const PRETENDED = { image: 'image/png', json: 'application/json', mail: 'message/rfc822' } as const;

export const blobRuleChecks = serverChecks(
  '4',
  [
    {
      ...METHODS,
      id: 'blob-methods-capability',
      level: 'must',
      rule:
        'The methods need the capability in `using`, otherwise they are unknownMethod; Blob/copy ' +
        'needs core alone.',
      async run(server) {
        const accountId = findAccount(server);
        const client = server.user.buildClient();
        for (const [name, args] of buildCalls(server, accountId)) {
          expect([name, await client.call(name, args)]).toEqual([
            name,
            server.matchError('unknownMethod'),
          ]);
          expect((await buildClient(server).call(name, args))[0]).toBe(name);
        }
        const args = { fromAccountId: server.unknownAccount, accountId, blobIds: [] };
        const [, { type }] = await client.call('Blob/copy', args);
        expect(type).not.toBe('unknownMethod');
      },
    },
    {
      ...METHODS,
      id: 'blob-methods-foreign-account',
      section: '5',
      level: 'must',
      rule:
        'They tell nothing of an account that the user can’t reach: it is accountNotFound as one ' +
        'that is nobody’s.',
      async run(server) {
        const { accountId } = server.findForeign(BLOB);
        for (const [name, args] of buildCalls(server, accountId))
          expect([name, await buildClient(server).call(name, args)]).toEqual([
            name,
            server.matchError('accountNotFound'),
          ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-create-only',
      section: '4.1',
      level: 'must',
      rule:
        'Blobs are neither updated nor destroyed, and have no state: Blob/upload takes neither ' +
        'of those arguments, nor ifInState, and tells no state.',
      async run(server) {
        const accountId = findAccount(server);
        const create = { k: { data: [buildText('x')] } };
        for (const wrong of [{ update: {} }, { destroy: [] }, { ifInState: '0' }])
          expect([
            wrong,
            await buildClient(server).call('Blob/upload', { accountId, create, ...wrong }),
          ]).toEqual([wrong, server.matchError('invalidArguments')]);
        const answer = await buildClient(server).ok('Blob/upload', { accountId, create });
        const { state = null, oldState = null, newState = null } = answer;
        expect([state, oldState, newState]).toEqual([null, null, null]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-any-octets',
      section: '5',
      level: 'should',
      rule: 'A type is a hint: octets that are nothing of the kind are taken as they are.',
      async run(server) {
        const octets = '{"a":1,"a":';
        const create = Object.fromEntries(
          Object.entries(PRETENDED).map(([key, type]) => [
            key,
            { data: [buildText(octets)], type },
          ]),
        );
        const { created, notCreated } = await upload(server, create);
        expect([sortKeys(created), notCreated]).toEqual([sortKeys(create), {}]);
        for (const one of Object.values(created))
          expect(await readOctets(server, String(asMap(one)['id']))).toBe(octets);
        expect(await readOctets(server, await createBlob(server, buildText(octets)))).toBe(octets);
      },
    },
  ],
  'RFC 9404',
);

export const blobRuleTypeChecks = typeChecks(
  '4.3',
  { methods: ['get', 'set', 'copy'], room: 1 },
  [
    {
      id: 'blob-lookup-copied',
      level: 'must',
      rule:
        'A copy is found in its own account by the blob that it holds there, and the original in ' +
        'its own.',
      applies: needLookup,
      async run(subject) {
        const { A1: fromAccountId, A2: accountId, type, server } = subject;
        if (!server.user.session.listOffering(BLOB).includes(accountId))
          throw new NotApplicable(`The second account has no ${BLOB}.`);
        await subject.prepare(accountId);
        for (const holder of findBlobHolders(subject)) {
          const { name, readHeld } = holder;
          const sent = await server.user.uploadBlob(fromAccountId, `${name} copied`, 'text/plain');
          const original = await createHolder(subject, holder, sent);
          const { [name]: _, ...moved } = subject.readPrepared();
          const create = { k: { id: original.id, ...moved } };
          const answer = await subject.client.copy(type, { fromAccountId, accountId, create });
          const { id } = entry(answer.created, 'k');
          const blobId = readHeld((await subject.read(id, accountId))[name]);
          expect(await listHolders(subject, blobId, accountId)).toEqual([id]);
          expect(await listHolders(subject, original.blobId)).toEqual([original.id]);
          await subject.set({ accountId, destroy: [id] });
          expect(await listHolders(subject, blobId, accountId)).toEqual([]);
          await subject.set({ destroy: [original.id] });
        }
      },
    },
  ],
  'RFC 9404',
);
