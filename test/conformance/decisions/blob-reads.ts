import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  accountOf,
  clientOf,
  FOX,
  listed,
  METHODS,
  made,
  text,
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
        const accountId = accountOf(server);
        const { methodResponses } = await clientOf(server).api([
          ['Blob/upload', { accountId, create: { k: { data: [text(FOX)] } } }, 'u'],
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
        const id = await made(server, text('x'));
        const call = (args: object) =>
          clientOf(server).call('Blob/get', { accountId: accountOf(server), ids: [id], ...args });
        for (const property of ['nope', 'digest:md0', 'digest:', 'Size', '__proto__'])
          expect(await call({ properties: [property] })).toEqual(
            server.err('invalidArguments', property),
          );
        for (const [args, name] of [
          [{ offset: -1 }, 'offset'],
          [{ offset: 0.5 }, 'offset'],
          [{ length: '1' }, 'length'],
          [{ ids: 'x' }, 'ids'],
          [{ foo: 1 }, 'foo'],
        ] as const)
          expect(await call(args)).toEqual(server.err('invalidArguments', name));
        expect(await listed(server, [id], { properties: [] })).toEqual([{ id }]);
        const [name, { type }] = await call({ ids: null });
        expect(name).toBe('error');
        expect(['invalidArguments', 'requestTooLarge']).toContain(type);
      },
    },
  ],
  'RFC 9404',
);
