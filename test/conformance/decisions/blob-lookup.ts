import { expect } from 'expect';
import { serverChecks, typeChecks } from '../../../conform/src/check.js';
import {
  buildClient,
  buildText,
  createBlob,
  findAccount,
  METHODS,
  readNames,
} from '../../../conform/src/checks/blob-client.js';
import { lookUp, needLookup, upload } from '../../../conform/src/checks/blob-lookup.js';
import { asMap } from '../../../conform/src/client/json.js';
import { BLOB } from '../../../conform/src/subject/user.js';

export const blobLookupDecisions = serverChecks(
  '4.3',
  [
    {
      ...METHODS,
      id: 'blob-lookup-no-types',
      level: 'must',
      rule: 'Without types each id is listed, with nothing.',
      async run(server) {
        const id = await createBlob(server, buildText('no types'));
        const found = await lookUp(server, findAccount(server), [], [id]);
        expect(Object.fromEntries(found)).toEqual({ [id]: {} });
      },
    },
    {
      ...METHODS,
      id: 'blob-lookup-arguments',
      level: 'must',
      rule: 'typeNames and ids are required: invalidArguments, with the name.',
      async run(server) {
        const accountId = findAccount(server);
        const call = (args: object) => buildClient(server).call('Blob/lookup', args);
        expect(await call({ accountId, ids: [] })).toEqual(
          server.matchError('invalidArguments', 'typeNames'),
        );
        expect(await call({ accountId, typeNames: [] })).toEqual(
          server.matchError('invalidArguments', 'ids'),
        );
      },
    },
  ],
  'RFC 9404',
);
export const blobLookupTypeDecisions = typeChecks(
  '4.3',
  { methods: ['get', 'set'], room: 2 },
  [
    {
      id: 'blob-lookup-repeated',
      level: 'must',
      rule: 'A blob that is asked for twice is listed once.',
      needs: { singleton: 'both' },
      applies: needLookup,
      async run(subject) {
        const { server, type, A1 } = subject;
        const blobId = await upload(subject, 'twice');
        const found = await lookUp(server, A1, [type], [blobId, 'bnothing', blobId, 'bnothing']);
        expect([...found.keys()].sort()).toEqual([blobId, 'bnothing'].sort());
      },
    },
    {
      id: 'blob-lookup-types',
      section: '3.1',
      level: 'must',
      rule:
        'supportedTypeNames lists the type exactly where a property of it refers to blobs; one ' +
        'that has none is unknownDataType.',
      needs: { room: 0, singleton: 'both' },
      applies: ({ server, A1 }) =>
        server.user.session.listOffering(BLOB).includes(A1) ? null : `The account has no ${BLOB}.`,
      async run(subject) {
        const { server, type, A1: accountId, described, clientOfAll } = subject;
        const { accounts } = await server.user.readSession();
        const capability = asMap(accounts[accountId]?.['accountCapabilities'])[BLOB];
        const refers = described.properties.some(({ blobs }) => blobs.length > 0);
        const listed = readNames(asMap(capability)['supportedTypeNames']).includes(type);
        expect(listed).toBe(refers);
        const args = { accountId, typeNames: [type], ids: [] };
        const answer = await clientOfAll.call('Blob/lookup', args);
        if (refers) expect(answer[0]).toBe('Blob/lookup');
        else expect(answer).toEqual(server.matchError('unknownDataType'));
      },
    },
  ],
  'RFC 9404',
);
