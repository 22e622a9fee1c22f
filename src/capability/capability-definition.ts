import type { JsonObject } from '../protocol/json.js';
import type { DataTypeDefinition, StandardMethodName } from './definition.js';
import type { CapabilityHooks } from './hooks.js';
import type { Validator } from './validation.js';

/** Whether a method needs an account, and to write to it. `none`: it has no accountId argument. */
export type AccountUse = 'none' | 'read' | 'write';

export interface MethodDefinition {
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
  /** Those that the descriptor adds to a standard method's: they reach its hooks alone. */
  readonly furtherArguments?: readonly string[];
  /** What a hook gives must fit: the response of an own method, the further members of a standard one. */
  readonly validateResponse?: Validator;
  /** What answers it: a row of the engine's `methods/bodies.ts`, or the capability's hook file. */
  readonly body: StandardMethodName | BuiltInMethodName | 'hookFile';
}

/** The methods that the engine implements and descriptors declare. */
export const BUILT_IN_METHODS = [
  'Core/echo',
  'Blob/upload',
  'Blob/get',
  'Blob/lookup',
  'Blob/copy',
] as const;

export type BuiltInMethodName = (typeof BUILT_IN_METHODS)[number];

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
  /** JSON text: its descriptor as clients may read it. Absent where it was generated before there was one. */
  readonly reference?: string;
  /** Bound by registry.ts, which alone imports hook files. */
  readonly hooks?: CapabilityHooks;
}
