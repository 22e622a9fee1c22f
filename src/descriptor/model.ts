import type { JSONSchema7 } from 'json-schema';
import type { AccessRule } from '../capability/access-rules.js';
import type { AccountUse, OAuthScopes } from '../capability/capability-definition.js';
import type {
  AnsweredDefinition,
  FilterDefinition,
  PropertyDefinition,
  ReferenceDefinition,
  SearchIndexDefinition,
  ShadowColumn,
  ShareDefinition,
  SortDefinition,
  StandardMethodName,
  TypeLimits,
  TypeRules,
  UniqueDefinition,
} from '../capability/definition.js';
import type { Place } from '../capability/places.js';
import type {
  QuotaDefinition,
  QuotaPlans,
  UnreferencedQuota,
} from '../capability/quota-definition.js';
import type { SetOperation } from '../capability/set-operations.js';
import type { TextRule } from '../capability/text-rule.js';
import type { JsonObject } from '../protocol/json.js';
import type { ProblemCode } from './codes/index.js';

/**
 * The generator's frozen model: what the descriptors mean, with every default filled in and every
 * name resolved. It is built once the rules (check/) have found no error. Emitters read it and
 * return text. Nothing here knows a file format.
 */

/**
 * A place in a descriptor, 1-based as editors count. `file` is relative to the project's root,
 * with `/`.
 */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A property as the generator needs it: every default is filled in. */
export interface ModelProperty extends Omit<PropertyDefinition, 'nullColumn'> {
  readonly blobs: readonly Place[];
  readonly texts: readonly TextRule[];
  readonly references: readonly ReferenceDefinition[];
  /** Its texts, or the keys of its set, are ids of users. */
  readonly principal?: true;
  /** Why, and what to use instead. */
  readonly deprecated?: string;
  /** The name that it had in the last released migration: its values are kept. */
  readonly renamedFrom?: string;
  readonly description: string;
  /** JSON Schema of the wire value, null included where nullable; bounds filled in. */
  readonly schema: JSONSchema7;
  readonly at: Location;
}

/** A property, or a family of some, that is computed when it is read. */
export interface ModelAnswered extends Omit<AnsweredDefinition, 'sources'> {
  /** Names of stored properties. */
  readonly sources: readonly string[];
  readonly deprecated?: string;
  readonly description: string;
  /** JSON Schema of the value; a family may have any. */
  readonly schema: JSONSchema7;
  readonly at: Location;
}

/** A condition that a FilterCondition may have. */
export interface ModelFilter extends FilterDefinition {
  readonly property: ModelProperty;
  /** For `text`: the properties that it reads, as `columns` has theirs. */
  readonly properties?: readonly ModelProperty[];
  /** JSON Schema of the condition's value. */
  readonly schema: JSONSchema7;
  readonly description: string;
  readonly at: Location;
}

/** A property that a Comparator may name. */
export interface ModelSort extends Omit<SortDefinition, 'indexed' | 'indexedBehind'> {
  readonly property: ModelProperty;
  /** An ordered index on (accountId, column, id) was asked for. */
  readonly indexed: boolean;
  readonly at: Location;
}

/** A column beside the property's own, with a changed copy of its text for filters or sorts. */
export interface ModelShadow extends ShadowColumn {
  readonly property: ModelProperty;
}

/** Properties whose values no two objects of an account share. `name` joins theirs by "+". */
export interface ModelUnique extends UniqueDefinition {
  readonly properties: readonly ModelProperty[];
  readonly at: Location;
}

/** An ordered index over several properties that the descriptor asks for by itself. */
export interface ModelIndex {
  readonly properties: readonly ModelProperty[];
  /** The indexed columns of each: its column or a shadow of it. */
  readonly columns: readonly string[];
  readonly at: Location;
}

/** A standard method that the type has, with what the descriptor adds to it (as RFC 8621 does). */
export interface ModelStandardMethod {
  readonly name: StandardMethodName;
  /** Object schemas whose `properties` are further arguments and response members. */
  readonly arguments?: JSONSchema7;
  readonly response?: JSONSchema7;
  readonly at: Location;
}

/** A SetError of a type's own. */
export interface ModelError {
  readonly name: string;
  readonly description: string;
  /** The schema of its members: an object that has all of them. */
  readonly members: JSONSchema7;
  readonly at: Location;
}

/** A word in `drops`, and where it stands. */
export interface ModelDrop {
  readonly name: string;
  readonly at: Location;
}

/** The shapes of a type's results: names of arguments and of properties. */
export interface ModelShapes {
  readonly collapse?: { readonly argument: string; readonly by: string };
  readonly tree?: { readonly by: string; readonly sort?: string; readonly filter?: string };
}

