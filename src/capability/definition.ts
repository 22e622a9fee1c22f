import type { JsonObject, JsonValue } from '../protocol/json.js';
import type { MethodContext } from './context.js';
import type { Validator } from './validation.js';

/** How a property's value is kept in its column. `date` is a UTCDate kept as integer milliseconds. */
export type PropertyKind = 'string' | 'boolean' | 'integer' | 'number' | 'date' | 'json';

/** Who may write a property, and when. */
export type PropertyAccess = 'mutable' | 'immutable' | 'serverSet';

/** The standard columns have roles, so that no shared code knows a property by its name. */
export type PropertyRole = 'id' | 'created' | 'updated';

export interface PropertyDefinition {
  /** Wire name, camelCase. */
  readonly name: string;
  /** SQL column name. */
  readonly column: string;
  readonly kind: PropertyKind;
  readonly nullable: boolean;
  /** A create must give it. */
  readonly required: boolean;
  /** What a create without it stores and a null patch restores; absent when `required` or role-set. */
  readonly default?: JsonValue;
  readonly access: PropertyAccess;
  readonly role?: PropertyRole;
  /** The value is a blob id of the account (or null): the engine keeps a blob reference record for it. */
  readonly blob: boolean;
}

/** How a filter condition compares (docs/descriptors.md has the table). */
export type FilterOperator =
  | 'equals'
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'before'
  | 'after'
  | 'atLeast'
  | 'atMost'
  | 'isNull';

export interface FilterDefinition {
  /** The FilterCondition's property name on the wire. */
  readonly name: string;
  readonly property: PropertyDefinition;
  readonly operator: FilterOperator;
  /** The column that the condition reads: the property's own or a shadow of it. */
  readonly column: string;
}

export interface SortDefinition {
  /** The Comparator's `property` on the wire. */
  readonly property: PropertyDefinition;
  /** For a string: the shadow column that holds its `i;unicode-casemap` key. */
  readonly casemapColumn?: string;
}

/** What a shadow column holds of its property: folded text for filters, a collation key for sorts. */
export type ShadowTransform = 'fold' | 'casemap';

/** A column that the engine fills from a property whenever the row is written; never on the wire. */
export interface ShadowColumn {
  readonly column: string;
  readonly property: PropertyDefinition;
  readonly transform: ShadowTransform;
}

/** The wire types of a data type: only the compiler sees them. */
export interface TypeShape {
  readonly object: object;
  readonly create: object;
  readonly patch: object;
  readonly filter: object;
}

/** Everything that the engine needs to serve a data type. Emitted, frozen, data but for its validators. */
export interface DataTypeDefinition<Shape extends TypeShape = TypeShape> {
  /** RFC 8620 1.6.3 name, for instance `Todo`. */
  readonly name: string;
  /** URN or URL of the capability that defines the type. */
  readonly capability: string;
  readonly table: string;
  /** Input names may be given in snake_case too; output never is. */
  readonly acceptSnakeCase: boolean;
  /** Every wire property in order of declaration; the standard ones first. */
  readonly properties: readonly PropertyDefinition[];
  readonly filters: readonly FilterDefinition[];
  readonly sorts: readonly SortDefinition[];
  readonly shadows: readonly ShadowColumn[];
  readonly validate: {
    /** A whole create object: unknown, missing and wrong properties. Server-set ones count as unknown. */
    readonly create: Validator;
    /** The new values of the top-level properties that an update touches; the same without `required`. */
    readonly update: Validator;
    /** One FilterCondition whose names are all declared. */
    readonly filter: Validator;
  };
  /** Never set: carries the wire types for inference. */
  readonly shape?: Shape;
}

/** Whether a method needs an account, and to write to it. `none`: it has no accountId argument. */
export type AccountUse = 'none' | 'read' | 'write';

// biome-ignore lint/suspicious/noExplicitAny: a registry holds methods of any argument type; each is typed where it is defined
export interface MethodDefinition<Arguments extends object = any, Response extends object = any> {
  /** `Todo/get`: case-sensitive. */
  readonly name: string;
  /** The capability that a request must name in `using` for this method. */
  readonly capability: string;
  /** The capability that the account must have, where it is another. */
  readonly accountCapability?: string;
  /** The type it belongs to, for a standard method. */
  readonly dataType?: DataTypeDefinition;
  readonly account: AccountUse;
  /** Argument names, for snake_case input and for messages. Undefined: any member is an argument (Core/echo). */
  readonly argumentNames?: readonly string[];
  readonly acceptSnakeCase: boolean;
  readonly validateArguments: Validator;
  readonly handle: (args: Arguments, context: MethodContext) => Promise<Response>;
}

export interface CapabilityDefinition {
  /** URN or URL, the key in the session's `capabilities`. */
  readonly urn: string;
  /** Its folder in generated/ and the descriptor's base name. */
  readonly name: string;
  /** `sha256-...` of the descriptor's meaning; changes when the descriptor does. */
  readonly descriptorHash: string;
  /** Static members of its object in the session's `capabilities`. */
  readonly session: JsonObject;
  /** Its object in each account's `accountCapabilities`. */
  readonly accountSession: JsonObject;
  /** The session entry must be exactly `session` (RFC 9404 wants `{}`): the hash goes into the state alone. */
  readonly bareSession: boolean;
  /** It belongs to accounts: an entry in `accountCapabilities` and `primaryAccounts`. */
  readonly accountLevel: boolean;
  readonly dataTypes: readonly DataTypeDefinition[];
  readonly methods: readonly MethodDefinition[];
}
