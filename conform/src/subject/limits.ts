import { expect } from 'expect';
import { asMap, type JsonMap } from '../client/json.js';
import { satisfying } from '../expected.js';
import type { Subject } from './subject.js';

/**
 * Makes a call with one object more than a limit of the session allows. Returns null where it was
 * refused, otherwise its answer. The limit binds the client (RFC 8620 2). A server may refuse the
 * call (requestTooLarge), or the whole request as one beyond a limit of the capability object
 * (3.6.1). Or it may do what was asked, but then with every object. A strict run wants the call to
 * be refused.
 */
export async function callBeyond(
  subject: Subject,
  limit: 'maxObjectsInGet' | 'maxObjectsInSet',
  method: string,
  args: object,
): Promise<JsonMap | null> {
  const { client, server } = subject;
  const answer = await client.send(client.writeRequest([[method, args, 'c0']]));
  if (answer.kind === 'problem') {
    const refused = { type: 'urn:ietf:params:jmap:error:limit', limit };
    expect(answer.problem).toMatchObject(refused);
    expect(server.strict ? 'a rejected request' : null).toBeNull();
    return null;
  }
  const [response, ...more] = answer.response.methodResponses;
  const [name, told] = response ?? ['', {}];
  expect(more).toEqual([]);
  if (name !== method || server.strict) {
    expect([name, told]).toEqual(subject.matchError('requestTooLarge'));
    return null;
  }
  return asMap(told);
}

/** Matches an error of one of some types; a strict run wants the first. */
export function matchAnyError(subject: Subject, ...types: readonly string[]): unknown[] {
  const [first = ''] = types;
  if (subject.server.strict) return subject.matchError(first);
  const words = `an error of type ${types.join(' or ')}`;
  return [
    'error',
    satisfying(words, (value) => types.includes(String((value as JsonMap | null)?.['type']))),
  ];
}
