import { formatNamed } from '../../../src/capability/formats/index.js';
import { shadowKind } from '../../../src/capability/shadow-transforms.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';

/**
 * Data tables that SQLite keeps in the order of their key (`WITHOUT ROWID`), one tree instead of
 * two: those of types whose rows are short. Whole rows then stand in the tree's inner pages too. If
 * a row is longer than a quarter of a page (1,002 octets), its rest stands in a page of its own.
 */

/**
 * Characters that a row's texts may have by their declaration: most are less than two thirds as
 * long, and so most rows have no page of their own.
 */
const MAX_CHARACTERS = 1536;

/**
 * Returns whether SQLite keeps the table in the order of its key. A released table keeps its shape,
 * whatever becomes of the type; the rows choose the shape of a new one.
 */
export function isKeyOrdered(type: ModelType): boolean {
  return type.keyOrdered ?? charactersOfRow(type) <= MAX_CHARACTERS;
}

export function orderedTypes(model: Model): readonly ModelType[] {
  return typesIn(model).filter(isKeyOrdered);
}

/**
 * Counts the characters that a row's texts may have; Infinity if nobody knows. A shadow column
 * holds its property's text once more.
 */
export function charactersOfRow({ properties, shadows, keepsUnknown }: ModelType): number {
  if (keepsUnknown === true) return Number.POSITIVE_INFINITY;
  const columns = [
    ...properties,
    ...shadows.flatMap((shadow) => (shadowKind(shadow) === 'string' ? [shadow.property] : [])),
  ];
  return columns.reduce((sum, property) => sum + charactersOf(property), 0);
}

/**
 * Counts the characters that a value may have: Infinity for JSON, and for a secret, once sealed.
 */
function charactersOf({ kind, secret, role, schema }: ModelProperty): number {
  if (kind === 'json' || secret !== undefined) return Number.POSITIVE_INFINITY;
  if (kind !== 'string') return 0;
  if (role === 'id') return 0;
  const format = formatNamed(schema.format);
  if (format !== undefined && format.length !== null) return format.length;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const words = values?.filter((value) => typeof value === 'string');
  if (words !== undefined) return Math.max(0, ...words.map(({ length }) => length));
  return schema.maxLength ?? Number.POSITIVE_INFINITY;
}
