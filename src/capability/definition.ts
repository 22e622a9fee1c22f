import type { JsonValue } from '../protocol/json.js';
import type { Normalization } from '../text/index.js';
import type { AccessRule } from './access-rules.js';
import type { NamePart } from './family-names.js';
import type { SortKeyName, StringFormat } from './formats/index.js';
import type { Part } from './parts.js';
import type { Place } from './places.js';
import type { SetOperation } from './set-operations.js';
import type { TextRule } from './text-rule.js';
import type { RuleCondition, TypeRules } from './type-rules.js';
import type { Validator } from './validation.js';

export type { StringFormat } from './formats/index.js';
export type * from './type-rules.js';

/** How a column stores a property's value. `date` is a UTCDate as integer milliseconds. */
export type PropertyKind = 'string' | 'boolean' | 'integer' | 'number' | 'date' | 'json';

/**
 * Says who may write a property, and when. An `internal` one is never on the wire: only hooks use
 * it. Clients write a `secret` and never read it; the database has its hash or its ciphertext.
 */
export type PropertyAccess = 'mutable' | 'immutable' | 'serverSet' | 'internal' | 'secret';

/** The standard methods, as their names have them after the slash. */
export type StandardMethodName = 'get' | 'changes' | 'set' | 'copy' | 'query' | 'queryChanges';

/**
 * The fate of an object when the server destroys one that it refers to. `keep` is a weak reference:
 * the object stays as it is, and names what is gone.
 */
export type OnDestroy = 'restrict' | 'cascade' | 'setNull' | 'keep';

/** A place in a property's values holds ids of objects of the same account. */
export interface ReferenceDefinition {
  /** The type referred to; it may be of another capability. */
  readonly type: string;
  readonly place: Place;
  readonly onDestroy: OnDestroy;
  /** Of `restrict`: the SetError of the refused destroy, in the place of objectIsLinked. */
  readonly error?: string;
  /** Of `setNull` at a member that may be absent but not null: the member goes. */
  readonly removable?: true;
  /** No object may lead back to itself by this reference. */
  readonly acyclic: boolean;
}

/** Where a computed property's value comes from; a change record is written whenever it changes. */
export type ComputedDefinition =
  /** A pure, synchronous function (hook file) of properties of the same object. */
  | { readonly kind: 'from'; readonly properties: readonly string[] }
  | AggregateDefinition
  /** A function (hook file) that is told which source objects changed. */
  | {
      readonly kind: 'on';
      readonly sources: readonly { readonly type: string; readonly property: string }[];
    };

/** How an aggregate makes one value of many: their number, their sum, the least or the greatest. */
export type AggregateKind = 'count' | 'sum' | 'min' | 'max';

/** A value that the engine makes of all objects of `type` that refer to this one. */
export interface AggregateDefinition {
  readonly kind: AggregateKind;
  readonly type: string;
  /**
   * The name of their reference (named-references.ts). Absent for all objects of the account: the
   * property belongs to a singleton.
   */
  readonly by?: string;
  /** The property of theirs that is added or compared; of a count, whose values are distinct. */
  readonly of?: string;
  /** Only objects that meet all of these conditions. */
  readonly where?: readonly RuleCondition[];
}

/**
 * The standard columns have roles, so that no shared code knows a property by its name. `creator`
 * has the id of the user who created the object; null where that was a hook. `unknown` stands for
 * all properties that the type keeps without declaring them. `shareWith` and `myRights` are those
 * of RFC 9670 4: clients write the first one, and the second one is never stored.
 */
export type PropertyRole =
  | 'id'
  | 'created'
  | 'updated'
  | 'creator'
  | 'unknown'
  | 'shareWith'
  | 'myRights';

export interface PropertyDefinition {
  /** Wire name: any text, camelCase as a rule. */
  readonly name: string;
  /**
   * Its column: made of its first name, which a rename keeps (`size_2` where that was taken).
   * So it may be another property's name. The engine's own tables hold columns, clients see names.
   */
  readonly column: string;
  readonly kind: PropertyKind;
  readonly nullable: boolean;
  /** An object may lack it: it has no default; a null patch removes it unless it may be null. */
  readonly optional?: true;
  /** Of one that is nullable and optional: the column that is 1 where the value is null. */
  readonly nullColumn?: string;
  /** A create must give it. */
  readonly required: boolean;
  /** The value of a create without it, and of a null patch; none if required or optional. */
  readonly default?: JsonValue;
  readonly access: PropertyAccess;
  readonly role?: PropertyRole;
  /**
   * The places in its values that hold ids of blobs of the account: the engine keeps a blob
   * reference record for each of these ids. Absent if there are none.
   */
  readonly blobs?: readonly Place[];
  readonly format?: StringFormat;
  /** The changes that its texts go through before they are judged and stored. */
  readonly normalize?: readonly Normalization[];
  /** The texts within its values that have one stored form each. Absent if there are none. */
  readonly texts?: readonly TextRule[];
  /** A create without it stores the present time, and so does a null patch. */
  readonly defaultNow?: true;
  /** The references that its values hold, each with its place. Absent if there are none. */
  readonly references?: readonly ReferenceDefinition[];
  readonly computed?: ComputedDefinition;
  /** How a property with access `secret` is stored. */
  readonly secret?: 'hash' | 'encrypt';
  /**
   * Of a part of a property, which conditions and sorts read: whose it is, and where it stands. It
   * is no property of the type. Its column holds its only or its first value.
   */
  readonly within?: Part;
  /** A /get without `properties` leaves it out. */
  readonly onRequest?: true;
  /**
   * The scopes of those who may read it (scopes.ts); absent: all who see the object. Nobody else
   * may write it.
   */
  readonly readable?: readonly string[];
  /**
   * Each user who sees an object has a value of its own, and the default until it gives one. The
   * objects of the store lack it (user-values.ts).
   */
  readonly perUser?: true;
  /** Of such a property: the default for the owner of the account, where it is another one. */
  readonly ownerDefault?: JsonValue;
}

