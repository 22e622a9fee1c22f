import type { Requirement } from './requirement.js';

/** Conventions, data types, terms (RFC 8620 1). */
export const section1: readonly Requirement[] = [
  {
    id: '1.1 key-words',
    section: '1.1',
    level: 'must',
    whom: 'specification',
    keywords: 11,
    rule:
      'Defines how the eleven key words are to be read, and that other words in lower case ' +
      'bind nobody by BCP 14.',
    reason: 'Words about words: nothing to be shown.',
  },
  {
    id: '1.1 case-sensitive',
    section: '1.1',
    level: 'must',
    whom: 'server',
    rule:
      'Names of members, methods, types and properties, and string values, are compared ' +
      'exactly, case and all.',
    checks: ['dispatch-names-exact'],
    tests: ['test/conformance/request.test.ts > 1.5: names are case-sensitive and using is exact'],
  },
  {
    id: '1.1 server-set',
    section: '1.1',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'A property that the server alone sets is not accepted in a create.',
    checks: [
      'set-create-server-set',
      'described-server-set-changed',
      'described-server-set-created',
    ],
  },
  {
    id: '1.1 immutable',
    section: '1.1',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      "An immutable property keeps the value of its object's creation, whatever a client or " +
      "another object's destroy asks for.",
    checks: [
      'described-immutable-changed',
      'described-immutable-same',
      'described-immutable-no-change',
      'described-immutable-beside',
      'described-immutable-null',
    ],
  },
  {
    id: '1.1 default',
    section: '1.1',
    level: 'must',
    whom: 'server',
    rule: 'A property with a default that a create leaves out has that default.',
    checks: ['set-create-defaults', 'described-values-required', 'described-values-defaults'],
  },
  {
    id: '1.1 set-values-true',
    section: '1.1',
    level: 'must',
    whom: 'server',
    rule:
      'In a set written as A[Boolean] each value is true: anything else is an invalid ' +
      'property.',
    checks: ['described-links-forms', 'described-values-refused'],
  },
  {
    id: '1.2 assigned-by-server',
    section: '1.2',
    level: 'must',
    whom: 'server',
    rule: "The server gives each record its id; a client can't choose one.",
    checks: ['set-create-server-set'],
    tests: ['test/conformance/service.test.ts > id: assigned by the server'],
  },
  {
    id: '1.2 id-immutable',
    section: '1.2',
    level: 'must',
    whom: 'server',
    rule: 'The id of a record never changes: an update to another one is refused.',
    checks: ['set-update-server-set'],
  },
  {
    id: '1.2 alphabet-and-length',
    section: '1.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'Every Id that the server makes (records, accounts, blobs) has 1 to 255 octets of ' +
      'letters, digits, hyphen and underscore; what a client sends as an Id of its own making ' +
      'is held to the same.',
    checks: ['ids-valid', 'ids-safe', 'set-illegal-creation-id'],
    tests: ['test/protocol/ids.test.ts > takes the URL-safe base64 alphabet and 1 to 255 octets'],
  },
  {
    id: '1.2 defensive-allocation',
    section: '1.2',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule:
      'Ids begin with neither a hyphen nor a digit (here with a letter), differ by more than ' +
      'letter case, and are never NIL.',
    checks: ['ids-safe', 'session-account-ids-defensive'],
    tests: [
      'test/protocol/ids.test.ts > start with the prefix, are Ids of at most 64 octets, in one',
    ],
  },
  {
    id: '1.2 never-again',
    section: '1.2',
    level: 'may',
    whom: 'server',
    rule: 'An id that was used is not given to another record (decision 7).',
    checks: ['set-destroy-id-not-reused'],
  },
  {
    id: '1.3 int',
    section: '1.3',
    level: 'must',
    whom: 'server',
    rule:
      'An Int is a JSON number without fraction between -(2^53-1) and 2^53-1; any other is ' +
      'refused where an Int is expected, judged by its text, never rounded (decision 4).',
    checks: ['query-window-invalid', 'set-number-text', 'ijson-inexact-numbers'],
    tests: [
      'test/conformance/request.test.ts > case 45, decision 4: a number that no double holds is',
    ],
  },
  {
    id: '1.3 unsigned-int',
    section: '1.3',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'An UnsignedInt is an Int that is not negative.',
    checks: [
      'query-window-limit-negative',
      'query-window-limit-zero',
      'query-changes-max-changes',
      'query-changes-max-changes-zero',
    ],
  },
  {
    id: '1.4 date-form',
    section: '1.4',
    level: 'must',
    whom: 'server',
    rule: 'A Date is RFC 3339 date-time text; what is none is an invalid property.',
    checks: ['set-date-canonical', 'set-date-invalid'],
    tests: ['test/protocol/dates.test.ts > 1.4 Date: any offset'],
  },
  {
    id: '1.4 no-zero-fraction',
    section: '1.4',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'The fraction of a second is left out where it is zero.',
    checks: ['set-date-canonical', 'set-date-invalid'],
    tests: [
      'test/protocol/dates.test.ts > without a fraction when that is zero, else with the shortest',
    ],
  },
  {
    id: '1.4 upper-case',
    section: '1.4',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'The letters T and Z are upper case.',
    checks: ['set-date-canonical', 'set-date-invalid'],
    tests: ['test/protocol/dates.test.ts > 1.4: a UTCDate is parsed'],
  },
  {
    id: '1.4 utc',
    section: '1.4',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'A UTCDate ends in Z; another offset is refused.',
    checks: ['set-date-canonical', 'set-date-invalid'],
    tests: ['test/protocol/dates.test.ts > 1.4: a UTCDate is parsed'],
  },
  {
    id: '1.5 no-duplicate-members',
    section: '1.5',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'An object has no two members of one name, however the name is escaped; the server sends ' +
      'none and refuses a request that has one.',
    checks: ['ijson-duplicates', 'ijson-no-duplicates', 'ijson-answers', 'ijson-answers-of-types'],
    tests: [
      'test/conformance/request.test.ts > case 38, 1.5: a duplicate member anywhere is notJSON',
      'test/protocol/ijson.test.ts',
    ],
  },
  {
    id: '1.5 i-json',
    section: '1.5',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'All JSON in both directions is I-JSON: UTF-8 without byte-order mark, no lone ' +
      'surrogates or noncharacters, escaped or not.',
    checks: [
      'get-unicode',
      'ijson-utf-8',
      'ijson-surrogates',
      'ijson-noncharacters',
      'ijson-byte-order-mark',
      'ijson-answers',
      'ijson-answers-of-types',
      'ijson-answers-numbers',
    ],
    tests: [
      'test/conformance/request.test.ts > cases 41 and 43, 1.5: invalid UTF-8, a byte-order mark',
      'test/protocol/ijson.test.ts',
    ],
  },
  {
    id: '1.6.1 permissions',
    section: '1.6.1',
    level: 'must',
    whom: 'server',
    rule: 'A user sees what its permissions let it see, and no more.',
    checks: ['dispatch-account-foreign'],
    tests: ['test/conformance/session.test.ts > cases 6 and 10, 2: every account that the token'],
  },
  {
    id: '1.6.2 account-id-mandatory',
    section: '1.6.2',
    level: 'must',
    whom: 'server',
    rule:
      "Methods on an account's data are told which account by accountId; without it a call is " +
      'invalidArguments.',
    checks: ['dispatch-account-missing'],
  },
  {
    id: '1.6.2 one-token-many-accounts',
    section: '1.6.2',
    level: 'must',
    whom: 'server',
    rule: "One set of credentials may reach several accounts, its user's own and shared ones.",
    tests: ['test/conformance/session.test.ts > cases 6 and 10, 2: every account that the token'],
  },
  {
    id: '1.6.2 severe-error',
    section: '1.6.2',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'Where ids had to be given anew after a severe error, the account counts as deleted and ' +
      'made anew under another account id.',
    reason:
      'Nothing in this server gives ids anew: after a restore, ids stay and `account ' +
      'reset-states` makes every older state unusable (docs/operations.md), so caches are ' +
      'thrown away without a new account id.',
  },
  {
    id: '1.6.3 unique-id',
    section: '1.6.3',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'An id is unique among the records of its type in its account.',
    checks: ['ids-valid', 'ids-safe'],
    tests: ['test/protocol/ids.test.ts > ascend strictly within one millisecond'],
  },
  {
    id: '1.7 https',
    section: '1.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'All HTTP requests use https.',
    checks: ['security-https'],
    reason:
      'TLS ends at the proxy in front of the server (docs/operations.md): the server itself ' +
      'speaks HTTP to it, and its URLs are https where BASE_URL, or what a trusted proxy ' +
      'forwards, says so.',
  },
  {
    id: '1.7 authenticated',
    section: '1.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'Every request to session, API, upload, download and push needs credentials.',
    checks: [
      'security-no-credentials',
      'security-wrong-credentials',
      'security-malformed-credentials',
      'security-challenge',
    ],
    tests: [
      'test/conformance/session.test.ts > without a token every endpoint is 401 with a bare',
      'test/conformance/service.test.ts > each endpoint needs the header',
    ],
  },
  {
    id: '1.7 ordered-responses',
    section: '1.7',
    level: 'must',
    whom: 'server',
    rule: 'A request is an ordered series of calls, its answer an ordered series of responses.',
    checks: ['dispatch-order'],
  },
  {
    id: '1.8 vendor-url',
    section: '1.8',
    level: 'must',
    whom: 'specification',
    keywords: 1,
    rule: "The identifier of a vendor's own extension is a URL of a domain that the vendor owns.",
    reason:
      'Who writes a descriptor chooses its URI. The two bundled example capabilities have the ' +
      "names that the service's specification gives them.",
  },
  {
    id: '1.8 vendor-documentation',
    section: '1.8',
    level: 'should',
    whom: 'specification',
    keywords: 1,
    rule: 'That URL leads to documentation of the extension.',
    reason: "Who owns the domain puts docs/reference/NAME.md there; a server can't.",
  },
  {
    id: '1.8 opt-in',
    section: '1.8',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule: 'A client names an extension in `using` to use it.',
    reason: 'Binds clients.',
  },
  {
    id: '1.8 only-opted-in',
    section: '1.8',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      "A request gets nothing of a capability that it doesn't name: its methods are unknown, " +
      "its types are nobody's.",
    checks: ['dispatch-capability-not-used'],
    tests: ['test/conformance/request.test.ts > case 75: the blob methods need their capability'],
  },
];
