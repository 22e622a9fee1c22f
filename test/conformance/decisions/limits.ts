import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { MOST, request } from '../../../conform/src/checks/limits.js';
import type { JsonMap } from '../../../conform/src/client/json.js';
import { refused } from '../../../conform/src/refusal.js';

const ofServers = serverChecks('3.6.1', [
  {
    id: 'limits-created-ids',
    level: 'must',
    rule:
      'A request may have 4,096 createdIds; more are rejected as limit, which is called ' +
      'maxCreatedIdsInRequest.',
    async run(server) {
      const client = server.user.client();
      const ids = (count: number): JsonMap =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x1']));
      const most = ids(MOST.createdIds);
      expect((await client.api([], { createdIds: most })).createdIds).toEqual(most);
      const more = { ...request([]), createdIds: ids(MOST.createdIds + 1) };
      expect(await client.send(JSON.stringify(more))).toEqual(
        refused(server, 'limit', 'maxCreatedIdsInRequest'),
      );
    },
  },
]);
export const limitsDecisions = Object.freeze([...ofServers]);
