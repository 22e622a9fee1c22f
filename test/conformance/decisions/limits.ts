import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  buildRequest,
  echoAtOnce,
  MOST,
  needLowConcurrency,
  needLowLimit,
  readLimit,
  sendSized,
} from '../../../conform/src/checks/limits.js';
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
      const client = server.user.buildClient();
      const ids = (count: number): JsonMap =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x1']));
      const most = ids(MOST.createdIds);
      expect((await client.api([], { createdIds: most })).createdIds).toEqual(most);
      const more = { ...buildRequest([]), createdIds: ids(MOST.createdIds + 1) };
      expect(await client.send(JSON.stringify(more))).toEqual(
        refused(server, 'limit', 'maxCreatedIdsInRequest'),
      );
    },
  },
  {
    id: 'limits-size-refused',
    level: 'must',
    rule:
      'A request of an octet more than maxSizeRequest is a problem of type limit with status ' +
      '400, whether its length is told beforehand or not.',
    applies: (server) => needLowLimit(server, 'maxSizeRequest', MOST.octets),
    async run(server) {
      const size = readLimit(server, 'maxSizeRequest') + 1;
      const limited = refused(server, 'limit', 'maxSizeRequest');
      expect(await sendSized(server, size)).toEqual(limited);
      if (server.transport === 'http') expect(await sendSized(server, size, true)).toEqual(limited);
    },
  },
  {
    id: 'limits-concurrent-refused',
    level: 'must',
    rule: 'Each request beyond maxConcurrentRequests is a problem of type limit with status 400.',
    applies: needLowConcurrency,
    async run(server) {
      const limited = refused(server, 'limit', 'maxConcurrentRequests');
      const count = readLimit(server, 'maxConcurrentRequests') * 4;
      for (const one of await echoAtOnce(server, count, true)) expect(one).toEqual(limited);
    },
  },
]);
export const limitsDecisions = Object.freeze([...ofServers]);
