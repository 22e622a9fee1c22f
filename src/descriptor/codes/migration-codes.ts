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
      "A later jmapsmith made the migrations. This one can't drop what it added to the " +
      "engine's own tables.",
    wrong: 'an older jmapsmith in a folder that a later one generated for',
    right: 'the later one; or git revert of what it generated, where no database has it',
  },
  'migration-branches': {
    cause:
      'Two migrations have one parent, since two branches were merged. Keep one, remove the ' +
      "other's folder of both databases, and generate.",
    wrong: '0004_a and 0004_b',
    right: '0004_a and 0005_b',
  },
  'migration-history': {
    cause:
      'The migrations folder is incomplete or numbered twice, or a committed migration is ' +
      'gone for one database.',
    wrong: '0002 without migration.sql',
    right: 'git checkout of the folder',
  },
  'migration-snapshot': {
    cause: "The snapshot beside a migration can't be read.",
    wrong: 'an edited snapshot',
    right: 'git checkout of the file',
  },
  'property-narrowed': {
    cause:
      'The property accepts fewer values than in the last release: a tighter enum, bound or ' +
      'pattern, or a text that becomes a reference or the id of a blob. Stored values stay ' +
      'readable.',
    wrong: 'maxLength: 20 (was 200)',
    right: 'maxLength: 20, and at the type drops: [title]',
  },
  'property-not-nullable': {
    cause: 'Rows have null where the property may no longer be null.',
    wrong: "type: string (was [string, 'null'])",
    right: "type: [string, 'null']",
  },
  'property-removed': {
    cause: 'A released property is gone.',
    wrong: 'a property removed alone',
    right: 'drops: [oldName], or newName: { renamedFrom: oldName }',
  },
  'property-retargeted': {
    cause: 'A reference changes its type: the stored ids would name no object, or the wrong one.',
    wrong: 'references: Person (was references: Customer)',
    right: 'drops: [ownerId] at the type, or a property of another name',
  },
  'property-sealed-otherwise': {
    cause:
      'A property becomes a secret, stops being one, or changes between `hash` and ' +
      "`encrypt`. The stored values can't be converted.",
    wrong: 'access: secret (was access: mutable)',
    right: 'drops: [pin] at the type',
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
    cause: 'A released type becomes a singleton or stops being one.',
    wrong: 'Settings: { singleton: true } (had many objects)',
    right: 'a type of another name',
  },
  'type-removed': {
    cause: 'A released type is gone.',
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
    cause: 'A `unique` names a new computed property, of which objects have no values yet.',
    wrong: 'slug: { computed: { from: [title] } }, unique: [slug] in one release',
    right: 'slug in one release, unique: [slug] in the next',
  },
} satisfies CodeTable);
