import { expect } from 'expect';
import { parseDocument, visit } from 'yaml';
import { serverChecks, typeChecks } from '../check.js';
import type { HttpAnswer } from '../client/http.js';
import { parseJson } from '../client/json.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';

/**
 * RFC 8620 1.5: what a server answers is I-JSON (RFC 7493), too. Judged are the octets: a parser
 * hides what was wrong.
 */

/** RFC 7493 2.1: surrogates and noncharacters, each also where it is escaped. */
const NO_TEXT = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/**
 * Returns the faults of a text that is no I-JSON, in the order of the text; null where it isn't
 * JSON at all.
 */
function findFaults(octets: Uint8Array): { musts: string[]; advice: string[] } | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return { musts: ['octets that are no UTF-8'], advice: [] };
  }
  if (parseJson(text) === null) return null;
  // YAML 1.2 reads JSON as JSON is meant; unlike JSON.parse its parser tells of names that are
  // there twice.
  const document = parseDocument(text, { schema: 'json', uniqueKeys: true, stringKeys: true });
  const musts = document.errors.map(({ code, message }) => `${code}: ${message}`);
  const advice: string[] = [];
  visit(document, {
    Scalar(_, { value, source = '' }) {
      if (typeof value === 'string' && NO_TEXT.test(value))
        musts.push(`a string that is no text: ${JSON.stringify(value)}`);
      if (typeof value === 'number' && !isDouble(source)) advice.push(`the number ${source}`);
    },
  });
  return { musts, advice };
}

/**
 * Tells whether a double has a number's magnitude and precision (RFC 7493 2.2): 17 digits tell any
 * double.
 */
function isDouble(source: string): boolean {
  if (!Number.isFinite(Number(source))) return false;
  if (/^-?\d+$/.test(source)) return BigInt(source) === BigInt(Number(source));
  const [digits = ''] = source.replace(/^-?[0.]*/, '').split(/[eE]/);
  return digits.replace('.', '').length <= 17;
}

/** Posts a body to the API endpoint and returns the answer, whose octets are judged. */
function post(server: Server, body: string): Promise<HttpAnswer> {
  const headers = { 'content-type': 'application/json' };
  const url = server.user.session.expand('apiUrl');
  return server.user.http.send(url, { method: 'POST', headers, body });
}

/** Returns the text of a request with these capabilities and calls. */
const buildRequest = (using: readonly string[], ...methodCalls: readonly unknown[]): string =>
  JSON.stringify({ using, methodCalls });

/** Collects answers of each kind: a session, responses and problems (3.6.1). */
async function collectAnswers(server: Server): Promise<readonly HttpAnswer[]> {
  const echoed = { n: [0, -1.5, 1e-7, 2 ** 53 - 1], 'né"\\': '\t\u2028🦊' };
  const calls = [
    ['Core/echo', echoed, 'a'],
    ['Core/noSuchMethod', {}, 'b'],
  ];
  return [
    await server.user.http.follow(server.user.session.url),
    await post(server, buildRequest([CORE], ...calls)),
    await post(server, buildRequest(['urn:nobody:nothing'])),
    await post(server, '{'),
  ];
}

/**
 * Collects the answers to a /set that makes one object and refuses another, and to two /get, one of
 * them wrong.
 */
async function collectTypeAnswers(subject: Subject): Promise<readonly HttpAnswer[]> {
  const { type, A1: accountId, client, server } = subject;
  const text = '🦊 "é"\\';
  const made = subject.create(subject.allows(text) ? text : 'a');
  const create = { k: made, 'k-2': subject.unfit };
  const set = [`${type}/set`, { accountId, create }, 's'];
  const buildGet = (ids: unknown) => [`${type}/get`, { accountId, ids }, 'g'];
  return [
    await post(server, buildRequest(client.using, set)),
    await post(server, buildRequest(client.using, buildGet(null), buildGet(5))),
  ];
}

/** Expects that each answer keeps the rules of RFC 7493, the musts or the advice of it. */
function judge(answers: readonly HttpAnswer[], level: 'musts' | 'advice'): void {
  for (const { status, octets, text } of answers) {
    const found = findFaults(octets);
    if (found === null && status === 200)
      throw new UnexpectedError(`This is no JSON: ${text.slice(0, 200)}`);
    expect([text, found?.[level] ?? []]).toEqual([text, []]);
  }
}

const HTTP = { transport: 'http' } as const;

const ofServers = serverChecks('1.5', [
  {
    ...HTTP,
    id: 'ijson-answers',
    level: 'must',
    rule:
      'The session, responses, method errors and problems are I-JSON: UTF-8, no member twice, no ' +
      'lone surrogate and no noncharacter.',
    run: async (server) => judge(await collectAnswers(server), 'musts'),
  },
  {
    ...HTTP,
    id: 'ijson-answers-numbers',
    level: 'should',
    rule: 'They have no number of more magnitude or precision than a double has (RFC 7493 2.2).',
    run: async (server) => judge(await collectAnswers(server), 'advice'),
  },
]);

const ofTypes = typeChecks('1.5', { methods: ['get', 'set'], text: true }, [
  {
    ...HTTP,
    id: 'ijson-answers-of-types',
    level: 'must',
    rule:
      'The responses of /get and /set, with what they refuse, are I-JSON: no member twice, no ' +
      'lone surrogate and no noncharacter.',
    run: async (subject) => judge(await collectTypeAnswers(subject), 'musts'),
  },
]);

export const ijsonAnswerChecks = Object.freeze([...ofServers, ...ofTypes]);
