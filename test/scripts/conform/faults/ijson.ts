import { parsed } from '../../../../scripts/conform/client/json.js';
import type { Fault, ProxyRequest } from '../proxy.js';
import { http, rejecting, sent, taking } from './makers.js';

/** Passes on what a usual parser understands, as it understands it. */
const read = (change: (text: string) => string): Partial<Fault> => ({
  request: (one: ProxyRequest) => ({
    ...one,
    body: Buffer.from(change(one.body.toString('utf8'))),
  }),
});

const reparsed = (text: string): string => {
  const value = parsed(text);
  return value === null ? text : JSON.stringify(value);
};

const wellFormed = (text: string): string => reparsed(text).replaceAll(/\\ud[89a-f]../g, '?');

export const ijsonFaults: readonly Fault[] = [
  {
    name: 'what is no JSON counts as a request without calls',
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
];
