import type { CodeTable } from './code-row.js';

/** Codes of warnings, which stop nothing. */
export const WARNINGS = Object.freeze({
  'hook-file-behind': {
    cause:
      "The objects that hooks see have changed since the hook file's line " +
      '`// written for: HASH`. `--check` fails.',
    wrong: 'a hook of a removed method',
    right: 'the hook removed too',
    silence: 'Read the hook file again, then write the line that the message shows.',
  },
  'moved-file': {
    cause: 'A hook file or a descriptor names a file that an older version generated.',
    wrong: "import type { Todo } from '../generated/todos/Todo.types.js'",
    right: "import type { Todo } from '../generated/todos/Todo.definition.js'",
    silence: 'Name the file that the message shows.',
  },
  'unindexed-filter': {
    cause:
      'For this filter `/query` reads a text that may be longer than 1,000 characters, of ' +
      'every object in the account.',
    wrong: 'filter: { name: contains }',
    right: 'filter: { name: { property: name, is: contains, indexed: true } }',
    silence:
      'Write `indexed: true` (faster queries, slower writes), `indexed: false` (accounts ' +
      'have few objects), or a `maxLength` of at most 1,000.',
  },
  'unindexed-sort': {
    cause: 'For this sort `/query` compares such a text of every object.',
    wrong: 'sort: [name]',
    right: 'sort: [{ property: name, indexed: false }]',
    silence: 'Answer it likewise. An index needs a `maxLength` of at most 500.',
  },
  'unique-default': {
    cause: 'Every property of this `unique` has a default: creates without them collide.',
    wrong: "code: { type: string, maxLength: 40, default: '', unique: true }",
    right: "code: { type: [string, 'null'], maxLength: 40, unique: true }",
    silence: 'List the property under `required`, or make it nullable without a default.',
  },
  'unmarked-blob': {
    cause:
      'A string with a name such as `blobId` may be the id of a blob. Without `blob: true` the ' +
      'server deletes the blob.',
    wrong:
      'files: { type: array, items: { type: object, properties: { blobId: { type: string } ' +
      '} } }',
    right:
      'files: { type: array, items: { type: object, properties: { blobId: { type: string, ' +
      'blob: true } } } }',
    silence: 'Write `blob: true` or `blob: false` at the string.',
  },
  'unreachable-value': {
    cause: 'No step of `transitions` leads to the value, and no new object begins with it.',
    wrong:
      'transitions: { status: { initial: [draft], from: { draft: [sent] } } }, with paid in ' +
      'the enum',
    right: 'transitions: { status: { initial: [draft], from: { draft: [sent], sent: [paid] } } }',
    silence: 'If hooks give the value, name it as a step: `paid: []`.',
  },
  'unread-database': {
    cause:
      "The project has no git repository, and `generate` can't read its database. It treats " +
      'all migrations as released.',
    wrong: 'a folder without git, while the database of DATABASE_URL is down',
    right: 'git init, and a commit of prisma/',
    silence: 'Commit `prisma/` to git, or start the database.',
  },
  'unused-definition': {
    cause: 'No `$ref` names the definition.',
    wrong: '$defs: { piece: { type: string } }',
    right: "part: { $ref: '#/$defs/part', default: '' }",
    silence: 'Use it, or take it out.',
  },
  'unused-drop': {
    cause:
      'The migration of this name in `drops` is released. The name would accept the next ' +
      'change too.',
    wrong: 'drops: [oldName], where the migration in prisma/ that drops it (0002) is committed',
    right: 'no drops',
    silence: 'Take the name out.',
  },
} satisfies CodeTable);
