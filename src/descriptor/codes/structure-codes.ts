import type { CodeTable } from './code-row.js';

/** Codes of keys and values that the language does not have, or has elsewhere. */
export const STRUCTURE = Object.freeze({
  'duplicate-key': {
    cause: 'A key occurs twice in one object.',
    wrong: 'text: …, text: …',
    right: 'text: …, body: …',
  },
  empty: {
    cause: 'The list or object of this key is empty.',
    wrong: 'properties: {}',
    right: 'properties: { name: … }',
  },
  'misplaced-key': {
    cause:
      'The key belongs to another `type`, contradicts a key beside it, or stands a level ' +
      'too deep.',
    wrong: 'type: boolean, maxLength: 5',
    right: 'type: boolean',
  },
  'missing-key': {
    cause: 'A key is missing.',
    wrong: 'types: { Thing: {} }',
    right: 'Thing: { properties: … }',
  },
  'out-of-range': {
    cause: 'The value is outside of what the key takes.',
    wrong: 'maxLength: -1',
    right: 'maxLength: 200',
  },
  'over-limit': {
    cause: 'The value is above its [bound](descriptors.md#bounds).',
    wrong: 'maxLength: 20000000',
    right: 'maxLength: 200',
  },
  'refused-keyword': {
    cause:
      'The language leaves this [keyword of JSON ' +
      'Schema](descriptors.md#keywords-that-the-language-refuses) out.',
    cure: 'Describe one shape that covers all values.',
  },
  syntax: {
    cause: 'The text is no YAML or JSON in UTF-8. The rest is not checked.',
    wrong: 'types: [',
    right: 'types: {}',
  },
  'too-deep': {
    cause: 'The descriptor, with its aliases and definitions, is too deep or too large.',
    cure: 'Write plain lists and objects.',
  },
  'unknown-access': {
    cause: '`access` is one of [five words](properties.md#access).',
    wrong: 'access: readOnly',
    right: 'access: immutable',
  },
  'unknown-account-use': {
    cause: '`account` is `none`, `read` or `write`.',
    wrong: 'account: delete',
    right: 'account: write',
  },
  'unknown-format': {
    cause: '`format` is one of the [formats](properties.md#formats).',
    wrong: 'format: date-time',
    right: 'format: utc-date',
  },
  'unknown-key': {
    cause: 'The language has no such key here.',
    wrong: 'maxLenght: 5',
    right: 'maxLength: 5',
  },
  'unknown-on-destroy': {
    cause: '`onDestroy` is `restrict`, `cascade`, `setNull` or `keep`.',
    wrong: 'onDestroy: delete',
    right: 'onDestroy: cascade',
  },
  'unknown-operator': {
    cause: 'A filter compares by one of the [operators](queries.md#operators).',
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
      "`type` is a JSON type, or a list of one and `'null'`. A date is a string with a " +
      '[format](properties.md#formats).',
    wrong: 'type: text',
    right: 'type: string',
  },
  'wrong-type': {
    cause: 'The value is of another type than the key takes.',
    wrong: 'maxLength: long',
    right: 'maxLength: 20',
  },
} satisfies CodeTable);
