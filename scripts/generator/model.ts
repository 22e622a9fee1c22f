import type { JSONSchema7 } from 'json-schema';
import type {
  FilterOperator,
  PropertyAccess,
  PropertyKind,
  PropertyRole,
  ShadowTransform,
} from '../../src/capability/definition.js';
import type { JsonObject, JsonValue } from '../../src/protocol/json.js';

/**
 * The generator's frozen model: what the descriptors mean, with every default filled in and every
 * name resolved. Rules (check/) read it and report; emitters (emit/) read it and return text.
 * Nothing here knows a file format.
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

export interface ModelProperty {
  readonly name: string;
  readonly column: string;
  readonly kind: PropertyKind;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly default?: JsonValue;
  readonly access: PropertyAccess;
  readonly role?: PropertyRole;
  readonly blob: boolean;
  readonly description: string;
  /** JSON Schema of the wire value, null included where nullable; bounds filled in. */
  readonly schema: JSONSchema7;
  readonly at: Location;
}

export interface ModelFilter {
  readonly name: string;
  readonly property: ModelProperty;
  readonly operator: FilterOperator;
  readonly column: string;
  /** JSON Schema of the condition's value. */
  readonly schema: JSONSchema7;
  readonly description: string;
  readonly at: Location;
}

export interface ModelSort {
  readonly property: ModelProperty;
  readonly casemapColumn?: string;
  /** An ordered index on (accountId, column, id) was asked for. */
  readonly indexed: boolean;
  readonly at: Location;
}

export interface ModelShadow {
  readonly column: string;
  readonly property: ModelProperty;
  readonly transform: ShadowTransform;
}

export interface ModelType {
  readonly name: string;
  readonly table: string;
  readonly description: string;
  readonly acceptSnakeCase: boolean;
  /** id, created, updated first, then as declared. */
  readonly properties: readonly ModelProperty[];
  readonly filters: readonly ModelFilter[];
  readonly sorts: readonly ModelSort[];
  readonly shadows: readonly ModelShadow[];
  readonly at: Location;
}

/** A method that the descriptor declares by its argument and response schemas. */
export interface ModelMethod {
  readonly name: string;
  readonly description: string;
  readonly account: 'none' | 'read' | 'write';
  readonly accountCapability?: string;
  /** Where undefined, any member is an argument. */
  readonly argumentNames?: readonly string[];
  readonly arguments: JSONSchema7;
  readonly response: JSONSchema7;
  readonly at: Location;
}

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
  readonly types: readonly ModelType[];
  readonly methods: readonly ModelMethod[];
  readonly at: Location;
}

export interface Model {
  /** In order of file name (code points), whatever order they were read in. */
  readonly capabilities: readonly ModelCapability[];
}

/** One complaint about a descriptor. */
export interface Problem {
  readonly at: Location;
  /** Stable, kebab-case: `unknown-key`, `duplicate-type` ... */
  readonly code: string;
  readonly message: string;
}

/**
 * What an emitter returns: path relative to the project's root, with `/`, to the file's whole
 * text.
 */
export type EmittedFiles = ReadonlyMap<string, string>;
