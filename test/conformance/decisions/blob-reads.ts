import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  buildClient,
  buildText,
  createBlob,
  FOX,
  findAccount,
  listBlobs,
  METHODS,
} from '../../../conform/src/checks/blob-client.js';
export const blobGetMethodDecisions = serverChecks(
  '4.2',
  [
    {
      ...METHODS,
      id: 'blob-method-get-creation-id',
      level: 'must',
      rule: 'A creation id stands for its blob in ids, too.',
      async run(server) {
        const accountId = findAccount(server);
        const { methodResponses } = await buildClient(server).api([
          ['Blob/upload', { accountId, create: { k: { data: [buildText(FOX)] } } }, 'u'],
          ['Blob/get', { accountId, ids: ['#k'], properties: ['size'] }, 'g'],
        ]);
        const [, got] = methodResponses;
        const [list] = [got?.[1]['list']];
        expect(list).toEqual([expect.objectContaining({ size: 45 })]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-arguments',
      level: 'must',
      rule:
        'Properties that there are none of, numbers that are none, ids that are null: ' +
        'invalidArguments, with the name.',
      async run(server) {
        const id = await createBlob(server, buildText('x'));
        const call = (args: object) =>
          buildClient(server).call('Blob/get', {
            accountId: findAccount(server),
            ids: [id],
            ...args,
          });
        for (const property of ['nope', 'digest:md0', 'digest:', 'Size', '__proto__'])
          expect(await call({ properties: [property] })).toEqual(
            server.matchError('invalidArguments', property),
          );
        for (const [args, name] of [
          [{ offset: -1 }, 'offset'],
          [{ offset: 0.5 }, 'offset'],
          [{ length: '1' }, 'length'],
          [{ ids: 'x' }, 'ids'],
          [{ foo: 1 }, 'foo'],
        ] as const)
          expect(await call(args)).toEqual(server.matchError('invalidArguments', name));
        expect(await listBlobs(server, [id], { properties: [] })).toEqual([{ id }]);
        const [name, { type }] = await call({ ids: null });
        expect(name).toBe('error');
        expect(['invalidArguments', 'requestTooLarge']).toContain(type);
      },
    },
  ],
  'RFC 9404',
);
