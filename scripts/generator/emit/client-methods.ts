import type { JSONSchema7 } from 'json-schema';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import {
  addedArguments,
  hasFurther,
  methodTypeName,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import { withTarget } from '../../../src/descriptor/model/id-schemas.js';
import type {
  Model,
  ModelCapability,
  ModelMethod,
  ModelType,
} from '../../../src/descriptor/model.js';
import { CLIENT } from './client-source.js';
import { deprecatedWords, type GeneratedModule, type Member } from './generated-module.js';
import { methodStem, nameTypes } from './own-methods.js';
import type { NamedSchema } from './wire-types.js';

/** The interfaces of the client for the standard methods. */
const INTERFACES: Readonly<Record<StandardMethodName, string>> = Object.freeze({
  get: 'Get',
  changes: 'Changes',
  set: 'SetMethod',
  copy: 'Copy',
  query: 'Query',
  queryChanges: 'QueryChanges',
});

/** A method beside the standard ones, and whose it is. */
export interface OwnMethod {
  readonly capability: ModelCapability;
  readonly method: ModelMethod;
}

/** Returns own methods by the first part of their names: `Issue` of `Issue/close`. */
export function ownMethodsByName({ capabilities }: Model): ReadonlyMap<string, OwnMethod[]> {
  const found = new Map<string, OwnMethod[]>();
  for (const capability of capabilities)
    for (const method of capability.methods) {
      const [name = ''] = method.name.split('/');
      found.set(name, [...(found.get(name) ?? []), { capability, method }]);
    }
  return found;
}

/** Returns the part of a method's name behind the slash. */
export function verbOf({ name }: Pick<ModelMethod, 'name'>): string {
  return name.slice(name.indexOf('/') + 1);
}

/** Returns the types of the arguments and of the response of an own method. */
export function ownMethodTypes(method: ModelMethod): readonly NamedSchema[] {
  const { account, arguments: args, response } = method;
  return nameTypes({
    ...method,
    arguments: account === 'none' ? args : withoutAccountId(args),
    response: withAccountIds(response),
  });
}

/** Returns the arguments without the one that the account of the client gives. */
function withoutAccountId(schema: JSONSchema7): JSONSchema7 {
  const { accountId: _accountId, ...properties } = schema.properties ?? {};
  const required = (schema.required ?? []).filter((name) => name !== 'accountId');
  return { ...schema, properties, required };
}

/** Returns an object schema whose `accountId` is the id of an account. */
function withAccountIds(schema: JSONSchema7): JSONSchema7 {
  const accountId = schema.properties?.['accountId'];
  if (typeof accountId !== 'object') return schema;
  const properties = { ...schema.properties, accountId: withTarget(accountId, 'Account') };
  return { ...schema, properties };
}

/** Adds the interface of the methods of a type, or of a group of methods that is no type. */
export function addMethodInterface(
  module: GeneratedModule,
  name: string,
  type: ModelType | undefined,
  own: readonly OwnMethod[],
): void {
  const bases = type === undefined ? [] : standardInterfaces(module, type);
  module.addInterface({
    name: `${name}Methods`,
    words: `The methods of ${name}.`,
    typeParameters: [`M extends ${module.type(CLIENT, 'Mode')}`],
    ...(bases.length === 0 ? {} : { extends: bases.join(',\n  ') }),
    members: own.map(({ method }) => ownMember(module, method)),
  });
}

function standardInterfaces(module: GeneratedModule, type: ModelType): readonly string[] {
  return standardMethodsOf(type).map((each) => {
    const { row, method } = each;
    const args = hasFurther(addedArguments(type, each))
      ? methodTypeName(type, row, 'Arguments')
      : 'unknown';
    const response = hasFurther(method.response)
      ? methodTypeName(type, row, 'Response')
      : 'unknown';
    const further = response === 'unknown' ? [args] : [args, response];
    const base = module.type(CLIENT, INTERFACES[row.verb]);
    const isPlain = args === 'unknown' && response === 'unknown';
    return `${base}<${[`${type.name}Shape`, 'M', ...(isPlain ? [] : further)].join(', ')}>`;
  });
}

function ownMember(module: GeneratedModule, method: ModelMethod): Member {
  const stem = methodStem(method);
  const base = module.type(CLIENT, 'OwnMethod');
  return {
    name: verbOf(method),
    type: `${base}<M, ${stem}Arguments, ${stem}Response>`,
    words: deprecatedWords(method.description, method.deprecated),
  };
}
