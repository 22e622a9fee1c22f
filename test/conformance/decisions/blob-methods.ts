import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  buildBase64,
  buildClient,
  buildText,
  findAccount,
  METHODS,
  sortKeys,
  upload,
} from '../../../conform/src/checks/blob-client.js';
import { buildCreates } from '../../../conform/src/checks/blob-upload-sources.js';
import { findAnswer } from '../../../conform/src/client/answers.js';
import { asMap } from '../../../conform/src/client/json.js';

export const blobUploadMethodDecisions = serverChecks(
  '4.1',
  [
    {
      ...METHODS,
      id: 'blob-method-upload-strict-base64',
      level: 'must',
      rule: 'Base64 has its padding, no space and the first alphabet of RFC 4648.',
      async run(server) {
        const wrong = ['YQ=', 'YQ', 'YW Jj', 'YWJj\n', '-_-_'];
        const create = buildCreates(
          Object.fromEntries(wrong.map((value, n) => [`k${n}`, [buildBase64(value)]])),
        );
        const { created, notCreated } = await upload(server, create);
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([[], sortKeys(create)]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-blob-id',
      level: 'must',
      rule:
        'created has the blobId too, equal to the id, and /created/k/blobId resolves; there is ' +
        'no state.',
      async run(server) {
        const create = { k: { data: [buildText('x')], type: 'text/plain' } };
        const path = '/created/k/blobId';
        const response = await buildClient(server).api([
          ['Blob/upload', { accountId: findAccount(server), create }, 'u'],
          ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path } }, 'e'],
        ]);
        const answer = findAnswer(response, 'u');
        const { id, blobId } = asMap(asMap(answer['created'])['k']);
        expect([blobId, findAnswer(response, 'e')]).toEqual([id, { id }]);
        expect([answer['oldState'] ?? null, answer['newState'] ?? null]).toEqual([null, null]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-bad-type',
      level: 'must',
      rule: 'A type that is no media type is invalidProperties.',
      async run(server) {
        const data = [buildText('x')];
        const { created, notCreated } = await upload(server, {
          bad: { data, type: 'no media type' },
          number: { data, type: 5 },
        });
        const error = expect.objectContaining({ type: 'invalidProperties', properties: ['type'] });
        expect([created, notCreated]).toEqual([{}, { bad: error, number: error }]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-arguments',
      level: 'must',
      rule:
        'accountId and create are required, and there are no others: invalidArguments with the ' +
        'name.',
      async run(server) {
        const accountId = findAccount(server);
        const create = { k: { data: [] } };
        for (const [args, name] of [
          [{ create }, 'accountId'],
          [{ accountId }, 'create'],
          [{ accountId, create, update: {} }, 'update'],
        ] as const)
          expect(await buildClient(server).call('Blob/upload', args)).toEqual(
            server.matchError('invalidArguments', name),
          );
      },
    },
  ],
  'RFC 9404',
);
