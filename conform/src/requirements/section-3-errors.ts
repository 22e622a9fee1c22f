import type { Requirement } from './requirement.js';

/** Errors (RFC 8620 3.6). */
export const section3Errors: readonly Requirement[] = [
  {
    id: '3.6 levels',
    section: '3.6',
    level: 'must',
    whom: 'server',
    rule:
      'There are errors of a request, of a call, and of a record in a call; one of a lower ' +
      'level leaves what is beside it alone.',
    checks: ['dispatch-after-error', 'set-update-each'],
  },
  {
    id: '3.6 rejected-whole',
    section: '3.6',
    level: 'must',
    whom: 'server',
    rule:
      'A request that is rejected has an HTTP error status and a JSON body, and nothing of it ' +
      'is run.',
    checks: ['limits-reject-whole'],
    tests: [
      'test/conformance/request.test.ts > case 58, 3.6.1: an unknown capability rejects the',
      'test/conformance/request.test.ts > case 63, 3.6.1: maxCallsInRequest calls pass, one more',
    ],
  },
  {
    id: '3.6.1 problem-details',
    section: '3.6.1',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule: 'The body of an HTTP error is a problem details object.',
    checks: ['request-problem-details'],
    tests: [
      'test/conformance/request.test.ts > cases 50 to 56, 3.6.1: what is no Request is notRequest',
      'test/conformance/session.test.ts > decision 4: an unknown path is a 404 problem',
    ],
  },
  {
    id: '3.6.1 unknown-capability',
    section: '3.6.1',
    level: 'must',
    whom: 'server',
    rule:
      "`using` with a capability that the server doesn't have: unknownCapability, which names " +
      'it.',
    checks: ['request-unknown-capability', 'request-unknown-capability-named'],
    tests: ['test/conformance/request.test.ts > case 58, 3.6.1: an unknown capability rejects the'],
  },
  {
    id: '3.6.1 not-json',
    section: '3.6.1',
    level: 'must',
    whom: 'server',
    rule: "Another content type than application/json, or what doesn't parse as I-JSON: notJSON.",
    checks: ['request-not-json', 'request-other-type', 'ijson-syntax'],
    tests: [
      'test/conformance/request.test.ts > cases 35 and 36, 3.6.1: what is not one JSON text is',
      'test/conformance/request.test.ts > cases 46 and 48, 3.6.1: application/json with any',
    ],
  },
  {
    id: '3.6.1 not-request',
    section: '3.6.1',
    level: 'must',
    whom: 'server',
    rule: "JSON that isn't of the Request's type: notRequest.",
    checks: [
      'request-not-an-object',
      'request-using-shape',
      'request-calls-shape',
      'request-invocation-shape',
    ],
    tests: [
      'test/conformance/request.test.ts > cases 50 to 56, 3.6.1: what is no Request is notRequest',
    ],
  },
  {
    id: '3.6.1 limit',
    section: '3.6.1',
    level: 'must',
    whom: 'server',
    rule: "A request over one of the core capability's limits isn't processed: limit.",
    checks: ['limits-calls', 'limits-size', 'limits-size-chunked', 'limits-concurrent'],
    tests: [
      'test/conformance/limits.test.ts > case 65, 3.6.1: maxSizeRequest octets pass, one more is',
      'test/conformance/limits.test.ts > case 63, 3.6.1: maxCallsInRequest',
      'test/conformance/limits.test.ts > cases 66 and 68, 3.6.1: maxConcurrentRequests of one',
    ],
  },
  {
    id: '3.6.1 limit-named',
    section: '3.6.1',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'A limit error has the member `limit` with the name of the limit.',
    checks: ['limits-named'],
    tests: [
      'test/conformance/limits.test.ts > case 65, 3.6.1: maxSizeRequest octets pass, one more is',
    ],
  },
  {
    id: '3.6.2 in-its-place',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'A call that fails has an "error" response in its place, with its call id.',
    checks: ['dispatch-after-error'],
    tests: [
      'test/conformance/service.test.ts > methodResponses: triples with the call id; a failure is',
    ],
  },
  {
    id: '3.6.2 call-ends',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'With its error the call is over.',
    checks: ['dispatch-error-changes-nothing'],
  },
  {
    id: '3.6.2 later-calls-run',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'The calls behind it are processed as ever.',
    checks: ['dispatch-after-error'],
  },
  {
    id: '3.6.2 no-http-error',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'An error of a call is no HTTP error: the status is 200.',
    checks: ['dispatch-after-error'],
  },
  {
    id: '3.6.2 type-member',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'An error response has the name "error" and a string member `type`.',
    checks: ['dispatch-after-error'],
    tests: [
      'test/conformance/service.test.ts > methodResponses: triples with the call id; a failure is',
    ],
  },
  {
    id: '3.6.2 state-untouched',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'A call that ends in an error other than serverPartialFail has changed nothing.',
    checks: ['dispatch-error-changes-nothing'],
    tests: [
      'test/methods/dispatch.test.ts > 3.6.2: a /set whose answer has no room is undone',
      'test/methods/set-update.test.ts > a failed call leaves no record of blobs, objects or',
    ],
  },
  {
    id: '3.6.2 server-unavailable',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule:
      'What is short for a moment (a busy or lost database, a full queue, time over) is ' +
      'serverUnavailable.',
    tests: [
      'test/conformance/limits.test.ts > case 96, 3.6.2: a write that can not be made in time is',
      'test/methods/dispatch.test.ts > 96: a busy database is serverUnavailable and not logged as',
    ],
  },
  {
    id: '3.6.2 server-fail',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule:
      'An unexpected failure is serverFail with a description; nothing was changed, and its ' +
      'cause stays inside.',
    tests: [
      'test/methods/dispatch.test.ts > an unexpected one is serverFail with a reference that the',
    ],
  },
  {
    id: '3.6.2 partial-fail',
    section: '3.6.2',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule: 'After serverPartialFail a client fetches anew what may have changed.',
    reason: 'Binds clients. This server never answers it: a call is one transaction.',
  },
  {
    id: '3.6.2 unknown-method',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule: "A method that isn't there, or whose capability isn't used: unknownMethod.",
    checks: ['dispatch-names-exact', 'dispatch-capability-not-used'],
  },
  {
    id: '3.6.2 invalid-arguments',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule:
      'An argument of the wrong type, a wrong value, or a required one that is missing: ' +
      'invalidArguments.',
    checks: ['changes-since-state-required', 'dispatch-wrong-types'],
  },
  {
    id: '3.6.2 invalid-arguments-description',
    section: '3.6.2',
    level: 'may',
    whom: 'server',
    keywords: 1,
    rule: 'invalidArguments has a description, which names the argument.',
    checks: ['dispatch-unknown-arguments'],
  },
  {
    id: '3.6.2 invalid-result-reference',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule: "A result reference that can't be resolved: invalidResultReference.",
    checks: ['references-not-there', 'references-one-fails'],
  },
  {
    id: '3.6.2 forbidden',
    section: '3.6.2',
    level: 'may',
    whom: 'server',
    rule: 'What permissions forbid though account and arguments are fine: forbidden.',
    reason:
      'Permissions here are those of accounts, which have errors of their own; a hook of a ' +
      'team may refuse single records with it (docs/hooks.md).',
  },
  {
    id: '3.6.2 account-not-found',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule:
      'An accountId that is no account within reach: accountNotFound, the same whether it ' +
      'exists or not.',
    checks: ['dispatch-account-unknown', 'dispatch-account-foreign'],
  },
  {
    id: '3.6.2 account-not-supported',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule: "An account without the method's type: accountNotSupportedByMethod.",
    checks: ['dispatch-account-without-type'],
  },
  {
    id: '3.6.2 account-read-only',
    section: '3.6.2',
    level: 'must',
    whom: 'server',
    rule: 'A method that writes, on an account that can only be read: accountReadOnly.',
    checks: ['dispatch-read-only'],
  },
  {
    id: '3.6.2 further-errors',
    section: '3.6.2',
    level: 'may',
    whom: 'specification',
    keywords: 1,
    rule: 'Later RFCs may define more errors.',
    reason: 'Binds specifications.',
  },
  {
    id: '3.6.2 error-not-understood',
    section: '3.6.2',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule: "A client takes an error type that it doesn't know as serverFail.",
    reason: 'Binds clients.',
  },
];
