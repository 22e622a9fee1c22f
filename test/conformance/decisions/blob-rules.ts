import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  buildClient,
  buildText,
  findAccount,
  METHODS,
  readOctets,
  sortKeys,
  upload,
} from '../../../conform/src/checks/blob-client.js';
import { findAnswer } from '../../../conform/src/client/answers.js';
import { asMap } from '../../../conform/src/client/json.js';

export const blobRuleDecisions = serverChecks(
  '4',
  [
    {
      ...METHODS,
      id: 'blob-method-upload-same-call',
      section: '4.1',
      level: 'must',
      rule:
        'A source may be the creation id of a blob of the same call, whatever their order; what ' +
        'would be part of itself is invalidProperties.',
      async run(server) {
        const accountId = findAccount(server);
        const create = {
          whole: { data: [{ blobId: '#half' }, buildText('2'), { blobId: '#half' }] },
          half: { data: [buildText('1'), { blobId: '#last', offset: 1 }] },
          last: { data: [buildText('ab')] },
          self: { data: [{ blobId: '#self' }] },
          round: { data: [{ blobId: '#trip' }] },
          trip: { data: [{ blobId: '#round' }] },
        };
        const { created, notCreated } = await upload(server, create);
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([
          ['half', 'last', 'whole'],
          ['round', 'self', 'trip'],
        ]);
        for (const error of Object.values(notCreated))
          expect(asMap(error)['type']).toBe('invalidProperties');
        const { id } = asMap(created['whole']);
        expect(await readOctets(server, String(id))).toBe('1b21b');
        // An earlier call's blob of the same name gives way to that of the call.
        const response = await buildClient(server).api([
          ['Blob/upload', { accountId, create: { last: { data: [buildText('earlier')] } } }, 'e'],
          ['Blob/upload', { accountId, create: { half: create.half, last: create.last } }, 'l'],
        ]);
        const half = asMap(asMap(findAnswer(response, 'l')['created'])['half'])['id'];
        expect(await readOctets(server, String(half))).toBe('1b');
      },
    },
  ],
  'RFC 9404',
);
