import type { CodeTable } from './code-row.js';

/** Codes of descriptors whose keys are legal, and say something together that is not. */
export const MEANING = Object.freeze({
  'bad-bound': {
    cause:
      "A bound is a value of the property's type. An Int is within ±(2^53-1) (RFC 8620 " + '1.3).',
    wrong: 'n: { type: integer, minimum: 0.5 }',
    right: 'n: { type: integer, minimum: 0 }',
  },
  'bad-computed': {
    cause:
      'A computed property has one of [three forms](descriptors.md#computed), names sources ' +
      'that can change, and has `access: serverSet` or `internal`. One that follows other ' +
      "objects (`count`, `on`, or a reference with `onDestroy: setNull`) can't be unique: " +
      'the server judges uniqueness by the values that a call writes.',
    wrong: 'slug: { type: string, computed: { from: [] } }',
    right: "slug: { type: string, default: '', access: serverSet, computed: { from: [title] } }",
  },
  'bad-default': {
    cause:
      'The server stores a default as it stands, so it is a legal value in its stored form. ' +
      "It can't name a blob or an object, because accounts share none.",
    wrong: 'size: { type: string, enum: [s, m], default: xl }',
    right: 'size: { type: string, enum: [s, m], default: m }',
  },
  'bad-enum-value': {
    cause:
      'A value of the `enum` has another type than the property, or is beyond its bounds: ' +
      'no object could have it.',
    wrong: 'n: { type: integer, enum: [1, two] }',
    right: 'n: { type: integer, enum: [1, 2] }',
  },
  'bad-pattern': {
    cause: 'The pattern is no regular expression with the flag `u`.',
    wrong: "code: { type: string, pattern: '[' }",
    right: "code: { type: string, pattern: '^[a-z]+$' }",
  },
  'bad-reference': {
    cause:
      "A reference is one id, a list of ids or a set of ids. It can't refer to a singleton, " +
      'nor to objects and blobs at once. `setNull` needs a property that may be null.',
    wrong: 'owner: { type: string, references: Person, onDestroy: setNull }',
    right: "owner: { type: [string, 'null'], references: Person, onDestroy: setNull }",
  },
  'bad-rename': {
    cause:
      '`renamedFrom` gives the name of the last release. That name is gone from the ' +
      'descriptor, the new one is new, and nothing else gives the same.',
    wrong: 'title: { type: string, renamedFrom: label }, label: { type: string }',
    right: 'title: { type: string, renamedFrom: label }',
  },
  'bad-secret': {
    cause: 'A secret is text without a default but null. It is no id of a blob, and not unique.',
    wrong: 'pin: { type: integer, access: secret }',
    right: 'pin: { type: string, access: secret, stored: hash }',
  },
  'bad-set': {
    cause: 'The keys of a set are strings.',
    wrong: 'tags: { setOf: { type: integer } }',
    right: 'tags: { setOf: { type: string, maxLength: 50 } }',
  },
  'bad-singleton': {
    cause:
      "A singleton always exists. Clients can't create, destroy, query or count it, so this " +
      'key means nothing there.',
    wrong: 'singleton: true, filter: { theme: equals }',
    right: 'singleton: true',
  },
  'bad-standard-methods': {
    cause: '`queryChanges` needs `query`, and `copy` needs `set`.',
    wrong: 'standardMethods: [queryChanges]',
    right: 'standardMethods: [get, changes, query, queryChanges]',
  },
  'computed-cycle': {
    cause: 'A property is computed from itself, directly or by way of others.',
    wrong: 'a: { computed: { from: [b] } }, b: { computed: { from: [a] } }',
    right: 'a: { computed: { from: [c] } }, b: { computed: { from: [a] } }',
  },
  'duplicate-argument': {
    cause: 'The standard method has that argument or response member already.',
    wrong: 'set: { arguments: { properties: { create: … } } }',
    right: 'set: { arguments: { properties: { dryRun: … } } }',
  },
  'duplicate-entry': {
    cause: 'A list names the same thing twice.',
    wrong: 'required: [name, name]',
    right: 'required: [name]',
  },
  'duplicate-method': {
    cause:
      'Two methods have one name, or names that differ only by letter case or the place of ' +
      'the slash.',
    wrong: 'methods: { Gadget/get: … }',
    right: 'methods: { Gadget/fetchAll: … }',
  },
  'empty-object': {
    cause: 'An object without `properties` and `additionalProperties` could only be `{}`.',
    wrong: 'meta: { type: object }',
    right: 'meta: { type: object, additionalProperties: { type: string } }',
  },
  'empty-range': {
    cause: 'The lower bound is above the upper one: no value is legal.',
    wrong: 'n: { type: integer, minimum: 5, maximum: 1 }',
    right: 'n: { type: integer, minimum: 1, maximum: 5 }',
  },
  'hidden-property': {
    cause:
      'A filter or a sort of an internal or secret property would show its values to ' + 'clients.',
    wrong: 'filter: { pin: equals }',
    right: 'filter: { name: equals }',
  },
  'illegal-operator': {
    cause: "The operator doesn't fit the property's type. The message lists those that do.",
    wrong: 'filter: { done: contains }',
    right: 'filter: { done: equals }',
  },
  'missing-account-id': {
    cause: 'A method of an account takes `accountId` (RFC 8620 3.6.2).',
    wrong: 'account: read, arguments: { properties: {} }',
    right:
      'account: read, arguments: { type: object, properties: { accountId: { type: string } ' +
      '}, required: [accountId] }',
  },
  'missing-default': {
    cause:
      'A property that is neither required nor nullable needs a default: an object always ' +
      'has all of its properties.',
    wrong: 'name: { type: string }',
    right: "name: { type: string, default: '' }",
  },
  'missing-items': {
    cause: 'A list says what its items are.',
    wrong: 'tags: { type: array }',
    right: 'tags: { type: array, items: { type: string, maxLength: 50 } }',
  },
  'not-an-object': {
    cause: 'Arguments and responses of a method are objects (RFC 8620 3.2).',
    wrong: 'arguments: { type: string }',
    right: 'arguments: { type: object, properties: { … } }',
  },
  'nullable-default': {
    cause:
      'A null patch restores the default (RFC 8620 5.3), so a nullable property with ' +
      'another default could never be set to null.',
    wrong: "due: { type: [string, 'null'], default: x }",
    right: "due: { type: [string, 'null'] }",
  },
  'recursive-definition': {
    cause: 'A definition contains itself: the depth of its values would have no bound.',
    wrong: "$defs: { node: { type: object, properties: { child: { $ref: '#/$defs/node' } } } }",
    right: 'a reference to an object of its own',
  },
  'required-default': {
    cause: 'Every create gives a required property, so its default would never be used.',
    wrong: 'properties: { name: { type: string, default: x } }, required: [name]',
    right: 'properties: { name: { type: string } }, required: [name]',
  },
  'required-server-set': {
    cause: "Clients can't set a `serverSet` property, so they can't be required to.",
    wrong: 'properties: { count: { type: integer, access: serverSet } }, required: [count]',
    right: 'properties: { count: { type: integer, access: serverSet, default: 0 } }',
  },
  'required-set-argument': {
    cause:
      "A type with `/copy` can't require a further argument of `/set`: the server calls " +
      '`/set` itself for `onSuccessDestroyOriginal` (RFC 8620 5.4), with standard arguments ' +
      'only.',
    wrong:
      'standardMethods: { get: {}, copy: {}, set: { arguments: { type: object, properties: ' +
      '{ why: { type: string } }, required: [why] } } }',
    right:
      'standardMethods: { get: {}, copy: {}, set: { arguments: { type: object, properties: ' +
      '{ why: { type: string } } } } }',
  },
  'session-contradiction': {
    cause: 'Keys about the session exclude each other.',
    wrong: 'bareSession: true, session: { a: 1 }',
    right: 'session: { a: 1 }',
  },
  'stray-account-id': {
    cause: 'A method with `account: none` takes no `accountId`.',
    wrong: 'account: none, arguments: { properties: { accountId: … } }',
    right: 'account: read',
  },
  unindexable: {
    cause:
      'An index holds no lists, no objects and no text over 500 characters, and 2,500 ' +
      'octets together ([bounds](descriptors.md#bounds)).',
    wrong: "code: { type: [string, 'null'], unique: true, maxLength: 100000 }",
    right: "code: { type: [string, 'null'], unique: true, maxLength: 500 }",
  },
  'unknown-capability': {
    cause: 'No descriptor has the capability that `accountCapability` names.',
    wrong: 'accountCapability: urn:example:nil',
    right: 'accountCapability: urn:example:things',
  },
  'unknown-definition': {
    cause: '`$ref` names no schema under `$defs`.',
    wrong: "$ref: '#/$defs/prat'",
    right: "$ref: '#/$defs/part'",
  },
  'unknown-property': {
    cause: 'The type has no property of that name.',
    wrong: 'required: [nmae]',
    right: 'required: [name]',
  },
  'unknown-target': {
    cause:
      '`references`, `setOf`, `count` or `on` names a type that no descriptor has. `setOf` ' +
      'also takes `string` and `blob`.',
    wrong: 'references: Persn',
    right: 'references: Person',
  },
  'unsafe-pattern': {
    cause:
      'The server reads a text once to match a pattern. Look-around, back-references and ' +
      "very large repetitions don't allow that ([patterns](descriptors.md#patterns)).",
    wrong: "pattern: '[a-z]{1,4000}@'",
    right: "pattern: '^[a-z]{1,40}@'",
  },
  unsortable: {
    cause: 'Lists and objects have no order.',
    wrong: 'sort: [tags]',
    right: 'sort: [name]',
  },
} satisfies CodeTable);
