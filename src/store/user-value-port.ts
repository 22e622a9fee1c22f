import type { DataTypeDefinition } from '../capability/definition.js';
import type { JsonObject } from '../protocol/json.js';

/**
 * The part of the store's port that keeps values which each user has of its own. The rows of
 * objects lack them.
 */

/** The values that users have given, by the ids of objects. */
export type ValuesById = ReadonlyMap<string, JsonObject>;

export interface UserValueReads {
  /**
   * Returns the values that a user has given of objects. Leaves out objects with none. Throws
   * `MethodError('requestTooLarge')` beyond `maxOctets`, as `get` does.
   */
  userValues(
    type: DataTypeDefinition,
    userId: string,
    ids: readonly string[],
    maxOctets?: number,
  ): Promise<ValuesById>;

  /**
   * Returns the octets of the values that users have given of a type's objects, as they are stored:
   * of these objects and this user, of these objects, or of all.
   */
  valueOctets(type: DataTypeDefinition, ids?: readonly string[], userId?: string): Promise<number>;
}

/** An object of which a user's values changed. */
export interface OwnChange {
  readonly objectId: string;
  /** Columns of the properties that changed. */
  readonly columns: readonly string[];
  /** Those of the user's views that see the object (capability/own-scopes.ts). */
  readonly scopes: readonly string[];
}

export interface UserValueWrites {
  /** Keeps all values that a user gives of objects. A destroy removes those of its objects. */
  writeUserValues(type: DataTypeDefinition, userId: string, values: ValuesById): Promise<void>;

  /** Writes change records that are told to one user alone. Resolves to the state of the type. */
  recordOwn(type: DataTypeDefinition, changes: readonly OwnChange[]): Promise<number>;
}
