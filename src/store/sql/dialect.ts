import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../capability/definition.js';
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
export interface Composing {
  readonly type: DataTypeDefinition;
  readonly accountId: SqlValue;
  readonly dialect: Dialect;
}

/** Where the databases' SQL differs, for the composers of this folder. */
export interface Dialect {
  /** The text of the parameter at `position`, counted from 1. */
  placeholder(position: number): string;

  /** The text behind a column that is one of a JSON list's texts, and a table of a JSON list's elements (table-texts.ts). */
  isIn(placeholder: string): string;
  rowsOf(placeholder: string): string;

  boolean(value: boolean): SqlValue;

  /**
   * A subquery with one row for each element of a JSON array, which is one parameter; `kind` is that
   * of the column that they are compared with.
   */
  elements(json: string, kind: PropertyKind): Fragment;

  /** A subquery with a row of `count` columns for each array of a JSON array, which is one parameter. */
  tuples(json: string, properties: readonly PropertyDefinition[]): Fragment;

  /** The same as a condition that reads the column's value from end to end; asks for the time at a long value. */
  timely(column: Raw, condition: Fragment): Fragment;

  /** True where `needle` occurs in the column. */
  contains(column: Raw, needle: SqlValue): Fragment;

  /** What the search index says of objects in whose columns each of `words` occurs. */
  search(index: SearchTarget, columns: readonly string[], words: readonly string[]): Searched;

  /** True where the JSON object in the column has the member. */
  hasKey(column: Raw, key: string): Fragment;

  /** True where the JSON list in the column has the item. */
  hasItem(column: Raw, item: SqlValue | boolean): Fragment;

  /** True where the column begins with `prefix`. */
  startsWith(column: Raw, prefix: string): Fragment;

  /** Expression for the i;ascii-numeric order of a column (RFC 4790 9.1); the argument is quoted. */
  asciiNumeric(column: string): string;

  /** What an ordered index holds of a key that may be too long for it; the argument is quoted. */
  indexedText(column: string): string;

  /**
   * For a planner that knows nothing of the data: the condition, said to be one that hardly a row of all
   * meets, or that nearly every row does.
   */
  said?(condition: Fragment, how: 'rare' | 'common'): Fragment;

  /**
   * A true condition that has all objects of an account read by their key, which a planner that knows
   * nothing of the data may not do by itself.
   */
  readonly byKey?: Raw;

  /** A true condition that stops a scan after the call's deadline. */
  readonly tick: Raw;

  /** The same where nobody else waits (a scan): it may be left out where the account has few objects in the table. */
  tickOfScan(accountId: SqlValue, table: string): Fragment;
}
