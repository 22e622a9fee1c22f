import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { satisfying } from '../expected.js';
import { buildReference, refer } from './references-echoes.js';

/** RFC 8620 3.7: which arguments are result references, shown by Core/echo alone. */

/** None of these is a ResultReference. */
export const WRONG: readonly Json[] = [
  null,
  'text',
  5,
  [],
  {},
  { resultOf: 'source', name: 'Core/echo' },
  { resultOf: 'source', path: '/x' },
  { name: 'Core/echo', path: '/x' },
  { resultOf: 'source', name: 'Core/echo', path: 1 },
  { resultOf: 'source', name: 'Core/echo', path: null },
  { resultOf: 'source', name: 1, path: '/x' },
  { resultOf: 1, name: 'Core/echo', path: '/x' },
];

export const referenceFormChecks = serverChecks('3.7', [
  {
    id: 'references-shape',
    level: 'must',
    rule:
      'A value that is no ResultReference (an object with the strings resultOf, name and path) ' +
      'rejects the call, as an invalidResultReference or as an invalid argument.',
    async run(server) {
      const either = satisfying('an error of its reference or its argument', (type) =>
        ['invalidResultReference', 'invalidArguments'].includes(String(type)),
      );
      for (const reference of WRONG) {
        const [name, { type = null }] = await refer(server, { x: 1 }, { '#x': reference });
        expect([reference, name, type]).toEqual([reference, 'error', either]);
      }
    },
  },
  {
    id: 'references-both-forms',
    level: 'must',
    rule: 'An argument given in plain and in referenced form is invalidArguments.',
    async run(server) {
      const args = { x: 2, '#x': buildReference('/x') };
      expect(await refer(server, { x: 1 }, args)).toEqual(
        server.matchError('invalidArguments', 'x'),
      );
      const same = { x: 1, '#x': buildReference('/x') };
      expect(await refer(server, { x: 1 }, same)).toEqual(
        server.matchError('invalidArguments', 'x'),
      );
    },
  },
  {
    id: 'references-one-fails',
    level: 'must',
    rule:
      'One reference that fails rejects the whole call, whatever the others find; the calls ' +
      'behind it are processed.',
    /** Puts a reference that resolves beside one that fails, and a good call behind both. */
    async run(server) {
      const { methodResponses } = await server.user.buildClient().api([
        ['Core/echo', { x: 1 }, 'source'],
        ['Core/echo', { '#a': buildReference('/x'), '#b': buildReference('/nope'), c: 3 }, 'b'],
        ['Core/echo', { '#a': buildReference('/x') }, 'c'],
      ]);
      expect(methodResponses.slice(1)).toEqual([
        [...server.matchError('invalidResultReference'), 'b'],
        ['Core/echo', { a: 1 }, 'c'],
      ]);
    },
  },
  {
    id: 'references-top-level',
    level: 'must',
    rule: 'Names of arguments alone are looked at: a # further inside is part of a value.',
    async run(server) {
      const inside = {
        a: { '#x': buildReference('/x') },
        list: [{ '#x': buildReference('/nope') }, '#x'],
        x: '#y',
      };
      expect(await refer(server, { x: 1 }, inside)).toEqual(['Core/echo', inside]);
    },
  },
  {
    id: 'references-found-inside',
    level: 'must',
    rule:
      'A reference finds a value, whatever stands in it: the server doesn’t look for references ' +
      'in it again.',
    /**
     * Finds a value that itself looks like a reference. Resolving it again could loop, or read what
     * the client never asked for.
     */
    async run(server) {
      const value = { '#x': buildReference('/x'), 'a*': '#b' };
      expect(await refer(server, { v: value }, { '#y': buildReference('/v') })).toEqual([
        'Core/echo',
        { y: value },
      ]);
    },
  },
]);
