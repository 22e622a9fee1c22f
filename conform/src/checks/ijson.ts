import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { ApiAnswer } from '../client/connection.js';
import type { Body } from '../client/open-request.js';
import { readApiAnswer, refused } from '../refusal.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';

/** RFC 8620 1.5: requests are I-JSON (RFC 7493), and what isn't is rejected as notJSON (3.6.1). */

/** Returns an echo of arguments that are JSON text as they stand, right or wrong. */
export const buildEcho = (args: string): string =>
  `{"using":["${CORE}"],"methodCalls":[["Core/echo",${args},"c0"]]}`;

/** Sends octets to the API endpoint over HTTP: a WebSocket takes valid text alone. */
const post = async (server: Server, body: Body): Promise<ApiAnswer> => {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body };
  return readApiAnswer(await server.user.http.send(server.user.session.expand('apiUrl'), request));
};

/** Expects that each text is rejected as notJSON. */
async function expectRefused(server: Server, ...texts: readonly string[]): Promise<void> {
  for (const text of texts)
    expect([text, await server.user.buildClient().send(text)]).toEqual([
      text,
      refused(server, 'notJSON'),
    ]);
}

/** Expects that arguments, as JSON text, come back with the same meaning. */
async function expectEchoed(server: Server, ...args: readonly string[]): Promise<void> {
  for (const text of args) {
    const answer = await server.user.buildClient().send(buildEcho(text));
    const found = answer.kind === 'response' ? answer.response.methodResponses : answer;
    expect(found).toEqual([['Core/echo', JSON.parse(text), 'c0']]);
  }
}

/** Returns an echo with these octets in a string. */
function buildEchoOfOctets(...octets: readonly number[]): Buffer {
  const [head = '', tail = ''] = buildEcho('{"a":"@"}').split('@');
  return Buffer.concat([Buffer.from(head), Buffer.from(octets), Buffer.from(tail)]);
}

/** Returns arguments that are nested deeper than any reader follows. */
export const buildDeep = (): readonly string[] => [
  `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
];

const ofServers = serverChecks('1.5', [
  {
    id: 'ijson-syntax',
    section: '8.4',
    level: 'must',
    rule:
      'Only what RFC 8259 calls JSON is: no comments, other quotes, further commas, other ' +
      'numbers, control characters or escapes.',
    run: (server) =>
      expectRefused(
        server,
        ...["{'a':1}", '{a:1}', '{"a":1,}', '{"a":[1,]}', '{"a":NaN}', '{"a":01}', '{"a":+1}'],
        ...['{"a":"\n"}', '{"a":"\\x"}', '{"a":"\u0000"}', '{"a":tru}', '{"a":.5}', '{"a":1.}'],
        ...['{"a":1/**/}', '{"a" 1}', '{"a":1e}', '{"a":"\\u12g4"}', '{"a":0x1}', '{"a":-}'],
        ...['{"a":"\t"}', '{"a":Infinity}', '{"a":undefined}', '{"a":\u00a01}'].map((a) => a),
      ).then(() => expectEchoed(server, '{ "a" : [ 1 , -0.5e+2 , "\\u00e4\\n\\/" ] }')),
  },
  {
    id: 'ijson-duplicates',
    level: 'must',
    rule:
      'An object with two members of one name, however deep and however the name is escaped, is ' +
      'no I-JSON.',
    run: (server) =>
      expectRefused(
        server,
        buildEcho('{"a":1,"a":1}'),
        buildEcho('{"a":[{"b":{"c":1,"\\u0063":2}}]}'),
        buildEcho('{"":1,"b":2,"":3}'),
        buildEcho('{"__proto__":1,"__proto__":2}'),
        `{"using":["${CORE}"],"using":["${CORE}"],"methodCalls":[]}`,
        `{"using":["${CORE}"],"methodCalls":[],"x":1,"x":2}`,
      ),
  },
  {
    id: 'ijson-no-duplicates',
    level: 'must',
    rule: 'One name in two objects, or two names that differ in case or form, are no duplicates.',
    run: (server) =>
      expectEchoed(
        server,
        '{"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":{"x":2}}]}',
        '{"a":1,"A":2,"\u00e9":3,"e\u0301":4,"a ":5}',
      ),
  },
  {
    id: 'ijson-surrogates',
    level: 'must',
    rule:
      'An escaped surrogate without its other half is no I-JSON, in a value or in a name; a pair ' +
      'of them is a character.',
    run: async (server) => {
      const lone = ['\\ud800', '\\udc00', '\\ud800x', '\\udc00\\ud800', '\\ud83d\\ud83d\\ude00'];
      const values = lone.map((text) => buildEcho(`{"a":["${text}"]}`));
      await expectRefused(server, ...values, buildEcho('{"\\ud800":1}'));
      await expectEchoed(server, '{"a":"\\ud83d\\ude00","\\ud83d\\ude00":"\u{1f600}"}');
    },
  },
  {
    id: 'ijson-noncharacters',
    level: 'must',
    rule:
      'Code points that Unicode keeps free of characters are no I-JSON (RFC 7493 2.1), escaped ' +
      'or not.',
    run: async (server) => {
      const none = ['\\uffff', '\\ufffe', '\\udbff\\udfff', '\ufdd0', '\\ufdef', '\u{1fffe}'];
      await expectRefused(server, ...none.map((text) => buildEcho(`{"a":"${text}"}`)));
      await expectEchoed(server, '{"a":"\\ufffd\ufdcf\ufdf0\\u0000\\ue000"}');
    },
  },
  {
    id: 'ijson-utf-8',
    level: 'must',
    rule:
      'Octets that are no UTF-8 are no I-JSON: stray, cut, overlong, of surrogates, beyond ' +
      'Unicode; nor is another encoding.',
    transport: 'http',
    async run(server) {
      for (const octets of [
        [0xff],
        [0x80],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
      ])
        expect([octets, await post(server, buildEchoOfOctets(...octets))]).toEqual([
          octets,
          refused(server, 'notJSON'),
        ]);
      const utf16 = Buffer.from(buildEcho('{}'), 'utf16le');
      expect(await post(server, utf16)).toEqual(refused(server, 'notJSON'));
      expect((await post(server, buildEchoOfOctets(0xf0, 0x9f, 0x98, 0x80))).kind).toBe('response');
    },
  },
  {
    id: 'ijson-deep',
    section: '8.4',
    level: 'must',
    rule: 'JSON that is nested very deep is rejected or answered, and the server goes on.',
    /** Accepts an answer or a problem. The small echo at the end shows that the server survived. */
    async run(server) {
      for (const args of buildDeep()) {
        const answer = await server.user.buildClient().send(buildEcho(args));
        if (answer.kind === 'problem')
          expect([Math.trunc(answer.status / 100), answer.problem['type']]).toEqual([
            4,
            expect.anything(),
          ]);
      }
      await expectEchoed(server, '{"a":[[[[[[[[[[[[[[[[{"b":{"c":1}}]]]]]]]]]]]]]]]]}');
    },
  },
]);
export const ijsonChecks = Object.freeze([...ofServers]);