/** A property, or a family of some, that /get has computed when it is asked: it is never stored. */
export interface AnsweredDefinition {
  /** `preview`, or of a family `header:*`. */
  readonly name: string;
  /** The stored properties that its value follows. */
  readonly sources: readonly PropertyDefinition[];
  /** Where the value may be null, null stands for what the hook leaves out. */
  readonly nullable?: true;
  /** The hook may leave it out. */
  readonly optional?: true;
  /** A /get without `properties` leaves it out. Always of a family. */
  readonly onRequest?: true;
  /** Of a family: the parts of its names behind the prefix. */
  readonly parts?: readonly NamePart[];
}

/** How a filter condition compares (docs/reference/queries.md has the table). */
export type FilterOperator =
  | 'equals'
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'before'
  | 'after'
  | 'atLeast'
  | 'atMost'
  | 'lessThan'
  | 'greaterThan'
  | 'isNull'
  | 'isNotNull'
  /** The set or map has the key. */
  | 'hasKey'
  | 'lacksKey'
  /** The set or map has a key that is none of the value's. */
  | 'hasOtherKey'
  /** The map has the key, with a text in its value. */
  | 'hasEntry'
  /** The list has the item. */
  | 'hasItem'
  | 'lacksItem'
  /** Every word of the value is contained in one of the columns. */
  | 'text';

/**
 * How a condition reads a part that may have several values. `joined`: the column is one text of
 * all, any of which may match. Otherwise the column is a JSON list.
 */
export type FilterMany = 'joined' | 'any' | 'all';

export interface FilterDefinition {
  /** The FilterCondition's property name on the wire. */
  readonly name: string;
  readonly property: PropertyDefinition;
  readonly operator: FilterOperator;
  /** The column that the condition reads: the property's own or a shadow of it. */
  readonly column: string;
  /** For `text`: all the columns that it reads, `column` first. */
  readonly columns?: readonly string[];
  /**
   * Of text: the type's search index holds the columns, and serves needles that are long enough. Of
   * other operators: an ordered index of an account's objects begins with the column.
   */
  readonly indexed?: true;
  readonly many?: FilterMany;
}

/** The conditions that a sort may be by. */
export type SortOperator = 'equals' | 'hasKey' | 'hasItem';

/**
 * The objects that meet a condition come behind the others. The Comparator's member `argument` has
 * what the property is compared with.
 */
export interface SortCondition {
  readonly operator: SortOperator;
  readonly argument: string;
}

export interface SortDefinition {
  /** The Comparator's `property` on the wire. */
  readonly name: string;
  readonly property: PropertyDefinition;
  readonly by?: SortCondition;
  /** For text: the shadow column with its `i;unicode-casemap` key. Without one, octets decide. */
  readonly casemapColumn?: string;
  /** The column that the order reads where it is neither the property's own nor its casemap key. */
  readonly column?: string;
  /** The database keeps an ordered index of what the order reads. */
  readonly indexed?: true;
  /** An index has the casemap key behind other columns. */
  readonly indexedBehind?: true;
}

/**
 * The ways to make it of a text: folded for filters, or as a collation key for sorts. A format with
 * an order of its own has a key for both (shadow-transforms.ts).
 */
export type TextTransform = 'fold' | 'casemap' | SortKeyName;

/**
 * Beside these, `null`: 1 where an optional property is null, nothing where it is absent. And
 * `own`: the value of a part as it is.
 */
export type ShadowTransform = TextTransform | 'null' | 'own';

/** How a column holds all values of a part: as one text with separators, or as a JSON list. */
export type ShadowForm = 'joined' | 'list';

/** A column that the engine fills from a property at each write; never on the wire. */
export interface ShadowColumn {
  readonly column: string;
  readonly property: PropertyDefinition;
  readonly transform: ShadowTransform;
  /** Absent: the column holds one value. */
  readonly form?: ShadowForm;
}

/** The shapes that the result of a /query may take, each by an argument of the call. */
export interface QueryShapes {
  /** Of the results with one value of the property the first alone is left (RFC 8621 4.4.3). */
  readonly collapse?: { readonly argument: string; readonly by: PropertyDefinition };
  /** Results below others by a reference (RFC 8621 2.3). */
  readonly tree?: {
    readonly by: PropertyDefinition;
    /** The argument that sorts each object behind the one that it lies below. */
    readonly sort?: string;
    /** The argument that leaves out what lies below an object that the filter leaves out. */
    readonly filter?: string;
  };
}

