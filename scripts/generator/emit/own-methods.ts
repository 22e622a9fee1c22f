import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelMethod,
} from '../../../src/descriptor/model.js';
import { validationSchema } from '../../../src/descriptor/validation/schema.js';
import { Call, Code } from './code.js';
import { deprecatedWords, GeneratedModule } from './generated-module.js';
import { importsOf, schemasOfMethod, sharedSchemas, withShared } from './shared-schemas.js';
import { JMAP, validatorsOf } from './sources.js';
import { sourceOf } from './type-validators.js';
import { emitValidators, type ValidatorSource, validatorModule } from './validators.js';
import { addWireTypes, type NamedSchema } from './wire-types.js';

/**
 * Returns what a capability declares under `methods`: types, argument validators and definitions.
 */
export async function emitOwnMethods(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    const { methods } = capability;
    if (methods.length === 0) continue;
    const from = sourceOf(capability);
    const path = `generated/${capability.name}/methods`;
    const module = new GeneratedModule(`${path}.ts`, from);
    await addWireTypes(module, listWireTypes(module, capability));
    addMethods(module, capability);
    files.set(`${path}.ts`, module.toString());
    const sources = methods.flatMap(listValidators);
    files.set(`${path}.validators.ts`, validatorModule(from, emitValidators(sources)));
  }
  return files;
}

/** Returns the stem of a method's types, `BlobUpload` of `Blob/upload`. */
export function methodStem({ name }: Pick<ModelMethod, 'name'>): string {
  return name
    .split('/')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** Returns the validators of an own method. The engine's own answers need none. */
function listValidators(method: ModelMethod): readonly ValidatorSource[] {
  const args = {
    name: nameValidator(method, 'Arguments'),
    schema: validationSchema(method.arguments, 'message'),
    words: `The arguments of ${method.name}.`,
  };
  if (method.builtIn) return [args];
  // A hook file's answer is held to the promise of the descriptor.
  const response = {
    name: nameValidator(method, 'Response'),
    schema: validationSchema(method.response, 'message'),
    words: `The response of ${method.name}.`,
  };
  return [args, response];
}

/** Returns the name of the validator for a part of a method. */
function nameValidator(method: ModelMethod, part: 'Arguments' | 'Response'): string {
  const stem = methodStem(method);
  return `${stem.charAt(0).toLowerCase()}${stem.slice(1)}${part}`;
}

/**
 * Returns the types of arguments and responses, with schemas that several share as types of their
 * own.
 */
function listWireTypes(
  module: GeneratedModule,
  { methods, sharedTypes }: ModelCapability,
): readonly NamedSchema[] {
  const types = methods.flatMap(nameTypes);
  const shared = sharedSchemas(
    methods.flatMap(schemasOfMethod),
    types.map(([name]) => name),
  );
  return withShared(types, shared, importsOf(module, sharedTypes));
}

/** Returns the two types of a method by name, each with a description. */
export function nameTypes(method: ModelMethod): (readonly [string, ModelMethod['arguments']])[] {
  const words = (schema: ModelMethod['arguments'], fallback: string): ModelMethod['arguments'] => ({
    ...schema,
    description: deprecatedWords(schema.description ?? fallback, method.deprecated),
  });
  return [
    [`${methodStem(method)}Arguments`, words(method.arguments, `Arguments of ${method.name}.`)],
    [`${methodStem(method)}Response`, words(method.response, `Response of ${method.name}.`)],
  ];
}

/** Adds the constant that lists the definitions of own methods. */
function addMethods(module: GeneratedModule, capability: ModelCapability): void {
  module.addConstant({
    name: 'methods',
    type: `readonly ${module.type(JMAP, 'MethodDefinition')}[]`,
    value: new Call(
      module.value(JMAP, 'frozen'),
      capability.methods.map((method) => describeMethod(capability, method, module)),
    ),
    words: `The methods of ${capability.urn} beside the standard ones.`,
  });
}

/** Returns the definition of an own method, as its constant holds it. */
function describeMethod(
  capability: ModelCapability,
  method: ModelMethod,
  module: GeneratedModule,
): object {
  const validator = (part: 'Arguments' | 'Response') =>
    new Code(module.value(validatorsOf(capability, 'methods'), nameValidator(method, part)));
  return {
    name: method.name,
    capability: capability.urn,
    accountCapability: method.accountCapability,
    account: method.account,
    argumentNames: method.argumentNames,
    idPlaces: method.builtIn || method.idPlaces.length === 0 ? undefined : method.idPlaces,
    acceptSnakeCase: false,
    validateArguments: validator('Arguments'),
    validateResponse: method.builtIn ? undefined : validator('Response'),
    body: method.builtIn ? method.name : 'hookFile',
  };
}
