import type { JsonValue } from '../../../src/protocol/json.js';

/** A client that runs knows a project's types by these: generated/client has a table for each. */

/** Methods whose names begin alike, `Issue/close` and `Issue/get`. */
export interface MethodGroup {
  readonly name: string;
  /** The capability that a request with these methods uses. */
  readonly capability: string;
  /** The names behind the slash. */
  readonly methods: readonly string[];
  /** Those of `methods` that are about no account: they take no accountId. */
  readonly withoutAccount?: readonly string[];
}

/** A data type. */
export interface TypeTable extends MethodGroup {
  /** The hash of its descriptor, as the session of an equal server has it. */
  readonly hash: string;
  /** It has one object, whose id is "singleton". */
  readonly isSingleton?: true;
  readonly properties: Readonly<Record<string, PropertyTable>>;
  readonly filters: Readonly<Record<string, FilterTable>>;
  readonly sorts: Readonly<Record<string, SortTable>>;
}

export interface PropertyTable {
  readonly kind: 'string' | 'boolean' | 'integer' | 'number' | 'date' | 'json';
  /** The format of a text, where it has one. */
  readonly format?: string;
  readonly isNullable?: true;
  /** Absent: clients may change it. */
  readonly access?: 'immutable' | 'serverSet' | 'secret';
  /** The value of a create that gives none; absent where the client can't know it. */
  readonly default?: JsonValue;
  /** The value of a create that gives none is the present time. */
  readonly isNow?: true;
  /** Where its values have ids of other objects, or of blobs. */
  readonly references?: readonly ReferenceTable[];
}

/** A place in the values of a property. */
export interface ReferenceTable {
  /** The type referred to; null for blobs. */
  readonly type: string | null;
  /** Tokens of a JSON Pointer below the property; `*` for each member or item, `key` for keys. */
  readonly at?: readonly string[];
}

export interface FilterTable {
  /** A property, or a part of one: `emails/*\/address`. */
  readonly property: string;
  readonly operator: string;
  /** Texts compare by a form that the server gives them: `1.00` finds `1`. */
  readonly isFormed?: true;
  /** All properties that it reads, where there are several. */
  readonly properties?: readonly string[];
  /** The part counts where members beside it have these values. */
  readonly where?: Readonly<Record<string, JsonValue>>;
  /** All values of the part have to fit, not one of them. */
  readonly isAll?: true;
}

export interface SortTable {
  readonly property: string;
  readonly collations?: readonly string[];
  /** Objects that fit stand behind the others; the Comparator's `argument` has the value. */
  readonly by?: { readonly operator: string; readonly argument: string };
}

/** A project's types and further methods. `P` has their TypeScript types. */
export interface Schema<P> {
  readonly types: readonly TypeTable[];
  /**
   * Methods of no type, and methods that another capability adds to a type or to a group: `name`
   * may be the name of a type or of an earlier group.
   */
  readonly groups: readonly MethodGroup[];
  /** For the compiler alone. */
  readonly project?: P;
}
