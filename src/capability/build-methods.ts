import type { AccountUse, BuiltInMethodName, MethodDefinition } from './capability-definition.js';
import type { DataTypeDefinition, StandardMethodName } from './definition.js';
import { frozen } from './runtime.js';
import type { Validator } from './validation.js';

/** The validators of the standard arguments: the module `generated/standard/validators.js`. */
export type StandardValidators = {
  readonly [Name in StandardMethodName as `${Name}Arguments`]: Validator;
} & { readonly argumentNames: Readonly<Record<StandardMethodName, readonly string[]>> };

/** The further arguments and response members that a descriptor adds to a standard method. */
export interface FurtherMembers {
  readonly furtherArguments?: readonly string[];
  /** Judges the standard arguments and the further ones together. */
  readonly validateArguments?: Validator;
  /** Judges the members that the hook file adds to the response. */
  readonly validateResponse?: Validator;
}

export interface StandardMethodOptions {
  /** The methods that the type has; all that it can have where absent. */
  readonly only?: readonly StandardMethodName[];
  readonly further?: Readonly<Partial<Record<StandardMethodName, FurtherMembers>>>;
}

/** How each method uses its account. The methods are in the order of RFC 8620. */
export const ACCOUNT_USE: Readonly<Record<StandardMethodName, AccountUse>> = Object.freeze({
  get: 'read',
  changes: 'read',
  set: 'write',
  copy: 'write',
  query: 'read',
  queryChanges: 'read',
});

const ALL = Object.freeze(Object.keys(ACCOUNT_USE)) as readonly StandardMethodName[];

/** The methods that a singleton can have: no call creates, destroys or looks for one. */
export const SINGLETON_METHODS: readonly StandardMethodName[] = Object.freeze([
  'get',
  'changes',
  'set',
]);

/** Builds the standard methods of a type (RFC 8620 5.1 to 5.6). */
export function standardMethods(
  type: DataTypeDefinition,
  standard: StandardValidators,
  { only, further = {} }: StandardMethodOptions = {},
): readonly MethodDefinition[] {
  const names = only ?? (type.singleton === true ? SINGLETON_METHODS : ALL);
  return frozen(
    names.map((name): MethodDefinition => {
      const { furtherArguments, ...validators } = further[name] ?? {};
      return {
        name: `${type.name}/${name}`,
        capability: type.capability,
        dataType: type,
        account: ACCOUNT_USE[name],
        argumentNames: standard.argumentNames[name],
        acceptSnakeCase: type.acceptSnakeCase,
        validateArguments: standard[`${name}Arguments`],
        ...validators,
        ...(furtherArguments === undefined
          ? {}
          : {
              argumentNames: [...standard.argumentNames[name], ...furtherArguments],
              furtherArguments,
            }),
        body: name,
      };
    }),
  );
}

/** A method as the builders below take it. */
export type MethodSource = Omit<MethodDefinition, 'acceptSnakeCase' | 'body' | 'dataType'>;

/** Builds a method that the capability's hook file implements. */
export function ownMethod<_Arguments extends object, _Response extends object>(
  source: MethodSource & Required<Pick<MethodDefinition, 'validateResponse'>>,
): MethodDefinition {
  return frozen({ ...source, acceptSnakeCase: false, body: 'hookFile' });
}

/** Builds a method that the engine implements. */
export function builtInMethod<_Arguments extends object, _Response extends object>(
  source: MethodSource & { readonly name: BuiltInMethodName },
): MethodDefinition {
  return frozen({ ...source, acceptSnakeCase: false, body: source.name });
}
