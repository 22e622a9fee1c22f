import type { CodeTable } from './code-row.js';

/** Codes of descriptors whose keys are legal, and say something together that is not. */
export const MEANING = Object.freeze({
  'bad-access': {
    cause:
      'An [access rule](access.md) names users, and what they may do. A rule about a `property` ' +
      'needs one with `principal: true`, and a rule about a `parent` a recorded reference to a ' +
      'type with access rules of its own. No type follows itself by way of others.',
    wrong: 'access: [{ who: owners, read: true }]',
    right: 'access: [{ who: owner, read: true }]',
  },
  'bad-aggregate': {
    cause:
      'A [count or sum](properties.md#counts-and-sums) names another type, its reference to this ' +
      'object, and values that SQL can count or compare.',
    wrong: 'computed: { count: Line }',
    right: 'computed: { count: Line, by: thingId }',
  },
  'bad-answered': {
    cause:
      'An [answered property](properties.md#answered-properties) has a name of its own and ' +
      'depends on stored properties that are no secrets. The type has `/get`. A family has parts.',
    wrong: "answered: { 'header:*': { from: [raw] } }",
    right: 'from: [raw], parts: [{ name: field }]',
  },
  'bad-bound': {
    cause: "A bound is a value of the property's type; an Int is within ±(2^53-1).",
    wrong: 'type: integer, minimum: 0.5',
    right: 'type: integer, minimum: 0',
  },
  'bad-computed': {
    cause:
      'A [computed property](properties.md#computed) names sources that can change, and has ' +
      '`access: serverSet` or `internal`. One that depends on other objects (`count`, `sum`, ' +
      "`on`, or a reference with `onDestroy: setNull`) can't be unique.",
    wrong: 'computed: { from: [] }',
    right: 'access: serverSet, computed: { from: [title] }',
  },
  'bad-const': {
    cause: "A constant is a value that the property's type allows.",
    wrong: 'type: integer, const: one',
    right: 'const: 1',
  },
  'bad-default': {
    cause: "A default is a legal value in its stored form. It can't name a blob or an object.",
    wrong: 'enum: [s, m], default: xl',
    right: 'enum: [s, m], default: m',
  },
  'bad-enum-value': {
    cause: 'A value of the `enum` is of another type, or beyond the bounds.',
    wrong: 'type: integer, enum: [1, two]',
    right: 'enum: [1, 2]',
  },
  'bad-error': {
    cause:
      'An [error](descriptors.md#errors) of a type has a name of its own, or further members. ' +
      'One that a rule or `restrict` names has no members.',
    wrong: 'errors: [forbidden]',
    right: 'errors: [invoiceIsPaid]',
  },
  'bad-optional': {
    cause: 'An optional property is neither required nor has it a default.',
    wrong: "optional: true, default: ''",
    right: 'optional: true',
  },
  'bad-pattern': {
    cause: 'The pattern is no regular expression with the flag `u`.',
    wrong: "pattern: '['",
    right: "pattern: '^[a-z]+$'",
  },
  'bad-per-user': {
    cause:
      'A property [of each user](properties.md#values-of-each-user) has a default, and clients ' +
      'write it. Filters, sorts, rules and other values are about what is the same for all users.',
    wrong: 'seen: { type: boolean, default: false, perUser: true }, … sort: [seen]',
    right: '…, sort: [created]',
  },
  'bad-principal': {
    cause:
      '`principal: true` stands at a text or a set of texts, which are ids of users then. It is ' +
      'no secret, and no reference.',
    wrong: 'type: integer, principal: true',
    right: 'type: string, principal: true',
  },
  'bad-quota': {
    cause:
      'A [quota](quotas.md) has a name of its own, and either `count` or `octets`. `warn` is ' +
      'below `soft`, and `soft` below the limit. A plan sets limits of its capability’s quotas. ' +
      '`counts` is for `octets`; blobs need a type that refers to some. A project has one quota ' +
      '`of: unreferenced` at most, with `per: user`, `types: []` and `octets` alone.',
    wrong: 'quotas: { things: { types: [Thing], count: 10, soft: 20 } }',
    right: 'quotas: { things: { types: [Thing], count: 20, soft: 10 } }',
  },
  'bad-reference': {
    cause:
      "A [reference](properties.md#references) can't refer to a singleton, nor to objects and " +
      'blobs at once. `setNull` needs a place that may be null or absent, or entries that may ' +
      'go. `keep` has no `acyclic`.',
    wrong: 'type: string, references: Person, onDestroy: setNull',
    right: "type: [string, 'null'], …",
  },
  'bad-rename': {
    cause:
      'At a new property or type, `renamedFrom` is a name of the last release that the ' +
      'descriptor no longer has, and that no other `renamedFrom` has. At a released one it may ' +
      'stay if any release had the name.',
    wrong: 'title: { type: string, renamedFrom: label }, label: { type: string }',
    right: 'title: …',
  },
  'bad-rule': {
    cause:
      'A [rule](descriptors.md#rules-between-values) names properties that clients write, and ' +
      'forbids or requires something.',
    wrong: 'requiredWhen: { when: { done: [true] }, properties: [done] }',
    right: '…, properties: [name]',
  },
  'bad-rule-value': {
    cause:
      'A [rule](descriptors.md#rules-between-values) or `where` names a value that the property ' +
      "can't have. None can name a date, a duration, a decimal, an id, a list or an object.",
    wrong: 'immutableWhen: { status: [snet] }',
    right: 'immutableWhen: { status: [sent] }',
  },
  'bad-scope': {
    cause:
      'A [scope](descriptors.md#oauth-scopes) has visible ASCII characters, and one meaning in ' +
      'its capability.',
    wrong: 'oauthScopes: { full: todos, read: todos }',
    right: 'oauthScopes: { full: todos, read: todos.read }',
  },
  'bad-secret': {
    cause: 'A secret is text without a default but null. It is no id of a blob, and not unique.',
    wrong: 'type: integer, access: secret',
    right: 'type: string, access: secret',
  },
  'bad-set': {
    cause: 'The keys of a set are strings.',
    wrong: 'setOf: { type: integer }',
    right: 'setOf: string',
  },
  'bad-shape': {
    cause:
      '[Results](queries.md#shapes-of-results) collapse by a string. A tree is made by an ' +
      'acyclic reference of the type to itself.',
    wrong: 'query: { tree: { by: title, sort: sortAsTree } }',
    right: 'by: parentId, …',
  },
  'bad-share': {
    cause:
      'The keys of `share` name its rights, by which users see and change what others share with ' +
      'them. The type declares no `shareWith`, `myRights` and `isSubscribed` of its own.',
    wrong: 'share: { rights: { mayRead: See it. }, read: mayred }',
    right: 'share: { rights: { mayRead: See it. }, read: mayRead }',
  },
  'bad-singleton': {
    cause: "A singleton always exists, and can't be queried or counted.",
    wrong: 'singleton: true, filter: { theme: equals }',
    right: 'singleton: true',
  },
  'bad-standard-methods': {
    cause: '`queryChanges` needs `query`, and `copy` needs `set`, if only as an own method.',
    wrong: 'standardMethods: [queryChanges]',
    right: 'standardMethods: [query, queryChanges]',
  },
  'bad-union': {
    cause:
      'A [union](properties.md#unions) has objects as branches. The member under ' +
      '`discriminator` has other values in each branch.',
    wrong: "oneOf: [{ $ref: '#/$defs/home' }, { $ref: '#/$defs/work' }]",
    right: "oneOf: …, discriminator: '@type'",
  },
  'computed-cycle': {
    cause: 'A property is computed from itself, directly or by way of others.',
    wrong: 'a: { computed: { from: [b] } }, b: { computed: { from: [a] } }',
    right: 'a: { computed: { from: [c] } }, b: …',
  },
  'contradictory-rules': {
    cause: 'Two rules, or a rule and a default, can never hold together.',
    wrong: "requiredWhen: { when: { name: [''] }, properties: [name] }",
    right: 'when: { done: [true] }, …',
  },
  'duplicate-argument': {
    cause: 'The standard method has that argument or response member already.',
    cure: 'Give it another name.',
  },
  'duplicate-entry': {
    cause: 'A list names the same thing twice.',
    wrong: 'required: [name, name]',
    right: 'required: [name]',
  },
  'duplicate-method': {
    cause:
      'Two methods have one name, or differ only by letter case or the place of the slash. An ' +
      'own method may have the name of a standard one that `standardMethods` leaves out. No type ' +
      'is named `Blob`.',
    cure: 'Rename one.',
  },
  'empty-object': {
    cause: 'An object without `properties` and `additionalProperties` could only be `{}`.',
    wrong: 'type: object',
    right: 'type: object, additionalProperties: true',
  },
  'empty-range': {
    cause: 'The lower bound is above the upper one.',
    wrong: 'minimum: 5, maximum: 1',
    right: 'minimum: 1, maximum: 5',
  },
  'endless-definition': {
    cause: 'Each value of a definition needs another value of it, so none can end.',
    cure: 'Let the member that leads back be absent, null or an empty list.',
  },
  'hidden-property': {
    cause:
      'A filter or a sort would show values of an internal or secret property. `internal: true` ' +
      'lets it read an internal one.',
    wrong: 'filter: { pin: equals }',
    right: 'filter: { name: equals }',
  },
  'hidden-sources': {
    cause:
      'A [count or sum](properties.md#counts-and-sums) is made of objects or values that some of ' +
      'its readers don’t see: they would learn of them. `countsHidden: true` says that they may.',
    wrong: 'computed: { count: Note, by: thingId }',
    right: 'computed: { count: Note, by: thingId, countsHidden: true }',
  },
  'illegal-operator': {
    cause: "The operator doesn't fit the property's type.",
    wrong: 'filter: { done: contains }',
    right: 'filter: { done: equals }',
  },
  'missing-account-id': {
    cause: 'A method of an account takes `accountId`.',
    wrong: 'arguments: { properties: {} }',
    right: 'properties: { accountId: { type: string } }, required: [accountId]',
  },
  'missing-default': {
    cause: 'A property is required, nullable, optional or has a default.',
    wrong: 'name: { type: string }',
    right: "name: { type: string, default: '' }",
  },
  'missing-items': {
    cause: 'A list says what its items are.',
    wrong: 'type: array',
    right: 'type: array, items: { type: string }',
  },
  'not-an-object': {
    cause: 'Arguments and responses of a method are objects.',
    wrong: 'arguments: { type: string }',
    right: 'type: object, properties: …',
  },
  'nullable-default': {
    cause:
      'A null patch restores the default (RFC 8620 5.3), so it could not set the property to ' +
      'null.',
    wrong: "type: [string, 'null'], default: x",
    right: "type: [string, 'null']",
  },
  'readable-alone': {
    cause:
      '[Readers](properties.md#readers) of a property are some of the users who see the object. ' +
      'The type needs `access` or `share`, which say who does.',
    wrong: 'wage: { type: integer, readable: [owner] }',
    right: 'wage: …, access: [{ who: everyone, read: true }]',
  },
  'required-default': {
    cause: 'Every create gives a required property: its default would never be used.',
    cure: 'Leave one of them out.',
  },
  'required-server-set': {
    cause: "Clients can't set a `serverSet` property, so it can't be required.",
    cure: 'Give it a default instead.',
  },
  'required-set-argument': {
    cause:
      "A type with `/copy` can't require an added argument of `/set`: the server calls " +
      '`/set` itself for `onSuccessDestroyOriginal` (RFC 8620 5.4).',
    cure: 'Take it out of `required`.',
  },
  'session-contradiction': {
    cause: 'Keys about the session exclude each other.',
    wrong: 'bareSession: true, session: { a: 1 }',
    right: 'session: { a: 1 }',
  },
  'stray-account-id': {
    cause: 'A method with `account: none` takes no `accountId`.',
    cure: 'Write `account: read`, or take it out.',
  },
  unindexable: {
    cause:
      'An index holds no lists or objects, 500 characters of a text, and 2,500 octets ' +
      'together ([bounds](descriptors.md#bounds)).',
    wrong: 'unique: true, maxLength: 100000',
    right: 'unique: true, maxLength: 500',
  },
  'unknown-capability': {
    cause: 'No descriptor has the capability that `accountCapability` names.',
    wrong: 'accountCapability: urn:example:nil',
    right: 'accountCapability: urn:example:things',
  },
  'unknown-definition': {
    cause: '`$ref` names no schema of `$defs` or of a file in `capabilities/shared/`.',
    wrong: "$ref: '#/$defs/prat'",
    right: "$ref: '#/$defs/part'",
  },
  'unknown-error': {
    cause: 'A rule names no error of its type, or `restrict` no error of the type referred to.',
    wrong: 'errors: [isPaid], immutableWhen: { when: { status: [paid] }, error: isPayed }',
    right: '…, error: isPaid',
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
    cause: "A pattern can't be matched in linear time ([patterns](properties.md#patterns)).",
    wrong: "pattern: '[a-z]{1,4000}@'",
    right: "pattern: '^[a-z]{1,40}@'",
  },
  'unsyncable-access': {
    cause:
      'An [access rule](access.md#where) depends on something that changes without the object: ' +
      'the clock, a value that is computed when it is read, or another object. Store it in a ' +
      '[computed property](properties.md#computed).',
    wrong: 'access: [{ who: everyone, where: { updated: [null] }, read: true }]',
    right: 'access: [{ who: everyone, where: { done: true }, read: true }]',
  },
  unsortable: {
    cause: 'Lists and objects have no order.',
    wrong: 'sort: [tags]',
    right: 'sort: [name]',
  },
} satisfies CodeTable);
