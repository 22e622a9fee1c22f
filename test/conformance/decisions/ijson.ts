import { expect } from 'expect';
import { serverChecks, typeChecks } from '../../../conform/src/check.js';
import { buildDeep, buildEcho } from '../../../conform/src/checks/ijson.js';
import type { Json } from '../../../conform/src/client/json.js';
import { refused } from '../../../conform/src/refusal.js';

const ofServers = serverChecks('1.5', [
  {
    id: 'ijson-byte-order-mark',
    level: 'must',
    rule: 'A byte-order mark in front of a request is notJSON.',
    async run(server) {
      const text = `\ufeff${buildEcho('{}')}`;
      expect(await server.user.buildClient().send(text)).toEqual(refused(server, 'notJSON'));
    },
  },
]);

const ofReaders = serverChecks('8.4', [
  {
    id: 'ijson-deep-refused',
    level: 'must',
    rule: 'JSON that is nested deeper than 2,500 levels is rejected.',
    async run(server) {
      for (const args of buildDeep())
        expect((await server.user.buildClient().send(buildEcho(args))).kind).toBe('problem');
    },
  },
]);

/** Numbers that no double holds as they are written. */
const INEXACT = ['1e400', '9007199254740993', '4.99999999999999999999', '1e-400', '-1e999'];

const ofTypes = typeChecks('1.3', { methods: ['query'], room: 0 }, [
  {
    id: 'ijson-inexact-numbers',
    level: 'must',
    rule:
      'A number that a double cannot hold exactly is refused where an Int is expected, never ' +
      'rounded: its text decides; -0 and 5.0 are the integers 0 and 5.',
    async run(subject) {
      const { type, A1 } = subject;
      const { using } = subject.client;
      const answer = async (args: string): Promise<Json | undefined> => {
        const call = `["${type}/query",{"accountId":"${A1}",${args}},"c0"]`;
        const text = `{"using":${JSON.stringify(using)},"methodCalls":[${call}]}`;
        const told = await subject.client.send(text);
        return told.kind === 'response' ? [...(told.response.methodResponses[0] ?? [])] : undefined;
      };
      for (const token of INEXACT)
        for (const argument of ['limit', 'position', 'anchorOffset'])
          expect([token, await answer(`"${argument}":${token}`)]).toEqual([
            token,
            [...subject.matchError('invalidArguments', argument), 'c0'],
          ]);
      const exact = await answer('"position":-0,"limit":5.0');
      expect(exact).toEqual([`${type}/query`, expect.anything(), 'c0']);
    },
  },
]);

export const ijsonDecisions = Object.freeze([...ofServers, ...ofReaders, ...ofTypes]);
