import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { JsonMap } from '../client/json.js';
import type { Server } from '../subject/server.js';

/** RFC 8620 4: Core/echo. */

/** Sends arguments to Core/echo (RFC 8620 4) and expects them back. */
async function expectEcho(server: Server, args: JsonMap): Promise<void> {
  const { methodResponses } = await server.user.buildClient().api([['Core/echo', args, 'b3ff']]);
  expect(methodResponses).toEqual([['Core/echo', args, 'b3ff']]);
}

export const echoChecks = serverChecks('4', [
  {
    id: 'echo',
    level: 'must',
    rule:
      'Core/echo answers with its own name, the arguments that it was given, and ' +
      'the call’s id.',
    run: async (server) => {
      await expectEcho(server, { hello: true, high: 5 });
      await expectEcho(server, {});
    },
  },
  {
    id: 'echo-any-json',
    level: 'must',
    rule:
      'Arguments of any I-JSON come back the same: integers up to 2^53-1, any Unicode, empty ' +
      'names, nested lists and objects.',
    run: async (server) => {
      await expectEcho(server, { n: [1, { x: null }], most: 2 ** 53 - 1, least: -(2 ** 53) + 1 });
      await expectEcho(server, { '': '', 'e\u0301 \u00e9 🦊': ['שלום', '\u2028', '\u0001'] });
      await expectEcho(server, { a: { b: { c: { d: { e: [[[[{}]]]] } } } } });
      await expectEcho(server, { toString: 'x', constructor: { prototype: 1 }, length: 0 });
    },
  },
  {
    id: 'echo-null-character',
    level: 'must',
    rule:
      'The character U+0000 is I-JSON where it is escaped, like any other that is no surrogate ' +
      'and no noncharacter (RFC 7493 2.1).',
    run: async (server) => {
      await expectEcho(server, { text: 'a\u0000b', 'na\u0000me': 1 });
    },
  },
  {
    id: 'echo-account',
    level: 'must',
    rule: 'An accountId is no argument of its own for Core/echo: any value is echoed.',
    run: async (server) => {
      await expectEcho(server, { accountId: server.unknownAccount });
      await expectEcho(server, { accountId: 5 });
    },
  },
  {
    id: 'echo-call-ids',
    section: '3.2',
    level: 'must',
    rule: 'Any String is a method call id and comes back unchanged.',
    run: async (server) => {
      const ids = ['', 'x'.repeat(10_240), '"quoted" \\ 🦊 \u0001', '__proto__'];
      const { methodResponses } = await server.user
        .buildClient()
        .api(ids.map((id) => ['Core/echo', {}, id]));
      expect(methodResponses).toEqual(ids.map((id) => ['Core/echo', {}, id]));
    },
  },
]);
