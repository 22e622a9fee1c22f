import { parseJson } from '../../src/client/json.js';
import type { Fault, ProxyRequest } from '../proxy.js';
import { http, rejecting, sent, taking, withBody } from './makers.js';

/** Passes on what a usual parser understands, as it understands it. */
const read = (change: (text: string) => string): Partial<Fault> => ({
  request: (one: ProxyRequest) => ({
    ...one,
    body: Buffer.from(change(one.body.toString('utf8'))),
  }),
});

const reparsed = (text: string): string => {
  const value = parseJson(text);
  return value === null ? text : JSON.stringify(value);
};

const wellFormed = (text: string): string => reparsed(text).replaceAll(/\\ud[89a-f]../g, '?');

/** Changes the text of what is answered, which a parser would make whole again. */
const answering = (change: (text: string) => string): Partial<Fault> => ({
  answer: (one) => withBody(one, change(one.body.toString('utf8'))),
});

export const ijsonFaults: readonly Fault[] = [
  {
    name: 'a body that is no JSON counts as a request without calls',
    checks: ['ijson-syntax', 'ijson-byte-order-mark'],
    ...taking('notJSON'),
  },
  {
    name: 'the last of two members with one name counts',
    checks: ['ijson-duplicates'],
    ...read(reparsed),
  },
  {
    name: 'names are compared without case and form',
    checks: ['ijson-no-duplicates'],
    ...rejecting(({ body }) => body.includes('"A":2'), 'notJSON'),
  },
  {
    name: 'lone surrogates become question marks',
    checks: ['ijson-surrogates'],
    ...read(wellFormed),
  },
  {
    name: 'noncharacters are taken',
    checks: ['ijson-noncharacters'],
    ...read((text) => text.replaceAll(/\\uff+e?|\\udbff\\udfff|[\ufdd0]|\\ufdef|\u{1fffe}/gu, '?')),
  },
  {
    name: 'octets that are no UTF-8 become replacement characters',
    checks: ['ijson-utf-8'],
    ...read((text) => text),
  },
  {
    name: 'a byte-order mark is dropped',
    checks: ['ijson-byte-order-mark'],
    ...read((text) => text.replace('\ufeff', '')),
  },
  {
    name: 'deep nesting is an error of the server',
    checks: ['ijson-deep'],
    ...http(
      ({ body }) => body.length > 100_000,
      (answer) => ({ ...answer, status: 500 }),
    ),
  },
  {
    name: 'numbers are rounded',
    checks: ['ijson-inexact-numbers'],
    ...sent('query', (args) => args),
  },
  {
    name: 'Responses have sessionState twice',
    checks: ['ijson-answers', 'ijson-answers-of-types'],
    ...answering((text) => text.replace(/("sessionState":"[^"]*")/, '$1,$1')),
  },
  {
    name: 'a SetError tells its type twice, its name escaped',
    checks: ['ijson-answers-of-types'],
    ...answering((text) => text.replace('"type":"invalidP', '"\\u0074ype":"x","type":"invalidP')),
  },
  {
    name: 'the session has state twice',
    checks: ['ijson-answers'],
    ...answering((text) => text.replace(/^\{(?=.*"apiUrl")/s, '{"state":"",')),
  },
  {
    name: 'a problem has status twice',
    checks: ['ijson-answers'],
    ...answering((text) => text.replace('"status":400', '"status":400,"status":400')),
  },
  {
    name: 'a method error is described by half a character',
    checks: ['ijson-answers'],
    ...answering((text) => text.replace('"description":"', '"description":"\\ud83e')),
  },
  {
    name: 'the session has a number that no double is',
    checks: ['ijson-answers-numbers'],
    ...answering((text) => text.replace(/"maxSizeUpload":\d+/, '"maxSizeUpload":1e400')),
  },
  {
    name: 'a Response has a number of 19 digits',
    checks: ['ijson-answers-numbers'],
    ...answering((text) => text.replace('1e-7', '9007199254740993')),
  },
];
