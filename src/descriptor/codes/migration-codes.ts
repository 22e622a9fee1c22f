import type { CodeTable } from './code-row.js';

/** Codes of what a migration can not do without losing data. */
export const MIGRATIONS = Object.freeze({
  'key-changed': {
    cause: "A migration can't change the primary key of a table that has rows.",
    wrong: 'another key for a released table',
    right: 'a new type',
  },
  'later-engine': {
    cause:
      "A later jmapsmith made the migrations: they have a part of the engine's own tables " +
      "that this one doesn't have. No descriptor can drop it.",
    wrong: 'an older jmapsmith in a folder that a later one generated for',
    right: 'the later one; or git revert of what it generated, where no database has it',
  },
  'migration-branches': {
    cause:
      'Two migrations have one parent: two branches were merged. Keep one, remove the ' +
      "other's folder of both databases, and generate.",
    wrong: '0004_a and 0004_b',
    right: '0004_a and 0005_b',
  },
  'migration-history': {
    cause:
      'The migrations folder is incomplete or numbered twice, or a committed migration is ' +
      'gone for one database. What was released must stay.',
    wrong: '0002 without migration.sql',
    right: 'git checkout of the folder',
  },
  'migration-snapshot': {
    cause: "The snapshot beside a migration can't be read. Nobody edits it.",
    wrong: 'an edited snapshot',
    right: 'git checkout of the file',
  },
  'property-narrowed': {
    cause:
      'The property accepts fewer values than in the last release: a tighter enum, bound or ' +
      'pattern, or a text that becomes a reference or the id of a blob. Stored values stay, ' +
      'and clients can read them. `drops` at the type accepts that.',
    wrong: 'maxLength: 20 (was 200)',
    right: 'maxLength: 20, and at the type drops: [title]',
  },
  'property-not-nullable': {
    cause: 'Rows have null where the property may no longer be null.',
    wrong: "type: string (was [string, 'null'])",
    right: "type: [string, 'null']",
  },
  'property-removed': {
    cause: 'A released property is gone: its values would be lost.',
    wrong: 'a property removed alone',
    right: 'drops: [oldName], or newName: { renamedFrom: oldName }',
  },
  'property-retargeted': {
    cause: 'A reference changes its type: the stored ids would name no object, or the wrong one.',
    wrong: 'references: Person (was references: Customer)',
    right: 'drops: [ownerId] at the type: its values go; or a property of another name',
  },
  'property-sealed-otherwise': {
    cause:
      'A property becomes a secret, stops being one, or changes between `hash` and ' +
      "`encrypt`. The server can't read the stored values in the new form.",
    wrong: 'access: secret, stored: hash (was access: mutable)',
    right: 'drops: [pin] at the type: its values go',
  },
  'property-type-changed': {
    cause: "The stored values are of another type and can't be converted.",
    wrong: 'n: { type: integer } (was string)',
    right: 'a new property beside the old one',
  },
  'property-without-default': {
    cause: 'Existing rows need a value for the new property.',
    wrong: 'required: [code] (new)',
    right: "code: { type: string, default: '' }",
  },
  'singleton-changed': {
    cause:
      'A released type becomes a singleton or stops being one: nobody could name its ' + 'objects.',
    wrong: 'Settings: { singleton: true } (had many objects)',
    right: 'a type of another name',
  },
  'type-removed': {
    cause: 'A released type is gone: its objects would be lost.',
    wrong: 'a type removed alone',
    right: 'drops: [OldType], or NewType: { renamedFrom: OldType }',
  },
  'unique-by-default': {
    cause:
      'A `unique` names only new properties. All objects would get the same default and ' +
      'collide.',
    wrong: "code: { type: string, default: '' } in unique: [code]",
    right: "code: { type: [string, 'null'] }",
  },
  'unique-not-computed': {
    cause:
      'A `unique` names a new computed property. Objects have no values of it yet, so the ' +
      "migration can't tell whether they collide.",
    wrong: 'slug: { computed: { from: [title] } }, unique: [slug] in one release',
    right: 'slug in one release, unique: [slug] in the next',
  },
} satisfies CodeTable);
