import { expect } from 'vitest';
import { textWith } from '../../scripts/conform/expected.js';
import type { HttpAnswer } from './client.js';

export {
  at,
  entry,
  err,
  member,
  methodError,
  sameMembers,
  serverId,
  setError,
  textWith,
  utcDate,
} from '../../scripts/conform/expected.js';

/** The expected forms that cases.md abbreviates: P(x); err(x) and SE(x) are above. */

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
