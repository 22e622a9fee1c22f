import type { CodeTable } from './code-row.js';

/** Codes of keys and values that the language does not have, or has elsewhere. */
export const STRUCTURE = Object.freeze({
  'duplicate-key': {
    cause: 'A key stands twice in one object. YAML would keep one of them in silence.',
    wrong: 'text: …, text: …',
    right: 'text: …, body: …',
  },
  empty: {
    cause: 'The list or object of this key is empty. Leave the key out, or fill it.',
    wrong: 'types: { Thing: { properties: {} } }',
    right: 'types: { Thing: { properties: { name: … } } }',
  },
  'misplaced-key': {
    cause:
      'The key belongs to another `type`, contradicts a key beside it, or stands one level ' +
      'too deep (`required`, `filter` or `sort` among the properties).',
    wrong: 'done: { type: boolean, maxLength: 5 }',
    right: 'done: { type: boolean }',
  },
  'missing-key': {
    cause: 'A key that is needed is not there.',
    wrong: 'types: { Thing: {} }',
    right: 'types: { Thing: { properties: { … } } }',
  },
  'out-of-range': {
    cause: 'The value is outside of what the key takes.',
    wrong: 'maxLength: -1',
    right: 'maxLength: 200',
  },
  'over-limit': {
    cause: 'The value is more than the server stores ([bounds](descriptors.md#bounds)).',
    wrong: 'maxLength: 20000000',
    right: 'maxLength: 200',
  },
  'refused-keyword': {
    cause:
      'The language leaves this keyword of JSON Schema out. The message and [a ' +
      'table](descriptors.md#keywords-that-the-language-refuses) say what to write instead.',
    wrong: 'oneOf: [ … ]',
    right: 'the one shape that covers all',
  },
  syntax: {
    cause: 'The text is no YAML or JSON in UTF-8. Nothing else of the file is checked.',
    wrong: 'types: [',
    right: 'types: {}',
  },
  'too-deep': {
    cause:
      'The descriptor nests too deeply or is too long, or aliases or definitions make it ' +
      'too large.',
    wrong: 'a: &a [*a]',
    right: 'plain lists',
  },
  'unknown-access': {
    cause: '`access` has another word than [those of the language](descriptors.md#access).',
    wrong: 'access: readOnly',
    right: 'access: immutable',
  },
  'unknown-account-use': {
    cause: '`account` is `none`, `read` or `write`.',
    wrong: 'account: delete',
    right: 'account: write',
  },
  'unknown-format': {
    cause:
      '`format` is one of the [formats](descriptors.md#formats). For formats of JSON Schema ' +
      'and OpenAPI the message says what to write instead.',
    wrong: 'format: date-time',
    right: 'format: utc-date',
  },
  'unknown-key': {
    cause:
      'The language has no such key here. Without this error, a misspelt key would do ' +
      'nothing.',
    wrong: 'maxLenght: 5',
    right: 'maxLength: 5',
  },
  'unknown-on-destroy': {
    cause: '`onDestroy` is `restrict`, `cascade` or `setNull`.',
    wrong: 'onDestroy: delete',
    right: 'onDestroy: cascade',
  },
  'unknown-operator': {
    cause: 'A filter compares by one of the [operators](descriptors.md#operators).',
    wrong: 'filter: { name: like }',
    right: 'filter: { name: contains }',
  },
  'unknown-standard-method': {
    cause: 'RFC 8620 section 5 has no such method.',
    wrong: 'standardMethods: [fetch]',
    right: 'standardMethods: [get]',
  },
  'unknown-type': {
    cause:
      "`type` is a JSON type, or a list of one and `'null'`. For types of SQL, Prisma and " +
      'other languages the message says what to write instead. A date is a string with a ' +
      '[format](descriptors.md#formats).',
    wrong: 'type: text',
    right: 'type: string',
  },
  'wrong-type': {
    cause: 'The value is of another type than the key takes.',
    wrong: 'maxLength: long',
    right: 'maxLength: 20',
  },
} satisfies CodeTable);
