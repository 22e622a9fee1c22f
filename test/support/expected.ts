import { expect } from 'vitest';
import { sameMembers, textWith } from '../../conform/src/expected.js';
import type { HttpAnswer } from './client.js';

export {
  at,
  entry,
  member,
  sameMembers,
  serverId,
  textWith,
  utcDate,
} from '../../conform/src/expected.js';

/** Short names for the expected forms of errors: err(x), SE(x) and P(x). */

/** The arguments of an `error` response. */
export function methodError(type: string, ...named: readonly string[]): object {
  return { type, description: textWith(...named) };
}

/** err(type): name and arguments of the response; the description names what is given further. */
export function err(type: string, ...named: readonly string[]): [string, object] {
  return ['error', methodError(type, ...named)];
}

/** SE(type): a SetError that lists exactly `properties` and names each in its description. */
export function setError(type: string, properties?: readonly string[]): object {
  return {
    type,
    description: textWith(...(properties ?? [])),
    ...(properties === undefined ? {} : { properties: sameMembers(properties) }),
  };
}

/** P(type): checks a request-level error, body and headers. */
export function expectProblem(
  answer: HttpAnswer,
  type: string,
  more: { status?: number; limit?: string; named?: string } = {},
): void {
  const status = more.status ?? 400;
  expect({
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: answer.json,
  }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json\b/),
    body: expect.objectContaining({
      type: `urn:ietf:params:jmap:error:${type}`,
      status,
      detail: textWith(more.named ?? ''),
      ...(more.limit === undefined ? {} : { limit: more.limit }),
    }),
  });
}

/** A problem details body of any type (RFC 7807). */
export function expectProblemStatus(answer: HttpAnswer, status: number): void {
  expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json\b/),
  });
  expect(answer.json).toEqual(expect.objectContaining({ status, detail: expect.any(String) }));
}
