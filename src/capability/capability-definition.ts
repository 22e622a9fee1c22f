import type { JsonObject } from '../protocol/json.js';
import type { CapabilityHooks } from './capability-hooks.js';
import type { DataTypeDefinition, StandardMethodName } from './definition.js';
import type { EvolutionDefinition } from './evolution.js';
import type { Place } from './places.js';
import type { QuotaDefinition, QuotaPlans, UnreferencedQuota } from './quota-definition.js';
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
  /** Argument names, for snake_case and messages; undefined where any is allowed (Core/echo). */
  readonly argumentNames?: readonly string[];
  readonly acceptSnakeCase: boolean;
  readonly validateArguments: Validator;
  /** Of a hook file's method: the places in its arguments where "#" and a creation id may stand. */
  readonly idPlaces?: readonly Place[];
  /** Arguments that the descriptor adds to a standard method; only its hooks get them. */
  readonly furtherArguments?: readonly string[];
  /** Judges a hook's result: an own method's response, or a standard one's further members. */
  readonly validateResponse?: Validator;
  /** Names the row of the engine's `methods/bodies.ts`, or the capability's hook file. */
  readonly body: StandardMethodName | BuiltInMethodName | 'hookFile';
}

/** The methods that the engine implements and descriptors declare. */
export const BUILT_IN_METHODS = [
  'Core/echo',
  'Blob/upload',
  'Blob/get',
  'Blob/lookup',
  'Blob/copy',
  'PushSubscription/get',
  'PushSubscription/set',
  'AdminUser/get',
  'AdminUser/changes',
  'AdminUser/set',
  'AdminAccount/get',
  'AdminAccount/changes',
  'AdminAccount/set',
  'AdminGrant/get',
  'AdminGrant/changes',
  'AdminGrant/set',
  'AdminToken/get',
  'AdminToken/changes',
  'AdminToken/set',
] as const;

export type BuiltInMethodName = (typeof BUILT_IN_METHODS)[number];

/** The scopes of OAuth that open a capability to tokens of identity providers (RFC 6749 3.3). */
export interface OAuthScopes {
  /** Opens all of it. */
  readonly full: string;
  /** Opens it to reading alone. */
  readonly read?: string;
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
  /** The session entry is exactly `session` (RFC 9404 wants `{}`); only the state has the hash. */
  readonly bareSession: boolean;
  /** It belongs to accounts: an entry in `accountCapabilities` and `primaryAccounts`. */
  readonly accountLevel: boolean;
  /** Absent: a provider's token needs no scope for it. */
  readonly oauthScopes?: OAuthScopes;
  /** Absent where it declares none. */
  readonly quotas?: readonly QuotaDefinition[];
  readonly plans?: QuotaPlans;
  /** At most one capability of a project has it. */
  readonly unreferencedBlobs?: UnreferencedQuota;
  readonly dataTypes: readonly DataTypeDefinition[];
  readonly methods: readonly MethodDefinition[];
  /** JSON text of the descriptor that clients may read. */
  readonly reference?: string;
  /** The exports of the hook file. */
  readonly hooks?: CapabilityHooks;
  /** The conversions of its types' objects, in order of migration. */
  readonly evolutions?: readonly EvolutionDefinition[];
}