/** A data type, with its table. */
export interface ModelType {
  readonly name: string;
  readonly table: string;
  readonly description: string;
  readonly acceptSnakeCase: boolean;
  /** id, created, updated first, then in order of name. */
  readonly properties: readonly ModelProperty[];
  /** The parts of properties that filters and sorts read; absent if there are none. */
  readonly parts?: readonly ModelProperty[];
  readonly filters: readonly ModelFilter[];
  readonly sorts: readonly ModelSort[];
  readonly shadows: readonly ModelShadow[];
  readonly singleton: boolean;
  /** The operations of /set that clients may not do; absent where they may do all. */
  readonly refuses?: readonly SetOperation[];
  /** Objects keep properties that the type doesn't declare. */
  readonly keepsUnknown?: true;
  /** In the order of STANDARD_METHODS. */
  readonly methods: readonly ModelStandardMethod[];
  readonly uniques: readonly ModelUnique[];
  readonly indexes: readonly ModelIndex[];
  readonly search?: SearchIndexDefinition;
  readonly query?: ModelShapes;
  readonly limits?: TypeLimits;
  readonly rules?: TypeRules;
  /** Absent where all users of the account may do all. */
  readonly access?: readonly AccessRule[];
  readonly share?: ShareDefinition;
  /** SetErrors of the type's own; absent if there are none. */
  readonly errors?: readonly ModelError[];
  /** Absent if there are none. */
  readonly answered?: readonly ModelAnswered[];
  /**
   * The shape of the released table on SQLite (emit/key-ordered.ts); of a new one it is left out.
   */
  readonly keyOrdered?: boolean;
  readonly deprecated?: string;
  readonly renamedFrom?: string;
  /** Properties whose values the team gives up, and narrowings that it accepts. */
  readonly drops: readonly ModelDrop[];
  /** A file of `evolve/` converts its objects in the migration that is being made. */
  readonly converts?: true;
  readonly at: Location;
}

/**
 * The parts of a property on which storage, wire and sync depend: a migration keeps them in its
 * `model.json`.
 */
export type KeptProperty = Omit<
  ModelProperty,
  'at' | 'description' | 'deprecated' | 'renamedFrom' | 'texts'
>;

/** The conversion of a type's objects by a file of `evolve/`. */
export interface ModelEvolution {
  /** The number of the migration that the file belongs to. */
  readonly migration: number;
  /** `evolve/0007-split-name.ts` */
  readonly file: string;
  /** The type's name behind the migration. */
  readonly type: string;
  readonly table: string;
  /** The properties of an object in front of the migration, and behind it: those it may change. */
  readonly before: readonly KeptProperty[];
  readonly after: readonly KeptProperty[];
}

/** A file of `evolve/`, read without running it. */
export interface EvolveFile {
  readonly migration: number;
  readonly file: string;
  /** The types that it names. */
  readonly types: readonly ModelDrop[];
}

/** A method that the descriptor declares by its argument and response schemas. */
export interface ModelMethod {
  readonly name: string;
  readonly description: string;
  readonly account: AccountUse;
  readonly accountCapability?: string;
  /** Where undefined, any member is an argument. */
  readonly argumentNames?: readonly string[];
  readonly arguments: JSONSchema7;
  readonly response: JSONSchema7;
  /** The places in its arguments that hold ids. */
  readonly idPlaces: readonly Place[];
  /** The engine implements it (src/methods/bodies.ts); otherwise the hook file does. */
  readonly builtIn: boolean;
  readonly deprecated?: string;
  readonly at: Location;
}

/** A descriptor, read and judged. */
export interface ModelCapability {
  readonly urn: string;
  /** The descriptor's base name: its folder in generated/. */
  readonly name: string;
  readonly description: string;
  readonly descriptorHash: string;
  readonly session: JsonObject;
  readonly accountSession: JsonObject;
  readonly bareSession: boolean;
  readonly accountLevel: boolean;
  /** Absent where a provider's token needs no scope. */
  readonly oauthScopes?: OAuthScopes;
  /** Absent where it declares none. */
  readonly quotas?: readonly QuotaDefinition[];
  readonly plans?: QuotaPlans;
  /** At most one capability of a project has it. */
  readonly unreferencedBlobs?: UnreferencedQuota;
  /** The descriptor less what is never on the wire (model/wire-descriptor.ts). */
  readonly onWire: JsonObject;
  readonly types: readonly ModelType[];
  readonly methods: readonly ModelMethod[];
  /** The files of shared definitions, by the names of their TypeScript types. Absent for none. */
  readonly sharedTypes?: ReadonlyMap<string, string>;
  /** Types whose tables the team gives up. */
  readonly drops: readonly ModelDrop[];
  /** `capabilities/NAME.hooks.ts` where there is one. */
  readonly hooksFile?: string;
  /** The conversions of its types' objects; absent if there are none. */
  readonly evolutions?: readonly ModelEvolution[];
  readonly at: Location;
}

/** All capabilities of a project: the input of every emitter. */
export interface Model {
  /** In order of file name (code units), whatever order they were read in. */
  readonly capabilities: readonly ModelCapability[];
  /** The files of `evolve/`; absent if there are none. */
  readonly evolveFiles?: readonly EvolveFile[];
}

/** One complaint about a descriptor. */
export interface Problem {
  readonly at: Location;
  /** Stable, kebab-case: `unknown-key`, `duplicate-type` ... */
  readonly code: ProblemCode;
  readonly message: string;
  /** Absent: an error. A warning doesn't stop the generation, unless --max-warnings says so. */
  readonly severity?: 'warning';
  /** The other places that the message speaks of: of a duplicate, the first one. */
  readonly related?: readonly Location[];
}

/**
 * The files of an emitter: path relative to the project's root, with `/`, to the file's whole text.
 */
export type EmittedFiles = ReadonlyMap<string, string>;
