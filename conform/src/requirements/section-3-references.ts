import type { Requirement } from './requirement.js';

/** Result references, localisation, security, concurrency, Core/echo (RFC 8620 3.7 to 4). */
export const section3References: readonly Requirement[] = [
  {
    id: '3.7 looked-for-first',
    section: '3.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'Before anything else of a call, names that begin with # are resolved; the value stands ' +
      'in for the argument.',
    checks: ['references-resolve', 'references-rejected-whole', 'references-limits'],
  },
  {
    id: '3.7 failure',
    section: '3.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'One reference that fails rejects the whole call with invalidResultReference.',
    checks: ['references-one-fails', 'references-rejected-whole', 'references-not-there'],
  },
  {
    id: '3.7 both-forms',
    section: '3.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'An argument in plain and in referenced form: invalidArguments.',
    checks: ['references-both-forms', 'references-both-forms-of-set'],
  },
  {
    id: '3.7 shape',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      'A ResultReference is an object with the strings resultOf, name and path; what is none ' +
      "doesn't resolve. Further members are ignored (decision 18).",
    checks: ['references-shape', 'references-shape-error'],
  },
  {
    id: '3.7 first-response',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule: 'The first response with the call id is the one referred to, of calls processed before.',
    checks: [
      'references-first-response',
      'references-not-answered-yet',
      'references-copy-first',
      'references-any-call-id',
    ],
  },
  {
    id: '3.7 name-matches',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule: 'Its name must be the reference\'s; a failed call\'s is "error".',
    checks: ['references-name', 'references-error-response'],
    tests: [
      'test/protocol/result-references.test.ts > must have the name: a later one with the call id',
    ],
  },
  {
    id: '3.7 pointer',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      "The path is a JSON Pointer into the response's arguments: escapes, array indexes " +
      "without leading zeros, own members alone; a place that isn't there fails.",
    checks: [
      'references-index',
      'references-escapes',
      'references-not-there',
      'references-own-members',
      'references-slash',
      'references-through-state',
    ],
  },
  {
    id: '3.7 empty-pointer',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule: 'The empty path is the whole arguments object.',
    checks: ['references-empty-path'],
  },
  {
    id: '3.7 star',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      'On an array, the token * applies the rest of the path to each item and collects the ' +
      'results in order; on an object it is a name like any other.',
    checks: [
      'references-star',
      'references-star-fails',
      'references-star-of-objects',
      'references-empty-list',
    ],
  },
  {
    id: '3.7 star-flattens',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      'Where such a result is an array, its items are collected instead of it: one level for ' +
      'each star.',
    checks: ['references-star-flattens'],
    tests: ['test/protocol/result-references.test.ts > is what a naive reading of 3.7 says'],
  },
  {
    id: '3.7 any-argument',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      'Every top-level argument of every method takes a reference; a name with # further ' +
      'inside is none.',
    checks: ['references-arguments', 'references-arguments-of-queries', 'references-top-level'],
  },
  {
    id: '3.7 value-as-it-is',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      'The value is used as it was found: null stays null, a scalar is no list, and the ' +
      "argument's type is checked afterwards.",
    checks: ['references-null', 'references-null-ids', 'references-wrong-type', 'references-twice'],
  },
  {
    id: '3.7 not-creation-ids',
    section: '3.7',
    level: 'must',
    whom: 'server',
    rule:
      "Creation ids and result references are two things: neither is understood in the other's " +
      'place.',
    checks: [
      'references-inside-create',
      'references-inside-create-named',
      'references-inside-filter',
      'creation-ids-in-text',
    ],
  },
  {
    id: '3.8 accept-language',
    section: '3.8',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule:
      'A text for the user is in the language that Accept-Language prefers among those there ' +
      'are.',
    reason:
      'There is one language: every text that the server makes is English. Error descriptions ' +
      'are not for users (3.6.2, 5.3).',
  },
  {
    id: '3.8 content-language',
    section: '3.8',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule:
      'Content-Language tells the language of texts that may be shown: problem details say ' +
      '"en".',
    checks: ['language-told'],
    tests: ['test/http/edge.test.ts > 3.8: problems say in which language they are'],
  },
  {
    id: '3.9 arguments-checked',
    section: '3.9',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'All arguments are checked before anything is done; what is unknown, insufficient or of ' +
      'the wrong type is invalidArguments, and the call ends.',
    checks: ['dispatch-unknown-arguments', 'dispatch-wrong-types'],
  },
  {
    id: '3.10 calls-in-order',
    section: '3.10',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'The calls of a request are executed in order.',
    checks: ['dispatch-order'],
  },
  {
    id: '3.10 interleaving',
    section: '3.10',
    level: 'may',
    whom: 'server',
    rule:
      'Calls of other requests may run between two calls of a request; each call sees one ' +
      'state.',
    checks: ['changes-parallel-creates', 'changes-busy-writer', 'query-changes-busy-writer'],
    tests: [
      'test/methods/set-update.test.ts > 596: parallel calls have states of their own and all is',
      'test/methods/dispatch.test.ts > let others have a turn in between',
    ],
  },
  {
    id: '4 echo',
    section: '4',
    level: 'must',
    whom: 'server',
    rule: 'Core/echo answers exactly the arguments it was given, whatever they are.',
    checks: ['echo', 'echo-any-json', 'echo-account'],
    tests: [
      'test/conformance/request.test.ts > case 98, 4: the same object',
      'test/conformance/request.test.ts > case 100, 4: integers, Unicode, empty names, nesting',
      'test/conformance/request.test.ts > case 101, 4: accountId is an argument like any other',
    ],
  },
  {
    id: '4 echo-needs-core',
    section: '4',
    level: 'must',
    whom: 'server',
    rule: 'Core/echo is a method of core: without core in `using` it is unknown (decision 5).',
    tests: [
      'test/conformance/request.test.ts > case 61, decision 5: without capabilities every method',
    ],
  },
];
