import type { PropertyDefinition } from './definition.js';
import type { Hook } from './hooks.js';

/** The words of files in `evolve/`, which convert the objects of a type in code. */

/** The place of an object that is converted. */
export interface ConvertCall {
  readonly accountId: string;
  /** Aborted when the function's time is over. */
  readonly signal: AbortSignal;
}

/**
 * Returns the properties of an object that change, by the names behind the migration. It may return
 * nothing where the object stays as it is. If it throws or takes longer than its timeout, the
 * object stays as it is, and the server tells of it.
 */
export type Convert<Before, After> = Hook<
  (object: Before, call: ConvertCall) => After | undefined | Promise<After | undefined>
>;

/** A property that a conversion may change. */
export interface ConvertedProperty {
  readonly column: string;
  /** The value of objects that nobody has converted, where the migration brings the column. */
  readonly initial?: PropertyDefinition['default'];
}

/** The conversion of a type's objects, as it is generated. */
export interface EvolutionDefinition {
  /** The number of the migration that it belongs to. */
  readonly migration: number;
  /** `evolve/0007-split-name.ts` */
  readonly file: string;
  readonly table: string;
  readonly before: readonly PropertyDefinition[];
  readonly after: Readonly<Record<string, ConvertedProperty>>;
  readonly convert: Convert<never, object>;
}

/**
 * The property, and its column, that tells how far an object is converted: the number of the last
 * migration for which it is. The previous version writes none, and new objects get the default of
 * the column, 0. It is negative where that version has changed a value that is converted.
 */
export const EVOLVED = 'jmap_evolved';
