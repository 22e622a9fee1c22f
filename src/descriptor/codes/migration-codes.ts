import type { CodeTable } from './code-row.js';

/** Codes of what a migration can not do without losing data. */
export const MIGRATIONS = Object.freeze({
  'bad-evolution': {
    cause:
      'A file in `evolve/` has a wrong name or number, names no type that the migration has, or ' +
      'exports no `evolution`.',
    wrong: 'evolve/7-split.ts',
    right: 'evolve/0007-split.ts',
  },
  'key-changed': {
    cause: "A migration can't change the primary key of a table that has rows.",
    cure: 'Declare a new type.',
  },
  'later-engine': {
    cause:
      "A later jmapsmith made the migrations. This one can't drop what it added to the " +
      "engine's own tables.",
    cure: 'Use the later version, or undo with git what no database has.',
  },
  'migration-branches': {
    cause: 'Two migrations have one parent, since two branches were merged.',
    cure:
      'Keep the one that a database has applied, else either. Delete the other under ' +
      '`prisma/sqlite` and `prisma/postgresql`, and generate.',
  },
  'migration-history': {
    cause:
      'A migration is incomplete, two have one number, or a committed one is missing for ' +
      'one database.',
    cure:
      'Restore the folder with git, or delete the migration for both databases, if none has ' +
      'applied it.',
  },
  'migration-snapshot': {
    cause: "The snapshot beside a migration can't be read.",
    cure: 'Restore the file with git.',
  },
  'property-narrowed': {
    cause:
      'The property accepts fewer values: a tighter enum, bound or pattern, or a text that ' +
      'becomes a reference or the id of a blob. Stored values stay readable.',
    cure: 'Write `drops: [title]`, or a conversion.',
  },
  'property-not-nullable': {
    cause: 'Rows have null where the property may no longer be null.',
    cure:
      'Leave it nullable, or give it a default and write `drops: [name]`: null becomes the ' +
      'default.',
  },
  'property-removed': {
    cause: 'A released property is gone.',
    cure: 'Write `drops: [oldName]`, `renamedFrom: oldName` at its successor, or a conversion.',
  },
  'property-retargeted': {
    cause: 'A reference changes its type: the stored ids would name no object, or the wrong one.',
    cure: 'Write `drops: [ownerId]`, another name, or a conversion.',
  },
  'property-sealed-otherwise': {
    cause:
      'A property becomes a secret, stops being one, or changes between `hash` and ' +
      "`encrypt`. The stored values can't be converted.",
    cure: 'Write `drops: [pin]`.',
  },
  'property-type-changed': {
    cause: 'The stored values are of another type.',
    cure: 'Write a conversion, or `drops: [name]`.',
  },
  'property-without-default': {
    cause: 'Existing rows need a value for the new property.',
    cure: 'Give it a default, or make it nullable.',
  },
  'singleton-changed': {
    cause: 'A released type becomes a singleton or stops being one.',
    cure: 'Declare a type of another name.',
  },
  'type-removed': {
    cause: 'A released type is gone.',
    cure:
      'Write `drops: [OldType]` beside `capability`, or `renamedFrom: OldType` at its ' +
      'successor.',
  },
  'unique-by-default': {
    cause: 'Every property of this `unique` is new: existing objects would get the same default.',
    cure: "Make one nullable: `code: { type: [string, 'null'] }`.",
  },
  'unique-not-computed': {
    cause: 'A `unique` names a new computed property. Existing objects have no value of it yet.',
    cure: 'Add the property in one release, and `unique: [slug]` in the next.',
  },
} satisfies CodeTable);
