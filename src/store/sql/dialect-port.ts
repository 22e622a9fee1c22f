import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import type { Fragment, Raw, SqlValue } from './fragment.js';

/** A type's search index, and the account whose part of it is read. */
export interface SearchTarget {
  /** SearchIndexDefinition.name. */
  readonly name: string;
  readonly accountId: SqlValue;
}

/** Both are null where all words are too short for the index. */
export interface Searched {
  /** True at least where the words occur: it stands beside the exact condition. */
  readonly beside: Fragment | null;
  /** The same as a SELECT `"_id"` of ids, each once, for a planner that has to be led. */
  readonly lookup: Fragment | null;
}

/** The objects that a statement is about, and the database that it is composed for. */
export interface SqlContext {
  readonly type: DataTypeDefinition;
  readonly accountId: SqlValue;
  readonly dialect: Dialect;
}

/** Where the databases' SQL differs, for the composers of this folder. */
export interface Dialect {
  /** Returns the text of the parameter at `position`, counted from 1. */
  placeholder(position: number): string;

  /** Texts for `IN ?`, behind a column, and for `ROWS(?)`, a table of elements (table-texts.ts). */
  isIn(placeholder: string): string;
  /** The same for the texts of a SELECT of few rows. */
  isInSelect(select: string): string;
  /** Returns a SELECT of the texts of a JSON list. */
  textsOf(placeholder: string): string;
  rowsOf(placeholder: string): string;

  boolean(value: boolean): SqlValue;

  /** Behind a SELECT: nobody else changes its rows until the transaction ends. */
  readonly holding: string;

  /** Returns the condition that a value is among those of a SELECT of few rows. */
  isAmong(value: Fragment, select: Fragment): Fragment;

  /** Returns a column by which the planner is to use no index. */
  unindexed(column: Raw): Fragment;

  /**
   * Returns a subquery with a row for each element of a JSON array, which is one parameter. `kind`
   * is that of the column that they are compared with.
   */
  elements(json: string, kind: PropertyKind): Fragment;

  /** Returns a subquery: a row for each array in a JSON array, a column for each property. */
  tuples(json: string, properties: readonly Pick<PropertyDefinition, 'kind'>[]): Fragment;

  /** Returns a condition that reads whole values, with a look at the time for long ones. */
  timely(column: Raw, condition: Fragment): Fragment;

  /** Returns true where `needle` occurs in the column. */
  contains(column: Raw, needle: SqlValue): Fragment;

  /** Asks the search index for objects in whose columns each of `words` occurs. */
  search(index: SearchTarget, columns: readonly string[], words: readonly string[]): Searched;

  /** Returns true where the JSON object in the column has the member. */
  hasKey(column: Raw, key: string): Fragment;

  /** Returns true where the JSON object has a member that a JSON list of names doesn't have. */
  hasOtherKey(column: Raw, keys: string): Fragment;

  /** Returns true where the JSON object has the member, and the text occurs in its value. */
  hasEntry(column: Raw, key: string, text: string): Fragment;

  /** Returns true where the JSON list in the column has the item. */
  hasItem(column: Raw, item: SqlValue | boolean): Fragment;

  /**
   * Returns true where an item of the JSON list in the column meets a condition on the expression
   * `"item"."value"`. `kind` is that of the items.
   */
  someItem(column: Raw, kind: PropertyKind, condition: Fragment): Fragment;

  /**
   * Returns true where the member at the path within a quoted JSON column has one of the values.
   * An absent member is null. The text has the values in it.
   */
  memberIsOneOf(column: string, path: readonly string[], values: readonly JsonValue[]): string;

  /** Returns true where the column begins with `prefix`. */
  startsWith(column: Raw, prefix: string): Fragment;

  /** Returns an expression for the i;ascii-numeric order of a quoted column (RFC 4790 9.1). */
  asciiNumeric(column: string): string;

  /**
   * Returns a step of a path, of a quoted column with a number. `||` joins paths, and the longer of
   * two that begin alike is the greater.
   */
  pathStep(column: string): string;

  /** Returns the part of a quoted column that an ordered index holds: keys may be too long. */
  indexedText(column: string): string;

  /**
   * For a planner that knows nothing of the data: marks a condition that hardly any row of all
   * meets, or that nearly every row does.
   */
  said?(condition: Fragment, how: 'rare' | 'common'): Fragment;

  /**
   * A true condition by which a planner that knows nothing of the data reads all objects of an
   * account by their key.
   */
  readonly byKey?: Raw;

  /** A true condition that stops a scan after the call's deadline. */
  readonly tick: Raw;

  /**
   * Returns the same for scans, where nobody else waits: may do nothing if the account has few
   * objects.
   */
  tickOfScan(accountId: SqlValue, table: string): Fragment;
}
