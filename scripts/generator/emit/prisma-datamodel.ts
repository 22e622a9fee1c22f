/**
 * The subset of Prisma's schema language that the project uses, as frozen data: what the emitter
 * prints, what the migrations read back from a snapshot and compare.
 */

export type ColumnType = 'String' | 'Boolean' | 'Int' | 'BigInt' | 'Float' | 'Json' | 'Bytes';

export interface Column {
  /** The SQL name. */
  readonly name: string;
  /** The client's name of it, where that is another one. */
  readonly field?: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /**
   * The text between the parentheses of `@default( )`. The engine writes whole rows; a default is
   * there for the rows that exist when the column is added.
   */
  readonly default?: string;
  readonly unique?: boolean;
  readonly description?: string;
  /** A time in milliseconds: a DateTime to the client. */
  readonly isTime?: boolean;
}

/**
 * A relation of a model, for the client alone. The side that holds the key has `columns`; the other
 * side is a list.
 */
export interface Relation {
  readonly name: string;
  readonly field: string;
  readonly model: string;
  readonly columns?: readonly string[];
  /** Fields of the other model. */
  readonly references?: readonly string[];
  readonly isOptional?: boolean;
}

export interface Table {
  /** The SQL name. */
  readonly name: string;
  /** The client's name of it, where that is another one. */
  readonly model?: string;
  readonly description?: string;
  readonly columns: readonly Column[];
  /** The primary key's columns, in order. */
  readonly key: readonly string[];
  /** An ordered index each, by columns. */
  readonly indexes: readonly (readonly string[])[];
  /** Of the client's schema alone. */
  readonly relations?: readonly Relation[];
}

export type Provider = 'sqlite' | 'postgresql';

export const PROVIDERS: readonly Provider[] = Object.freeze(['sqlite', 'postgresql']);

/** The column that every data table has before its own ones; its key is (accountId, id). */
export const ACCOUNT_COLUMN = 'accountId';