/** No two objects of an account share the values of these properties. */
export interface UniqueDefinition {
  /** `code`, or `list+position`: the properties' columns. */
  readonly name: string;
  readonly properties: readonly PropertyDefinition[];
  /** Null equals null. Otherwise it equals nothing. */
  readonly nullsEqual?: true;
}

/** The full-text (trigram) index of a type: one for all of its indexed filters. */
export interface SearchIndexDefinition {
  /** `Gadget_search`, after the table: the base of the names of what the database keeps for it. */
  readonly name: string;
  /** The folded shadow columns that it holds. */
  readonly columns: readonly string[];
}

/** The objects of a type are shared with principals (RFC 9670 4). */
export interface ShareDefinition {
  /** The names of the rights, each once. */
  readonly rights: readonly string[];
}

/** The limits on an account's objects of one type. */
export interface TypeLimits {
  /** Objects: one more is `overQuota`. */
  readonly count?: number;
  /** Octets of an object's JSON: more is `tooLarge`. */
  readonly octets?: number;
}

/** The wire types of a data type: only the compiler sees them. */
export interface TypeShape {
  readonly object: object;
  readonly create: object;
  readonly patch: object;
  readonly filter: object;
  /** The Comparators by the type's sorts. */
  readonly sort?: object;
  /** The names of properties that null in a /copy leaves out, where the type has some. */
  readonly optional?: string;
  /** The stored object, where it has more than `object`: internal and secret properties too. */
  readonly stored?: object;
  /** The SetErrors, where the type declares some of its own. */
  readonly error?: object;
  /** The answered properties, where the type has some: `object` has them too. */
  readonly answered?: object;
  /** The rights of the user who reads a shared object, found by the engine: `object` has them. */
  readonly rights?: object;
  /** The names of properties of which each user has a value of its own: `stored` lacks them. */
  readonly own?: string;
}

/** An object as hooks see it. */
export type StoredOf<S extends TypeShape> = S extends {
  readonly stored: infer Stored extends object;
}
  ? Stored
  : S['object'];

/** All that the engine needs to serve a data type. Emitted, frozen; data but for its validators. */
export interface DataTypeDefinition<Shape extends TypeShape = TypeShape> {
  /** RFC 8620 1.6.3 name, for instance `Todo`. */
  readonly name: string;
  /** URN or URL of the capability that defines the type. */
  readonly capability: string;
  /** Its table: to its name what a property's column is to the property's. */
  readonly table: string;
  /** The hash of what clients see of it: equal hashes, equal types but for words. */
  readonly hash?: string;
  /** The most characters of all texts in one row, shadow columns included; absent if unknown. */
  readonly characters?: number;
  /** Input names may be given in snake_case too; output never is. */
  readonly acceptSnakeCase: boolean;
  /** Every wire property in order of declaration; the standard ones first. */
  readonly properties: readonly PropertyDefinition[];
  /** Of a type as a user knows it: the names of the properties that the user may not read. */
  readonly hidden?: ReadonlySet<string>;
  readonly filters: readonly FilterDefinition[];
  readonly sorts: readonly SortDefinition[];
  readonly shadows: readonly ShadowColumn[];
  /** One object, `singleton`, which is always there: no create, no destroy. */
  readonly singleton?: true;
  /** The operations of /set that clients may not do. */
  readonly refuses?: readonly SetOperation[];
  readonly uniques?: readonly UniqueDefinition[];
  readonly search?: SearchIndexDefinition;
  /** Absent where its /query has the RFC's arguments alone. */
  readonly query?: QueryShapes;
  readonly limits?: TypeLimits;
  /** They say what clients may do with an object, by the values that it has. */
  readonly rules?: TypeRules;
  /** They say which users see and change which objects; absent: all users of the account do. */
  readonly access?: readonly AccessRule[];
  /**
   * A type with it has access rules, and a property of the role `shareWith`. Its rules are about
   * these rights.
   */
  readonly share?: ShareDefinition;
  /** The types of SetErrors that are the type's own. */
  readonly errors?: readonly string[];
  /** The properties that /get has computed when it is asked; absent if there are none. */
  readonly answered?: readonly AnsweredDefinition[];
  readonly validate: {
    /**
     * The values of top-level properties that a create or an update gives: unknown and wrong
     * properties. Server-set ones count as unknown. The properties that a create must give are in
     * `properties`.
     */
    readonly update: Validator;
    /** One FilterCondition whose names are all declared. */
    readonly filter: Validator;
    /** Judges values that only hooks give: internal, serverSet and computed; absent if none. */
    readonly server?: Validator;
    /** Judges the members of the type's own errors, each under its name; absent if none has any. */
    readonly errors?: Validator;
    /** Judges answered properties, a value of a family under its name; absent if there are none. */
    readonly answered?: Validator;
  };
  /** Never set: carries the wire types for inference. */
  readonly shape?: Shape;
}
